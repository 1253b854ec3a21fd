"""Commands whose name a function of the project is given: ``def run(*words): return client.execute_command(*words)``.

Such a command is sent where its name is written: at the call of that function.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from resplint.bind.index import FileIndex
from resplint.bind.values import Const, External, ExternalObject, LibraryMethod, LibraryObject, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.callers import CallSite
from resplint.flow.graph import Graph
from resplint.knowledge.records.client_records import MethodModel
from resplint.redis.usage import CommandSite
from resplint.text import arguments as calls

_REACH = 4
"""Functions that may hand the name on."""


@dataclass(frozen=True, slots=True)
class NamedCommand:
    """A command with the calls that it goes through, the one that sends it last. Unless it is `whole`, nothing but its
    name is known.
    """

    site: CommandSite
    through: tuple[Ref, ...]
    whole: bool


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a command as one call has them; they are not `whole` if some of them are put together elsewhere."""

    call: Ref
    words: tuple[int, ...]
    whole: bool


class NamedCommands:
    """Finds them in the linked files."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator

    def all(self) -> list[NamedCommand]:
        """Every such command, by place."""
        found: dict[tuple[Ref, str, LibraryObject], NamedCommand] = {}
        for ref in self._ev.touching():
            for token in self._ev.edges.calls.sites.get(ref, ()):
                method = self._ev.flow.values[token]
                if not isinstance(method, LibraryMethod):
                    continue
                for model in self._sends_any(method, ref[0]):
                    for one in self._of_call(ref, method, model):
                        found.setdefault((one.site.ref, one.site.command, one.site.receiver), one)
        return list(found.values())

    def _sends_any(self, method: LibraryMethod, file: int) -> Iterable[MethodModel]:
        """The entries of a method that is given the name of a command, one for each place where that may stand."""
        version = self._ev.version(method.object, file, method.name).version
        models = self._ev.catalogue.overloads(method.object.origin, method.name, version)
        return {model.raw_index: model for model in models if model.raw_index >= 0}.values()

    def _of_call(self, ref: Ref, method: LibraryMethod, model: MethodModel) -> Iterator[NamedCommand]:
        call = self._ev.store.expr(ref)
        if not isinstance(call, facts.Call):
            return
        positional = [item.value for item in call.arguments if item.name in ("", "*")][model.raw_index :]
        if not positional or self._parameter(ref[0], positional[0]) is None:
            return
        written = _Words(ref, tuple(positional), True)
        for words, through in self._written(written, (), 0):
            name, used = self._name(words)
            if name:
                rest = words.words[used:] if words.whole else ()
                site = CommandSite(*words.call, method.object, method.name, name, model, True, rest)
                yield NamedCommand(site, through, words.whole)

    def _written(self, words: _Words, through: tuple[Ref, ...], depth: int) -> Iterator[tuple[_Words, tuple[Ref, ...]]]:
        """Where the first of the words is written, behind the functions that hand it on."""
        file, first = words.call[0], words.words[0] if words.words else NONE
        found = self._parameter(file, first) if first != NONE else None
        if found is None:
            if through and words.words:
                yield words, through
            return
        if depth >= _REACH:
            return
        scope, position = found
        for site in self._ev.callers.of(file, scope):
            given = self._given(site, file, scope, position)
            if given is not None:
                rest = self._rest(site, file, scope, words.words[1:])
                whole = words.whole and rest is not None
                handed = _Words(site.ref, (*given, *(rest or ())), whole)
                yield from self._written(handed, (words.call, *through), depth + 1)

    def _parameter(self, file: int, number: int) -> tuple[int, int] | None:
        """Scope and position of the parameter that an expression reads, and nothing else is put into."""
        index = self._ev.store.files[file]
        expr = index.facts.exprs[number]
        if not isinstance(expr, facts.Name):
            return None
        scope = index.function_of(expr.block)
        position = index.parameters.get((scope, expr.name))
        return None if position is None or index.bindings.get((scope, expr.name)) else (scope, position)

    def _given(self, site: CallSite, file: int, scope: int, position: int) -> tuple[int, ...] | None:
        """The expressions that a call passes for a parameter: several, if it gathers them."""
        index: FileIndex = self._ev.store.files[site.file]
        record = self._ev.store.files[file].facts.scopes[scope]
        if record.parameters[position].kind == "*":
            call = index.facts.exprs[site.call]
            assert isinstance(call, facts.Call)
            positional = [item for item in call.arguments if item.name in ("", "*")][max(position - site.bound, 0) :]
            return tuple(item.value for item in positional) or None
        given = calls.argument(index, site.call, record, position, site.bound)
        return None if given is None or given == NONE else (given,)

    def _rest(self, site: CallSite, file: int, scope: int, words: tuple[int, ...]) -> tuple[int, ...] | None:
        """The other words as a call passes them; None where one of them is put together by the function itself."""
        found: list[int] = []
        for number in words:
            parameter = self._parameter(file, number)
            if parameter is None or parameter[0] != scope:
                return None
            found += self._given(site, file, *parameter) or ()
        return tuple(found)

    def _name(self, words: _Words) -> tuple[str, int]:
        """The command that the words begin with, and how many of them name it."""
        commands = self._ev.catalogue.commands
        texts = [self._text(words.call[0], number) for number in words.words[:2]]
        first = texts[0].upper().strip() if texts else ""
        longer = f"{first} {texts[1].upper()}" if len(texts) > 1 and words.whole else ""
        if longer in commands:
            return longer, 2
        return (first, 1) if first in commands else ("", 0)

    def _text(self, file: int, number: int) -> str:
        values = self._ev.values(file, number)
        texts = {one.value for one in values if isinstance(one, Const) and isinstance(one.value, str)}
        texts.update(  # Protocol.Command.KEYS
            one.dotted.rsplit(".", 1)[-1] for one in values if isinstance(one, External | ExternalObject)
        )
        return texts.pop() if len(texts) == 1 else ""
