"""What declarations say about foreign calls.

``Jedis jedis = connector.getClient();`` says what every other call of the same method gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from resplint import facts
from resplint.facts import NONE
from resplint.link import declared
from resplint.link.values import ExternalObject, LibraryObject

if TYPE_CHECKING:
    from resplint.link.evaluate import Evaluator


def from_declarations(ev: Evaluator) -> dict[str, LibraryObject]:
    """Path of a foreign method -> an object of the type that its result is declared as somewhere in the selection."""
    found: dict[str, LibraryObject] = {}
    for index in ev.store.files[: ev.store.selected]:
        for binding in index.facts.bindings:
            call = index.facts.exprs[binding.value] if binding.value != NONE else None
            if binding.annotation == NONE or not isinstance(call, facts.Call):
                continue
            types = declared.typed(ev, index.number, binding.annotation)
            objects = [one for one in types if isinstance(one, LibraryObject)]
            for value in ev.values(index.number, call.callee) if objects else ():
                if isinstance(value, ExternalObject):
                    found.setdefault(value.dotted, objects[0])
    return found
