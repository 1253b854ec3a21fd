"""What an expression can stand for, once names are resolved across scopes and files.

Values are small immutable records. Where a value was written or made it carries a `Ref`: (file index, expression
index). Several possible values of one expression are kept side by side, as a tuple.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from resplint.knowledge.catalogue import Factory
    from resplint.knowledge.records.client_records import (
        CallbackModel,
        ClientLibrary,
        ConstructorModel,
        MethodModel,
        TypeModel,
    )

Ref = tuple[int, int]
"""(file index, expression index) in the linked project."""


@dataclass(frozen=True, slots=True)
class Const:
    """A constant: text, number, truth value or nothing. `type` is one of str, bytes, int, float, bool, none."""

    value: str | int | float | bool | None
    type: str
    ref: Ref
    through: frozenset[Ref] = frozenset()
    """The operators that computed it, on the way through the graph. Answers do not have them."""


@dataclass(frozen=True, slots=True)
class Text:
    """Text that is put together from parts that are not all constant; `ref` is the expression that does it."""

    ref: Ref


@dataclass(frozen=True, slots=True)
class External:
    """A module, class, function or constant outside the project, by its import path."""

    dotted: str


@dataclass(frozen=True, slots=True)
class ExternalObject:
    """What calling or reading something external gives; `dotted` is the path of what was called or read."""

    dotted: str
    ref: Ref | None = None


@dataclass(frozen=True, slots=True)
class Outside:
    """What a member, element or call of an object outside the project gives at a place. Answers spell it out as an
    `ExternalObject`.
    """

    ref: Ref


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the project (`file`), or a folder of modules without a file of its own (`file` is -1)."""

    file: int
    dotted: str


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """A function of the project; `owner` is the object it is bound to."""

    file: int
    scope: int
    owner: Value | None = None


@dataclass(frozen=True, slots=True)
class ClassValue:
    """A class of the project."""

    file: int
    scope: int


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class of the project. `made` is the call that made it, where the objects of its class are kept
    apart; `exact` says that it is of this class, made somewhere, and of no class that derives from it.
    """

    file: int
    scope: int
    made: Ref | None = None
    exact: bool = False


Frame = Ref | Instance
"""A call that a function was entered by, or the object that a method belongs to."""


@dataclass(frozen=True, slots=True)
class CollectionValue:
    """A collection written out at `ref`; `view` is "values" or "items" for those views of a map."""

    ref: Ref
    view: str = ""


@dataclass(frozen=True, slots=True)
class CollectionMethod:
    """A method of a collection, not called yet."""

    collection: CollectionValue
    name: str


@dataclass(frozen=True, slots=True)
class EnumValues:
    """All constants of an enumeration of the project."""

    file: int
    scope: int


@dataclass(frozen=True, slots=True)
class ParameterValue:
    """A parameter about which no caller is known."""

    file: int
    scope: int
    index: int


@dataclass(frozen=True, slots=True)
class LoopValue:
    """One element of the data a loop runs over; `ref` is the iterable."""

    ref: Ref


@dataclass(frozen=True, slots=True)
class Reply:
    """What a Redis command answered."""

    ref: Ref


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nothing can be said."""


@dataclass(frozen=True, slots=True)
class Many(Unknown):
    """There are more values than are kept. With `ref` this goes for what an operator makes of them: none of its
    constants is kept apart. Answers have it as `Unknown`.
    """

    ref: Ref | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """Which knowledge an object of a client library rests on. Compared by identity: the records are loaded once."""

    library: ClientLibrary
    type: TypeModel
    constructor: ConstructorModel | None = None
    method: MethodModel | None = None
    factory: Factory | None = None
    """Set when the user's configuration says that a callable of the project returns the object."""
    callback: CallbackModel | None = None
    """Set when a method of the library hands the object to a function that it calls."""

    def __repr__(self) -> str:
        return f"Origin({self.library.library.name}, {self.type.name})"


@dataclass(frozen=True, slots=True)
class LibraryObject:
    """A client, pool, pipeline, script ... of a known library.

    `made` is the call that made it; None when only its declared type is known. `parent` is the object it was made from
    (the client of a pipeline). `subclass` is the project's class derived from the library's, if it is one. `via` says
    how it left the function that makes it: the calls that it was returned by, and the object of the project that keeps
    it.
    """

    origin: Origin
    made: Ref | None
    parent: LibraryObject | None = None
    subclass: tuple[int, int] | None = None
    via: tuple[Frame, ...] = ()

    @property
    def kind(self) -> str:
        """client, cluster, pool, pipeline, ..."""
        return self.origin.type.kind

    @property
    def is_async(self) -> bool:
        """Whether its replies come later: its own, or those of what it was made from."""
        current: LibraryObject | None = self
        while current is not None:
            if current.origin.type.is_async:
                return True
            current = current.parent
        return False


@dataclass(frozen=True, slots=True)
class LibraryMethod:
    """A method of such an object, not called yet."""

    object: LibraryObject
    name: str


Value = (
    Const | Text | External | ExternalObject | Outside | Module | FunctionValue | ClassValue | Instance
    | CollectionValue | CollectionMethod | EnumValues | ParameterValue | LoopValue | Reply | Unknown | Many
    | LibraryObject | LibraryMethod
)  # fmt: skip

Values = tuple[Value, ...]

MAX_VALUES = 12
"""Alternatives kept for one expression, and as many objects of libraries (clients, pools …) beside them."""


def merge(groups: list[Values]) -> Values:
    """Union in first-seen order, bounded. Clients, which the questions are about, are not crowded out by the rest."""
    filled = [group for group in groups if group]
    if not filled or len(filled) == len(filled[0]) == 1:  # most are: nothing to compare
        return filled[0] if filled else ()
    seen: dict[Value, None] = {}
    for group in filled:
        for value in group:
            seen.setdefault(value)
    return tuple(seen) if len(seen) <= MAX_VALUES else _cut(seen)


def are_crowded(values: Values) -> bool:
    """Whether there may be more objects of libraries than these."""
    return sum(isinstance(value, LibraryObject | LibraryMethod) for value in values) >= MAX_VALUES


def _cut(values: Iterable[Value]) -> Values:
    kept: list[Value] = []
    clients = others = 0
    for value in values:
        if isinstance(value, LibraryObject | LibraryMethod):
            clients += 1
            if clients > MAX_VALUES:
                continue
        else:
            others += 1
            if others > MAX_VALUES:
                continue
        kept.append(value)
    return tuple(kept)
