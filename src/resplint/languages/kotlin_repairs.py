"""Kotlin that the grammar does not know, put into words that it does.

Each repair keeps the length, so that offsets hold; only a line end is added where the file has none at its end. Names
and texts are read from the source as it is written. What becomes blank is left out of the facts: guards of `when`,
context parameters, class delegates, types of a call.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_Match = re.Match[bytes]

_SUSPENDED = re.compile(rb"\bsuspend(?=[ \t]*\{)")
_DOLLARS = re.compile(rb"\$\$+(?=\")")
_GUARD = re.compile(rb"^([ \t]*(?:(?!->|\bif\b)[^\n\"{}=]){1,400}\s)if\b[^\n{]{0,400}?(?=->)", re.MULTILINE)
_CONTEXT = re.compile(
    rb"^[ \t]*context\([^()\n]*\)(?=\s+(?:(?:@[\w.]+|[a-z]+)\s+){0,8}(?:fun|val|var|class)\b)", re.MULTILINE
)
_DELEGATED = re.compile(
    rb"((?:\)|\b(?:class|object)\s+\w+)\s*:[^\n{}=;:]{0,400}?)(\sby\s+[\w.]+(?:\([^()\n]*\))?)(?=\s*\{)"
)
_GENERIC_CALL = re.compile(
    rb"(?:(?<![\w])[a-z_]\w*|(?:[=(,]|\breturn|->)\s*[A-Z]\w*)(<[\w.<>?, *]{1,400}>)(?=[ \t]*\{)"
)
_ACCESSOR_NAME = re.compile(
    rb"^[ \t]*(?:get(?=\([^)\s])|set(?=\()(?!\(\s*\w+\s*(?::[^)\n]*)?\)\s*[{=:]))", re.MULTILINE
)
_MODIFIER_NAME = re.compile(
    rb"^[ \t]*(?:open|override|internal|external|final|public|private|protected|inline|infix|abstract|sealed|suspend|"
    rb"tailrec|companion|vararg|lateinit|noinline|crossinline)(?=[ \t]*(?:\??\.|=[^=]|[-+*/%]=|\())",
    re.MULTILINE,
)
_CLASS_WORD = re.compile(rb"\b(?:class|interface|object)\b")
_LAST_MEMBER = re.compile(rb"(?<!->)(?<=[^\s{;,($]) \}")


def _blank(raw: bytes) -> bytes:
    return re.sub(rb"[^\r\n]", b" ", raw)


def _blanked(match: _Match) -> bytes:
    return _blank(match[0])


def _without_guard(match: _Match) -> bytes:
    return match[1] + _blank(match[0][len(match[1]) :])


def _without_delegate(match: _Match) -> bytes:
    is_property = re.search(rb"\bva[lr]\s", match[1]) is not None
    return match[0] if is_property else match[1] + _blank(match[2])


def _without_types(match: _Match) -> bytes:
    if match[1].count(b"<") != match[1].count(b">"):
        return match[0]  # the end of a longer type
    return match[0][: -len(match[1])] + _blank(match[1])


def _renamed(match: _Match) -> bytes:
    return match[0][:-1] + b"_"


_REPAIRS: tuple[tuple[bytes, re.Pattern[bytes], Callable[[_Match], bytes]], ...] = (
    (b"suspend", _SUSPENDED, _blanked),
    (b'$$"', _DOLLARS, _blanked),
    (b"when", _GUARD, _without_guard),
    (b"context(", _CONTEXT, _blanked),
    (b" by ", _DELEGATED, _without_delegate),
    (b">", _GENERIC_CALL, _without_types),
    (b"et(", _ACCESSOR_NAME, _renamed),
    (b"", _MODIFIER_NAME, _renamed),
)
"""What a file must hold for a repair to be tried, what it finds, and what it puts there."""


def repaired(data: bytes) -> bytes:
    """The source with constructs that do not parse replaced.

    It ends with a line end: behind an `@` the grammar's scanner looks for one and never stops where there is none.
    """
    for sign, pattern, repair in _REPAIRS:
        if sign in data:
            data = pattern.sub(repair, data)
    data = _separated(data)
    return data if data.endswith(b"\n") else data + b"\n"


def _separated(data: bytes) -> bytes:
    """Classes on one line, whose last member the grammar wants to be followed by a line end or a semicolon."""
    pieces: list[bytes] = []
    done = 0
    for match in _CLASS_WORD.finditer(data):
        if match.start() < done:
            continue
        end = data.find(b"\n", match.end())
        end = len(data) if end < 0 else end
        line = data[match.end() : end]
        if b" }" in line and b"{" in line and b"${" not in line:
            pieces.extend((data[done : match.end()], _LAST_MEMBER.sub(b";}", line)))
            done = end
    pieces.append(data[done:])
    return b"".join(pieces)
