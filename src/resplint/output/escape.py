"""Make hostile text harmless: a visible form in place of characters that steer a terminal or forge a line.

Names of files, source lines, suppression reasons, configuration: whatever comes from the scanned tree goes
through here before a person (or a log that a machine reads line by line) sees it.
"""

from __future__ import annotations

import re

# What begins a command of the runner, wherever in a line of its log it stands: GitHub's, Azure's and TeamCity's.
_COMMAND = r"(?<=##)\[|(?<=##vso)\[|(?<=##teamcity)\["
# C0 with tab and line ends, DEL, C1, bidirectional marks and controls, line and paragraph separator, lone
# surrogates.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|" + _COMMAND)
_UNSAFE_BUT_TAB = re.compile(f"(?!\t)(?:{_UNSAFE.pattern})")
_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def escape(text: str, *, keep_tabs: bool = False) -> str:
    r"""`text` on one line, unsafe characters as ``\n``, ``\x1b`` or ``\u202e``; tabs stay if `keep_tabs`.

    A byte of a file name that is not UTF-8 (a lone surrogate in Python) shows as that byte, ``\xff``.
    """
    return (_UNSAFE_BUT_TAB if keep_tabs else _UNSAFE).sub(_visible, text)


def escape_character(text: str, index: int) -> str:
    """What `escape` makes of the character of `text` at `index`."""
    return _visible(found) if (found := _UNSAFE.match(text, index)) else text[index]


def is_unicode(text: str) -> bool:
    """Whether `text` can be encoded: names and bytes that are not UTF-8 leave lone surrogates in it."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def inert_json(text: str) -> str:
    """JSON that means the same as `text` and holds no command, should it be printed to the log of a runner."""
    # In JSON, "##" can only be part of a string.
    return re.sub(_COMMAND, r"\\u005b", text)


def _visible(found: re.Match[str]) -> str:
    character = found.group()
    code = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
