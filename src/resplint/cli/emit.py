"""Where the commands' output goes."""

from __future__ import annotations

import sys

from resplint.errors import UserError
from resplint.output import write


def emit(data: bytes, target: str | None) -> None:
    """Write `data` to the file `target` (replaced as a whole), or to standard output when there is none. Raises
    `UserError`, and `BrokenPipeError` when the reader went away.
    """
    if target is not None:
        write(target, data)
        return
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UserError(f"standard output cannot be written: {error.strerror}.") from error
