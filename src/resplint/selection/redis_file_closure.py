"""Which files have to do with Redis, from names alone, before anything is linked.

From the names that a file imports from client libraries (or from files already known), taint spreads to the top-level
definitions that mention them. What imports such a definition is worth parsing; what does not is not. This
over-approximates: the linker decides.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Set

import msgspec

from resplint.bind.binder import EXPORTS as _EXPORTS
from resplint.bind.modules import ModuleTable, dotted_path, path_module
from resplint.contracts import facts
from resplint.contracts.facts import FileFacts
from resplint.knowledge.catalogue import Catalogue

_PARTS = 12
"""Names in a row that are looked at."""


class _Outline(msgspec.Struct, frozen=True):
    """What a file says as long as nobody knows whether it carries Redis; its facts take far more memory.

    `members` are the names that it reads from objects, modules among them; `used` are bare names, where those of its
    package need no import. `own` and `settings` are names in it that carry Redis whatever other files say.
    """

    path: str
    language: str
    package: str
    imports: tuple[facts.Import, ...]
    members: frozenset[str]
    used: frozenset[str]
    own: frozenset[str]
    settings: frozenset[str]


class Carriers:
    """Files and top-level names through which clients travel."""

    def __init__(
        self, catalogue: Catalogue, facts_of: Callable[[str], FileFacts], modules: ModuleTable | None = None
    ) -> None:
        """`facts_of` gives those of a file that was added, by its path; `modules` resolves modules that are named by
        paths.
        """
        self._catalogue = catalogue
        self._facts_of = facts_of
        self._modules = modules
        self._waiting: dict[str, _Outline] = {}
        """Files that do not carry Redis, as far as it is known."""
        self._outlines: dict[str, _Outline] = {}
        self._names: dict[str, list[tuple[str, set[str]]]] = {}
        self._packages: dict[str, set[str]] = {}
        """Package -> the modules and packages in it that carry Redis."""
        self._types: set[str] = set()
        """Names of packages that carry Redis, with their package."""
        self._spelled: dict[str, frozenset[str]] = {}
        self.files: set[str] = set()
        self._markers = {
            tuple(marker.rsplit(".", 2)[-2:])
            for library in catalogue.libraries.values()
            for marker in library.library.markers
        }

    def add(self, files: Iterable[FileFacts]) -> list[str]:
        """Take in files; returns the paths of those that carry Redis, for the next round. Those that were taken in
        before may be among them, as others between them and Redis are known only now.
        """
        for one in files:
            self._waiting[one.path] = self._outlines[one.path] = self._outline(one)
        fresh: list[str] = []
        progress = True
        while progress:
            progress = False
            for path in sorted(self._waiting):
                file = self._waiting[path]
                tainted = self._tainted(file)
                if tainted is not None:
                    del self._waiting[path]
                    self.files.add(path)
                    words = self._catalogue.roles[file.language].words
                    if not (words.explicit_exports or words.implicit_package) and "*" not in tainted:
                        self._spelled[path] = frozenset(tainted)
                    dotted = dotted_path(file.path)
                    self._names.setdefault(dotted.rsplit(".", 1)[-1], []).append((dotted, tainted))
                    if words.implicit_package:
                        self._types.update(f"{file.package}.{name}" if file.package else name for name in tainted)
                    parts = dotted.split(".")
                    for count in range(1, len(parts)):
                        self._packages.setdefault(".".join(parts[:count]), set()).add(parts[count])
                    fresh.append(file.path)
                    progress = True
        return fresh

    def spelled(self, path: str) -> frozenset[str] | None:
        """The names of which a file that gets something from this one spells at least one; None where that need not be
        so, as whoever imports a thing may call it as he likes.
        """
        return self._spelled.get(path)

    def _outline(self, file: FileFacts) -> _Outline:
        members = frozenset(expr.name for expr in file.exprs if isinstance(expr, facts.Member))
        used: frozenset[str] = frozenset()
        own = self._factory_names(file) | {
            expr.name for expr in file.exprs if isinstance(expr, facts.Member) and self._is_marker(file, expr)
        }
        own |= {name for name in members if self._asks(file, name)}
        if self._catalogue.roles[file.language].words.implicit_package:
            used = frozenset(expr.name for expr in file.exprs if isinstance(expr, facts.Name))
            own |= self._written_out(file)
        return _Outline(
            file.path, file.language, file.package, file.imports, members, used, frozenset(own),
            frozenset(self._settings(file)),
        )  # fmt: skip

    def _tainted(self, file: _Outline) -> set[str] | None:
        """Top-level names of a file that carry Redis; None when it has nothing to do with Redis."""
        members = file.members
        names = {item.alias for item in file.imports if item.name != "*" and self._carries(file, item, members)}
        names |= file.own
        if self._catalogue.roles[file.language].words.implicit_package:
            names |= self._of_package(file)
        star = any(item.name == "*" and self._carries(file, item, members) for item in file.imports)
        if not names and not star and not file.settings:
            return None
        top = self._top_level(self._facts_of(file.path))
        tainted = names | file.settings
        grown = True
        while grown:
            grown = False
            for name, mentioned in top.items():
                if name not in tainted and (mentioned & tainted or star):
                    tainted.add(name)
                    grown = True
        return tainted | ({"*"} if star else set())

    def _asks(self, file: FileFacts, name: str) -> bool:
        """Whether a name is that of a command which only Redis has, in a language whose clients are known by such
        calls.
        """
        among = (one.library for one in self._catalogue.libraries.values() if one.library.stand_in)
        return self._catalogue.is_telling(name) and any(file.language in one.languages for one in among)

    def _of_package(self, file: _Outline) -> set[str]:
        """Names that a file uses without importing them singly: of its own package and of those it imports whole."""
        packages = [file.package, *(item.module for item in file.imports if item.name == "*")]
        return {name for name in file.used if any(f"{one}.{name}" in self._types for one in packages)}

    def _written_out(self, file: FileFacts) -> set[str]:
        """First parts of library names that a file writes out in full: ``new redis.clients.jedis.Jedis()``."""
        found: set[str] = set()
        for expr in file.exprs:
            if not isinstance(expr, facts.Member):
                continue
            parts: list[str] = []
            inner: facts.Expr = expr
            while isinstance(inner, facts.Member) and len(parts) < _PARTS:
                parts.append(inner.name)
                inner = file.exprs[inner.object]
            if isinstance(inner, facts.Name) and inner.name not in found and len(parts) > 1:
                if self._catalogue.is_library(".".join((inner.name, *reversed(parts))), file.language):
                    found.add(inner.name)
        return found

    def _is_marker(self, file: FileFacts, expr: facts.Member) -> bool:
        """Whether a member says by its name and that of its object that a client comes from there."""
        holder = file.exprs[expr.object]
        return isinstance(holder, facts.Name | facts.Member) and (holder.name, expr.name) in self._markers

    def _factory_names(self, file: FileFacts) -> set[str]:
        """Names in a file that the user's configuration calls client factories: those it defines and those it
        imports.
        """
        found: set[str] = set()
        here = dotted_path(file.path)
        for factory in self._catalogue.factories:
            module, _, name = factory.rpartition(".")
            if here == module or here.endswith("." + module):
                found.update((name, f"{_EXPORTS}.{name}", _EXPORTS))
            for item in file.imports:
                full = f"{item.module}.{item.name}" if item.name else item.module
                if full in (factory, module) or (item.level and factory.endswith("." + full)):
                    found.add(item.alias)
        return found

    def _settings(self, file: FileFacts) -> set[str]:
        wanted = {model.name for library in self._catalogue.libraries.values() for model in library.settings}
        return {binding.name for binding in file.bindings if binding.scope == 0 and binding.name in wanted}

    def _carries(self, file: _Outline, item: facts.Import, members: Set[str]) -> bool:
        """Whether an import brings in a library, a name that carries Redis, or a module of which such a name is used.

        `members` are the names that the file reads from objects, modules among them.
        """
        if not item.level and self._catalogue.brings_in(item.module, item.name, file.language):
            return True
        if not item.level and self._catalogue.holds_client(item.module, item.name, members, file.language):
            return True
        resolver = self._catalogue.roles[file.language].words.resolver
        if resolver == "package":
            return f"{item.module}.{item.name}" in self._types or item.module in self._types
        module = item.module
        if resolver == "path":
            path = self._modules.resolve(module, file.path) if self._modules is not None else None
            module = dotted_path(path) if path is not None else path_module(module, file.path)
            return self._handed_out(module, item.name)
        if item.level:
            folder = posixpath.dirname(file.path)
            for _ in range(item.level - 1):
                folder = posixpath.dirname(folder)
            module = ".".join(part for part in (folder.replace("/", "."), module) if part)
        if item.name and self._names_of(module, item.name):
            return True
        inner = f"{module}.{item.name}" if item.name and module else item.name or module
        return self._module_of(inner, members)

    def _module_of(self, module: str, members: Set[str]) -> bool:
        """Whether a file that reads these members may read a name that carries Redis from a module or what is below
        it.
        """
        for dotted, tainted in self._names.get(module.rsplit(".", 1)[-1], ()):
            if (dotted == module or dotted.endswith("." + module)) and ("*" in tainted or tainted & members):
                return True
        # `import a.b` binds `a`; its modules are reached as members.
        below = self._packages.get(module, ())
        return any(name in members for name in below)

    def _handed_out(self, module: str, name: str) -> bool:
        """Whether a known file hands out a name ("" or "*": anything) that carries Redis."""
        wanted = {f"{_EXPORTS}.{name}", _EXPORTS}
        for dotted, tainted in self._names.get(module.rsplit(".", 1)[-1], ()):
            if dotted == module or dotted.endswith("." + module) or module.endswith("." + dotted):
                if name in ("", "*", "default") or "*" in tainted or wanted & tainted:
                    return True
        return False

    def _names_of(self, module: str, name: str) -> bool:
        """Whether a known file answers to the module and carries the name ("*": any)."""
        for dotted, tainted in self._names.get(module.rsplit(".", 1)[-1], ()):
            if dotted == module or dotted.endswith("." + module):
                if name == "*" or name in tainted or "*" in tainted:
                    return True
        return False

    def _top_level(self, file: FileFacts) -> dict[str, set[str]]:
        """Top-level definition -> the names that its text mentions."""
        spans = [(scope.start, scope.end, scope.name) for scope in file.scopes if scope.parent == 0 and scope.name]
        for binding in file.bindings:
            if binding.scope == 0 and binding.value >= 0:
                value = file.exprs[binding.value]
                spans.append((binding.start, max(binding.end, value.end), binding.name))
            elif file.blocks[binding.block].scope != binding.scope and binding.scope == 0:
                spans.append((binding.start, binding.end, binding.name))
        spans.sort()
        table: dict[str, set[str]] = {name: set() for _, _, name in spans}
        mentions = sorted(
            (expr.start, expr.name)
            for expr in file.exprs
            if isinstance(expr, facts.Name)
            or (isinstance(expr, facts.Member) and (self._is_marker(file, expr) or self._asks(file, expr.name)))
        )
        at = 0
        open_spans: list[tuple[int, int, str]] = []
        for start, name in mentions:
            while at < len(spans) and spans[at][0] <= start:
                open_spans.append(spans[at])
                at += 1
            open_spans = [span for span in open_spans if span[1] > start]
            for span in open_spans:
                table[span[2]].add(name)
        return table
