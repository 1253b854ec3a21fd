"""One scan from paths to report: discover, select, lower, link, judge, filter; or, if all that was done before and
nothing has changed since, discover and remember.
"""

from __future__ import annotations

import dataclasses
import gc
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from resplint.config.loading import Config
from resplint.contracts.errors import MemoryLimitError
from resplint.contracts.findings import FixSafety, Notification, Report, Result, RuleInfo
from resplint.custom.pages import with_own
from resplint.knowledge import load as knowledge
from resplint.knowledge.compiled import sections
from resplint.scan.kept.memory import Entries, FactsMemory
from resplint.scan.kept.outcome import Outcome, nothing_found
from resplint.scan.other_languages import by_language, mentions
from resplint.scan.other_languages import remarks as remarks_on_others
from resplint.scan.request import STDIN_NAME, ScanRequest, ScanState, cpu_seconds, standard_input
from resplint.scan.survey import Survey, survey

if TYPE_CHECKING:
    from resplint import baseline
    from resplint.scan.kept.recall import Recall
    from resplint.scan.linked import LinkedScan

_MANY = 15_000
"""Files of a scan that minds its memory."""

__all__ = ["FactsMemory", "ScanRequest", "link", "renew", "rule_book", "scan", "standard_input"]


def rule_book(config: Config) -> dict[str, RuleInfo]:
    """Every rule that a scan may run: resplint's, and those of the user's own."""
    return with_own(knowledge.load_book(), config.own_rules)


def link(request: ScanRequest) -> LinkedScan:
    """Discover, select, lower and link. Raises `UserError` for arguments that cannot be used and `KnowledgeError` for
    a broken rules folder.
    """
    # The engine (grammars, linker, checks) is loaded by whoever needs it: a scan that remembers does not.
    from resplint.scan.analysis import linked  # noqa: PLC0415

    request, found, state = _begun(request, None)
    return linked(request, found, state)


def scan(request: ScanRequest) -> Report:
    """Run a scan. Raises `UserError` for arguments that cannot be used and `KnowledgeError` for a broken rules
    folder.
    """
    accepted = _accepted(request.config)
    recall = _recall(request)
    request, found, state = _begun(request, recall)
    config = request.config
    book = rule_book(config)
    outcome = _outcome(request, found, state, book, recall)
    results, notes = list(outcome.results), {*outcome.notes, *found.skipped}
    remarks: tuple[Notification, ...] = ()
    if accepted is not None:
        from resplint import baseline  # noqa: PLC0415
        from resplint.scan.baselining import ScanGround  # noqa: PLC0415

        started = time.perf_counter()
        # Before anything is left out: code may have gone to a file that is reported from one that is not.
        marked = baseline.mark(results, accepted, ScanGround(found, state, request, book), request.today)
        results, remarks = list(marked.results), marked.remarks
        state.lap("baseline", started)
    others = mentions(found.others, request.cache)
    notes = {note for note in notes if found.asks_about(note.path)} | {*remarks, *remarks_on_others(others)}
    return Report(
        results=tuple(_held_back(result, found, config) for result in results if found.asks_about(result.path)),
        notifications=tuple(sorted(notes, key=Notification.sort_key)),
        rules=tuple(_levelled(info, config) for code, info in sorted(book.items()) if config.rule_enabled(code)),
        files_discovered=len([path for path in state.files if found.asks_about(path)]),
        files_analysed=len([path for path in outcome.analysed if found.asks_about(path)]),
        files_using=len([path for path in outcome.using if found.asks_about(path)]),
        unsupported=by_language(others),
        root_name=state.root.name,
        statistics={**state.timings, "analysed (lines)": outcome.lines},
        analysed=outcome.analysed,
    )


def renew(
    request: ScanRequest, accepted: baseline.Baseline, terms: baseline.Terms
) -> tuple[baseline.Renewal, tuple[Notification, ...]]:
    """The baseline that accepts what a scan finds, and the remarks of the scan. Raises what `scan` does."""
    from resplint import baseline as records  # noqa: PLC0415
    from resplint.scan.baselining import ScanGround  # noqa: PLC0415

    recall = _recall(request)
    request, found, state = _begun(request, recall)
    book = rule_book(request.config)
    outcome = _outcome(request, found, state, book, recall)
    ground = ScanGround(found, state, request, book)
    renewal = records.renew(list(outcome.results), accepted, ground, terms, request.today)
    return renewal, tuple(sorted({*outcome.notes, *found.skipped}, key=Notification.sort_key))


def _accepted(config: Config) -> baseline.Baseline | None:
    if config.baseline is None:
        return None
    from resplint import baseline  # noqa: PLC0415

    return baseline.load(config.baseline)


def _recall(request: ScanRequest) -> Recall | None:
    """What earlier scans know, unless it is about what does not stand in files."""
    if request.cache is None or STDIN_NAME in request.paths:
        return None
    from resplint.scan.kept.recall import Recall  # noqa: PLC0415 - not every scan has a cache

    if isinstance(request.cache, Entries):
        return Recall(request.cache, request.config, b"", request.memory)
    from resplint.cache import tool_identity  # noqa: PLC0415

    return Recall(request.cache, request.config, tool_identity(str(knowledge.rules_dir())))


def _begun(request: ScanRequest, recall: Recall | None) -> tuple[ScanRequest, Survey, ScanState]:
    """The request with the configurations of all folders, the files, and the state of a scan that begins."""
    if not sections():  # in a checkout with changed rules
        from resplint.knowledge.compiling import refresh  # noqa: PLC0415

        refresh()
    started, cpu_since = time.perf_counter(), cpu_seconds()
    found = survey(request, recall)
    if found.config is not None:
        request = dataclasses.replace(request, config=found.config)
        if recall is not None:
            recall.configure(found.config)
    state = found.state(request)
    state.cpu_since = cpu_since
    state.lap("discover", started)
    return request, found, state


def _outcome(
    request: ScanRequest, found: Survey, state: ScanState, book: Mapping[str, RuleInfo], recall: Recall | None
) -> Outcome:
    """The outcome of a scan: that of an earlier one if it still holds."""

    def analyse(first: Sequence[str]) -> Outcome:
        return _analysed(request, found, state, first, book) if first else nothing_found(state.notes, state.failed)

    if recall is not None:
        return recall.outcome(recall.searched(state, request.progress), book, analyse)
    from resplint.discovery.selector import Selector  # noqa: PLC0415
    from resplint.scan.searching import search  # noqa: PLC0415

    selector = Selector.of(knowledge.load_libraries(), request.config.client_factories, knowledge.load_commands())
    return analyse(search(state, selector, request.progress))


def _analysed(
    request: ScanRequest, found: Survey, state: ScanState, first: Sequence[str], book: Mapping[str, RuleInfo]
) -> Outcome:
    # What analyses files is not even loaded otherwise: most scans of a few files end before.
    from resplint.scan.analysis import outcome  # noqa: PLC0415

    try:
        analysed = outcome(request, found, state, first, book)
    except MemoryError:
        analysed = None  # all that was linked is let go with the frames, before anything else is tried
    if analysed is None:
        raise MemoryLimitError
    if len(state.files) > _MANY:
        # What the linker knew went in circles, and is a large part of the memory.
        gc.collect()
    return analysed


def _held_back(result: Result, found: Survey, config: Config) -> Result:
    """The result; its fix is only for show if it would change what is no source file that this scan reports on."""
    fix = result.fix
    if fix is None:
        return result
    paths = {edit.path for edit in fix.edits}
    free = {path for path in paths if path in found.files and found.asks_about(path)}
    if paths == {path for path in free if result.rule not in config.ignored_at(path)}:
        return result
    return msgspec.structs.replace(result, fix=msgspec.structs.replace(fix, safety=FixSafety.DISPLAY))


def _levelled(info: RuleInfo, config: Config) -> RuleInfo:
    return msgspec.structs.replace(info, level=config.level_for(info.code, info.level))
