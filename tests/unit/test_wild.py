"""`make wild`: the list of packages, what is recorded, differences, precision; the published figures are those."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from pathlib import Path

import msgspec
import pytest
import run_wild
from fetch_packages import Fetched, Package, read_file
from wild import differences, precision, report, scanning
from wild.records import Row, Verdict, WildError, read_lines, read_summary, write_lines
from wild.sampling import PER_PACKAGE, sample

from resplint.knowledge.load import load_book

ROOT = Path(__file__).parents[2]


def row(key: str, *, package: str = "npm:a", rule: str = "RL101", **fields: object) -> Row:
    known: dict[str, object] = {
        "path": "a.js", "line": 1, "level": "warning", "precision": "high", "message": "Made per call.", **fields,
    }  # fmt: skip
    return msgspec.convert({"package": package, "rule": rule, "fingerprint": key, **known}, Row)


def verdict(of: Row, outcome: str) -> Verdict:
    fields = {**msgspec.to_builtins(of), "version": "1.0.0", "verdict": outcome, "reason": "The pool is shared."}
    return msgspec.convert(fields, Verdict)


# -- the list -------------------------------------------------------------------------------------------------------


def test_the_list_has_enough_packages_of_each_registry() -> None:
    packages = read_file(run_wild.LIST)
    count = Counter(each.ecosystem for each in packages)
    assert len(packages) >= 200
    assert min(count["pypi"], count["npm"], count["maven"]) >= 60
    assert len({(each.ecosystem, each.folder) for each in packages}) == len(packages)


def test_no_family_of_packages_dominates_the_list() -> None:
    families = Counter(
        (each.ecosystem, re.split(r"[:/]", each.name)[0])
        for each in read_file(run_wild.LIST)
        if ":" in each.name or "/" in each.name
    )
    assert max(families.values()) <= 5


# -- what is recorded -----------------------------------------------------------------------------------------------


def test_what_is_recorded_is_sorted_and_unique(tmp_path: Path) -> None:
    rows = read_lines(run_wild.FINDINGS, Row)
    assert len({each.key for each in rows}) == len(rows) > 150
    write_lines(tmp_path / "again", rows)
    assert (tmp_path / "again").read_bytes() == run_wild.FINDINGS.read_bytes()
    assert {each.package for each in rows} <= {run_wild.name(each) for each in read_file(run_wild.LIST)}


def test_verdicts_are_about_rules_and_packages_that_exist_and_give_a_reason(tmp_path: Path) -> None:
    verdicts = read_lines(run_wild.VERDICTS, Verdict)
    assert len({each.key for each in verdicts}) == len(verdicts) >= 100
    assert {each.rule for each in verdicts} <= set(load_book())
    assert all(len(each.reason) > 20 and each.reason.endswith(".") for each in verdicts)
    assert {each.package for each in verdicts} <= {run_wild.name(each) for each in read_file(run_wild.LIST)}
    write_lines(tmp_path / "again", verdicts)
    assert (tmp_path / "again").read_bytes() == run_wild.VERDICTS.read_bytes()


def test_the_published_figures_are_those_recorded() -> None:
    rows, summary = read_lines(run_wild.FINDINGS, Row), read_summary(run_wild.SUMMARY)
    matched = precision.match(read_lines(run_wild.VERDICTS, Verdict), rows)
    remedy = "python tools/run_wild.py --render"
    assert run_wild.PAGE.read_text("utf-8") == report.page(summary, rows, matched), remedy
    readme = run_wild.README.read_text("utf-8")
    assert report.section(summary, matched) in readme, remedy
    assert report.with_section(readme, "new") == readme.replace(report.section(summary, matched), "new")


def test_a_broken_line_is_told_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "v.jsonl").write_bytes(msgspec.json.encode(verdict(row("1"), "right")) + b'\n{"package": 1}\n')
    with pytest.raises(WildError, match=r"v\.jsonl:2: .*Restore the file"):
        read_lines(tmp_path / "v.jsonl", Verdict)


# -- differences ----------------------------------------------------------------------------------------------------


def test_a_difference_is_told_finding_by_finding() -> None:
    same, gone, moved, louder = row("same"), row("gone"), row("moved"), row("louder", rule="RL102")
    unscanned = row("x", package="npm:not-scanned")
    now = [same, row("moved", line=9), row("louder", rule="RL102", level="error"), row("new", package="npm:b")]
    found = differences.compare([same, gone, moved, louder, unscanned], now, {"npm:a", "npm:b"})
    assert (found.new, found.gone, found.moved) == ((now[3],), (gone,), 1)
    assert [change.words for change in found.changed] == ["level warning → error"]
    text = list(differences.lines(found, "the recorded run"))
    assert "  RL101  1 new, 1 gone" in text
    assert "  RL102  1 changed" in text
    assert "+ RL101 npm:b a.js:1 warning, high: Made per call." in text
    assert "- RL101 npm:a a.js:1 warning, high: Made per call." in text
    assert "~ RL102 npm:a a.js:1 level warning → error" in text


def test_no_difference_is_one_line() -> None:
    found = differences.compare([row("1")], [row("1")], {"npm:a"})
    assert list(differences.lines(found, "the recorded run")) == ["No difference from the recorded run."]


# -- precision ------------------------------------------------------------------------------------------------------


def test_precision_counts_what_could_be_decided_and_still_exists() -> None:
    rows = [row(str(n), rule="RL101" if n < 10 else "RL102") for n in range(12)]
    outcomes = ["right"] * 8 + ["wrong"] * 2 + ["unclear"] * 2
    verdicts = [verdict(each, outcome) for each, outcome in zip(rows, outcomes, strict=True)]
    matched = precision.match([*verdicts, verdict(row("gone"), "right")], rows)
    found = precision.tallies(matched, lambda each: each.rule)
    assert len(matched.lost) == 1
    assert (found["RL101"].right, found["RL101"].wrong, found["RL101"].precision) == (8, 2, 0.8)
    assert found["RL101"].interval == pytest.approx((0.490, 0.943), abs=0.001)
    assert (found["RL102"].unclear, found["RL102"].precision, found["RL102"].interval) == (2, None, None)


# -- sampling -------------------------------------------------------------------------------------------------------


def test_a_sample_is_even_over_rules_small_per_package_and_repeatable() -> None:
    rows = [
        row(f"{rule}-{n}", rule=rule, package=f"npm:{n // 8}", level="note" if n % 4 else "error")
        for rule, number in (("RL101", 400), ("RL102", 80), ("RL103", 3))
        for n in range(number)
    ]
    chosen = sample(rows, 40, seed=7)
    assert chosen == sample(list(reversed(rows)), 40, seed=7) != sample(rows, 40, seed=8)
    count = Counter(each.rule for each in chosen)
    assert (len(chosen), count["RL103"]) == (40, 2)
    assert abs(count["RL101"] - count["RL102"]) <= 1
    assert max(Counter((each.package, each.rule) for each in chosen).values()) <= PER_PACKAGE
    assert min(Counter(each.level for each in chosen if each.rule == "RL101").values()) >= 8
    more = sample(rows, 10, seed=7, done={each.key for each in chosen})
    assert len(more) == 10
    assert not {each.key for each in more} & {each.key for each in chosen}


# -- scanning -------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "package"
    path.mkdir()
    shutil.copy(ROOT / "fixtures" / "unparameterized-eval" / "python" / "bad_concat_votes.py", path / "votes.py")
    return path


def test_a_scan_keeps_findings_and_what_they_cost(folder: Path) -> None:
    (got,) = scanning.scan_all([("pypi:package", folder)], 1, lambda done: None)
    assert (got.crash, {each.rule for each in got.rows}) == ("", {"RL301"})
    assert got.files == 1
    assert 1 < got.lines < 100
    assert 10 < got.peak_mb < 10_000  # a process begins with the memory of the one that starts it
    assert 0.01 < got.cpu_s < 60


def test_a_scan_that_ends_badly_is_a_crash_and_the_others_go_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad, good = scanning.scan_all([("a", folder / "nothing"), ("b", folder)], 2, lambda done: None)
    assert bad.crash.startswith("exit code 2: ")
    assert "nothing" in bad.crash
    assert good.rows
    monkeypatch.setattr(scanning, "TIMEOUT_S", 0.01)
    (late,) = scanning.scan_all([("a", folder)], 1, lambda done: None)
    assert late.crash == "not ready after 0 s"


def test_a_package_that_is_gone_is_counted_and_ends_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone, there = (Package("npm", name, "1.0.0", ("0" * 64,)) for name in ("gone", "there"))
    fetched = [Fetched(gone, folder, "gone 1.0.0: npm could not download it"), Fetched(there, folder)]
    monkeypatch.setattr(run_wild, "read_file", lambda path: [gone, there])
    monkeypatch.setattr(run_wild, "fetch_all", lambda packages, target: fetched)
    monkeypatch.setattr("sys.argv", ["run_wild.py", "--jobs", "1"])
    assert run_wild.main() == 0
    printed = capsys.readouterr().out
    assert "1 of 2 packages scanned (1 of npm)" in printed
    assert "missing: npm:gone gone 1.0.0: npm could not download it" in printed
    assert "Without a crash: 100.00 % (1 of 1) packages" in printed
    assert "+ RL301 npm:there" in printed
    assert "npm:kue" not in printed
