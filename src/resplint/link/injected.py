"""Values that a framework fills in: ``@Value("${redis.pool.max:8}") int max``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from resplint import facts
from resplint.link.values import Const, External, ExternalObject, Ref, Values, merge

if TYPE_CHECKING:
    from resplint.link.evaluate import Evaluator
    from resplint.link.index import FileIndex

_PLACEHOLDER = re.compile(r"\$\{([^:{}]+)(?::([^{}]*))?\}")


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
        texts: Values = merge([ev.values(index.number, item.value) for item in expr.arguments])
        return merge([_filled(ev, value, (index.number, number)) for value in texts if isinstance(value, Const)])
    return ()


def _filled(ev: Evaluator, value: Const, ref: Ref) -> Values:
    match = _PLACEHOLDER.fullmatch(str(value.value).strip())
    if match is None:
        return (ExternalObject("settings", ref),)
    known = ev.application.get(match[1].strip())
    text = known if known is not None else match[2]
    return (as_constant(text, ref),) if text is not None else (ExternalObject("settings", ref),)


def as_constant(text: str, ref: Ref) -> Const:
    """A setting's text as the constant that it spells."""
    plain = text.strip()
    try:
        number = float(plain)
    except ValueError:
        return Const(plain == "true", "bool", ref) if plain in ("true", "false") else Const(plain, "str", ref)
    return Const(int(number) if number.is_integer() else number, "float", ref)
