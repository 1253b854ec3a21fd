"""Which options a client is made with, by their names or by their roles."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from urllib.parse import urlsplit

from resplint.bind.values import CollectionValue, Const, ExternalObject, LibraryObject, Ref, Value, Values
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.knowledge.records.client_records import OptionModel
from resplint.model.project import Project
from resplint.redis.calls.command_options import Given
from resplint.redis.options.arguments import Option
from resplint.redis.options.timeouts import limit

_NOT_SET = ("none", "unbounded")
_MOST = 60
"""Expressions from which a client is made that are looked at."""


def find(project: Project, value: LibraryObject, option: str, known: Collection[str]) -> Given | None:
    """The option of an object, or what holds by default; None if objects of its library have no such option. Those that
    are not `known` of any library are looked for under the name that the code has for them.
    """
    roles = {model.role for model in _models(value) if option in (model.name, model.role)}
    names = {model.name for model in _models(value) if option in (model.name, model.role)}
    if not roles:
        section = value.origin.library.library
        own = option in (*section.databases, *section.titles)
        return _written(project, value, option) if own or option not in known else None
    found = [project.options.effective(value, role) for role in sorted(roles)]
    given = [_given(one, names) for one in found if one is not None]
    return next((one for one in given if one.there), given[0] if given and len(given) == len(found) else Given(None))


def known_names(project: Project) -> frozenset[str]:
    """Names and roles of the options that are known of any library."""
    found: set[str] = set()
    for library in project.catalogue.libraries.values():
        found.update((*library.library.databases, *library.library.titles))
        found.update(name for models in library.option_set.values() for one in models for name in (one.name, one.role))
    return frozenset(found)


def _models(value: LibraryObject) -> list[OptionModel]:
    return [model for models in value.origin.library.option_set.values() for model in models]


def _given(option: Option, names: set[str]) -> Given:
    if option.unknown or option.model is None:
        return Given(None)
    if not option.given:
        if option.default == "":
            return Given(None)
        return Given(option.default not in _NOT_SET and (not _is_time(option) or limit(option) is not None))
    if option.model.name not in names:  # another option says what this one would
        return Given(False)
    there = not _all_constant(option.values) or (
        limit(option) is not None if _is_time(option) else _is_on(option.values)
    )
    return Given(there, option.values, option.ref)


def _is_time(option: Option) -> bool:
    return option.model is not None and option.model.unit in ("s", "ms")


def _all_constant(values: Values) -> bool:
    return bool(values) and all(isinstance(one, Const) for one in values)


def _is_on(values: Values) -> bool:
    return not all(isinstance(one, Const) and one.value is None for one in values)


def _written(project: Project, value: LibraryObject, name: str) -> Given:
    """An option that only says which database is meant, or who connects, as the call that made the object has it, or
    what the object is made from: a URL, or an object with settings.
    """
    call = project.store.expr(value.made) if value.made is not None else None
    if value.made is None or not isinstance(call, facts.Call):
        return Given(None)
    mapping = value.origin.constructor is not None and value.origin.constructor.mapping
    option = project.options.arguments.argument(value.made[0], call, OptionModel(name=name), mapping)
    if option.given:
        return Given(_is_on(option.values), option.values, option.ref)
    library = value.origin.library.library
    group = next((names for names in (library.databases, library.titles) if name in names), (name,))
    found = next(_in_what_it_is_made_from(project, value.made, group, in_url=group is library.databases), None)
    if found is not None:
        return found
    return Given(None if option.unknown else False)


def _in_what_it_is_made_from(project: Project, made: Ref, names: Sequence[str], *, in_url: bool) -> Iterator[Given]:
    """The option where a builder that a call is given sets it (`withDatabase(3)`), or as the path of a URL."""
    pending, seen = deque([made]), {made}
    while pending and len(seen) < _MOST:
        file, number = pending.popleft()
        expr = project.store.expr((file, number))
        parts: list[int] = []
        if isinstance(expr, facts.Call):
            callee = project.store.expr((file, expr.callee)) if expr.callee != NONE else None
            parts = [item.value for item in expr.arguments]
            if isinstance(callee, facts.Member):
                if callee.name in names and parts:
                    yield Given(True, project.ev.values(file, parts[0]), (file, number))
                parts.append(callee.object)
        elif isinstance(expr, facts.Collection):
            parts = [item for item in expr.items if item != NONE]
        for part in parts:
            refs = [(file, part)]
            for value in project.ev.values(file, part):
                database = _database(value) if in_url else None
                if database is not None:
                    yield Given(True, (database,), (file, part))
                if isinstance(value, ExternalObject | CollectionValue) and value.ref is not None:
                    refs.append(value.ref)
                elif isinstance(value, LibraryObject) and value.made is not None:
                    refs.append(value.made)
            pending += [ref for ref in refs if ref not in seen]
            seen.update(refs)


def _database(value: Value) -> Const | None:
    """The number of the database that a URL names in its path."""
    if not isinstance(value, Const) or not isinstance(value.value, str) or "://" not in value.value:
        return None
    try:
        url = urlsplit(value.value)
    except ValueError:
        return None
    number = url.path.strip("/")
    if url.scheme.endswith("unix") or not (number.isascii() and number.isdigit()):
        return None
    return Const(int(number), "int", value.ref)
