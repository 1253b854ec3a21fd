"""What is accepted stays accepted, for every rule in every language: the bad examples, moved about."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from resplint.languages import EXTENSIONS
from tests.baseline.helpers import entries, remarks, report, run

FIXTURES = Path(__file__).parents[2] / "fixtures"
EVERYTHING = ("--include-tests", "--min-precision", "low", "--select", "all")


def sources(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.suffix in EXTENSIONS)


def has_findings(fixture: Path) -> bool:
    """Whether a fixture has findings as it is: some need a version that their test gives them, some record a miss."""
    files = sources(fixture) if fixture.is_dir() else [fixture] if fixture.suffix in EXTENSIONS else []
    text = "".join(file.read_text("utf-8") for file in files)
    return " expect: " in text and " versions: " not in text


def states(project: Path) -> list[str]:
    return [each["baseline"] for each in report("--baseline", project / "base.jsonl", *EVERYTHING, project)["results"]]


KINDS = sorted(
    folder for folder in FIXTURES.glob("*/*") if folder.is_dir() and any(map(has_findings, folder.glob("bad_*")))
)


def test_there_is_a_kind_of_every_language() -> None:
    assert {kind.name for kind in KINDS} == {"python", "java", "kotlin", "javascript", "typescript"}
    assert len(KINDS) > 80


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.parent.name}-{kind.name}")
def test_findings_are_found_again_wherever_they_go(kind: Path, tmp_path: Path) -> None:
    bad = next(each for each in sorted(kind.glob("bad_*")) if has_findings(each))
    code = tmp_path / "code"
    if bad.is_dir():
        shutil.copytree(bad, code)
    else:
        code.mkdir()
        shutil.copy(bad, code)
    base = tmp_path / "base.jsonl"
    assert run("baseline", tmp_path, *EVERYTHING, "--output", base).exit_code == 0
    accepted = ["unchanged"] * len(entries(base))
    assert accepted
    for file in sources(code):
        mark = "#" if file.suffix == ".py" else "//"
        file.write_bytes(f"{mark} new\n\n{file.read_text('utf-8')}".replace("\n", "\r\n").encode())
    assert states(tmp_path) == accepted
    moved = tmp_path / "deeper" / "down"
    moved.parent.mkdir()
    code.rename(moved)
    assert states(tmp_path) == accepted
    assert remarks("unused-baseline", "--baseline", base, *EVERYTHING, tmp_path) == []
    if len(sources(moved)) == 1:
        (file,) = sources(moved)
        file.rename(file.with_name(f"renamed{file.suffix}"))
        assert states(tmp_path) == accepted
