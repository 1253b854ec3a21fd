"""All knowledge in the form in which the linker asks for it: by import path, by method name, by language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import msgspec

from resplint.knowledge.ranges import version_in
from resplint.knowledge.records.batch_records import PipelineModel
from resplint.knowledge.records.client_records import (
    Advice,
    ClientLibrary,
    ConstructorModel,
    MethodModel,
    OptionModel,
    RetryModel,
    TypeModel,
)
from resplint.knowledge.records.command_records import CommandModel
from resplint.knowledge.records.role_records import Roles

_ENDS = re.compile(r"(?<=.)(?=[./])|$")
"""Where a module's name may end: in front of each dot or slash, and at its end."""


@dataclass(frozen=True)
class Factory:
    """What a callable of the project returns: the object of a constructor, with these options."""

    constructor: str
    options: Mapping[str, str | int | float | bool] = field(default_factory=dict)


SENDING = ("client", "cluster", "pipeline", "connection", "batch")
"""Kinds of objects whose methods send (or queue) commands."""


_WHOLE = ("", "*", "default")
"""What an import names that brings in a module as a whole."""
_UNKNOWN = CommandModel(access="none", key=-1)


class _Typed(Protocol):
    """Anything that says of which library and type an object is."""

    @property
    def library(self) -> ClientLibrary: ...

    @property
    def type(self) -> TypeModel: ...


@dataclass(frozen=True)
class _Pair:
    library: ClientLibrary
    type: TypeModel


@dataclass(frozen=True)
class Catalogue:
    """Libraries by name, commands by name, roles by language."""

    libraries: Mapping[str, ClientLibrary]
    commands: Mapping[str, CommandModel]
    roles: Mapping[str, Roles]
    foreign: frozenset[str] = frozenset()
    """Top-level modules that exist outside any project."""
    factories: Mapping[str, Factory] = field(default_factory=dict)
    """Dotted callable -> what it returns, from the user's configuration."""
    _constructors: dict[str, tuple[ClientLibrary, ConstructorModel]] = field(default_factory=dict)
    _types: dict[str, tuple[ClientLibrary, TypeModel]] = field(default_factory=dict)
    _retries: dict[str, RetryModel] = field(default_factory=dict)
    _objects: dict[str, tuple[ClientLibrary, TypeModel]] = field(default_factory=dict)
    pools_of_anything: set[str] = field(default_factory=set)
    """Types of pools that hold what the project makes for them."""
    plugging: set[str] = field(default_factory=set)
    """Names of methods that take a plugin which makes a client."""
    _roots: dict[str, set[str]] = field(default_factory=dict)
    _all_roots: set[str] = field(default_factory=set)
    _methods: dict[tuple[str, str], list[MethodModel]] = field(default_factory=dict)
    _lines: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    _fixing: set[str] = field(default_factory=set)
    _overloaded: dict[str, list[ConstructorModel]] = field(default_factory=dict)
    _script_names: set[str] = field(default_factory=set)
    _role_names: set[str] = field(default_factory=set)
    """Names that a language's roles know, and the classes they belong to."""
    _with_suffixes: list[ClientLibrary] = field(default_factory=list)
    _holders: set[str] = field(default_factory=set)
    """Classes that have static members which are known: factories, constants."""
    _first_words: set[str] = field(default_factory=set)
    """First words of commands that have two, for clients that take the second as an argument."""
    _module_words: set[str] = field(default_factory=set)
    """What the names of modules' commands end with, for clients that have the module as a member."""
    _setters: set[str] = field(default_factory=set)
    _setting_libraries: set[str] = field(default_factory=set)
    _set_in: set[str] = field(default_factory=set)
    _compact: dict[str, str] = field(default_factory=dict)
    method_names: set[str] = field(default_factory=set)
    """Every method name with an entry."""
    _library_modules: dict[tuple[str, str], bool] = field(default_factory=dict)
    _sending: dict[str, bool] = field(default_factory=dict)
    _known_limited: dict[str, frozenset[str]] = field(default_factory=dict)
    _known_overloads: dict[tuple[str, str, str, str], list[MethodModel]] = field(default_factory=dict)
    """What was asked before: projects ask about few names, and about each of them often."""

    def __post_init__(self) -> None:
        for library in self.libraries.values():
            self._all_roots.update(library.library.imports)
            for language in library.library.languages:
                self._roots.setdefault(language, set()).update(library.library.imports)
            for type_ in library.type:
                for name in (type_.name, *type_.also):
                    self._types.setdefault(name, (library, type_))
                for name in type_.objects:
                    self._objects.setdefault(name, (library, type_))
            for constructor in library.constructor:
                if constructor.plugs is not None:
                    self.plugging.add(constructor.plugs.method)
                for name in constructor.names:
                    self._constructors.setdefault(name, (library, constructor))
                    self._holders.add(name.rpartition(".")[0])
                    self._overloaded.setdefault(name, []).append(constructor)
                    if constructor.script_index >= 0 or constructor.script_path:
                        self._script_names.add(name.rsplit(".", 1)[-1])
            for retry in library.retry:
                for name in retry.names:
                    self._retries.setdefault(name, retry)
                    self._holders.add(name.rpartition(".")[0])
            errors = library.errors
            self._holders.update((*errors.connection, *errors.unready, *errors.any, *errors.conflict))
            self._holders.update(name.rpartition(".")[0] for name in _static_names(library))
            if library.library.suffixes:
                self._with_suffixes.append(library)
            self._fixing.update(name for method in library.method if method.retry_delay for name in method.names)
            for method in library.method:
                if method.returns_element and not method.returns:
                    self.pools_of_anything.update(method.of)
                if method.script_path:
                    self._script_names.update(method.names)
                for name in method.names:
                    self._methods.setdefault((library.library.name, name), []).append(method)
                    self.method_names.add(name)
            self.method_names.update(pipeline.method for pipeline in library.pipeline)
            names = {name for options in library.option_set.values() for one in options for name in one.setters}
            names.update(name for method in library.method if method.wait for name in method.wait.setters)
            if names:
                self._setters.update(names)
                self._set_in.update(library.library.languages)
                self._setting_libraries.add(library.library.name)
        for roles in self.roles.values():
            for name in _names_of(roles):
                while "." in name and name not in self._role_names:  # then the classes around it are known, too
                    self._role_names.add(name)
                    name = name.rpartition(".")[0]  # noqa: PLW2901
        self._first_words.update(command.split(" ", 1)[0] for command in self.commands if " " in command)
        self._module_words.update(command.split(".", 1)[1] for command in self.commands if "." in command)
        for command in self.commands:
            self._compact.setdefault(command.replace(" ", "").replace("-", "").replace(".", ""), command)

    def forget(self) -> None:
        """Drop what was asked before: another project asks about other names."""
        for asked in (self._library_modules, self._sending, self._known_overloads):
            asked.clear()

    def leads_to_client(self, dotted: str) -> bool:
        """Whether an import path lies in a client library, or the user's configuration says that it gives a client."""
        return self.is_library(dotted) or any(dotted == one or dotted.endswith("." + one) for one in self.factories)

    def is_library(self, module: str, language: str = "") -> bool:
        """Whether a module, dotted or a path, belongs to a client library of a language (default: of any)."""
        key = (module, language)
        known = self._library_modules.get(key)
        if known is None:
            roots = self._roots.get(language, set()) if language else self._all_roots
            known = any(module[: match.start()] in roots for match in _ENDS.finditer(module))
            self._library_modules[key] = known
        return known

    def brings_in(self, module: str, name: str, language: str) -> bool:
        """Whether an import brings in a client library, or a client that is a part of something else:
        ``import { redis } from 'bun'``.
        """
        return self.is_library(module, language) or bool(name and self.is_library(f"{module}.{name}", language))

    def holds_client(self, module: str, name: str, members: Iterable[str], language: str) -> bool:
        """Whether an import of a module as a whole brings in a client that is a part of it, of which `members` are the
        parts that are named: ``import * as bun from 'bun'`` and ``bun.redis``.
        """
        if name not in _WHOLE or not self.leads_on(module):
            return False
        return any(self.is_library(f"{module}.{one}", language) for one in members)

    def leads_on(self, dotted: str) -> bool:
        """Whether an import path is one of a library that is known, or begins one."""
        return dotted in self._beginnings

    @cached_property
    def _beginnings(self) -> frozenset[str]:
        found: set[str] = set()
        for table in (self._constructors, self._types, self._retries, self._holders, self._objects):
            for name in table:
                while name and name not in found:
                    found.add(name)
                    name = name.rpartition(".")[0]  # noqa: PLW2901
        return frozenset(found)

    def exports(self, module: str, name: str) -> bool:
        """Whether a library's module is known to have a name."""
        dotted = f"{module}.{name}"
        tables = (
            self._constructors, self._types, self._retries, self._holders, self._role_names, self._objects,
        )  # fmt: skip
        return any(dotted in table for table in tables)

    @cached_property
    def senders(self) -> dict[str, tuple[ClientLibrary, str]]:
        """Dotted callable that sends a command over a client which code never sees -> its library and the command."""
        return {
            name: (library, sender.command)
            for library in self.libraries.values()
            for sender in library.sender
            for name in sender.names
        }

    def constructor(self, dotted: str) -> tuple[ClientLibrary, ConstructorModel] | None:
        """The constructor at an import path."""
        return self._constructors.get(dotted)

    def constructors(self, dotted: str) -> list[ConstructorModel]:
        """All entries for the constructor at an import path: its overloads."""
        return self._overloaded.get(dotted, [])

    def carries_script(self, name: str) -> bool:
        """Whether a method or constructor of this name takes the text of a script in some library."""
        return name in self._script_names

    def type(self, dotted: str) -> tuple[ClientLibrary, TypeModel] | None:
        """The type at an import path."""
        return self._types.get(dotted)

    def object(self, dotted: str) -> tuple[ClientLibrary, TypeModel] | None:
        """The type of the object at an import path, which the library makes by itself."""
        return self._objects.get(dotted)

    @cached_property
    def last_names(self) -> frozenset[str]:
        """Last names of all types and of the classes that have constructors."""
        dotted = {*self._types, *self._constructors}
        return frozenset(name.rsplit(".", 1)[-1] for name in dotted)

    @cached_property
    def borrowed(self) -> Mapping[str, str]:
        """Constructors that another library's module has, such as the cache of a web framework: the path that code
        spells, without what stands in brackets -> their name.
        """
        return {name.replace("[]", ""): name for name in self._constructors if not self.is_library(name)}

    @cached_property
    def retry_names(self) -> frozenset[str]:
        """Last names of all retry and backoff policies."""
        return frozenset(dotted.rsplit(".", 1)[-1] for dotted in self._retries)

    def retry(self, dotted: str) -> RetryModel | None:
        """The retry or backoff policy at an import path."""
        return self._retries.get(dotted)

    def method(self, library: ClientLibrary, kind: str, name: str, version: str = "") -> MethodModel | None:
        """The method `name` of an object of this kind; a Redis command needs no entry of its own."""
        for method in self._methods.get((library.library.name, name), ()):
            if not method.of and kind in method.on and (not version or version_in(version, method.versions)):
                return method
        if kind in ("client", "cluster", "pipeline") and (command := self.command_name(name)):
            return MethodModel((name,), command)
        return None

    def overloads(self, origin: _Typed, name: str, version: str = "") -> list[MethodModel]:
        """The entries for a method of an object, those of its own type and its bases first; when there is none, the
        command of that name.
        """
        library, type_ = origin.library, origin.type
        key = (library.library.name, type_.name, name, version)
        found = self._known_overloads.get(key)
        if found is None:
            found = self._known_overloads[key] = self._find_overloads(library, type_, name, version)
        return found

    def _find_overloads(self, library: ClientLibrary, type_: TypeModel, name: str, version: str) -> list[MethodModel]:
        line = self.line(library.library.name, type_)
        fitting = [
            method
            for method in self._methods.get((library.library.name, name), ())
            if not version or version_in(version, method.versions)
        ]
        found = [method for one in line for method in fitting if one in method.of]
        found += [method for method in fitting if not method.of and type_.kind in method.on]
        if not found and type_.kind in SENDING and type_.speaks and (command := self._command_of(library, name)):
            found = [MethodModel((name,), command)]
        return found

    def _command_of(self, library: ClientLibrary, name: str) -> str:
        """The command that a method is named after, perhaps with an ending that changes nothing (``hgetallBuffer``)."""
        if command := self.command_name(name):
            return command
        compact = name.replace("_", "").lower()
        endings = (ending.replace("_", "").lower() for ending in library.library.suffixes)
        stems = (compact.removesuffix(ending) for ending in endings if compact.endswith(ending))
        return next((command for stem in stems if (command := self.command_name(stem))), "")

    def method_of(self, origin: _Typed, name: str, version: str = "") -> MethodModel | None:
        """The first of `overloads`."""
        return next(iter(self.overloads(origin, name, version)), None)

    def line(self, library: str, type_: TypeModel) -> tuple[str, ...]:
        """Names of a type and of those that it extends, nearest first."""
        key = (library, type_.name)
        if key not in self._lines:
            self._lines[key] = (type_.name,)
            line = [type_.name]
            for base in type_.extends:
                if known := self._types.get(base):
                    line += [one for one in self.line(known[0].library.name, known[1]) if one not in line]
            self._lines[key] = tuple(line)
        return self._lines[key]

    def begins_command(self, name: str) -> bool:
        """Whether a method name is the first word of a command that has two."""
        return name.upper() in self._first_words

    def has_setters(self, language: str) -> bool:
        """Whether a client library of a language is configured by calls on objects."""
        return language in self._set_in

    def fixes_delay(self, name: str) -> bool:
        """Whether a method of this name fixes the delay between attempts in some library."""
        return name in self._fixing

    def advice(self, library: ClientLibrary, version: str = "") -> Advice:
        """What findings advise for a library, or for the one that it rides on, in a version."""
        own = library.library.advice
        below = self.libraries.get(library.library.version_owner)
        found = below.library.advice if own == Advice() and below is not None else own
        earlier = found.earlier
        if earlier is None or not version or not version_in(version, earlier.versions):
            return found
        return msgspec.structs.replace(found, hash_scan=earlier.hash_scan, set_scan=earlier.set_scan)

    def uses_setters(self, library: str) -> bool:
        """Whether objects of a library are configured by calls on them."""
        return library in self._setting_libraries

    def sets(self, name: str) -> bool:
        """Whether a method of this name sets an option of some library."""
        return name in self._setters

    def may_send(self, name: str) -> bool:
        """Whether a method of this name may send a command, or make a pipeline, script or client."""
        known = self._sending.get(name)
        if known is None:
            known = bool(name in self.method_names or self.command_name(name) or name.upper() in self._first_words)
            known = known or name.replace("_", "").upper() in self._module_words
            known = known or any(self._command_of(library, name) for library in self._with_suffixes)
            self._sending[name] = known
        return known

    def knows_method(self, known: tuple[ClientLibrary, TypeModel], name: str) -> bool:
        """Whether objects of a type have a method that matters here."""
        return name in self._setters or self.method_of(_Pair(*known), name) is not None

    def command_name(self, method: str) -> str:
        """`config_get`, `configGet` -> "CONFIG GET", `json.get` -> "JSON.GET"; "" when there is no such command."""
        return self._compact.get(method.replace("_", "").replace(".", "").upper(), "")

    def is_telling(self, method: str) -> bool:
        """Whether a method has the name of a command that nothing but Redis has."""
        command = self.command_name(method)
        return bool(command) and self.commands[command].is_telling

    def command(self, name: str) -> CommandModel:
        """What is known of a command; nothing in particular of one that is not."""
        return self.commands.get(name, _UNKNOWN)

    def pipeline(self, origin: _Typed, method: str, version: str) -> PipelineModel | None:
        """How `method` on an object starts a batch."""
        line = self.line(origin.library.library.name, origin.type)
        for pipeline in origin.library.pipeline:
            if pipeline.method != method or not version_in(version, pipeline.versions):
                continue
            if any(one in line for one in pipeline.of) if pipeline.of else origin.type.kind in pipeline.on:
                return pipeline
        return None

    def executes(self, origin: _Typed, method: str) -> bool:
        """Whether `method` sends the batch that it is called on, and gives the replies."""
        made = [one for one in origin.library.pipeline if one.makes == origin.type.name]
        return any(method in one.execute or method in one.execute_plain for one in made)

    def is_limited(self, library: ClientLibrary, method: str) -> bool:
        """Whether a method of this name is known to exist in some versions of a library only."""
        return method in self._limited(library.library.name)

    def _limited(self, name: str) -> frozenset[str]:
        if name not in self._known_limited:
            library = self.libraries[name]
            methods = {one for method in library.method if method.versions for one in method.names}
            pipelines = {pipeline.method for pipeline in library.pipeline if pipeline.versions}
            self._known_limited[name] = frozenset(methods | pipelines)
        return self._known_limited[name]

    def has(self, origin: _Typed, method: str, version: str) -> bool:
        """Whether an object has a method in one version."""
        return bool(self.overloads(origin, method, version)) or self.pipeline(origin, method, version) is not None

    def option(self, library: ClientLibrary, option_set: str, role: str, version: str) -> OptionModel | None:
        """The option with a role in one version of a library."""
        for option in library.option_set.get(option_set, ()):
            if option.role == role and version_in(version, option.versions):
                return option
        return None

    def options(self, library: ClientLibrary, option_set: str, version: str) -> list[OptionModel]:
        """All options of a set that exist in one version."""
        return [option for option in library.option_set.get(option_set, ()) if version_in(version, option.versions)]


def _names_of(roles: Roles) -> list[str]:
    """Dotted names in the patterns and tables of a language's roles."""
    names = [
        name
        for pattern in roles.role
        for name in (
            *pattern.decorators, *pattern.registrars, *pattern.bases, *pattern.class_decorators,
            *pattern.parameter_types, *pattern.parameter_decorators,
        )
    ]  # fmt: skip
    tables = (
        roles.delays, roles.deferred, roles.durations, roles.units, roles.waits, roles.text_functions, roles.text_forms,
    )  # fmt: skip
    names += [name for table in tables for name in table]
    names += [name for one in roles.retry_decorator for name in (*one.names, *one.limits)]
    names += [name for function in roles.retry_function for name in function.names]
    names += [*roles.lazy, *roles.memoised, *roles.random, *roles.clock, *roles.configuration, *roles.file_text]
    names += [*roles.injected, *roles.injectors, *roles.singletons, *roles.settings_values, *roles.settings_classes]
    return [*names, *roles.request_scoped, *roles.request_data, *roles.reactive_types, *roles.made_per_run]


def _static_names(library: ClientLibrary) -> Iterator[str]:
    """Static members of the library's classes that it knows besides constructors."""
    yield from library.library.password_makers
    for cache in library.cache:
        yield from cache.names
    for options in library.option_set.values():
        for option in options:
            yield from (name for name in option.off if name.startswith(library.library.imports) and "." in name)


def framework_modules(roles: Roles) -> set[str]:
    """Modules that names come from which a language's roles know: a copy of one in a project means the same."""
    dotted = (name for pattern in roles.role for name in (*pattern.decorators, *pattern.registrars, *pattern.bases))
    return {name[:end] for name in dotted for end in (*(at for at, char in enumerate(name) if char == "."), len(name))}


def top_level_modules(roles: Roles) -> set[str]:
    """Top-level modules that the names of a language's roles come from; of packages the first part (`com`, `org`) says
    nothing about whose they are.
    """
    if not roles.words.owned_roots:
        return set()
    dotted = [name for pattern in roles.role for name in (*pattern.decorators, *pattern.registrars, *pattern.bases)]
    dotted += [*roles.memoised, *roles.memoised_per_object, *roles.injectors, *roles.delays, *roles.waits]
    return {name.split(".", 1)[0] for name in dotted if "." in name}
