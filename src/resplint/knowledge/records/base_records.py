"""What all records of files below ``rules/`` have in common."""

from __future__ import annotations

from typing import Literal as OneOf

import msgspec

Scalar = str | int | float | bool


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A record of a file below ``rules/``."""


Kind = OneOf[
    "client",
    "cluster",
    "pool",
    "sentinel",
    "pipeline",
    "pubsub",
    "script",
    "lock",
    "connection",
    "retry",
    "backoff",
    "config",
    "batch",
    "other",
]
"""What an object is. `config` holds options and is passed to what it configures (a pool configuration, a builder, the
parameters of one command); `connection` is a borrowed or single connection; `other` only leads on to others."""
