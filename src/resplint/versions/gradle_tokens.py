"""Gradle scripts, Groovy's and Kotlin's alike, as words, texts and brackets. Comments are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?(?:\*/|\Z)
    |\"{3}(?P<long>.*?)(?:\"{3}|\Z)|'{3}(?P<raw>.*?)(?:'{3}|\Z)
    |"(?P<double>(?:[^"\\\n$]+|\\.|\$\{[^}\n]{0,200}\}|\$)*)"?
    |'(?P<single>(?:[^'\\\n]+|\\.)*)'?
    |(?P<word>[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)*)
    |(?P<mark>[{}()\[\],:=+!<>])""",
    re.VERBOSE | re.DOTALL,
)

_LONGEST_WORD = 300


class Token(NamedTuple):
    """A word (with its dots), the inside of a text, or a mark; `line` counts from 1."""

    kind: Literal["word", "text", "mark", "end"]
    text: str
    line: int


END = Token("end", "", 0)


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a script, in order; what is none of them (numbers, other operators) is skipped."""
    last, line = 0, 1
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind is None:
            continue
        line += text.count("\n", last, match.start())
        last = match.start()
        if kind == "word":
            yield Token("word", match[kind].replace("?.", ".")[:_LONGEST_WORD], line)
        elif kind == "mark":
            yield Token("mark", match[kind], line)
        else:
            yield Token("text", match[kind], line)
