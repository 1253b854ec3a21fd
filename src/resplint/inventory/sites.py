"""The calls of a project that are traced to its clients, for the inventory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

from resplint.bind.values import LibraryMethod, LibraryObject, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.contracts.findings import Place
from resplint.files.source import LineIndex
from resplint.inventory.records import Grade, Site
from resplint.model.project import Project
from resplint.redis.usage import CommandSite

UNTOLD = "?"
"""Stands for a command that is decided at run time."""


class Sites:
    """Places of calls. `code` gives the text at a place."""

    def __init__(self, project: Project, code: Callable[[Place], str]) -> None:
        self._project = project
        self._code = code
        self._files: dict[str, tuple[bytes, LineIndex]] = {}

    def sending(self, site: CommandSite) -> Site:
        """A call that sends a command."""
        return self._site(site.ref, site.command or UNTOLD, site.receiver)

    def preparing(self, sending: set[Ref]) -> Iterator[tuple[int, LibraryObject, Site]]:
        """Calls of known methods that name no command (they make a pipeline, a view or a script, or send a batch): the
        file, the object that the method is called on, and the place. `sending` are the other calls.
        """
        store, catalogue = self._project.store, self._project.ev.catalogue
        for index in store.judged:
            for number in index.calls:
                ref = (index.number, number)
                call = index.facts.exprs[number]
                assert isinstance(call, facts.Call)
                callee = index.facts.exprs[call.callee]
                if ref in sending or not isinstance(callee, facts.Member) or not catalogue.may_send(callee.name):
                    continue
                seen: set[LibraryObject] = set()
                for value in self._project.values(index.number, call.callee):
                    if isinstance(value, LibraryMethod) and self._is_known(value, index.number):
                        root = root_of(value.object)
                        if root.kind != "config" and root not in seen:
                            seen.add(root)
                            yield index.number, value.object, self._site(ref, "", value.object)

    def _is_known(self, value: LibraryMethod, file: int) -> bool:
        ev, owner = self._project.ev, value.object
        version = ev.version(owner, file).version
        if ev.catalogue.pipeline(owner.origin, value.name, version) is not None:
            return True
        return bool(ev.catalogue.overloads(owner.origin, value.name, version))

    def _site(self, ref: Ref, command: str, receiver: LibraryObject) -> Site:
        path = self._project.place(ref).path
        data, lines = self._file(path)
        line, column = lines.position(self._name_start(ref, data))
        grade = Grade.DECLARED if root_of(receiver).made is None else Grade.EXACT
        if self._project.ev.is_by_name(ref):
            grade = Grade.NAME
        return Site(path, line, column, command, grade)

    def _name_start(self, ref: Ref, data: bytes) -> int:
        """Where the name of what is called begins: the calls of one chain begin at the same place."""
        exprs = self._project.index(ref).facts.exprs
        expr = exprs[ref[1]]
        callee = exprs[expr.callee] if isinstance(expr, facts.Call) and expr.callee != NONE else expr
        if isinstance(callee, facts.Member):
            name = callee.name.encode("utf-8", "replace")
            start = callee.end - len(name)
            if data[start : callee.end] == name:
                return start
        return callee.start

    def _file(self, path: str) -> tuple[bytes, LineIndex]:
        if path not in self._files:
            data = self._code(Place(path, 0, sys.maxsize)).encode("utf-8", "replace")
            self._files[path] = data, LineIndex(data)
        return self._files[path]


def root_of(value: LibraryObject) -> LibraryObject:
    """What the object was made from, in the end: the client of a pipeline, the pool of a connection."""
    while value.parent is not None:
        value = value.parent
    return value
