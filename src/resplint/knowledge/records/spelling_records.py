"""The records that ``rules/<language>/spelling.toml`` is read into: how a language writes down what fixes insert."""

from __future__ import annotations

from typing import Literal as OneOf

from resplint.knowledge.records.base_records import Record


class TextStyle(Record, frozen=True):
    """One way in which text is written down."""

    prefixes: tuple[str, ...] = ("",)
    """Letters in front of the quotes, in lower case."""
    quotes: tuple[str, ...] = ('"',)
    """What opens it and closes it, longer ones first."""
    hole: tuple[str, str] | None = None
    """What opens and closes a hole; None: it has none."""
    bare_hole: str = ""
    """What stands in front of a hole that is a name alone."""
    doubled: tuple[str, ...] = ()
    """Characters that stand for themselves when they are written twice."""
    plain_prefix: str | None = None
    """The prefix of the same text when it has no holes; None: the same, and nothing in it is doubled then."""
    raw: bool = False
    """Whether a backslash is a character like any other."""


class TextFunction(Record, frozen=True):
    """A call that puts text together from a template and values (``template.format(a, name=b)``,
    ``String.format(template, a)``), or one that only moves its white space (``text.strip()``).
    """

    name: str
    """Name of the method; behind a class, ``Class.method``."""
    template: OneOf["receiver", "first"] = "receiver"
    holes: OneOf["", "percent", "braces"] = ""
    """How the template marks its holes; empty: it takes no values."""


class Spelling(Record, frozen=True):
    """How one language writes things down. Text in braces is a place for what its name says."""

    inherits: str = ""
    """Language that writes all of it in the same way."""
    line_comment: str = "//"
    block_comment: tuple[str, ...] = ()
    """What opens and closes a comment within a line; empty: there are none."""
    true: str = "true"
    false: str = "false"
    nothing: str = "null"
    named_argument: str = ""
    """``{name}={value}``; empty: arguments have no names."""
    import_name: str = ""
    """A statement that imports ``{name}`` of ``{module}``; empty: fixes write no imports."""
    text: tuple[TextStyle, ...] = ()
    """Ways to write text; a fix writes text with holes in the first one that has them."""
    text_joint: str = ""
    """Puts text and values together where no style has holes: `` + ``."""
    text_functions: tuple[TextFunction, ...] = ()
    percent: bool = False
    """Whether ``template % (a, b)`` puts text together."""
    as_whole: str = ""
    """The number that ``%d`` shows of a value; empty: only whole numbers may stand there."""
    as_text: str = "{value}"
    """The text of any value, as joining or ``%s`` would show it."""
    as_shown: bool = True
    """Whether a hole shows it alike (False: types may say how they are formatted)."""
    text_may_be_null: bool = False
    """Whether what is declared as text may be nothing all the same, which joining would show as text."""
    text_types: tuple[str, ...] = ()
    number_types: tuple[str, ...] = ()
    """Names of types whose values are texts or numbers."""
    whole_types: tuple[str, ...] = ()
    whole_calls: tuple[str, ...] = ()
    """Those of `number_types` and `number_calls` that stand for whole numbers."""
    number_calls: tuple[str, ...] = ()
    text_calls: tuple[str, ...] = ()
    """Functions and methods of the language that give numbers or texts; ``Date.now`` is that of `Date` only."""
    number_members: tuple[str, ...] = ()
    """Members that are whole numbers (``length``)."""
    growing_ms: str = ""
    """A delay in milliseconds that doubles from ``{delay}`` on with each ``{attempt}``, up to ``{cap}``, with a random
    part; empty: there is none."""
    import_more: str = ""
    """What is put behind the last name of a statement that imports from the same module; empty: another statement."""
