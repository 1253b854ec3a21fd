"""Reading small files that somebody else wrote without ever waiting for them, and showing their names safely.

This is about the files *around* source code: configuration, ignore files, manifests and lock files.
"""

from __future__ import annotations

import os
import stat

from resplint.errors import ResplintError

_SHOWN_LIMIT = 200


class UnreadableFileError(ResplintError):
    """A file cannot be read; the message is the reason alone, without the name: "is not a regular file"."""


def read_regular(path: str, limit: int) -> bytes:
    """The content of a regular file of at most `limit` bytes.

    Raises `UnreadableFileError` for anything else: missing, folder, named pipe, device, too large, forbidden.
    """
    # Non-blocking, because opening a named pipe for reading otherwise waits for a writer for ever.
    flags = os.O_RDONLY | _flag("O_NONBLOCK") | _flag("O_CLOEXEC") | _flag("O_BINARY")
    try:
        # Before the open as well: opening a device can have effects of its own.
        _demand_regular(os.stat(path))
        descriptor = os.open(path, flags)
    except (OSError, ValueError) as error:
        raise UnreadableFileError(_reason(error)) from error
    with os.fdopen(descriptor, "rb") as stream:
        try:
            _demand_regular(os.fstat(descriptor))
            data = stream.read(limit + 1)
        except OSError as error:
            raise UnreadableFileError(_reason(error)) from error
    if len(data) > limit:
        raise UnreadableFileError(f"is larger than {limit:,} bytes")
    return data


def shown(text: str, limit: int = _SHOWN_LIMIT) -> str:
    """`text` fit for one line of a terminal: the unprintable escaped, at most `limit` characters of it."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    if cut.isprintable():
        return cut
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in cut)


def is_inside(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or below it; both absolute and resolved."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _flag(name: str) -> int:
    """An `open` flag that not every platform has."""
    value: int = getattr(os, name, 0)
    return value


def _demand_regular(status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise UnreadableFileError("is a folder, not a file")
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableFileError("is not a regular file")


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        return "does not exist"
    if isinstance(error, PermissionError):
        return "cannot be read: permission denied"
    detail = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"cannot be read: {detail}"
