"""Commands that Lua scripts call: ``redis.call('KEYS', ARGV[1])``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from resplint.bind.values import Const, Ref
from resplint.flow.graph import Graph
from resplint.redis.calls.scripts import Scripts, ScriptText
from resplint.text.texts import CONSTANT, Texts

_HOLE = "\ue000"
"""What stands for a value that the host language puts into the text."""
_TOKEN = re.compile(
    r"(?P<skip>\s+|--\[(?P<level>=*)\[.*?\](?P=level)\]|--[^\n]*)"
    r"|(?P<string>'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|\[(?P<depth>=*)\[.*?\](?P=depth)\])"
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_LIBRARIES = ("redis", "server")
_CALLS = ("call", "pcall")
_OPENING, _CLOSING = "([{", ")]}"
_MOST = 100_000
"""Characters of a script that are looked at."""
_LONGEST = 200
"""Words and signs of one call."""


@dataclass(frozen=True, slots=True)
class ScriptCommand:
    """One call in a script: `command` with its `words`, those that are no literal text being None, on a line of the
    script (from 1). `text` is where the script is written.
    """

    script: ScriptText
    command: str
    words: tuple[str | None, ...]
    line: int

    @property
    def text(self) -> Ref:
        return self.script.text


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int


class ScriptCommands:
    """Reads the texts of the scripts that the project sends, as far as they are constant."""

    def __init__(self, evaluator: Graph, scripts: Scripts, texts: Texts) -> None:
        self._ev = evaluator
        self._scripts = scripts
        self._texts = texts

    def all(self) -> Iterator[ScriptCommand]:
        """Every command that a script calls by a literal name."""
        for script in self._scripts.all():
            for text in self._alternatives(script):
                for words, line in calls(text):
                    command, used = self._named(words)
                    if command:
                        yield ScriptCommand(script, command, words[used:], line)

    def _alternatives(self, script: ScriptText) -> list[str]:
        values = self._ev.values(*script.text)
        texts = [one.value for one in values if isinstance(one, Const) and isinstance(one.value, str)]
        if texts:
            return list(dict.fromkeys(texts))
        parts = self._texts.parts(*script.text)
        return ["".join(part.text if part.kind == CONSTANT else _HOLE for part in parts)]

    def _named(self, words: Sequence[str | None]) -> tuple[str, int]:
        """The command that the first words name, and how many they are."""
        first = (words[0] or "").upper()
        second = (words[1] or "").upper() if len(words) > 1 else ""
        commands = self._ev.catalogue.commands
        if second and f"{first} {second}" in commands:
            return f"{first} {second}", 2
        return (first, 1) if first in commands else ("", 0)


def calls(text: str) -> Iterator[tuple[tuple[str | None, ...], int]]:
    """The arguments of each ``redis.call`` in a Lua text, and its line."""
    tokens = [
        _Token("string" if match["string"] else "name" if match["name"] else "other", match[0], match.start())
        for match in _TOKEN.finditer(text[:_MOST])
        if match["skip"] is None
    ]
    aliases = set(_aliases(tokens))
    for at, token in enumerate(tokens):
        behind = at + 3 if _is_library_call(tokens, at) else at + 1 if token.text in aliases else 0
        if behind and _text(tokens, behind) == "(":
            arguments = tuple(_arguments(tokens, behind + 1))
            if arguments and arguments[0] is not None:
                yield arguments, text.count("\n", 0, token.start) + 1


def _is_library_call(tokens: Sequence[_Token], at: int) -> bool:
    named = tokens[at].text in _LIBRARIES and _text(tokens, at - 1) != "."
    return named and _text(tokens, at + 1) == "." and _text(tokens, at + 2) in _CALLS


def _aliases(tokens: Sequence[_Token]) -> Iterator[str]:
    """Names of ``local call = redis.call``."""
    for at, token in enumerate(tokens):
        if token.kind == "name" and _text(tokens, at + 1) == "=" and at + 2 < len(tokens):
            if _is_library_call(tokens, at + 2) and _text(tokens, at + 5) != "(":
                yield token.text


def _arguments(tokens: Sequence[_Token], at: int) -> Iterator[str | None]:
    """The arguments of a call whose bracket is open, up to the one that closes it."""
    depth, inside = 0, list[_Token]()
    for token in tokens[at : at + _LONGEST]:
        if not depth and token.text in (",", ")"):
            if inside or token.text == ",":
                yield _literal(inside)
            inside = []
            if token.text == ")":
                return
        else:
            depth += (token.text in _OPENING) - (token.text in _CLOSING)
            inside.append(token)


def _literal(tokens: Sequence[_Token]) -> str | None:
    if len(tokens) != 1 or tokens[0].kind != "string" or _HOLE in tokens[0].text or tokens[0].text.startswith("["):
        return None
    return tokens[0].text[1:-1]


def _text(tokens: Sequence[_Token], at: int) -> str:
    return tokens[at].text if 0 <= at < len(tokens) else ""
