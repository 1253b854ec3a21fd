"""From tree-sitter matches to facts: the part that every language shares.

The queries of a language say what its nodes are (see `vocabulary`). `Lowering` turns them into the flat tables of
`FileFacts`: it allocates an expression only when something refers to it, follows wrappers, and fills the tables from a
work list, so that neither depth nor length of the input is ever depth of the Python stack. A language's adapter
supplies what queries cannot say: how its literals are spelt, and how targets, parameters and imports are taken apart.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import msgspec
from tree_sitter import Node

from resplint.contracts import facts
from resplint.contracts.comments import Comment
from resplint.contracts.facts import NONE
from resplint.languages.meant_names import may_differ, meant
from resplint.languages.regions import RegionDraft, Regions, ScopeDraft

Parts = dict[str, list[Node]]

_WRAPPERS = ("expr.same", "expr.await")

MAX_ITEMS = 2_000
"""Elements of one collection that are kept: tables of data need not fill the facts."""


class Entry(msgspec.Struct):
    """What the queries said about one node."""

    main: str
    node: Node
    parts: Parts


Builder = Callable[["Lowering", Node, Parts], facts.Expr | None]
"""Makes the record of an expression from its node and the parts that the queries name."""

Part = tuple[str, int, int, bool]
"""Capture, field, kind of node (0: any that is named), and whether the pattern needs it."""


Plan = tuple[Builder, tuple[Part, ...] | None]
"""Builder of an expression and its parts. Without parts (None) it asks for no others, so that it is built at once."""

Plans = dict[int, Plan]
"""Kind of node -> what is made of it; for what is not searched for."""

WRAPPER: Plan = (lambda low, node, parts: None), None
"""The plan of nodes that stand for their first child."""

_NOTHING: Parts = {}

_Made = tuple[int, Node, Builder, Parts | tuple[Part, ...]]
"""Index of an expression, its node, its builder, and its parts: found already, or to be looked up."""


@dataclass(slots=True)
class Lowering:
    """Builds the facts of one file."""

    path: str
    language: str
    source: bytes
    builders: Mapping[str, Builder]
    """Main capture of an expression -> what makes its record; provided by the adapter."""
    plans: Plans

    entries: dict[int, Entry] = field(default_factory=dict)
    by_main: dict[str, list[Entry]] = field(default_factory=dict)
    aliases: dict[int, Node] = field(default_factory=dict)
    awaited: set[int] = field(default_factory=set)
    ids: dict[int, int] = field(default_factory=dict)
    exprs: list[facts.Expr | None] = field(default_factory=list)
    queue: list[_Made] = field(default_factory=list)
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

    exported: set[str] = field(default_factory=set)
    """What a module hands out that reads it, too: its names of that are the same as what it assigned to them."""

    package: str = ""
    regions: Regions = field(init=False)
    characters: str | None = field(init=False)
    """The source if it is ASCII, so that offsets of bytes are those of characters."""
    starts: list[int] = field(init=False)
    blocks: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.regions = Regions(len(self.source))
        plain = self.source.isascii() and not may_differ(self.source, self.language)
        self.characters = self.source.decode("ascii") if plain else None
        self.starts, self.blocks = self.regions.starts, self.regions.blocks

    # -- reading the matches ----------------------------------------------------------------------------------------

    def read(self, matches: list[tuple[int, Parts]], mains: Sequence[Sequence[str]]) -> None:
        """Sort the matches by what they say; `mains` are the captures of each pattern, the main one first."""
        by_main, entries = self.by_main, self.entries
        # By pattern: its main capture, the list of what has the same, and whether it says what an expression is.
        kinds = []
        for names in mains:
            main = names[0]
            kinds.append((main, by_main.setdefault(main, []), main[:5] == "expr." and main not in _WRAPPERS))
        for pattern, captures in matches:
            main, found, is_expression = kinds[pattern]
            node = captures[main][0]
            entry = Entry(main, node, captures)
            found.append(entry)
            if is_expression:
                entries.setdefault(node.id, entry)
            elif main in _WRAPPERS:
                inner = captures["inner"][0]
                self.aliases.setdefault(node.id, inner)
                if main == "expr.await":
                    self.awaited.add(inner.id)

    def each(self, main: str) -> list[Entry]:
        """All entries with one main capture, in source order."""
        return self.by_main.get(main, [])

    def text(self, node: Node) -> str:
        """Source text of a node, a name as the language reads it."""
        if self.characters is not None:
            return self.characters[node.start_byte : node.end_byte]
        return meant(self.source[node.start_byte : node.end_byte].decode("utf-8", "replace"), self.language)

    # -- expressions ------------------------------------------------------------------------------------------------

    def resolve(self, node: Node) -> Node:
        """The node behind wrappers such as parentheses; chains are shortened so that each is walked once."""
        inner = self._inner(node)
        if inner is None:
            return node
        trail = []
        while inner is not None:
            trail.append(node.id)
            if node.id in self.awaited:
                self.awaited.add(inner.id)
            node = inner
            inner = self._inner(node)
        for seen in trail[:-1]:
            self.aliases[seen] = node
        return node

    def _inner(self, node: Node) -> Node | None:
        """What a wrapper stands for; None if the node is none."""
        inner = self.aliases.get(node.id)
        if inner is None and self.plans.get(node.kind_id) is WRAPPER:
            for child in node.named_children:
                if not child.is_error:
                    return child
        return inner

    def expr(self, node: Node | None) -> int:
        """Index of the expression that a node stands for; allocates it on first use."""
        if node is None:
            return NONE
        number = node.id
        ids = self.ids
        if number in ids:
            return ids[number]
        plan = self.plans.get(node.kind_id)
        if plan is WRAPPER or number in self.aliases:
            inner = self.resolve(node)
            if inner.id != number:
                return self.expr(inner)
        exprs = self.exprs
        index = ids[number] = len(exprs)
        if plan is None:
            exprs.append(None)
            self._ask(index, node)
            return index
        builder, parts = plan
        if parts is not None:
            exprs.append(None)
            self.queue.append((index, node, builder, parts))
        elif builder is name and self.characters is not None:  # as it does: nearly half of all expressions are names
            start, end = node.start_byte, node.end_byte
            block = self.blocks[bisect_right(self.starts, start) - 1]
            exprs.append(facts.Name(start, end, block, self.characters[start:end]))
        else:
            exprs.append(builder(self, node, _NOTHING))
        return index

    def _ask(self, index: int, node: Node) -> None:
        """Have an expression built that was searched for; if there is none, it is opaque."""
        entry = self.entries.get(node.id)
        builder = self.builders.get(entry.main) if entry is not None else None
        if entry is not None and builder is not None:
            self.queue.append((index, node, builder, entry.parts))
        else:
            self.exprs[index] = facts.Opaque(*self.where(node))

    def add(self, expr: facts.Expr) -> int:
        """Append an expression that no node stands for."""
        self.exprs.append(expr)
        return len(self.exprs) - 1

    def where(self, node: Node) -> tuple[int, int, int]:
        """Start, end and block of a node: the first three fields of every expression."""
        start = node.start_byte
        return start, node.end_byte, self.blocks[bisect_right(self.starts, start) - 1]

    def drain(self) -> None:
        """Build every expression that was asked for, and those they ask for."""
        queue, exprs = self.queue, self.exprs
        while queue:
            index, node, builder, wanted = queue.pop()
            parts = _found(node, wanted) if isinstance(wanted, tuple) else wanted
            expr = builder(self, node, parts) if parts is not None else None
            exprs[index] = expr if expr is not None else facts.Opaque(*self.where(node))

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
        exprs = cast("tuple[facts.Expr, ...]", tuple(self.exprs))
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
        place = (draft.parent, draft.scope_index, start, end)
        return facts.Block(draft.kind, *place, head, draft.group, draft.at, draft.waits)


class BindingDraft(msgspec.Struct):
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


def _found(node: Node, wanted: tuple[Part, ...]) -> Parts | None:
    """The parts of a node; None if it lacks one, so that its pattern would not match."""
    parts: Parts = {}
    for name, place, kind, needed in wanted:
        child = node.child_by_field_id(place)
        if child is not None and (child.kind_id == kind if kind else child.is_named):
            parts[name] = [child]
        elif needed:
            return None
    return parts


def name(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """The builder of a bare name that is spelt as it is meant."""
    start, end = node.start_byte, node.end_byte
    block = low.blocks[bisect_right(low.starts, start) - 1]
    if low.characters is not None:
        return facts.Name(start, end, block, low.characters[start:end])
    return facts.Name(start, end, block, low.text(node))
