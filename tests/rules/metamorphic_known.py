"""Changes after which findings of a fixture are lost or new today, and why."""

from __future__ import annotations

KNOWN: dict[tuple[str, str], str] = {}
"""Fixture and change -> cause."""
