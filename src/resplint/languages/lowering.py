"""From tree-sitter matches to facts: the part that every language shares.

The queries of a language say what its nodes are (see `vocabulary`). `Lowering` turns them into the flat tables of
`FileFacts`: it allocates an expression only when something refers to it, follows wrappers, and fills the tables from a
work list, so that neither depth nor length of the input is ever depth of the Python stack. A language's adapter
supplies what queries cannot say: how its literals are spelt, and how targets, parameters and imports are taken apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec
from tree_sitter import Node

from resplint import facts
from resplint.comments import Comment
from resplint.facts import NONE
from resplint.languages.regions import RegionDraft, Regions, ScopeDraft
from resplint.languages.vocabulary import MAIN_CAPTURES

Parts = dict[str, list[Node]]

MAX_ITEMS = 2_000
"""Elements of one collection that are kept: tables of data need not fill the facts."""


@dataclass(slots=True)
class Entry:
    """What the queries said about one node."""

    main: str
    node: Node
    parts: Parts


@dataclass
class Lowering:
    """Builds the facts of one file."""

    path: str
    language: str
    source: bytes
    builders: dict[str, Callable[[Lowering, Entry], facts.Expr | None]]
    """Main capture of an expression -> what makes its record; provided by the adapter."""

    entries: dict[int, Entry] = field(default_factory=dict)
    by_main: dict[str, list[Entry]] = field(default_factory=dict)
    aliases: dict[int, Node] = field(default_factory=dict)
    awaited: set[int] = field(default_factory=set)
    absorbed: set[int] = field(default_factory=set)
    ids: dict[int, int] = field(default_factory=dict)
    exprs: list[facts.Expr | None] = field(default_factory=list)
    queue: list[tuple[int, Node, Entry | None]] = field(default_factory=list)
    bindings: list[facts.Binding] = field(default_factory=list)
    writes: list[facts.Write] = field(default_factory=list)
    imports: list[facts.Import] = field(default_factory=list)
    jumps: list[facts.Jump] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    scopes: dict[int, facts.Scope] = field(default_factory=dict)
    functions: dict[int, ScopeDraft] = field(default_factory=dict)
    """Node id of a function written in place -> its scope."""
    outer_names: dict[tuple[int, str], int] = field(default_factory=dict)
    """(scope, name) -> the scope that a `global` or `nonlocal` declaration gives the name to."""

    nonlocals: set[tuple[int, str]] = field(default_factory=set)
    """(scope, name) that belong to the nearest enclosing function which binds the name."""

    package: str = ""

    def __post_init__(self) -> None:
        self.regions = Regions(len(self.source))

    # -- reading the matches ----------------------------------------------------------------------------------------

    def read(self, matches: list[tuple[int, Parts]]) -> None:
        """Sort the matches by what they say."""
        for _, captures in matches:
            for name, nodes in captures.items():
                if name in MAIN_CAPTURES:
                    self._enter(name, nodes[0], captures)
                    break

    def _enter(self, main: str, node: Node, captures: Parts) -> None:
        entry = Entry(main, node, captures)
        if main in ("expr.same", "expr.await"):
            self.aliases.setdefault(node.id, captures["inner"][0])
            if main == "expr.await":
                self.awaited.add(captures["inner"][0].id)
        elif main.startswith("expr."):
            self.entries.setdefault(node.id, entry)
        self.by_main.setdefault(main, []).append(entry)

    def each(self, main: str) -> list[Entry]:
        """All entries with one main capture, in source order."""
        return self.by_main.get(main, [])

    def text(self, node: Node) -> str:
        """Source text of a node."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    # -- expressions ------------------------------------------------------------------------------------------------

    def resolve(self, node: Node) -> Node:
        """The node behind wrappers such as parentheses; chains are shortened so that each is walked once."""
        trail = []
        while (inner := self.aliases.get(node.id)) is not None:
            trail.append(node.id)
            if node.id in self.awaited:
                self.awaited.add(inner.id)
            node = inner
        for seen in trail[:-1]:
            self.aliases[seen] = node
        return node

    def expr(self, node: Node | None) -> int:
        """Index of the expression that a node stands for; allocates it on first use."""
        if node is None:
            return NONE
        node = self.resolve(node)
        index = self.ids.get(node.id)
        if index is None:
            index = self.ids[node.id] = len(self.exprs)
            self.exprs.append(None)
            self.queue.append((index, node, self.entries.get(node.id)))
        return index

    def add(self, expr: facts.Expr) -> int:
        """Append an expression that no node stands for."""
        self.exprs.append(expr)
        return len(self.exprs) - 1

    def where(self, node: Node) -> tuple[int, int, int]:
        """Start, end and block of a node: the first three fields of every expression."""
        return node.start_byte, node.end_byte, self.regions.block_at(node.start_byte)

    def drain(self) -> None:
        """Build every expression that was asked for, and those they ask for."""
        while self.queue:
            index, node, entry = self.queue.pop()
            expr = None
            if entry is not None:
                builder = self.builders.get(entry.main)
                expr = builder(self, entry) if builder else None
            self.exprs[index] = expr if expr is not None else facts.Opaque(*self.where(node))

    # -- statements -------------------------------------------------------------------------------------------------

    def bind(self, draft: BindingDraft) -> None:
        """Record that a name gets a value."""
        block = self.regions.block_at(draft.at)
        scope = self.regions.drafts[block].scope_index
        scope = self.outer_names.get((scope, draft.name), scope)
        if draft.kind == "walrus":  # in a comprehension it binds in the function around it
            while self.scopes[scope].kind == "comprehension":
                scope = self.scopes[scope].parent
        self.bindings.append(
            facts.Binding(
                draft.name, scope, block, draft.value, draft.kind, draft.start, draft.end,
                draft.path, draft.operator, draft.annotation, draft.decorators, draft.belongs,
            )
        )  # fmt: skip

    def finish(self, errors: list[tuple[int, int]], partial: str, line_starts: tuple[int, ...]) -> facts.FileFacts:
        """The finished tables."""
        for entry in self.each("expr.call"):
            self.expr(entry.node)
        blocks = tuple(self._block(draft) for draft in self.regions.drafts)
        self.drain()
        # Building may have asked for more (heads of blocks, values of bindings); nothing is left in the queue now.
        exprs = tuple(expr if expr is not None else facts.Opaque(0, 0, 0) for expr in self.exprs)
        scopes = tuple(self.scopes[index] for index in range(len(self.scopes)))
        if self.nonlocals:
            self._rebind_nonlocals(scopes)
        self.bindings.sort(key=lambda binding: (binding.start, binding.end))
        self.jumps.sort(key=lambda jump: jump.start)
        return facts.FileFacts(
            self.path, self.language, line_starts, exprs, scopes, blocks, tuple(self.bindings), tuple(self.writes),
            tuple(self.imports), tuple(self.jumps), tuple(self.comments), tuple(errors), partial, self.package,
        )  # fmt: skip

    def _rebind_nonlocals(self, scopes: tuple[facts.Scope, ...]) -> None:
        bound = {(binding.scope, binding.name) for binding in self.bindings} - self.nonlocals
        bound |= {(number, item.name) for number, scope in enumerate(scopes) for item in scope.parameters}
        for position, binding in enumerate(self.bindings):
            owner = binding.scope
            while (owner, binding.name) in self.nonlocals or (
                owner != binding.scope and (owner, binding.name) not in bound
            ):
                owner = scopes[owner].parent
                if owner == NONE:
                    break
            if owner not in (NONE, binding.scope):
                self.bindings[position] = msgspec.structs.replace(binding, scope=owner)

    def _block(self, draft: RegionDraft) -> facts.Block:
        head = self.expr(draft.head) if draft.head is not None else NONE
        start, end = draft.intervals[0][0], draft.intervals[-1][1]
        return facts.Block(draft.kind, draft.parent, draft.scope_index, start, end, head, draft.group, draft.at)


@dataclass(slots=True)
class BindingDraft:
    """A binding in the making; `at` is the offset whose block it belongs to."""

    name: str
    at: int
    value: int
    kind: facts.BindingKind
    start: int
    end: int
    path: tuple[int | str, ...] = ()
    operator: str = ""
    annotation: int = NONE
    decorators: tuple[int, ...] = ()
    belongs: facts.Belonging = ""
