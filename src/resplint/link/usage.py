"""What the project does with its clients: the objects it makes, the commands it sends, the batches it fills."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property

from resplint import facts
from resplint.facts import NONE
from resplint.knowledge.records import CommandModel, MethodModel, PipelineModel
from resplint.link import overloads
from resplint.link.evaluate import Evaluator
from resplint.link.index import FileIndex, children
from resplint.link.values import ClassValue, Const, FunctionValue, LibraryMethod, LibraryObject, Ref

_MAKES = ("client", "cluster", "pool", "sentinel", "connection")


@dataclass(frozen=True, slots=True)
class CommandSite:
    """One call that sends (or queues) a Redis command.

    `name` is the method that is called and `command` what it sends. `raw` marks a command that is sent as words, whose
    own name is the first argument.
    """

    file: int
    call: int
    receiver: LibraryObject
    name: str
    command: str
    method: MethodModel
    raw: bool = False

    @property
    def ref(self) -> Ref:
        """The call expression."""
        return (self.file, self.call)


@dataclass(slots=True)
class Batch:
    """A pipeline from its creation on: what is queued on it and how it is used."""

    object: LibraryObject
    model: PipelineModel
    queued: list[CommandSite] = field(default_factory=list)
    controls: set[str] = field(default_factory=set)
    """Names of methods called on it that send no command of their own (execute, watch, multi, …)."""
    executed: list[Ref] = field(default_factory=list)
    """Calls that send the batch."""
    unseen: list[Ref] = field(default_factory=list)
    """Calls that receive the pipeline and cannot be looked into."""

    @property
    def made(self) -> Ref:
        """The call that starts the batch."""
        assert self.object.made is not None
        return self.object.made


class Usage:
    """Scans the selected files once."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.ev = evaluator

    @property
    def _files(self) -> list[FileIndex]:
        return self.ev.store.files[: self.ev.store.selected]

    # -- objects -------------------------------------------------------------------------------------------------------

    @cached_property
    def made(self) -> list[LibraryObject]:
        """Every client, cluster, pool, … that the selected files make, by place."""
        found: dict[tuple[Ref, str], LibraryObject] = {}
        for index in self._files:
            for number in index.calls:
                if not self._may_make(index, number):
                    continue
                for value in self.ev.values(index.number, number):
                    if (
                        isinstance(value, LibraryObject)
                        and value.made == (index.number, number)
                        and value.kind in _MAKES
                    ):
                        found.setdefault(((index.number, number), value.origin.type.name), value)
        return list(found.values())

    def _may_make(self, index: FileIndex, number: int) -> bool:
        """Whether the callee can be a constructor, going by what names constructors have here: cheap test before the
        real one.
        """
        call = index.facts.exprs[number]
        assert isinstance(call, facts.Call)
        callee = index.facts.exprs[call.callee]
        if isinstance(callee, facts.Name | facts.Member):
            return callee.name in self._making_names
        return True

    @cached_property
    def _making_names(self) -> set[str]:
        """Every name under which the project may call a constructor: its own, aliases, derived classes, variables that
        hold it.
        """
        names = {"cls", *self._maker_names}
        names.update(factory.rsplit(".", 1)[-1] for factory in self.ev.catalogue.factories)
        types = {
            name
            for library in self.ev.catalogue.libraries.values()
            for one in library.type
            for name in (one.name, *one.also)
        }
        names.update(name.rsplit(".", 1)[-1] for name in types)
        grown = True
        while grown:
            before = len(names)
            for index in self._files:
                self._collect_names(index, names)
            grown = len(names) > before
        return names

    def _collect_names(self, index: FileIndex, names: set[str]) -> None:
        file = index.facts
        names.update(item.alias for item in file.imports if item.name in names)
        for scope in file.scopes:
            if scope.kind == "class" and any(self._mentions(index, base, names) for base in scope.bases):
                names.add(scope.name)
            names.update(item.name for item in scope.parameters if self._mentions(index, item.default, names))
        names.update(
            one.name for one in file.bindings if one.name not in names and self._mentions(index, one.value, names)
        )
        for write in file.writes:
            if self._mentions(index, write.value, names):
                names.add(index.target_name(write.target) or "")

    def _mentions(self, index: FileIndex, expr: int, names: set[str]) -> bool:
        """Whether an expression is one of the names, or a choice between some (but not a call of one)."""
        pending = [expr]
        while pending:
            number = pending.pop()
            found = index.facts.exprs[number] if number != NONE else None
            if isinstance(found, facts.Name | facts.Member):
                if found.name in names:
                    return True
            elif isinstance(found, facts.Choice | facts.Collection):
                pending.extend(children(found))
        return False

    @cached_property
    def _maker_names(self) -> set[str]:
        names: set[str] = set()
        for library in self.ev.catalogue.libraries.values():
            for constructor in library.constructor:
                names.update(name.rsplit(".", 1)[-1] for name in constructor.names)
            names.update(name for method in library.method if method.returns for name in method.names)
        return names

    # -- commands ------------------------------------------------------------------------------------------------------

    @cached_property
    def commands(self) -> list[CommandSite]:
        """Every command that the selected files send, by place."""
        found: list[CommandSite] = []
        for index in self._files:
            for number in index.calls:
                found.extend(self._commands_of(index, number))
        return found

    def _commands_of(self, index: FileIndex, number: int) -> list[CommandSite]:
        call = index.facts.exprs[number]
        assert isinstance(call, facts.Call)
        callee = index.facts.exprs[call.callee]
        if isinstance(callee, facts.Member) and not self.ev.catalogue.may_send(callee.name):
            if callee.name not in self._script_names:
                return []
        elif isinstance(callee, facts.Name) and callee.name not in self._bound_names:
            return []
        sites = []
        for value in self.ev.values(index.number, call.callee):
            if isinstance(value, LibraryMethod):
                sites.append(self._site(index, number, call, value))
            elif isinstance(value, FunctionValue) and self._overrides(value):
                assert isinstance(value.owner, LibraryObject)
                name = self.ev.store.files[value.file].facts.scopes[value.scope].name
                sites.append(self._site(index, number, call, LibraryMethod(value.owner, name)))
            elif isinstance(value, LibraryObject) and value.kind == "script":
                sites.extend(self._script_call(index, number, call, value))
        return [site for site in sites if site is not None]

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

    @cached_property
    def _bound_names(self) -> set[str]:
        """Local names under which a method or script may be called: ``pop = r.brpop``."""
        names = set()
        for index in self._files:
            for binding in index.facts.bindings:
                if binding.value == NONE:
                    continue
                expr = index.facts.exprs[binding.value]
                items = expr.items if isinstance(expr, facts.Collection) else (binding.value,)
                parts = [index.facts.exprs[item] for item in items]
                is_method = any(isinstance(one, facts.Member) and self.ev.catalogue.may_send(one.name) for one in parts)
                if is_method or (isinstance(expr, facts.Call) and self._is_register(index, expr)):
                    names.add(binding.name)
        return names

    @cached_property
    def _script_names(self) -> set[str]:
        """Members that hold a registered script: ``self.take = r.register_script(…)``."""
        names = set()
        for index in self._files:
            for write in index.facts.writes:
                expr = index.facts.exprs[write.value] if write.value != NONE else None
                if isinstance(expr, facts.Call) and self._is_register(index, expr):
                    names.add(index.target_name(write.target) or "")
        return names

    def _is_register(self, index: FileIndex, call: facts.Call) -> bool:
        callee = index.facts.exprs[call.callee]
        return isinstance(callee, facts.Member) and callee.name in self._maker_names

    def _site(self, index: FileIndex, number: int, call: facts.Call, value: LibraryMethod) -> CommandSite | None:
        owner = value.object
        version = self.ev.version(owner, index.number).version
        models = self.ev.catalogue.overloads(owner.origin, value.name, version)
        method = overloads.choose(self.ev, models, index.number, call)
        if method is None or (owner.kind == "pipeline" and value.name in self._control_names):
            return None
        if method.raw_index >= 0:
            positional = [item.value for item in call.arguments if not item.name]
            if len(positional) <= method.raw_index:
                return None
            words = self.ev.values(index.number, positional[method.raw_index])
            texts = [word.value for word in words if isinstance(word, Const) and isinstance(word.value, str)]
            if not texts:
                return None
            name = self._raw_name(texts[0])
            return CommandSite(index.number, number, owner, value.name, name, method, True)
        return CommandSite(index.number, number, owner, value.name, method.command, method)

    def _raw_name(self, text: str) -> str:
        upper = text.upper().strip()
        return upper if upper in self.ev.catalogue.commands else upper.split(" ", 1)[0]

    def _script_call(self, index: FileIndex, number: int, call: facts.Call, value: LibraryObject) -> list[CommandSite]:
        """A registered script runs on its client, or on the client or pipeline that it is given."""
        method = self.ev.catalogue.method(value.origin.library, "script", "__call__")
        if method is None:
            return []
        positional = [item.value for item in call.arguments if not item.name]
        given = [item.value for item in call.arguments if item.name and item.name == method.client_parameter]
        given += positional[method.client_index : method.client_index + 1] if method.client_index >= 0 else []
        values = self.ev.values(index.number, given[0]) if given else ()
        receivers = [one for one in values if isinstance(one, LibraryObject)] or [value.parent or value]
        return [CommandSite(index.number, number, one, "__call__", method.command, method) for one in receivers]

    def model(self, site: CommandSite) -> CommandModel | None:
        """What is known of a site's command."""
        return self.ev.catalogue.commands.get(site.command)

    # -- arguments -----------------------------------------------------------------------------------------------------

    def argument(self, site: CommandSite, position: int, name: str = "") -> int:
        """Expression of an argument by position or keyword; NONE when absent. Raw commands skip the command's name."""
        call = self.ev.store.expr(site.ref)
        assert isinstance(call, facts.Call)
        positional = []
        for item in call.arguments:
            if name and item.name == name:
                return item.value
            if not item.name:
                positional.append(item.value)
            elif item.name == "*":
                break
        if site.raw:
            position += site.method.raw_index + 1
        return positional[position] if 0 <= position < len(positional) else NONE

    def spreads(self, site: CommandSite) -> bool:
        """Whether some of the arguments come from a spread collection."""
        call = self.ev.store.expr(site.ref)
        assert isinstance(call, facts.Call)
        return any(item.name in ("*", "**") for item in call.arguments)

    def key(self, site: CommandSite) -> int:
        """Expression of the command's first key, NONE when it has none."""
        model = self.model(site)
        if model is None or model.key < 0 or site.name == "__call__":
            return NONE
        for name in ("name", "key"):
            if not site.raw and (found := self._keyword(site, name)) != NONE:
                return found
        return self.argument(site, model.key)

    def _keyword(self, site: CommandSite, name: str) -> int:
        call = self.ev.store.expr(site.ref)
        assert isinstance(call, facts.Call)
        return next((item.value for item in call.arguments if item.name == name), NONE)

    # -- batches -------------------------------------------------------------------------------------------------------

    @cached_property
    def batches(self) -> list[Batch]:
        """Every pipeline that the selected files start, with what they queue on it."""
        found: dict[Ref, Batch] = {}
        for index in self._files:
            for number in index.calls:
                for batch in self._batches_at(index, number):
                    known = found.setdefault(batch.made, batch)
                    if batch.model.transaction_default and not known.model.transaction_default:
                        found[batch.made] = (
                            batch  # of several possible clients, the one that sends a transaction counts
                        )
        queued: dict[Ref, set[Ref]] = defaultdict(set)
        for site in self.commands:
            made = site.receiver.made
            if site.receiver.kind == "pipeline" and made in found and site.ref not in queued[made]:
                queued[made].add(site.ref)
                found[made].queued.append(site)
        self._controls(found)
        return list(found.values())

    def _batches_at(self, index: FileIndex, number: int) -> list[Batch]:
        call = index.facts.exprs[number]
        assert isinstance(call, facts.Call)
        callee = index.facts.exprs[call.callee]
        if not isinstance(callee, facts.Member | facts.Name) or not self._starts_batch(callee):
            return []
        batches = []
        for value in self.ev.values(index.number, number):
            if isinstance(value, LibraryObject) and value.kind == "pipeline" and value.made == (index.number, number):
                parent = value.parent
                model = self._pipeline_model(index, call, parent) if parent else None
                if model is not None:
                    batches.append(Batch(value, model))
        return batches

    def _starts_batch(self, callee: facts.Member | facts.Name) -> bool:
        if isinstance(callee, facts.Name):
            return callee.name in self._bound_names
        return callee.name in self._batch_names

    @cached_property
    def _control_names(self) -> set[str]:
        """Methods of pipelines that steer the batch and send nothing of their own."""
        models = [model for library in self.ev.catalogue.libraries.values() for model in library.pipeline]
        return {name for model in models for name in (*model.execute, *model.watch, *model.begin, *model.discard)}

    @cached_property
    def _batch_names(self) -> set[str]:
        names = {pipeline.method for library in self.ev.catalogue.libraries.values() for pipeline in library.pipeline}
        for index in self._files:  # `client.batch = client.pipeline`
            for write in index.facts.writes:
                value = index.facts.exprs[write.value] if write.value != NONE else None
                if isinstance(value, facts.Member) and value.name in names:
                    names.add(index.target_name(write.target) or "")
        return names

    def _pipeline_model(self, index: FileIndex, call: facts.Call, parent: LibraryObject) -> PipelineModel | None:
        for value in self.ev.values(index.number, call.callee):
            if isinstance(value, LibraryMethod) and value.object == parent:
                version = self.ev.version(parent, index.number).version
                return self.ev.catalogue.pipeline(parent.origin, value.name, version)
        return None

    def _controls(self, batches: dict[Ref, Batch]) -> None:
        """Methods called on pipelines, and calls that take one along."""
        if not batches:
            return
        for index in self._files:
            for number in index.calls:
                call = index.facts.exprs[number]
                assert isinstance(call, facts.Call)
                callee = index.facts.exprs[call.callee]
                if isinstance(callee, facts.Member):
                    for value in self._pipelines(index, callee.object):
                        if value.made in batches:
                            batches[value.made].controls.add(callee.name)
                            if callee.name in batches[value.made].model.execute:
                                batches[value.made].executed.append((index.number, number))
                for argument in call.arguments:
                    for value in self._pipelines(index, argument.value):
                        if value.made in batches and not self._looked_into(index, call):
                            batches[value.made].unseen.append((index.number, number))

    def _pipelines(self, index: FileIndex, expr: int) -> list[LibraryObject]:
        found = index.facts.exprs[expr]
        if not isinstance(found, facts.Name | facts.Member | facts.Call):
            return []
        values = self.ev.values(index.number, expr)
        return [value for value in values if isinstance(value, LibraryObject) and value.kind == "pipeline"]

    def _looked_into(self, index: FileIndex, call: facts.Call) -> bool:
        """Whether the code that receives an argument is known: a function or class of the project, or a script."""
        values = self.ev.values(index.number, call.callee)
        if any(isinstance(value, LibraryObject) and value.kind == "script" for value in values):
            return True
        return bool(values) and all(isinstance(value, FunctionValue | ClassValue) for value in values)
