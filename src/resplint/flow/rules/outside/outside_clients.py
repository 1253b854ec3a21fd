"""Clients of classes outside the project: a company's own library that wraps Jedis, say.

Nobody sees how such a class is made. It is taken for a client where its path names Redis or a client library, it is
asked for commands whose names nothing else has (`hgetAll`, `zadd`), and it is known which library's names these are.
Where a method outside hands it to a function that is written in place, its name in there is a part of the path.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import takewhile
from typing import TYPE_CHECKING

from resplint.bind.declared_types import DeclaredTypes
from resplint.bind.values import External
from resplint.contracts import facts
from resplint.flow import nodes

if TYPE_CHECKING:
    from resplint.bind.index import FileIndex
    from resplint.flow.core import Flow
    from resplint.knowledge.records.client_records import ClientLibrary

_SERVERS = ("redis", "valkey")
_NOBODY = "?"
"""What stands for the class of a method of which only the name is known."""


class OutsideClients:
    """Puts an object of a library's type where a file asks such a class for commands."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow

    def enter(self, file: int) -> None:
        """Look for such clients in a file."""
        flow = self._flow
        index = flow.store.files[file]
        libraries = self._libraries(index)
        if not libraries or not any(self._flow.catalogue.is_telling(name) for name in index.by_name):
            return
        if not self._names_one(file, index, libraries) and not self._is_handed_one(index, libraries):
            return
        types = DeclaredTypes(flow.binder)
        asked: dict[str, dict[int, None]] = defaultdict(dict)
        names: dict[str, dict[str, None]] = defaultdict(dict)
        """What functions call the clients that a method hands to them."""
        telling: set[str] = set()
        for number in index.calls:
            call = index.facts.exprs[number]
            callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
            if not isinstance(callee, facts.Member) or not flow.catalogue.command_name(callee.name):
                continue
            path, given = self._path(types, file, callee.object)
            if path:
                asked[path][callee.object] = None
                names[path].update({given: None} if given else {})
                if self._flow.catalogue.is_telling(callee.name):
                    telling.add(path)
        for path in sorted(telling):
            library = self._library(index, path, list(names[path]), libraries)
            made = flow.edges.objects.of_type(library.library.commands) if library is not None else None
            if made is not None:
                for number in asked[path]:
                    flow.put(nodes.expression(file, number), made)

    def _libraries(self, index: FileIndex) -> list[ClientLibrary]:
        language = index.facts.language
        among = self._flow.catalogue.libraries.values()
        return [one for one in among if one.library.commands and language in one.library.languages]

    def _names_one(self, file: int, index: FileIndex, libraries: list[ClientLibrary]) -> bool:
        """Whether a file imports something of another project whose path names Redis or a client library."""
        language = index.facts.language
        return any(
            not self._flow.catalogue.is_library(item.module, language)
            and _is_named(f"{item.module}.{item.name}", libraries)
            for item in index.facts.imports
        )

    def _is_handed_one(self, index: FileIndex, libraries: list[ClientLibrary]) -> bool:
        """Whether a file imports a client library, calls something by a name with Redis or such a library in it, or
        names what a function written in place is given like that.
        """
        if any(_is_of(item.module, library) for item in index.facts.imports for library in libraries):
            return True
        names = {name for name, places in index.by_name.items() if any(one in index.call_of for one in places)}
        given = {one.name for scope in index.function_expr for one in index.facts.scopes[scope].parameters}
        return any(_is_named(name, libraries) for name in names | given)

    def _path(self, types: DeclaredTypes, file: int, number: int) -> tuple[str, str]:
        """The path of the class outside that an object is of, or of the method that handed it to a function and what
        that calls it.
        """
        found = types.of(file, number)
        given = "" if found else getattr(self._flow.store.files[file].facts.exprs[number], "name", "")
        if not found:
            found = self._handed(types, file, number)
        path = found[0].dotted if len(found) == 1 and isinstance(found[0], External) else ""
        return (path, given) if path and not self._is_ours(file, path) else ("", "")

    def _is_ours(self, file: int, path: str) -> bool:
        """Whether the package of a class is one of the project: then the class is one that nobody found."""
        package = ".".join(takewhile(str.islower, path.split(".")))
        store = self._flow.store
        return bool(package) and store.modules.is_folder(package, store.files[file].facts.path)

    def _handed(self, types: DeclaredTypes, file: int, number: int) -> tuple[External, ...]:
        """The method outside that runs the function whose parameter an expression is: ``redis.with(c -> c.get(…))``."""
        index = self._flow.store.files[file]
        if not isinstance(index.facts.exprs[number], facts.Name):
            return ()
        definitions = self._flow.binder.names(file).at(number)
        if len(definitions) != 1 or definitions[0].kind != "parameter":
            return ()
        place = index.argument_of.get(index.function_expr.get(definitions[0].scope, facts.NONE))
        call = index.facts.exprs[place[0]] if place is not None else None
        if not isinstance(call, facts.Call):
            return ()
        found = types.methods(file, call.callee)
        if not found and (name := self._unseen(index, call)):  # only what the function calls it can say what it is
            return (External(f"{_NOBODY}.{name}"),)
        return tuple(one for one in found if isinstance(one, External) and not self._is_plain(file, one.dotted))

    def _unseen(self, index: FileIndex, call: facts.Call) -> str:
        """The name of a method of an object that a call gives or a field holds, "" where the project has such a
        method.
        """
        callee = index.facts.exprs[call.callee]
        if not isinstance(callee, facts.Member) or self._flow.binder.is_method(callee.name):
            return ""
        return callee.name

    def _is_plain(self, file: int, path: str) -> bool:
        """Whether a method hands on what it was given: that of a collection, a stream, an optional."""
        return any(path.startswith(f"{name}.") for name in self._flow.binder.roles(file).harmless)

    def _library(
        self, index: FileIndex, path: str, given: list[str], libraries: list[ClientLibrary]
    ) -> ClientLibrary | None:
        """The library whose commands a class outside has: the one that its path names, what functions call it that get
        it, or the file imports.
        """
        if self._flow.catalogue.leads_to_client(path) or not (given or _is_named(path, libraries)):
            return None
        if path.startswith(_NOBODY) and not any(_is_named(one, libraries) for one in given):
            return None
        for library in libraries:
            if any(library.library.name in one.lower() for one in (path, *given)):
                return library
        imported = [one for one in libraries if any(_is_of(item.module, one) for item in index.facts.imports)]
        return imported[0] if len(imported) == 1 else None


def _is_of(module: str, library: ClientLibrary) -> bool:
    """Whether a module is one of a library."""
    return any(f"{module}.".startswith(f"{root}.") for root in library.library.imports)


def _is_named(path: str, libraries: list[ClientLibrary]) -> bool:
    return any(name in path.lower() for name in (*_SERVERS, *(one.library.name for one in libraries)))
