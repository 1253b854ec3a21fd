"""What is set on objects after they were made (``config.setMaxTotal(8)``, ``config.maxTotal = 8``), and which objects
go into which.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property

from resplint.bind.index import FileIndex
from resplint.bind.values import Const, External, ExternalObject, LibraryMethod, LibraryObject, Ref, Value
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.knowledge.records.client_records import ClientLibrary
from resplint.redis.provided import Provided, name_of


@dataclass(frozen=True, slots=True)
class Setting:
    """One call or assignment that sets something: the name as written, and its arguments."""

    name: str
    file: int
    arguments: tuple[int, ...]


class Setters:
    """Looks up what the selected files set on which object."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator
        self.provided = Provided(evaluator)

    @cached_property
    def _table(self) -> dict[LibraryObject, list[Setting]]:
        table: dict[LibraryObject, list[Setting]] = defaultdict(list)
        for index in self._ev.store.judged:
            if self._ev.catalogue.has_setters(index.facts.language):
                self._collect(index, table)
        return table

    def _collect(self, index: FileIndex, table: dict[LibraryObject, list[Setting]]) -> None:
        for number in index.calls:
            call = index.facts.exprs[number]
            assert isinstance(call, facts.Call)
            callee = index.facts.exprs[call.callee]
            if not call.arguments or not isinstance(callee, facts.Member | facts.Name):
                continue
            known = self._ev.catalogue.sets(callee.name)
            if not known and not isinstance(callee, facts.Member):
                continue
            arguments = tuple(item.value for item in call.arguments)
            for owner in self._owners(index, callee, call.callee):
                if known or owner.kind == "config" or is_setter(self._ev, index, callee.name):
                    self._enter(table, owner, Setting(callee.name, index.number, arguments))
        for write in index.facts.writes:
            target = index.facts.exprs[write.target]
            if isinstance(target, facts.Member) and write.value != NONE and write.kind == "assign":
                for value in self._ev.carried(index.number, target.object):
                    if isinstance(value, LibraryObject):
                        self._enter(table, value, Setting(target.name, index.number, (write.value,)))

    def _owners(self, index: FileIndex, callee: facts.Member | facts.Name, number: int) -> list[LibraryObject]:
        """The library objects on which a setter may be called, also by its bare name (in a class derived from a
        library's, or a lambda that runs on an object).
        """
        if isinstance(callee, facts.Member):
            return [one for one in self._ev.carried(index.number, callee.object) if isinstance(one, LibraryObject)]
        return [one.object for one in self._ev.carried(index.number, number) if isinstance(one, LibraryMethod)]

    def _enter(self, table: dict[LibraryObject, list[Setting]], owner: LibraryObject, setting: Setting) -> None:
        """What is set on a part of a configuration is set on the whole."""
        current: LibraryObject | None = owner
        for _ in range(4):
            if current is None:
                break
            table[_key(current)].append(setting)
            current = current.parent if current.kind == "config" else None

    def on(self, value: LibraryObject, names: tuple[str, ...], option: str) -> list[Setting]:
        """Settings of an object by one of these names, or by the property that a setter's name stands for."""
        library = value.origin.library
        properties = {option, *(setter_property(self._ev, library, name) for name in names)}
        found = [one for one in self._table.get(_key(value), ()) if one.name in names or one.name in properties]
        return [*self._making(value, names), *found]

    def _making(self, value: LibraryObject, names: tuple[str, ...]) -> list[Setting]:
        """A factory that is named like a setter sets the option: ``XReadArgs.Builder.block(5000)``."""
        call = self._ev.store.expr(value.made) if value.made is not None else None
        if value.made is None or not isinstance(call, facts.Call) or not call.arguments:
            return []
        callee = self._ev.store.files[value.made[0]].facts.exprs[call.callee]
        if not isinstance(callee, facts.Member | facts.Name) or callee.name not in names:
            return []
        return [Setting(callee.name, value.made[0], tuple(item.value for item in call.arguments))]

    def sources(self, value: LibraryObject) -> list[LibraryObject]:
        """The object and those that configure it: what was passed when it was made, what was set on it, what it was
        built from; nearest first.
        """
        found = [value]
        for one in found:
            for other in self._around(one):
                if other not in found:
                    found.append(other)
        return found

    def _around(self, value: LibraryObject) -> list[LibraryObject]:
        refs: list[Ref] = []
        expr = self._ev.store.expr(value.made) if value.made is not None else None
        if value.made is not None and isinstance(expr, facts.Call):
            refs = [(value.made[0], item.value) for item in expr.arguments]
        refs += [(one.file, number) for one in self._table.get(_key(value), ()) for number in one.arguments]
        found = [one for ref in refs for one in self._seen(*ref)]
        if value.parent is not None:
            found.append(value.parent)
        elif len(provided := self.provided.of(value)) == 1:
            found += provided
        return found

    def _seen(self, file: int, number: int) -> list[LibraryObject]:
        """Objects of the library that an expression stands for; those that a framework provides as they were made."""
        carried = (*self._ev.carried(file, number), *self._ev.collected(file, number))
        found = [one for one in carried if isinstance(one, LibraryObject)]
        name = name_of(self._ev.store.files[file], number)
        return [
            made for one in found for made in (self.provided.of(one, name) if one.made is None else [])[:1] or [one]
        ]

    def _unseen(self, value: Value, file: int, number: int) -> bool:
        """Whether an argument is a configuration that was not seen being made."""
        if not isinstance(value, LibraryObject) or value.kind != "config" or value.made is not None or value.subclass:
            return False
        return len(self.provided.of(value, name_of(self._ev.store.files[file], number))) != 1

    def unclear(self, value: LibraryObject) -> bool:
        """Whether an object is configured by something that cannot be followed."""
        expr = self._ev.store.expr(value.made) if value.made is not None else None
        if value.made is None or not isinstance(expr, facts.Call):
            return value.kind == "config"
        for item in expr.arguments:
            values = self._ev.values(value.made[0], item.value)
            if any(self._unseen(one, value.made[0], item.value) for one in values):
                return True
            if not all(isinstance(one, Const | LibraryObject | External | ExternalObject) for one in values):
                return True
        return False


def _key(value: LibraryObject) -> LibraryObject:
    """An object of a class written for it (``new PoolConfig() {{ setMaxTotal(8); }}``) is configured by that class."""
    if value.subclass is not None:
        return replace(value, made=None, parent=None, via=())
    return replace(value, via=()) if value.via else value


def is_setter(ev: Graph, index: FileIndex, name: str) -> bool:
    """Whether a method is one that sets a property, as the language names them."""
    prefix = ev.roles(index.number).words.writer_prefix
    return bool(prefix) and name.startswith(prefix)


def setter_property(ev: Graph, library: ClientLibrary, setter: str) -> str:
    """`setMaxTotal` -> maxTotal, in the languages of a library that name methods so."""
    for language in library.library.languages:
        prefix = ev.catalogue.roles[language].words.writer_prefix
        if prefix and setter.startswith(prefix) and setter != prefix:
            return setter[len(prefix)].lower() + setter[len(prefix) + 1 :]
    return setter
