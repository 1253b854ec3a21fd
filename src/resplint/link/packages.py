"""Names of packages whose files see each other: types by the file that is called like them, other names by the files
that say they belong to the package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from resplint import facts
from resplint.facts import NONE
from resplint.link import members
from resplint.link.values import ClassValue, External, FunctionValue, Values, merge

if TYPE_CHECKING:
    from resplint.link.evaluate import Evaluator
    from resplint.link.index import FileIndex

_MAX_NESTING = 4


def imported(ev: Evaluator, index: FileIndex, item: facts.Import) -> Values:
    """Values of ``import package.Name``, of a nested type, or of a static member."""
    if ev.catalogue.is_library(item.module, index.facts.language):
        return (External(f"{item.module}.{item.name}" if item.name else item.module),)
    return lookup(ev, item.module, item.name, index) or (External(f"{item.module}.{item.name}"),)


def lookup(ev: Evaluator, package: str, name: str, index: FileIndex) -> Values:
    """Values of a name of a package, or of a type that `package` names; () when the project has none."""
    if found := _in_package(ev, package, name, index):
        return found
    outer, inner = package, [name]
    for _ in range(_MAX_NESTING):  # com.acme.Outer.Inner, com.acme.Constants.TIMEOUT
        outer, _, last = outer.rpartition(".")
        if not outer:
            return ()
        values = _in_package(ev, outer, last, index)
        if values:
            for part in inner:
                values = members.member(ev, values, part, (index.number, NONE))
            return values
        inner.insert(0, last)
    return ()


def _in_package(ev: Evaluator, package: str, name: str, index: FileIndex) -> Values:
    key = (package, name)
    known = ev.package_names.get(key)
    if known is None:
        ev.package_names[key] = ()  # what a circle of packages sees
        known = ev.package_names[key] = _find(ev, package, name, index)
    return known


def _find(ev: Evaluator, package: str, name: str, index: FileIndex) -> Values:
    dotted = f"{package}.{name}" if package else name
    path = ev.store.modules.find(dotted, index.facts.path, package=True)
    if path is not None and (file := ev.store.by_path(path)) is not None and file.facts.package == package:
        if values := _top_level(ev, file, name):
            return values
    for file in ev.store.in_package(package):
        if values := _top_level(ev, file, name):
            return values
    return ()


def _top_level(ev: Evaluator, file: FileIndex, name: str) -> Values:
    groups: list[Values] = []
    for number in file.definitions.get((0, name), ()):
        kind = file.facts.scopes[number].kind
        groups.append((ClassValue(file.number, number) if kind == "class" else FunctionValue(file.number, number),))
    for binding in file.bindings.get((0, name), ()):
        groups.append(ev.bound(file, binding))
    return merge(groups)
