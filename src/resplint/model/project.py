"""The linked project: what checks see."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from resplint.bind.files import Store
from resplint.bind.index import FileIndex
from resplint.bind.modules import Loader, ModuleTable
from resplint.bind.values import (
    Const,
    LibraryObject,
    Ref,
    Values,
)
from resplint.contracts import facts
from resplint.contracts.dependencies import Declared
from resplint.contracts.facts import NONE, FileFacts
from resplint.contracts.findings import Place, Step
from resplint.contracts.remedy import Remedy
from resplint.execution.event_loops import EventLoops
from resplint.execution.frequency.addresses import Addresses
from resplint.execution.frequency.bursts import Bursts
from resplint.execution.frequency.frequency import Frequency
from resplint.execution.frequency.one_off import OneOff
from resplint.execution.frequency.schedules import Schedules
from resplint.execution.lifetimes.lifetimes import Lifetimes
from resplint.execution.loops.consecutive_reads import ConsecutiveReads, Row
from resplint.execution.loops.drained_scans import DrainedScans
from resplint.execution.loops.round_trips import LoopedCommands, RoundTrips
from resplint.execution.purposes import TEST, Purposes
from resplint.execution.roles import RoleTable
from resplint.execution.unused import Unused
from resplint.flow import nodes
from resplint.flow.graph import Graph
from resplint.knowledge.catalogue import Catalogue
from resplint.knowledge.client_versions import Versions
from resplint.knowledge.records.client_records import Advice, ClientLibrary, ReplacementModel
from resplint.redis.caches import Caches
from resplint.redis.calls.blocking_calls import BlockingCalls
from resplint.redis.calls.command_options import CommandOptions
from resplint.redis.calls.command_uses import CommandUses
from resplint.redis.calls.deprecations import Deprecations
from resplint.redis.calls.named_commands import NamedCommands
from resplint.redis.calls.script_commands import ScriptCommands
from resplint.redis.calls.scripts import Scripts
from resplint.redis.calls.separate_expiries import SeparateExpiries, SeparateExpiry
from resplint.redis.calls.waits import Waits
from resplint.redis.clients.connecting import Connecting, connections
from resplint.redis.clients.error_listeners import ErrorListeners
from resplint.redis.clients.handed_out import HandedOut
from resplint.redis.credentials.secrets import Secrets
from resplint.redis.growth.deleted_keys import DeletedKeys
from resplint.redis.growth.element_writes import ElementWrites
from resplint.redis.growth.gathering import Gathering
from resplint.redis.growth.hashes import Hashes
from resplint.redis.growth.partial_use import PartialUses
from resplint.redis.growth.unfilled import Unfilled
from resplint.redis.growth.whole_reads import WholeReads
from resplint.redis.options.options import Options
from resplint.redis.options.surroundings import Application, Nothing, Surroundings
from resplint.redis.options.timeouts import as_number
from resplint.redis.settings import SettingsEntry
from resplint.redis.usage import Batch, CommandSite, Usage
from resplint.remedies import merged_writes, successors
from resplint.remedies.shorter_waits import ShorterWaits
from resplint.retry.delays.strategies import Strategies
from resplint.retry.retries import Retries
from resplint.selection.ways_out import WaysOut
from resplint.text.key_templates import Shape, Shapes
from resplint.text.texts import Texts


class Project:
    """Facts of the selected files, linked. Questions are answered lazily and once."""

    def __init__(
        self,
        selected: Iterable[FileFacts],
        modules: ModuleTable,
        load: Loader,
        catalogue: Catalogue,
        versions: Versions,
        surroundings: Surroundings | None = None,
    ) -> None:
        words = {name: roles.words for name, roles in catalogue.roles.items()}
        callbacks = {
            name: (frozenset(one.element_callbacks), frozenset(one.repeaters), frozenset(one.unwrappers))
            for name, one in words.items()
        }
        self.store = Store(selected, modules, load, callbacks)
        self.ev = Graph(self.store, catalogue, versions)
        self.catalogue = catalogue
        around = self._around = surroundings or Nothing()
        self.store.mentions = around.mentions
        self.ev.flow.is_over = around.is_over
        self.ev.application = lambda path, key: [one.text for one in around.settings(path, key)]
        self.usage = Usage(self.ev)
        self.options = Options(self.ev, versions)
        self.options.ambient.application = Application(around)
        self.options.arguments.looked_up.texts = around.property_texts
        self.options.arguments.looked_up.settings = lambda path, key: [one.text for one in around.settings(path, key)]
        self.options.ambient.made = lambda: self.usage.made
        self.roles = RoleTable(self.ev)
        self.waits = Waits(self.ev, self.usage, self.options)
        self.shorter_waits = ShorterWaits(self.ev, self.usage, self.options)
        self.scripts = Scripts(self.ev, self.usage, self.options)
        self.frequency = Frequency(self.ev, self.roles)
        self.addresses = Addresses(self.ev, self.roles)
        self.one_off = OneOff(self.ev, self.frequency)
        self.schedules = Schedules(self.ev)
        self.purposes = Purposes(self.ev, self.roles)
        self.unused = Unused(self.ev, self.roles)
        self.event_loops = EventLoops(self.ev, self.roles, self.purposes, around.depends)
        self.lifetimes = Lifetimes(self.ev, self.usage, self.options, self.frequency)
        self.bursts = Bursts(self.ev, self.usage, self.frequency, self.one_off)
        self.texts = Texts(self.ev)
        self.shapes = Shapes(self.ev)
        self.retries = Retries(self.ev, self.roles, Strategies(self.ev, self.usage.making, self.options))
        self.error_listeners = ErrorListeners(self.ev)
        self.handed_out = HandedOut(self.ev)
        self.drained_scans = DrainedScans(self.ev)
        self.command_options = CommandOptions(self.ev, self.usage, self.options.arguments)
        self.blocking_calls = BlockingCalls(self.ev, self.usage)
        self.deprecations = Deprecations(self.ev)
        self.hashes = Hashes(self.ev, self.usage, self.shapes, self.texts)
        self.gathering = Gathering(self.ev, self.usage, self.hashes)
        self.element_writes = ElementWrites(
            self.ev, self.usage, self.shapes, self.texts, self.hashes, self.command_options
        )
        self.unfilled = Unfilled(self.ev, self.usage, self.shapes, self.hashes, self.element_writes)
        self.deleted_keys = DeletedKeys(self.ev, self.usage, self.hashes, self.gathering, self.element_writes)
        self.caches = Caches(self.ev, self.options.settings)
        self.secrets = Secrets(self.ev, self.usage, self.options)
        self.partial_uses = PartialUses(self.ev)
        self.whole_reads = WholeReads(self.ev, self.usage, self.command_options, self.shapes)

    def server_version(self, ref: Ref) -> str:
        """Version of the server that the code of a place talks to, "" where the configuration does not say it."""
        return self._around.server_version(self.index(ref).facts.path)

    def advice(self, site: CommandSite) -> Advice:
        """What findings advise for the library that sends a command, in the version in use."""
        version = self.options.version(site.receiver, site.file).version
        return self.catalogue.advice(site.receiver.origin.library, version)

    def successor(self, site: CommandSite, model: ReplacementModel) -> Remedy | None:
        """What a deprecated command becomes, where that is mechanical."""
        return successors.remedy(self.ev, site, model)

    def merged(self, pair: SeparateExpiry) -> Remedy | None:
        """One command in the place of a write and of what sets its life time, where that is mechanical."""
        return merged_writes.remedy(self.ev, pair)

    def renamed(self, call: Ref, method: str) -> Remedy:
        """Another method with the same arguments."""
        return successors.renamed(call, method)

    def is_one_off(self, site: CommandSite) -> bool:
        """Whether a program sends a command once, closes the client and ends."""
        made = site.receiver.made
        return made is not None and self.one_off.is_one_off(site.ref, self.usage.closed_at(made))

    def is_only_at_start(self, site: CommandSite) -> bool:
        """Whether a command is sent when a program starts, or by a script, and at no other time."""
        return self.one_off.is_only_at_start(site.ref)

    def happens_once(self, site: CommandSite) -> bool:
        """Whether a command is one that somebody asks for by hand, or that a program sends once."""
        return self.is_one_off(site) or self.purposes.is_by_hand(site.ref) or self.is_only_at_start(site)

    def happens_once_at(self, site: CommandSite, at: Ref) -> bool:
        """The same for one of the calls that have a command sent."""
        if at == site.ref:
            return self.happens_once(site)
        return self.is_one_off(site) or self.purposes.is_by_hand(at) or self.one_off.is_only_at_start(at)

    def declared(self, library: ClientLibrary, path: str) -> Declared | None:
        """Where the project of a source file asks for a library; None if no manifest does."""
        section = library.library
        found = (self._around.declared(path, one, section.ecosystem) for one in section.distributions)
        return next((one for one in found if one is not None), None)

    def depends(self, path: str, distribution: str, ecosystem: str) -> bool:
        """Whether the project of a source file needs a distribution to run."""
        return self._around.depends(path, distribution, ecosystem)

    @property
    def made(self) -> list[LibraryObject]:
        """Clients, pools, clusters … that the project makes."""
        return self.usage.made

    @cached_property
    def connections(self) -> list[Connecting]:
        """Where a client that is made elsewhere is connected, used and closed again."""
        return connections(self.ev, self.usage)

    @property
    def pools_of_anything(self) -> list[tuple[LibraryObject, LibraryObject]]:
        """General pools that the project fills with clients or connections, each with one that it holds."""
        return self.usage.making.pools_of_anything

    @cached_property
    def is_run(self) -> bool:
        """Whether something is known to run code of the project that sends commands. Nothing runs a library, or an
        excerpt, but who calls it.
        """
        return any(one.what != TEST for site in self.commands for one in self.purposes.of(site.ref))

    @property
    def commands(self) -> list[CommandSite]:
        """Commands that the project sends."""
        return self.usage.commands

    @cached_property
    def command_uses(self) -> CommandUses:
        """Commands where they are named: in calls that send them, in calls of wrappers, in Lua scripts."""
        scripts = ScriptCommands(self.ev, self.scripts, self.texts)
        return CommandUses(self.ev, self.usage, NamedCommands(self.ev), scripts)

    @cached_property
    def round_trips(self) -> list[RoundTrips]:
        """Loops over data that send commands one by one."""
        return LoopedCommands(self.ev, self.usage, self.roles, self.command_options).all()

    @cached_property
    def consecutive_reads(self) -> list[Row]:
        """Reads one after the other that one command could do together."""
        return list(ConsecutiveReads(self.ev, self.usage).all())

    @cached_property
    def separate_expiries(self) -> list[SeparateExpiry]:
        """Keys that one command creates and a later one gives a life time to."""
        return SeparateExpiries(self.ev, self.usage, self.command_options, self.shapes).all()

    @property
    def users(self) -> set[str]:
        """Paths of the files that make clients, send commands or start pipelines."""
        refs = {site.ref for site in self.commands} | {batch.made for batch in self.batches}
        refs |= {value.made for value in self.made if value.made is not None}
        return {self.store.files[file].facts.path for file, _ in refs}

    @property
    def batches(self) -> list[Batch]:
        """Pipelines that the project starts."""
        return self.usage.batches

    @cached_property
    def secret_places(self) -> frozenset[Place]:
        """Where passwords are written out, in code and settings."""
        found = self.secrets.passwords()
        return frozenset(one.place or self.place(one.ref or one.user) for one in found)

    @property
    def limits(self) -> list[str]:
        """What was not looked at to the end, in sentences."""
        return self.ev.flow.limits.sentences

    @property
    def ways_out(self) -> WaysOut:
        """What leaves the files that are linked."""
        return WaysOut(self.ev)

    @cached_property
    def settings_entries(self) -> list[SettingsEntry]:
        """Clients that a framework makes from settings."""
        return self.options.settings.entries

    def values(self, file: int, expr: int) -> Values:
        """What an expression may stand for."""
        return self.ev.values(file, expr)

    def numbers(self, file: int, expr: int) -> list[float] | None:
        """All values of an expression as numbers (text that spells one included); None when one of them is none."""
        found = []
        for value in self.values(file, expr):
            number = as_number(value.value) if isinstance(value, Const) else None
            if number is None:
                return None
            found.append(number)
        return found or None

    def was_asked(self, file: int, expr: int) -> bool:
        """Whether somebody wanted to know what an expression stands for."""
        node = nodes.expression(file, expr)
        return self.ev.edges.demand.wants(node) or self.ev.edges.questions.wants(node)

    def is_object(self, file: int, expr: int) -> bool:
        """Whether an expression is known to stand for anything but data. Asks for nothing further."""
        held = self.ev.flow.held.get(nodes.expression(file, expr), ())
        return any(self.ev.flow.is_object(token) for token in held)

    # -- places --------------------------------------------------------------------------------------------------------

    def index(self, ref: Ref) -> FileIndex:
        """The file of a reference."""
        return self.store.files[ref[0]]

    def place(self, ref: Ref) -> Place:
        """Where a reference stands. A negative expression below NONE names a scope: its definition's first line."""
        index = self.index(ref)
        if ref[1] < NONE:
            scope = index.facts.scopes[-2 - ref[1]]
            return self.first_line(index, scope.start)
        if ref[1] == NONE:
            return Place(index.facts.path, 0, 0)
        expr = index.facts.exprs[ref[1]]
        return Place(index.facts.path, expr.start, expr.end)

    def first_line(self, index: FileIndex, start: int) -> Place:
        """From an offset to the end of its line."""
        line = index.facts.line(start)
        ends = index.facts.line_starts
        end = ends[line] - 1 if line < len(ends) else start + 1
        return Place(index.facts.path, start, max(start, end))

    def spot(self, ref: Ref) -> str:
        """`path:line` of a reference, for messages."""
        place = self.place(ref)
        return f"{place.path}:{self.index(ref).facts.line(place.start)}"

    def symbol(self, ref: Ref) -> str:
        """Qualified name of the definition around a reference."""
        if ref[1] < 0:
            return ""
        index = self.index(ref)
        return index.qualified_name(index.function_of(index.facts.exprs[ref[1]].block))

    def step(self, ref: Ref, message: str) -> Step:
        """One step of a trail."""
        return Step(self.place(ref), message)

    def key_text(self, shape: Shape) -> str:
        """A key as a message shows it: its template, or the field or setting that holds it."""
        if not shape.of_object:
            return shape.template
        if shape.setting:
            return f"${shape.setting}"
        file, number = shape.holes[0]
        expr = self.store.files[file].facts.exprs[number]
        if isinstance(expr, facts.Member):
            return f"self.{expr.name}"
        return expr.name if isinstance(expr, facts.Name) else shape.template

    def steps(self, way: Iterable[tuple[Ref, str]]) -> tuple[Step, ...]:
        """Steps of a trail."""
        return tuple(self.step(ref, message) for ref, message in way)

    def callee_name(self, ref: Ref) -> str:
        """Name of what a call calls, as written: `Redis`, `redis.Redis.from_url`; of what another call gives the method
        alone.
        """
        expr = self.store.expr(ref)
        number = expr.callee if isinstance(expr, facts.Call) else ref[1]
        names: list[str] = []
        while number != NONE and len(names) < 6:
            found = self.store.files[ref[0]].facts.exprs[number]
            if isinstance(found, facts.Member):
                names.append(found.name)
                number = found.object
            else:
                if isinstance(found, facts.Name) or not names:  # `require:redis` stands for `require("redis")`
                    names.append(found.name.rpartition(":")[2] if isinstance(found, facts.Name) else "…")
                break
        return ".".join(reversed(names))
