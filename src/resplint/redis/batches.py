"""Pipelines and transactions that the project starts, with what they queue."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property

from resplint.bind.index import FileIndex
from resplint.bind.values import (
    ClassValue,
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
from resplint.flow.demand import PASSING
from resplint.flow.graph import Graph
from resplint.flow.rules.keys import UNKNOWN
from resplint.knowledge.records.batch_records import PipelineModel
from resplint.redis.commands import Commands, CommandSite
from resplint.text import collections as elements


@dataclass(slots=True)
class Batch:
    """A pipeline from the call on that starts it: what is queued on it and how it is used."""

    object: LibraryObject
    model: PipelineModel
    made: Ref
    """The call that starts the batch."""
    queued: list[CommandSite] = field(default_factory=list)
    controls: set[str] = field(default_factory=set)
    """Names of methods called on it that send no command of their own (execute, watch, multi, …)."""
    executed: list[Ref] = field(default_factory=list)
    """Calls that send the batch."""
    steered: list[tuple[str, Ref]] = field(default_factory=list)
    """The same, with the calls; without those of the client that the batch was made from."""
    watches: list[Ref] = field(default_factory=list)
    """Calls that watch keys through the client before the batch starts."""
    unseen: list[Ref] = field(default_factory=list)
    """Calls that receive the pipeline and cannot be looked into."""
    plain: bool = False
    """Whether what sends it says that it is no transaction."""

    def says(self, name: str) -> bool:
        """Whether a method that is called on the batch says anything of it: Redis refuses WATCH behind MULTI."""
        begun = self.model.transaction_default and not self.model.parameter and not self.model.begin
        return name not in self.model.watch or not begun


def _is_open(spec: str) -> bool:
    """Whether what a project writes leaves the version of a library open."""
    return spec.strip() in ("", "*", "latest", "x")


def control_names(evaluator: Graph) -> frozenset[str]:
    """Methods of pipelines that steer the batch and send nothing of their own."""
    models = [model for library in evaluator.catalogue.libraries.values() for model in library.pipeline]
    return frozenset(
        name
        for model in models
        for name in (*model.execute, *model.execute_plain, *model.watch, *model.begin, *model.discard)
    )


class Batches:
    """Scans the selected files once."""

    def __init__(self, evaluator: Graph, commands: Commands) -> None:
        self.ev = evaluator
        self._commands = commands
        self._watches: dict[tuple[int, tuple[str, ...]], list[tuple[int, facts.Member, facts.Call]]] = {}
        self.data: list[CommandSite] = []
        """Commands that are written as data; complete once `started` is."""

    @property
    def _files(self) -> Collection[FileIndex]:
        return self.ev.store.judged

    @cached_property
    def all(self) -> list[Batch]:
        """Every pipeline that the selected files start, with what they queue on it and how they use it."""
        found, modal = self.started
        self._controls(found)
        self._handed_to_others({ref: batch for ref, batch in found.items() if batch.model.transaction_default})
        for batch in found.values():
            if batch.model.watch_client:
                self._watched(batch)
        return [*found.values(), *self._modal(modal)]

    @cached_property
    def started(self) -> tuple[dict[Ref, Batch], list[Batch]]:
        """Every pipeline that the selected files start, with what they queue on it: objects by where they are made, and
        those that are a mode of the client.
        """
        found: dict[Ref, Batch] = {}
        modal: list[Batch] = []
        for file, number in self.ev.touching():
            if (file, number) in self.ev.edges.calls.sites:
                for batch in self._batches_at(self.ev.store.files[file], number):
                    if batch.object.kind != "pipeline":
                        modal.append(batch)
                        continue
                    known = found.setdefault(batch.made, batch)
                    if batch.model.transaction_default and not known.model.transaction_default:
                        found[batch.made] = batch  # of several possible clients, the one with a transaction counts
        queued: dict[Ref, set[tuple[Ref, str]]] = defaultdict(set)
        for site in self._commands.all:
            made = site.receiver.made
            if site.receiver.kind == "pipeline" and made in found and (site.ref, site.command) not in queued[made]:
                queued[made].add((site.ref, site.command))
                found[made].queued.append(site)
        for batch in found.values():
            self._written_out(batch)
        return found, modal

    def _batches_at(self, index: FileIndex, number: int) -> list[Batch]:
        call = index.facts.exprs[number]
        assert isinstance(call, facts.Call)
        batches = []
        ref = (index.number, number)
        for method in self.ev.carried(index.number, call.callee):
            if not isinstance(method, LibraryMethod):
                continue
            model = self._model(method, index.number, call)
            if model is None:
                continue
            if model.modal or self._is_modal(index, call, model):
                batches.append(Batch(method.object, model, ref))
                continue
            for value in self.ev.carried(index.number, number):
                if isinstance(value, LibraryObject) and value.made == ref and value.parent == method.object:
                    batches.append(Batch(value, model, ref))
        return batches

    def _model(self, method: LibraryMethod, file: int, call: facts.Call) -> PipelineModel | None:
        """How a call starts a batch. One that is given commands says, where the project leaves the version open, that
        a version is in use which takes them.
        """
        catalogue, origin = self.ev.catalogue, method.object.origin
        assumed = self.ev.version(method.object, file, method.name)
        model = catalogue.pipeline(origin, method.name, assumed.version)
        given = [item for item in call.arguments if not item.name]
        if model is None or model.data_index >= 0 or not given or assumed.exact or not _is_open(assumed.spec):
            return model
        index = self.ev.store.files[file]
        inside, _ = elements.in_list(self.ev, file, given[0].value)
        listed = inside or self._is_list(file, given[0].value)
        if not listed or not isinstance(index.facts.exprs[call.callee], facts.Member | facts.Name):
            return model
        for version in reversed(origin.library.library.versions):
            other = catalogue.pipeline(origin, method.name, version)
            if other is not None and 0 <= other.data_index < len(given):
                return other
        return model

    def _is_list(self, file: int, number: int) -> bool:
        return any(
            isinstance(value, CollectionValue)
            and isinstance(one := self.ev.store.expr(value.ref), facts.Collection)
            and one.kind != "map"
            for value in self.ev.values(file, number)
        )

    def _is_modal(self, index: FileIndex, call: facts.Call, model: PipelineModel) -> bool:
        """``multi({ pipeline: false })``."""
        if not model.modal_parameter:
            return False
        for item in call.arguments:
            expr = index.facts.exprs[item.value]
            for key, value in zip(getattr(expr, "keys", ()), getattr(expr, "items", ()), strict=False):
                name = index.facts.exprs[key] if key != NONE else None
                if isinstance(name, facts.Literal) and name.value == model.modal_parameter:
                    return any(isinstance(v, Const) and not v.value for v in self.ev.values(index.number, value))
        return False

    # -- commands as data ----------------------------------------------------------------------------------------------

    def _written_out(self, batch: Batch) -> None:
        """Commands in a list that the batch starts with."""
        call = self.ev.store.expr(batch.made)
        assert isinstance(call, facts.Call)
        positional = [item.value for item in call.arguments if not item.name]
        if not 0 <= batch.model.data_index < len(positional):
            return
        number = positional[batch.model.data_index]
        refs, is_whole = elements.in_list(self.ev, batch.made[0], number)
        if not is_whole:
            batch.unseen.append((batch.made[0], number))
        sites = [self._commands.written_out(file, expr, batch.object) for file, expr in refs]
        written = [site for site in sites if site is not None]
        batch.queued += written
        self.data += written

    # -- how batches are used ------------------------------------------------------------------------------------------

    def _controls(self, batches: dict[Ref, Batch]) -> None:
        """Methods called on pipelines that steer them, or send what a script of the project's own does."""
        own = self._own_commands if batches else frozenset[str]()
        names = own | control_names(self.ev) if batches else ()
        for index in self._files if batches else ():
            for number in index.calls:
                call = index.facts.exprs[number]
                assert isinstance(call, facts.Call)
                callee = index.facts.exprs[call.callee]
                if isinstance(callee, facts.Member) and callee.name in names:
                    for value in self._steered(index, call, callee):
                        if value.made in batches and callee.name in own:
                            batches[value.made].unseen.append((index.number, number))
                        elif value.made in batches:
                            self._control(index, number, call, callee.name, batches[value.made])

    def _steered(self, index: FileIndex, call: facts.Call, callee: facts.Member) -> list[LibraryObject]:
        """The pipelines that a method is called on, or that a class of the project hands the call on to."""
        found = self._pipelines(index, callee.object)
        for method in () if found else self.ev.carried(index.number, call.callee):
            if isinstance(method, LibraryMethod) and method.object.kind == "pipeline":
                found.append(method.object)
        return found

    @cached_property
    def _own_commands(self) -> frozenset[str]:
        """Names of the commands that the project adds to a client: ``redis.defineCommand('take', { lua })``."""
        models = [one for library in self.ev.catalogue.libraries.values() for one in library.method if one.script_path]
        adders = {name for one in models for name in one.names}
        found = set[str]()
        for index in self._files:
            for number in index.calls:
                call = index.facts.exprs[number]
                assert isinstance(call, facts.Call)
                callee = index.facts.exprs[call.callee]
                if isinstance(callee, facts.Member) and callee.name in adders and call.arguments:
                    named = self.ev.values(index.number, call.arguments[0].value)
                    found |= {str(one.value) for one in named if isinstance(one, Const)}
        return frozenset(found)

    def _handed_to_others(self, batches: dict[Ref, Batch]) -> None:
        """Calls that take pipelines along to where nobody can look."""
        for ref, number, index in self._arguments(batches):
            words = self.ev.roles(index.number).words
            call = index.facts.exprs[number]
            assert isinstance(call, facts.Call)
            callee = index.facts.exprs[call.callee]
            if isinstance(callee, facts.Member) and callee.name in (*words.bound_function_methods, *words.folds):
                continue
            if not self._looked_into(index, call) and not self._is_looked_up(index, number, call, batches[ref]):
                batches[ref].unseen.append((index.number, number))

    def _is_looked_up(self, index: FileIndex, number: int, call: facts.Call, batch: Batch) -> bool:
        """Whether a call looks up methods of a batch by names that are known: ``getattr(pipe, "hget")``. Where a class
        hands on whatever it is asked for, those who ask have the name.
        """
        words = self.ev.roles(index.number).words
        if self.ev.binder.dotted(index.number, call.callee) not in words.getter or len(call.arguments) < 2:
            return False
        if self._is_asked_for(index, call, words.delegating):
            return True
        methods = [
            one.name
            for one in self.ev.carried(index.number, number)
            if isinstance(one, LibraryMethod) and one.object.made == batch.made
        ]
        return bool(methods) and not {*methods} & {UNKNOWN, *batch.model.watch, *batch.model.begin}

    def _is_asked_for(self, index: FileIndex, call: facts.Call, delegating: str) -> bool:
        """Whether a call looks up what the object around it was asked for and lacks."""
        sought = call.arguments[1].value
        if not delegating or not isinstance(index.facts.exprs[sought], facts.Name):
            return False
        found = self.ev.binder.names(index.number).at(sought)
        scopes = [index.facts.scopes[one.scope] for one in found if one.kind == "parameter"]
        return len(scopes) == len(found) > 0 and all(one.name == delegating for one in scopes)

    def _arguments(self, batches: dict[Ref, Batch]) -> list[tuple[Ref, int, FileIndex]]:
        """(batch, call, file) of every argument that is one of the batches, in the order of the project."""
        found: set[tuple[Ref, Ref]] = set()
        for ref in batches:
            for file, expr in self.ev.places(ref):
                index = self.ev.store.files[file]
                place = index.argument_of.get(expr)
                kind = type(index.facts.exprs[expr])
                if (
                    place is not None
                    and self.ev.store.is_judged(file)
                    and kind in (facts.Name, facts.Member, facts.Call)
                ):
                    if any(value.made == ref for value in self._pipelines(index, expr)):
                        found.add(((file, place[0]), ref))
        return [(ref, number, self.ev.store.files[file]) for (file, number), ref in sorted(found)]

    def _control(self, index: FileIndex, number: int, call: facts.Call, name: str, batch: Batch) -> None:
        if batch.says(name):
            batch.controls.add(name)
        batch.steered.append((name, (index.number, number)))
        if name in batch.model.execute:
            batch.executed.append((index.number, number))
            positional = [item.value for item in call.arguments if not item.name]
            if 0 <= batch.model.plain_index < len(positional):
                batch.plain = batch.plain or self._may_be_plain(index, positional[batch.model.plain_index])
        if name in batch.model.execute_plain:
            batch.executed.append((index.number, number))
            batch.plain = True

    def _may_be_plain(self, index: FileIndex, number: int) -> bool:
        """Whether an argument that makes the batch a plain one may be true: it says so, or is a flag that depends on
        something. What nobody knows to be a flag may be a callback.
        """
        expr = index.facts.exprs[number]
        given = self.ev.values(index.number, number)
        flags = [value.value for value in given if isinstance(value, Const) and isinstance(value.value, bool)]
        asked = isinstance(expr, facts.Operation) and expr.operator not in PASSING and not flags
        return True in flags or asked or 0 < len(flags) < len(given)

    def _pipelines(self, index: FileIndex, expr: int) -> list[LibraryObject]:
        found = index.facts.exprs[expr]
        if not isinstance(found, facts.Name | facts.Member | facts.Call):
            return []
        values = self.ev.carried(index.number, expr)
        return [value for value in values if isinstance(value, LibraryObject) and value.kind == "pipeline"]

    def _looked_into(self, index: FileIndex, call: facts.Call) -> bool:
        """Whether the code that receives an argument is known: a function or class of the project, or a script."""
        values = self.ev.values(index.number, call.callee)
        if any(isinstance(value, LibraryObject) and value.kind == "script" for value in values):
            return True
        known = [value for value in values if not isinstance(value, ExternalObject)]  # declared as a function type
        return bool(known) and all(isinstance(value, FunctionValue | ClassValue) for value in known)

    def _watched(self, batch: Batch) -> None:
        """WATCH on the client before the batch starts, in the functions around it, or in the call that runs them."""
        index = self.ev.store.files[batch.made[0]]
        made = index.facts.exprs[batch.made[1]]
        outermost = index.function_of(made.block)
        while (parent := index.facts.scopes[outermost].parent) > 0 and index.facts.scopes[parent].kind != "class":
            outermost = parent
        start = index.facts.blocks[index.facts.scopes[outermost].block].start if outermost else made.start
        for number, callee, call in self._watches_in(index, tuple(batch.model.watch)):
            if call.start < made.start and (call.start >= start or call.end > made.start):
                owners = [one for one in self.ev.carried(index.number, callee.object) if isinstance(one, LibraryObject)]
                if any(self._same(one, batch.object) for one in owners):
                    batch.controls.add(callee.name.lower())
                    batch.watches.append((index.number, number))

    def _watches_in(self, index: FileIndex, names: tuple[str, ...]) -> list[tuple[int, facts.Member, facts.Call]]:
        """Calls of a file by one of the names, with what they call; they are few, however many calls there are."""
        found = self._watches.get((index.number, names))
        if found is None:
            calls = (
                (number, call) for number in index.calls if isinstance(call := index.facts.exprs[number], facts.Call)
            )
            found = self._watches[index.number, names] = [
                (number, callee, call)
                for number, callee, call in ((one, index.facts.exprs[call.callee], call) for one, call in calls)
                if isinstance(callee, facts.Member) and callee.name.lower() in names
            ]
        return found

    # -- receivers that are switched to queueing -------------------------------------------------------------------

    def _modal(self, batches: list[Batch]) -> list[Batch]:
        """Fill batches that have no object of their own: what the same function sends through the same receiver between
        the call that starts and the one that executes.
        """
        if not batches:
            return []
        by_function: dict[tuple[int, int], list[CommandSite]] = defaultdict(list)
        for site in self._commands.all:
            index = self.ev.store.files[site.file]
            by_function[site.file, index.function_of(index.facts.exprs[site.call].block)].append(site)
        for batch in batches:
            index = self.ev.store.files[batch.made[0]]
            made = index.facts.exprs[batch.made[1]]
            scope = index.function_of(made.block)
            end = self._executed_at(index, scope, batch, made.start)
            if end is None:
                batch.unseen.append(batch.made)
                continue
            for site in by_function[index.number, scope]:
                start = index.facts.exprs[site.call].start
                if (
                    made.end <= start < end
                    and site.ref not in batch.executed
                    and self._same(site.receiver, batch.object)
                ):
                    batch.queued.append(site)
            giving = {site.receiver.made for site in batch.queued}  # `opsForHash()` sends nothing itself
            batch.queued = [site for site in batch.queued if site.command or site.ref not in giving]
            batch.unseen += self._handed_on(index, batch, made.end, end)
        return batches

    def _handed_on(self, index: FileIndex, batch: Batch, start: int, end: int) -> list[Ref]:
        """Calls between two offsets that receive what a batch without an object of its own speaks through: whatever
        they send is queued, too.
        """
        return [
            (index.number, number)
            for number, call in index.calls_in(start, end)
            for argument in call.arguments
            for value in self.ev.values(index.number, argument.value)
            if isinstance(value, LibraryObject) and value.kind != "pool" and self._same(value, batch.object)
        ]

    def _executed_at(self, index: FileIndex, scope: int, batch: Batch, start: int) -> int | None:
        body = index.facts.blocks[index.facts.scopes[scope].block]
        for number, call in index.calls_in(body.start, body.end):
            callee = index.facts.exprs[call.callee]
            if not isinstance(callee, facts.Member | facts.Name) or index.function_of(call.block) != scope:
                continue
            names = (*batch.model.execute, *batch.model.watch)
            if callee.name not in names or (call.start > start and not batch.says(callee.name)):
                continue
            methods = self.ev.values(index.number, call.callee)
            owners = [one.object for one in methods if isinstance(one, LibraryMethod)]
            if any(self._same(one, batch.object) for one in owners):
                if callee.name in batch.model.watch:
                    batch.controls.add(callee.name)
                elif call.start > start or number > batch.made[1]:
                    batch.executed.append((index.number, number))
                    return call.end
        return None

    def _same(self, one: LibraryObject, other: LibraryObject) -> bool:
        """Whether two objects speak through one connection: the same, or derived from the same."""
        return self._root(one) == self._root(other)

    def _root(self, value: LibraryObject) -> LibraryObject:
        while value.parent is not None and value.parent.kind != "pool":
            value = value.parent
        return value
