"""Client libraries: read, completed by what they inherit, and checked for references that lead nowhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TypeVar

import msgspec

from resplint.contracts.errors import KnowledgeError
from resplint.knowledge.compiled import stored
from resplint.knowledge.files import read_record, rules_dir
from resplint.knowledge.ranges import parse_range, parse_version, version_in
from resplint.knowledge.records.base_records import Kind
from resplint.knowledge.records.batch_records import PipelineModel
from resplint.knowledge.records.client_records import (
    Advice,
    ClientLibrary,
    ErrorsSection,
    MethodModel,
    ReplacementModel,
)

_Ranged = TypeVar("_Ranged", MethodModel, PipelineModel, ReplacementModel)


@cache
def load_libraries(directory: Path | None = None) -> dict[str, ClientLibrary]:
    """Every library of ``clients/*.toml`` below `directory` (default: `rules_dir()`), by name.

    What a library inherits is merged into it.
    """
    known = stored("libraries", dict[str, ClientLibrary]) if directory is None else None
    if known is not None:
        return known
    folder = (directory or rules_dir()) / "clients"
    own = _read(folder)
    merged: dict[str, ClientLibrary] = {}
    for name in own:
        _merge(name, own, merged, folder, ())
    libraries = {name: _everywhere(merged[name]) for name in own}
    for name, library in libraries.items():
        problem = next(_problems(library, libraries), "")
        if problem:
            raise KnowledgeError(f"{_file(folder, name)}: {problem}")
    return libraries


def _file(folder: Path, name: str) -> Path:
    return folder / f"{name}.toml"


def _read(folder: Path) -> dict[str, ClientLibrary]:
    libraries: dict[str, ClientLibrary] = {}
    for path in sorted(folder.glob("*.toml")):
        library = read_record(path, ClientLibrary)
        if library.library.name != path.stem:
            raise KnowledgeError(f"{path}: library.name is {library.library.name!r}, the file name says {path.stem!r}")
        libraries[path.stem] = library
    if not libraries:
        raise KnowledgeError(f"{folder}: no client library found")
    return libraries


# -- inheritance --------------------------------------------------------------------------------------------


def _merge(
    name: str,
    own: Mapping[str, ClientLibrary],
    merged: dict[str, ClientLibrary],
    folder: Path,
    path: tuple[str, ...],
) -> ClientLibrary:
    if name in merged:
        return merged[name]
    if name in path:
        raise KnowledgeError(f"{_file(folder, name)}: library.inherits goes in a circle: {' -> '.join((*path, name))}")
    child = own[name]
    parent_name = child.library.inherits
    if parent_name and parent_name not in own:
        raise KnowledgeError(f"{_file(folder, name)}: library.inherits names {parent_name!r}, which is no file here")
    if parent_name:
        parent = _merge(parent_name, own, merged, folder, (*path, name))
        child = _completed(child, parent)
    merged[name] = child
    return child


def _advice(child: ClientLibrary, parent: ClientLibrary) -> Advice:
    """The advice of `child`, and that of `parent` where it gives none."""
    given = msgspec.structs.asdict(child.library.advice)
    return msgspec.structs.replace(parent.library.advice, **{key: text for key, text in given.items() if text})


def _completed(child: ClientLibrary, parent: ClientLibrary) -> ClientLibrary:
    """`child` with the methods and pipelines it does not define, and each section that it lacks.

    Methods are taken over for the kinds of objects that the child has.
    """
    kinds = {model.kind for model in (child.type or parent.type)}
    defined = {(name, kind) for method in child.method for name in method.names for kind in method.on}
    batches = {(pipeline.method, kind) for pipeline in child.pipeline for kind in pipeline.on}
    methods = (_without(method, kinds, defined) for method in _current(parent.method, parent))
    pipelines = (
        msgspec.structs.replace(pipeline, on=on)
        for pipeline in _current(parent.pipeline, parent)
        if (on := tuple(k for k in pipeline.on if k in kinds and (pipeline.method, k) not in batches))
    )
    return msgspec.structs.replace(
        child,
        library=msgspec.structs.replace(child.library, advice=_advice(child, parent)),
        type=child.type or parent.type,
        option_set=child.option_set or parent.option_set,
        option=child.option or parent.option,
        constructor=child.constructor or parent.constructor,
        method=(*child.method, *(method for group in methods for method in group)),
        pipeline=(*child.pipeline, *pipelines),
        retry=child.retry or parent.retry,
        settings=child.settings or parent.settings,
        replacement=child.replacement or tuple(_current(parent.replacement, parent)),
        errors=child.errors if child.errors != ErrorsSection() else parent.errors,
    )


def _everywhere(library: ClientLibrary) -> ClientLibrary:
    """A library whose option sets all have the options that are the same in each."""
    sets = {name: (*models, *library.option) for name, models in library.option_set.items()}
    return msgspec.structs.replace(library, option_set=sets)


def _current(records: Iterable[_Ranged], parent: ClientLibrary) -> Iterator[_Ranged]:
    """What holds in the parent's newest version, for all versions of the child: ranges mean nothing there."""
    newest = parent.library.versions[-1] if parent.library.versions else ""
    for record in records:
        if version_in(newest, record.versions):
            yield msgspec.structs.replace(record, versions="")


def _without(method: MethodModel, kinds: set[Kind], defined: set[tuple[str, Kind]]) -> Iterator[MethodModel]:
    """What the child does not define of an inherited method: one record for each set of names left."""
    groups: dict[tuple[str, ...], list[Kind]] = {}
    for kind in method.on:
        names = tuple(name for name in method.names if (name, kind) not in defined)
        if names and kind in kinds:
            groups.setdefault(names, []).append(kind)
    for names, on in groups.items():
        yield msgspec.structs.replace(method, names=names, on=tuple(on))


# -- references ---------------------------------------------------------------------------------------------


def _related(library: ClientLibrary, libraries: Mapping[str, ClientLibrary]) -> list[ClientLibrary]:
    """The library, its ancestors, and those that any of them rides on."""
    found = [library]
    for each in found:
        for name in (each.library.inherits, each.library.version_owner):
            if name in libraries and libraries[name] not in found:
                found.append(libraries[name])
    return found


def _problems(library: ClientLibrary, libraries: Mapping[str, ClientLibrary]) -> Iterator[str]:
    related = _related(library, libraries)
    types = {path for each in related for model in each.type for path in (model.name, *model.also)}
    constructors = {path for each in related for model in each.constructor for path in model.names}
    settings = {model.name for model in library.settings}
    yield from _wrong_library(library, libraries)
    yield from _wrong_ranges(library)
    for constructor in library.constructor:
        where = f"constructor {constructor.names[0]}"
        if constructor.makes not in types:
            yield f"{where}: makes names {constructor.makes!r}, which is no type of the library"
        yield from _wrong_options(where, constructor.options, library)
        if constructor.settings and constructor.settings not in settings:
            yield f"{where}: settings names {constructor.settings!r}, which has no [[settings]]"
    for method in library.method:
        where = f"method {method.names[0]}"
        if method.returns and method.returns not in types:
            yield f"{where}: returns names {method.returns!r}, which is no type of the library"
        yield from _wrong_options(where, method.options, library)
    for pipeline in library.pipeline:
        if pipeline.makes not in types:
            yield f"pipeline {pipeline.method}: makes names {pipeline.makes!r}, which is no type here"
    for model in library.settings:
        if model.makes and model.makes not in types:
            yield f"settings {model.name}: makes names {model.makes!r}, which is no type of the library"
        if model.pool and model.pool not in constructors:
            yield f"settings {model.name}: pool names {model.pool!r}, which is no constructor of the library"


def _wrong_library(library: ClientLibrary, libraries: Mapping[str, ClientLibrary]) -> Iterator[str]:
    section = library.library
    if section.version_owner and section.version_owner not in libraries:
        yield f"library.version_owner names {section.version_owner!r}, which is no file here"
    versions = [parse_version(version) for version in section.versions]
    known = [version for version in versions if version is not None]
    if not known or len(known) != len(versions) or known != sorted(set(known)):
        yield "library.versions must name at least one version, oldest first, each once"
    seen: set[str] = set()
    for name in (name for model in library.type for name in {model.name, *model.also}):
        if name in seen:
            yield f"type {name}: named twice"
        seen.add(name)


def _wrong_options(where: str, options: str, library: ClientLibrary) -> Iterator[str]:
    if options and options not in library.option_set:
        yield f"{where}: options names {options!r}, which is no option_set of the library"


def _wrong_ranges(library: ClientLibrary) -> Iterator[str]:
    ranges: list[tuple[str, str]] = []
    for name, options in library.option_set.items():
        for option in options:
            ranges.append((f"option_set.{name} {option.name}", option.versions))
            ranges += [(f"option_set.{name} {option.name}", at.versions) for at in option.positional]
    for model in library.constructor:
        ranges += [
            (f"constructor {model.names[0]}", one) for one in (model.versions, *(at.versions for at in model.arities))
        ]
    ranges += [(f"method {model.names[0]}", model.versions) for model in library.method]
    ranges += [(f"pipeline {model.method}", model.versions) for model in library.pipeline]
    for where, specifier in ranges:
        try:
            parse_range(specifier)
        except KnowledgeError as error:
            yield f"{where}: versions: {error}"
