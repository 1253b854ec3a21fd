"""What 0.1.0 wrote down is known again: fingerprints, a baseline, and comments that suppress."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import msgspec
import pytest

import resplint.scan.analysis
from resplint.contracts.findings import Finding, Level, Precision, Result, Step
from tests.baseline import recorded as recording
from tests.baseline.helpers import entries, remarks, report
from tests.baseline.recorded import (
    BASELINE,
    EVERYTHING,
    Recorded,
    fixtures,
    folder_of,
    lost,
    put_project,
    recorded,
    results_of,
)
from tests.rules.fixture_cases import CODES, Case

AGAIN = "if the fixtures changed for a good reason: python -m tests.baseline.recorded"


def by_fixture() -> dict[str, list[Recorded]]:
    groups: dict[str, list[Recorded]] = defaultdict(list)
    for each in recorded():
        groups[each.fixture].append(each)
    return groups


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All fixtures of which findings were recorded, with the baseline of that time beside them."""
    folder = tmp_path_factory.mktemp("recorded")
    put_project(folder, by_fixture())
    (folder / "baseline.jsonl").write_bytes(BASELINE.read_bytes())
    return folder


def test_there_is_enough_of_it_for_every_rule_and_language() -> None:
    kinds = Counter((fixtures()[name].language, each.rule) for name, found in by_fixture().items() for each in found)
    there_then = {"RL101", "RL102", "RL103", "RL104", "RL201", "RL301", "RL401"}
    everything = {(case.language, CODES[case.rule]) for case in fixtures().values() if CODES[case.rule] in there_then}
    assert set(kinds) == everything
    assert kinds.total() >= 120
    assert len(entries(BASELINE)) == kinds.total()


def test_every_fingerprint_is_found_again() -> None:
    assert lost(recorded()) == [], AGAIN


def test_the_baseline_accepts_the_same_findings(project: Path) -> None:
    accepted = report("--baseline", project / "baseline.jsonl", *EVERYTHING, project)["results"]
    matched = [each for each in accepted if each["baseline"] == "unchanged"]
    assert len(matched) == len(entries(BASELINE)), AGAIN
    assert remarks("unused-baseline", "--baseline", project / "baseline.jsonl", *EVERYTHING, project) == [], AGAIN


def test_comments_suppress_the_same_findings(project: Path) -> None:
    """Above the line on which a finding began, as an editor puts them."""
    places: dict[Path, set[tuple[str, str]]] = defaultdict(set)
    for each in recorded():
        places[project / folder_of(each.fixture) / each.path].add((each.line, each.rule))
    for path, suppressed in places.items():
        path.write_text("\n".join(commented(path, suppressed)), "utf-8")
    results = report(*EVERYTHING, project)["results"]
    count: Counter[tuple[str, str]] = Counter()
    for result in results:
        if result["suppression"] is not None:
            assert result["suppression"]["justification"] == "accepted"
            count[result["path"], result["rule"]] += 1
    expected = Counter((f"{folder_of(each.fixture)}/{each.path}", each.rule) for each in recorded())
    assert expected - count == Counter(), AGAIN


def commented(path: Path, suppressed: Iterable[tuple[str, str]]) -> list[str]:
    lines = []
    for line in path.read_text("utf-8").split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        mark = "#" if path.suffix == ".py" else "//"
        rules = [rule for text, rule in suppressed if text == line.strip()]
        lines += [*(f"{indent}{mark} resplint: ignore[{rule}] accepted" for rule in sorted(rules)), line]
    return lines


def told_otherwise(finding: Finding) -> Finding:
    """The same finding with another message, trail, level and precision, and without its remedy."""
    rng = random.Random(finding.message)
    trail = [*finding.trail, Step(finding.place, "A step that was not told before.")]
    return msgspec.structs.replace(
        finding,
        message=f"Put otherwise: {finding.message}",
        trail=tuple(rng.sample(trail, k=rng.randrange(1, len(trail) + 1))),
        level=rng.choice([level for level in Level if level is not finding.level]),
        precision=rng.choice([each for each in Precision if each is not finding.precision]),
        remedy=None,
        fix=None,
    )


def test_wording_trails_and_levels_do_not_enter_a_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    load = resplint.scan.analysis.load_check

    def changed(name: str) -> Callable[[object], Iterable[Finding]]:
        check = load(name)
        return lambda project: [told_otherwise(finding) for finding in check(project)]  # type: ignore[arg-type]

    monkeypatch.setattr(resplint.scan.analysis, "load_check", changed)
    some = recorded()[0]
    case = fixtures()[some.fixture]
    assert all(result.message.startswith("Put otherwise: ") for result in results_of(case))
    assert lost(recorded()) == []


@cache
def scanned_once(case: Case) -> list[Result]:
    return results_of(case)


# -- recording again ------------------------------------------------------------------------------------------------


@pytest.fixture
def few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the record, to be written again."""
    for name, file in (("FINDINGS", recording.FINDINGS), ("BASELINE", recording.BASELINE)):
        (tmp_path / file.name).write_bytes(file.read_bytes())
        monkeypatch.setattr(recording, name, tmp_path / file.name)
    monkeypatch.setattr(recording, "DATA", tmp_path)
    monkeypatch.setattr(recording, "results_of", scanned_once)
    return tmp_path


def test_nothing_changes_while_everything_is_found(few: Path) -> None:
    before = {file.name: file.read_bytes() for file in few.iterdir()}
    assert recording.main() == 0
    assert {file.name: file.read_bytes() for file in few.iterdir()} == before


def test_another_fingerprint_for_unchanged_code_is_refused(few: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, *others = recording.recorded()
    changed = msgspec.structs.replace(first, own="0" * 32)
    recording.FINDINGS.write_bytes(b"\n".join(msgspec.json.encode(each) for each in (changed, *others)))
    before = recording.FINDINGS.read_bytes()
    assert recording.main() == 1
    assert first.fixture in capsys.readouterr().out
    assert recording.FINDINGS.read_bytes() == before


@pytest.mark.parametrize("change", [{"line": "no such line()"}, {"fixture": "no/such/fixture"}, {"path": "gone.py"}])
def test_what_no_longer_stands_in_a_fixture_is_taken_out(change: dict[str, str], few: Path) -> None:
    first, *others = recording.recorded()
    changed = msgspec.structs.replace(first, **{"own": "0" * 32, "code": "0" * 32, **change})
    recording.FINDINGS.write_bytes(b"\n".join(msgspec.json.encode(each) for each in (changed, *others)))
    accepted = len(entries(recording.BASELINE))
    assert recording.main() == 0
    assert recording.recorded() == others
    assert len(entries(recording.BASELINE)) == accepted - 1
