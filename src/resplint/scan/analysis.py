"""The work of a scan: select, lower, link, judge, locate."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial

import msgspec

from resplint.application import SettingsIndex
from resplint.checks import Check, Decide, load_decisions
from resplint.checks import load as load_check
from resplint.config.loading import Config
from resplint.contracts.decisions import Decision
from resplint.contracts.decisions import findings as reported
from resplint.contracts.findings import Finding, Level, Notification, NotificationKind, Precision, Result, RuleInfo
from resplint.contracts.forbidding import Forbidden
from resplint.custom import check as custom
from resplint.discovery.selector import Selector
from resplint.files.module_aliases import Aliases, module_aliases
from resplint.files.project_files import noting
from resplint.knowledge.catalogue import Catalogue, framework_modules
from resplint.model.project import Project
from resplint.results import suppress
from resplint.results.locate import locate
from resplint.scan.assumed_versions import AssumedVersions
from resplint.scan.fixing import with_fixes
from resplint.scan.kept.outcome import Outcome
from resplint.scan.kept.resting import basis_of
from resplint.scan.linked import LinkedScan
from resplint.scan.linking import link_selection, load_catalogue
from resplint.scan.precedence import one_a_call, settled
from resplint.scan.request import ScanRequest, ScanState
from resplint.scan.searching import search
from resplint.scan.selecting import select
from resplint.scan.survey import Survey
from resplint.scan.tests_among_code import without_tests
from resplint.workers.time_limits import Deadline, OutOfTime, within

_STACK_FRAMES = 4_000
"""Frames for the evaluator, whose own bound on nested questions is far below (each takes about a dozen frames)."""

BUILDING = 0.8
"""The part of the scan's time that what all rules build on may take: the rest is for judging what is there by then."""


def linked(request: ScanRequest, found: Survey, state: ScanState, first: Collection[str] | None = None) -> LinkedScan:
    """Select, lower and link. `first` are the files that may have to do with Redis, where they are known already.

    Raises `KnowledgeError` for a broken rules folder.
    """
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _STACK_FRAMES))
    catalogue = load_catalogue(request.config)
    if first is None:
        first = search(
            state, Selector.of(catalogue.libraries, catalogue.factories, catalogue.commands), request.progress
        )
    seconds = request.config.scan_timeout
    state.deadline = deadline = Deadline(seconds)
    deadline.allow(BUILDING * seconds)
    stage = "Reading package.json and tsconfig files"
    is_over = partial(deadline.passed, stage)
    none: Aliases = ()
    aliases = deadline.limited(stage, lambda: module_aliases(state.root, state.files, is_over), none)
    state.aliases = _own_aliases(aliases, catalogue)
    selected = select(state, catalogue, request, sorted(first))
    reading = partial(deadline.passed, "Reading manifests, lock files and settings")
    versions = AssumedVersions(state.root, request.config, reading)
    settings = SettingsIndex(str(state.root), tuple(state.files), is_over=reading)
    started = time.perf_counter()
    request.progress("linking", 0, 1)
    project, selected = link_selection(state, request, selected, catalogue, versions, settings)
    state.lap("link", started)
    return LinkedScan(found, state, project, frozenset(selected), versions, settings)


def outcome(
    request: ScanRequest, found: Survey, state: ScanState, first: Collection[str], book: Mapping[str, RuleInfo]
) -> Outcome:
    """What the rules say about all files of a scan, whichever of them it reports on."""
    with noting() as looks, closing(state.on_demand):
        scan = linked(request, found, state, first)
        findings, results = judged(scan, book, request)
        # What moves with an edit is shown without another look at where passwords stand.
        if state.digest is not None and not state.deadline.cut and not scan.project.secret_places:
            state.basis = basis_of(scan, findings)
    analysed = tuple(sorted(path for path in scan.selected if path in state.facts))
    using = {*first, *scan.project.users}
    state.disturbed |= bool(state.deadline.cut)
    remarks = set(scan.remarks).difference(found.skipped)
    return Outcome(
        results=tuple(results),
        notes=tuple(sorted({*state.notes, *remarks}, key=Notification.sort_key)),
        analysed=analysed,
        using=tuple(path for path in analysed if path in using),
        failed=tuple(sorted(state.failed)),
        partial=tuple(sorted(state.partial)),
        looks=tuple(look for _, look in sorted(looks.items())),
        lines=sum(len(state.facts[path].line_starts) for path in analysed),
    )


def judged(scan: LinkedScan, book: Mapping[str, RuleInfo], request: ScanRequest) -> tuple[list[Finding], list[Result]]:
    """What the rules say about all linked files, as findings and, sorted, as results; what a comment or the
    configuration suppresses is marked or left out of those.
    """
    state = scan.state
    started = time.perf_counter()
    found = _judge(scan, book, request)
    spelled = partial(with_fixes, state, scan.project, found)
    bare = [msgspec.structs.replace(finding, remedy=None) for finding in found]
    state.deadline.allow(state.deadline.left)
    findings = state.deadline.limited("Spelling fixes", spelled, bare)
    state.notes += [Notification(NotificationKind.LIMIT, message) for message in scan.project.limits]
    state.lap("judge", started)
    started = time.perf_counter()
    results = locate(
        findings,
        lambda path: state.read(path) or _beside(scan, path),
        lambda path: state.files[path].language if path in state.files else "settings",
        state.notes.append,
        scan.project.secret_places,
    )
    results = _suppressed(results, scan, book, {code for code in book if request.config.rule_enabled(code)})
    state.lap("locate", started)
    kept = [result for result in results if result.rule not in request.config.ignored_at(result.path)]
    return findings, sorted(kept, key=Result.sort_key)


def decisions(scan: LinkedScan, book: Mapping[str, RuleInfo], config: Config) -> list[Decision]:
    """All that the enabled rules decide about the linked files: findings, and reasons why there are none."""
    enabled = [info for code, info in sorted(book.items()) if config.rule_enabled(code)]
    decided = [one for info in enabled for one in _decisions_of(info, config)(scan.project)]
    return settled(without_tests(scan.project, decided, config), book, config)


def _decisions_of(info: RuleInfo, config: Config) -> Decide:
    own = config.forbidden(info.code)
    return partial(_own_decisions, rules=own, config=config) if own else load_decisions(info.name)


def _check_of(info: RuleInfo, config: Config) -> Check:
    own = config.forbidden(info.code)
    if not own:
        return load_check(info.name)
    return lambda project: reported(_own_decisions(project, own, config))


def _own_decisions(project: Project, rules: Sequence[Forbidden], config: Config) -> Iterator[Decision]:
    """What a rule of the user's own decides, where it holds. `rules` are the same one, with other patterns of paths."""
    for rule in rules:
        for decision in custom.decide(project, rule, config.prefix):
            if config.forbids(rule, decision.place.path):
                yield decision


def _own_aliases(aliases: Aliases, catalogue: Catalogue) -> Aliases:
    """Aliases without copies of frameworks that the project carries along."""
    if not aliases:
        return aliases
    known = {module for roles in catalogue.roles.values() for module in framework_modules(roles)}
    return tuple(alias for alias in aliases if alias[0].rstrip("*").rstrip("/") not in known)


def _judge(scan: LinkedScan, book: Mapping[str, RuleInfo], request: ScanRequest) -> list[Finding]:
    findings: list[Finding] = []
    config, deadline = request.config, scan.state.deadline
    rules = [(code, info) for code, info in sorted(book.items()) if config.rule_enabled(code)]
    share = max(deadline.left, (1 - BUILDING) * config.scan_timeout) / (2 * max(1, len(rules)))
    for done, (code, info) in enumerate(rules):
        request.progress("judging", done, len(rules))
        # Each may take what is left but for the shares of those that follow.
        rest = max(deadline.left - share * (len(rules) - done - 1), share)
        limit = min(config.rule_timeout, rest)
        deadline.allow(limit)
        found: list[Finding] = []
        try:
            within(limit, partial(_find, scan, _check_of(info, config), found))
        except OutOfTime:
            # What it found is reported, but who relies on the report must know: it exits 3.
            key = "rule-timeout" if limit == config.rule_timeout else "scan-timeout"
            message = (
                f"{code} {info.name} was stopped and may have missed findings: it took longer than {limit:.3g} s. "
                f"Exclude what the scan is not about, or raise {key}."
            )
            scan.state.notes.append(Notification(NotificationKind.INTERNAL_ERROR, message, rule=code))
            scan.state.disturbed = True
        except Exception as error:  # a rule that fails must not take the others along; it is reported and exits 3
            message = f"{code} {info.name} failed and reports nothing: {type(error).__name__}: {error}."
            scan.state.notes.append(Notification(NotificationKind.INTERNAL_ERROR, message, rule=code))
            continue
        for finding in reported(without_tests(scan.project, found, config)):
            here = config.at(finding.place.path)
            level = here.level_for(code, finding.level)
            if finding.level is not Level.NOTE and level is not finding.level:
                finding = msgspec.structs.replace(finding, level=level)  # noqa: PLW2901
            if finding.precision.rank >= here.min_precision.rank:
                findings.append(finding)
    return one_a_call(findings, book, config)


def _find(scan: LinkedScan, check: Check, found: list[Finding]) -> None:
    """Collect what a rule reports. What it comes to with answers that were cut short has a low precision: what excuses
    a call may be what nobody looked at.
    """
    deadline = scan.state.deadline
    sure = deadline.cuts
    for finding in check(scan.project):
        doubtful = deadline.cuts != sure
        found.append(msgspec.structs.replace(finding, precision=Precision.LOW) if doubtful else finding)
        if not deadline.is_over:
            sure = deadline.cuts  # one question took too long, which says nothing about the next


def _suppressed(
    results: list[Result], scan: LinkedScan, book: Mapping[str, RuleInfo], enabled: Collection[str]
) -> list[Result]:
    facts = scan.state.facts
    # A rule may report on a file that was not selected: the linker read it for what it hands out.
    paths = sorted({*scan.selected, *(result.path for result in results if result.path in facts)})
    comments = {path: facts[path].comments for path in paths if facts[path].comments}
    for path in {result.path for result in results} - scan.state.files.keys():
        comments[path] = suppress.comments_of_settings((_beside(scan, path) or b"").decode("utf-8", "replace"))
    known = {code: info.name for code, info in book.items()}
    marked, notes = suppress.apply(results, comments, known, enabled)
    scan.state.notes += notes
    return marked


def _beside(scan: LinkedScan, path: str) -> bytes | None:
    """The bytes of a manifest or a settings file."""
    return scan.settings.text(path) or scan.versions.text(path)
