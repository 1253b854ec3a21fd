"""Changes that mean nothing change no finding of any fixture; a look-alike library silences them all."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from resplint.findings import Report
from tests.rules.fixture_cases import Case, all_cases, read, run, versions
from tests.rules.metamorphic import KEEPING, Change, Changed, Setting, another_library, foreign_names

CASES = [case for case in all_cases() if case.language == "python"]
Key = tuple[str, str, int, str]


@cache
def setting(case: Case, path: Path) -> Setting:
    return Setting(foreign_names(read(other) for other in case.files if other != path))


@cache
def changed_texts(case: Case, change: Change) -> dict[str, Changed]:
    return {
        path.relative_to(case.root).as_posix(): change(read(path), setting(case, path))
        for path in case.files
        if path.suffix == ".py"
    }


def applies(case: Case, change: Change) -> bool:
    texts = changed_texts(case, change)
    return any(changed.text != read(case.root / path) for path, changed in texts.items())


def pinned(case: Case) -> dict[str, str]:
    return {library: version for path in case.files for library, version in versions(read(path)).items()}


def scan_changed(case: Case, change: Change, folder: Path) -> Report:
    """The report on a copy of the fixture in which every Python file is changed."""
    if case.path.is_dir():
        shutil.copytree(case.path, folder, dirs_exist_ok=True)
    for path, changed in changed_texts(case, change).items():
        (folder / path).write_text(changed.text, encoding="utf-8")
    target = folder if case.path.is_dir() else folder / case.path.name
    return run(folder, [target], pinned(case))


def keys(report: Report, line: Callable[[str, int], int]) -> list[Key]:
    return sorted(
        (result.path, result.rule, line(result.path, result.region.start_line), result.level.value)
        for result in report.results
        if result.suppression is None
    )


def problems(report: Report) -> list[str]:
    kinds = ("internal-error", "partial", "skipped")
    return [f"{note.path}: {note.message}" for note in report.notifications if note.kind.value in kinds]


@cache
def original(case: Case) -> Report:
    return run(case.root, [case.path], pinned(case))


PAIRS = [(case, name) for case in CASES for name, change in KEEPING.items() if applies(case, change)]


@pytest.mark.parametrize(("case", "change"), PAIRS, ids=[f"{case.name}-{name}" for case, name in PAIRS])
def test_same_findings_after(case: Case, change: str, tmp_path: Path) -> None:
    texts = changed_texts(case, KEEPING[change])
    report = scan_changed(case, KEEPING[change], tmp_path)
    expected = keys(original(case), lambda path, line: texts[path].line(line) if path in texts else line)
    assert keys(report, lambda _, line: line) == expected
    assert problems(report) == problems(original(case))


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_no_findings_with_another_library(case: Case, tmp_path: Path) -> None:
    report = scan_changed(case, another_library, tmp_path)
    assert keys(report, lambda _, line: line) == []
    assert problems(report) == []


@pytest.mark.parametrize("name", sorted(KEEPING))
def test_change_reaches_most_fixtures(name: str) -> None:
    """A change that silently applies to nothing would prove nothing."""
    reached = sum(name == change for _, change in PAIRS)
    assert reached >= len(CASES) * 0.6
