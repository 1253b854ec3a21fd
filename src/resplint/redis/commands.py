"""The commands that the project sends: through methods, as words, through registered scripts, and as data."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

from resplint.bind.index import FileIndex
from resplint.bind.values import (
    CollectionValue,
    Const,
    ExternalObject,
    FunctionValue,
    LibraryMethod,
    LibraryObject,
    Ref,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.flow.rules import overloads
from resplint.knowledge.ranges import version_in
from resplint.knowledge.records.client_records import MethodModel
from resplint.knowledge.records.command_records import CommandModel
from resplint.redis.forwarding import Forwarding
from resplint.redis.making import Making
from resplint.text import collections as elements

SCRIPT_CALL = "__call__"
"""Name of the method that stands for calling a registered script."""


@dataclass(frozen=True, slots=True)
class CommandSite:
    """One call that sends (or queues) a Redis command.

    `name` is the method that is called and `command` what it sends. `raw` marks a command that is sent as words, and
    `words` says which they are (behind the command's name). A command that is written as data stands at the expression
    `call`, too.
    """

    file: int
    call: int
    receiver: LibraryObject
    name: str
    command: str
    method: MethodModel
    raw: bool = False
    words: tuple[int, ...] | None = None
    inner: Ref | None = None
    """Where a function of the project that passes the command on calls the client."""

    @property
    def ref(self) -> Ref:
        """The call expression (or the command as data)."""
        return (self.file, self.call)

    @property
    def is_queued(self) -> bool:
        """Whether a command is not sent at once: it goes to a pipeline, to what queues while a function runs, or
        through an object that one of them hands out (``batch.getMap(…)``, ``operations.opsForHash()``).
        """
        receiver: LibraryObject | None = self.receiver
        while receiver is not None:
            callback = receiver.origin.callback
            if receiver.kind == "pipeline" or (callback is not None and callback.batch):
                return True
            receiver = receiver.parent
        return False


class Commands:
    """Scans the selected files once."""

    def __init__(self, evaluator: Graph, making: Making, control_names: frozenset[str]) -> None:
        self.ev = evaluator
        self._making = making
        self._control_names = control_names
        self._forwarding = Forwarding(evaluator)
        self._passed_on: set[Ref] = set()
        """Calls whose arguments are known where the method around them is called."""

    @property
    def _files(self) -> Collection[FileIndex]:
        return self.ev.store.judged

    @cached_property
    def all(self) -> list[CommandSite]:
        """Every command that the selected files send, by place."""
        found: list[CommandSite] = []
        for file, number in self.ev.touching():
            found.extend(self._commands_of(self.ev.store.files[file], number))
        return [site for site in found if site.ref not in self._passed_on]

    def _commands_of(self, index: FileIndex, number: int, through: tuple[FunctionValue, ...] = ()) -> list[CommandSite]:
        call = index.facts.exprs[number]
        assert isinstance(call, facts.Call)
        sites: list[CommandSite | None] = []
        for value in self.ev.called(index.number, call.callee):
            if isinstance(value, LibraryMethod) and not self._is_handed(index, call.callee, value):
                sites.append(self._site(index, number, call, value))
            elif isinstance(value, FunctionValue) and self._overrides(value):
                assert isinstance(value.owner, LibraryObject)
                name = self.ev.store.files[value.file].facts.scopes[value.scope].name
                sites.append(self._site(index, number, call, LibraryMethod(value.owner, name)))
            elif isinstance(value, FunctionValue) and value not in through and (inner := self._forwarding.inner(value)):
                sites.extend(self._passed(index, number, value, *inner, (*through, value)))
            elif isinstance(value, FunctionValue) and value not in through and self._forwarding.by_name(value):
                sites.extend(self._named(index, number, call, value))
            elif isinstance(value, LibraryObject) and value.kind == "script":
                sites.extend(self._script_call(index, number, call, value))
        return [site for site in sites if site is not None]

    def _is_handed(self, index: FileIndex, callee: int, method: LibraryMethod) -> bool:
        """Whether what is called is a parameter: the command is sent where the method is handed over."""
        expr = index.facts.exprs[callee]
        if isinstance(expr, facts.Member) and expr.name in self.ev.roles(index.number).words.function_methods:
            if method.name == expr.name and method.object in self.ev.carried(index.number, expr.object):
                return False  # `jedis.get(key)` of a client that was handed over
            callee, expr = expr.object, index.facts.exprs[expr.object]
        if not isinstance(expr, facts.Name):
            return False
        return any(one.kind == "parameter" for one in self.ev.binder.names(index.number).at(callee))

    def _passed(
        self,
        index: FileIndex,
        number: int,
        value: FunctionValue,
        inner: Ref,
        names: tuple[str, ...],
        through: tuple[FunctionValue, ...],
    ) -> list[CommandSite]:
        """A call of a method that passes the command on is where it is sent."""
        found = []
        for site in self._commands_of(self.ev.store.files[inner[0]], inner[1], through):
            words = self._forwarding.words(value, names, index.number, number)
            found.append(replace(site, file=index.number, call=number, words=words, inner=site.inner or site.ref))
            self._passed_on.add(inner)
        return found

    def _named(self, index: FileIndex, number: int, call: facts.Call, value: FunctionValue) -> list[CommandSite | None]:
        """A call of a function that calls the method of a client which it is given, itself or by its name."""
        passing = self._forwarding.by_name(value)
        methods = self._forwarding.methods(value, passing, index.number, number) if passing else []
        if passing is None or not methods:
            return []
        words = self._forwarding.words(value, passing.names, index.number, number)
        found: list[CommandSite | None] = []
        for method in methods:
            site = self._site(index, number, call, method)
            if site is not None and site.method.raw_index >= 0:
                return []  # it names the command in one of its arguments
            if site is not None:
                found.append(replace(site, words=self._flat(index, list(words)) if site.raw else words))
        self._passed_on.update(passing.inner)
        return found

    def _overrides(self, value: FunctionValue) -> bool:
        """Whether a method of a class derived from a client sends the command of its name through `super()`."""
        if not isinstance(value.owner, LibraryObject):
            return False
        index = self.ev.store.files[value.file]
        scope = index.facts.scopes[value.scope]
        body = index.facts.blocks[scope.block]
        return any(
            isinstance(inner, LibraryMethod) and inner.name == scope.name
            for _, call in index.calls_in(body.start, body.end)
            for inner in self.ev.values(value.file, call.callee)
        )

    # -- single sites --------------------------------------------------------------------------------------------------

    def _site(self, index: FileIndex, number: int, call: facts.Call, value: LibraryMethod) -> CommandSite | None:
        owner = value.object
        version = self.ev.version(owner, index.number, value.name).version
        models = self.ev.catalogue.overloads(owner.origin, value.name, version)
        method = overloads.choose(self.ev, models, index.number, call)
        if method is None and self._speaks_words(owner, version) and self.ev.catalogue.begins_command(value.name):
            method = MethodModel((value.name,), value.name.upper())
        if method is None or (owner.kind == "pipeline" and value.name in self._control_names):
            return None
        arguments = self._own_arguments(index, call, owner)
        if method.raw_index >= 0:
            words = self._flat(index, arguments)
            text = self._text(index.number, words[method.raw_index]) if len(words) > method.raw_index else ""
            if not text:
                return self._put_together(index, number, value, method, words[method.raw_index :])
            name, used = self._raw_name(index, text, words[method.raw_index + 1 :])
            return CommandSite(
                index.number, number, owner, value.name, name, method, True, words[method.raw_index + 1 + used :]
            )
        if self._speaks_words(owner, version) and method.wait is None and method.script_index < 0:
            words = self._flat(index, arguments)
            name, used = self._raw_name(index, method.command, words)
            return CommandSite(index.number, number, owner, value.name, name, method, True, words[used:])
        return CommandSite(index.number, number, owner, value.name, method.command, method)

    def _put_together(
        self, index: FileIndex, number: int, value: LibraryMethod, method: MethodModel, words: tuple[int, ...]
    ) -> CommandSite | None:
        """A command whose words are a list that is written elsewhere, such as an element of ``ids.map(id => ["GET",
        id])``. Where there are several, all begin with one name.
        """
        if len(words) != 1:
            return None
        lists = [one.ref for one in self.ev.objects(index.number, words[0]) if isinstance(one, CollectionValue)]
        for data in elements.run_over(self.ev, index.number, words[0]):
            listed, is_whole = elements.in_list(self.ev, index.number, data)
            if not is_whole:
                return None
            lists += listed
        found = [self.written_out(*ref, value.object) for ref in lists]
        sites = [one for one in found if one is not None]
        if not sites or len(sites) < len(found) or any(one.command != sites[0].command for one in sites):
            return None
        here = len(sites) == 1 and sites[0].file == index.number
        rest = sites[0].words if here else ()
        return CommandSite(index.number, number, value.object, value.name, sites[0].command, method, True, rest)

    def _speaks_words(self, owner: LibraryObject, version: str) -> bool:
        """Whether the arguments of the object's methods are the words of the command."""
        section = owner.origin.library.library
        own = owner.origin.type.words
        if own is not None:
            return own
        return next((one.value for one in section.words_by_version if version_in(version, one.versions)), section.words)

    def _own_arguments(self, index: FileIndex, call: facts.Call, owner: LibraryObject) -> list[int]:
        """Positional arguments without a callback for the reply and without options of the call."""
        section = owner.origin.library.library
        numbers = [item.value for item in call.arguments if item.name in ("", "*")]
        if numbers and self._is_call_option(index.number, numbers[0], owner):
            numbers = numbers[1:]
        if numbers and section.callbacks:
            last = index.facts.exprs[numbers[-1]]
            values = self.ev.objects(index.number, numbers[-1])
            if isinstance(last, facts.Function) or any(isinstance(value, FunctionValue) for value in values):
                numbers.pop()
        return numbers

    def _flat(self, index: FileIndex, numbers: list[int]) -> tuple[int, ...]:
        """Words, those of lists written out in their place; a map counts as its keys and values."""
        words: list[int] = []
        for number in numbers:
            expr = index.facts.exprs[number]
            if isinstance(expr, facts.Name | facts.Member):
                lists = [one for one in self.ev.objects(index.number, number) if isinstance(one, CollectionValue)]
                here = [one for one in lists if one.ref[0] == index.number]
                front = elements.put_in_front(self.ev, here[-1]) if here else None
                if front is not None:
                    words += front
                    expr = index.facts.exprs[here[-1].ref[1]]
            if isinstance(expr, facts.Collection) and not expr.generated:
                if expr.kind == "map":
                    pairs = zip(expr.keys, expr.items, strict=False)
                    words.extend(part for key, item in pairs if key != NONE for part in (key, item))
                else:
                    words.extend(expr.items)
            elif isinstance(expr, facts.Call) and self._is_written_list(index, expr):
                words.extend(item.value for item in expr.arguments)
            else:
                words.append(number)
        return tuple(words)

    def _is_written_list(self, index: FileIndex, call: facts.Call) -> bool:
        """Whether a call makes a list whose elements are its arguments: ``List.of(key, field, value)``."""
        names = self.ev.roles(index.number).written_lists
        plain = all(not item.name for item in call.arguments)
        return bool(names) and plain and self.ev.binder.dotted(index.number, call.callee) in names

    def _text(self, file: int, number: int) -> str:
        values = self.ev.values(file, number)
        texts = [value.value for value in values if isinstance(value, Const) and isinstance(value.value, str)]
        if texts:
            return texts[0]
        enumerated = [getattr(value, "dotted", "") for value in values]  # Protocol.Command.HGETALL
        last = enumerated[0].rsplit(".", 1)[-1] if enumerated else ""
        return last if last in self.ev.catalogue.commands else ""

    def _raw_name(self, index: FileIndex, text: str, rest: tuple[int, ...]) -> tuple[str, int]:
        """Name of a command that is sent as words, and how many of the following words belong to it."""
        upper = text.upper().strip()
        if rest and isinstance(following := index.facts.exprs[rest[0]], facts.Literal):
            longer = f"{upper} {str(following.value).upper()}"
            if longer in self.ev.catalogue.commands:
                return longer, 1
        return (upper if upper in self.ev.catalogue.commands else upper.split(" ", 1)[0]), 0

    def _script_call(self, index: FileIndex, number: int, call: facts.Call, value: LibraryObject) -> list[CommandSite]:
        """A registered script runs on its client, or on the client or pipeline that it is given."""
        method = self.ev.catalogue.method(value.origin.library, "script", SCRIPT_CALL)
        if method is None:
            return []
        positional = [item.value for item in call.arguments if not item.name]
        given = [item.value for item in call.arguments if item.name and item.name == method.client_parameter]
        given += positional[method.client_index : method.client_index + 1] if method.client_index >= 0 else []
        values = self.ev.values(index.number, given[0]) if given else ()
        receivers = [one for one in values if isinstance(one, LibraryObject)] or [value.parent or value]
        return [CommandSite(index.number, number, one, SCRIPT_CALL, method.command, method) for one in receivers]

    def written_out(self, file: int, number: int, receiver: LibraryObject) -> CommandSite | None:
        """A command as data: ``['hgetall', key]``, its name first."""
        index = self.ev.store.files[file]
        expr = index.facts.exprs[number]
        if not isinstance(expr, facts.Collection) or not expr.items or expr.kind == "map":
            return None
        text = self._text(file, expr.items[0])
        name = self.ev.catalogue.command_name(text) if text else ""
        if not name:
            return None
        words = self._flat(index, list(expr.items[1:]))
        return CommandSite(file, number, receiver, text, name, MethodModel((text,), name), True, words)

    def model(self, site: CommandSite) -> CommandModel | None:
        """What is known of a site's command."""
        return self.ev.catalogue.commands.get(site.command)

    # -- arguments -----------------------------------------------------------------------------------------------------

    def positional(self, site: CommandSite) -> list[int]:
        """Positional arguments behind the command's name, up to a spread collection."""
        if site.words is not None:
            return list(site.words)
        call = self.ev.store.expr(site.ref)
        assert isinstance(call, facts.Call)
        found = []
        for item in call.arguments:
            if item.name == "*":
                break
            if not item.name:
                found.append(item.value)
        if found and self._is_call_option(site.file, found[0], site.receiver):
            return found[1:]
        return found

    def _is_call_option(self, file: int, number: int, owner: LibraryObject) -> bool:
        """Whether an argument says how the command is sent: ``commandOptions({ isolated: true })``."""
        names = owner.origin.library.library.call_options
        if not names:
            return False
        objects = [one for one in self.ev.values(file, number) if isinstance(one, ExternalObject)]
        made = [one.dotted.removesuffix("()") for one in objects]
        expr = self.ev.store.files[file].facts.exprs[number]
        callee = self.ev.store.files[file].facts.exprs[expr.callee] if isinstance(expr, facts.Call) else None
        last = callee.name if isinstance(callee, facts.Name | facts.Member) else ""
        return last in names or any(one in names for one in made)

    def argument(self, site: CommandSite, position: int, name: str = "") -> int:
        """Expression of an argument by position or keyword; NONE when absent."""
        if name and (found := self.keyword(site, name)) != NONE:
            return found
        positional = self.positional(site)
        if position < 0:
            position += len(positional)
        return positional[position] if 0 <= position < len(positional) else NONE

    def spreads(self, site: CommandSite) -> bool:
        """Whether some of the arguments come from a spread collection."""
        call = self.ev.store.expr(site.ref)
        return isinstance(call, facts.Call) and any(item.name in ("*", "**") for item in call.arguments)

    def key(self, site: CommandSite) -> int:
        """Expression of the command's first key, NONE when it has none."""
        model = self.model(site)
        if model is None or model.key < 0 or site.name == SCRIPT_CALL:
            return NONE
        if site.method.key >= 0:
            return self.argument(site, site.method.key)
        if site.method.key == -1:
            bound = self._bound_key(site.receiver)
            return bound if bound != NONE else self._carried_key(site)[1]
        for name in site.receiver.origin.library.library.key_parameters:
            if not site.raw and (found := self.keyword(site, name)) != NONE:
                return found
        return self.argument(site, model.key)

    def field_shift(self, site: CommandSite) -> int:
        """By how much arguments behind the key stand earlier, as the object is bound to the key."""
        return -1 if site.method.key == -1 else 0

    def _bound_key(self, receiver: LibraryObject) -> int:
        """The key that an object is bound to, where its maker stands in the same file as its use."""
        current: LibraryObject | None = receiver
        while current is not None:
            place = _bound_at(current)
            if place >= 0 and current.made is not None:
                call = self.ev.store.expr(current.made)
                assert isinstance(call, facts.Call)
                positional = [item.value for item in call.arguments if not item.name]
                return positional[place] if len(positional) > place else NONE
            current = current.parent
        return NONE

    def key_file(self, site: CommandSite) -> int:
        """The file in which the key's expression stands."""
        current: LibraryObject | None = site.receiver if site.method.key == -1 else None
        while current is not None:
            if _bound_at(current) >= 0 and current.made is not None:
                return current.made[0]
            current = current.parent
        carried = self._carried_key(site)
        return carried[0] if carried[1] != NONE else site.file

    def _carried_key(self, site: CommandSite) -> Ref:
        """The key that an added entry carries: ``add(StreamRecords.newRecord().in(key).ofMap(fields))``."""
        names = site.receiver.origin.library.library.keyed_records
        if site.method.key != -1 or not names:
            return site.file, NONE
        for value in self.ev.values(site.file, self.argument(site, 0)):
            if isinstance(value, ExternalObject) and value.ref is not None:
                file, number = value.ref
                while isinstance(expr := self.ev.store.expr((file, number)), facts.Call | facts.Member):
                    callee = self.ev.store.expr((file, expr.callee)) if isinstance(expr, facts.Call) else None
                    if isinstance(expr, facts.Call) and isinstance(callee, facts.Member):
                        if callee.name in names and expr.arguments:
                            return file, expr.arguments[0].value
                    number = expr.callee if isinstance(expr, facts.Call) else expr.object
        return site.file, NONE

    def keyword(self, site: CommandSite, name: str) -> int:
        """Expression of a keyword argument; NONE when absent."""
        call = self.ev.store.expr(site.ref)
        if not isinstance(call, facts.Call):
            return NONE
        return next((item.value for item in call.arguments if item.name == name), NONE)


def _bound_at(value: LibraryObject) -> int:
    """The position of the key to which the call that made an object binds it; -1 when it binds it to none."""
    maker = value.origin.method or value.origin.constructor
    return maker.bound_key if maker is not None else -1
