"""Values that a framework fills in: ``@Value("${redis.pool.max:8}") int max``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from resplint import facts
from resplint.facts import NONE
from resplint.link import durations
from resplint.link.values import Const, External, ExternalObject, Ref, Values, merge

if TYPE_CHECKING:
    from resplint.link.evaluate import Evaluator
    from resplint.link.index import FileIndex

SETTING = "settings"
"""Path of what an application's settings fill in when their value is not known."""


def setting(ev: Evaluator, index: FileIndex, decorators: tuple[int, ...]) -> Values:
    """Values of a field or parameter that a decorator fills with a setting: what the application's settings say, else
    the default in the placeholder; () when no decorator does.
    """
    names = ev.roles(index.number).settings_values
    for number in decorators:
        expr = index.facts.exprs[number]
        if not isinstance(expr, facts.Call):
            continue
        paths = [value.dotted for value in ev.values(index.number, expr.callee) if isinstance(value, External)]
        if not any(path in names for path in paths):
            continue
        by_name = {item.name: item.value for item in expr.arguments}
        keyed = by_name.get("name", NONE)  # @ConfigProperty(name = "a.b", defaultValue = "2s")
        if keyed != NONE:
            default = ev.values(index.number, by_name.get("defaultValue", NONE))
            return _keyed(ev, index, keyed, default, (index.number, number))
        texts: Values = merge([ev.values(index.number, item.value) for item in expr.arguments])
        return merge([_filled(ev, index, value, (index.number, number)) for value in texts if isinstance(value, Const)])
    return ()


def _keyed(ev: Evaluator, index: FileIndex, key: int, default: Values, ref: Ref) -> Values:
    """The setting under a key that is named, or its default."""
    known: Values = ()
    for name in ev.values(index.number, key):
        if isinstance(name, Const):
            known = merge([known, _settings(ev, index, str(name.value), ref)])
    given = tuple(as_constant(str(one.value), ref, True) for one in default if isinstance(one, Const))
    return known or given or (ExternalObject(SETTING, ref),)


def _settings(ev: Evaluator, index: FileIndex, key: str, ref: Ref) -> Values:
    """What the application's settings say about a key, for each profile."""
    texts = ev.application(index.facts.path, key)
    return merge(
        [(as_constant(text, ref, True) if text is not None else ExternalObject(SETTING, ref),) for text in texts]
    )


def _filled(ev: Evaluator, index: FileIndex, value: Const, ref: Ref) -> Values:
    """The text of an annotation with its placeholder filled. Spring's is ``${key:default}``."""
    text = str(value.value).strip()
    inner = text[2:-1] if text.startswith("${") and text.endswith("}") else ""
    if not inner:
        return (ExternalObject(SETTING, ref),) if "{" in text else (as_constant(text, ref, True),)
    key, colon, default = inner.partition(":")
    if known := _settings(ev, index, key.strip(), ref):
        return known
    if not colon:
        return (ExternalObject(SETTING, ref),)
    if "{" in default:
        return _filled(ev, index, Const(default, "str", ref), ref) if len(default) < len(text) else ()
    return (as_constant(default, ref, True),)


def as_constant(text: str, ref: Ref, timed: bool = False) -> Const:
    """A setting's text as the constant that it spells; with `timed` a duration with a unit is one."""
    plain = text.strip()
    if timed and (length := durations.seconds(plain)) is not None:
        return Const(length, "duration", ref)
    try:
        number = float(plain)
    except ValueError:
        return Const(plain == "true", "bool", ref) if plain in ("true", "false") else Const(plain, "str", ref)
    if not math.isfinite(number):
        return Const(plain, "str", ref)
    return Const(int(number) if number.is_integer() else number, "float", ref)
