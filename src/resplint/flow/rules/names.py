"""How values go by names: from a definition to its uses, out of a module and into those that import it."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING

from resplint.bind.binder import EXPORTS
from resplint.bind.narrowing import narrowed
from resplint.bind.reaching import Definition
from resplint.bind.values import ClassValue, Const, External, FunctionValue, Module
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow import nodes
from resplint.flow.core import Flow
from resplint.flow.nodes import Node
from resplint.flow.rules.members import WHOLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resplint.bind.index import FileIndex


_MOST_PAIRS = 10_000
"""Definitions of one variable, each with the uses that it reaches; with more, all of them reach every use."""


class NameEdges:
    """Edges from definitions to uses, within a file and across files."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._bind = flow.binder
        self._entered = 0
        self._importers: dict[str, list[tuple[int, int]]] = defaultdict(list)
        """Imported name, or last part of a module that is imported as a whole -> imports."""
        self._unresolved: dict[str, list[tuple[int, int]]] = defaultdict(list)
        """The same, for imports whose modules nobody has looked for yet: nothing of that name carries anything."""
        self._imports_of: dict[tuple[str, int | str], list[tuple[int, int]]] = defaultdict(list)
        """The same name, and the module or package -> imports."""
        self._of_module: dict[str, list[tuple[int, int]]] = defaultdict(list)
        """Last part of a module -> imports of single names from it, whose modules nobody has looked for yet."""
        self._parts_of: dict[int, list[tuple[int, int]]] = defaultdict(list)
        """Module -> imports of single names from it."""
        self._stars: list[tuple[int, int]] = []
        """Imports of all names whose modules nobody has looked for yet."""
        self._stars_of: dict[int | str, list[tuple[int, int]]] = defaultdict(list)
        """Module, or package, or class that a package names -> imports of all its names."""
        self._watching: dict[str, list[int]] = defaultdict(list)
        """Files by package."""
        self._open_exports: list[tuple[int, str]] = []
        self._open_by_key: dict[tuple[str, int | str], list[tuple[int, str]]] = defaultdict(list)
        """Name that an import may say, and the module or package -> the exports that carry something."""
        self._open_names: set[str] = set()
        self._open_in: dict[int | str, list[tuple[int, str]]] = defaultdict(list)
        """Module, or package -> the exports of it that carry something."""
        self._open_in_package: dict[str, list[tuple[int, str]]] = defaultdict(list)
        self._wholes_of: dict[int, list[Node]] = defaultdict(list)
        """Module -> the objects that it hands out as a whole, or takes over from those that do."""
        self._whole_names: set[str] = set()
        """Last parts of such modules."""
        self._modules_by_key: dict[tuple[str, int | str], int] = {}
        """Last part of a module, and the module, or what runs it where folders are modules -> a file that carries
        something."""
        self._static: dict[Node, tuple[int, int, str]] = {}
        """Field of a class that carries something -> file, class and name."""
        self._static_of: dict[str, list[Node]] = defaultdict(list)
        """Name of a class -> its fields that carry something."""
        self._static_by_name: dict[str, list[Node]] = defaultdict(list)
        self._modules_seen: set[int] = set()
        self._reached: dict[tuple[int, int, str], dict[Node, list[int]]] = {}

    # -- definitions ---------------------------------------------------------------------------------------------------

    def node(self, file: int, one: Definition) -> Node:
        """The node of a definition."""
        if one.kind == "parameter":
            record = self._flow.store.files[file].facts.scopes[one.scope]
            if record.receiver and record.belongs and record.parameters[one.number].name == record.receiver:
                return nodes.receiver(file, one.scope)
            return nodes.parameter(file, one.scope, one.number)
        if one.kind == "import":
            return nodes.imported(file, one.number)
        if one.kind == "definition":
            return nodes.definition(file, one.number)
        return nodes.binding(file, one.number)

    def to_uses(self, file: int, scope: int, name: str, source: Node) -> None:
        """From one definition of a variable to the uses that it reaches."""
        flow = self._flow
        uses = self._uses(file, scope, name)
        whole = nodes.any_of(file, scope, name)
        if whole in uses:
            flow.copy(source, whole)
        for use in uses.get(source, ()):
            self._to_use(file, use, source)
        record = flow.store.files[file].facts.scopes[scope]
        if record.kind == "class":
            flow.copy(source, nodes.field(file, scope, name))
        elif scope == 0:
            flow.copy(source, nodes.export(file, name))

    def _uses(self, file: int, scope: int, name: str) -> dict[Node, list[int]]:
        """Definition of a variable -> the uses that it reaches."""
        known = self._reached.get((file, scope, name))
        if known is None:
            known = self._reached[file, scope, name] = defaultdict(list)
            pairs = 0
            for use, definitions in self._bind.names(file).uses(scope, name):
                pairs += len(definitions)
                for one in dict.fromkeys(self.node(file, one) for one in definitions) if pairs <= _MOST_PAIRS else ():
                    known[one].append(use)
            if pairs > _MOST_PAIRS:
                known.clear()
                whole = nodes.any_of(file, scope, name)
                known[whole] = [use for use, definitions in self._bind.names(file).uses(scope, name) if definitions]
                for use in known[whole]:
                    self._to_use(file, use, whole)
        return known

    def _to_use(self, file: int, use: int, source: Node) -> None:
        """From a definition to one use: constants that the conditions around it exclude do not arrive."""
        flow = self._flow
        target = nodes.expression(file, use)
        index = flow.store.files[file]
        if source[0] == nodes.DEFINITION and index.facts.scopes[source[2]].is_accessor:
            flow.edges.calls.results(FunctionValue(file, source[2]), target, None)
            return  # a property under its bare name
        expr = index.facts.exprs[use]
        assert isinstance(expr, facts.Name)
        flow.came(target, source)
        flow.edge(source, target, partial(self._narrowed, index, expr))

    def _narrowed(self, index: FileIndex, expr: facts.Name, token: int) -> int | None:
        """What the conditions around a use leave of a value."""
        value = self._flow.values[token]
        if isinstance(value, Const) and narrowed(index, (value,), expr.name, expr.block, expr.start) != (value,):
            return None
        return token

    # -- modules -------------------------------------------------------------------------------------------------------

    def enter_files(self) -> None:
        """Take in files that were loaded since the last time, and give them what is exported to them already."""
        store = self._flow.store
        while self._entered < len(store.loaded):
            index = store.loaded[self._entered]
            self._entered += 1
            self._watching[index.facts.package].append(index.number)
            for number, item in enumerate(index.facts.imports):
                place = (index.number, number)
                if item.name == "*":
                    self._stars.append(place)
                else:
                    self._enter_import(place, item)
            if self._bind.words(index.number).implicit_package:
                for file, name in tuple(self._open_in_package.get(index.facts.package, ())):
                    if file != index.number:
                        self.to_free(index.number, name, nodes.export(file, name))
        if self._open_exports or self._static:
            self._enter_stars()

    def _enter_stars(self) -> None:
        """Find the modules of imports of all names, now that some module hands out something."""
        while self._stars:
            place = self._stars.pop()
            item = self._flow.store.files[place[0]].facts.imports[place[1]]
            if self._bind.words(place[0]).star_names == "package":
                self._stars_of[item.module].append(place)
                last = item.module.rpartition(".")[2]
                self._stars_of[f".{last}"].append(place)
                for source in tuple(self._static_of.get(last, ())):
                    self._static_star(source, place)
                key: int | str = item.module
            else:
                module = self._bind.module(place[0], item)
                if not isinstance(module, Module) or module.file in (NONE, place[0]):
                    continue
                key = module.file
                self._stars_of[key].append(place)
            for file, name in tuple(self._open_in.get(key, ())):
                self._star(*place, file, self._plain(file, name), nodes.export(file, name))

    def _enter_import(self, place: tuple[int, int], item: facts.Import) -> None:
        last = self._last(place[0], item.module)
        for key in {item.name or last, *((last,) if item.name == "default" else ())}:
            self._importers[key].append(place)
            self._unresolved[key].append(place)
            if key in self._open_names:
                self._resolve(key)
            for source in tuple(self._static_by_name.get(key, ())):
                self._static_import(source, place)
        if item.name:
            self._of_module[last].append(place)
            if last in self._whole_names:
                self._resolve_parts(last)

    def _resolve(self, key: str) -> None:
        """Look for the modules of the imports that say a name, now that something of that name carries something."""
        self._open_names.add(key)
        for place in self._unresolved.pop(key, ()):
            within = (key, self._bind.runtime(place[0]))
            if within in self._modules_by_key:
                self._take_module(self._modules_by_key[within], place)
            target = self._target(place)
            if target is not None:
                self._imports_of[key, target].append(place)
                for file, name in tuple(self._open_by_key.get((key, target), ())):
                    self._take(file, name, place)
                if (key, target) in self._modules_by_key:
                    self._take_module(self._modules_by_key[key, target], place)

    def _last(self, file: int, module: str) -> str:
        """The last part of a module's name, or of its path without a suffix."""
        if self._bind.words(file).resolver == "path":
            return _stem(module) if module.rsplit("/", 1)[-1] not in (".", "..") else ""
        return module.rsplit(".", 1)[-1]

    def _resolve_parts(self, last: str) -> None:
        """Look for the modules, whose names end so, of which imports take single names."""
        self._whole_names.add(last)
        for place in self._of_module.pop(last, ()):
            target = self._target(place)
            if isinstance(target, int):
                self._parts_of[target].append(place)
                for source in tuple(self._wholes_of.get(target, ())):
                    self._take_part(source, place)

    def _target(self, place: tuple[int, int]) -> int | str | None:
        """The module of an import, or its package."""
        item = self._flow.store.files[place[0]].facts.imports[place[1]]
        if self._bind.words(place[0]).resolver == "package":
            return item.module
        module = self._bind.module(place[0], item)
        return module.file if isinstance(module, Module) and module.file != NONE else None

    def exported(self, node: Node) -> None:
        """Consumers of what a module hands out."""
        _, file, name = node
        words = self._bind.words(file)
        if words.explicit_exports and not name.startswith(EXPORTS):
            return
        plain = self._plain(file, name)
        path = self._flow.store.files[file].facts.path
        sought = [plain]
        if words.explicit_exports and (name == EXPORTS or plain == WHOLE):
            sought = ["default", _stem(path), _folder(path), ""]
            for key in dict.fromkeys(sought):
                self._resolve_parts(key)
            self._wholes_of[file].append(node)
            for place in tuple(self._parts_of.get(file, ())):
                self._take_part(node, place)
        elif plain == "default":
            sought.append(_stem(path))
        self._open_exports.append((file, name))
        home = self._flow.store.files[file].facts.package if words.resolver == "package" else file
        for key in dict.fromkeys(sought):
            self._resolve(key)
            self._open_by_key[key, home].append((file, name))
            for place in tuple(self._imports_of.get((key, home), ())):
                self._take(file, name, place)
        self._enter_stars()
        if words.star_names == "package":
            taken: int | str = self._flow.store.files[file].facts.package
        else:
            taken = file
            group = self._bind.reexports.group(file)
            if len(group.members) > 1:
                whole = plain == EXPORTS and words.explicit_exports
                self._flow.copy(node, nodes.shared(group.number, WHOLE if whole else plain))
        self._open_in[taken].append((file, name))
        for place in tuple(self._stars_of.get(taken, ())):
            self._star(*place, file, plain, node)
        if words.implicit_package:
            package = self._flow.store.files[file].facts.package
            self._open_in_package[package].append((file, plain))
            for other in tuple(self._watching.get(package, ())):
                if other != file:
                    self.to_free(other, plain, node)
        self._flow.once(node, lambda: self.whole_module(file))

    def _plain(self, file: int, name: str) -> str:
        """The name under which others import what a module keeps under a name."""
        return name.removeprefix(EXPORTS + ".") if self._bind.words(file).explicit_exports else name

    def _take(self, file: int, name: str, place: tuple[int, int]) -> None:
        if self._fits(*place, file, name):
            self._flow.copy(nodes.export(file, name), nodes.imported(*place))

    def _take_part(self, source: Node, place: tuple[int, int]) -> None:
        """An import of a single name from a module that stands for one object gets its member."""
        flow = self._flow
        file = source[1]
        importer, number = place
        item = flow.store.files[importer].facts.imports[number]
        if item.name in ("", "default") or self._bind.runtime(importer) != self._bind.runtime(file):
            return
        module = self._bind.module(importer, item)
        if isinstance(module, Module) and module.file == file:
            if not self._bind.names(file).definitions(0, f"{EXPORTS}.{item.name}"):
                flow.edges.members.load_each(source, item.name, nodes.imported(*place), importer, NONE)

    def _fits(self, importer: int, number: int, file: int, name: str) -> bool:
        """Whether an import takes this export of a file."""
        item = self._flow.store.files[importer].facts.imports[number]
        words = self._bind.words(importer)
        if words.runtime != self._bind.runtime(file):
            return False
        if words.resolver == "package":
            package = self._flow.store.files[file].facts.package
            return (item.module, item.name) == (package, name)
        module = self._bind.module(importer, item)
        if not isinstance(module, Module) or module.file != file:
            return False
        if not words.explicit_exports:
            return item.name == name
        if name == EXPORTS:
            return item.name in ("", "default")
        return item.name == name.removeprefix(EXPORTS + ".")

    def _star(self, importer: int, number: int, file: int, plain: str, source: Node) -> None:
        """An import of all names of a module takes one that carries something."""
        flow = self._flow
        item = flow.store.files[importer].facts.imports[number]
        words = self._bind.words(importer)
        if words.star_names == "package":
            if self._bind.words(file).star_names == "package":
                self.to_free(importer, plain, source)
            return
        if item.scope == 0:
            if self._bind.reexports.group(importer) is self._bind.reexports.group(file):
                return  # it comes with what all of them share
            whole = plain == EXPORTS and self._bind.words(file).explicit_exports
            flow.copy(source, nodes.export(importer, self._bind.local(importer, WHOLE if whole else plain)))
        if words.star_names == "module":
            self.to_free(importer, plain, source)

    def shared(self, node: Node) -> None:
        """Modules that take over all names from each other share something: each hands it out, and its code sees it."""
        _, _, group, plain = node
        for member in self._bind.reexports.group(group).members:
            self._flow.copy(node, nodes.export(member, self._bind.local(member, plain)))
            if self._bind.words(member).star_names == "module":
                self.to_free(member, plain, node)

    def static_members(self, file: int, scope: int, name: str, source: Node) -> None:
        """A static member goes to the files that import it from its class."""
        if self._bind.words(file).resolver != "package":
            return
        if source in self._static:
            return
        self._static[source] = (file, scope, name)
        self._static_by_name[name].append(source)
        for place in tuple(self._importers.get(name, ())):
            self._static_import(source, place)
        last = self._flow.store.files[file].facts.scopes[scope].name
        self._static_of[last].append(source)
        self._enter_stars()
        for place in tuple(self._stars_of.get(f".{last}", ())):
            self._static_star(source, place)

    def _static_import(self, source: Node, place: tuple[int, int]) -> None:
        file, scope, _ = self._static[source]
        item = self._flow.store.files[place[0]].facts.imports[place[1]]
        if self._names_class(place[0], item.module, file, scope):
            self._flow.copy(source, nodes.imported(*place))

    def _static_star(self, source: Node, place: tuple[int, int]) -> None:
        file, scope, name = self._static[source]
        item = self._flow.store.files[place[0]].facts.imports[place[1]]
        if self._names_class(place[0], item.module, file, scope):
            self.to_free(place[0], name, source)

    def _names_class(self, importer: int, module: str, file: int, scope: int) -> bool:
        name = self._flow.store.files[file].facts.scopes[scope].name
        package, _, last = module.rpartition(".")
        return last == name and ClassValue(file, scope) in self._bind.in_package(importer, package, last)

    def to_free(self, file: int, name: str, source: Node) -> None:
        """To the uses of a bare name that its file does not bind."""
        for use in self._bind.names(file).free(name):
            self._flow.copy(source, nodes.expression(file, use))

    def whole_module(self, file: int) -> None:
        """A module that carries something is itself carried by those that import it as a whole."""
        if file in self._modules_seen or self._bind.words(file).resolver == "package":
            return
        self._modules_seen.add(file)
        path = self._flow.store.files[file].facts.path
        keys = {_stem(path), _folder(path)}
        if self._bind.words(file).resolver == "dotted":  # `import app` where app.cache carries something
            keys.update(path.rsplit(".", 1)[0].split("/")[:-1])
            for key in sorted(keys):  # whichever file it is, what folders above it mean is the same
                within = (key, self._bind.runtime(file))
                if within not in self._modules_by_key:
                    self._modules_by_key[within] = file
                    for place in tuple(self._importers.get(key, ())):
                        self._take_module(file, place)
                    self._open_names.add(key)
            return
        for key in sorted(keys):
            self._resolve(key)
            self._modules_by_key[key, file] = file
            for place in tuple(self._imports_of.get((key, file), ())):
                self._take_module(file, place)

    def _take_module(self, file: int, place: tuple[int, int]) -> None:
        """An import of a module, or of a folder that it lies in, as a whole."""
        importer, number = place
        if self._bind.runtime(importer) != self._bind.runtime(file):
            return
        within = self._bind.words(file).resolver == "dotted"
        for value in self._bind.imported(importer, self._flow.store.files[importer].facts.imports[number]):
            if isinstance(value, Module) and (value.file == file or within):
                self._flow.relevance.of_module(value)
                self._flow.put(nodes.imported(*place), value)

    # -- what comes in -------------------------------------------------------------------------------------------------

    def libraries(self, file: int) -> None:
        """References to client libraries: where every other value begins."""
        flow = self._flow
        index = flow.store.files[file]
        language = index.facts.language
        if not self._bind.words(file).owned_roots:
            self.qualified(file)
        self._borrowed(file)
        flow.edges.outside_clients.enter(file)
        flow.edges.missing_makers.enter(file)
        if flow.catalogue.factories:
            self.factories(file)
        for number, item in enumerate(index.facts.imports):
            module = self._bind.plain(file, item.module)
            if item.level:
                continue
            if not flow.catalogue.brings_in(module, item.name, language):
                if flow.catalogue.holds_client(module, item.name, index.by_name, language):
                    self._clients_in(file, module)
                continue
            if item.name == "*":
                for name in self._bind.names(file).by_name:
                    if flow.catalogue.exports(item.module, name):
                        for use in self._bind.names(file).free(name):
                            flow.put(nodes.expression(file, use), flow.edges.objects.outside(f"{item.module}.{name}"))
                continue
            for value in self._bind.imported(file, item):
                if isinstance(value, External):
                    flow.put(nodes.imported(file, number), flow.edges.objects.outside(value.dotted))

    def _clients_in(self, file: int, module: str) -> None:
        """Clients that are parts of a module which is imported as a whole: ``bun.redis``."""
        flow = self._flow
        index = flow.store.files[file]
        for name, numbers in index.by_name.items():
            dotted = f"{module}.{name}"
            if flow.catalogue.is_library(dotted, index.facts.language):
                for number in numbers:
                    if (
                        isinstance(index.facts.exprs[number], facts.Member)
                        and self._bind.dotted(file, number) == dotted
                    ):
                        flow.put(nodes.expression(file, number), flow.edges.objects.outside(dotted))

    def qualified(self, file: int) -> None:
        """Types and constructors of client libraries that are written with their whole path, without an import."""
        flow = self._flow
        names = self._bind.names(file).index.by_name
        for name in flow.catalogue.last_names & names.keys():
            for number in names[name]:
                expr = flow.store.files[file].facts.exprs[number]
                if isinstance(expr, facts.Member):
                    dotted = self._bind.dotted(file, number)
                    if flow.catalogue.type(dotted) or flow.catalogue.constructor(dotted):
                        flow.put(nodes.expression(file, number), External(dotted))

    def _borrowed(self, file: int) -> None:
        """Constructors of clients that hang on something of another library: ``cache.client.get_client``."""
        flow = self._flow
        names = self._bind.names(file).index.by_name
        for path, name in flow.catalogue.borrowed.items():
            for number in names.get(path.rpartition(".")[2], ()):
                expr = flow.store.files[file].facts.exprs[number]
                if isinstance(expr, facts.Member) and self._bind.dotted(file, number) == path:
                    flow.put(nodes.expression(file, number), External(name))

    def factories(self, file: int) -> None:
        """Functions whose result is a client because the user's configuration says so: those that a file defines, and
        those outside the project that it names.
        """
        flow = self._flow
        index = flow.store.files[file]
        lasts = {dotted.rsplit(".", 1)[-1] for dotted in flow.catalogue.factories}
        for scope, record in enumerate(index.facts.scopes):
            if record.kind != "class" and any(name.rsplit(".", 1)[-1] in lasts for name in index.callable_names(scope)):
                if flow.factory(FunctionValue(file, scope)) is not None:
                    flow.relevance.of_function(file, scope)
                    flow.edges.demand.function(file, scope)
        for number, item in enumerate(index.facts.imports):
            for value in self._bind.imported(file, item) if item.name in lasts else ():
                if isinstance(value, External) and flow.configured(value.dotted) is not None:
                    flow.put(nodes.imported(file, number), value)
        names = self._bind.names(file).index.by_name
        for name in sorted(lasts & names.keys()):
            for number in names[name]:
                dotted = self._bind.dotted(file, number)
                if dotted and flow.configured(dotted) is not None:
                    flow.put(nodes.expression(file, number), External(dotted))

    def definitions_of(self, file: int, number: int) -> Iterator[tuple[Definition, Node]]:
        """The definitions that reach a use of a name, with their nodes."""
        for one in self._bind.names(file).at(number):
            yield one, self.node(file, one)

    def seed_definition(self, file: int, scope: int) -> None:
        """A function or class is worth following: it flows from where it is defined."""
        flow = self._flow
        record = flow.store.files[file].facts.scopes[scope]
        is_class = record.kind == "class"
        value = ClassValue(file, scope) if is_class else FunctionValue(file, scope)
        if record.name and record.parent != NONE:
            parent = flow.store.files[file].facts.scopes[record.parent]
            if parent.kind == "class" and not is_class and isinstance(value, FunctionValue):
                owner = ClassValue(file, record.parent)
                bound = owner if record.belongs == "class" else flow.edges.objects.typed(file, record.parent)
                value = FunctionValue(file, scope, bound)
                if record.belongs != "class" and flow.edges.members.is_abstract(value):
                    for sub in self._bind.subclasses(file, record.parent):
                        for one in self._bind.own_methods(*sub, record.name):
                            written = FunctionValue(one.file, one.scope, flow.edges.objects.typed(*sub))
                            flow.put(nodes.definition(file, scope), written)
            flow.put(nodes.definition(file, scope), value)
        number = flow.store.files[file].function_expr.get(scope)
        if number is not None:
            flow.put(nodes.expression(file, number), value)


def _stem(path: str) -> str:
    """The name of a file without its suffix."""
    return path.rsplit("/", 1)[-1].split(".", maxsplit=1)[0]


def _folder(path: str) -> str:
    """The name of the folder that a file may stand for."""
    parts = path.split("/")
    return parts[-2] if len(parts) > 1 else ""
