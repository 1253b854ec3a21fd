"""What is kept under a name in something outside the project: ``global.redis``, ``app.locals.db``, ``g.redis``.

Nobody sees the object that such a member belongs to. What is stored there goes to the reads of the same name from
something that is not seen either, in rounds: each begins with a complete graph, so that their order says nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from resplint.bind.values import ClassValue, CollectionValue, FunctionValue, Instance, LibraryMethod, LibraryObject
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow import nodes
from resplint.flow.nodes import Node

if TYPE_CHECKING:
    from resplint.bind.index import FileIndex
    from resplint.bind.values import Ref
    from resplint.flow.core import Flow

_COMMON = 30
"""A name that stands in more files than this says too little: what holds it has to go by the same name, too."""
_UNDECLARED = ("import", "definition", "parameter")
"""Kinds of definitions that are no variable of a class."""
_DEPTH = 6
"""Assignments that are followed to say what the holder of a name begins with."""


@dataclass(slots=True)
class _Reads:
    """The reads of a name: (file, what takes the value, what it is read from, root and last name of that)."""

    seen: int = 0
    files: int = 0
    places: list[tuple[int, Node, int, str, str]] = field(default_factory=list)


class NamedHeap:
    """Stores and reads of members by their names alone."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self.stores: dict[tuple[int, int, str, Node], None] = {}
        """(file, object, name, what is stored) of every store that something reached."""
        self.fields: list[Node] = []
        """Fields of classes of the project that hold something."""
        self._read: dict[int, dict[str, list[tuple[Node, int]]]] = {}
        """File -> name -> (what reads it, from what), for reads that are no plain members."""
        self._known: dict[str, list[tuple[str, Node]]] = defaultdict(list)
        """Name -> (what the holder begins with, what is kept there)."""
        self._reads_of: dict[str, _Reads] = defaultdict(_Reads)
        self._asked: set[tuple[int, int]] = set()
        self._given: tuple[int, ...] = ()
        self._last_round: tuple[int, ...] = ()
        """How much there was when everything was given to everybody."""
        self._contradicted: dict[tuple[str, str], bool] = {}
        self._keeps: dict[tuple[str, str, str, int, Node], None] = {}
        self._gave: dict[tuple[Node, Node], None] = {}
        self._looked = 0
        """How many files were looked at for what is given to a framework by name."""

    def kept(self) -> set[tuple[str, str, str, bool]]:
        """(runtime, last name of what holds it, name, whether it is a client or has one) of what is kept by name so
        far.
        """
        found = set()
        for name, places in self._known.items():
            for key, node in places:
                found.add((str(node[1]), key.partition("|")[2], name, self._is_client(node)))
        return found

    def round(self) -> bool:
        """Give what is stored by name to the reads of the name; what these read from is asked for a round before.
        Whether there may be more to do.
        """
        flow = self._flow
        self._look_for_data()
        flow.watched.update(source for *_, source in self.stores)
        flow.watched.update(self.fields)
        now = (
            len(flow.store.files), len(self.stores), len(self.fields), flow.seen, len(flow.edges.calls.working),
            flow.edges.objects.active, len(flow.holding),
        )  # fmt: skip
        if now == self._last_round:
            return False
        self._last_round = now
        stored = self._stored()
        for one in stored:
            self._keep(*one)
        names = sorted({one[0] for one in stored})
        there = (len(flow.store.files), *(len(self._known[name]) for name in names), len(names))
        if there == self._given:
            return flow.waiting
        pairs = [pair for name in names for pair in self._pairs(name)]
        asked = {(file, base) for file, base, _, _ in pairs if base != NONE} - self._asked
        for file, base in sorted(asked):
            flow.edges.demand.expression(file, base)
        self._asked |= asked
        if flow.waiting or asked:
            self._last_round = ()
            return True
        self._given = there
        for source, target in self._edges(pairs):
            self._gave[source, target] = None
            flow.copy(source, target)
        return flow.waiting

    def stands(self) -> bool:
        """Whether all that was given by a name would be given again, now that all files are there: further stores and
        further knowledge of what holds a name may speak against it.
        """
        self._contradicted.clear()
        stored = self._stored()
        if not self._keeps.keys() <= set(stored):
            return False
        pairs = [pair for name in sorted({one[0] for one in stored}) for pair in self._pairs(name)]
        return self._gave.keys() <= set(self._edges(pairs))

    def _edges(self, pairs: Iterable[tuple[int, int, Node, list[Node]]]) -> list[tuple[Node, Node]]:
        """From what is stored to what reads it, where nothing else is known of what it is read from."""
        return [
            (source, target)
            for file, base, target, sources in pairs
            if base == NONE or self._is_nothing(nodes.expression(file, base))
            for source in sources
        ]

    def _pairs(self, name: str) -> Iterable[tuple[int, int, Node, list[Node]]]:
        """(file, what is read from, what takes the value, what is stored) for the reads of a name."""
        kept = self._known[name]
        reads = self._reads(name)
        common = reads.files > _COMMON
        for file, target, base, root, last in reads.places:
            sought = [one for one in kept if self._matches(one[0], root, file, base)]
            alike = [one for one in sought if one[0].endswith(f"|{last}")]
            sought = alike if alike or common else [one for one in sought if self._is_client(one[1])]
            if sought:
                yield file, base, target, [source for _, source in sought]

    # -- stores --------------------------------------------------------------------------------------------------------

    def _stored(self) -> list[tuple[str, str, str, int, Node]]:
        """What that matters is stored in something outside: name, root and last name of the holder, file, what."""
        flow = self._flow
        found: list[tuple[str, str, str, int, Node]] = []
        for file, base, name, source in sorted(self.stores, key=str):
            if not self._matters(source) or not self._is_nothing(nodes.expression(file, base)):
                continue
            root, holder = self._root(file, base), self._last(file, base)
            if self._is_contradicted(file, name, holder):
                continue
            found.append((name, root, holder, file, source))
        for node in self.fields:
            _, file, scope, name = node
            if flow.binder.own_methods(file, scope, name):
                continue  # reached through its class only
            alone = flow.binder.words(file).lone_bases
            for one in flow.binder.line(file, scope)[1:]:
                root = "" if isinstance(one, ClassValue) or "." not in one.dotted else one.dotted.split(".")[0]
                if root and root not in alone and self._is_client(node):
                    found.append((name, root, "", file, node))
        return found

    def _look_for_data(self) -> None:
        """What a package gets by name to hand it to the functions that it runs: ``start(bot, redis=client)``."""
        loaded = self._flow.store.loaded
        for index in loaded[self._looked :]:
            packages = self._handing(index)
            for number in index.calls if packages else ():
                call = index.facts.exprs[number]
                named = isinstance(call, facts.Call) and any(one.name.isidentifier() for one in call.arguments)
                if isinstance(call, facts.Call) and named and self._root(index.number, number) in packages:
                    for one in call.arguments:
                        source = nodes.expression(index.number, one.value)
                        self.stores[index.number, call.callee, one.name, source] = None
        self._looked = len(loaded)

    def _handing(self, index: FileIndex) -> frozenset[str]:
        """Packages that a file imports which hand out what they are given by name."""
        known = self._flow.binder.roles(index.number).handed_by_name
        return (
            frozenset(known) & {one.module.partition(".")[0] for one in index.facts.imports} if known else frozenset()
        )

    def _is_client(self, node: Node) -> bool:
        """Whether a node holds an object of a client library, or an object of the project that has one in a field."""
        flow = self._flow
        for token in flow.held.get(node, ()):
            value = flow.values[token]
            if isinstance(value, LibraryObject | LibraryMethod):
                return True
            if isinstance(value, Instance | ClassValue):
                if any(one in flow.holding for one in flow.binder.project_line(value.file, value.scope)):
                    return True
        return False

    def _keep(self, name: str, root: str, holder: str, file: int, source: Node) -> None:
        """Something is kept under a name; the node stands for all stores with the same holder."""
        self._keeps[name, root, holder, file, source] = None
        node = nodes.named(self._flow.binder.runtime(file), f"{root}|{holder}", name)
        if (f"{root}|{holder}", node) not in self._known[name]:
            self._known[name].append((f"{root}|{holder}", node))
            self._known[name].sort(key=str)
        self._flow.copy(source, node)

    def _matters(self, node: Node) -> bool:
        """Whether a node holds a client, what has or gives one, or a function that works with one itself."""
        flow = self._flow
        for token in flow.held.get(node, ()):
            value = flow.values[token]
            if isinstance(value, FunctionValue) and (value.file, value.scope) in flow.edges.calls.handling:
                return True
            if isinstance(value, CollectionValue):
                inside = nodes.element(value.ref, nodes.ANY)
                if inside != node and self._is_client(inside):
                    return True
        return self._is_client(node)

    def _is_nothing(self, node: Node) -> bool:
        """Whether a node holds no object of the project or of a client library."""
        flow = self._flow
        return not any(flow.is_object(token) for token in flow.held.get(node, ()) if not self._is_by_name(node))

    def _is_by_name(self, node: Node) -> bool:
        return any(source[0] == nodes.NAMED for source in self._flow.sources(node))

    def _is_contradicted(self, file: int, name: str, holder: str) -> bool:
        """Whether other code stores something else under the name in something outside."""
        flow = self._flow
        runtime = flow.binder.runtime(file)
        key = (f"{runtime}|{holder}", name)
        known = self._contradicted.get(key)
        if known is None:
            known = self._contradicted[key] = any(
                flow.binder.runtime(other) == runtime
                and self._is_other(other, write.value)
                and self._last(other, self._base(other, write.target)) == holder
                and not self._is_receiver(other, self._base(other, write.target))
                for other, write in flow.store.writes(name)
            )
        return known

    def _base(self, file: int, target: int) -> int:
        expr = self._flow.store.files[file].facts.exprs[target]
        return expr.object if isinstance(expr, facts.Member | facts.Index) else NONE

    def _is_receiver(self, file: int, number: int) -> bool:
        expr = self._flow.store.files[file].facts.exprs[number] if number != NONE else None
        if not isinstance(expr, facts.Name):
            return False
        index = self._flow.store.files[file]
        return any(index.facts.scopes[one].receiver == expr.name for one in self._around(file, expr.block))

    def _around(self, file: int, block: int) -> list[int]:
        return self._flow.binder.names(file).enclosing(block)

    def _is_other(self, file: int, number: int) -> bool:
        """Whether a value is written out, or made by a library that is no client library."""
        if number == NONE:
            return False
        expr = self._flow.store.files[file].facts.exprs[number]
        if isinstance(expr, facts.Literal):
            return expr.type in ("str", "int", "float", "bytes")
        if isinstance(expr, facts.Template):
            return True
        if isinstance(expr, facts.Call):
            dotted = self._flow.binder.dotted(file, expr.callee)
            return "." in dotted and not self._flow.catalogue.leads_to_client(dotted)
        return False

    # -- reads ---------------------------------------------------------------------------------------------------------

    def _reads(self, name: str) -> _Reads:
        """The reads of a name in all files that there are."""
        known = self._reads_of[name]
        loaded = self._flow.store.loaded
        for index in loaded[known.seen :]:
            known.files += name in index.by_name
            for target, base in self._reads_in(index, name):
                root = self._root(index.number, base) if base != NONE else ""
                known.places.append((index.number, target, base, root, self._last(index.number, base)))
        known.seen = len(loaded)
        return known

    def _reads_in(self, index: FileIndex, name: str) -> Iterable[tuple[Node, int]]:
        """(what takes the value, what it is read from) of the reads of a name in a file; NONE for a bare name that may
        be a member of the global object.
        """
        flow = self._flow
        file = index.number
        for number in index.by_name.get(name, ()):
            expr = index.facts.exprs[number]
            if isinstance(expr, facts.Member):
                yield nodes.expression(file, number), expr.object
            elif flow.binder.words(file).global_objects and not flow.binder.names(file).at(number):
                yield nodes.expression(file, number), NONE
        yield from self._others(file).get(name, ())
        yield from self._handed(index, name)

    def _handed(self, index: FileIndex, name: str) -> Iterable[tuple[Node, int]]:
        """Parameters of functions that such a package runs."""
        packages = self._handing(index)
        file = index.number
        for (scope, parameter), position in index.parameters.items() if packages else ():
            if parameter != name:
                continue
            marks = [one for one in index.facts.scopes[scope].decorators if self._root(file, one) in packages]
            for number in index.by_name.get(index.facts.scopes[scope].name, ()):
                place = index.argument_of.get(number)
                if place is not None and self._root(file, place[0]) in packages:
                    marks.append(place[0])
            if marks:
                yield nodes.parameter(file, scope, position), marks[0]

    def _others(self, file: int) -> dict[str, list[tuple[Node, int]]]:
        """Reads of elements under a constant key, by methods that look up, and in patterns."""
        known = self._read.get(file)
        if known is None:
            known = self._read[file] = defaultdict(list)
            words = self._flow.binder.words(file)
            getters = frozenset({*words.lookups, *words.name_getters})
            record = self._flow.store.files[file].facts
            for number, expr in enumerate(record.exprs):
                key = NONE
                base = NONE
                if isinstance(expr, facts.Index):
                    key, base = expr.key, expr.object
                elif isinstance(expr, facts.Call) and len(expr.arguments) == 1:
                    callee = record.exprs[expr.callee]
                    if isinstance(callee, facts.Member) and callee.name in getters:
                        key, base = expr.arguments[0].value, callee.object
                elif isinstance(expr, facts.Call) and 2 <= len(expr.arguments) <= 3:
                    callee = record.exprs[expr.callee]
                    if isinstance(callee, facts.Name) and callee.name in words.getter:
                        base, key = expr.arguments[0].value, expr.arguments[1].value
                literal = record.exprs[key] if key != NONE else None
                if isinstance(literal, facts.Literal) and isinstance(literal.value, str):
                    known[literal.value].append((nodes.expression(file, number), base))
            for number, binding in enumerate(record.bindings):
                if len(binding.path) == 1 and isinstance(binding.path[0], str) and binding.value != NONE:
                    known[binding.path[0]].append((nodes.binding(file, number), binding.value))
        return known

    # -- holders -------------------------------------------------------------------------------------------------------

    def _matches(self, key: str, root: str, file: int, base: int) -> bool:
        """Whether what is kept with a holder may be what is read from `base`, which begins with `root`."""
        stored, _, holder = key.partition("|")
        words = self._flow.binder.words(file)
        if base == NONE:
            return holder in words.global_objects
        both = root in words.global_objects and stored in words.global_objects
        built = self._flow.binder.roles(file).built_on
        return not root or built.get(root, root) == built.get(stored, stored) or both

    def _root(self, file: int, number: int, depth: int = _DEPTH) -> str:
        """What outside the project a chain of members begins with: the name of a package, or of a global; "" if that is
        not known.
        """
        flow = self._flow
        record = flow.store.files[file].facts
        member = ""
        while number != NONE:
            expr = record.exprs[number]
            if isinstance(expr, facts.Member | facts.Index):
                member = expr.name if isinstance(expr, facts.Member) else ""
                number = expr.object
            elif isinstance(expr, facts.Call):
                number = expr.callee
            elif isinstance(expr, facts.Choice | facts.Operation):
                parts = expr.options if isinstance(expr, facts.Choice) else expr.operands
                number = parts[0] if parts and depth else NONE
                depth -= 1
            else:
                break
        root = record.exprs[number] if number != NONE else None
        if not isinstance(root, facts.Name) or depth <= 0:
            return ""
        definitions = flow.binder.names(file).at(number)
        if not definitions:
            of_field = self._declared(file, root, member) if member else ""
            return of_field or self._inherited_from(file, root)
        one = definitions[0]
        if one.kind == "import":
            found = flow.binder.imported(file, record.imports[one.number])
            return next((each.dotted.split(".")[0] for each in found if hasattr(each, "dotted")), "")
        if one.kind == "parameter":
            if (package := self._given_to(file, one.scope)) is not None:
                return package
            annotation = record.scopes[one.scope].parameters[one.number].annotation
            if annotation != NONE:
                return flow.binder.dotted(file, annotation).split(".")[0]
            roots = {self._root(file, value, depth - 1) for value in self._passed(file, one.scope, one.number)}
            return roots.pop() if len(roots) == 1 else ""
        if one.kind == "definition":
            return ""
        binding = record.bindings[one.number]
        if binding.annotation != NONE and (dotted := flow.binder.dotted(file, binding.annotation)):
            return dotted.split(".")[0] if "." in dotted else ""
        return self._root(file, binding.value, depth - 1) if binding.value != NONE else ""

    def _given_to(self, file: int, function: int) -> str | None:
        """The package whose data the parameters of a method are, as its class has a base there; None if it has none."""
        index = self._flow.store.files[file]
        packages, around = self._handing(index), index.class_of(function)
        if not packages or around == NONE:
            return None
        bases = (one for one in self._flow.binder.line(file, around)[1:] if not isinstance(one, ClassValue))
        return next((root for one in bases if (root := one.dotted.partition(".")[0]) in packages), None)

    def _passed(self, file: int, scope: int, number: int) -> list[int]:
        """What the file itself passes for a parameter of one of its functions that is called by its name."""
        index = self._flow.store.files[file]
        scopes = index.facts.scopes
        function, parameter = FunctionValue(file, scope), scopes[scope].parameters[number]
        found = []
        for one in index.by_name.get(scopes[scope].name, ()) if scopes[scope].name else ():
            call = index.facts.exprs[index.call_of[one]] if one in index.call_of else None
            named = isinstance(index.facts.exprs[one], facts.Name)
            if isinstance(call, facts.Call) and named and function in self._flow.binder.static(file, one):
                plain = [item.value for item in call.arguments if not item.name]
                found += [item.value for item in call.arguments if item.name and item.name == parameter.name]
                found += plain[number : number + 1]
        return found

    def _declared(self, file: int, name: facts.Name, member: str) -> str:
        """What the declared type of a field begins with, where a name stands for the object that a method runs on."""
        flow = self._flow
        record = flow.store.files[file].facts
        for scope in self._around(file, name.block):
            if record.scopes[scope].receiver == name.name and record.scopes[scope].kind == "class":
                for one in flow.binder.names(file).definitions(scope, member):
                    annotation = record.bindings[one.number].annotation if one.kind not in _UNDECLARED else NONE
                    if annotation != NONE and "." in (dotted := flow.binder.dotted(file, annotation)):
                        return dotted.split(".")[0]
        return ""

    def _inherited_from(self, file: int, name: facts.Name) -> str:
        """What a bare name begins with that no file defines: the package of a base that a class around it has outside
        the project, as it may be a member of that; else the name itself, which is the same wherever it is used.
        """
        binder = self._flow.binder
        scopes = self._flow.store.files[file].facts.scopes
        for one in self._around(file, name.block):
            if scopes[one].kind == "class" and scopes[one].is_open:
                for base in binder.line(file, one)[1:]:
                    if not isinstance(base, ClassValue):
                        return base.dotted.split(".")[0]
        return name.name

    def _last(self, file: int, number: int) -> str:
        """The last name of what holds a member."""
        expr = self._flow.store.files[file].facts.exprs[number] if number != NONE else None
        while isinstance(expr, facts.Call):
            expr = self._flow.store.files[file].facts.exprs[expr.callee]
        return expr.name if isinstance(expr, facts.Name | facts.Member) else ""


def is_by_name(flow: Flow, ref: Ref) -> bool:
    """Whether the object that a call is made on came by a name alone, on every way that leads there."""
    waiting: list[Node] = [nodes.expression(*ref)]
    seen = set(waiting)
    crossed = False
    while waiting:
        node = waiting.pop()
        if node[0] == nodes.NAMED:
            crossed = True
            continue
        sources = [one for one in flow.sources(node) if _has_object(flow, one)]
        if not sources and _has_object(flow, node):
            return False
        for one in sources:
            if one not in seen:
                seen.add(one)
                waiting.append(one)
    return crossed


def _has_object(flow: Flow, node: Node) -> bool:
    """Whether a node holds an object of a client library, or a method of one."""
    return any(isinstance(flow.values[token], LibraryObject | LibraryMethod) for token in flow.held.get(node, ()))
