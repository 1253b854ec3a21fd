"""All knowledge in the form in which the linker asks for it: by import path, by method name, by language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from resplint.knowledge.ranges import version_in
from resplint.knowledge.records import (
    ClientLibrary,
    CommandModel,
    ConstructorModel,
    MethodModel,
    OptionModel,
    PipelineModel,
    RetryModel,
    Roles,
    TypeModel,
)


@dataclass(frozen=True)
class Factory:
    """What a callable of the project returns: the object of a constructor, with these options."""

    constructor: str
    options: Mapping[str, str | int | float | bool] = field(default_factory=dict)


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
    _roots: set[str] = field(default_factory=set)
    _methods: dict[tuple[str, str], list[MethodModel]] = field(default_factory=dict)
    method_names: set[str] = field(default_factory=set)
    """Every method name that may send a command or make a pipeline, script or client."""

    def __post_init__(self) -> None:
        for library in self.libraries.values():
            self._roots.update(library.library.imports)
            for type_ in library.type:
                for name in (type_.name, *type_.also):
                    self._types.setdefault(name, (library, type_))
            for constructor in library.constructor:
                for name in constructor.names:
                    self._constructors.setdefault(name, (library, constructor))
            for retry in library.retry:
                for name in retry.names:
                    self._retries.setdefault(name, retry)
            for method in library.method:
                for name in method.names:
                    self._methods.setdefault((library.library.name, name), []).append(method)
                    self.method_names.add(name)
            self.method_names.update(pipeline.method for pipeline in library.pipeline)
        self.method_names.update(command.lower().replace(" ", "_") for command in self.commands)

    def is_library(self, module: str) -> bool:
        """Whether a dotted module belongs to a client library."""
        return module.split(".", 1)[0] in self._roots

    def exports(self, module: str, name: str) -> bool:
        """Whether a library's module is known to have a name."""
        dotted = f"{module}.{name}"
        return dotted in self._constructors or dotted in self._types or dotted in self._retries

    def constructor(self, dotted: str) -> tuple[ClientLibrary, ConstructorModel] | None:
        """The constructor at an import path."""
        return self._constructors.get(dotted)

    def type(self, dotted: str) -> tuple[ClientLibrary, TypeModel] | None:
        """The type at an import path."""
        return self._types.get(dotted)

    def retry(self, dotted: str) -> RetryModel | None:
        """The retry or backoff policy at an import path."""
        return self._retries.get(dotted)

    def method(self, library: ClientLibrary, kind: str, name: str, version: str = "") -> MethodModel | None:
        """The method `name` of an object of this kind; a Redis command needs no entry of its own."""
        for method in self._methods.get((library.library.name, name), ()):
            if kind in method.on and (not version or version_in(version, method.versions)):
                return method
        if kind in ("client", "cluster", "pipeline") and (command := self.command_name(name)):
            return MethodModel((name,), command)
        return None

    def command_name(self, method: str) -> str:
        """`config_get` -> "CONFIG GET" when there is such a command, "" otherwise."""
        upper = method.upper()
        for candidate in (upper, upper.replace("_", " ", 1), upper.replace("_", "")):
            if candidate in self.commands:
                return candidate
        return ""

    def pipeline(self, library: ClientLibrary, kind: str, method: str, version: str) -> PipelineModel | None:
        """How `method` on an object of this kind starts a batch."""
        for pipeline in library.pipeline:
            if pipeline.method == method and kind in pipeline.on and version_in(version, pipeline.versions):
                return pipeline
        return None

    def option(self, library: ClientLibrary, option_set: str, role: str, version: str) -> OptionModel | None:
        """The option with a role in one version of a library."""
        for option in library.option_set.get(option_set, ()):
            if option.role == role and version_in(version, option.versions):
                return option
        return None

    def options(self, library: ClientLibrary, option_set: str, version: str) -> list[OptionModel]:
        """All options of a set that exist in one version."""
        return [option for option in library.option_set.get(option_set, ()) if version_in(version, option.versions)]


def top_level_modules(roles: Roles) -> set[str]:
    """Top-level modules that the names of a language's roles come from."""
    dotted = [name for pattern in roles.role for name in (*pattern.decorators, *pattern.registrars, *pattern.bases)]
    dotted += [*roles.memoised, *roles.memoised_per_object, *roles.injectors, *roles.delays, *roles.waits]
    return {name.split(".", 1)[0] for name in dotted if "." in name}
