"""Where in a Lua text values stand: as whole strings, as keys of commands, or as numbers.

The text is looked at as characters; each value that the host language puts in is one `HOLE`. Whatever is not plainly a
value (part of a name, code, a comment, a long string) is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from resplint.spelling.files import NotExpressible

HOLE = "\ue000"

_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<comment>--\[(?P<level>=*)\[.*?\](?P=level)\]|--[^\n]*)"
    r"|(?P<long>\[(?P<depth>=*)\[.*?\](?P=depth)\])"
    r"|(?P<string>'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\")"
    rf"|(?P<name>[A-Za-z_{HOLE}][A-Za-z_0-9{HOLE}]*)"
    rf"|(?P<number>\.?\d[\w.{HOLE}]*)"
    r"|(?P<sign>\.\.\.|\.\.|==|~=|<=|>=|::|[-+*/%^#<>=(){}\[\];:,.])",
    re.DOTALL,
)
_WORDS = frozenset(
    {"and", "do", "else", "elseif", "end", "if", "in", "not", "or", "repeat", "return", "then", "until", "while"}
)
"""Words behind which an expression begins, or which end one."""
_CALLS = ("call", "pcall")


@dataclass(frozen=True)
class Command:
    """What is known of a Redis command: the index of its first key (-1: none), and whether it takes several."""

    key: int
    several: bool


@dataclass(frozen=True)
class Place:
    """A stretch of the text that becomes ``KEYS[n]``, ``ARGV[n]`` or ``tonumber(ARGV[n])``. From `start` to `end` it
    is replaced; its value is what stands from `inner_start` to `inner_end`.
    """

    start: int
    end: int
    inner_start: int
    inner_end: int
    is_key: bool = False
    is_number: bool = False


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


def places(text: str, is_number: Callable[[int], bool], command: Callable[[str], Command | None]) -> list[Place]:
    """Every stretch with holes, in order. `is_number` tells of the hole at an offset whether its value is a number.

    Raises `NotExpressible` when one of them is no plain value.
    """
    tokens = _tokens(text)
    if tokens and (text.lstrip().startswith("#!") or _counts(tokens)):
        raise NotExpressible("the script counts its keys or arguments")
    return [_place(tokens, number, is_number, command) for number, one in enumerate(tokens) if HOLE in one.text]


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise NotExpressible("no Lua")
        kind = next(name for name in ("space", "comment", "long", "string", "name", "number", "sign") if match[name])
        if kind in ("comment", "long") and HOLE in match[0]:
            raise NotExpressible("a value in a comment or a long string")
        if kind not in ("space", "comment"):
            found.append(_Token(kind, match[0], at, match.end()))
        at = match.end()
    return found


def highest(text: str, name: str) -> int:
    """The highest number in ``KEYS[1]`` or ``ARGV[2]``; 0 when there is none."""
    tokens = _tokens(text)
    return max((int(_text(tokens, at + 2)) for at, one in enumerate(tokens) if one.text == name), default=0)


def _counts(tokens: Sequence[_Token]) -> bool:
    """Whether KEYS or ARGV are used otherwise than by a number that is written out, so that a further element might
    change what the script does.
    """
    for number, one in enumerate(tokens):
        if one.text in ("KEYS", "ARGV"):
            opening, index, closing = (_text(tokens, number + ahead) for ahead in (1, 2, 3))
            if (opening, closing) != ("[", "]") or not index.isdecimal():
                return True
    return False


def _place(
    tokens: Sequence[_Token], number: int, is_number: Callable[[int], bool], command: Callable[[str], Command | None]
) -> Place:
    one = tokens[number]
    before, after = _text(tokens, number - 1), _text(tokens, number + 1)
    kind_before = tokens[number - 1].kind if number else ""
    if one.kind == "string":
        if "\\" in one.text or (kind_before in ("name", "string") and before not in _WORDS) or before in (")", "]"):
            raise NotExpressible("a text that is written in another way")
        if after in (":", ".") or (tokens[number + 1 : number + 2] and tokens[number + 1].kind in ("string", "long")):
            raise NotExpressible("a text that code works on")
        is_key = _is_key(tokens, number, command)
        return Place(one.start, one.end, one.start + 1, one.end - 1, is_key)
    if one.text != HOLE or not number or not is_number(one.start):
        raise NotExpressible("code")
    if (kind_before in ("name", "string", "number", "long") and before not in _WORDS) or before in (")", "]", ".", ":"):
        raise NotExpressible("code")
    following = tokens[number + 1] if number + 1 < len(tokens) else None
    if following is not None and following.text not in _WORDS and following.kind != "sign":
        # A statement may begin with a name behind the end of an expression, but not on the same line.
        raise NotExpressible("code")
    if after in ("(", "{", "[", ".", ":", "=", "^"):  # a sign belongs to a number, but not to its power
        raise NotExpressible("code")
    argument = _argument_of(tokens, number)
    whole = argument is not None and before in ("(", ",") and after in (")", ",")
    if argument is not None and whole and _is_key(tokens, number, command):
        return Place(one.start, one.end, one.start, one.end, True)
    return Place(one.start, one.end, one.start, one.end, False, not whole)


def _text(tokens: Sequence[_Token], number: int) -> str:
    return tokens[number].text if 0 <= number < len(tokens) else ""


def _argument_of(tokens: Sequence[_Token], number: int) -> tuple[str, int] | None:
    """Command and position (from 0, behind the command) of an argument of redis.call; None elsewhere."""
    depth, commas = 0, 0
    at = number - 1
    while at >= 0:
        text = tokens[at].text
        if text in (")", "}", "]"):
            depth += 1
        elif text in ("(", "{", "["):
            if depth == 0:
                break
            depth -= 1
        elif text == "," and depth == 0:
            commas += 1
        at -= 1
    called = "".join(one.text for one in tokens[max(0, at - 3) : at + 1])
    if at < 3 or not any(called == f"redis.{name}(" for name in _CALLS):
        return None
    if not commas:
        raise NotExpressible("the name of a command")
    name = tokens[at + 1]
    if name.kind != "string" or _text(tokens, at + 2) != "," or HOLE in name.text:
        raise NotExpressible("a command that is not known")
    return name.text[1:-1].upper(), commas - 1


def _is_key(tokens: Sequence[_Token], number: int, command: Callable[[str], Command | None]) -> bool:
    """Whether a value is the key of a command, perhaps by the name of a local variable."""
    before, after = _text(tokens, number - 1), _text(tokens, number + 1)
    argument = _argument_of(tokens, number)
    if argument is not None and before in (",", "(") and after in (",", ")"):
        return _names_key(command, *argument)
    if before == "=" and number >= 3 and _text(tokens, number - 3) == "local":
        name = _text(tokens, number - 2)
        return any(
            _key_by_name(tokens, at, command) for at, one in enumerate(tokens) if one.text == name and at > number
        )
    return False


def _key_by_name(tokens: Sequence[_Token], number: int, command: Callable[[str], Command | None]) -> bool:
    argument = _argument_of(tokens, number)
    between = _text(tokens, number - 1) in (",", "(") and _text(tokens, number + 1) in (",", ")")
    return argument is not None and between and _names_key(command, *argument)


def _names_key(command: Callable[[str], Command | None], name: str, position: int) -> bool:
    known = command(name)
    if known is None:
        raise NotExpressible("a command that is not known")
    if known.several and position != known.key:
        raise NotExpressible("a command with several keys")
    return position == known.key
