"""Where the commands' output goes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TextIO

from resplint.contracts.errors import UserError
from resplint.output import write
from resplint.output.escape import escape
from resplint.output.writing import is_stream

_PIECE = 1 << 20


def demand_targets(targets: Iterable[str]) -> None:
    """Refuse files that cannot be written before any work is done. Raises `UserError` for a file in no folder, and for
    one that is named twice: who wrote last would win.
    """
    seen = set()
    for target in targets:
        real = os.path.realpath(target)
        if is_stream(target) or (os.path.exists(real) and not os.path.isfile(real)):
            continue
        folder = os.path.dirname(real)
        if not os.path.isdir(folder):
            raise UserError(f"Cannot write '{escape(target)}': there is no folder '{escape(folder)}'; create it first.")
        if real in seen:
            raise UserError(f"'{escape(target)}' is named for two reports: give each a file of its own.")
        seen.add(real)


def emit(data: bytes, target: str | None, stream: TextIO | None = None) -> None:
    """Write `data` to the file `target` (replaced as a whole), or to `stream` (standard output) when there is none.
    Raises `UserError` if the file cannot be written, and `OSError` if the stream cannot.
    """
    if target is not None:
        write(target, data)
        return
    buffer = (stream or sys.stdout).buffer
    buffer.write(data)
    buffer.flush()


def standard_input(limit: int, remedy: str) -> bytes:
    """All of standard input. Raises `UserError` if that is more than `limit` bytes (then `remedy` says what to do)."""
    data = bytearray()  # piece by piece: Python makes room for as much as it is asked to read, and a limit may be any
    try:
        while len(data) <= limit and (piece := sys.stdin.buffer.read(min(_PIECE, limit + 1 - len(data)))):
            data += piece
    except OSError as error:
        raise UserError(f"standard input cannot be read: {error.strerror}.") from error
    if len(data) > limit:
        raise UserError(f"standard input is larger than {limit:,} bytes; {remedy}.")
    return bytes(data)
