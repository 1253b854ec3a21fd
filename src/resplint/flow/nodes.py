"""The places that values flow through, as small tuples: the kind first, then what identifies the place.

`file` is a file's number in the project; the other numbers are indices into that file's facts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from resplint.bind.values import Ref

Node = tuple[Any, ...]
"""A place of the value-flow graph: its kind, then numbers and names, as the functions below put them together."""

EXPRESSION, BINDING, PARAMETER, IMPORT, DEFINITION = "expression", "binding", "parameter", "import", "definition"
EXPORT, FIELD, OF_OBJECT, ELEMENT, RECEIVER, RETURN = "export", "field", "of object", "element", "receiver", "return"
NAMED, UNDER, BESIDE, PLUGGED, SHARED, ANY_OF = "named", "under", "beside", "plugged", "shared", "any of"
INJECTED = "injected"
ANY = "*"
"""Key of an element when it is not known."""


def expression(file: int, number: int) -> Node:
    """The value of an expression."""
    return (EXPRESSION, file, number)


def binding(file: int, number: int) -> Node:
    """What one binding gives its name."""
    return (BINDING, file, number)


def parameter(file: int, scope: int, position: int) -> Node:
    """What a function receives."""
    return (PARAMETER, file, scope, position)


def imported(file: int, number: int) -> Node:
    """What an import gives its name."""
    return (IMPORT, file, number)


def definition(file: int, scope: int) -> Node:
    """A function or class under its own name."""
    return (DEFINITION, file, scope)


def export(file: int, name: str) -> Node:
    """What a module hands out under a name (of its own scope)."""
    return (EXPORT, file, name)


def shared(group: int, name: str) -> Node:
    """What modules that take over all names from each other hand out under a name."""
    return (SHARED, "modules", group, name)


def any_of(file: int, scope: int, name: str) -> Node:
    """What a variable holds anywhere."""
    return (ANY_OF, file, scope, name)


def field(file: int, scope: int, name: str) -> Node:
    """A field that objects of a class have."""
    return (FIELD, file, scope, name)


def beside(file: int, scope: int, name: str) -> Node:
    """What is stored in a field of a class beside what its constructor is passed for it."""
    return (BESIDE, file, scope, name)


def of_object(token: int, name: str) -> Node:
    """What is stored from outside in a member of one object or function."""
    return (OF_OBJECT, token, name)


def element(collection: Ref, key: str | int) -> Node:
    """What a collection holds under a key."""
    return (ELEMENT, *collection, key)


def receiver(file: int, scope: int) -> Node:
    """The object that a function is a method of."""
    return (RECEIVER, file, scope)


def returned(file: int, scope: int) -> Node:
    """What a function returns or yields."""
    return (RETURN, file, scope)


def named(style: str, holder: str, name: str) -> Node:
    """A member of objects that are not the project's, by its name and that of what holds it ("" for any)."""
    return (NAMED, style, holder, name)


def injected(style: str, token: str) -> Node:
    """What a container of dependencies hands out under a token."""
    return (INJECTED, style, token)


def plugged(file: int, call: int) -> Node:
    """What a plugin makes that a call hands over."""
    return (PLUGGED, file, call)


def under(source: Node, call: Ref) -> Node:
    """What a node in a function holds under one call of it."""
    return (UNDER, source[1], source, *call)


@dataclass(frozen=True, slots=True)
class CallEdge:
    """A call of a function of the project. `bound` is 1 when the receiver fills the first parameter; `skipped` are
    arguments in front that are not the function's.
    """

    file: int
    call: int
    bound: int
    skipped: int = 0

    @property
    def ref(self) -> Ref:
        """The call expression."""
        return (self.file, self.call)
