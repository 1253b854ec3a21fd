"""The folder of the cache and the secret of the installation: where they are, and whether they can be relied on.

The folder holds what others may get to see or to replace, such as an archive that one job hands to the next. The secret
is kept elsewhere: only who knows it can write entries that count, and read what is in them.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Mapping

from resplint.contracts.errors import ResplintError

CACHE_DIR = "RESPLINT_CACHE_DIR"
"""Environment variable that names the folder of the cache."""
CACHE_KEY = "RESPLINT_CACHE_KEY"
"""Environment variable with the secret that entries are sealed with, for machines that hand a cache to each other."""

_APPLICATION = "resplint"
_ENTRIES = "resplint-cache-1"
"""Folder inside the given one: what is cleared, counted and kept from others is ours alone."""
_SECRET = "cache-key"
_SECRET_BYTES = 32
_PRIVATE = 0o700
_OF_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_TAG = b"Signature: 8a477f597d28d172789f06886806bc55\n# Results of resplint, which can be removed at any time.\n"
_MARKS = {"CACHEDIR.TAG": _TAG, ".gitignore": b"*\n"}
"""What tells backup programs and git to pass over the folder."""


class UnusableCacheError(ResplintError):
    """The cache cannot be used; the message says why and what to do, in one line."""


def entries_folder(given: str | None, environment: Mapping[str, str]) -> str:
    """Where the entries of the cache are: inside the folder `given`, that of the environment, or the user's."""
    base = given or environment.get(CACHE_DIR) or ""
    if not base:
        import platformdirs  # noqa: PLC0415 - the import is start-up time that only this case needs

        base = platformdirs.user_cache_dir(_APPLICATION, appauthor=False)
    return os.path.join(os.path.abspath(os.path.expanduser(base)), _ENTRIES)


def prepare(folder: str) -> None:
    """Make the folder of the entries, or see to it that it is ours alone. Raises `UnusableCacheError`."""
    try:
        os.makedirs(os.path.dirname(folder), _PRIVATE, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, _PRIVATE)
            _mark(folder)
        status = os.lstat(folder)
        problem = _problem(status)
        if not problem and os.name == "posix" and stat.S_IMODE(status.st_mode) & _OF_OTHERS:
            os.chmod(folder, _PRIVATE)
    except (OSError, ValueError) as error:
        problem = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise _unusable(folder, problem) from error
    if problem:
        raise _unusable(folder, problem)


def _problem(status: os.stat_result) -> str:
    if stat.S_ISLNK(status.st_mode):
        return "it is a link"
    if not stat.S_ISDIR(status.st_mode):
        return "it is no folder"
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        return "it belongs to another user"
    return ""


def _unusable(folder: str, problem: str) -> UnusableCacheError:
    return UnusableCacheError(
        f"No results are kept: the cache {folder} cannot be used ({problem}); name another folder with --cache-dir, or "
        "--no-cache."
    )


def _mark(folder: str) -> None:
    for name, text in _MARKS.items():
        with contextlib.suppress(OSError), open(os.path.join(folder, name), "xb") as file:
            file.write(text)


def installation_secret(environment: Mapping[str, str]) -> bytes:
    """The secret of the environment, or of this user's installation, which is made when it is needed first.

    Raises `UnusableCacheError`.
    """
    given = environment.get(CACHE_KEY)
    if given:
        return hashlib.sha256(given.encode("utf-8", "surrogateescape")).digest()
    import platformdirs  # noqa: PLC0415 - as above

    folder = platformdirs.user_state_dir(_APPLICATION, appauthor=False)
    path = os.path.join(folder, _SECRET)
    try:
        return _read_secret(path) or _made_secret(folder, path)
    except OSError as error:
        raise UnusableCacheError(
            f"No results are kept: the key of the cache cannot be kept in {folder} ({error.strerror or error}); set "
            f"{CACHE_KEY}, or use --no-cache."
        ) from error


def _read_secret(path: str) -> bytes | None:
    """The secret in a file; None if there is none that only this user knows. Raises `OSError`."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return None
        if hasattr(os, "geteuid") and (status.st_uid != os.geteuid() or status.st_mode & _OF_OTHERS):
            return None
        secret = file.read(_SECRET_BYTES + 1)
    return secret if len(secret) == _SECRET_BYTES else None


def _made_secret(folder: str, path: str) -> bytes:
    """A new secret, kept in a file. Of several processes that make one at a time, one wins. Raises `OSError`."""
    os.makedirs(folder, _PRIVATE, exist_ok=True)
    temporary = f"{path}-{os.urandom(8).hex()}"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(os.urandom(_SECRET_BYTES))
        if os.path.lexists(path) and _read_secret(path) is None:
            os.replace(temporary, path)
        else:
            with contextlib.suppress(FileExistsError):
                os.link(temporary, path)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
    secret = _read_secret(path)
    if secret is None:
        raise OSError("it was changed meanwhile")
    return secret
