"""Expressions of GitHub Actions, as far as `action.yml` and the workflows need them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Functions = Mapping[str, Callable[..., Any]]

_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<name>[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*)|(?P<mark>==|!=|&&|\|\||[!(),]))"
)
_STATUS = re.compile(r"\b(?:always|cancelled|success|failure)\(\)")


def interpolate(text: str, contexts: Mapping[str, Any], functions: Functions) -> str:
    """`text` with the value of each `${{ … }}` in its place: the runner puts it there before any shell sees it."""
    return re.sub(
        r"\$\{\{(.*?)\}\}", lambda found: as_text(evaluate(found[1], contexts, functions)), text, flags=re.DOTALL
    )


def condition(text: str, contexts: Mapping[str, Any], functions: Functions) -> bool:
    """The value of an `if:`, which means `success()` as well unless it names a status function."""
    inner = text.strip().removeprefix("${{").removesuffix("}}")
    if not _STATUS.search(inner) and not functions["success"]():
        return False
    return bool(evaluate(inner, contexts, functions))


def as_text(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def evaluate(expression: str, contexts: Mapping[str, Any], functions: Functions) -> Any:
    tokens = []
    at = 0
    while expression[at:].strip():
        found = _TOKEN.match(expression, at)
        if found is None:
            raise ValueError(f"not understood: {expression[at:]!r}")
        tokens.append((found.lastgroup or "", found[found.lastgroup or 0]))
        at = found.end()
    parser = _Parser(tokens, contexts, functions)
    value = parser.either()
    if parser.tokens:
        raise ValueError(f"left over: {parser.tokens}")
    return value


class _Parser:
    def __init__(self, tokens: list[tuple[str, str]], contexts: Mapping[str, Any], functions: Functions) -> None:
        self.tokens = tokens
        self.contexts = contexts
        self.functions = functions

    def taken(self, *marks: str) -> str:
        return self.tokens.pop(0)[1] if self.tokens and self.tokens[0] in [("mark", mark) for mark in marks] else ""

    def either(self) -> Any:
        value = self.both()
        while self.taken("||"):
            other = self.both()
            value = value or other
        return value

    def both(self) -> Any:
        value = self.compared()
        while self.taken("&&"):
            other = self.compared()
            value = value and other
        return value

    def compared(self) -> Any:
        value = self.single()
        while mark := self.taken("==", "!="):
            other = self.single()
            value = (as_text(value).lower() == as_text(other).lower()) is (mark == "==")
        return value

    def single(self) -> Any:
        if self.taken("!"):
            return not self.single()
        if self.taken("("):
            value = self.either()
            assert self.taken(")")
            return value
        kind, text = self.tokens.pop(0)
        if kind == "text":
            return text[1:-1].replace("''", "'")
        assert kind == "name", text
        if self.taken("("):
            assert self.taken(")"), "functions with arguments are not needed so far"
            return self.functions[text]()
        if text in ("true", "false"):
            return text == "true"
        first, *rest = text.split(".")
        value = self.contexts[first]  # an unknown context is a mistake, a missing member is null
        for name in rest:
            value = value.get(name) if isinstance(value, Mapping) else None
        return value
