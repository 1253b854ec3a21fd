"""Which options a client is made with, by their names or by their roles."""

from __future__ import annotations

from resplint.bind.values import Const, LibraryObject, Values
from resplint.contracts import facts
from resplint.knowledge.records import OptionModel
from resplint.model.project import Project
from resplint.redis.command_options import Given
from resplint.redis.options.arguments import Option
from resplint.redis.options.timeouts import limit

_NOT_SET = ("none", "unbounded")


def find(project: Project, value: LibraryObject, option: str) -> Given | None:
    """The option of an object, or what holds by default; None if objects of its library have no such option."""
    roles = {model.role for model in _models(value) if option in (model.name, model.role)}
    names = {model.name for model in _models(value) if option in (model.name, model.role)}
    if not roles:
        section = value.origin.library.library
        return _written(project, value, option) if option in (*section.databases, *section.titles) else None
    found = [project.options.effective(value, role) for role in sorted(roles)]
    given = [_given(one, names) for one in found if one is not None]
    return next((one for one in given if one.there), given[0] if given and len(given) == len(found) else Given(None))


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
    """An option that only says which database is meant, or who connects, as the call that made the object has it."""
    call = project.store.expr(value.made) if value.made is not None else None
    if value.made is None or not isinstance(call, facts.Call):
        return Given(None)
    mapping = value.origin.constructor is not None and value.origin.constructor.mapping
    option = project.options.arguments.argument(value.made[0], call, OptionModel(name=name), mapping)
    if option.unknown:
        return Given(None)
    return Given(option.given and _is_on(option.values), option.values, option.ref)
