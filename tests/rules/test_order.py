"""What a rule finds depends neither on the other rules that are enabled nor on the order in which files are looked at.

Each fixture is scanned alone, and those of one rule and language together as one project. With a single rule selected
the findings are that rule's part of a full scan, down to trails and fixes: their own and those that find something, and
in the projects one more, of which each has another. They are the same in any order of files.
"""

from __future__ import annotations

import random
import shutil
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

import resplint.scan.linking
from resplint.contracts.facts import FileFacts
from resplint.contracts.findings import Result
from resplint.knowledge.load import load_book
from resplint.model.project import Project
from resplint.scan import FactsMemory, ScanRequest, scan
from tests.rules.fixture_cases import CODES, RULES, Case, all_cases, config, read, versions

SHUFFLES = 2
BOOK = load_book()
DEPENDS: dict[str, str] = {}
"""Fixtures whose findings depend on order, and why."""

CASES = {case.name: case for case in all_cases()}
GROUPS: dict[str, list[Case]] = defaultdict(list)
for _case in CASES.values():
    if _case.name not in DEPENDS:
        GROUPS[f"{_case.rule}-{_case.language}"].append(_case)
Key = tuple[str, int, str]


class Scans:
    """Scans of one project, which keep its facts."""

    def __init__(self, root: Path, paths: Sequence[Path], pinned: dict[str, str], include_tests: bool = True) -> None:
        self._root = root
        self._include_tests = include_tests
        self._paths = [str(path) for path in paths]
        self._pinned = pinned
        self._memory = FactsMemory()

    def results(self, *select: str, rng: random.Random | None = None) -> tuple[Result, ...]:
        paths = rng.sample(self._paths, len(self._paths)) if rng is not None else self._paths
        settings = config(client_versions=self._pinned, select=select or ("all",), include_tests=self._include_tests)
        return scan(ScanRequest(paths, settings, root=self._root, memory=self._memory)).results

    def differences_by_rule(self, *codes: str) -> dict[str, list[Key]]:
        """For some rules (default: all), and those that find something, what is found with it alone or in a full scan
        only.
        """
        full = self.results()
        found = {
            code: differences(
                of_rule(full, code),
                of_rule(self.results(code, *BOOK[code].yields_to), code),
            )
            for code in sorted({*(codes or RULES), *(one.rule for one in full)})
        }
        return {code: keys for code, keys in found.items() if keys}

    def differences_by_order(self, monkeypatch: pytest.MonkeyPatch) -> dict[int, list[Key]]:
        """For each shuffle what is found with it or without it only."""
        full = self.results()
        found = {}
        for seed in range(SHUFFLES):
            rng = random.Random(seed)

            def shuffled(chosen: Iterable[FileFacts], *others: object, rng: random.Random = rng) -> Project:
                files = list(chosen)
                return Project(rng.sample(files, len(files)), *others)  # type: ignore[arg-type]

            with monkeypatch.context() as patch:
                patch.setattr(resplint.scan.linking, "Project", shuffled)
                found[seed] = differences(full, self.results(rng=rng))
        return {seed: keys for seed, keys in found.items() if keys}


def of_rule(results: Sequence[Result], code: str) -> list[Result]:
    return [one for one in results if one.rule == code]


def differences(one: Sequence[Result], other: Sequence[Result]) -> list[Key]:
    unequal = [each for each in one if each not in other] + [each for each in other if each not in one]
    return sorted({(each.path, each.region.start_line, each.rule) for each in unequal})


def alone(case: Case) -> Scans:
    pinned = {library: version for path in case.files for library, version in versions(read(path)).items()}
    return Scans(case.root, [case.path], pinned)


def together(cases: Sequence[Case], folder: Path) -> Scans:
    """Fixtures as one project, each in a folder of its own."""
    for case in cases:
        target = folder / case.path.name.replace(".", "-")
        if case.path.is_dir():
            shutil.copytree(case.path, target)
        else:
            target.mkdir()
            shutil.copy(case.path, target)
    return Scans(folder, sorted(folder.iterdir()), {})


@pytest.mark.parametrize("group", GROUPS)
def test_a_rule_alone_finds_its_part_of_a_full_scan(group: str, tmp_path: Path) -> None:
    found = {case.name: alone(case).differences_by_rule(CODES[case.rule]) for case in GROUPS[group]}
    own = CODES[GROUPS[group][0].rule]
    another = sorted(RULES)[zlib.crc32(group.encode()) % len(RULES)]
    found["together"] = together(GROUPS[group], tmp_path).differences_by_rule(own, another)
    assert {name: different for name, different in found.items() if different} == {}


@pytest.mark.parametrize("group", GROUPS)
def test_any_order_of_files_gives_the_same_findings(
    group: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scans = {case.name: alone(case) for case in GROUPS[group] if len(case.files) > 1}
    scans["together"] = together(GROUPS[group], tmp_path)
    found = {name: each.differences_by_order(monkeypatch) for name, each in scans.items()}
    assert {name: different for name, different in found.items() if different} == {}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.xfail(strict=True, reason=why)) for name, why in DEPENDS.items()]
)
def test_these_fixtures_depend_on_order(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert alone(CASES[name]).differences_by_rule() == {}
    assert alone(CASES[name]).differences_by_order(monkeypatch) == {}
