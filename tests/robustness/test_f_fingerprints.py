"""Point 29: what identifies a finding stays through the edits that people make around it.

The findings of up to `PER_RULE` fixtures of each rule and language go through eight edits: a comment above, functions
that change places, a formatter, another name for a variable that the finding has nothing to do with, another text of
the message, another version of resplint, another root, and a checkout with CRLF.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec
import pytest

import resplint.scan.analysis
from resplint.contracts.findings import Finding, Report
from resplint.results.fingerprints import OWN_KEY
from tests.rules import metamorphic_layout, metamorphic_python
from tests.rules.fixture_cases import CODES, Case, all_cases, read, run, versions
from tests.rules.metamorphic import Change
from tests.rules.test_metamorphic import setting
from tests.tooling import node, npm_package

PER_RULE = 2
"""Fixtures of each rule and language."""
STABLE_SHARE = 0.99
_LANGUAGES = ("python", "java", "kotlin", "javascript", "typescript")


@dataclass(frozen=True)
class Identified:
    """The own fingerprints of the findings of some fixtures, and how often each occurs in its report."""

    values: Counter[tuple[str, str, str]]
    """(fixture, rule, fingerprint) -> number of findings."""


@cache
def cases() -> tuple[Case, ...]:
    chosen: dict[tuple[str, str], list[Case]] = defaultdict(list)
    for case in all_cases():
        group = chosen[case.rule, case.language]
        if len(group) < PER_RULE and any("expect: " in read(path) for path in case.files):
            group.append(case)
    return tuple(case for group in chosen.values() for case in group)


def pinned(case: Case) -> dict[str, str]:
    return {library: version for path in case.files for library, version in versions(read(path)).items()}


def identified(roots: Callable[[Case], Path], chosen: Iterable[Case] | None = None) -> Identified:
    values: Counter[tuple[str, str, str]] = Counter()
    for case in chosen if chosen is not None else cases():
        root = roots(case)
        target = root if case.path.is_dir() else root / case.path.name
        report = run(root, [target], pinned(case), CODES[case.rule])
        values.update((case.name, *key) for key in fingerprints(report))
    return Identified(values)


def fingerprints(report: Report) -> list[tuple[str, str]]:
    return [(result.rule, result.fingerprints[OWN_KEY]) for result in report.results]


@cache
def original() -> Identified:
    values: Counter[tuple[str, str, str]] = Counter()
    for case in cases():
        values.update((case.name, *key) for key in fingerprints(original_report(case)))
    return Identified(values)


@cache
def original_report(case: Case) -> Report:
    return run(case.root, [case.path], pinned(case), CODES[case.rule])


def copies(folder: Path, edit: Callable[[Case, Path, str], str]) -> Callable[[Case], Path]:
    """Copies of the fixtures, each below a folder of its own, after an edit of the text of each file."""
    for case in cases():
        root = copy_of(folder, case)
        for path in (path for path in case.path.rglob("*") if path.is_file()) if case.path.is_dir() else case.files:
            target = root / path.relative_to(case.root)
            target.parent.mkdir(parents=True, exist_ok=True)
            data = path.read_bytes()
            target.write_bytes(edit(case, path, data.decode()).encode() if path in case.files else data)
    return lambda case: copy_of(folder, case)


def copy_of(folder: Path, case: Case) -> Path:
    return folder / case.name.replace("/", "-").replace(".", "-")


def assert_stable(edited: Identified, touched: int) -> None:
    """At least 99 % of the findings are still known; `touched` says how many fixtures the edit changed."""
    before = original().values
    assert touched >= len(cases()) * 0.15, "an edit that touches hardly any fixture proves nothing"
    lost = before - edited.values
    share = 1 - lost.total() / before.total()
    assert share >= STABLE_SHARE, f"{share:.3f} of {before.total()} findings are still known; lost: {sorted(lost)}"


def _unchanged(case: Case, path: Path, text: str) -> str:
    return text


def _with(change: dict[str, Change]) -> Callable[[Case, Path, str], str]:
    return lambda case, path, text: change[case.language](text, setting(case, path)).text


def _comment_above(case: Case, path: Path, text: str) -> str:
    mark = "#" if case.language == "python" else "//"
    first, line_end, rest = text.partition("\n")
    return (
        f"{first}{line_end}\n{mark} Reviewed by the platform team.\n\n{mark} See the runbook.\n{rest}" if text else text
    )


_DECLARED = {
    "python": re.compile(r"^[ \t]+([a-z_]\w*) = ", re.MULTILINE),
    "java": re.compile(r"^[ \t]+(?:final )?[\w.]+(?:<[\w<>, ?]+>)? ([a-z]\w*) = ", re.MULTILINE),
    "kotlin": re.compile(r"^[ \t]+va[lr] ([a-z]\w*) = ", re.MULTILINE),
    "javascript": re.compile(r"^[ \t]+(?:const|let|var) ([a-z]\w*) = ", re.MULTILINE),
    "typescript": re.compile(r"^[ \t]+(?:const|let|var) ([a-z]\w*) = ", re.MULTILINE),
}


def _rename_unrelated(case: Case, path: Path, text: str) -> str:
    """Another name for one variable that stands in no line which a finding or its trail points at."""
    report = original_report(case)
    regions = [result.region for result in report.results]
    regions += [step.region for result in report.results for step in result.trail]
    lines = text.split("\n")
    spoken = "\n".join(line for region in regions for line in lines[region.start_line - 1 : region.end_line])
    for name in dict.fromkeys(_DECLARED[case.language].findall(text)):
        everywhere = re.compile(rf"(?<![\w.$\"'-]){name}(?![\w$\"'(]| ?:|=)")
        is_plain = len(everywhere.findall(text)) == len(re.findall(rf"\b{name}\b", text))
        if is_plain and re.search(rf"\b{name}\b", spoken) is None:
            return everywhere.sub(f"{name}Now" if case.language != "python" else f"{name}_now", text)
    return text


EDITS: dict[str, Callable[[Case, Path, str], str]] = {
    "comment-above": _comment_above,
    "functions-moved": _with(
        {
            **dict.fromkeys(_LANGUAGES, metamorphic_layout.reverse_functions),
            "python": metamorphic_python.reverse_functions,
        }
    ),
    "unrelated-variable-renamed": _rename_unrelated,
    "crlf": lambda case, path, text: text.replace("\n", "\r\n"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_29_fingerprints_survive(edit: str, tmp_path: Path) -> None:
    touched = {
        case.name for case in cases() for path in case.files if EDITS[edit](case, path, read(path)) != read(path)
    }
    assert_stable(identified(copies(tmp_path, EDITS[edit])), len(touched))


def test_29_fingerprints_survive_formatters(tmp_path: Path) -> None:
    """ruff for Python; Prettier for JavaScript, TypeScript and Java. There is none for Kotlin on npm."""
    roots = copies(tmp_path, _unchanged)
    ruff = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", "72", "--quiet", str(tmp_path)]
    subprocess.run(ruff, check=True)
    modules = npm_package("prettier-plugin-java", "2.11.0", "prettier@3.10.1")
    plugin = modules / "prettier-plugin-java" / "dist" / "index.mjs"
    prettier = [str(node()), str(modules / "prettier" / "bin" / "prettier.cjs"), "--write", "--log-level", "error"]
    prettier += ["--plugin", str(plugin), "--print-width", "72", "--no-semi", "--single-quote", "--tab-width", "3"]
    subprocess.run([*prettier, str(tmp_path / "**/*.{js,mjs,cjs,ts,tsx,java}")], check=True, timeout=300)
    touched = {
        case.name
        for case in cases()
        for path in case.files
        if (roots(case) / path.relative_to(case.root)).read_bytes() != path.read_bytes()
    }
    assert {case.language for case in cases() if case.name in touched} >= set(_LANGUAGES) - {"kotlin"}
    assert_stable(identified(roots), len(touched))


def test_29_fingerprints_survive_other_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    load = resplint.scan.analysis.load_check

    def reworded(name: str) -> Callable[[object], Iterable[Finding]]:
        check = load(name)
        return lambda project: [
            msgspec.structs.replace(finding, message=f"Put otherwise: {finding.message}")
            for finding in check(project)  # type: ignore[arg-type]
        ]

    before = original()
    monkeypatch.setattr(resplint.scan.analysis, "load_check", reworded)
    assert identified(lambda case: case.root).values == before.values


def test_29_fingerprints_survive_an_upgrade_and_another_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = original()
    monkeypatch.setattr("resplint._version.__version__", "97.1.0")
    other_root = identified(copies(tmp_path / "elsewhere" / "on" / "another" / "machine", _unchanged))
    assert other_root.values == before.values


def test_29_fingerprints_are_unique_in_a_report(tmp_path: Path) -> None:
    """In the report on all fixtures at once, and again with every file beside a copy of itself."""
    roots = copies(tmp_path, _unchanged)
    for case in cases():
        for path in case.files:
            original_path = roots(case) / path.relative_to(case.root)
            twin = original_path.with_name("twin_" + original_path.name)
            twin.write_bytes(original_path.read_bytes() + b"\n" + original_path.read_bytes())
    report = run(tmp_path, [tmp_path], {})
    values = [result.fingerprints[OWN_KEY] for result in report.results]
    assert len(values) > len(cases())
    assert [value for value, count in Counter(values).items() if count > 1] == []
