"""What Microsoft's validator, with GitHub's rules, says of our SARIF: nothing."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
import pytest
from samples import RULES, fix, hostile_report, result, scan_report, settled_report
from sarif_multitool import complaints

from resplint.config.loading import Config
from resplint.contracts.findings import (
    FixSafety,
    LocatedEdit,
    LocatedStep,
    Notification,
    NotificationKind,
    Precision,
    Region,
    Report,
    SourceLine,
)
from resplint.knowledge.load import load_book
from resplint.output import FORMATS, OutputOptions
from resplint.scan import ScanRequest, scan

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.fixture(scope="module")
def fixtures() -> Report:
    """Two fixtures of each rule and language with findings, in one scan."""
    folders = sorted(FIXTURES.glob("*/*"))
    paths = [str(path) for folder in folders for path in sorted(folder.glob("bad_*"))[:2]]
    rules = {code: info.name for code, info in load_book().items()}
    config = Config(rules=rules, select=("all",), include_tests=True, min_precision=Precision.LOW)
    return scan(ScanRequest(paths, config, root=FIXTURES))


_numbers = itertools.count()


def written(report: Report, folder: Path, **options: object) -> Path:
    file = folder / f"report-{next(_numbers)}.sarif"
    file.write_bytes(FORMATS["sarif"](report, OutputOptions(**options)))  # type: ignore[arg-type]
    return file


def several_edits() -> Report:
    """Fixes of every safety: a deletion, an insertion, a replacement over lines and in another file."""
    edits = (
        LocatedEdit("app/x.py", Region(1, 1, 1, 5), ""),
        LocatedEdit("app/x.py", Region(2, 1, 2, 1), "import x\r\n\t'\x00'"),
        LocatedEdit("lib/é y.py", Region(3, 1, 9, 1), "new()\n"),
    )
    return Report(
        tuple(result(number, fix=fix(safety, *edits)) for number, safety in enumerate(FixSafety, 1)), (), RULES
    )


def over_the_limits() -> Report:
    """More than is taken of everything but results, with which the validator takes its time."""
    steps = tuple(LocatedStep("a.py", Region(n, 1, n, 2), f"Step {n}.", "x") for n in range(1, 1001))
    lines = tuple(SourceLine(n, "y" * 900) for n in range(1, 3))
    results = [result(1, trail=steps, message="m" * 1_000_000 + ".", symbol="s" * 9000, frame=lines)]
    results += [result(number) for number in range(2, 200)]
    rules = (msgspec.structs.replace(RULES[1], tags=tuple(f"tag-{n}" for n in range(30)), title="t" * 3000),)
    return Report(tuple(results), (Notification(NotificationKind.SKIPPED, "n" * 5000, "b.py", 3),), rules)


MADE: dict[str, Callable[[], Report]] = {
    "scan": scan_report,
    "settled": settled_report,
    "hostile": hostile_report,
    "fixes": several_edits,
    "limits": over_the_limits,
    "empty": lambda: Report((), (), RULES),
}
SPOILT: dict[str, tuple[str, Callable[[Any], object]]] = {
    "no-description": ("GH2012", lambda run: run["tool"]["driver"]["rules"][1].pop("fullDescription")),
    "no-such-rule": ("SARIF1009", lambda run: run["results"][0].update(ruleIndex=99)),
}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What the validator, which starts slowly, says of all reports that are made here."""
    folder = tmp_path_factory.mktemp("reports")
    made = {name: written(make(), folder, prefix="services/api é/") for name, make in MADE.items()}
    for name, (_, spoil) in SPOILT.items():
        log = json.loads(made["scan"].read_bytes())
        spoil(log["runs"][0])
        made[name] = folder / f"{name}.sarif"
        made[name].write_text(json.dumps(log))
    found = complaints(*made.values())
    return {name: found[file] for name, file in made.items()}


@pytest.mark.parametrize("name", MADE)
def test_the_validator_has_nothing_to_say(said: dict[str, list[str]], name: str) -> None:
    assert said[name] == []


@pytest.mark.parametrize("name", SPOILT)
def test_the_validator_is_one(said: dict[str, list[str]], name: str) -> None:
    assert any(SPOILT[name][0] in complaint for complaint in said[name]), said[name]


def test_the_validator_has_nothing_to_say_about_fixtures(fixtures: Report, tmp_path: Path) -> None:
    assert len(fixtures.results) > 400
    assert {found.rule for found in fixtures.results} == set(load_book())
    assert any(found.fix for found in fixtures.results)
    file = written(fixtures, tmp_path)
    assert complaints(file)[file] == []


def test_sarif_tools_counts_fixtures_as_we_do(fixtures: Report, tmp_path: Path) -> None:
    from sarif import loader

    loaded = loader.load_sarif_file(str(written(fixtures, tmp_path)))
    seen = Counter(
        (record["Severity"], record["Code"], unquote(record["Location"]), record["Line"])
        for record in loaded.get_records()
    )
    assert seen == Counter((r.level.value, r.rule, r.path, r.region.start_line) for r in fixtures.results)
    assert loaded.get_report().get_issue_count_for_severity("error") == sum(
        found.level.value == "error" for found in fixtures.results
    )
