"""One scan from paths to report: discover, select, lower, link, judge, filter."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import msgspec

from resplint import baseline, suppress
from resplint.application import SettingsIndex
from resplint.checks import load as load_check
from resplint.config import Config
from resplint.discover import Discovery, discover, find_root
from resplint.findings import Finding, FixSafety, Level, Notification, NotificationKind, Report, Result, RuleInfo
from resplint.knowledge import load as knowledge
from resplint.knowledge.catalogue import Catalogue, is_framework
from resplint.languages import EXTENSIONS
from resplint.locate import locate
from resplint.module_aliases import Aliases, module_aliases
from resplint.scan.assumed_versions import AssumedVersions
from resplint.scan.baselining import ScanGround
from resplint.scan.fixing import with_fixes
from resplint.scan.linked import LinkedScan
from resplint.scan.linking import link_selection, load_catalogue
from resplint.scan.memory import FactsMemory
from resplint.scan.request import STDIN_NAME, ScanRequest, ScanState, standard_input
from resplint.scan.selecting import select

__all__ = ["FactsMemory", "LinkedScan", "ScanRequest", "link", "renew", "scan", "standard_input"]

_STACK_FRAMES = 4_000
"""Frames for the evaluator, whose own bound on nested questions is far below (each takes about a dozen frames)."""


def link(request: ScanRequest) -> LinkedScan:
    """Discover, select, lower and link. Raises `UserError` for arguments that cannot be used and `KnowledgeError` for
    a broken rules folder.
    """
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _STACK_FRAMES))
    started = time.perf_counter()
    state, found, reported = _discover(request)
    catalogue = load_catalogue(request.config)
    state.aliases = _own_aliases(state.aliases, catalogue)
    state.lap("discover", started)
    selected = select(state, catalogue, request)
    versions = AssumedVersions(state.root, request.config)
    settings = SettingsIndex(str(state.root), tuple(state.files))
    started = time.perf_counter()
    request.progress("linking", 0, 1)
    project, selected = link_selection(state, selected, catalogue, versions, settings)
    state.lap("link", started)
    remarks = (*found.skipped, *versions.notifications, *settings.notifications)
    return LinkedScan(state, project, frozenset(selected), reported, settings, remarks)


def scan(request: ScanRequest) -> Report:
    """Run a scan. Raises `UserError` for arguments that cannot be used and `KnowledgeError` for a broken rules
    folder.
    """
    config = request.config
    accepted = baseline.load(config.baseline) if config.baseline else None
    linked = link(request)
    state, book = linked.state, knowledge.load_book()
    results = _results(linked, book, request)
    notes = {*state.notes, *linked.remarks}
    started = time.perf_counter()
    remarks: tuple[Notification, ...] = ()
    if accepted is not None:
        # Before anything is left out: code may have gone to a file that is reported from one that is not.
        marked = baseline.mark(results, accepted, ScanGround(linked, request, book), request.today)
        results, remarks = list(marked.results), marked.remarks
        state.lap("baseline", started)
    results = [_held_back(result, linked, config) for result in results if linked.asks_about(result.path)]
    notes = {note for note in notes if linked.asks_about(note.path)} | set(remarks)
    return Report(
        results=tuple(results),
        notifications=tuple(sorted(notes, key=Notification.sort_key)),
        rules=tuple(_levelled(info, config) for code, info in sorted(book.items()) if config.rule_enabled(code)),
        files_discovered=len([path for path in state.files if linked.asks_about(path)]),
        files_analysed=len([path for path in linked.selected if path in state.facts and linked.asks_about(path)]),
        root_name=state.root.name,
        statistics=state.timings,
    )


def renew(
    request: ScanRequest, accepted: baseline.Baseline, terms: baseline.Terms
) -> tuple[baseline.Renewal, tuple[Notification, ...]]:
    """The baseline that accepts what a scan finds, and the remarks of the scan. Raises what `scan` does."""
    linked = link(request)
    book = knowledge.load_book()
    results = _results(linked, book, request)
    renewal = baseline.renew(results, accepted, ScanGround(linked, request, book), terms, request.today)
    return renewal, tuple(sorted({*linked.state.notes, *linked.remarks}, key=Notification.sort_key))


def _results(linked: LinkedScan, book: Mapping[str, RuleInfo], request: ScanRequest) -> list[Result]:
    """What the rules say about all linked files, sorted; what a comment or the configuration suppresses is marked or
    left out.
    """
    state = linked.state
    started = time.perf_counter()
    findings = with_fixes(state, linked.project, _judge(linked, book, request))
    state.lap("judge", started)
    started = time.perf_counter()
    results = locate(
        findings,
        lambda path: state.read(path) or linked.settings.text(path),
        lambda path: state.files[path].language if path in state.files else "settings",
        state.notes.append,
    )
    results = _suppressed(results, linked, book, {code for code in book if request.config.rule_enabled(code)})
    state.lap("locate", started)
    kept = [result for result in results if result.rule not in request.config.ignored_at(result.path)]
    return sorted(kept, key=Result.sort_key)


def _discover(request: ScanRequest) -> tuple[ScanState, Discovery, frozenset[str] | None]:
    """The files of the scan, what was left out, and which files it is to report on (None: all)."""
    paths = [path for path in request.paths if path != STDIN_NAME]
    root = request.root or (find_root(paths) if paths else Path.cwd())
    wanted = _found(request, root, paths)
    found = _found(request, root, [str(root)]) if request.whole_project else wanted
    files = {file.path: file for file in found.files}
    overlay = {path: data for path, data in request.overlay.items() if path in files}
    reported = {file.path for file in wanted.files} & set(files)
    piped = standard_input(request, root)
    if piped is not None:
        file, data = piped
        files[file.path] = file
        overlay[file.path] = request.overlay.get(file.path, data)
        reported.add(file.path)
    state = ScanState(
        root, request.config, files, overlay=overlay, aliases=module_aliases(root, files), memory=request.memory
    )
    if not request.whole_project:
        return state, found, None
    # A file that was named and skipped is remarked on even where the walk over the project would not.
    skipped = {note.path for note in wanted.skipped}
    return state, Discovery(found.files, (*found.skipped, *wanted.skipped)), frozenset(reported | skipped)


def _found(request: ScanRequest, root: Path, paths: Sequence[str]) -> Discovery:
    config = request.config
    if not paths:
        return Discovery((), ())
    return discover(
        paths, root, exclude=config.exclude, exclude_prefix=config.prefix, include_tests=config.include_tests,
        max_file_size=config.max_file_size, extensions=EXTENSIONS,
    )  # fmt: skip


def _own_aliases(aliases: Aliases, catalogue: Catalogue) -> Aliases:
    """Aliases without copies of frameworks that the project carries along."""
    roots = {prefix.rstrip("*").rstrip("/") for prefix, _ in aliases}
    known = {root for root in roots if any(is_framework(root, roles) for roles in catalogue.roles.values())}
    return tuple(alias for alias in aliases if alias[0].rstrip("*").rstrip("/") not in known)


def _judge(linked: LinkedScan, book: Mapping[str, RuleInfo], request: ScanRequest) -> list[Finding]:
    findings: list[Finding] = []
    config = request.config
    for done, (code, info) in enumerate(sorted(book.items())):
        request.progress("judging", done, len(book))
        if not config.rule_enabled(code):
            continue
        try:
            found = list(load_check(info.name)(linked.project))
        except Exception as error:  # a rule that fails must not take the others along; it is reported and exits 3
            message = f"{code} {info.name} failed and reports nothing: {type(error).__name__}: {error}."
            linked.state.notes.append(Notification(NotificationKind.INTERNAL_ERROR, message, rule=code))
            continue
        for finding in found:
            level = config.level_for(code, finding.level)
            if finding.level is not Level.NOTE and level is not finding.level:
                finding = msgspec.structs.replace(finding, level=level)  # noqa: PLW2901
            if finding.precision.rank >= config.min_precision.rank:
                findings.append(finding)
    return findings


def _held_back(result: Result, linked: LinkedScan, config: Config) -> Result:
    """The result; its fix is only for show if it would change what is no source file that this scan reports on."""
    fix = result.fix
    if fix is None:
        return result
    paths = {edit.path for edit in fix.edits}
    free = {path for path in paths if path in linked.state.files and linked.asks_about(path)}
    if paths == {path for path in free if result.rule not in config.ignored_at(path)}:
        return result
    return msgspec.structs.replace(result, fix=msgspec.structs.replace(fix, safety=FixSafety.DISPLAY))


def _levelled(info: RuleInfo, config: Config) -> RuleInfo:
    return msgspec.structs.replace(info, level=config.level_for(info.code, info.level))


def _suppressed(
    results: list[Result], linked: LinkedScan, book: Mapping[str, RuleInfo], enabled: Collection[str]
) -> list[Result]:
    facts = linked.state.facts
    comments = {path: facts[path].comments for path in sorted(linked.selected) if facts[path].comments}
    known = {code: info.name for code, info in book.items()}
    marked, notes = suppress.apply(results, comments, known, enabled)
    linked.state.notes += notes
    return marked
