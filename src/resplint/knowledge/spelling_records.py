"""The records that ``rules/<language>/spelling.toml`` is read into: how a language writes down what fixes insert."""

from __future__ import annotations

from resplint.knowledge.base_records import Record


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
    growing_ms: str = ""
    """A delay in milliseconds that doubles from ``{delay}`` on with each ``{attempt}``, up to ``{cap}``, with a random
    part; empty: there is none."""
    import_more: str = ""
    """What is put behind the last name of a statement that imports from the same module; empty: another statement."""
