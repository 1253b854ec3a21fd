"""Fixtures as test cases: code with expectations in comments, as `resplint.custom.expectations` reads them.

An `ok` that is right because the client was lost proves nothing: a `traced` beside it says that it was not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from resplint.config.loading import Config
from resplint.contracts.findings import Precision, Report, Result
from resplint.custom.expectations import Mark, Trace, compare, marks, traces, untraced, versions
from resplint.custom.expectations import traced as traced_in
from resplint.knowledge.load import load_book
from resplint.scan import ScanRequest, link, scan

__all__ = ["Mark", "Trace", "compare", "untraced", "versions"]
FIXTURES = Path(__file__).parents[2] / "fixtures"
RULES = {code: info.name for code, info in load_book().items()}
CODES = {name: code for code, name in RULES.items()}


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


MANIFESTS = ("requirements*.txt", "pyproject.toml", "*.xml", "*.properties")
"""Files beside the code in which findings may be expected as well."""

SUFFIXES = (".py", ".java", ".kt", ".js", ".mjs", ".cjs", ".ts", ".tsx")


def all_cases() -> list[Case]:
    cases = []
    for rule in sorted(FIXTURES.iterdir()):
        for language in sorted(rule.iterdir()):
            for path in sorted(language.iterdir()):
                if path.is_dir() or path.suffix in SUFFIXES:
                    cases.append(Case(rule.name, language.name, path))
    return cases


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
    beside = [path for name in MANIFESTS for path in case.root.rglob(name)] if case.path.is_dir() else []
    texts = {path.relative_to(case.root).as_posix(): read(path) for path in [*case.files, *beside]}
    return [mark for path, text in texts.items() for mark in marks(text, path) if mark.rule == CODES[case.rule]]


def pinned(case: Case) -> dict[str, str]:
    """The versions that a fixture's files assume, by library."""
    return {library: version for path in case.files for library, version in versions(read(path)).items()}


def expected_traces(case: Case) -> list[Trace]:
    """What a fixture says about where its clients are known."""
    return [trace for path in case.files for trace in traces(read(path), path.relative_to(case.root).as_posix())]


def traced(case: Case) -> set[tuple[str, int, str]]:
    """What is sent and made in a fixture, by path and line."""
    settings = config(client_versions=pinned(case), select=(CODES[case.rule],))
    return traced_in(link(ScanRequest([str(case.path)], settings, root=case.root)).project)


def run_case(case: Case) -> tuple[list[Mark], list[Result], Report]:
    """Expectations and findings of the fixture's own rule."""
    report = run(case.root, [case.path], pinned(case), CODES[case.rule])
    return expectations(case), [result for result in report.results if result.suppression is None], report
