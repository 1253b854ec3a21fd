"""The record that each entry of ``rules/commands.toml`` is read into."""

from __future__ import annotations

from typing import Literal as OneOf

import msgspec

from resplint.knowledge.records.base_records import Record

_STRUCTURES = frozenset({"hash", "list", "set", "zset", "stream"})
"""Structures whose commands have names that nothing else has."""


class CommandModel(Record, frozen=True):
    """A Redis command. `access` is read or write; `key` is the index of its first key among the arguments (-1: none).

    `couples` names the kind of coupling with a neighbour on the same key: "expire" for commands that set a life time,
    "trim" for those that cut a collection, "counter" for increments.
    """

    access: OneOf["read", "write", "none"]
    key: int = 0
    couples: OneOf["", "expire", "trim", "counter", "publish", "remove"] = ""
    whole_hash: bool = False
    hash_write: OneOf["", "pairs", "mapping", "field"] = ""
    """Where a hash write names its fields: alternating pairs, a mapping, or one field after the key."""
    raw_wait: OneOf["", "first", "last", "block"] = ""
    """Where a blocking command that is sent as words carries its wait: first or last word, or the word after BLOCK; ""
    if it never blocks."""
    raw_wait_unit: OneOf["s", "ms"] = "s"
    replies: OneOf["", "stream", "number", "life", "page"] = ""
    """What its reply is like, where that matters: "stream" if further ones follow for as long as the connection lives,
    "number" if one comes also when the wait is over, and is another one then, "life" if it is asked for only to learn
    whether a server answers, "page" if it is a part of the data and says where the next one begins."""
    script: OneOf["", "run", "kept"] = ""
    """What becomes of the script among its words."""
    several_keys: bool = False
    """Whether it may name further keys beside the first one."""
    moves: bool = False
    """Whether the second key has what the first one had, from then on."""
    options: tuple[str, ...] = ()
    """Words that change what it does, as the server calls them: EX, NX, MAXLEN."""
    flags: tuple[str, ...] = ()
    """Options that stand alone: they are there or not, and no value follows."""
    words: int = 0
    """How many of its arguments stand in front of the first option."""
    spelled: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """Parameters, entries and methods of client libraries that stand for options under another name, each with those
    that it may stand for: ``expiration: { type: 'EX', value: 60 }``. Without regard to case and underscores."""
    whole_database: bool = False
    """Whether it looks at every key of the database."""
    danger: str = ""
    """What it does to all clients of the server, with the command as the subject: "stops the server"; "" for commands
    that any code may send."""
    danger_lasts: str = ""
    """For how long, with a space in front; left out where the same client sends the command `danger_kept_by`."""
    danger_kept_by: str = ""
    instead: str = ""
    """What to do instead of such a command, in sentences."""
    whole: tuple[tuple[str, ...], ...] = ()
    """What stands behind the key where it reads a whole collection: ``["0", "-1"]``. Empty: whatever stands there."""
    bounded_by: tuple[str, ...] = ()
    """Options that set a bound to what it reads, or to the length of what it adds to."""
    element: int = -1
    """Index of the first element that it adds to a collection, among the arguments as the server has them; -1: none."""
    adds: bool = False
    """Whether it adds one element each time, whatever the arguments are."""
    takes: bool = False
    """Whether it takes elements out of a collection as they come, without a word about which."""
    asked_for: int = -1
    """Index of the element that it looks for or takes out, among the arguments as the server has them; -1: none."""
    gives_to: int = -1
    """Index of the key of the collection that it moves an element to; -1: none."""
    batch_keys: str = ""
    """The command that does the same for several keys: MGET for GET, DEL for itself."""
    batch_items: str = ""
    """The command that does the same for several fields, members or elements of one key: HMGET for HGET."""
    batch_since: str = ""
    """The version of Redis from which on that command is there, where not all have it."""
    count_since: str = ""
    """The version of Redis from which on a last argument says how many elements it takes."""
    deprecated: str = ""
    """Version of the server from which on it is deprecated; "" for commands that are not."""
    successor: str = ""
    """What the server has instead of a deprecated command: "SET with EX"."""
    trims_by: OneOf["", "place", "score"] = ""
    """What the two ends are of the range that a trimming command keeps (places) or takes out (scores)."""
    empties: tuple[tuple[str, ...], ...] = ()
    """The two ends with which a trimming command leaves nothing of a collection: ``["0", "-1"]``."""
    counts: bool = False
    """Whether it replies how many elements a collection has."""
    if_absent: bool = False
    """Whether it writes only what is not there yet, without an option."""
    acknowledges: bool = False
    """Whether it says that the work on a message is done, so that a loop sends it after that work."""
    structure: str = ""
    """Data type it works on: string, hash, list, set, zset, stream, key, ..."""

    @property
    def is_telling(self) -> bool:
        """Whether nothing else has a method of its name."""
        return self.structure in _STRUCTURES
