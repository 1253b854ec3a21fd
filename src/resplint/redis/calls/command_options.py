"""Which options a command is sent with: words of their own, keywords, entries of an object, or calls on a builder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from resplint.bind.values import (
    CollectionValue,
    Const,
    External,
    ExternalObject,
    FunctionValue,
    LibraryObject,
    ParameterValue,
    Ref,
    Text,
    Unknown,
    Value,
    Values,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.knowledge.records.client_records import OptionModel
from resplint.knowledge.records.command_records import CommandModel
from resplint.redis.commands import SCRIPT_CALL
from resplint.redis.options.arguments import Arguments
from resplint.redis.usage import CommandSite, Usage

_CHAIN = 50
"""Calls of one builder that are looked at."""


@dataclass(frozen=True, slots=True)
class Given:
    """Whether an option is there; None where that is not known. `values` are those that follow it, or that it has,
    and `ref` is where it is written.
    """

    there: bool | None
    values: Values = ()
    ref: Ref | None = None


_ABSENT, _UNTOLD = Given(False), Given(None)


class CommandOptions:
    """Looks options of commands up in the calls that send them."""

    def __init__(self, evaluator: Graph, usage: Usage, arguments: Arguments) -> None:
        self._ev = evaluator
        self._usage = usage
        self._arguments = arguments

    def find(self, site: CommandSite, option: str) -> Given:
        """The option of a command, by the server's name for it (upper case)."""
        model = self._usage.model(site)
        if model is None or site.name == SCRIPT_CALL:
            return _UNTOLD
        if option in site.method.says:
            return Given(True)
        if site.words is not None:
            return self._among_words(site, option)
        call = self._ev.store.expr(site.ref)
        return self._in_call(site, call, model, option) if isinstance(call, facts.Call) else _UNTOLD

    def unit(self, file: int, number: int) -> float | None:
        """Seconds of the unit of time that an argument names; None when it names none."""
        return self._arguments.unit(file, number)

    def _among_words(self, site: CommandSite, option: str) -> Given:
        words = self._usage.positional(site)
        for place, number in enumerate(words):
            if any(_is_word(value, option) for value in self._ev.values(site.file, number)):
                following = words[place + 1] if place + 1 < len(words) else NONE
                values = self._ev.values(site.file, following) if following != NONE else ()
                return Given(True, values, (site.file, number))
        return _UNTOLD if self._usage.spreads(site) else _ABSENT

    def _in_call(self, site: CommandSite, call: facts.Call, model: CommandModel, option: str) -> Given:
        names = {_plain(option), *(_plain(one) for one, options in model.spelled.items() if option in options)}
        others = [one for one, options in model.spelled.items() if option in options]
        spelled = [option, option.lower(), *others, *(one.upper() for one in others)]
        flag = option in model.flags
        place = 1 if site.method.key == -1 else 0  # the object is bound to the key
        untold = False
        for item in call.arguments:
            if item.name == "*":
                untold = True
                continue
            if item.name == "**":
                found = self._mapped(site.file, call, item, spelled, mapping=False, flag=flag)
            elif item.name:
                found = self._valued(site.file, item.value, flag) if _plain(item.name) in names else _ABSENT
            else:
                place += 1
                is_option = place > model.words
                found = self._positional(site.file, call, item, names, spelled, flag) if is_option else _ABSENT
            if found.there:
                return found
            untold = untold or found.there is None
        return _UNTOLD if untold else _ABSENT

    def _valued(self, file: int, number: int, flag: bool) -> Given:
        """A keyword that is there, unless it says that the option is not. A `flag` is there only if it is said."""
        values = self._ev.values(file, number)
        off = [isinstance(one, Const) and one.value in (None, False) for one in values]
        if off and all(off):
            return _ABSENT
        if flag and (not values or any(off) or any(isinstance(one, Unknown | ParameterValue) for one in values)):
            return _UNTOLD
        return Given(True, values, (file, number))

    def _mapped(
        self, file: int, call: facts.Call, item: facts.Argument, spelled: list[str], *, mapping: bool, flag: bool
    ) -> Given:
        """What one argument says that is an object written out, or keywords that are handed on."""
        untold = False
        alone = facts.Call(0, 0, 0, call.callee, (item,))
        for name in spelled:
            option = self._arguments.argument(file, alone, OptionModel(name=name), mapping)
            if option.given and option.ref is not None:
                found = self._valued(*option.ref, flag)
                if found.there:
                    return found
            untold = untold or option.unknown
        return _UNTOLD if untold else _ABSENT

    def _positional(
        self, file: int, call: facts.Call, item: facts.Argument, names: set[str], spelled: list[str], flag: bool
    ) -> Given:
        values = self._ev.values(file, item.value)
        if any(_is_word(value, one) for value in values for one in spelled[:1]):
            return Given(True, (), (file, item.value))
        if any(_plain(name) in names for name in self._chained(file, item.value, values)):
            return Given(True, (), (file, item.value))
        if any(isinstance(value, CollectionValue) for value in values):
            return self._mapped(file, call, item, spelled, mapping=True, flag=flag)
        if values and all(self._says_something_else(file, item.value, value) for value in values):
            return _ABSENT
        return _UNTOLD

    def _says_something_else(self, file: int, number: int, value: Value) -> bool:
        """Whether an argument is understood that is not this option."""
        if isinstance(value, Const):
            return isinstance(value.value, str) or value.value is None
        if isinstance(value, ExternalObject | LibraryObject):
            return self._is_built_here(file, number)
        return isinstance(value, Text | FunctionValue | External)

    def _chained(self, file: int, number: int, values: Values) -> Iterator[str]:
        """Names of the methods by which an argument is built: ``SetParams.setParams().ex(60)``; of a constant of a
        library its own name.
        """
        refs = [(file, number)]
        for value in values:
            made = value.ref if isinstance(value, ExternalObject) else getattr(value, "made", None)
            refs += [made] if made is not None else []
            if isinstance(value, External):
                yield value.dotted.rsplit(".", 1)[-1]
        for ref in dict.fromkeys(refs):
            for callee in self._callees(*ref):
                yield callee.name

    def _callees(self, file: int, number: int) -> Iterator[facts.Member | facts.Name]:
        exprs = self._ev.store.files[file].facts.exprs
        for _ in range(_CHAIN):
            expr = exprs[number] if number != NONE else None
            callee = exprs[expr.callee] if isinstance(expr, facts.Call) and expr.callee != NONE else None
            if not isinstance(callee, facts.Member | facts.Name):
                return
            yield callee
            if isinstance(callee, facts.Name):
                return
            number = callee.object

    def _is_built_here(self, file: int, number: int) -> bool:
        """Whether an argument is built where it is passed, from a class outside the project: nothing else is said."""
        exprs = self._ev.store.files[file].facts.exprs
        last = None
        for callee in self._callees(file, number):
            last = callee
        if last is None:
            return False
        if isinstance(last, facts.Name):
            return True
        return any(isinstance(value, External) for value in self._ev.values(file, last.object)) or not isinstance(
            exprs[last.object], facts.Name | facts.Call | facts.Member
        )


def _is_word(value: Value, option: str) -> bool:
    return isinstance(value, Const) and isinstance(value.value, str) and value.value.upper() == option


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
