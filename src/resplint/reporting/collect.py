"""Several SARIF files as one collection of issues."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from resplint.output.escape import escape
from resplint.reporting.code import Sources
from resplint.reporting.issues import issue, notices, state_of
from resplint.reporting.reading import SarifFile
from resplint.reporting.records import LEVELS, Collection, Issue, Notice, Rule, Source
from resplint.reporting.run import RunView
from resplint.reporting.sarif import Run
from resplint.reporting.trend import series

_SUFFIX = re.compile(r"(\.sarif)?(\.json)?$", re.IGNORECASE)


def collect(files: Sequence[SarifFile], source_root: str | None = None) -> Collection:
    """Everything that `files` say, worst first.

    Of files that differ in a time stamp alone, the newest counts; the others are its history. `source_root` is a folder
    with the source code, for code that a file does not carry. Raises UserError if that is no folder.
    """
    current, trends = series(files)
    sources = Sources(source_root)
    issues: list[Issue] = []
    said: list[Notice] = []
    covered: list[Source] = []
    gone = 0
    for label, file, run in _labelled(current):
        view = RunView(run, sources)
        found = []
        for result in run.results or ():
            if state_of(result) is None:
                gone += 1
            else:
                found.append(issue(view, result, label))
        issues += found
        said += notices(view, label)
        number = sum(each.state.is_open for each in found)
        covered.append(Source(label, file.name, view.tool, view.version, number))
    issues.sort(key=Issue.sort_key)
    said.sort(key=lambda notice: (LEVELS.index(notice.level), notice.kind, notice.spot.path, notice.message))
    return Collection(
        tuple(_distinct(_with_shared_rules(issues))), tuple(dict.fromkeys(said)), tuple(covered), trends, gone
    )


def _labelled(files: Sequence[SarifFile]) -> list[tuple[str, SarifFile, Run]]:
    """Every run with a short name that tells it from the others."""
    names = Counter(file.name for file in files)
    labelled = []
    for file in files:
        name = _SUFFIX.sub("", file.name if names[file.name] == 1 else escape(file.path))
        for number, run in enumerate(file.log.runs, 1):
            labelled.append((name if len(file.log.runs) == 1 else f"{name} ({number})", file, run))
    return labelled


def _with_shared_rules(issues: Sequence[Issue]) -> Iterable[Issue]:
    """Each rule as the file describes it that says most, since only some of them may bring the help along."""
    best: dict[str, Rule] = {}
    for each in issues:
        rule = each.rule
        known = best.setdefault(rule.key, rule)
        if known is not rule and len(rule.help_markdown or rule.help_text) > len(
            known.help_markdown or known.help_text
        ):
            best[rule.key] = rule
    for each in issues:
        chosen = best[each.rule.key]
        yield each if each.rule is chosen else msgspec.structs.replace(each, rule=chosen)


def _distinct(issues: Iterable[Issue]) -> Iterable[Issue]:
    """Anchors that are taken get a number."""
    taken: Counter[str] = Counter()
    for each in issues:
        taken[each.anchor] += 1
        number = taken[each.anchor]
        yield each if number == 1 else msgspec.structs.replace(each, anchor=f"{each.anchor}-{number}")
