"""Entries as they lie on disk: bound to their kind and key, and unreadable without the secret.

An entry begins with a mark of the form and a keyed BLAKE2b over everything behind it and over kind and key, so that a
damaged entry, one of another installation, and one that was copied to another place are told from a valid one before
anything in them is looked at. The content is added to a stream of SHAKE-256 that is made from the secret and a number
used once: what is in the folder shows no code, also where the folder is handed on.
"""

from __future__ import annotations

import hashlib
import hmac
import os

_MARK = b"resplint cache 1\n"
_MAC_BYTES = 32
_NONCE_BYTES = 16
OVERHEAD = len(_MARK) + _MAC_BYTES + _NONCE_BYTES
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

    def sealed(self, kind: str, key: bytes, content: bytes) -> bytes:
        """The bytes of an entry."""
        nonce = os.urandom(_NONCE_BYTES)
        body = nonce + self._mixed(nonce, content)
        return _MARK + self._code(kind, key, body) + body

    def opened(self, kind: str, key: bytes, entry: bytes) -> bytes | None:
        """The content of an entry; None unless it was sealed for this kind and key with this secret."""
        if len(entry) < OVERHEAD or not entry.startswith(_MARK):
            return None
        code, body = entry[len(_MARK) : len(_MARK) + _MAC_BYTES], entry[len(_MARK) + _MAC_BYTES :]
        if not hmac.compare_digest(code, self._code(kind, key, body)):
            return None
        return self._mixed(body[:_NONCE_BYTES], body[_NONCE_BYTES:])

    def _code(self, kind: str, key: bytes, body: bytes) -> bytes:
        code = hashlib.blake2b(digest_size=_MAC_BYTES, key=self._mac)
        for part in (kind.encode(), key):
            code.update(len(part).to_bytes(8, "little") + part)
        code.update(body)
        return code.digest()

    def _mixed(self, nonce: bytes, content: bytes) -> bytes:
        """Content to what is stored, and back."""
        size = len(content)
        stream = hashlib.shake_256(self._stream + nonce).digest(size)
        return (int.from_bytes(content, "little") ^ int.from_bytes(stream, "little")).to_bytes(size, "little")


def _derived(secret: bytes, purpose: bytes) -> bytes:
    return hashlib.blake2b(b"", digest_size=32, key=secret, person=purpose).digest()
