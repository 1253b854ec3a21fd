"""What libraries log, as lines on standard error: an editor may send anything, which is no reason for tracebacks."""

from __future__ import annotations

import logging
import sys

from resplint.output.escape import escape

_LONGEST = 300


class _Line(logging.Formatter):
    """One line for each record: how its message begins, and the error behind it."""

    def format(self, record: logging.LogRecord) -> str:
        lines = record.getMessage().strip().splitlines() or [""]
        parts = [lines[0], *lines[1:][-1:]]
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            parts.append(f"{type(error).__name__}: {error}")
        return ": ".join(escape(part[:_LONGEST]) for part in parts)


def print_in_lines() -> None:
    """Print warnings and errors of all libraries in lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setLevel(logging.WARNING)
    handler.setFormatter(_Line())
    logging.getLogger().addHandler(handler)
