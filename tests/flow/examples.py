"""Projects to ask many questions of: the pages beside this module, and fixtures of every language."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from resplint.bind.modules import ModuleTable
from resplint.bind.values import Values
from resplint.contracts.facts import FileFacts
from resplint.model.project import Project
from tests.flow.projects import SUFFIXES, answer, catalogue, lowered, newest
from tests.flow.test_pages import GAPS, PAGES, read
from tests.rules import fixture_cases

Place = tuple[str, int]
"""(path, number of an expression)"""


def pages() -> dict[str, dict[str, str]]:
    """The examples of the pages: name -> texts by path."""
    found = [example for path in sorted(PAGES.glob("*.md")) if path.stem != GAPS for example in read(path)]
    return {example.name: example.files for example in found}


def fixtures(every: int, first: int = 0, named: frozenset[str] = frozenset()) -> dict[str, dict[str, str]]:
    """One fixture of each so many, of all languages, and those that are named: name -> texts by path."""
    cases = sorted(fixture_cases.all_cases(), key=lambda case: (case.language, case.name))
    chosen = [case for at, case in enumerate(cases) if at % every == first or case.path.stem in named]
    return {
        case.name: {
            str(path.relative_to(case.root)): path.read_text(encoding="utf-8")
            for path in case.files
            if path.suffix.lstrip(".") in SUFFIXES
        }
        for case in chosen
    }


def facts_of(texts: dict[str, str]) -> list[FileFacts]:
    """The facts of the texts of a project."""
    return [lowered(path, text) for path, text in texts.items()]


def places(files: Iterable[FileFacts]) -> list[Place]:
    """All expressions of some files."""
    return [(file.path, number) for file in files for number in range(len(file.exprs))]


def in_order(files: Iterable[FileFacts], paths: Sequence[str]) -> Project:
    """A project whose files are taken in one after the other in this order."""
    by_path = {file.path: file for file in files}
    known = catalogue()
    project = Project([], ModuleTable(sorted(by_path), known.foreign), by_path.get, known, newest)
    for path in paths:
        project.store.admit([by_path[path]])
    project.store.judge(paths)
    return project


def in_words(project: Project, values: Values) -> str:
    """Values in words that do not depend on the order of files."""
    return answer(project.ev, values, -1)


def answers(project: Project, asked: Iterable[Place]) -> dict[Place, str]:
    """What expressions stand for, each as it is answered when it is asked."""
    numbers = {index.facts.path: index.number for index in project.store.loaded}
    return {one: in_words(project, project.values(numbers[one[0]], one[1])) for one in asked}
