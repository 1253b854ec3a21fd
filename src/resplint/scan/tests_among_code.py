"""Findings in functions of a test framework that stand among other code: ``@Test`` below ``src/main``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from resplint.config.loading import Config
from resplint.contracts.decisions import Decision, Silence
from resplint.contracts.findings import Finding, Place
from resplint.discovery.test_file_detection import TEST_FOLDERS, is_test_name
from resplint.model.project import Project

_REASON = "A test framework runs this function. Tests are left out unless `include-tests` is set."


def without_tests(project: Project, decisions: Iterable[Decision], config: Config) -> Iterator[Decision]:
    """The decisions with a reason in the place of each finding in a test, unless the user wants tests as well."""
    for one in decisions:
        path = one.place.path
        if isinstance(one, Finding) and not config.at(path).include_tests and _in_test(project, one.place):
            yield Silence(one.rule, one.place, _REASON)
        else:
            yield one


def _in_test(project: Project, place: Place) -> bool:
    """Whether a place stands in a function with the role of a test, in a file that discovery takes for no test: who
    names a file of tests wants it scanned.
    """
    index = project.store.by_path(place.path)
    if index is None:
        return False
    *folders, name = place.path.split("/")
    if is_test_name(name, index.facts.language) or not TEST_FOLDERS.isdisjoint(folders):
        return False
    roles = (
        project.roles.of(index.number, number)
        for number in index.scopes_around(place.start)
        if index.facts.scopes[number].kind == "function"
    )
    return any(role is not None and role.name == "test" for role in roles)
