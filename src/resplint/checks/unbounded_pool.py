"""RL102: a pool may open connections without limit."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from resplint.bind.values import (
    Const,
    External,
    ExternalObject,
    LibraryObject,
    ParameterValue,
    Ref,
    Text,
    Unknown,
    Value,
)
from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.findings import Finding, Level, Place, Precision, Step
from resplint.knowledge.client_versions import AssumedVersion
from resplint.knowledge.records.client_records import ClientLibrary, OptionModel
from resplint.model.project import Project
from resplint.redis.options.arguments import Option
from resplint.redis.options.conditions import set_only_if
from resplint.redis.options.timeouts import as_number
from resplint.redis.settings import SettingsEntry
from resplint.remedies import pool_bounds

RULE = "RL102"
HUGE = 10_000
"""A bound from here on is no bound: a server accepts 10,000 clients by default (`maxclients`)."""


def check(project: Project) -> Iterator[Finding]:
    """Report pools without a finite bound; a bare client whose default has none is a note."""
    return findings(decide(project))


def decide(project: Project) -> Iterator[Decision]:
    """The findings, and why other clients and pools are fine."""
    yield from _of_objects(project)
    for pool, _ in project.pools_of_anything:
        bound = project.options.find(pool, "pool_max")
        if pool.made is not None and bound is not None and (problem := _problem(project, bound)):
            yield _finding(project, pool, pool.made, bound, problem, True)
    for entry in project.settings_entries:
        yield from _of_settings(project, entry)
    yield from _of_files(project)
    yield from _of_beans(project)


def _of_objects(project: Project) -> Iterator[Decision]:
    """The decisions about what calls make. Of the pools for which a helper sets one bound the first is reported."""
    first: dict[Ref, Place] = {}
    found: list[tuple[Decision, Ref | None]] = []
    for value in project.made:
        if value.made is None:
            continue
        decision, set_at = _of_object(project, value, value.made), None
        if isinstance(decision, Finding) and (set_at := _set_by_helper(project, value, value.made)) is not None:
            first[set_at] = min(
                first.get(set_at, decision.place), decision.place, key=lambda one: (one.path, one.start)
            )
        found.append((decision, set_at))
    for decision, set_at in found:
        if set_at is not None and first[set_at] != decision.place:
            reason = f"It has the bound of a pool that is reported: {first[set_at].path}."
            yield Silence(RULE, decision.place, reason)
        else:
            yield decision


def _of_object(project: Project, value: LibraryObject, made: Ref) -> Decision:
    """The decision about what a call makes."""
    place = project.place(made)
    if value.kind in ("sentinel", "connection") or _holds_one_connection(project, value):
        return Silence(RULE, place, "It has no pool: it holds one connection.")
    constructor = value.origin.constructor
    if value.origin.factory is not None or not _makes_pool(project, value):
        return Silence(RULE, place, "It makes no pool of its own.")
    if project.options.shares_pool(value) or (constructor is not None and constructor.shared):
        return Silence(RULE, place, "It shares the pool of another client.")
    bounds = _bounds(project, value)
    reason = "Nothing is known of how many connections it may open."
    for option in bounds:
        problem = _problem(project, option)
        if problem and option.said:
            reason = f"'{_option_name(option)}' is set in a settings file, where it is judged."
        elif problem == "default" and project.bursts.ruled_out(value):
            reason = f"'{_option_name(option)}' is unlimited by default, but never many are used at once."
        elif problem == "default" and project.bursts.runs_through(made):
            reason = "A program makes it that does one piece of work and ends."
        elif problem:
            return _finding(project, value, made, option, problem)
        elif value.kind == "pool" and (before := _before(project, value, option)):
            return _earlier(project, value, made, option, before)
        elif option.given or option.default not in ("", None):
            how = "is set" if option.given else "has a bound by default"
            reason = f"'{_option_name(option)}' {how}."
    return Silence(RULE, place, reason)


def _set_by_helper(project: Project, value: LibraryObject, made: Ref) -> Ref | None:
    """Where another function than the one that makes a pool sets its bound, as it does for all pools that it serves."""
    for option in _bounds(project, value):
        if option.given and option.ref is not None:
            (scope, kind), own = _function(project, option.ref), _function(project, made)
            return option.ref if kind == "function" and (option.ref[0], (scope, kind)) != (made[0], own) else None
    return None


def _function(project: Project, ref: Ref) -> tuple[int, str]:
    index = project.index(ref)
    scope = index.function_of(index.facts.exprs[ref[1]].block)
    return scope, index.facts.scopes[scope].kind


def _bounds(project: Project, value: LibraryObject) -> list[Option]:
    """The options that bound an object's pools, the one that counts first."""
    option = project.options.find(value, "pool_max")
    if option is None:
        return []
    if _is_beside(project, option, value):
        return [option]  # what is set elsewhere does not come here
    return [
        option,
        *(one for one in project.options.every(value, ("pool_max",)) if one.given and one.ref != option.ref),
    ]


def _is_beside(project: Project, option: Option, value: LibraryObject) -> bool:
    """Whether an option is set in the same block in which the object is made, before that."""
    if option.ref is None or value.made is None or option.ref[0] != value.made[0]:
        return False
    setting, made = project.ev.store.expr(option.ref), project.ev.store.expr(value.made)
    return setting.block == made.block and setting.start < made.start


def _makes_pool(project: Project, value: LibraryObject) -> bool:
    """Whether an object may have a pool of its own: what a client hands out (``redisson.getMap(name)``) has none."""
    method = value.origin.method
    if method is not None and not method.own_pool and not method.options:
        if value.parent is not None and value.parent.kind == "client":  # ``shared.client()``
            return False
    if method is None or not project.catalogue.uses_setters(value.origin.library.library.name):
        return True
    return method.own_pool


def _holds_one_connection(project: Project, value: LibraryObject) -> bool:
    option = project.options.find(value, "single_connection")
    if option is None:
        return False
    if not option.given:
        return option.default is True
    return any(isinstance(one, Const) and one.value is True for one in option.values)


def _problem(project: Project, option: Option | None) -> str:
    """ "default", "none", "negative", "zero" or the huge number; "" when the pool is bounded or nothing can be said."""
    if option is None or option.model is None:
        return ""
    if not option.given:
        return "default" if option.default == "unbounded" and not option.unknown else ""
    # What the environment or an unknown caller may say beside a default is no bound that one could count on, and no
    # missing one either.
    outside = [value for value in option.values if isinstance(value, External | ExternalObject | ParameterValue)]
    values: list[Value] = [value for value in option.values if value not in outside and not isinstance(value, Text)]
    if any(isinstance(value, ExternalObject) for value in outside):  # of which nothing is known by another way
        values = [value for value in values if not isinstance(value, Unknown)]
    for value in outside:
        default = project.ev.edges.data.configured_default(value)
        values.extend(project.values(*default) if default is not None else ())
    if not values or not all(isinstance(value, Const) for value in values):
        return ""
    if len(values) > 1 and any(_is_text(value) for value in values):
        return ""  # the values of several settings come out of one helper: nobody can tell which of them is the bound
    return next((problem for value in values if (problem := _problem_of(option.model, value))), "")


def _is_text(value: Value) -> bool:
    """Whether a value is a text that is no number, as a host's name or a password is."""
    return isinstance(value, Const) and isinstance(value.value, str) and as_number(value.value) is None


def _problem_of(model: OptionModel, value: Value) -> str:
    """The same for one value."""
    if not isinstance(value, Const):
        return ""
    number = as_number(value.value)
    if value.value is None:
        return "none" if model.none_means == "unbounded" else ""
    if number is not None and number < 0 and model.negative_means == "unbounded":
        return "negative"
    if number == 0 and model.zero_means == "unbounded":
        return "zero"
    if number is not None and number >= HUGE:
        return f"{int(number):,}" if number < 2**53 - 1 else "any number of"
    return ""


def _finding(
    project: Project, value: LibraryObject, made: Ref, option: Option, problem: str, is_pool: bool = False
) -> Finding:
    version = project.options.version(value)
    is_pool = is_pool or value.kind == "pool"
    condition = set_only_if(project.ev, option) if problem == "none" else ""
    explicit = (is_pool or option.given) and not condition
    level = Level.WARNING if explicit else Level.NOTE
    name = project.callee_name(made)
    trail = [project.step(option.ref, f"`{_option_name(option)}` is set here")] if option.ref is not None else []
    trail.append(project.step(made, "the pool" if is_pool else "the client, with a pool of its own"))
    null = project.ev.roles(made[0]).words.nothing
    message = _message(f"`{name}`", option, problem, version, is_pool, null, condition=condition)
    help_ = _help(option, _when_full(project, value.origin.library, name, value.kind))
    fix = pool_bounds.remedy(project.ev, project.options, value, option)
    place, symbol = project.place(made), project.symbol(made)
    return Finding(RULE, level, Precision.HIGH, message, place, tuple(trail), symbol, remedy=fix, help=help_)


def _when_full(project: Project, library: ClientLibrary, name: str = "", kind: str = "") -> str:
    """What happens to callers at the limit, unless what is made is already the pool that the library advises."""
    known = project.catalogue.advice(library)
    advice = known.full_cluster if kind == "cluster" else known.full_pool
    return "" if name and f"use `{name.rpartition('.')[2]}`" in advice else advice


def _before(project: Project, value: LibraryObject, option: Option) -> str:
    """The release from which a pool has a bound that nobody sets; "" where it always had one."""
    if option.given or option.unknown or option.model is None or project.bursts.ruled_out(value):
        return ""
    return project.options.unbounded_before(value, option.model)


def _earlier(project: Project, value: LibraryObject, made: Ref, option: Option, before: str) -> Finding:
    """A pool that has a bound in newer releases only, in a project that allows older ones or names none."""
    version = project.options.version(value)
    name = project.callee_name(made)
    open_ = "the project does not say which version it uses"
    if version.spec:
        open_ = f"`{version.spec}` in {version.where} allows older releases"
    message = (
        f"`{name}` has no limit on connections before {version.library} {before}: `{_option_name(option)}` is not set, "
        f"and {open_}."
    )
    place, symbol = project.place(made), project.symbol(made)
    help_ = _help(option, _when_full(project, value.origin.library, name))
    trail = (project.step(made, "the pool"),)
    return Finding(RULE, Level.NOTE, Precision.HIGH, message, place, trail, symbol, help=help_)


def _of_settings(project: Project, entry: SettingsEntry) -> Iterator[Finding]:
    option = project.options.of_entry(entry, "pool_max")
    problem = _problem(project, option)
    if option is None or not problem:
        return
    library = project.options.version_owner(entry.library)
    version = project.options.version_at(library, project.index(entry.ref).facts.path)
    place = option.ref or entry.key
    null = project.ev.roles(place[0]).words.nothing
    message = _message(f"The {entry.model.name} entry `{entry.alias}`", option, problem, version, True, null)
    level = Level.WARNING if option.given else Level.NOTE
    trail = [project.step(entry.key, "the entry of the pool")]
    if option.ref is not None:
        trail.append(project.step(option.ref, f"`{_option_name(option)}` is set here"))
    help_ = _help(option, _when_full(project, entry.library))
    yield Finding(RULE, level, Precision.HIGH, message, project.place(place), tuple(trail), help=help_)


def _of_files(project: Project) -> Iterator[Finding]:
    """What settings files say about the pools of objects that a framework provides."""
    seen: set[Place] = set()
    for site in project.commands:
        if not site.receiver.origin.type.ambient_options:
            continue
        option = project.options.find(site.receiver, "pool_max", site.file)
        if option is None or option.model is None:
            continue
        for value, said in zip(option.values, option.said, strict=False):
            problem = _problem_of(option.model, value)
            if not problem or said.place in seen:
                continue
            seen.add(said.place)
            version = project.options.version(site.receiver, site.file)
            profile = f" for the profile `{said.profile}`" if said.profile else ""
            message = _message(f"This setting{profile}", option, problem, version, False, name=said.key)
            trail = (
                project.step(site.ref, "a client with this setting"),
                Step(said.place, f"`{said.key}` is set here"),
            )
            help_ = _help(option, _when_full(project, site.receiver.origin.library), said.key)
            yield Finding(RULE, Level.WARNING, Precision.HIGH, message, said.place, trail, help=help_)


def _of_beans(project: Project) -> Iterator[Finding]:
    """What files that describe objects say about the pools that a framework makes."""
    seen: set[Place] = set()
    folders: set[str] = set()
    for site in project.commands:
        folder = posixpath.dirname(project.index(site.ref).facts.path)
        if folder in folders:
            continue
        folders.add(folder)
        for library, bean, option in project.options.of_beans(site.file, "pool_max"):
            problem = _problem(project, option)
            if not problem or bean.place in seen:
                continue
            seen.add(bean.place)
            version = project.options.version_at(library, project.index(site.ref).facts.path)
            name = bean.class_name.rpartition(".")[2]
            message = _message(f"This bean of `{name}`", option, problem, version, True, name=bean.key)
            trail = [project.step(site.ref, "a client of this project")]
            if bean.origin is not None:
                trail.append(Step(bean.origin.place, f"the value of `{bean.origin.key}`"))
            trail.append(Step(bean.place, f"`{bean.key}` is set here"))
            help_ = _help(option, _when_full(project, library), bean.key)
            yield Finding(RULE, Level.WARNING, Precision.HIGH, message, bean.place, tuple(trail), help=help_)


def _option_name(option: Option) -> str:
    return option.model.name if option.model else "the limit"


def _message(
    subject: str,
    option: Option,
    problem: str,
    version: AssumedVersion,
    is_pool: bool,
    null: str = "null",
    name: str = "",
    condition: str = "",
) -> str:
    name = name or _option_name(option)
    what = "has no connection limit" if is_pool else "makes a pool without a connection limit"
    if problem == "default":
        why = f"{subject} {what}: `{name}` is not set, which means unlimited in {version.phrase()}"
    elif condition:
        why = (
            f"{subject} {what}: `{name}` is not set unless `{condition}` is, which means unlimited in "
            f"{version.phrase()}"
        )
    elif problem == "none":
        why = f"{subject} {what}: `{name}` is {null}"
    elif problem == "negative":
        why = f"{subject} {what}: a negative `{name}` means unlimited"
    elif problem == "zero":
        why = f"{subject} {what}: 0 for `{name}` means unlimited in {version.phrase()}"
    else:
        why = (
            f"{subject} allows {problem} connections, which is no limit in practice: Redis accepts {HUGE:,} by default "
            "(`maxclients`)"
        )
    return (
        f"{why}. A traffic spike can then exhaust the connections that the server accepts, or the file descriptors of "
        "this process."
    )


def _help(option: Option, when_full: str, name: str = "") -> str:
    setter = option.model.setters[0] if option.model is not None and option.model.setters and not name else ""
    name = name or _option_name(option)
    limit = f"Call `{setter}(…)` with" if setter and setter != name else f"Set `{name}` to"
    return f"{limit} what one process needs at the same time. {when_full}".rstrip()
