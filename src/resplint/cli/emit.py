"""Where the commands' output goes."""

from __future__ import annotations

import sys
from typing import TextIO

from resplint.errors import UserError
from resplint.output import write


def emit(data: bytes, target: str | None, stream: TextIO | None = None) -> None:
    """Write `data` to the file `target` (replaced as a whole), or to `stream` (standard output) when there is none.
    Raises `UserError`, and `BrokenPipeError` when the reader went away.
    """
    if target is not None:
        write(target, data)
        return
    buffer = (stream or sys.stdout).buffer
    try:
        buffer.write(data)
        buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UserError(f"standard output cannot be written: {error.strerror}.") from error
