"""RL102: a pool may open connections without limit."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.findings import Finding, Level, Precision
from resplint.link.arguments import Option
from resplint.link.project import Project
from resplint.link.settings import SettingsEntry
from resplint.link.timeouts import as_number
from resplint.link.values import Const, LibraryObject, Ref
from resplint.link.versions import AssumedVersion

RULE = "RL102"
HUGE = 10_000
"""A bound from here on is no bound: a server accepts 10,000 clients by default (`maxclients`)."""


def check(project: Project) -> Iterator[Finding]:
    """Report pools without a finite bound; a bare client whose default has none is a note."""
    for value in project.made:
        if value.made is None or value.kind in ("sentinel", "connection") or _holds_one_connection(project, value):
            continue
        constructor = value.origin.constructor
        if value.origin.factory is not None:
            continue
        if project.options.shares_pool(value) or (constructor is not None and constructor.shared):
            continue
        option = project.options.find(value, "pool_max")
        problem = _problem(option)
        if option is not None and problem:
            yield _finding(project, value, value.made, option, problem)
    for entry in project.settings_entries:
        yield from _of_settings(project, entry)


def _holds_one_connection(project: Project, value: LibraryObject) -> bool:
    option = project.options.find(value, "single_connection")
    if option is None:
        return False
    if not option.given:
        return option.default is True
    return any(isinstance(one, Const) and one.value is True for one in option.values)


def _problem(option: Option | None) -> str:
    """ "default", "none", "negative" or the huge number; "" when the pool is bounded or nothing can be said."""
    if option is None or option.model is None:
        return ""
    if not option.given:
        return "default" if option.default == "unbounded" and not option.unknown else ""
    if not option.values or not all(isinstance(value, Const) for value in option.values):
        return ""
    for value in option.values:
        assert isinstance(value, Const)
        number = as_number(value.value)
        if value.value is None and option.model.none_means == "unbounded":
            return "none"
        if number is not None and number < 0 and option.model.negative_means == "unbounded":
            return "negative"
        if number is not None and number >= HUGE:
            return f"{int(number) if number < 2**63 else number}"
    return ""


def _finding(project: Project, value: LibraryObject, made: Ref, option: Option, problem: str) -> Finding:
    version = project.options.version(value)
    explicit = value.kind == "pool" or option.given
    level = Level.WARNING if explicit else Level.NOTE
    name = project.callee_name(made)
    trail = [
        project.step(made, "the pool is made here" if value.kind == "pool" else "the client makes its own pool here")
    ]
    if option.ref is not None:
        trail.append(project.step(option.ref, f"'{_option_name(option)}' is set here"))
    message = _message(f"'{name}'", option, problem, version, value.kind == "pool")
    place = project.place(made)
    return Finding(RULE, level, Precision.HIGH, message, place, tuple(trail), project.symbol(made))


def _of_settings(project: Project, entry: SettingsEntry) -> Iterator[Finding]:
    option = project.options.of_entry(entry, "pool_max")
    problem = _problem(option)
    if option is None or not problem:
        return
    library = project.options.ridden(entry.library)
    version = project.options.version_at(library, project.index(entry.ref).facts.path)
    place = option.ref or entry.key
    message = _message(f"The {entry.model.name} entry '{entry.alias}'", option, problem, version, True)
    level = Level.WARNING if option.given else Level.NOTE
    trail = (project.step(entry.key, "the pool is configured here"),)
    yield Finding(RULE, level, Precision.HIGH, message, project.place(place), trail)


def _option_name(option: Option) -> str:
    return option.model.name if option.model else "the bound"


def _message(subject: str, option: Option, problem: str, version: AssumedVersion, is_pool: bool) -> str:
    name = _option_name(option)
    what = "has" if is_pool else "makes a pool with"
    if problem == "default":
        why = f"{subject} {what} no bound on connections: '{name}' is not set and unlimited in {version.phrase()}"
    elif problem == "none":
        why = f"{subject} {what} no bound on connections: '{name}' is None"
    elif problem == "negative":
        why = f"{subject} {what} no bound on connections: a negative '{name}' means unlimited"
    else:
        why = f"{subject} allows {problem} connections, which is no bound: a server accepts {HUGE:,} clients by default"
    return (
        f"{why}. A burst of work then exhausts the server's clients or the process's files: set '{name}' to what the "
        "process "
        "can use at once, or use a pool that waits for a free connection."
    )
