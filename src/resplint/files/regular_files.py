"""Reading small files that somebody else wrote without ever waiting for them, and showing their names safely.

This is about the files *around* source code: configuration, ignore files, manifests and lock files.
"""

from __future__ import annotations

import os
import stat

from resplint.contracts.errors import ResplintError

_SHOWN_LIMIT = 200
# Not every platform has every flag. Non-blocking, because opening a named pipe for reading otherwise waits for a writer
# forever.
_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))


class UnreadableFileError(ResplintError):
    """A file cannot be read; the message is the reason alone, without the name: "is not a regular file"."""


def read_regular(path: str, limit: int) -> bytes:
    """The content of a regular file of at most `limit` bytes.

    Raises `UnreadableFileError` for anything else: missing, folder, named pipe, device, too large, forbidden.
    """
    try:
        # Before it is opened as well: opening a device can have effects of its own.
        _demand_regular(os.stat(path))
    except (OSError, ValueError) as error:
        raise UnreadableFileError(_reason(error)) from error
    return read_seen(path, limit)


def read_seen(path: str, limit: int) -> bytes:
    """The same for a file that has been seen to be a regular one, and may have become something else since."""
    try:
        descriptor = os.open(path, _FLAGS)
        try:
            status = os.fstat(descriptor)
            _demand_regular(status)
            # A byte more than there should be: less is the end of the file, which may also have grown or shrunk.
            data = os.read(descriptor, min(status.st_size, limit) + 1)
            while status.st_size < len(data) <= limit and (more := os.read(descriptor, limit + 1 - len(data))):
                data += more
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
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


def reason_of(error: OSError) -> str:
    """Why discovery leaves out a file whose status cannot be read."""
    if isinstance(error, FileNotFoundError):
        return "nothing is there (a broken link, or it was removed during the scan)"
    if isinstance(error, PermissionError):
        return "permission denied"
    return (error.strerror or "cannot be read").lower()


def kind_of(mode: int) -> str:
    """What is neither a file nor a folder, by its mode."""
    if stat.S_ISFIFO(mode):
        return "a named pipe"
    if stat.S_ISSOCK(mode):
        return "a socket"
    return "a device" if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) else "a special file"
