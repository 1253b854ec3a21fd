"""Entries as they lie on disk: bound to their kind and key, and unreadable without the secret.

An entry begins with a mark of the form and ends with a keyed BLAKE2b over everything between and over kind and key, so
that a damaged entry, one of another installation, and one that was copied to another place are known for what they are
before anything in them is looked at. The content is added to streams of SHAKE-128, one for each part of it, that are
made from the secret, a number used once, and the place of the part: what is in the folder shows no code, also where the
folder is handed on. In parts, as copies of a long entry would take more memory than the rest of a scan that remembers.
"""

from __future__ import annotations

import hashlib
import hmac
import itertools
import os
from collections.abc import Iterator

_MARK = b"resplint cache 2\n"
_MAC_BYTES = 32
_NONCE_BYTES = 16
_PART_BYTES = 1_000_000
OVERHEAD = len(_MARK) + _NONCE_BYTES + _MAC_BYTES
"""Bytes of an entry beside its content."""


class Seal:
    """Seals and opens entries with the secret of an installation."""

    def __init__(self, secret: bytes) -> None:
        self._mac = _derived(secret, b"mac")
        self._stream = _derived(secret, b"stream")
        self._digest = _derived(secret, b"digest")

    def name(self, kind: str, key: bytes) -> str:
        """The name of an entry's file."""
        digest = self.digest(kind.encode() + b"\0" + key)
        return f"{kind}-{digest.hex()}"

    def digest(self, data: bytes) -> bytes:
        """16 bytes that stand for `data`; without the secret nobody can tell what they stand for."""
        return hashlib.blake2b(data, digest_size=16, key=self._digest).digest()

    def sealed(self, kind: str, key: bytes, content: bytes) -> Iterator[bytes]:
        """The bytes of an entry, in parts."""
        nonce, code = os.urandom(_NONCE_BYTES), self._code(kind, key)
        yield _MARK
        for part in itertools.chain([nonce], self._mixed(nonce, memoryview(content))):
            code.update(part)
            yield part
        yield code.digest()

    def opened(self, kind: str, key: bytes, entry: bytes) -> bytes | None:
        """The content of an entry; None unless it was sealed for this kind and key with this secret."""
        if len(entry) < OVERHEAD or not entry.startswith(_MARK):
            return None
        view, code = memoryview(entry), self._code(kind, key)
        stored = view[len(_MARK) : -_MAC_BYTES]
        code.update(stored)
        if not hmac.compare_digest(view[-_MAC_BYTES:], code.digest()):
            return None
        return b"".join(self._mixed(bytes(stored[:_NONCE_BYTES]), stored[_NONCE_BYTES:]))

    def _code(self, kind: str, key: bytes) -> hashlib.blake2b:
        """What makes the code of an entry of this kind and key, to be given what is stored of it."""
        code = hashlib.blake2b(digest_size=_MAC_BYTES, key=self._mac)
        for part in (kind.encode(), key):
            code.update(len(part).to_bytes(8, "little") + part)
        return code

    def _mixed(self, nonce: bytes, content: memoryview) -> Iterator[bytes]:
        """Content to what is stored, and back, in parts."""
        for at in range(0, len(content), _PART_BYTES):
            part = content[at : at + _PART_BYTES]
            stream = hashlib.shake_128(self._stream + nonce + at.to_bytes(8, "little")).digest(len(part))
            both = int.from_bytes(part, "little") ^ int.from_bytes(stream, "little")
            yield both.to_bytes(len(part), "little")


def _derived(secret: bytes, purpose: bytes) -> bytes:
    return hashlib.blake2b(b"", digest_size=32, key=secret, person=purpose).digest()
