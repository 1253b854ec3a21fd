"""Remedies: what would make a finding go away, in words of the model.

A check knows which option of which call should say what, but not how its language writes that down. It attaches a
`Remedy` made of a small closed set of changes; `resplint.spelling` turns all of them into edits of source text, or
none.
"""

from __future__ import annotations

import msgspec

Spot = tuple[int, int]
"""(file, expression) in the linked project."""

Plain = bool | int | float | str | None


class SetOption(msgspec.Struct, frozen=True):
    """A call that says nothing of an option gets it as a named argument."""

    call: Spot
    name: str
    value: Plain


class ReplaceValue(msgspec.Struct, frozen=True):
    """An expression that is written out becomes another constant; text stays in the quotes that it has."""

    at: Spot
    value: Plain


class ReplaceCode(msgspec.Struct, frozen=True):
    """An expression becomes code of its library's own advice, in the language that the library is used from."""

    at: Spot
    code: str


class DeclareInstead(msgspec.Struct, frozen=True):
    """The variable that holds what a call gives may be declared with a type; another one takes its place.

    `types` are pairs of dotted names: what it was and what it becomes.
    """

    call: Spot
    types: tuple[tuple[str, str], ...]


class Given(msgspec.Struct, frozen=True):
    """An argument: `value`, or the expression `kept` that stands in the old call, `times` as long. Without a name it
    stands by position.
    """

    name: str = ""
    value: Plain = None
    kept: Spot | None = None
    times: int = 1


class CallInstead(msgspec.Struct, frozen=True):
    """A call calls another method of the same object, with these arguments (None: with its own)."""

    call: Spot
    name: str
    arguments: tuple[Given, ...] | None = None


class Drop(msgspec.Struct, frozen=True):
    """A call that is a statement of its own goes, with its line."""

    call: Spot


class MakeInstead(msgspec.Struct, frozen=True):
    """A call that makes an object makes `module`.`name` instead, with these arguments (None: with its own)."""

    call: Spot
    module: str
    name: str
    arguments: tuple[Given, ...] | None


class GrowInstead(msgspec.Struct, frozen=True):
    """A delay in milliseconds that a function returns grows with the number of the attempt, which the function receives
    as `attempt` (an expression), from `delay_ms` up to `cap_ms`, with a random part.
    """

    at: Spot
    attempt: str
    delay_ms: int
    cap_ms: int


class Parameterise(msgspec.Struct, frozen=True):
    """A script's text that is put together from values becomes constant; the call passes them as keys and arguments.

    `text` is the expression that the call is given as its text, and `words` are the arguments from it on: the number of
    keys, keys and arguments, or an object whose `entries` are lists of them. With `text_only` values must be texts.
    """

    call: Spot
    text: Spot
    words: tuple[int, ...]
    entries: tuple[str, ...] = ()
    text_only: bool = False


Change = (
    SetOption
    | ReplaceValue
    | ReplaceCode
    | CallInstead
    | Drop
    | DeclareInstead
    | MakeInstead
    | GrowInstead
    | Parameterise
)


class Remedy(msgspec.Struct, frozen=True):
    """All `changes` or none. `title` says what they do, as a sentence without period.

    `safe` remedies keep what the program does but for the defect; others may change it (atomicity, limits, what happens
    under load) and need the user's word. Whoever makes the remedy decides from what the model says; the fix of a script
    is safe only if its values can also be passed as they are.
    """

    title: str
    changes: tuple[Change, ...]
    safe: bool = False
