"""Processes that work for this one, within limits that are kept from outside: `pool` has them, `processes` makes them.

What stands here is cheap to load, for those who first want to know whether processes pay.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Literal, TypeAlias

import msgspec

FORKS = hasattr(os, "fork") and sys.platform != "darwin"
"""Whether workers are forks, which have everything loaded and start within milliseconds. What macOS loads into a
process may not survive that.
"""

Cause: TypeAlias = Literal["time", "memory", "death"]
"""Why a worker gave no answer: it was stopped at one of its limits, or died of something else."""


class Limits(msgspec.Struct, frozen=True):
    """What a worker may use: `cpu_s` seconds of processor time for each item, where the system can measure that, and
    `memory_bytes` beyond what it starts with, where the system can limit that (Linux).
    """

    cpu_s: float
    memory_bytes: int


class Lost(msgspec.Struct, frozen=True):
    """What came of an item instead of an answer."""

    cause: Cause


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def can_fork() -> bool:
    """Whether workers start at once here: not in a thread beside the main one, whose process may be doing anything."""
    return FORKS and threading.current_thread() is threading.main_thread()
