"""Texts of the host language, character by character, each with the place in the source that it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field

from resplint.contracts import facts
from resplint.knowledge.records.spelling_records import TextStyle
from resplint.spelling.files import NotExpressible, SourceFile

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "`": "`", "$": "$", "\n": "", "s": " "}


@dataclass
class Token:
    """One text as it is written: from its prefix to its closing quotes."""

    style: TextStyle
    start: int
    inner: int
    """Where its content starts."""
    inner_end: int = 0
    end: int = 0
    prefix: str = ""
    quotes: str = ""
    holes: int = 0
    doubled: list[tuple[int, int]] = field(default_factory=list)
    """Stretches of characters that are written twice, which plain text need not."""


@dataclass(frozen=True)
class Unit:
    """One character, or one hole, of a text; `token` is what it is written in (None: between two of them)."""

    char: str
    start: int
    end: int
    hole: int = -1
    """The expression that fills it."""
    token: Token | None = None
    is_number: bool = False
    """Whether the way it is put in says that its value is a whole number."""
    is_text: bool = False
    """Whether the way it is put in turns any value into its text (``%s``), and does not ask its type for a format."""


def read(file: SourceFile, expr: int) -> tuple[list[Token], list[Unit]]:
    """Tokens and units of a literal, or of a template with its holes."""
    record = file.facts.exprs[expr]
    if not isinstance(record, facts.Literal | facts.Template):
        raise NotExpressible("no text")
    holes = [part for part in record.parts if isinstance(part, int)] if isinstance(record, facts.Template) else []
    holes.sort(key=lambda number: file.facts.exprs[number].start)
    tokens: list[Token] = []
    units: list[Unit] = []
    at = record.start
    while at < record.end:
        token = _opened(file, at)
        at = _content(file, token, holes, units)
        tokens.append(token)
        at = file.skip_blank(at, record.end)
    if holes or not tokens:
        raise NotExpressible("a hole that was not found")
    return tokens, units


def _opened(file: SourceFile, at: int) -> Token:
    for style in file.spelling.text:
        for prefix in sorted(style.prefixes, key=len, reverse=True):
            if file.text(at, at + len(prefix)).lower() != prefix:
                continue
            inner = at + len(prefix)
            for quotes in style.quotes:
                if file.data.startswith(quotes.encode(), inner):
                    written = file.text(at, inner)
                    return Token(style, at, inner + len(quotes), prefix=written, quotes=quotes)
    raise NotExpressible("text in another style")


def _content(file: SourceFile, token: Token, holes: list[int], units: list[Unit]) -> int:
    """Read a token up to its end, and the holes that stand in it; gives its end."""
    data, at, style = file.data, token.inner, token.style
    closing = token.quotes.encode()
    while at < len(data):
        if data.startswith(closing, at):
            token.inner_end, token.end = at, at + len(closing)
            return token.end
        if holes and (end := _hole(file, style, at, holes[0])):
            units.append(Unit("", at, end, holes.pop(0), token))
            token.holes += 1
            at = end
            continue
        char, width = _character(data, at)
        if char == "\\" and not style.raw:
            char, escaped = _escape(data, at)
            width = escaped
        elif char in style.doubled:
            if not data.startswith((char * 2).encode(), at):
                raise NotExpressible("a hole that was not found")
            width = 2
            token.doubled.append((at, at + width))
        if char:
            units.append(Unit(char, at, at + width, token=token))
        at += width
    raise NotExpressible("text without an end")


def _character(data: bytes, at: int) -> tuple[str, int]:
    first = data[at]
    width = 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    return data[at : at + width].decode("utf-8", "replace"), width


def _escape(data: bytes, at: int) -> tuple[str, int]:
    char, width = _character(data, at + 1)
    if char == "\r":
        return "", 3
    if char not in _ESCAPES:
        raise NotExpressible("an escape")
    return _ESCAPES[char], 1 + width


def _hole(file: SourceFile, style: TextStyle, at: int, expr: int) -> int:
    """Where the hole ends that opens at an offset and holds an expression; 0 when it does not open there."""
    record = file.facts.exprs[expr]
    if style.hole is not None and file.data.startswith(style.hole[0].encode(), at):
        inside = at + len(style.hole[0])
        if file.skip_blank(inside, record.start + 1) == record.start:
            close = file.skip_blank(record.end, len(file.data))
            if not file.data.startswith(style.hole[1].encode(), close):
                raise NotExpressible("a hole with a format")
            return close + len(style.hole[1])
    bare = style.bare_hole.encode()
    if bare and file.data.startswith(bare, at) and record.start == at + len(bare):
        return record.end
    return 0
