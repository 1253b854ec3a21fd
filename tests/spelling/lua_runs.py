"""Lua scripts before and after their fix, run by Lua 5.1 with a stand-in for the server that records every command."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lupa.lua51 import LuaError, LuaRuntime, lua_type

from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.spelling.files import SourceFile
from resplint.spelling.kinds import is_whole, kind_of
from resplint.spelling.scripts import Constant
from resplint.spelling.tokens import Unit

LISTS = {b"SMEMBERS", b"SRANDMEMBER", b"LRANGE", b"ZRANGE", b"ZRANGEBYSCORE", b"HGETALL", b"HKEYS", b"HVALS", b"MGET"}
NUMBERS = {
    b"SADD", b"SREM", b"SCARD", b"SISMEMBER", b"DEL", b"UNLINK", b"EXISTS", b"EXPIRE", b"HSET", b"HDEL", b"HINCRBY",
    b"INCR", b"INCRBY", b"DECR", b"DECRBY", b"LPUSH", b"RPUSH", b"LLEN", b"ZADD", b"ZREM", b"ZCARD", b"ZCOUNT", b"TTL",
}  # fmt: skip
GIVEN = ("3", "12", "5")
"""What calls pass without a fix: as keys, and as arguments."""


@dataclass(frozen=True)
class Hole:
    """A value that a script is put together with; `kind` is "text", "whole", "number", or "" when that is not known."""

    code: str
    kind: str


Parts = tuple[str | Hole, ...]


@dataclass(frozen=True)
class Script:
    """A script as its call sends it, before (text with holes) and after its fix, with the `keys` and `arguments` that
    the fix adds to those given.
    """

    before: Parts
    after: str
    given: tuple[int, int]
    keys: tuple[Parts, ...]
    arguments: tuple[Parts, ...]

    @property
    def holes(self) -> list[Hole]:
        return sorted({part for part in self.before if isinstance(part, Hole)}, key=lambda hole: hole.code)

    def as_it_was(self, values: Mapping[Hole, str], replies: Replies) -> Trace:
        """Values stand in the text."""
        keys, arguments = (GIVEN[:number] for number in self.given)
        return run(filled(self.before, values), keys, arguments, replies)

    def as_it_is(self, values: Mapping[Hole, str], replies: Replies) -> Trace:
        """Values are keys and arguments."""
        keys, arguments = (GIVEN[:number] for number in self.given)
        more_keys, more = ([filled(one, values) for one in each] for each in (self.keys, self.arguments))
        return run(self.after, [*keys, *more_keys], [*arguments, *more], replies)


@dataclass(frozen=True)
class Replies:
    """What the server replies: to commands that give a text (None: nothing there), a number, or a list."""

    text: str | None
    number: int
    several: tuple[str, ...]

    def to(self, name: bytes) -> object:
        if name in LISTS:
            return [one.encode() for one in self.several]
        if name in NUMBERS:
            return self.number
        return False if self.text is None else self.text.encode()


class Refused(Exception):
    """The server takes texts and numbers alone as words of a command."""


@dataclass(frozen=True)
class Trace:
    """Commands with their arguments as the server sees them, and what the script gives ("error" when it fails)."""

    commands: tuple[tuple[bytes, ...], ...]
    result: object


def script_of(ev: Graph, file: SourceFile, constant: Constant) -> Script:
    """The script of a fix."""

    def hole(unit: Unit) -> Hole:
        if unit.is_number or is_whole(ev, file, unit.hole):
            return Hole(file.code(unit.hole), "whole")
        return Hole(file.code(unit.hole), kind_of(ev, file, unit.hole))

    def parts(units: Sequence[Unit]) -> Parts:
        return tuple(unit.char if unit.hole == NONE else hole(unit) for unit in units)

    added: dict[str, dict[int, Parts]] = {"KEYS": {}, "ARGV": {}}
    after, at = "", 0
    for one in constant.replaced:
        found = re.fullmatch(r"(?:tonumber\()?(KEYS|ARGV)\[(\d+)\]\)?", one.name)
        assert found
        added[found[1]][int(found[2])] = parts(one.units)
        after += constant.plain[at : one.place.start] + one.name
        at = one.place.end
    after += constant.plain[at:]
    given = (constant.call.keys, constant.call.arguments)
    for number, each in zip(given, added.values(), strict=True):
        assert sorted(each) == list(range(number + 1, number + 1 + len(each))), "none is left out"
    keys, arguments = (tuple(each[number] for number in sorted(each)) for each in added.values())
    return Script(parts(constant.woven.units), after, given, keys, arguments)


def filled(parts: Parts, values: Mapping[Hole, str]) -> str:
    return "".join(values[part] if isinstance(part, Hole) else part for part in parts)


def run(text: str, keys: Sequence[str], arguments: Sequence[str], replies: Replies) -> Trace:
    """What a script does."""
    runtime = LuaRuntime(encoding=None, register_eval=False, unpack_returned_tuples=True)
    commands: list[tuple[bytes, ...]] = []

    def call(*words: object) -> object:
        commands.append(tuple(_word(word) for word in words))
        reply = replies.to(commands[-1][0].upper())
        return runtime.table_from(reply) if isinstance(reply, list) else reply

    def error_reply(message: bytes) -> object:
        return runtime.table_from({b"err": message})

    names = runtime.globals()
    names[b"redis"] = runtime.table_from(
        {b"call": call, b"pcall": call, b"error_reply": error_reply, b"status_reply": error_reply}
    )
    names[b"cjson"] = runtime.table_from({b"encode": _encoded, b"decode": lambda text: text})
    names[b"KEYS"] = runtime.table_from([one.encode() for one in keys])
    names[b"ARGV"] = runtime.table_from([one.encode() for one in arguments])
    try:
        result = _plain(runtime.execute(text.encode()))
    except (LuaError, Refused):  # its message names the code, which differs
        result = "error"
    return Trace(tuple(commands), result)


def _word(word: object) -> bytes:
    """An argument as the server's ``redis.call`` turns it into text."""
    if isinstance(word, bytes):
        return word
    if isinstance(word, bool) or not isinstance(word, int | float):
        raise Refused
    return b"%.17g" % word


def _plain(value: Any) -> object:
    if lua_type(value) == b"table" or lua_type(value) == "table":
        return {_plain(key): _plain(item) for key, item in value.items()}
    return value


def _encoded(value: Any) -> bytes:
    plain = _plain(value)
    if isinstance(plain, dict):
        return b",".join(_encoded(key) + b":" + _encoded(item) for key, item in plain.items())
    return plain if isinstance(plain, bytes) else repr(plain).encode()
