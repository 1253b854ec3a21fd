"""What imported names and modules stand for, however imports lead to files: by dotted names (``app.cache``), by
packages (``com.acme.cache``), or by paths (``./cache``, ``ioredis``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from resplint import facts
from resplint.facts import NONE
from resplint.link import members, packages
from resplint.link.values import ClassValue, External, Module, Unknown, Values, merge
from resplint.reexports import nearest

if TYPE_CHECKING:
    from resplint.link.evaluate import Evaluator
    from resplint.link.index import FileIndex

EXPORTS = "exports"
"""Name of the binding that holds what a module stands for as a whole; ``exports.x`` is what it hands out as x."""


class Imports:
    """Resolves imports of the files of a `Store`."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._ev = evaluator
        self._handed_on: dict[int, list[Module | External]] = {}

    def imported(self, index: FileIndex, item: facts.Import) -> Values:
        """Values of an imported name."""
        ev = self._ev
        words = ev.roles(index.number).words
        if words.resolver == "package":
            return packages.imported(ev, index, item)
        base = self.origin(index, item)
        if words.explicit_exports and isinstance(base, Module):
            return self.whole(base) if item.name == "" else self.handed_out(base, item.name, words.default_export)
        if item.name == "":
            return (base,)
        return members.member(ev, (base,), item.name, (index.number, NONE))

    def origin(self, index: FileIndex, item: facts.Import) -> Module | External:
        """The module that an import names."""
        if self._ev.roles(index.number).words.resolver == "path":
            return self._at_path(index, item.module)
        if not item.level:
            return self.module(item.module, index)
        dotted, path = self._ev.store.modules.relative(item.module, item.level, index.facts.path)
        return self._module_at(path, dotted) if path else Module(NONE, dotted)

    def module(self, dotted: str, importer: FileIndex) -> Module | External:
        """A module by its dotted name, as seen from the importing file."""
        modules = self._ev.store.modules
        if self._ev.catalogue.is_library(dotted, importer.facts.language):
            return External(dotted)
        path = modules.find(dotted, importer.facts.path)
        if path is not None and path != importer.facts.path:
            return self._module_at(path, dotted)
        if modules.is_folder(dotted, importer.facts.path):
            return Module(NONE, dotted)
        return External(dotted)

    def _module_at(self, path: str, dotted: str) -> Module | External:
        file = self._ev.store.by_path(path)
        return Module(file.number, dotted) if file is not None else External(dotted)

    def stars(self, index: FileIndex, scope: int, name: str) -> Values:
        """Values of a name that an import of all names of a module may bring in."""
        ev = self._ev
        names = ev.roles(index.number).words.star_names
        if names == "exports":
            return nearest(self._all_of(index), self._beyond, lambda module: self._itself(module, name)) or ()
        for item in index.stars[scope]:
            if names == "package":
                if found := self._of_package(item.module, name, index):
                    return found
                if ev.catalogue.exports(item.module, name):
                    return (External(f"{item.module}.{name}"),)
                continue
            module = self.origin(index, item)
            if isinstance(module, Module) and module.file not in (NONE, index.number):
                if values := members.of_module(ev, module, name):
                    return values
            elif isinstance(module, External) and ev.catalogue.exports(module.dotted, name):
                return (External(f"{module.dotted}.{name}"),)
        return ()

    def _all_of(self, index: FileIndex) -> list[Module | External]:
        """The modules all of whose names a module named by a path hands on."""
        if index.number not in self._handed_on:
            origins = (self.origin(index, item) for item in index.stars.get(0, ()))
            found = (
                Module(one.file, "") if isinstance(one, Module) else one for one in origins
            )  # however it is spelled
            self._handed_on[index.number] = [one for one in dict.fromkeys(found) if not _is_nowhere(one, index.number)]
        return self._handed_on[index.number]

    def _beyond(self, module: Module | External) -> list[Module | External]:
        return self._all_of(self._ev.store.files[module.file]) if isinstance(module, Module) else []

    def _itself(self, module: Module | External, name: str) -> Values:
        """Values of what a module hands out under a name, but for what it has from modules that it hands on whole."""
        ev = self._ev
        if isinstance(module, External):
            return (External(f"{module.dotted}.{name}"),) if ev.catalogue.exports(module.dotted, name) else ()
        if self.reexported(module, name) is not None:
            return members.of_module(ev, module, name)
        return members.defined(ev, module, name) or self._of_whole(module, name)

    def _of_package(self, dotted: str, name: str, importer: FileIndex) -> Values:
        """Values of a name of a package, or of a static member that a class (or a base of it) declares."""
        found = packages.lookup(self._ev, dotted, name, importer)
        package, _, last = dotted.rpartition(".")
        holders = packages.lookup(self._ev, package, last, importer) if found else ()
        classes = [one for one in holders if isinstance(one, ClassValue)]
        if not classes or any(self._ev.classes.declares(one.file, one.scope, name) for one in classes):
            return found
        return tuple(one for one in found if not isinstance(one, Unknown | External))

    def reexported(self, module: Module, name: str) -> tuple[Module | External, str] | None:
        """Where a module has a name from, if all that it does with it is to import it from one place."""
        index = self._ev.store.files[module.file]
        local = self.local_name(index, name)
        items = index.imports.get((0, local), ())
        if len(items) != 1 or not items[0].name or self._ev.store.writes(name):
            return None
        if (0, local) in index.bindings or (0, local) in index.definitions:
            return None
        base = self.origin(index, items[0])
        if isinstance(base, Module) and base.file in (NONE, module.file):
            return None
        return base, items[0].name

    def local_name(self, index: FileIndex, name: str) -> str:
        """The name of a module's scope under which it keeps what it hands out as `name`."""
        return f"{EXPORTS}.{name}" if self._ev.roles(index.number).words.explicit_exports else name

    # -- modules named by paths ----------------------------------------------------------------------------------------

    def _at_path(self, index: FileIndex, specifier: str) -> Module | External:
        specifier = specifier.removeprefix("node:")
        path = self._ev.store.modules.resolve(specifier, index.facts.path)
        if path is None or path == index.facts.path:
            return External(specifier)
        return self._module_at(path, specifier)

    def whole(self, module: Module) -> Values:
        """What stands for a module as a whole: what it assigns to its exports, and the module itself while it also
        hands out single names.
        """
        index = self._ev.store.files[module.file]
        found = [definition.evaluate() for definition in self._ev.definitions(index, 0, EXPORTS)]
        named = any(key[0] == 0 and key[1].startswith(EXPORTS + ".") for key in (*index.bindings, *index.imports))
        if not found or named or index.stars.get(0):
            found.append((module,))
        return merge(found)

    def handed_out(self, module: Module, name: str, default: str = "") -> Values:
        """What a module hands out under a name; the default of a module without one is the module as a whole."""
        ev = self._ev
        values = members.of_module(ev, module, name)
        if values:
            return values
        if default and name == default:
            return self.whole(module)
        return self._of_whole(module, name)

    def _of_whole(self, module: Module, name: str) -> Values:
        """A member of what a module hands out as a whole."""
        rest = tuple(value for value in self.whole(module) if value != module)
        return members.member(self._ev, rest, name, (module.file, NONE)) if rest else ()


def _is_nowhere(module: Module | External, importer: int) -> bool:
    return isinstance(module, Module) and module.file in (NONE, importer)
