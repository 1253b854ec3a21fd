"""Changes that mean nothing change no finding of any fixture; a look-alike library silences them all.

What is found after a change is compared with what was found before it; `test_fixtures` compares that with the
marks. Every Python fixture is tried with one in `SHARE` of the changes, and with all where a defect is known. Of each
other language each change is tried with `SAMPLE` fixtures that it applies to: the rules take turns. Which come first
depends on nothing but the names of fixture and change, so that every fixture gets its turn with some.
RESPLINT_ALL_FIXTURES=1 tries all.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import islice, zip_longest
from pathlib import Path, PurePosixPath

import pytest

from resplint.contracts.findings import Report
from resplint.languages import EXTENSIONS
from tests.rules import metamorphic_changes, metamorphic_local, metamorphic_python
from tests.rules.fixture_cases import Case, all_cases, read, run, versions
from tests.rules.metamorphic import Change, Changed, Setting
from tests.rules.metamorphic_code import is_valid
from tests.rules.metamorphic_known import KNOWN, WITHOUT_LIBRARY, known
from tests.rules.metamorphic_python_names import foreign_names
from tests.rules.metamorphic_renames import setting_of

SAMPLE = None if os.environ.get("RESPLINT_ALL_FIXTURES") else 25
SHARE = 1 if SAMPLE is None else 3
FEW = {
    ("javascript", "rename-fields"): 15,
    ("kotlin", "make-in-helper"): 8,
    ("typescript", "wrap-module"): 5,
}
"""How many fixtures a change reaches at least where that is less than 20."""

CASES = all_cases()
KEEPING: dict[str, dict[str, Change]] = {"python": metamorphic_python.KEEPING, **metamorphic_changes.KEEPING}
ANOTHER: dict[str, Change] = {
    "python": metamorphic_python.another_library,
    **dict.fromkeys(metamorphic_changes.KEEPING, metamorphic_local.another_library),
}
Key = tuple[str, int, str, str]


@cache
def setting(case: Case, path: Path) -> Setting:
    others = [read(other) for other in case.files if other != path]
    if path.suffix == ".py":
        return Setting(foreign=foreign_names(others))
    return setting_of(EXTENSIONS[path.suffix], path.suffix, read(path), others)


@cache
def changed_texts(case: Case, change: Change) -> dict[str, Changed]:
    return {path.relative_to(case.root).as_posix(): change(read(path), setting(case, path)) for path in case.files}


def applies(case: Case, change: Change) -> bool:
    texts = changed_texts(case, change)
    if len({new_path(path, changed) for path, changed in texts.items()}) < len(texts):
        return False  # one file would take the place of another
    return any(changed.suffix or changed.text != read(case.root / path) for path, changed in texts.items())


def pinned(case: Case) -> dict[str, str]:
    return {library: version for path in case.files for library, version in versions(read(path)).items()}


def new_path(path: str, changed: Changed) -> str:
    return PurePosixPath(path).with_suffix(changed.suffix).as_posix() if changed.suffix else path


def write_changed(case: Case, change: Change, folder: Path) -> None:
    """A copy of the fixture in which every file is changed."""
    if case.path.is_dir():
        shutil.copytree(case.path, folder, dirs_exist_ok=True)
    for path, changed in changed_texts(case, change).items():
        (folder / path).unlink(missing_ok=True)
        (folder / new_path(path, changed)).write_bytes(changed.text.encode())


def keys(report: Report, origin: Callable[[str, int], tuple[str, int]]) -> list[Key]:
    return sorted(
        (*origin(result.path, result.region.start_line), result.rule, result.level.value)
        for result in report.results
        if result.suppression is None
    )


def here(path: str, line: int) -> tuple[str, int]:
    return path, line


def problems(report: Report) -> list[str]:
    kinds = ("internal-error", "partial", "skipped")
    return [f"{note.path}: {note.message}" for note in report.notifications if note.kind.value in kinds]


def broken(case: Case, change: Change) -> list[str]:
    """Files that a change has left with more errors of syntax than they had."""
    return [
        path
        for path, changed in changed_texts(case, change).items()
        if not path.endswith(".py") and not is_valid(changed, read(case.root / path), setting(case, case.root / path))
    ]


@cache
def original(case: Case) -> Report:
    return run(case.root, [case.path], pinned(case))


def sample(language: str, name: str, wanted: Callable[[Case], bool]) -> Iterator[Case]:
    """The fixtures that a change is tried with."""
    cases = [case for case in CASES if case.language == language]
    drawn = {case: int.from_bytes(hashlib.sha1(f"{name} {case.name}".encode()).digest()) for case in cases}
    if language == "python":
        return filter(wanted, (case for case in cases if drawn[case] % SHARE == 0))
    cases.sort(key=drawn.__getitem__)
    rules = sorted({case.rule for case in cases})
    turns = zip_longest(*([case for case in cases if case.rule == rule] for rule in rules))
    return islice((case for turn in turns for case in turn if case is not None and wanted(case)), SAMPLE)


def pairs() -> Iterator[tuple[Case, str]]:
    """The samples, and every fixture of which a defect is known: when that is fixed, its entry must go."""
    for language, changes in KEEPING.items():
        for name in changes:
            chosen = list(sample(language, name, partial(applies, change=changes[name])))
            named = {fixture for cause in KNOWN if name in cause.changes for fixture in cause.fixtures}
            chosen += [one for one in CASES if one.language == language and one.name in named and one not in chosen]
            yield from ((case, name) for case in chosen)


PAIRS = list(pairs())
OTHERS = [
    case
    for language in ANOTHER
    for case in sample(language, "another-library", lambda case: case.name not in WITHOUT_LIBRARY)
]


def marked(case: Case, name: str) -> object:
    cause = known(case.name, name)
    marks = [pytest.mark.xfail(reason=cause.cause, strict=True)] if cause else []
    return pytest.param(case, name, id=f"{case.name}-{name}", marks=marks)


@pytest.mark.parametrize(("case", "change"), [marked(case, name) for case, name in PAIRS])
def test_same_findings_after(case: Case, change: str, tmp_path: Path) -> None:
    changing = KEEPING[case.language][change]
    assert broken(case, changing) == []
    write_changed(case, changing, tmp_path)
    texts = {new_path(path, each): (path, each) for path, each in changed_texts(case, changing).items()}
    target = tmp_path if case.path.is_dir() else tmp_path / next(iter(texts))
    report = run(tmp_path, [target], pinned(case))

    def origin(path: str, line: int) -> tuple[str, int]:
        return (texts[path][0], texts[path][1].origin(line)) if path in texts else (path, line)

    assert keys(report, origin) == keys(original(case), here)
    assert problems(report) == problems(original(case))


@pytest.mark.parametrize("case", OTHERS, ids=[case.name for case in OTHERS])
def test_no_findings_with_another_library(case: Case, tmp_path: Path) -> None:
    change = ANOTHER[case.language]
    assert broken(case, change) == []
    write_changed(case, change, tmp_path)
    target = tmp_path if case.path.is_dir() else tmp_path / case.path.name
    if case.language != "python":
        for path, changed in changed_texts(case, change).items():
            for name, text in metamorphic_local.stand_ins(path, changed, setting(case, case.root / path)).items():
                (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / name).write_text(text, encoding="utf-8")
        target = tmp_path
    report = run(tmp_path, [target], pinned(case))
    assert keys(report, here) == []
    assert problems(report) == []


@pytest.mark.parametrize(
    ("language", "name"), [(language, name) for language, changes in KEEPING.items() for name in sorted(changes)]
)
def test_change_reaches_most_fixtures(language: str, name: str) -> None:
    """A change that silently applies to nothing would prove nothing."""
    reached = sum(name == change and case.language == language for case, change in PAIRS)
    count = sum(case.language == language for case in CASES)
    assert reached >= (count * 0.6 * 0.9 / SHARE if language == "python" else FEW.get((language, name), 20))


def test_known_causes_name_fixtures_and_changes() -> None:
    names = {case.name for case in CASES}
    assert {fixture for each in KNOWN for fixture in each.fixtures} <= names
    assert {change for each in KNOWN for change in each.changes} <= {
        name for changes in KEEPING.values() for name in changes
    }
