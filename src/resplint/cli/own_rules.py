"""Checking rules of a user's own on examples."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from resplint.cli.scan import load_config
from resplint.config.forbidding import rule_files
from resplint.config.loading import Config, load_rules
from resplint.contracts.errors import UserError
from resplint.contracts.findings import NotificationKind, Precision, Report
from resplint.contracts.forbidding import Forbidden
from resplint.custom import expectations
from resplint.custom.expectations import Mark, Trace
from resplint.files.regular_files import UnreadableFileError, read_regular
from resplint.knowledge.load import load_book
from resplint.languages import EXTENSIONS
from resplint.output.escape import escape
from resplint.output.words import count
from resplint.scan import ScanRequest, link, scan

_LIMIT = 1_000_000
_DEPTH = 20


@dataclass(frozen=True)
class Outcome:
    """What is not as the examples say, a line each, and the sum in a sentence. `failed`: resplint itself did."""

    problems: tuple[str, ...]
    summary: str
    failed: bool


def test_examples(folder: Path, explicit: str | None) -> Outcome:
    """Compare what the rules find in a folder with what its comments say. Raises `UserError` if there are no rules or
    no examples.
    """
    config = _config(folder, explicit)
    texts = dict(_texts(folder))
    if not texts:
        raise UserError(f"{folder}: no example; expected source files with comments such as `# expect: SHOP001`.")
    marks = [mark for path, text in texts.items() for mark in expectations.marks(text, path)]
    traces = [trace for path, text in texts.items() for trace in expectations.traces(text, path)]
    pinned = {name: version for text in texts.values() for name, version in expectations.versions(text).items()}
    config = msgspec.structs.replace(config, client_versions={**config.client_versions, **pinned})
    report = scan(ScanRequest([str(folder)], config, root=folder))
    problems = [
        *_unknown(marks, config.forbid), *_differences(config.forbid, marks, report),
        *_lost(folder, config, traces), *_without_example(config.forbid, marks),
    ]  # fmt: skip
    failures = [note.message for note in report.notifications if note.kind is NotificationKind.INTERNAL_ERROR]
    rules, examples = count(len(config.forbid), "rule"), count(len(marks), "example")
    how = "all as expected" if not problems else count(len(problems), "problem")
    return Outcome(
        tuple(escape(problem) for problem in [*failures, *problems]), f"{rules}, {examples}: {how}.", bool(failures)
    )


def _config(folder: Path, explicit: str | None) -> Config:
    """The configuration with nothing but the rules that are to be tested, and all code of the folder looked at."""
    config = load_config(folder, explicit)
    files = [] if explicit else rule_files(str(folder))
    book = {code: info.name for code, info in load_book().items()}
    own: Sequence[Forbidden] = load_rules(files, book) if files else config.forbid
    if not own:
        raise UserError(
            f"{folder}: no rule; expected [[forbid]] tables in a .toml file of this folder, or in the configuration "
            "around it."
        )
    codes = tuple(rule.code for rule in own)
    return Config(
        rules={**book, **{rule.code: rule.name for rule in own}},
        select=codes,
        client_versions=config.client_versions,
        client_factories=config.client_factories,
        forbid=tuple(own),
        include_tests=True,
        min_precision=Precision.LOW,
        jobs=1,
    )


def _texts(folder: Path) -> Iterator[tuple[str, str]]:
    """The source files of a folder by their path in it."""
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if os.path.splitext(path.name)[1].lower() in EXTENSIONS and len(relative.parts) <= _DEPTH:
            try:
                yield relative.as_posix(), read_regular(str(path), _LIMIT).decode("utf-8-sig", "replace")
            except UnreadableFileError as error:
                raise UserError(f"{path}: {error}.", file=str(path)) from error


def _unknown(marks: Sequence[Mark], rules: Sequence[Forbidden]) -> list[str]:
    known = {name for rule in rules for name in (rule.code, rule.name)}
    return [
        f"{mark.path}:{mark.line} names {mark.rule}, which is no rule that is tested here"
        for mark in marks
        if mark.rule not in known
    ]


def _differences(rules: Sequence[Forbidden], marks: Sequence[Mark], report: Report) -> list[str]:
    found = []
    for rule in rules:
        own = [mark for mark in marks if mark.rule in (rule.code, rule.name)]
        results = [one for one in report.results if one.rule == rule.code and one.suppression is None]
        compared: Mapping[str, list[str]] = expectations.compare(own, results)
        found += [
            problem if rule.code in problem else f"{problem} ({rule.code})"
            for problems in compared.values()
            for problem in problems
        ]
    return sorted(found)


def _lost(folder: Path, config: Config, traces: Sequence[Trace]) -> list[str]:
    """Calls whose client is not known, though the examples say so."""
    if not traces:
        return []
    project = link(ScanRequest([str(folder)], config, root=folder)).project
    return expectations.untraced(traces, expectations.traced(project))


def _without_example(rules: Sequence[Forbidden], marks: Sequence[Mark]) -> list[str]:
    shown = {mark.rule for mark in marks if mark.kind in ("expect", "known-miss")}
    return [
        f"{rule.code} {rule.name} has no example that it must report: write `# expect: {rule.code}` above one"
        for rule in rules
        if not shown & {rule.code, rule.name}
    ]
