"""One scan from paths to report: discover, select, lower, link, judge, filter."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from resplint import suppress
from resplint.application import SettingsIndex
from resplint.checks import load as load_check
from resplint.config import Config
from resplint.discover import Discovery, SourceFile, discover, find_root
from resplint.errors import UserError
from resplint.facts import FileFacts
from resplint.findings import Finding, Level, Notification, NotificationKind, Report, Result, RuleInfo
from resplint.knowledge import load as knowledge
from resplint.knowledge.catalogue import Catalogue, Factory, is_framework, top_level_modules
from resplint.knowledge.numbering import known_numbers, library_number
from resplint.knowledge.records import ClientLibrary
from resplint.languages import EXTENSIONS, LANGUAGES, lower, named_modules
from resplint.link.carriers import Carriers
from resplint.link.modules import ModuleTable, dotted_path
from resplint.link.project import Project
from resplint.link.versions import AssumedVersion
from resplint.locate import locate
from resplint.lowering_pool import LoweredFile, lower_all
from resplint.module_aliases import Aliases, module_aliases
from resplint.select import Importers, Selector
from resplint.versions import VersionIndex

MAX_ROUNDS = 4
"""Rounds of selection by imports; each adds the importers of what the round before it found."""
MAX_FOLLOWED = 300
FOLLOWED_SHARE = 3
"""Files that are analysed only because they import others: at most so many, or so many for each file that names a
client library.
"""
STDIN_NAME = "-"
_STACK_FRAMES = 4_000
"""Frames for the evaluator, whose own bound on nested questions is far below (each takes about a dozen frames)."""

Progress = Callable[[str, int, int], None]
"""(stage, done, total), called now and then."""


@dataclass
class ScanRequest:
    """What to scan. `stdin` holds the bytes for the path "-", which is then called `stdin_name`."""

    paths: Sequence[str]
    config: Config
    root: Path | None = None
    stdin: bytes | None = None
    stdin_name: str = "stdin.py"
    progress: Progress = lambda stage, done, total: None


@dataclass
class _State:
    """What accumulates during one scan."""

    root: Path
    config: Config
    files: dict[str, SourceFile]
    notes: list[Notification] = field(default_factory=list)
    facts: dict[str, FileFacts] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    stdin: Mapping[str, bytes] = field(default_factory=dict)
    aliases: Aliases = ()
    timings: dict[str, float] = field(default_factory=dict)

    def read(self, path: str) -> bytes | None:
        """Bytes of a file by its path relative to the root, None when it is gone or not ours."""
        if path in self.stdin:
            return self.stdin[path]
        file = self.files.get(path)
        if file is None:
            return None
        try:
            with open(file.absolute, "rb") as handle:
                return handle.read(self.config.max_file_size + 1)
        except OSError:
            return None

    def take(self, lowered: LoweredFile) -> None:
        """Keep the facts of one file, or the reason why there are none."""
        if lowered.facts is None:
            self.failed.add(lowered.path)
            kind = NotificationKind.INTERNAL_ERROR if lowered.crashed else NotificationKind.SKIPPED
            self.notes.append(Notification(kind, f"Not analysed: {lowered.reason}.", lowered.path))
            return
        self.facts[lowered.path] = lowered.facts
        if lowered.facts.partial:
            message = f"Analysed only in part: {lowered.facts.partial}."
            self.notes.append(Notification(NotificationKind.PARTIAL, message, lowered.path))


def scan(request: ScanRequest) -> Report:
    """Run a scan. Raises `UserError` for arguments that cannot be used and `KnowledgeError` for a broken rules
    folder.
    """
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _STACK_FRAMES))
    started = time.perf_counter()
    state, found = _discover(request)
    book = knowledge.load_book()
    catalogue = _catalogue(request.config)
    state.aliases = _own_aliases(state.aliases, catalogue)
    _lap(state, "discover", started)
    selected = _select(state, catalogue, request)
    versions = _Versions(state, request.config)
    settings = SettingsIndex(str(state.root), tuple(state.files))
    lapped = time.perf_counter()
    request.progress("linking", 0, len(book))
    project, selected = _link(state, selected, catalogue, versions, settings)
    findings = _judge(project, book, request, state)
    _lap(state, "link and judge", lapped)
    lapped = time.perf_counter()
    results = locate(
        findings,
        lambda path: state.read(path) or settings.text(path),
        lambda path: state.files[path].language if path in state.files else "settings",
    )
    rules = tuple(info for code, info in sorted(book.items()) if request.config.rule_enabled(code))
    results = _suppressed(results, state, selected, book, rules)
    results = [result for result in results if result.rule not in request.config.ignored_at(result.path)]
    _lap(state, "locate", lapped)
    state.notes += [*found.skipped, *versions.notifications, *settings.notifications]
    return Report(
        results=tuple(sorted(results, key=Result.sort_key)),
        notifications=tuple(sorted(set(state.notes), key=Notification.sort_key)),
        rules=tuple(_levelled(info, request.config) for info in rules),
        files_discovered=len(state.files),
        files_analysed=len([path for path in selected if path in state.facts]),
        root_name=state.root.name,
        statistics=state.timings,
    )


def _lap(state: _State, stage: str, since: float) -> None:
    state.timings[f"{stage} (s)"] = round(time.perf_counter() - since, 3)


# -- discover and select ----------------------------------------------------------------------------------------------


def _discover(request: ScanRequest) -> tuple[_State, Discovery]:
    paths = [path for path in request.paths if path != STDIN_NAME]
    config = request.config
    root = request.root or (find_root(paths) if paths else Path.cwd())
    found = (
        discover(
            paths, root, exclude=config.exclude, exclude_prefix=config.prefix, include_tests=config.include_tests,
            max_file_size=config.max_file_size, extensions=EXTENSIONS,
        )
        if paths
        else Discovery((), ())
    )  # fmt: skip
    files = {file.path: file for file in found.files}
    state = _State(root, config, files, aliases=module_aliases(root, files))
    if STDIN_NAME in request.paths:
        name, language = _stdin_name(request, root)
        data = request.stdin or b""
        files[name] = SourceFile(name, str(root / name), language, len(data))
        state.stdin = {name: data}
    return state, found


def _stdin_name(request: ScanRequest, root: Path) -> tuple[str, str]:
    name = request.stdin_name
    if os.path.isabs(name):
        name = os.path.relpath(os.path.realpath(name), os.path.realpath(root))
    name = os.path.normpath(name).replace(os.sep, "/")
    language = EXTENSIONS.get(os.path.splitext(name)[1].lower())
    if language is None or name.startswith(".."):
        raise UserError(
            f"--stdin-filename {request.stdin_name!r}: expected a name below the scan's root with one of the suffixes "
            f"{', '.join(sorted(EXTENSIONS))}."
        )
    return name, language


def _catalogue(config: Config) -> Catalogue:
    factories = {dotted: Factory(one.client, one.options) for dotted, one in config.client_factories.items()}
    roles = {name: knowledge.load_roles(name) for name in LANGUAGES}
    foreign = frozenset(name for language in LANGUAGES.values() for name in language.standard_modules)
    dotted = [one for one in roles.values() if one.words.modules == "dotted"]  # the others resolve by path or package
    known = frozenset(name for one in dotted for name in top_level_modules(one))
    libraries, commands = knowledge.load_libraries(), knowledge.load_commands()
    return Catalogue(libraries, commands, roles, foreign | known, factories)


def _own_aliases(aliases: Aliases, catalogue: Catalogue) -> Aliases:
    """Aliases without copies of frameworks that the project carries along."""
    roots = {prefix.rstrip("*").rstrip("/") for prefix, _ in aliases}
    known = {root for root in roots if any(is_framework(root, roles) for roles in catalogue.roles.values())}
    return tuple(alias for alias in aliases if alias[0].rstrip("*").rstrip("/") not in known)


def _select(state: _State, catalogue: Catalogue, request: ScanRequest) -> set[str]:
    """Lower the files that can matter, round by round, and say which they are."""
    lapped = time.perf_counter()
    selector = Selector(catalogue.libraries, catalogue.factories)
    first: list[str] = []
    for done, path in enumerate(sorted(state.files)):
        request.progress("searching", done, len(state.files))
        data = state.read(path)
        if data is None:
            state.failed.add(path)
            state.notes.append(
                Notification(NotificationKind.SKIPPED, "Not analysed: it cannot be read any more.", path)
            )
        elif selector.names_library(data) or _odd(data):
            first.append(path)
    _lap(state, "search", lapped)
    lapped = time.perf_counter()
    selected = _lower(state, first, request)
    modules = ModuleTable(state.files, aliases=state.aliases)
    carriers = Carriers(catalogue, modules)
    frontier = carriers.add(state.facts[path] for path in sorted(selected) if path in state.facts)
    importers = _importers(state, modules) if frontier else None
    for _ in range(MAX_ROUNDS):
        if not frontier or importers is None:
            break
        wanted = [path for path in sorted(importers.of(frontier)) if path not in selected and path not in state.failed]
        room = max(MAX_FOLLOWED, FOLLOWED_SHARE * len(first)) - (len(selected) - len(first))
        if len(wanted) > room:
            _left_out(state, len(wanted) - max(room, 0))
            wanted = wanted[: max(room, 0)]
        selected |= _lower(state, wanted, request)
        # Files of earlier rounds may turn out to carry clients only now that a module between is known.
        waiting = sorted(selected - carriers.files)
        frontier = carriers.add(state.facts[path] for path in waiting if path in state.facts)
    _lap(state, "lower", lapped)
    return {path for path in selected if path in state.facts and path in carriers.files}


def _left_out(state: _State, count: int) -> None:
    message = (
        f"{count:,} files that import modules which use Redis were not analysed, as there are too many of them; "
        "findings that "
        "depend on how they call those modules may be missing."
    )
    state.notes.append(Notification(NotificationKind.LIMIT, message))


def _odd(data: bytes) -> bool:
    """Bytes that a search for names cannot see through: they are decoded, or reported as skipped."""
    return b"\0" in data


def _importers(state: _State, table: ModuleTable) -> Importers:
    names = {prefix.rstrip("/*") for prefix, _ in state.aliases}
    modules = {}
    for path, file in state.files.items():
        data = state.read(path)
        if data is not None and path not in state.failed:
            modules[path] = named_modules(data, path, file.language)
            for name in names:  # a package of the project, or a path of its tsconfig
                if name.encode() in data:
                    modules[path] |= _behind(table, name, modules[path], path)
    return Importers(modules)


def _behind(table: ModuleTable, name: str, found: set[str], importer: str) -> set[str]:
    """The modules that an alias means, for those of a file's imports that begin with it."""
    dotted = name.replace("/", ".")
    behind = set()
    for module in found:
        if module == dotted or module.startswith(dotted + "."):
            path = table.resolve(name + module[len(dotted) :].replace(".", "/"), importer)
            if path is not None:
                behind.add(dotted_path(path))
    return behind


def _lower(state: _State, paths: Sequence[str], request: ScanRequest) -> set[str]:
    tasks = [(path, state.files[path].language) for path in paths if path not in state.facts]
    for done, lowered in enumerate(lower_all(tasks, state.read, request.config.jobs), 1):
        request.progress("parsing", done, len(tasks))
        state.take(lowered)
    return set(paths)


def _load(state: _State, path: str) -> FileFacts | None:
    """Facts of a file that the linker needs although it does not name Redis."""
    if path in state.facts:
        return state.facts[path]
    data = state.read(path)
    if data is None or path in state.failed:
        return None
    state.take(LoweredFile(path, *_lowered(path, state.files[path].language, data)))
    return state.facts.get(path)


def _lowered(path: str, language: str, data: bytes) -> tuple[FileFacts | None, str]:
    lowered = lower(path, language, data)
    return lowered.facts, lowered.reason


def _link(
    state: _State,
    selected: set[str],
    catalogue: Catalogue,
    versions: _Versions,
    settings: SettingsIndex | None = None,
) -> tuple[Project, set[str]]:
    """Link the selection, and once more when clients turn out to be handed to files outside it."""
    around = _Surroundings(versions, settings or SettingsIndex(str(state.root), tuple(state.files)))
    project = _project(state, selected, catalogue, versions, around)
    reached = project.reached() - selected
    if reached:
        selected = selected | reached
        project = _project(state, selected, catalogue, versions, around)
    return project, selected


def _project(
    state: _State, selected: set[str], catalogue: Catalogue, versions: _Versions, around: _Surroundings
) -> Project:
    chosen = [state.facts[path] for path in sorted(selected) if path in state.facts]
    return Project(chosen, state.files, lambda path: _load(state, path), catalogue, versions, state.aliases, around)


# -- judge and filter --------------------------------------------------------------------------------------------------


def _judge(project: Project, book: Mapping[str, RuleInfo], request: ScanRequest, state: _State) -> list[Finding]:
    findings: list[Finding] = []
    config = request.config
    for done, (code, info) in enumerate(sorted(book.items())):
        request.progress("judging", done, len(book))
        if not config.rule_enabled(code):
            continue
        try:
            found = list(load_check(info.name)(project))
        except Exception as error:  # a rule that fails must not take the others along; it is reported and exits 3
            message = f"{code} {info.name} failed and reports nothing: {type(error).__name__}: {error}."
            state.notes.append(Notification(NotificationKind.INTERNAL_ERROR, message, rule=code))
            continue
        for finding in found:
            level = config.level_for(code, finding.level)
            if finding.level is not Level.NOTE and level is not finding.level:
                finding = msgspec.structs.replace(finding, level=level)  # noqa: PLW2901
            if finding.precision.rank >= config.min_precision.rank:
                findings.append(finding)
    return findings


def _levelled(info: RuleInfo, config: Config) -> RuleInfo:
    return msgspec.structs.replace(info, level=config.level_for(info.code, info.level))


def _suppressed(
    results: list[Result], state: _State, selected: set[str], book: Mapping[str, RuleInfo], rules: Sequence[RuleInfo]
) -> list[Result]:
    comments = {path: state.facts[path].comments for path in sorted(selected) if state.facts[path].comments}
    known = {code: info.name for code, info in book.items()}
    marked, notes = suppress.apply(results, comments, known, {info.code for info in rules})
    state.notes += notes
    return marked


class _Versions:
    """The version of a library that a file of the project can count on."""

    def __init__(self, state: _State, config: Config) -> None:
        self._index = VersionIndex(str(state.root))
        self._pinned = config.client_versions
        self._known: dict[tuple[str, str], AssumedVersion] = {}

    def __call__(self, library: ClientLibrary, path: str) -> AssumedVersion:
        key = (library.library.name, path)
        if key not in self._known:
            self._known[key] = self._find(library, path)
        return self._known[key]

    def _find(self, library: ClientLibrary, path: str) -> AssumedVersion:
        section = library.library
        title = section.title or section.name
        if section.name in self._pinned:
            return AssumedVersion(title, self._pinned[section.name], "config")
        for distribution in section.distributions:
            steps = [one for one in section.renumbered if one.distribution == distribution]
            known = known_numbers(steps, section.versions)
            fact = self._index.lookup(path, distribution, known, ecosystem=section.ecosystem)
            lowest = library_number(fact.lowest, steps) if fact.source != "none" and fact.lowest else ""
            if lowest:
                return AssumedVersion(
                    title, lowest, fact.source, fact.spec, fact.manifest_path, fact.exact, fact.managed_by
                )
        return AssumedVersion(title, section.versions[-1], "none")

    def depends(self, path: str, distribution: str, ecosystem: str) -> bool:
        """Whether the project of a source file depends on a distribution."""
        return self._index.requires(path, distribution, ecosystem=ecosystem)

    @property
    def notifications(self) -> tuple[Notification, ...]:
        """Manifests that could not be read."""
        return self._index.notifications


class _Surroundings:
    """The application's settings and the project's dependencies, for the linker."""

    def __init__(self, versions: _Versions, settings: SettingsIndex) -> None:
        self.depends = versions.depends
        self.settings = settings.get
