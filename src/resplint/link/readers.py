"""Methods that nobody wrote: a mark on a class or field has the compiler make one that reads the field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resplint import facts
from resplint.link import members
from resplint.link.values import ClassValue, External, Instance, Ref, Unknown, Values, merge

if TYPE_CHECKING:
    from resplint.link.evaluate import Evaluator


def read(ev: Evaluator, ref: Ref, callee: facts.Member) -> Values:
    """What `object.getClient()` gives where `client` is a marked field, or one of a marked class; () otherwise."""
    prefix = next((one for one in ev.roles(ref[0]).words.reader_prefixes if callee.name.startswith(one)), "")
    field = callee.name[len(prefix) : len(prefix) + 1].lower() + callee.name[len(prefix) + 1 :]
    if not prefix or not field:
        return ()
    groups = [
        members.member(ev, (value,), field, ref)
        for value in ev.values(ref[0], callee.object)
        if isinstance(value, Instance | ClassValue) and _is_marked(ev, value, field)
    ]
    return tuple(value for value in merge(groups) if not isinstance(value, Unknown))


def _is_marked(ev: Evaluator, value: Instance | ClassValue, field: str) -> bool:
    """Whether a class (or one that it derives from) has a field with such a mark."""
    for base in ev.classes.line(value.file, value.scope):
        if not isinstance(base, ClassValue):
            continue
        marks = ev.roles(base.file).words.reader_marks
        index = ev.store.files[base.file]
        for binding in index.bindings.get((base.scope, field), ()) if marks else ():
            for number in (*binding.decorators, *index.facts.scopes[base.scope].decorators):
                expr = index.facts.exprs[number]
                mark = expr.callee if isinstance(expr, facts.Call) else number
                if any(isinstance(one, External) and one.dotted in marks for one in ev.values(base.file, mark)):
                    return True
    return False
