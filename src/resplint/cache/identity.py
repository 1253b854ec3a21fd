"""Which code runs: whatever may change what a scan finds, other than what is scanned and how it is asked for."""

from __future__ import annotations

import hashlib
import os
import sys

from resplint._version import __version__

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def tool_identity(rules: str) -> bytes:
    """32 bytes that stand for resplint, the interpreter, the installed packages, and every byte below the folder
    `rules`.
    """
    digest = hashlib.blake2b(digest_size=32)
    own = _recorded() or _stamped()
    for part in (__version__.encode(), sys.version.encode(), sys.platform.encode(), own, _installed(), _bytes(rules)):
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.digest()


def _recorded() -> bytes:
    """The list of all files of the installed package with their digests; nothing in a source checkout."""
    path = os.path.join(os.path.dirname(_PACKAGE), f"resplint-{__version__}.dist-info", "RECORD")
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _stamped() -> bytes:
    """Names, sizes and times of all modules."""
    digest = hashlib.blake2b(digest_size=32)
    for path in sorted(_below(_PACKAGE)):
        if path.endswith(".py"):
            status = os.stat(path)
            digest.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0{status.st_ctime_ns}\n".encode())
    return digest.digest()


def _installed() -> bytes:
    """Names and versions of what is installed beside the libraries that resplint needs, grammars among them."""
    import msgspec  # noqa: PLC0415 - only to know where libraries are

    folders = {os.path.dirname(os.path.dirname(os.path.abspath(msgspec.__file__))), os.path.dirname(_PACKAGE)}
    names = {name for folder in folders for name in _listed(folder) if name.endswith((".dist-info", ".egg-info"))}
    return "\n".join(sorted(names)).encode("utf-8", "surrogateescape")


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _bytes(folder: str) -> bytes:
    digest = hashlib.blake2b(digest_size=32)
    for path in sorted(_below(folder)):
        with open(path, "rb") as file:
            content = file.read()
        name = os.path.relpath(path, folder).encode("utf-8", "surrogateescape")
        digest.update(name + b"\0" + len(content).to_bytes(8, "little") + content)
    return digest.digest()


def _below(folder: str) -> list[str]:
    return [os.path.join(top, name) for top, _, names in os.walk(folder) for name in names]
