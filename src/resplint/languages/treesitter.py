"""The only door to tree-sitter: parse a file, load a query, match it.

The binding has faults that must not leak into the analysis (`tests/binding` reproduces each of them). This
module answers them by shape: a fresh parser for every file, a time budget, queries that never die, an
iterative walk, a depth cap, and a lint of each query before it is compiled. Nothing here calls `Node.parent`,
`TreeCursor.depth` or `str(node)`: the first two cost O(depth) a step, the last one recurses in C and
overflows the stack.
"""

from __future__ import annotations

import gc
import re
import time
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final, Literal, TypeAlias

import msgspec
from tree_sitter import Language, Node, Parser, Point, Query, QueryCursor, QueryError, Tree

from resplint.contracts.errors import InternalError, KnowledgeError, ResplintError
from resplint.languages.query_lint import QueryProblem, lint_query, main_captures

__all__ = [
    "CompiledQuery",
    "Grammar",
    "Match",
    "MatchResult",
    "Node",
    "ParseTimeout",
    "ParsedTree",
    "QueryProblem",
    "lint_query",
    "load_query",
    "matches",
    "nodes_at",
    "parse",
]

DEFAULT_BUDGET: Final = 5.0
"""Seconds of processor time that one file may take to parse."""

MAX_DEPTH: Final = 2_000
"""Levels below which no match may start; code that people write stays in the hundreds.

The time of a query grows with the square of the depth: 20,000 nested parentheses take seconds, 200,000
minutes. Its progress callback is no help, since the library does not call it where there are matches.
"""

MAX_TOKEN_RUN: Final = 2_000
"""Bare tokens in a row that an ERROR node may hold.

The time of a query grows with the square of their number, too: at each of them the library looks through all
the later ones for a sibling that is no token.
"""

DEFAULT_MATCH_LIMIT: Final = 4_096
"""Matches that may be in progress at one moment, not matches in all; beyond it the library drops some."""

Hazard: TypeAlias = Literal["", "too deep", "too broken"]
"""Why a tree is searched in part only (`MAX_DEPTH`) or not at all (`MAX_TOKEN_RUN`); empty for sane code."""

_CALLS_A_LOOK: Final = 32
"""The parser calls back after some 100 bytes: to look at the clock each time would be a tenth of all."""
_PARSE_CHUNK: Final = 65_536
_TEXT_CHUNK: Final = 1_024
_POSITION = re.compile(r" at row (\d+)(?:, column (\d+))?")

# Freeing a Query in which a directive follows a predicate corrupts memory in 0.26.1. The lint keeps such
# queries out; that no query is ever freed covers what the lint does not see.
_IMMORTAL: Final[list[Query]] = []

Match: TypeAlias = tuple[int, dict[str, list[Node]]]
"""Pattern index, and the nodes of each capture in document order.

It is the binding's own tuple: a file can have hundreds of thousands of matches, and each of them would have
to be copied into a record.
"""


class ParseTimeout(ResplintError):  # noqa: N818
    """One file took longer to parse than its budget allows; the scan reports it and goes on."""


class Grammar(msgspec.Struct, frozen=True):
    """One language's grammar, for example `Grammar.load("python", tree_sitter_python.language())`."""

    name: str
    language: Language

    @classmethod
    def load(cls, name: str, capsule: object) -> Grammar:
        """Wrap what a grammar package's `language()` returns.

        Raises `InternalError` if it is no grammar or one whose ABI this binding cannot read.
        """
        try:
            return cls(name, Language(capsule))
        except (TypeError, ValueError) as error:
            raise InternalError(f"grammar {name} cannot be loaded: {error}") from error


class ParsedTree(msgspec.Struct, frozen=True):
    """One parsed file. Its nodes keep the tree alive; neither can leave the process."""

    grammar: Grammar
    source: bytes
    tree: Tree
    hazard: Hazard

    @property
    def root(self) -> Node:
        """The root node; it spans the file and may itself be an ERROR node."""
        return self.tree.root_node

    @property
    def has_error(self) -> bool:
        """True if any part of the file could not be parsed."""
        return self.tree.root_node.has_error

    def text(self, node: Node) -> bytes:
        """The bytes of one of this tree's nodes; several times faster than `Node.text`."""
        return self.source[node.start_byte : node.end_byte]

    def error_ranges(self, limit: int = 100) -> list[tuple[int, int]]:
        """Byte ranges of the outermost ERROR nodes and of the MISSING nodes, in document order.

        At most `limit` of them; the range of a MISSING node is empty. Only subtrees that contain an error are
        entered.
        """
        found: list[tuple[int, int]] = []
        cursor = self.tree.walk()
        while len(found) < limit:
            node = cursor.node
            assert node is not None
            if node.is_error or node.is_missing:
                found.append((node.start_byte, node.end_byte))
            elif node.has_error and cursor.goto_first_child():
                continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return found
        return found


class CompiledQuery(msgspec.Struct, frozen=True):
    """A linted and compiled query; immortal, so load each file once a process.

    `main` lists each pattern's public captures, outermost first: the first one that a match has is its main
    capture. `private` lists each pattern's captures that only its predicates need.
    """

    origin: str
    grammar: str
    query: Query
    main: tuple[tuple[str, ...], ...]
    private: tuple[tuple[str, ...], ...]


class MatchResult(msgspec.Struct, frozen=True):
    """Matches in document order; `truncated` says that the limits may have kept some back: report it."""

    matches: list[Match]
    truncated: bool


class _Reader:
    """The read callback: big pieces for the parser, small ones for predicates, which copy the whole piece.

    It returns `bytes`, since `Node.text` crashes on another buffer
    (https://github.com/tree-sitter/py-tree-sitter/pull/465).
    """

    __slots__ = ("chunk", "source")

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.chunk = _PARSE_CHUNK

    def __call__(self, offset: int, _point: Point) -> bytes:
        return self.source[offset : offset + self.chunk]


def parse(
    grammar: Grammar, source: bytes, *, budget: float = DEFAULT_BUDGET, for_predicates: bool = True
) -> ParsedTree:
    """Parse one file of valid UTF-8 within `budget` seconds of processor time. Predicates are quick only on a tree that
    is made for them.

    Broken code still gives a tree (see `has_error`). Raises `ParseTimeout` when the budget is spent, and
    `InternalError` when the library gives no tree for another reason.

    The parser is new for each file: one that was cancelled goes on with the previous file when it is used
    again. Progress callbacks work with a read callback only; with bytes the binding ignores them and warns.
    """
    reader = _Reader(source)
    started = time.thread_time()  # not the clock: what a busy machine does meanwhile must not change the report
    deadline = started + budget
    expired = False
    calls = 0

    def stop(_offset: int, _has_error: bool) -> bool:
        nonlocal expired, calls
        if not calls % _CALLS_A_LOOK:
            expired = expired or time.thread_time() > deadline
        calls += 1
        return expired

    try:
        tree = Parser(grammar.language).parse(reader, progress_callback=stop)
    except ValueError as error:
        if expired:
            raise ParseTimeout(f"parsing took longer than {budget:g} s") from error
        raise InternalError(f"the {grammar.name} parser gave no tree: {error}") from error
    reader.chunk = _TEXT_CHUNK
    if for_predicates:
        tree = _backed_by_bytes(grammar, source, tree, spare=budget - 2 * (time.thread_time() - started))
    return ParsedTree(grammar, source, tree, _hazard_of(tree.root_node))


def _backed_by_bytes(grammar: Grammar, source: bytes, tree: Tree, *, spare: float) -> Tree:
    """The same tree with bytes behind it, so that predicates read the source without calling back.

    A tree from a read callback makes every predicate several times slower. Reparsing with the finished tree
    as the old one reuses it whole (a tenth of the first parse's time), except around errors, and no budget
    can be set: so neither a broken nor a slow file is parsed again.
    """
    if spare <= 0 or tree.root_node.has_error:
        return tree
    return Parser(grammar.language).parse(source, tree)


def _hazard_of(top: Node) -> Hazard:
    """What makes a query over `top` dangerous.

    Only nodes with enough descendants to be a hazard are entered, which are few in any file.
    """
    hazard: Hazard = ""
    cursor = top.walk()
    depth = 0
    while True:
        node = cursor.node
        assert node is not None
        if node.is_error and _has_long_token_run(node):
            return "too broken"
        if depth >= MAX_DEPTH and node.child_count:
            hazard = "too deep"
        # descendant_count counts the node itself
        elif depth + node.descendant_count > MAX_DEPTH + 1 and cursor.goto_first_child():
            depth += 1
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return hazard
            depth -= 1


def _has_long_token_run(node: Node) -> bool:
    """True if more than `MAX_TOKEN_RUN` of the node's children in a row are bare tokens."""
    run = 0
    for child in node.children if node.child_count > MAX_TOKEN_RUN else ():
        run = 0 if child.is_named else run + 1
        if run > MAX_TOKEN_RUN:
            return True
    return False


def load_query(grammar: Grammar, text: str, origin: str) -> CompiledQuery:
    """Lint and compile a query; `origin` is the file's path as users should see it.

    Raises `KnowledgeError` with a line `origin:row:column: problem` for each fault; both count from 1.
    """
    problems = lint_query(text, origin)
    if problems:
        raise KnowledgeError("\n".join(str(problem) for problem in problems))
    try:
        query = Query(grammar.language, text)
    except QueryError as error:
        place = _POSITION.search(str(error))
        row, column = (int(place[1]) + 1, int(place[2] or 0) + 1) if place else (1, 1)
        detail = f"{_POSITION.sub('', str(error))} (grammar {grammar.name})"
        raise KnowledgeError(str(QueryProblem(origin, row, column, detail))) from error
    _IMMORTAL.append(query)
    main = main_captures(text)
    if len(main) != query.pattern_count:
        counts = f"the lint counts {len(main)}, tree-sitter {query.pattern_count}"
        raise InternalError(f"{origin}: number of patterns: {counts}")
    return CompiledQuery(
        origin=origin,
        grammar=grammar.name,
        query=query,
        main=tuple(tuple(n for n in names if n[0] != "_") for names in main),
        private=tuple(tuple(n for n in names if n[0] == "_") for names in main),
    )


def matches(
    compiled: CompiledQuery,
    within: Node | ParsedTree,
    *,
    match_limit: int = DEFAULT_MATCH_LIMIT,
    byte_range: tuple[int, int] | None = None,
) -> MatchResult:
    """All matches inside a tree or a node, sorted by main capture: start, then longest, then pattern index.

    With `byte_range`, only those that overlap it (end exclusive). Private captures (`@_name`) are left out.

    It uses the library's `matches`: `captures` goes through sets, whose order is not that of the document.
    """
    node, hazard = (within.root, within.hazard) if isinstance(within, ParsedTree) else (within, _hazard_of(within))
    if hazard == "too broken":
        return MatchResult([], True)
    if byte_range is not None and byte_range[0] >= byte_range[1]:
        return MatchResult([], False)  # the library takes an end of 0 for "no end"
    cursor = QueryCursor(compiled.query, match_limit=match_limit)
    if hazard:
        cursor.set_max_start_depth(MAX_DEPTH)
    if byte_range is not None:
        cursor.set_byte_range(*byte_range)
    was_collecting = gc.isenabled()
    gc.disable()  # nothing here is garbage, and looking for some takes two thirds of the time
    try:
        found = cursor.matches(node)
        if any(compiled.private):
            _drop_private(found, compiled.private)
        found = _in_document_order(found, compiled.main)
    finally:
        if was_collecting:
            gc.enable()
    return MatchResult(found, bool(hazard or cursor.did_exceed_match_limit))


def nodes_at(tree: ParsedTree, offsets: Sequence[int]) -> Iterator[Node]:
    """The nodes in which something stands at one of the offsets, which are sorted; outer ones first, in document order.

    Other subtrees are not entered, so that one walk serves all offsets.
    """
    pending = [tree.root]
    while pending:
        node = pending.pop()
        at = bisect_left(offsets, node.start_byte)
        if at < len(offsets) and offsets[at] < node.end_byte:
            yield node
            pending.extend(reversed(node.children))


def _in_document_order(found: list[Match], main: tuple[tuple[str, ...], ...]) -> list[Match]:
    """Matches by where their main capture starts, the longest first, then by the pattern's index."""
    keyed = []
    for number, (pattern, captures) in enumerate(found):
        for name in main[pattern]:
            if name in captures:
                node = captures[name][0]
                keyed.append((node.start_byte, -node.end_byte, pattern, number))
                break
        else:  # a branch of an alternation that captures nothing
            keyed.append((0, 0, pattern, number))
    keyed.sort()
    return [found[each[3]] for each in keyed]


def _drop_private(found: list[Match], private: tuple[tuple[str, ...], ...]) -> None:
    """Remove the captures that only predicates need, in place."""
    for pattern, captures in found:
        for name in private[pattern]:
            captures.pop(name, None)
