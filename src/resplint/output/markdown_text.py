"""Text and code inside of Markdown, inert: whatever it holds, it shows as it is and does nothing.

Two readers have to be kept from acting on it. The Markdown parser sees characters, so all punctuation that can mean
something to it is a character reference. GitHub then goes over the text that the parser made, and turns `@name` into a
person who gets a mail, `#1` and `GH-1` into issues that get a backlink, `:name:` into pictures, `$x$` into formulas,
addresses into links; an empty comment behind the first character, which splits the text, prevents that. In a fenced
block neither reads anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from resplint.output.escape import escape

# An underscore inside of a word is one. What looks like an address becomes a link even in a code element.
_SYNTAX = r"[&<>\"`*{}\[\]#+!|~\\^$@]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|:(?=/)|/(?=/)|(?<=[Ww]{3})\."
_ACTIVE_IN_CODE = re.compile(_SYNTAX)
_ACTIVE = re.compile(rf"{_SYNTAX}|:(?=\S)|(?<=[Gg][Hh])-")
_SPLIT = frozenset("@#:$.-/")
_QUOTED = re.compile(r"(?<!\w)(['`])((?:(?!\1).)+)\1(?!\w)")
_BACKTICKS = re.compile(r"`+")


def inline(text: str) -> str:
    """`text` on one line of a paragraph or cell of a table. It must not begin a line: that would make "1." a list."""
    return _references(escape(text))


def inline_code(text: str) -> str:
    """`text` as code on one line of a paragraph or cell of a table; empty for nothing."""
    # An element, not backticks: those give no way to write a pipe in a table.
    return f"<code>{_ACTIVE_IN_CODE.sub(_reference, escape(text.strip()))}</code>" if text.strip() else ""


def sentences(text: str) -> str:
    """A message: `inline`, but what stands between single quotes or backticks, names and code, is code."""
    # The pattern has two groups, so that pieces come in threes: text, quote, what is quoted.
    pieces = _QUOTED.split(escape(text))
    pairs = zip(pieces[::3], [*pieces[2::3], ""], strict=True)
    return "".join(_references(around) + inline_code(quoted) for around, quoted in pairs)


def code_block(lines: Sequence[str], language: str = "") -> list[str]:
    """Lines of a fenced block that nothing in `lines` (each safe to print) can end."""
    longest = max((len(run) for line in lines for run in _BACKTICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence + language, *lines, fence]


def _references(safe: str) -> str:
    return _ACTIVE.sub(_reference, safe)


def _reference(found: re.Match[str]) -> str:
    character = found.group()
    return f"&#{ord(character)};" + ("<!-- -->" if character in _SPLIT else "")
