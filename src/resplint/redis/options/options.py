"""How an object of a client library was configured: what was passed where, and what holds by default in the version in
use.
"""

from __future__ import annotations

import msgspec

from resplint.bind.values import (
    Const,
    LibraryObject,
    Ref,
    Value,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.flow.settings_text import as_constant
from resplint.knowledge.catalogue import Factory
from resplint.knowledge.client_versions import AssumedVersion, Versions
from resplint.knowledge.ranges import version_in
from resplint.knowledge.records.client_records import ClientLibrary, OptionModel
from resplint.redis.options.ambient import Ambient, shortest
from resplint.redis.options.arguments import Arguments, Option
from resplint.redis.options.said import BeanValue
from resplint.redis.options.setters import Setters
from resplint.redis.settings import Settings, SettingsEntry

_HOLDS_CONNECTIONS = ("pool", "connection", "client", "cluster")


class Options:
    """Looks options up by their role (read_timeout, pool_max, retry, …)."""

    def __init__(self, evaluator: Graph, versions: Versions) -> None:
        self._ev = evaluator
        self._versions = versions
        self.settings = Settings(evaluator)
        self.arguments = Arguments(evaluator)
        self.setters = Setters(evaluator)
        self.ambient = Ambient(evaluator, self.setters.provided)

    def version(self, value: LibraryObject, file: int = NONE) -> AssumedVersion:
        """The version to assume for an object that is used in `file`, where that is known."""
        return self._ev.version(value, self._ev.store.first if file == NONE else file)

    def version_at(self, library: ClientLibrary, path: str) -> AssumedVersion:
        """The version to assume for a library in a file."""
        return self._versions(library, path)

    def version_owner(self, library: ClientLibrary) -> ClientLibrary:
        """The library whose version decides the defaults."""
        return self._ev.catalogue.libraries.get(library.library.version_owner, library)

    def default_varies(self, library: ClientLibrary, model: OptionModel) -> bool:
        """Whether an option has another default in other versions of a library."""
        for models in library.option_set.values():
            same = [one for one in models if (one.name, one.role) == (model.name, model.role)]
            if any(one.versions == model.versions for one in same) and len({one.default for one in same}) > 1:
                return True
        return False

    def unbounded_before(self, value: LibraryObject, model: OptionModel, absent: str = "unbounded") -> str:
        """The release up to which an option that has a bound by default had none (a default that is `absent`); "" when
        there is no such release, or the project says which one it uses. A range that allows an older release says no
        more than none.
        """
        constructor, version = value.origin.constructor, self.version(value)
        if constructor is None or version.source not in ("none", "manifest") or version.managed_by or version.exact:
            return ""
        for other in value.origin.library.option_set.get(constructor.options, ()):
            same = (other.name, other.role) == (model.name, model.role)
            allowed = not version.spec or any(version_in(one, other.versions) for one in version.allowed)
            if same and allowed and other.default == absent and other.versions.startswith("<"):
                return other.versions.lstrip("<=")
        return ""

    def find(self, value: LibraryObject, role: str, file: int | None = None) -> Option | None:
        """The option with this role, None when the object has none or was not seen being made. `file` is where the
        object is used.
        """
        frames = value.via if value.subclass is None or value.made is None else (*value.via, value.made)
        if not frames:
            return self._find(value, role, file)
        with self._ev.under(frames):
            return self._find(value, role, file)

    def _find(self, value: LibraryObject, role: str, file: int | None = None) -> Option | None:
        constructor = value.origin.constructor
        if value.origin.factory is not None and constructor is not None:
            return self._of_factory(value, value.origin.factory, constructor.options, role)
        if constructor is not None and constructor.settings:
            entry = self._entry(value)
            return self.of_entry(entry, role) if entry is not None else None
        sources = self.sources(value)
        found = self._nearest(sources, role)
        if found is not None:
            return found
        if value.parent is not None and not self._has_setters(value):
            return self.find(value.parent, role, file)
        return self._unseen(sources, role, file)

    def _nearest(self, sources: list[LibraryObject], role: str) -> Option | None:
        """The option that is given nearest to the object; else what holds without."""
        standing: list[Option] = []
        models: list[OptionModel] = []
        for source in sources:
            models = self._models(source, role) or models
            options = [option for model in models if (option := self._own(source, model, role)) is not None]
            option = shortest(options, role)
            if option is not None and option.given:
                return option
            standing += [option] if option is not None else []
        return next((option for option in standing if option.unknown), standing[0] if standing else None)

    def _unseen(self, sources: list[LibraryObject], role: str, file: int | None) -> Option | None:
        """An option of an object of which only the declared type is known."""
        if file is None:
            file = next((one.made[0] for one in sources if one.made is not None), self._ev.store.first)
        for source in reversed(sources):
            if source.made is None and source.subclass is None:
                option = self.ambient.option(source, role, file, self.find)
                if option is not None:
                    return option
        return None

    def sources(self, value: LibraryObject) -> list[LibraryObject]:
        """The object and what configures it, nearest first."""
        return self.setters.sources(value) if self._has_setters(value) else [value]

    def cut_blocking(self, value: LibraryObject, file: int) -> bool | None:
        """Whether the read timeout also cuts blocking commands over an object, as what it is made of says."""
        sources = self.sources(value)
        for source in sources:
            if source.origin.type.blocking_uses_read_timeout is not None:
                return source.origin.type.blocking_uses_read_timeout
        ambient = [one for one in sources if one.made is None and one.origin.type.ambient]
        return self.ambient.cut_by_driver(ambient[-1], file, self.cut_blocking) if ambient else None

    def _has_setters(self, value: LibraryObject) -> bool:
        return self._ev.catalogue.uses_setters(value.origin.library.library.name)

    def _models(self, value: LibraryObject, role: str) -> list[OptionModel]:
        """The options with a role in the set that configures an object, at the version in use."""
        constructor, method = value.origin.constructor, value.origin.method
        option_set = constructor.options if constructor else method.options if method else ""
        if not option_set:
            return []
        version = self.version(value).version
        keywords_only = constructor is not None and constructor.keywords_only
        return [
            self._placed(model, version, keywords_only)
            for model in self._ev.catalogue.options(value.origin.library, option_set, version)
            if model.role == role
        ]

    def _placed(self, model: OptionModel, version: str, keywords_only: bool) -> OptionModel:
        """An option with its positions in one version."""
        places = tuple(one for one in model.positional if version_in(version, one.versions))
        return msgspec.structs.replace(model, positional=() if keywords_only else places)

    def _own(self, value: LibraryObject, model: OptionModel, role: str) -> Option | None:
        """An option as the call that made the object, and what was set on the object, say."""
        found = self._constructed(value)
        if found is not None:
            file, call, _ = found
            constructor, method = value.origin.constructor, value.origin.method
            if method is not None and value.parent is not None and not self._has_setters(value):
                return self._of_derived(file, call, model, value.parent, role, method.mapping)
            mapping = constructor is not None and constructor.mapping
            option = self.arguments.argument(file, call, model, mapping)
            made = self._ev.store.expr(value.made) if value.made is not None and value.subclass is not None else None
            if option.unknown and value.made is not None and isinstance(made, facts.Call) and made is not call:
                # A derived class hands on what it is given: super().__init__(*args, **kwargs)
                own = self.arguments.argument(value.made[0], made, model, mapping)
                option = own if own.given else option
            if option.given or not model.setters:
                return option
        settings = self.setters.on(value, model.setters, model.name) if model.setters else []
        if settings:
            return self.arguments.measured(settings[-1].file, settings[-1].arguments, model)
        if found is None and value.kind != "config":
            return None
        constructor = value.origin.constructor
        read = constructor is not None and constructor.opaque  # from a file, with whatever that says
        return Option(model, unknown=read or (bool(model.setters) and self.setters.unclear(value)))

    def every(self, value: LibraryObject, roles: tuple[str, ...]) -> list[Option]:
        """All options with one of these roles that are given for an object."""
        found: list[Option] = []
        models: list[OptionModel] = []
        for source in self.sources(value):
            constructor, method = source.origin.constructor, source.origin.method
            option_set = constructor.options if constructor else method.options if method else ""
            version = self.version(source).version
            if option_set:
                known = self._ev.catalogue.options(source.origin.library, option_set, version)
                models = [one for one in known if one.role in roles]
            for model in models:
                if (option := self._own(source, model, model.role)) is not None:
                    found.append(option)
        return found

    def set_on(self, value: LibraryObject, model: OptionModel) -> Option | None:
        """What the setters of an option say on an object, or on what it was built from."""
        for source in self.setters.sources(value):
            if settings := self.setters.on(source, model.setters, model.name):
                return self.arguments.measured(settings[-1].file, settings[-1].arguments, model)
        return None

    def _of_factory(self, value: LibraryObject, factory: Factory, option_set: str, role: str) -> Option | None:
        """An option as the configuration describes the factory; what it does not name is unknown."""
        model = self._ev.catalogue.option(value.origin.library, option_set, role, self.version(value).version)
        if model is None or model.name not in factory.options:
            return Option(model, unknown=True) if model is not None else None
        given = factory.options[model.name]
        kind = {bool: "bool", int: "int", float: "float", str: "str"}[type(given)]
        return Option(model, (Const(given, kind, value.made or (0, NONE)),), True)

    def _entry(self, value: LibraryObject) -> SettingsEntry | None:
        """The settings entry that configures what an accessor hands out."""
        constructor = value.origin.constructor
        expr = self._ev.store.expr(value.made) if value.made else None
        if constructor is None or value.made is None or not isinstance(expr, facts.Call):
            return None
        alias = "default"
        positional = [item.value for item in expr.arguments if item.name in ("", constructor.alias_parameter)]
        if len(positional) > constructor.alias_index >= 0:
            names = self._ev.values(value.made[0], positional[constructor.alias_index])
            texts = [name.value for name in names if isinstance(name, Const)]
            alias = str(texts[0]) if len(texts) == 1 and len(names) == 1 else ""
        return self.settings.by_alias(constructor.settings, alias)

    def of_entry(self, entry: SettingsEntry, role: str) -> Option | None:
        """The option with this role of the pool that a settings entry describes."""
        known = self._ev.catalogue.constructor(self.settings.pool_constructor(entry))
        if known is None:
            return None
        library, constructor = known
        path = self._ev.store.files[entry.ref[0]].facts.path
        version = self._versions(self.version_owner(library), path).version
        model = self._ev.catalogue.option(library, constructor.options, role, version)
        if model is None:
            return None
        place = self.settings.option(entry, model.name)
        if place is not None:
            return self.arguments.given(place[0], place[1], model)
        return Option(model, unknown=self.settings.opaque(entry))

    def _of_derived(
        self, file: int, call: facts.Call, model: OptionModel, parent: LibraryObject, role: str, mapping: bool
    ) -> Option | None:
        """A client that another object makes (`Sentinel.master_for`): its own keywords, else those of the maker."""
        own = self.arguments.argument(file, call, model, mapping)
        if own.given or own.unknown:
            return own
        named = [one for one in self._models(parent, role) if one.name == model.name]
        inherited = (self._own(parent, named[0], role) or self.find(parent, role)) if named else self.find(parent, role)
        if inherited is None or not (inherited.given or inherited.unknown):
            made = self._ev.store.expr(parent.made) if parent.made is not None else None
            return (
                self.arguments.argument(parent.made[0], made, model)
                if parent.made and isinstance(made, facts.Call)
                else own
            )
        return inherited

    def of_beans(self, file: int, role: str) -> list[tuple[ClientLibrary, BeanValue, Option]]:
        """The options with a role that files give to the pools and pool configurations which a framework makes for a
        source file's module, each with the library that it belongs to.
        """
        path, found = self._ev.store.files[file].facts.path, []
        for suffix in self._ev.roles(file).bean_files:
            for one in self.ambient.application.beans(path, suffix):
                library = self._of_bean(one)
                setter = f"set{one.key[:1].upper()}{one.key[1:]}"
                models = [model for models in library.option_set.values() for model in models] if library else []
                model = next((model for model in models if model.role == role and setter in model.setters), None)
                if library is not None and model is not None and one.text is not None:
                    option = Option(model, (as_constant(one.text, (0, NONE), True),), True, said=(one,))
                    found.append((library, one, option))
        return found

    def _of_bean(self, bean: BeanValue) -> ClientLibrary | None:
        """The client library that a described object belongs to, by its class or, where that may hold anything, by the
        classes of those that are given it.
        """
        known = self._ev.catalogue.constructor(bean.class_name)
        if known is None:
            return None
        library, constructor = known
        made = self._ev.catalogue.type(constructor.makes)
        if made is None or made[1].kind not in ("config", "pool"):
            return None
        holds = any(one.kind in _HOLDS_CONNECTIONS for one in library.type)
        users = (self._ev.catalogue.constructor(user) for user in bean.users)
        if holds or any(user is not None and user[0] is not library for user in users):
            return library
        return None

    def pool_of(self, value: LibraryObject) -> LibraryObject | None:
        """The pool that a client was given, when it is known."""
        option = self.find(value, "pool")
        for one in option.values if option else ():
            if isinstance(one, LibraryObject) and one.kind == "pool":
                return one
        return None

    def shares_pool(self, value: LibraryObject) -> bool:
        """Whether a client was given a pool, whatever it is (but not when that pool may be None)."""
        option = self.find(value, "pool")
        if option and option.given and not all(_is_none(one) for one in option.values):
            return True
        if (option is None and self._passes_pool(value)) or self._gets_pool(value):
            return True
        found = self._constructed(value) if self._has_setters(value) else None
        if found is None:
            return False
        file, call, _ = found
        given = [one for item in call.arguments for one in self._ev.values(file, item.value)]
        return any(isinstance(one, LibraryObject) and one.kind in _HOLDS_CONNECTIONS for one in given)

    def _passes_pool(self, value: LibraryObject) -> bool:
        """Whether the call that made a client names a pool, as other clients of the library take one: then it is not
        this client that is made.
        """
        made = self._ev.store.expr(value.made) if value.made is not None else None
        return isinstance(made, facts.Call) and any(item.name in _pool_names(value) for item in made.arguments)

    def _gets_pool(self, value: LibraryObject) -> bool:
        """Whether code puts another pool into a client under the name by which clients take one, where the client was
        made: ``client.connection_pool = shared``.
        """
        if value.made is None:
            return False
        index = self._ev.store.files[value.made[0]]
        home = index.function_of(index.facts.exprs[value.made[1]].block)
        for write in (one for name in _pool_names(value) for one in index.writes_by_name.get(name, ())):
            target = index.facts.exprs[write.target]
            if isinstance(target, facts.Member) and index.function_of(write.block) == home:
                held = self._ev.values(index.number, target.object)
                if any(isinstance(one, LibraryObject) and one.made == value.made for one in held):
                    return True
        return False

    def effective(self, value: LibraryObject, role: str, file: int | None = None) -> Option | None:
        """The option of the object, or of the pool that it was given."""
        pool = self.pool_of(value)
        if pool is not None:
            return self.find(pool, role, file)
        if not self._has_setters(value) and self.shares_pool(value):
            return None
        return self.find(value, role, file)

    def _constructed(self, value: LibraryObject) -> tuple[int, facts.Call, str] | None:
        """(file, call, option set) of the call whose arguments configure the object."""
        if value.made is None:
            return None
        constructor, method = value.origin.constructor, value.origin.method
        option_set = constructor.options if constructor else method.options if method else ""
        if not option_set:
            return None
        file, number = value.made
        if value.subclass is not None and (inner := self._super_init(*value.subclass)):
            file, number = inner
        expr = self._ev.store.expr((file, number))
        return (file, expr, option_set) if isinstance(expr, facts.Call) else None

    def _super_init(self, file: int, scope: int) -> Ref | None:
        """The call by which the constructor of a derived class configures its base."""
        makers = self._ev.classes.constructors(file, scope)
        if not makers:
            return None
        method = makers[0]
        index = self._ev.store.files[method.file]
        name = index.facts.scopes[method.scope].name
        for number in index.calls:
            expr = index.facts.exprs[number]
            assert isinstance(expr, facts.Call)
            callee = index.facts.exprs[expr.callee]
            if (
                isinstance(callee, facts.Member)
                and callee.name == name
                and index.function_of(expr.block) == method.scope
            ):
                return (method.file, number)
        return None


def _is_none(value: Value) -> bool:
    return isinstance(value, Const) and value.value is None


def _pool_names(value: LibraryObject) -> set[str]:
    """The names by which clients of a library take a pool."""
    models = [model for models in value.origin.library.option_set.values() for model in models]
    return {model.name for model in models if model.role == "pool"}
