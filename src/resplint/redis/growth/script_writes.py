"""What Lua scripts write to hashes and other collections: which of their keys, and which of their arguments names the
field or is the element.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from resplint.bind.values import CollectionValue, Const, LibraryObject, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.knowledge.records.client_records import ScriptValues
from resplint.redis.commands import SCRIPT_CALL
from resplint.redis.usage import CommandSite, Usage
from resplint.text.texts import CONSTANT, Texts

_ALIAS = re.compile(r"\blocal\s+(\w+)\s*=\s*((?:KEYS|ARGV)\s*\[\s*\d+\s*\])")
_REPLY = re.compile(r"\blocal\s+(\w+)\s*=\s*redis\.p?call\b")
_ELEMENT = re.compile(r"(KEYS|ARGV)\s*\[\s*(\d+)\s*\]")
_COMMENT = re.compile(r"--[^\n]*")
_CALL = re.compile(
    r"redis\.p?call\(\s*['\"](\w+)['\"]\s*,"
    r"\s*(?P<key>\w+(?:\s*\[\s*\d+\s*\])?)\s*,"
    r"\s*(?P<field>\w+(?:\s*\[\s*\d+\s*\])?|'[^']*'|\"[^\"]*\")\s*(?=[,)])"
)
_ANY_CALL = re.compile(
    r"redis\.p?call\(\s*['\"](\w+)['\"]\s*,\s*(?P<key>\w+(?:\s*\[\s*\d+\s*\])?)\s*(?P<rest>,[^()]*)?"
)

_START = re.compile(r"redis\.p?call\(\s*['\"](\w+)['\"]\s*,")


@dataclass(frozen=True, slots=True)
class ScriptWrite:
    """One write of a script: expressions of the key and of the field or element. NONE stands for a fixed one, and
    `replied` marks one that Redis itself gives: ``HSET(KEYS[1], RPOP(KEYS[2]), …)``. `command` is the one that writes.
    """

    key: Ref
    field: Ref
    replied: bool = False
    command: str = ""


class ScriptWrites:
    """Reads the constant texts of scripts."""

    def __init__(self, evaluator: Graph, usage: Usage, texts: Texts) -> None:
        self._ev = evaluator
        self._usage = usage
        self._texts = texts

    def of(self, site: CommandSite) -> Iterator[ScriptWrite]:
        """The writes to hashes of the script that a command runs."""
        if (read := self._read(site)) is None:
            return
        text, script, keys, arguments = read
        aliases = _aliases(text)
        replies = set(_REPLY.findall(text))
        for match in _CALL.finditer(text):
            command = self._ev.catalogue.commands.get(match[1].upper())
            key = self._element(match["key"], aliases, "KEYS", keys)
            if command is None or not command.hash_write or key is None:
                continue
            if match["field"][0] in "'\"":
                yield ScriptWrite(key, (key[0], NONE))
            elif (field := self._element(match["field"], aliases, "ARGV", arguments)) is not None:
                yield ScriptWrite(key, field)
            elif match["field"] in replies:
                yield ScriptWrite(key, script, replied=True)

    def to_collections(self, site: CommandSite) -> Iterator[ScriptWrite]:
        """The elements that a script adds to lists, sets, sorted sets and streams, and where it trims one."""
        if (read := self._read(site)) is None:
            return
        text, script, keys, arguments = read
        aliases = _aliases(text)
        for match in _ANY_CALL.finditer(text):
            command = self._ev.catalogue.commands.get(match[1].upper())
            key = self._element(match["key"], aliases, "KEYS", keys)
            if command is None or key is None:
                continue
            if command.couples == "trim" or command.adds:
                yield ScriptWrite(key, script, True, match[1].upper())
            elif command.element >= 0 and command.gives_to < 0:
                words = [one.strip() for one in (match["rest"] or "").split(",")[1:]]
                word = words[command.element - 1] if len(words) >= command.element else ""
                element = self._element(word, aliases, "ARGV", arguments) if word else None
                is_fixed = word[:1] in ("'", '"') or word.isdigit()
                yield ScriptWrite(
                    key, element or ((key[0], NONE) if is_fixed else script), not is_fixed, match[1].upper()
                )

    def moved_by(self, site: CommandSite) -> Iterator[Ref]:
        """The keys of collections from which a script takes an element out that it adds to another one:
        ``ZREM(KEYS[1], id)`` beside ``ZADD(KEYS[2], now, id)``.
        """
        if (read := self._read(site)) is None:
            return
        text, _, keys, _ = read
        aliases = _aliases(text)
        taken: list[tuple[Ref, str]] = []
        added: list[tuple[Ref, str]] = []
        for match in _START.finditer(text):
            command = self._ev.catalogue.commands.get(match[1].upper())
            words = [aliases.get(one, one) for one in _words(text, match.end())]
            key = self._element(words[0], aliases, "KEYS", keys) if words else None
            if command is None or key is None or command.structure in ("", "key"):
                continue
            if command.couples == "remove":
                taken += [(key, one) for one in words[1:]]
            elif len(words) > command.element > 0:
                added.append((key, words[command.element]))
        for key, word in taken:
            if any(word == other and key != target for target, other in added):
                yield key

    def _read(self, site: CommandSite) -> tuple[str, Ref, list[Ref], list[Ref]] | None:
        """The text of the script that a command runs, where it is written, and its keys and arguments."""
        script = self._script(site)
        text = self._constant(script) if script is not None else ""
        if script is None or "redis" not in text:
            return None
        keys, arguments = self._passed(site)
        return (_COMMENT.sub("", text), script, keys, arguments) if keys else None

    def _element(self, name: str, aliases: dict[str, str], table: str, passed: list[Ref]) -> Ref | None:
        """What ``KEYS[2]``, or a local variable that is set to it, stands for."""
        match = _ELEMENT.fullmatch(aliases.get(name, name))
        if match is None or match[1] != table or not 0 < int(match[2]) <= len(passed):
            return None
        return passed[int(match[2]) - 1]

    def _script(self, site: CommandSite) -> Ref | None:
        """The text that a command runs: its own argument, or what the script object is made of."""
        if site.name != SCRIPT_CALL:
            if self._place(site) < 0:
                return None
            number = self._usage.argument(site, self._place(site), "" if site.raw else site.method.script_parameter)
            return (site.file, number) if number != NONE else None
        call = self._ev.store.expr(site.ref)
        assert isinstance(call, facts.Call)
        for value in self._ev.values(site.file, call.callee):
            if isinstance(value, LibraryObject) and value.kind == "script" and value.made is not None:
                made, method = self._ev.store.expr(value.made), value.origin.method
                if isinstance(made, facts.Call) and method is not None and method.script_index >= 0:
                    given = [one.value for one in made.arguments if one.name in ("", method.script_parameter)]
                    if len(given) > method.script_index:
                        return (value.made[0], given[method.script_index])
        return None

    def _place(self, site: CommandSite) -> int:
        if not site.raw:
            return site.method.script_index
        return 0 if self._ev.catalogue.command(site.command).script == "run" else -1

    def _constant(self, script: Ref) -> str:
        parts = self._texts.parts(*script)
        if all(part.kind == CONSTANT for part in parts) and any(part.text for part in parts):
            return "".join(part.text or "" for part in parts)
        values = [one.value for one in self._ev.values(*script) if isinstance(one, Const)]
        return values[0] if len(values) == 1 and isinstance(values[0], str) else ""

    def _passed(self, site: CommandSite) -> tuple[list[Ref], list[Ref]]:
        """Keys and arguments of a script, as lists (``script(keys=[…], args=[…])``) or behind the number of keys."""
        call = self._ev.store.expr(site.ref)
        if not isinstance(call, facts.Call):
            return [], []
        words = self._usage.positional(site)
        if site.name == SCRIPT_CALL:
            named = {one.name: one.value for one in call.arguments if one.name}
            lists = [named.get("keys", words[0] if words else NONE), named.get("args", words[1] if words[1:] else NONE)]
            return self._listed(site.file, lists[0]), self._listed(site.file, lists[1])
        rest = words[self._place(site) + 1 :]
        form = ScriptValues() if site.raw else site.method.script_values
        if not rest or form is None:
            return [], []
        if form.entries:
            found = [self._entry(site.file, rest[0], name) for name in form.entries]
            return self._listed(site.file, found[0]), self._listed(site.file, found[-1])
        if keys := self._listed(site.file, rest[0]):
            return keys, self._listed(site.file, rest[1]) if rest[1:] else []
        counts = [one.value for one in self._ev.values(site.file, rest[0]) if isinstance(one, Const)]
        if len(counts) != 1 or not isinstance(counts[0], int):
            return [], []
        refs = [(site.file, one) for one in rest[1:]]
        return refs[: counts[0]], refs[counts[0] :]

    def _listed(self, file: int, number: int) -> list[Ref]:
        """The items of a list that is written out, with no others spread in between."""
        if number == NONE:
            return []
        for value in self._ev.values(file, number):
            data = self._ev.store.expr(value.ref) if isinstance(value, CollectionValue) else None
            if isinstance(value, CollectionValue) and isinstance(data, facts.Collection) and data.kind != "map":
                return [(value.ref[0], one) for one in data.items]
        return []

    def _entry(self, file: int, number: int, name: str) -> int:
        """What an object written out holds under a name."""
        exprs = self._ev.store.files[file].facts.exprs
        data = exprs[number]
        if not isinstance(data, facts.Collection) or data.kind != "map":
            return NONE
        for key, item in zip(data.keys, data.items, strict=False):
            literal = exprs[key] if key != NONE else None
            if isinstance(literal, facts.Literal) and literal.value == name:
                return item
        return NONE


def _aliases(text: str) -> dict[str, str]:
    return {name: _ELEMENT.sub(r"\1[\2]", element) for name, element in _ALIAS.findall(text)}


def _words(text: str, start: int) -> list[str]:
    """The arguments of a call from a place behind its opening bracket on."""
    words, depth = [""], 0
    for character in text[start:]:
        if character == ")" and not depth:
            break
        depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth:
            words.append("")
        else:
            words[-1] += character
    return [one.strip() for one in words]
