"""Names as a language reads them, where they are spelled with compatibility characters or escapes.

Python compares names in their compatibility form, JavaScript takes escapes in names and texts, and Java takes them
anywhere.
"""

from __future__ import annotations

import re
import unicodedata

_ESCAPED = re.compile(rb"\\(?:u+\{?[0-9a-fA-F]|x[0-9a-fA-F]{2})")
_ESCAPE = re.compile(rb"\\(?:u\{([0-9a-fA-F]{1,6})\}|u+([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))")
_COMPATIBLE = re.compile(
    r"[\u00aa-\u00ba\u0132-\u0149\u017f\u01c4-\u01cc\u01f1-\u01f3\u02b0-\u02b8\u02e1-\u02e3\u1d2c-\u1d65\u1d9c-\u1da0"
    r"\u1dbb\u1e9a\u2071-\u207f\u2090-\u209c\u2102-\u2149\u2160-\u217f\u2c7c\u2c7d\ua7f2-\ua7f4\ufb00-\ufb06\ufe33\ufe34"
    r"\ufe4d-\ufe4f\uff21-\uff5a\U000107a5\U0001d400-\U0001d6a3]"
)
"""Characters of names that stand for letters of ASCII."""
_SCRIPTS = frozenset({"javascript", "typescript"})


def meant(name: str, language: str) -> str:
    """A name, or several with dots between them, as the language reads it; any other text as it is."""
    if language == "python":
        if not name.isascii() and all(part.strip().isidentifier() for part in name.split(".")):
            return unicodedata.normalize("NFKC", name)
    elif language in _SCRIPTS and "\\u" in name:
        plain = _ESCAPE.sub(_character, name.encode("utf-8", "replace")).decode("utf-8", "replace")
        if plain.removeprefix("#").replace("$", "_").isidentifier():
            return plain
    return name


def may_differ(data: bytes, language: str) -> bool:
    """Whether some name in a file may be read otherwise than it stands there."""
    if language == "python":
        return not data.isascii()
    return language in _SCRIPTS and b"\\u" in data


def revealed(data: bytes, language: str) -> bytes:
    """Source in which names stand as they are read; b"" if that is nothing else than what stands there."""
    if language == "python":
        if data.isascii():
            return b""
        text = data.decode("utf-8", "ignore")
        return unicodedata.normalize("NFKC", text).encode() if _COMPATIBLE.search(text) else b""
    if (language in _SCRIPTS or language == "java") and _ESCAPED.search(data):
        return _ESCAPE.sub(_character, data)
    return b""


def _character(match: re.Match[bytes]) -> bytes:
    code = int(match[1] or match[2] or match[3], 16)
    return chr(code).encode("utf-8", "replace") if code < 0x110000 else b"?"
