"""Fixtures as test cases: code with expectations in comments.

`# expect: RL104` (optionally with a level) stands on the line above the place where a finding of that rule must start;
`# ok: RL104` on the line above a near-miss. `# known-miss:` and `# known-false:` record what is not right yet: they
fail as soon as it is. A first line `# versions: redis-py=5.0.8` says which version of a library to assume.

`# traced: BLPOP` says that a call on the line below sends that command through a client that is known, and
`# traced: pool` (`client`, `pipeline` …) that it makes such an object: an `ok` that is right because the client was
lost proves nothing. `# known-untraced: BLPOP` is for a trace that is not there yet.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from resplint.config.loading import Config
from resplint.contracts import facts
from resplint.contracts.findings import Level, Precision, Report, Result
from resplint.knowledge.load import load_book
from resplint.scan import ScanRequest, link, scan

FIXTURES = Path(__file__).parents[2] / "fixtures"
_MARK = re.compile(r"^\s*(?:#|//)\s*(expect|ok|known-miss|known-false):\s*(RL\d{3})(?:\s+(note|warning|error))?\s*$")
_TRACE = re.compile(r"^\s*(?:#|//)\s*(traced|known-untraced):\s*([A-Z]+(?: [A-Z]+)*|[a-z]+(?:_[a-z]+)*)\s*$")
_VERSIONS = re.compile(r"^(?:#|//) versions:\s*(.+)$", re.MULTILINE)
RULES = {code: info.name for code, info in load_book().items()}
CODES = {name: code for code, name in RULES.items()}


@dataclass(frozen=True)
class Mark:
    """One expectation: it speaks of the line below it."""

    kind: str
    rule: str
    level: str
    path: str
    line: int


@dataclass(frozen=True)
class Trace:
    """A command that must be sent, or a kind of object that must be made, on the line below."""

    kind: str
    what: str
    path: str
    line: int


@dataclass(frozen=True)
class Case:
    """One fixture: a file, or a folder of files that belong together."""

    rule: str
    language: str
    path: Path

    @property
    def name(self) -> str:
        return f"{self.rule}/{self.language}/{self.path.name}"

    @property
    def files(self) -> list[Path]:
        if self.path.is_file():
            return [self.path]
        return sorted(path for path in self.path.rglob("*") if path.suffix in SUFFIXES)

    @property
    def root(self) -> Path:
        return self.path if self.path.is_dir() else self.path.parent


SUFFIXES = (".py", ".java", ".kt", ".js", ".mjs", ".cjs", ".ts", ".tsx")


def all_cases() -> list[Case]:
    cases = []
    for rule in sorted(FIXTURES.iterdir()):
        for language in sorted(rule.iterdir()):
            for path in sorted(language.iterdir()):
                if path.is_dir() or path.suffix in SUFFIXES:
                    cases.append(Case(rule.name, language.name, path))
    return cases


def marks(text: str, path: str) -> list[Mark]:
    """Marks of one file; stacked marks speak of the first line of code below them."""
    return [Mark(found[1], found[2], found[3] or "", path, line) for found, line in _found(_MARK, text)]


def traces(text: str, path: str) -> list[Trace]:
    """What one file says about where its clients are known."""
    return [Trace(found[1], found[2], path, line) for found, line in _found(_TRACE, text)]


def _found(pattern: re.Pattern[str], text: str) -> list[tuple[re.Match[str], int]]:
    """The comments of a kind, each with the number of the line that it speaks of."""
    found = []
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if match := pattern.match(line):
            target = number + 1
            while target <= len(lines) and (_MARK.match(lines[target - 1]) or _TRACE.match(lines[target - 1])):
                target += 1
            found.append((match, target))
    return found


def versions(text: str) -> dict[str, str]:
    match = _VERSIONS.match(text)
    if not match:
        return {}
    return dict(pair.strip().split("=", 1) for pair in match[1].split(","))


@cache
def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def config(**changes: object) -> Config:
    defaults: dict[str, object] = {"rules": RULES, "include_tests": True, "min_precision": Precision.LOW, "jobs": 1}
    return Config(**{**defaults, **changes})  # type: ignore[arg-type]


def run(root: Path, paths: list[Path], pinned: dict[str, str], rule: str = "") -> Report:
    select = (rule,) if rule else ("all",)
    return scan(ScanRequest([str(path) for path in paths], config(client_versions=pinned, select=select), root=root))


def expectations(case: Case) -> list[Mark]:
    """What a fixture says about its own rule."""
    texts = {path.relative_to(case.root).as_posix(): read(path) for path in case.files}
    return [mark for path, text in texts.items() for mark in marks(text, path) if mark.rule == CODES[case.rule]]


def pinned(case: Case) -> dict[str, str]:
    """The versions that a fixture's files assume, by library."""
    return {library: version for path in case.files for library, version in versions(read(path)).items()}


def expected_traces(case: Case) -> list[Trace]:
    """What a fixture says about where its clients are known."""
    return [trace for path in case.files for trace in traces(read(path), path.relative_to(case.root).as_posix())]


def traced(case: Case) -> set[tuple[str, int, str]]:
    """Path, line and command of every call that sends one, and path, line and kind of every object that is made.

    A call stands on the line on which it starts and on that of the method's name.
    """
    settings = config(client_versions=pinned(case), select=(CODES[case.rule],))
    project = link(ScanRequest([str(case.path)], settings, root=case.root)).project
    places = [(site.ref, site.command) for site in project.commands]
    places += [(made.made, made.kind) for made in project.made if made.made is not None]
    places += [(batch.made, batch.object.kind) for batch in project.batches]
    found = set()
    for ref, what in places:
        file = project.index(ref).facts
        expr = file.exprs[ref[1]]
        found.add((file.path, file.line(expr.start), what))
        if isinstance(expr, facts.Call) and expr.callee != facts.NONE:
            callee = file.exprs[expr.callee]
            found.add((file.path, file.line(max(callee.start, callee.end - 1)), what))
    return found


def untraced(expected: list[Trace], found: set[tuple[str, int, str]]) -> list[str]:
    """What is not as the marks say, in words for the person who reads a failed test."""
    problems = []
    for trace in expected:
        is_there = (trace.path, trace.line, trace.what) in found
        where = f"{trace.path}:{trace.line}"
        if trace.kind == "traced" and not is_there:
            problems.append(f"{where} is not traced to {trace.what}")
        elif trace.kind == "known-untraced" and is_there:
            problems.append(f"{where} is traced to {trace.what} now: write traced")
    return problems


def run_case(case: Case) -> tuple[list[Mark], list[Result], Report]:
    """Expectations and findings of the fixture's own rule."""
    report = run(case.root, [case.path], pinned(case), CODES[case.rule])
    return expectations(case), [result for result in report.results if result.suppression is None], report


def compare(expected: list[Mark], results: list[Result]) -> dict[str, list[str]]:
    """What is missing, noisy or wrong, in words for the person who reads a failed test."""
    reported = {(result.path, result.region.start_line): result for result in results}
    problems: dict[str, list[str]] = {"missing": [], "noisy": [], "wrong": [], "fixed": []}
    announced = set()
    for mark in expected:
        key = (mark.path, mark.line)
        result = reported.get(key)
        where = f"{mark.path}:{mark.line}"
        announced.add(key)
        if mark.kind == "expect":
            if result is None:
                problems["missing"].append(f"{where} expected {mark.rule}")
            elif mark.level and result.level is not Level(mark.level):
                problems["wrong"].append(f"{where} is {result.level.value}, expected {mark.level}")
        elif mark.kind == "known-false":
            if result is None:
                problems["fixed"].append(f"{where} is no longer a false alarm: write ok")
        elif mark.kind == "known-miss":
            if result is not None:
                problems["fixed"].append(f"{where} is no longer missed: write expect")
        elif result is not None:
            problems["noisy"].append(f"{where} must not be reported: {result.message}")
    for key, result in reported.items():
        if key not in announced:
            problems["noisy"].append(f"{key[0]}:{key[1]} was not announced: {result.message}")
    return {kind: found for kind, found in problems.items() if found}
