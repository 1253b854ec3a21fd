"""Facts: what one file says, in records that are the same for every language.

`resplint.languages` lowers a file to `FileFacts`; everything after that stage sees only these records. They are flat
tables that refer to each other by index, so that the depth of the input never becomes depth of a Python call, and
plain data, so that they can be cached and sent between processes. Nothing here depends on another file.

An expression is one of a small closed set of records; its index in `FileFacts.exprs` is its identity. `block` names
the block it stands in, and through it the scope, the loops, the branches and the handlers around it. All offsets are
bytes into the normalised UTF-8 text.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Literal as OneOf

import msgspec

from resplint.contracts.comments import Comment

NONE = -1
"""Index that stands for "absent"."""


class _Expr(msgspec.Struct, frozen=True, array_like=True, gc=False):
    start: int
    end: int
    block: int


class Literal(_Expr, frozen=True, array_like=True, gc=False, tag="L", tag_field="_"):
    """A constant written out. `type` is one of str, bytes, int, float, bool or none; byte strings hold their text as
    Latin-1.
    """

    type: str
    value: str | int | float | bool | None


class Template(_Expr, frozen=True, array_like=True, gc=False, tag="T", tag_field="_"):
    """Text with holes: strings and, for each hole, the index of the expression that fills it."""

    parts: tuple[str | int, ...]


class Name(_Expr, frozen=True, array_like=True, gc=False, tag="N", tag_field="_"):
    """A bare name, to be looked up in the scope of its block."""

    name: str


class Member(_Expr, frozen=True, array_like=True, gc=False, tag="M", tag_field="_"):
    """`object.name`."""

    object: int
    name: str


class Argument(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One argument. `name` is "" for a positional one, "*" for a spread sequence, "**" for a spread mapping."""

    name: str
    value: int


class Call(_Expr, frozen=True, array_like=True, gc=False, tag="C", tag_field="_"):
    """A call site. `awaited` tells whether its result is awaited where it stands.

    `tail` is where the last argument ends (without arguments: behind the opening bracket) and `close` where the closing
    bracket stands; both are NONE for a call without brackets.
    """

    callee: int
    arguments: tuple[Argument, ...]
    awaited: bool = False
    tail: int = NONE
    close: int = NONE


class Index(_Expr, frozen=True, array_like=True, gc=False, tag="I", tag_field="_"):
    """`object[key]`."""

    object: int
    key: int


class Operation(_Expr, frozen=True, array_like=True, gc=False, tag="O", tag_field="_"):
    """An operator and its operands; chains of one associative operator are one record."""

    operator: str
    operands: tuple[int, ...]


class Collection(_Expr, frozen=True, array_like=True, gc=False, tag="K", tag_field="_"):
    """A list, tuple, set or map written out. For a map `keys[i]` belongs to `items[i]` (NONE where a mapping is
    spread).

    `generated` marks a comprehension: its one item stands for any number of elements. `tail` and `close` are as those
    of a call. `spreads` says that items of a list are collections whose elements it takes: ``[...names]``.
    """

    kind: str
    items: tuple[int, ...]
    keys: tuple[int, ...] = ()
    generated: bool = False
    tail: int = NONE
    close: int = NONE
    spreads: bool = False


class Choice(_Expr, frozen=True, array_like=True, gc=False, tag="A", tag_field="_"):
    """Alternatives: a conditional expression (the first option holds when `condition` does), or a value by another
    name.
    """

    options: tuple[int, ...]
    condition: int = NONE


class Function(_Expr, frozen=True, array_like=True, gc=False, tag="F", tag_field="_"):
    """A function written in place (lambda, arrow function): the index of its scope."""

    scope: int


class Opaque(_Expr, frozen=True, array_like=True, gc=False, tag="X", tag_field="_"):
    """Anything else."""


Expr = Literal | Template | Name | Member | Call | Index | Operation | Collection | Choice | Function | Opaque


class Parameter(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One parameter. `kind` is "" or, as in `Argument.name`, "*" or "**" for one that collects the rest; "kw" is
    keyword-only. A parameter that is taken apart (``({ client })``) is called ``#0`` by its position; the names in it
    are bindings whose value is the `Name` ``#0``.
    """

    name: str
    annotation: int
    default: int
    kind: str
    decorators: tuple[int, ...] = ()


ScopeKind = OneOf["module", "class", "function", "comprehension"]
Belonging = OneOf["", "object", "class"]


class Scope(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A region that owns names. `block` is its body; `parent` and `defined_in` (a block) are where it is defined.

    For functions: `belongs` says whether a method needs an object or only its class (a static one); `receiver` is the
    name under which its code knows that object (the first parameter, or "this"), "" when it takes the one of the code
    around it, as arrow functions do; `receiver_value` is the expression that gives the receiver of a lambda that runs
    on an object (``pool.apply { … }``); `is_constructor` runs when an object is made; `is_accessor` is read like a
    field; only code of its class may name one that `is_private`. For classes: `is_open` says that code inside sees the
    members by their bare names; `is_single` that the class has one object, which its name stands for.
    """

    kind: ScopeKind
    name: str
    parent: int
    block: int
    defined_in: int
    start: int
    end: int
    parameters: tuple[Parameter, ...] = ()
    decorators: tuple[int, ...] = ()
    bases: tuple[int, ...] = ()
    returns: int = NONE
    is_async: bool = False
    is_generator: bool = False
    belongs: Belonging = ""
    receiver: str = ""
    receiver_value: int = NONE
    is_constructor: bool = False
    is_accessor: bool = False
    is_open: bool = False
    is_single: bool = False
    is_private: bool = False


BlockKind = OneOf["body", "for", "while", "if", "else", "try", "except", "finally", "with", "comprehension"]


class Block(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A stretch of statements that runs under one condition.

    `head` is the condition, the iterable of a loop or the caught type (NONE: none). Blocks of one statement (if and
    else, try and its handlers) share `group`, the statement's start. `at` is where the clause's keyword stands. `waits`
    marks a loop that waits for each of its elements: ``async for``, ``for await``.
    """

    kind: BlockKind
    parent: int
    scope: int
    start: int
    end: int
    head: int
    group: int
    at: int
    waits: bool = False


BindingKind = OneOf["assign", "augment", "for", "with", "except", "walrus"]


class Binding(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A name gets a value. `path` walks into the value for destructuring: (1,) is its second element, ("port",) its
    member or the value under that key.

    `operator` is set for augmented assignment only. `belongs` says of a field whether each object has one of its own or
    the class has one for all (a static one). What a module hands out under another name than its own is bound to
    ``exports.<name>``, and what stands for the module as a whole to ``exports``.
    """

    name: str
    scope: int
    block: int
    value: int
    kind: BindingKind
    start: int
    end: int
    path: tuple[int | str, ...] = ()
    operator: str = ""
    annotation: int = NONE
    decorators: tuple[int, ...] = ()
    belongs: Belonging = ""


class Write(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A member or an element gets a value; `target` is a `Member` or `Index` expression."""

    target: int
    value: int
    block: int
    kind: BindingKind
    path: tuple[int | str, ...] = ()
    operator: str = ""
    annotation: int = NONE


class Import(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A name comes from another module. `name` is "" for a whole module and "*" for all of its names.

    `level` counts the leading dots of a relative import of dotted names; modules that are named by a path ("./pool",
    "ioredis") keep it as it is written. `end` is where the name, or what is named after it, ends.
    """

    module: str
    name: str
    alias: str
    level: int
    scope: int
    block: int
    start: int
    end: int = NONE


JumpKind = OneOf["return", "raise", "break", "continue", "yield"]


class Jump(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Control leaves: `value` is what is returned, raised or yielded (NONE: nothing)."""

    kind: JumpKind
    value: int
    block: int
    start: int


class FileFacts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """All facts of one file. `errors` are the byte ranges that did not parse; `package` is the package that the file
    says it belongs to, whose other files' names it sees without an import.
    """

    path: str
    language: str
    line_starts: tuple[int, ...]
    exprs: tuple[Expr, ...]
    scopes: tuple[Scope, ...]
    blocks: tuple[Block, ...]
    bindings: tuple[Binding, ...]
    writes: tuple[Write, ...]
    imports: tuple[Import, ...]
    jumps: tuple[Jump, ...]
    comments: tuple[Comment, ...]
    errors: tuple[tuple[int, int], ...] = ()
    partial: str = ""
    package: str = ""

    def line(self, offset: int) -> int:
        """Line (from 1) on which a byte offset stands."""
        return bisect_right(self.line_starts, offset)
