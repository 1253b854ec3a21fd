"""The lint of tree-sitter queries: refuses what the binding would silently misread.

tree-sitter compiles a query, but leaves predicates to its binding, and the Python binding takes an unknown
one for true. The lint reads the S-expression itself, without recursion, and knows patterns, their captures,
predicates and sibling nodes; it does not know the grammar, since compiling the query checks node types and
fields.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

import msgspec

_EQUALITIES: Final = frozenset({"eq?", "not-eq?", "any-eq?", "any-not-eq?"})
_PREDICATES: Final = _EQUALITIES | {"match?", "not-match?", "any-match?", "any-not-match?", "any-of?"}
_DIRECTIVES: Final = frozenset({"set!"})
_REFUSED: Final = {
    "not-any-of?": "with two values or more it does nothing; write one #not-eq? for each value",
    "is?": "nothing evaluates it",
    "is-not?": "nothing evaluates it",
}

_TOKEN = re.compile(
    r"""(?P<blank>\s+|;[^\n]*)
    | (?P<string>"(?:\\.|[^"\\])*")
    | (?P<predicate>\#[^\s()\[\]"@]*|\.[A-Za-z][\w.\-]*[?!])
    | (?P<capture>@[\w.\-?!]+)
    | (?P<open>[(\[])
    | (?P<close>[)\]])
    | (?P<field>[A-Za-z_][\w.\-]*\s*:)
    | (?P<absent>![A-Za-z_][\w.\-]*)
    | (?P<name>[A-Za-z_][\w.\-/?!]*)
    | (?P<anchor>\.)
    | (?P<quantifier>[*+?])
    | (?P<unknown>.)""",
    re.VERBOSE | re.DOTALL,
)


class QueryProblem(msgspec.Struct, frozen=True):
    """One fault of a query; `row` and `column` count from 1, the column in characters."""

    origin: str
    row: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.origin}:{self.row}:{self.column}: {self.message}"


class _Token(msgspec.Struct, frozen=True):
    kind: str
    text: str
    start: int


class _Predicate(msgspec.Struct, frozen=True):
    name: str
    captures: tuple[_Token, ...]
    start: int


@dataclass(slots=True)
class _Element:
    """Something that matches nodes.

    `shape` is file, node, group, alternation or leaf; `kinds` are the node types it can match.
    """

    shape: str
    start: int
    kinds: set[str] = field(default_factory=set)
    of_field: str = ""
    captured: bool = False
    gap: int = 0  # unanchored places between it and its parent's first child
    children: list[_Element] = field(default_factory=list)
    anchored: bool = False  # a "." stands after the last child so far
    next_field: str = ""


@dataclass(slots=True)
class _Pattern:
    """A top-level element. `captures` maps each name to its smallest nesting depth and the place there."""

    start: int
    captures: dict[str, tuple[int, int]] = field(default_factory=dict)
    predicates: list[_Predicate] = field(default_factory=list)


def lint_query(text: str, origin: str) -> list[QueryProblem]:
    """All faults of a query, in the order of the text; an empty list if there are none.

    `origin` names the file in each problem. Never raises: text that is no query is a problem too.
    """
    reader = _Reader(text)
    reader.read()
    faults = reader.faults
    for pattern in reader.patterns:
        faults.extend(_predicate_faults(pattern))
        faults.extend(_capture_faults(pattern))
    lines = [0, *(end.end() for end in re.finditer("\n", text))]
    found = []
    for start, message in sorted(faults):
        row = bisect.bisect_right(lines, start)
        found.append(QueryProblem(origin, row, start - lines[row - 1] + 1, message))
    return found


def main_captures(text: str) -> list[tuple[str, ...]]:
    """For each pattern of a clean query its capture names, private ones included, outermost first."""
    reader = _Reader(text)
    reader.read()
    return [tuple(sorted(p.captures, key=p.captures.__getitem__)) for p in reader.patterns]


def split_patterns(text: str) -> list[str]:
    """The patterns of a clean query, each without comments and with single blanks between its words."""
    reader = _Reader(text)
    reader.read()
    starts = [pattern.start for pattern in reader.patterns]
    found = [""] * len(starts)
    for token in reader.tokens:
        number = bisect.bisect_right(starts, token.start) - 1
        before, word = found[number], token.text
        joined = not before or before[-1] in "([" or word in (")", "]", "*", "+", "?")
        found[number] = f"{before}{word}" if joined else f"{before} {word}"
    return found


class _Reader:
    """One pass over the tokens with an explicit stack; faults of form are recorded as (offset, message)."""

    def __init__(self, text: str) -> None:
        self.tokens = [
            _Token(match.lastgroup or "", match[0], match.start())
            for match in _TOKEN.finditer(text)
            if match.lastgroup != "blank"
        ]
        self.patterns: list[_Pattern] = []
        self.faults: list[tuple[int, str]] = []
        self.open: list[_Element] = [_Element("file", 0)]
        self.at = 0

    def read(self) -> None:
        """Fill `patterns` and `faults`."""
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            if token.kind == "open":
                self._open(token)
            elif token.kind == "close":
                self._close(token)
            elif token.kind in {"string", "name"}:
                self._add(_Element("leaf", token.start, {token.text}))
            elif token.kind == "capture":
                self._capture(token)
            elif token.kind == "anchor":
                self.open[-1].anchored = True
            elif token.kind == "field":
                self.open[-1].next_field = token.text.rstrip(": \t\r\n")
            elif token.kind == "quantifier":
                self._quantifier(token)
            elif token.kind == "predicate":
                self.faults.append((token.start, f"{token.text} must be the first word inside parentheses"))
            elif token.kind == "unknown":
                self.faults.append((token.start, f"unexpected character {token.text!r}"))
        self.faults.extend((element.start, "this bracket is never closed") for element in self.open[1:])

    def _open(self, token: _Token) -> None:
        following = self.tokens[self.at] if self.at < len(self.tokens) else None
        if token.text == "(" and following is not None and following.kind == "predicate":
            self._predicate(following)
        elif token.text == "[":
            self.open.append(self._add(_Element("alternation", token.start)))
        elif following is not None and following.kind == "name":
            self.at += 1
            self.open.append(self._add(_Element("node", token.start, {following.text})))
        else:
            self.open.append(self._add(_Element("group", token.start)))

    def _add(self, element: _Element) -> _Element:
        parent = self.open[-1]
        element.of_field, parent.next_field = parent.next_field, ""
        if parent.children:
            element.gap = parent.children[-1].gap + (not parent.anchored)
        parent.anchored = False
        parent.children.append(element)
        if len(self.open) == 1:
            self.patterns.append(_Pattern(element.start))
        return element

    def _close(self, token: _Token) -> None:
        if len(self.open) == 1:
            self.faults.append((token.start, f"{token.text} without an opening bracket"))
            return
        element = self.open.pop()
        if (element.shape == "alternation") != (token.text == "]"):
            self.faults.append((token.start, f"{token.text} closes a bracket of the other kind"))
        if element.shape in {"group", "alternation"}:
            element.kinds = {kind for child in element.children for kind in child.kinds}
            element.captured = any(child.captured for child in element.children)
        if element.shape != "alternation":
            self.faults.extend(_sibling_faults(element))

    def _capture(self, token: _Token) -> None:
        parent = self.open[-1]
        if not parent.children:
            self.faults.append((token.start, f"{token.text} follows no node"))
            return
        parent.children[-1].captured = True
        captures = self.patterns[-1].captures
        place = (len(self.open), token.start)
        captures[token.text[1:]] = min(place, captures.get(token.text[1:], place))

    def _quantifier(self, token: _Token) -> None:
        if len(self.open) == 1 and token.text in "*?":
            self.faults.append((token.start, f"a pattern that may be absent ({token.text}) matches anywhere"))

    def _predicate(self, name: _Token) -> None:
        captures = []
        self.at += 1
        while self.at < len(self.tokens) and self.tokens[self.at].kind != "close":
            if self.tokens[self.at].kind == "capture":
                captures.append(self.tokens[self.at])
            self.at += 1
        self.at += 1
        if len(self.open) == 1:
            # tree-sitter takes it for a pattern of its own, which matches every node
            self.faults.append((name.start, f"{name.text} stands outside the parentheses of its pattern"))
        elif name.text.startswith("."):
            self.faults.append((name.start, f"write #{name.text[1:]}, not {name.text}"))
        else:
            self.patterns[-1].predicates.append(_Predicate(name.text[1:], tuple(captures), name.start))


def _sibling_faults(parent: _Element) -> Iterator[tuple[int, str]]:
    """Captured siblings that may be any two of a parent's children: their matches are quadratic in number."""
    captured = [child for child in parent.children if child.captured]
    for first, second in combinations(captured, 2):
        if first.gap == second.gap or first.of_field != second.of_field:
            continue
        same = first.of_field or first.kinds & second.kinds or "_" in first.kinds | second.kinds
        if same or parent.shape == "group":
            yield second.start, "two captured siblings without an anchor (.) between them match in every pair"
            return


def _predicate_faults(pattern: _Pattern) -> Iterator[tuple[int, str]]:
    """Predicates that are unknown or unsafe in the binding, and directives that come too late."""
    conditions = 0
    for predicate in pattern.predicates:
        name, start = predicate.name, predicate.start
        if name in _REFUSED:
            yield start, f"#{name} is refused: {_REFUSED[name]}"
        elif name not in _PREDICATES | _DIRECTIVES:
            yield start, f"unknown predicate #{name}: the binding would take it for true"
        if name in _DIRECTIVES and conditions:
            # destroying such a query corrupts memory in py-tree-sitter 0.26.1
            yield start, f"#{name} must come before the predicates of its pattern"
        conditions += name not in _DIRECTIVES
        if name in _EQUALITIES and len(predicate.captures) > 1:
            # https://github.com/tree-sitter/py-tree-sitter/issues/308
            yield start, f"#{name} with two captures crashes when one is absent; compare them in Python"
        for capture in predicate.captures:
            if capture.text[1:] not in pattern.captures:
                yield capture.start, f"{capture.text} is not captured in this pattern"


def _capture_faults(pattern: _Pattern) -> Iterator[tuple[int, str]]:
    """Private captures that no predicate uses, and patterns that capture nothing for the caller."""
    if all(name.startswith("_") for name in pattern.captures):
        yield pattern.start, "this pattern captures nothing for its caller"
    used = {capture.text[1:] for predicate in pattern.predicates for capture in predicate.captures}
    for name, (_, start) in pattern.captures.items():
        if name.startswith("_") and name not in used:
            yield start, f"@{name} is private (leading _) but no predicate uses it"
