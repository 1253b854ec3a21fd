"""Clients that come from where nobody can look: a module of the project's own packages that is not there, or a name
that a module does not define.

What such a name gives is taken for a client where it is asked for commands whose names nothing else has (`hgetall`,
`xreadgroup`), whatever it is called. Whether it is the asynchronous one is seen where the replies are awaited.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from resplint.bind.values import Module
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow import nodes

if TYPE_CHECKING:
    from resplint.bind.index import FileIndex
    from resplint.flow.core import Flow
    from resplint.knowledge.records.client_records import ClientLibrary

_ANY_NAME = "__getattr__"
"""Function of a module that gives whatever it is asked for."""


class MissingMakers:
    """Puts an object of a library's type where the project takes it from such a place."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._given: dict[str, list[tuple[int, int]]] = defaultdict(list)
        """Path of a missing name -> the expressions that stand for what it gives."""
        self._types: dict[str, dict[str, None]] = defaultdict(dict)
        """Path of a missing name -> the types of client that it was seen to give."""

    def enter(self, file: int) -> None:
        """Look for such names among the imports of a file."""
        flow = self._flow
        index = flow.store.files[file]
        libraries = [
            one
            for one in flow.catalogue.libraries.values()
            if one.library.stand_in and index.facts.language in one.library.languages
        ]
        if not libraries or flow.binder.words(file).resolver != "dotted":
            return
        for number, item in enumerate(index.facts.imports):
            path = self._missing(file, item)
            for source in self._sources(index, number, item) if path else ():
                self._enter(file, path, source, libraries[0])

    def _enter(self, file: int, path: str, source: int, library: ClientLibrary) -> None:
        before = len(self._types[path])
        for is_async in self._asked(self._flow.store.files[file], source):
            name = library.library.async_stand_in if is_async else library.library.stand_in
            self._types[path][name] = None
        self._given[path].append((file, source))
        places = self._given[path] if len(self._types[path]) > before else [(file, source)]
        for type_ in self._types[path]:
            if (made := self._flow.edges.objects.of_type(type_)) is not None:
                for place in places:
                    self._flow.put(nodes.expression(*place), made)

    def _missing(self, file: int, item: facts.Import) -> str:
        """The path of a name that an import takes from a module which is not there or does not have it; "" where the
        name is found, or comes from outside.
        """
        flow = self._flow
        index = flow.store.files[file]
        if not item.name or item.name == "*" or flow.catalogue.is_library(item.module, index.facts.language):
            return ""
        path = index.facts.path
        modules = flow.store.modules
        if modules.lacks(item, path):
            dotted = modules.relative(item.module, item.level, path)[0] if item.level else item.module
            return f"{dotted}.{item.name}"
        module = flow.binder.module(file, item)
        if not isinstance(module, Module) or module.file in (NONE, file) or flow.binder.submodule(module, item.name):
            return ""
        target = flow.store.files[module.file]
        names = flow.binder.names(module.file)
        if 0 in target.stars or names.definitions(0, _ANY_NAME) or names.definitions(0, item.name):
            return ""
        return f"{target.facts.path}:{item.name}"

    def _sources(self, index: FileIndex, number: int, item: facts.Import) -> Iterator[int]:
        """The expressions that stand for what an imported name gives: calls of it, what a framework injects, or the
        name itself where members of it are read.
        """
        names = self._flow.binder.names(index.number)
        injectors = self._flow.binder.roles(index.number).injectors
        for use in names.by_name.get(item.alias, ()):
            if not any(one.kind == "import" and one.number == number for one in names.at(use)):
                continue
            place = index.argument_of.get(use)
            call = index.facts.exprs[place[0]] if place is not None else None
            if (made := index.call_of.get(use)) is not None:
                yield made
            elif place is not None and isinstance(call, facts.Call):
                if self._flow.binder.dotted(index.number, call.callee) in injectors:
                    yield place[0]
            elif isinstance(index.facts.exprs[index.parents.get(use, use)], facts.Member):
                yield use

    def _asked(self, index: FileIndex, source: int) -> Iterator[bool]:
        """Whether replies are awaited, for each command that only Redis has and that a source is asked for."""
        for holder in (source, *self._holders(index, source)):
            member = index.parents.get(holder)
            expr = index.facts.exprs[member] if member is not None else None
            number = index.call_of.get(member) if member is not None else None
            call = index.facts.exprs[number] if number is not None else None
            if not isinstance(expr, facts.Member) or expr.object != holder or not isinstance(call, facts.Call):
                continue
            if self._flow.catalogue.is_telling(expr.name):
                if call.awaited or not self._may_be_awaited(index, call, number):
                    yield call.awaited

    def _may_be_awaited(self, index: FileIndex, call: facts.Call, number: int | None) -> bool:
        """Whether what a call gives may be awaited elsewhere: it stands in a coroutine, or is returned in a file that
        has some.
        """
        scope = index.function_of(call.block)
        if index.facts.scopes[scope].is_async:
            return True
        is_returned = any(jump.value == number for jump in index.jumps.get(scope, ()))
        return is_returned and any(one.is_async for one in index.facts.scopes)

    def _holders(self, index: FileIndex, source: int) -> Iterator[int]:
        """Names and fields of a file that are set to a source, where they are read."""
        names = self._flow.binder.names(index.number)
        for number, binding in enumerate(index.facts.bindings):
            if binding.value == source and not binding.path:
                for use in names.by_name.get(binding.name, ()):
                    if any((one.kind, one.number) == (binding.kind, number) for one in names.at(use)):
                        yield use
        for write in index.facts.writes:
            target = index.facts.exprs[write.target]
            if write.value == source and isinstance(target, facts.Member):
                for use in index.by_name.get(target.name, ()):
                    if isinstance(index.facts.exprs[use], facts.Member):
                        yield use
        for scope, record in enumerate(index.facts.scopes):
            for position, item in enumerate(record.parameters):
                if item.default == source:
                    for use in names.by_name.get(item.name, ()):
                        found = names.at(use)
                        if any((one.kind, one.scope, one.number) == ("parameter", scope, position) for one in found):
                            yield use
