"""Types by usage: what nobody is seen to make, and is asked for commands whose names only Redis has (`hgetall`,
`zadd`), is a client of the library that the project uses.

Where a client comes from is often out of sight: a parameter of a function that is called from elsewhere, a callback
of code outside the project, a module that is not in the repository, an interface that nothing in the project
implements. This rests on absence (nothing is known of the receiver), so it is decided when nothing else changes any
more, for all such receivers at once. What was seen being made counts before it everywhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from resplint.bind.values import (
    Const,
    External,
    ExternalObject,
    Instance,
    LibraryMethod,
    LibraryObject,
    ParameterValue,
    Ref,
    Unknown,
    Value,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow import nodes
from resplint.flow.nodes import Node

if TYPE_CHECKING:
    from resplint.bind.index import FileIndex
    from resplint.flow.graph import Graph
    from resplint.knowledge.records.client_records import ClientLibrary


class TypesByUsage:
    """Puts an object of a library's type where values of which nothing is known come from."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._placed: dict[Node, None] = {}
        """Where such objects were put."""
        self._asked: set[Ref] = set()

    def round(self) -> bool:
        """Decide about the receivers that have come up since the last time. Returns whether some got a type."""
        uses: dict[Node, list[Ref]] = defaultdict(list)
        for index in self._graph.store.loaded:
            for number in self._calls(index):
                for source in self._sources((index.number, number)):
                    uses[source].append((index.number, number))
        found = {source: type_ for source, calls in uses.items() if (type_ := self._type(calls))}
        for source, type_ in found.items():
            made = self._graph.edges.objects.of_type(type_)
            if made is not None:
                self._placed[source] = None
                self._graph.flow.put(source, made)
        return bool(found)

    @property
    def gave(self) -> bool:
        """Whether something got a type so far."""
        return bool(self._placed)

    def stands(self) -> bool:
        """Whether nothing has come to these places since that is no client."""
        flow = self._graph.flow
        return all(
            isinstance(value, LibraryObject)
            or (isinstance(value, Instance) and not value.exact)
            or not flow.is_object(flow.token(value))
            for node in self._placed
            for value in flow.at(node)
        )

    def _calls(self, index: FileIndex) -> Iterator[int]:
        """The calls of a file, not looked at so far, of methods that only Redis clients have."""
        catalogue = self._graph.catalogue
        language = index.facts.language
        if not any(one.library.stand_in and language in one.library.languages for one in catalogue.libraries.values()):
            return
        if not any(map(catalogue.is_telling, index.by_name)):
            return
        for number in index.calls:
            call = index.facts.exprs[number]
            callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) and call.callee != NONE else None
            if isinstance(callee, facts.Member) and catalogue.is_telling(callee.name):
                if (index.number, number) not in self._asked:
                    self._asked.add((index.number, number))
                    yield number

    def _sources(self, ref: Ref) -> Iterator[Node]:
        """Where the values of a call's receiver come from, if nothing is known of any."""
        graph, index = self._graph, self._graph.store.files[ref[0]]
        call = _call(index, ref[1])
        callee = index.facts.exprs[call.callee]
        if not isinstance(callee, facts.Member) or any(
            isinstance(one, LibraryMethod) for one in graph.carried(ref[0], call.callee)
        ):
            return
        values = graph.merged(ref[0], callee.object)
        node = nodes.expression(ref[0], callee.object)
        found = [self._source(node, value, callee.name) for value in values if not _is_none(value)]
        if None not in found:
            yield from (one for one in found if one is not None)

    def _source(self, node: Node, value: Value, method: str) -> Node | None:
        """Where a value comes in that a node holds and a method is called on; None if it is known what it is."""
        if isinstance(value, ParameterValue):
            return nodes.parameter(value.file, value.scope, value.index)
        if isinstance(value, Unknown) or (isinstance(value, Instance) and self._is_shape(value, method)):
            return self._begin(node, value)
        if isinstance(value, External | ExternalObject):
            source = self._begin(node, value)
            index = self._graph.store.files.get(source[1])
            if index is not None and any(
                f"{value.dotted}.".startswith(f"{item.module}.")
                and self._graph.store.modules.lacks_path(item.module, index.facts.path)
                for item in index.facts.imports
            ):
                return source
        return None

    def _is_shape(self, value: Instance, method: str) -> bool:
        """Whether all that is known of an object is an interface of the project with this method, which no class of the
        project implements.
        """
        binder = self._graph.binder
        found = binder.methods(value.file, value.scope, method)
        return (
            not value.exact
            and bool(found)
            and all(self._graph.is_abstract(one) for one in found)
            and not binder.subclasses(value.file, value.scope)
        )

    def _begin(self, node: Node, value: Value) -> Node:
        """The place where a value of which nothing is known comes in: a name's definition, else the expression."""
        source = self._graph.path(node, value)[0]
        if source[0] != nodes.EXPRESSION or source[2] < 0:
            return source
        index = self._graph.store.files[source[1]]
        if isinstance(index.facts.exprs[source[2]], facts.Name):
            found = self._graph.binder.names(source[1]).at(source[2])
            if len(found) == 1:
                return self._graph.edges.names.node(source[1], found[0])
        return source

    def _type(self, calls: list[Ref]) -> str:
        """The type of an object that comes in at a place and that these calls ask for commands; "" where it may be a
        batch that commands are queued on.
        """
        records = [(self._graph.store.files[file], number) for file, number in calls]
        if not any(self._uses_reply(index, number) for index, number in records):
            return ""
        library = self._library([(index, _method(index, number)) for index, number in records])
        if library is None:
            return ""
        if not library.library.async_stand_in:
            return library.library.stand_in
        if any(_call(index, number).awaited for index, number in records):
            return library.library.async_stand_in
        in_coroutines = all(
            index.facts.scopes[index.function_of(_call(index, number).block)].is_async for index, number in records
        )
        return "" if in_coroutines else library.library.stand_in

    def _uses_reply(self, index: FileIndex, number: int) -> bool:
        """Whether something is done with what a call gives: calls that queue commands of a batch give nothing yet."""
        call = _call(index, number)
        if call.awaited or any(isinstance(index.facts.exprs[item.value], facts.Function) for item in call.arguments):
            return True
        if number in index.bound_to or number in index.jump_with or number in index.conditions:
            return True
        around = index.facts.exprs[index.parents[number]] if number in index.parents else None
        return around is not None and not (
            isinstance(around, facts.Member) and self._graph.catalogue.may_send(around.name)
        )

    def _library(self, calls: list[tuple[FileIndex, str]]) -> ClientLibrary | None:
        """The library whose clients have methods that are spelled like this: one that the files import, else one that
        the project imports or its manifest names, else any.
        """
        language = calls[0][0].facts.language
        is_lower = all(name == name.lower() for _, name in calls)
        fitting = [
            one
            for one in self._graph.catalogue.libraries.values()
            if one.library.stand_in
            and language in one.library.languages
            and (is_lower or not one.library.is_lower_case)
        ]
        files = list(dict.fromkeys(index.number for index, _ in calls))
        return max(fitting, key=lambda one: self._evidence(one, files), default=None)

    def _evidence(self, library: ClientLibrary, files: list[int]) -> int:
        """How much speaks for a library: 3 where one of the files imports it, 2 where another one does, 1 where a
        manifest names it.
        """
        store = self._graph.store
        users = {index.number for index in store.loaded if _imports(index, library)}
        if not users.isdisjoint(files):
            return 3
        if users:
            return 2
        return int(any(self._graph.versions(library, store.files[one].facts.path).source != "none" for one in files))


def _imports(index: FileIndex, library: ClientLibrary) -> bool:
    """Whether a file imports a library."""
    return any(
        f"{item.module}.".startswith((f"{root}.", f"{root}/"))
        for item in index.facts.imports
        for root in library.library.imports
    )


def _call(index: FileIndex, number: int) -> facts.Call:
    call = index.facts.exprs[number]
    assert isinstance(call, facts.Call)
    return call


def _method(index: FileIndex, number: int) -> str:
    """The name of the method that a call calls."""
    callee = index.facts.exprs[_call(index, number).callee]
    return callee.name if isinstance(callee, facts.Member) else ""


def _is_none(value: Value) -> bool:
    """Whether a value stands for something that is still missing."""
    return isinstance(value, Const) and value.value is None
