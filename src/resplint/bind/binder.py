"""Names across files: what an import means, which class a type names, from which bases a class derives.

Answers rest on names and imports alone, never on values, so they are final before anything is solved.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from resplint.bind.files import Store
from resplint.bind.index import FileIndex
from resplint.bind.names import Names
from resplint.bind.reexports import Reexports
from resplint.bind.values import ClassValue, External, FunctionValue, Module
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.knowledge.catalogue import Catalogue
from resplint.knowledge.chains import Chains
from resplint.knowledge.records.role_records import Roles, Words

Static = ClassValue | FunctionValue | External | Module
"""What a name means without running anything."""
EXPORTS = "exports"
Scoped = tuple[int, int]
"""(file, scope) of a function or class."""


class Binder:
    """Resolves names of the files of a `Store`; files that an import names are loaded."""

    def __init__(self, store: Store, catalogue: Catalogue) -> None:
        self.store = store
        self.catalogue = catalogue
        self._names: dict[int, Names] = {}
        self._chains: dict[str, Chains] = {}
        self._static: dict[tuple[int, int], tuple[Static, ...]] = {}
        self._packages: dict[str, dict[str, FileIndex]] = {}
        self._sought: dict[tuple[str, str, str], tuple[FileIndex, ...]] = {}
        """(Folder, package, name) -> files of the package that declare the name."""
        """Package -> what its files define on their top level, and the first file that does."""
        self._exported: dict[tuple[int, str], tuple[Static, ...]] = {}
        self._stars: dict[tuple[int, int], tuple[list[int], list[External]]] = {}
        self.reexports = Reexports(lambda file: self.taken(file, 0), self.names)
        self._lines: dict[Scoped, tuple[ClassValue | External, ...]] = {}
        self._derived: dict[str, list[Scoped]] = defaultdict(list)
        self._derived_files = 0
        self._project_lines: dict[Scoped, tuple[Scoped, ...]] = {}
        self._direct_bases: dict[Scoped, frozenset[Scoped]] = {}
        self._subclasses: dict[Scoped, list[Scoped]] = {}
        self._heirs: dict[Scoped, frozenset[Scoped]] = {}
        self._method_names: set[str] = set()
        self._methods: dict[Scoped, dict[str, list[int]]] = {}

    def forget(self) -> None:
        """Forget what rests on which files there are: there are more now."""
        self._static.clear()
        self._exported.clear()
        self._lines.clear()
        self._project_lines.clear()
        self._packages.clear()
        self._sought.clear()

    def names(self, file: int) -> Names:
        """The names of one file."""
        known = self._names.get(file)
        if known is None:
            known = self._names[file] = Names(self.store.files[file], self.words(file).separate_method_names)
        return known

    def index(self, file: int) -> FileIndex:
        """The tables of one file."""
        return self.store.files[file]

    def roles(self, file: int) -> Roles:
        """What is known of a file's language."""
        return self.catalogue.roles[self.store.files[file].facts.language]

    def chains(self, file: int) -> Chains:
        """What calls of foreign methods give, in a file's language."""
        language = self.store.files[file].facts.language
        known = self._chains.get(language)
        if known is None:
            known = self._chains[language] = Chains(self.catalogue.roles[language])
        return known

    def words(self, file: int) -> Words:
        """The facts about a file's language."""
        return self.roles(file).words

    def runtime(self, file: int) -> str:
        """What runs the code of a file: files that share it call each other."""
        return self.roles(file).words.runtime

    # -- expressions ---------------------------------------------------------------------------------------------------

    def static(self, file: int, number: int) -> tuple[Static, ...]:
        """What a name, or a chain of members of one, means: classes, functions, modules and paths outside."""
        if number == NONE:
            return ()
        ref = (file, number)
        known = self._static.get(ref)
        if known is None:
            self._static[ref] = ()  # a name that is defined by itself means nothing
            known = self._static[ref] = self._resolve(file, number)
        return known

    def _resolve(self, file: int, number: int) -> tuple[Static, ...]:
        expr = self.store.files[file].facts.exprs[number]
        if isinstance(expr, facts.Name):
            return self.bare(file, expr.name, expr.block, expr.start)
        if isinstance(expr, facts.Member):
            of_object = self.static(file, expr.object)
            if not of_object and (path := self._library_type(file, number)):
                return (External(path),)
            return tuple(dict.fromkeys(found for one in of_object for found in self.member(one, expr.name)))
        if isinstance(expr, facts.Index):  # a generic type with its arguments
            return self.static(file, expr.object)
        if isinstance(expr, facts.Literal) and expr.type == "str" and isinstance(expr.value, str):
            return ()
        if isinstance(expr, facts.Function):
            record = self.store.files[file].facts.scopes[expr.scope]
            return (ClassValue(file, expr.scope) if record.kind == "class" else FunctionValue(file, expr.scope),)
        return ()

    def _library_type(self, file: int, number: int) -> str:
        """The path of a library's type that is written in full, "" for none: `redis.clients.jedis.Jedis` is that class
        also where a variable is called `redis`.
        """
        exprs = self.store.files[file].facts.exprs
        expr, parts = exprs[number], []
        while isinstance(expr, facts.Member):
            parts.append(expr.name)
            expr = exprs[expr.object]
        if not isinstance(expr, facts.Name) or not self.words(file).implicit_package:
            return ""
        path = ".".join((expr.name, *reversed(parts)))
        known = self.catalogue.type(path) or self.catalogue.constructor(path)
        return path if known else ""

    def bare(self, file: int, name: str, block: int, start: int) -> tuple[Static, ...]:
        """What a bare name means at a place."""
        names = self.names(file)
        found: dict[Static, None] = {}
        definitions = names.visible(name, block, start)
        for one in definitions:
            found.update(dict.fromkeys(self.of_definition(file, one.kind, one.number)))
        if definitions:
            return tuple(found)
        index = self.store.files[file]
        if any(index.facts.scopes[scope].receiver == name for scope in names.enclosing(block)):
            return ()
        for scope in names.enclosing(block):
            if scope in index.stars:
                values = self._of_stars(file, scope, name)
                if values is not None:
                    return values
        if self.words(file).implicit_package and "." not in name:
            if values := self.in_package(file, index.facts.package, name):
                return values
            if self.variables(file, index.facts.package, name):
                return ()
        return (External(name),)

    def _of_stars(self, file: int, scope: int, name: str) -> tuple[Static, ...] | None:
        """What the imports of all names in a scope give a name; None when none of them brings it in."""
        if self.words(file).star_names == "package":
            for item in self.store.files[file].stars[scope]:
                if values := self._of_package(file, item, name):
                    return values
                if self.variables(file, item.module, name):
                    return ()
            return None
        modules, outside = self.taken(file, scope)
        places: set[int] = set()
        for group in {one.number: one for one in map(self.reexports.group, modules)}.values():
            places.update(self.reexports.providers(group.number, self.local(group.number, name))[0])
        if places or outside or any(self.reexports.group(one).outside for one in modules):
            for item in self.store.files[file].stars[scope]:
                if values := self.of_star(file, item, name):
                    return values
                module = self.module(file, item)
                if isinstance(module, Module) and module.file in places and module.file != file:
                    return ()
        return None

    def taken(self, file: int, scope: int) -> tuple[list[int], list[External]]:
        """Whose names the imports of all names in a scope bring in: files of the project, and modules outside."""
        known = self._stars.get((file, scope))
        if known is None:
            known = self._stars[file, scope] = ([], [])
            if self.words(file).star_names != "package":
                for item in self.store.files[file].stars.get(scope, ()):
                    module = self.module(file, item)
                    if isinstance(module, External):
                        known[1].append(module)
                    elif module.file not in (NONE, file):
                        known[0].append(module.file)
        return known

    def variables(self, file: int, package: str, name: str) -> list[Scoped]:
        """Where a package of the project, or a class that `package` names, has a variable: (file, scope)."""
        found = [(one.number, 0) for one in self.store.in_package(package) if (0, name) in one.bindings]
        outer, _, last = package.rpartition(".")
        owners = self._in_package(file, outer, last) if last else ()
        found += [
            (one.file, one.scope)
            for one in owners
            if isinstance(one, ClassValue) and (one.scope, name) in self.store.files[one.file].bindings
        ]
        return found

    def of_definition(self, file: int, kind: str, number: int) -> tuple[Static, ...]:
        """What a definition gives a name, as far as names say."""
        record = self.store.files[file].facts
        if kind == "definition":
            is_class = record.scopes[number].kind == "class"
            return (ClassValue(file, number) if is_class else FunctionValue(file, number),)
        if kind == "import":
            return self.imported(file, record.imports[number])
        if kind == "assign":
            binding = record.bindings[number]
            if binding.value != NONE and not binding.path:
                if type(record.exprs[binding.value]) in (facts.Name, facts.Member, facts.Function):
                    return self.static(file, binding.value)
        return ()

    def member(self, owner: Static, name: str) -> tuple[Static, ...]:
        """`owner.name` as far as names say."""
        if isinstance(owner, External):
            return (External(f"{owner.dotted}.{name}" if name != "default" else owner.dotted),)
        if isinstance(owner, Module):
            return self.exported(owner.file, name) if owner.file != NONE else self._below(owner, name)
        if isinstance(owner, ClassValue):
            for base in self.line(owner.file, owner.scope):
                if isinstance(base, ClassValue):
                    for number in self.store.files[base.file].definitions.get((base.scope, name), ()):
                        is_class = self.store.files[base.file].facts.scopes[number].kind == "class"
                        return (ClassValue(base.file, number) if is_class else FunctionValue(base.file, number),)
        return ()

    def _below(self, folder: Module, name: str) -> tuple[Static, ...]:
        dotted = f"{folder.dotted}.{name}"
        path = self.store.modules.find(dotted, "")
        if path is not None and (other := self.store.by_path(path)) is not None:
            return (Module(other.number, dotted),)
        return (Module(NONE, dotted),) if self.store.modules.is_folder(dotted, "") else (External(dotted),)

    def dotted(self, file: int, number: int) -> str:
        """The import path outside the project that an expression names, "" for none."""
        return next((one.dotted for one in self.static(file, number) if isinstance(one, External)), "")

    # -- imports -------------------------------------------------------------------------------------------------------

    def imported(self, file: int, item: facts.Import) -> tuple[Static, ...]:
        """What an import gives its name."""
        words = self.words(file)
        index = self.store.files[file]
        if words.resolver == "package":
            if self.catalogue.is_library(item.module, index.facts.language):
                return (External(f"{item.module}.{item.name}" if item.name else item.module),)
            found = self.in_package(file, item.module, item.name)
            found = found or self.in_package(file, item.module, item.name, in_any_file=True)
            if found:
                return found
            if self.variables(file, item.module, item.name) or self.declaring(file, item.module, item.name):
                return ()
            return (External(f"{item.module}.{item.name}"),)
        base = self.module(file, item)
        if not item.name or (item.name == "default" and isinstance(base, External)):
            return (base,)
        if isinstance(base, Module) and base.file != NONE:
            found = self.exported(base.file, item.name)
            if not found and not words.explicit_exports:
                found = self.submodule(base, item.name)
            return found
        return self.member(base, item.name)

    def submodule(self, base: Module, name: str) -> tuple[Static, ...]:
        """The module of a name in a package of the project."""
        modules, path = self.store.modules, self.store.files[base.file].facts.path
        if not modules.is_package(path):
            return ()
        found = modules.find(f"{base.dotted}.{name}", path) if base.dotted else None
        found = modules.relative(name, 1, path)[1] or found
        other = self.store.by_path(found) if found else None
        return (Module(other.number, f"{base.dotted}.{name}"),) if other is not None else ()

    def module(self, file: int, item: facts.Import) -> Module | External:
        """The module that an import names: a file (or folder) of the project, or a path outside."""
        index = self.store.files[file]
        modules, path = self.store.modules, index.facts.path
        if self.words(file).resolver == "path":
            specifier = self.plain(file, item.module)
            found = modules.resolve(specifier, path)
            return self._file(found, specifier) if found is not None and found != path else External(specifier)
        if item.level:
            dotted, found = modules.relative(item.module, item.level, path)
            return self._file(found, dotted) if found else Module(NONE, dotted)
        if self.catalogue.is_library(item.module, index.facts.language):
            return External(item.module)
        found = modules.find(item.module, path)
        if found is not None and found != path:
            return self._file(found, item.module)
        return Module(NONE, item.module) if modules.is_folder(item.module, path) else External(item.module)

    def plain(self, file: int, module: str) -> str:
        """A module's name without the mark that it comes with the language."""
        mark = self.words(file).standard_mark
        return module.removeprefix(mark) if mark else module

    def _file(self, path: str, dotted: str) -> Module | External:
        other = self.store.by_path(path)
        return Module(other.number, dotted) if other is not None else External(dotted)

    def exported(self, file: int, name: str) -> tuple[Static, ...]:
        """What a module hands out under a name; re-exports are followed, each (module, name) once."""
        key = (file, name)
        known = self._exported.get(key)
        if known is None:
            self._exported[key] = ()
            found: dict[Static, None] = dict.fromkeys(self._own(file, name))
            if not found:
                modules, outside = self.reexports.providers(file, self.local(file, name))
                for other in modules:
                    found.update(dict.fromkeys(self._exported.get((other, name)) or self._own(other, name)))
                for module in outside:
                    if self.catalogue.exports(module.dotted, name):
                        found[External(f"{module.dotted}.{name}")] = None
            known = self._exported[key] = tuple(found)
        return known

    def _own(self, file: int, name: str) -> Iterable[Static]:
        """What the definitions of a module give a name that it hands out."""
        for one in self.names(file).definitions(0, self.local(file, name)):
            yield from self.of_definition(file, one.kind, one.number)

    def local(self, file: int, name: str) -> str:
        """The name of a module's scope under which it keeps what it hands out as `name`."""
        return f"{EXPORTS}.{name}" if self.words(file).explicit_exports else name

    def of_star(self, file: int, item: facts.Import, name: str) -> tuple[Static, ...]:
        """What an import of all names of a module gives a name."""
        if self.words(file).star_names == "package":
            return self._of_package(file, item, name)
        module = self.module(file, item)
        if isinstance(module, External):
            return (External(f"{module.dotted}.{name}"),) if self.catalogue.exports(module.dotted, name) else ()
        return self.exported(module.file, name) if module.file not in (NONE, file) else ()

    def _of_package(self, file: int, item: facts.Import, name: str) -> tuple[Static, ...]:
        if self.catalogue.exports(item.module, name):
            return (External(f"{item.module}.{name}"),)
        return self.in_package(file, item.module, name)

    # -- packages ------------------------------------------------------------------------------------------------------

    def in_package(self, file: int, package: str, name: str, *, in_any_file: bool = False) -> tuple[Static, ...]:
        """What a name of a package, or of a type that `package` names, means; () when the project has none. With
        `in_any_file` it is looked for in files of the package whose names do not tell.
        """
        looked_up = self._in_any_file if in_any_file else self._in_package
        if found := looked_up(file, package, name):
            return found
        outer, inner = package, [name]
        while outer:  # com.acme.Outer.Inner, com.acme.Constants.TIMEOUT
            outer, _, last = outer.rpartition(".")
            if values := looked_up(file, outer, last):
                for part in inner:
                    values = tuple(one for value in values for one in self.member(value, part))
                return values
            inner.insert(0, last)
        return ()

    def _in_package(self, file: int, package: str, name: str) -> tuple[Static, ...]:
        dotted = f"{package}.{name}" if package else name
        path = self.store.modules.find(dotted, self.store.files[file].facts.path, package=True)
        if path is not None and (other := self.store.by_path(path)) is not None and other.facts.package == package:
            if found := self._top_level(other, name):
                return found
        table = self._packages.get(package)
        if table is None:
            table = self._packages[package] = {}
            for other in self.store.in_package(package):
                for scope, each in other.definitions:
                    if scope == 0:
                        table.setdefault(each, other)
        return self._top_level(table[name], name) if name in table else ()

    def _in_any_file(self, file: int, package: str, name: str) -> tuple[Static, ...]:
        found = (self._top_level(other, name) for other in self.declaring(file, package, name))
        return next(filter(None, found), ())

    def declaring(self, file: int, package: str, name: str) -> tuple[FileIndex, ...]:
        """Files of a package that declare a name although they are called otherwise, where the language allows that."""
        words, index = self.words(file).declaring, self.store.files[file]
        if not words or not package or not name:
            return ()
        key = (posixpath.dirname(index.facts.path), package, name)
        if key not in self._sought:
            self._sought[key] = tuple(self._declared(index, package, name, words))
        return self._sought[key]

    def _declared(self, index: FileIndex, package: str, name: str, words: tuple[str, ...]) -> Iterator[FileIndex]:
        declared = tuple(f"{word} {name}" for word in words)
        for path in self.store.modules.of_package(package, index.facts.path, index.facts.package):
            if not self.store.has(path) and not self.store.mentions(path, declared):
                continue
            other = self.store.by_path(path)
            if other is not None and other.facts.package == package:
                if (0, name) in other.definitions or (0, name) in other.bindings:
                    yield other

    def _top_level(self, other: FileIndex, name: str) -> tuple[Static, ...]:
        found = [
            one
            for number in other.definitions.get((0, name), ())
            for one in self.of_definition(other.number, "definition", number)
        ]
        return tuple(found)

    # -- classes -------------------------------------------------------------------------------------------------------

    def line(self, file: int, scope: int) -> tuple[ClassValue | External, ...]:
        """A class and its bases, nearest first: classes of the project and paths outside."""
        key = (file, scope)
        known = self._lines.get(key)
        if known is None:
            line: dict[ClassValue | External, None] = {}
            waiting: list[ClassValue | External] = [ClassValue(file, scope)]
            is_chain = True
            while waiting:
                value = waiting.pop()
                if value in line:
                    is_chain = False
                    continue
                if isinstance(value, ClassValue) and not waiting:
                    if rest := self._lines.get((value.file, value.scope)):
                        before = len(line)
                        line.update(dict.fromkeys(rest))
                        is_chain = is_chain and len(line) == before + len(rest)
                        break
                line[value] = None
                if isinstance(value, ClassValue):
                    bases = self.store.files[value.file].facts.scopes[value.scope].bases
                    found = [one for base in bases for one in self._base(value.file, base)]
                    waiting.extend(one for one in reversed(found) if isinstance(one, ClassValue | External))
                    is_chain = is_chain and len(waiting) <= 1
            known = self._lines[key] = tuple(line)
            for at, one in enumerate(known[1:] if is_chain else (), 1):  # each with what is left of the chain
                if isinstance(one, ClassValue):
                    self._lines.setdefault((one.file, one.scope), known[at:])
        return known

    def _base(self, file: int, number: int) -> Sequence[Static]:
        """What the base of a class may be: one of several, where a condition chooses it."""
        if found := self.static(file, number):
            return found
        exprs = self.store.files[file].facts.exprs
        chosen = [exprs[number]]
        if isinstance(expr := exprs[number], facts.Name):
            bindings = self.store.files[file].facts.bindings
            visible = self.names(file).visible(expr.name, expr.block, expr.start)
            values = [bindings[one.number].value for one in visible if one.kind == "assign"]
            chosen = [exprs[one] for one in values if one != NONE]
        options = [one for choice in chosen if isinstance(choice, facts.Choice) for one in choice.options]
        return [one for option in options for one in self.static(file, option)]

    def project_line(self, file: int, scope: int) -> tuple[Scoped, ...]:
        """The class and its bases that belong to the project, nearest first."""
        key = (file, scope)
        known = self._project_lines.get(key)
        if known is None:
            line = self.line(file, scope)
            known = tuple((one.file, one.scope) for one in line if isinstance(one, ClassValue))
            self._project_lines[key] = known
        return known

    def subclasses(self, file: int, scope: int) -> list[Scoped]:
        """Classes of the loaded files derived from this one, directly or not, in the order of the project."""
        self._enter_classes()
        known = self._subclasses.get((file, scope))
        if known is None:
            found: dict[Scoped, None] = {}
            waiting: list[Scoped] = [(file, scope)]
            while waiting:
                one = waiting.pop()
                name = self.store.files[one[0]].facts.scopes[one[1]].name
                for candidate in self._derived.get(name, ()):
                    if candidate not in found and one in self._bases(*candidate):
                        found[candidate] = None
                        waiting.append(candidate)
            known = self._subclasses[file, scope] = sorted(found)
        return known

    def heirs(self, file: int, scope: int) -> frozenset[Scoped]:
        """The same, as a set."""
        found = self.subclasses(file, scope)
        known = self._heirs.get((file, scope))
        if known is None:
            known = self._heirs[file, scope] = frozenset(found)
        return known

    def is_method(self, name: str) -> bool:
        """Whether any class of the loaded files has a method of this name."""
        self._enter_classes()
        return name in self._method_names

    def _bases(self, file: int, scope: int) -> frozenset[Scoped]:
        """The classes of the project that a class names as its bases."""
        known = self._direct_bases.get((file, scope))
        if known is None:
            found = (
                one for base in self.store.files[file].facts.scopes[scope].bases for one in self.static(file, base)
            )
            known = frozenset((one.file, one.scope) for one in found if isinstance(one, ClassValue))
            self._direct_bases[file, scope] = known
        return known

    def _enter_classes(self) -> None:
        while self._derived_files < len(self.store.loaded):
            self._subclasses.clear()
            self._heirs.clear()
            index = self.store.loaded[self._derived_files]
            self._derived_files += 1
            self._method_names.update(name for _, name in index.definitions)
            aliases = {item.alias: item.name for item in index.facts.imports if item.name not in ("", "*")}
            for number, record in enumerate(index.facts.scopes):
                if record.kind == "class":
                    for base in record.bases:
                        expr = index.facts.exprs[base]
                        while isinstance(expr, facts.Index):
                            expr = index.facts.exprs[expr.object]
                        name = getattr(expr, "name", "")
                        for one in {name, aliases.get(name, name)}:
                            self._derived[one].append((index.number, number))

    def methods(self, file: int, scope: int, name: str) -> list[FunctionValue]:
        """The overloads of a method, looked for in a class and its bases; nearest first."""
        if not self.is_method(name):
            return []
        for owner in self.project_line(file, scope):
            if found := self.own_methods(*owner, name):
                return found
        return []

    def own_methods(self, file: int, scope: int, name: str) -> list[FunctionValue]:
        """The overloads of a method that a class itself defines."""
        index = self.store.files[file]
        numbers = index.definitions.get((scope, name), ())
        return [FunctionValue(file, one) for one in numbers if index.facts.scopes[one].kind == "function"]

    def constructors(self, file: int, scope: int) -> list[FunctionValue]:
        """Methods that run when an object of the class is made: its own, else those of the nearest base with any."""
        for owner in self.project_line(file, scope):
            if scopes := self.store.files[owner[0]].constructors.get(owner[1]):
                return [FunctionValue(owner[0], number) for number in scopes]
        return []

    def functions_in(self, file: int, scope: int) -> list[int]:
        """The functions that a class defines itself."""
        known = self._methods.get((file, 0))
        if known is None:
            known = defaultdict(list)
            for number, record in enumerate(self.store.files[file].facts.scopes):
                if record.kind == "function" and record.parent != NONE:
                    known[record.parent].append(number)  # type: ignore[index]
            self._methods[file, 0] = known
        return known.get(scope, [])  # type: ignore[call-overload,no-any-return]


def lasts(values: Iterable[str]) -> set[str]:
    """The last parts of dotted names."""
    return {value.rsplit(".", 1)[-1] for value in values}
