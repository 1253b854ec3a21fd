"""Every Redis client that a project makes: where, from which library, how configured, and who uses it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from resplint.bind.values import LibraryObject, Ref
from resplint.inventory.records import ClientEntry, Inventory, Made, Site, Use, User, Version
from resplint.inventory.settings import POOL, RETRY, TIMEOUTS, Code, Settings
from resplint.inventory.sites import UNTOLD, Sites, root_of
from resplint.knowledge.client_versions import AssumedVersion
from resplint.model.project import Project
from resplint.redis.settings import SettingsEntry
from resplint.redis.usage import CommandSite

__all__ = ["ClientEntry", "Code", "Inventory", "collect"]

_SYMBOLS = 20
"""Functions named of one file."""
_MODULE = "the module itself"


def collect(project: Project, code: Code) -> Inventory:
    """The clients of a linked project. `code` gives the text at a place, for options that are no constants."""
    clients = sorted(_Collector(project, code).all(), key=ClientEntry.sort_key)
    places = {site.ref for site in _sent(project)}
    return Inventory(tuple(clients), len(places), len({file for file, _ in places}))


@dataclass(frozen=True, slots=True)
class _Provided:
    """The clients of one type and version that the code does not make."""

    type: str
    version: str


class _Collector:
    def __init__(self, project: Project, code: Code) -> None:
        self._project = project
        self._settings = Settings(project, code)
        self._objects = {value.made: value for value in project.made if value.made is not None and _has_own(value)}
        self._objects.update((pool.made, pool) for pool, _ in project.pools_of_anything if pool.made is not None)
        self._sent: dict[Ref, list[CommandSite]] = defaultdict(list)
        self._sent_through_provided: dict[_Provided, list[CommandSite]] = defaultdict(list)
        self._places: dict[Ref | _Provided, list[Site]] = defaultdict(list)
        sites = Sites(project, code)
        sent = _sent(project)
        for site in sent:
            client = self._client(site.receiver, site.file)
            if isinstance(client, _Provided):
                self._sent_through_provided[client].append(site)
            else:
                self._sent[client].append(site)
            self._places[client].append(sites.sending(site))
        for file, receiver, place in sites.preparing({site.ref for site in sent}):
            self._places[self._client(receiver, file)].append(place)

    def all(self) -> Iterable[ClientEntry]:
        shared_by: dict[Ref, list[Ref]] = defaultdict(list)
        shares = {made: self._pool_of(value) for made, value in self._objects.items()}
        for made, pool in shares.items():
            if pool is not None:
                shared_by[pool].append(made)
        for made, value in self._objects.items():
            yield self._entry(value, made, shares[made], shared_by.get(made, []))
        for client, sites in self._sent_through_provided.items():
            yield self._of_provided(client, sites)
        for entry in self._project.settings_entries:
            yield self._of_settings(entry)

    # -- who sends through what --------------------------------------------------------------------------------------

    def _client(self, receiver: LibraryObject, file: int) -> Ref | _Provided:
        """What tells the client behind an object that is used in `file` from others."""
        maker = self._maker(receiver)
        if maker is not None:
            return maker
        root = root_of(receiver)
        return _Provided(root.origin.type.name, self._project.options.version(root, file).phrase())

    def _maker(self, value: LibraryObject) -> Ref | None:
        """The call that made the client behind a receiver (the client of a pipeline, of a view)."""
        current: LibraryObject | None = value
        while current is not None:
            if current.made in self._objects:
                return current.made
            current = current.parent
        return None

    def _pool_of(self, value: LibraryObject) -> Ref | None:
        pool = self._project.options.pool_of(value)
        if pool is not None and pool.made in self._objects and pool.made != value.made:
            return pool.made
        parent = value.parent
        method = value.origin.method
        while parent is not None and method is not None and not method.own_pool:
            if parent.made in self._objects:
                return parent.made
            parent = parent.parent
        return None

    # -- entries -----------------------------------------------------------------------------------------------------

    def _entry(self, value: LibraryObject, made: Ref, shares: Ref | None, shared_by: list[Ref]) -> ClientEntry:
        runs = self._project.frequency.made_at(*made)
        own = shares is None
        return ClientEntry(
            kind=value.kind,
            name=self._project.callee_name(made),
            type=value.origin.type.name,
            spot=self._settings.spot(made),
            symbol=self._project.symbol(made),
            is_async=value.origin.type.is_async,
            version=_version(self._project.options.version(value, made[0])),
            made=Made(runs.kind, runs.why),
            pool=self._settings.of(value, POOL, made[0]) if own else (),
            timeouts=self._settings.of(value, TIMEOUTS, made[0]),
            retry=self._settings.of(value, RETRY, made[0]),
            shares=self._settings.spot(shares) if shares is not None else None,
            shared_by=tuple(sorted(self._settings.spot(ref) for ref in shared_by)),
            use=self._use(self._sent.get(made, []), self._places.get(made, [])),
        )

    def _of_provided(self, client: _Provided, sites: list[CommandSite]) -> ClientEntry:
        """Clients of one type that come from outside the code: injected by a framework, handed in by a caller."""
        file = sites[0].file
        value = root_of(sites[0].receiver)
        return ClientEntry(
            kind=value.kind,
            name=value.origin.type.name.rsplit(".", 1)[-1],
            type=value.origin.type.name,
            spot=None,
            symbol="",
            is_async=value.origin.type.is_async,
            version=_version(self._project.options.version(value, file)),
            made=Made("unknown", "not made in this code"),
            pool=self._settings.of(value, POOL, file),
            timeouts=self._settings.of(value, TIMEOUTS, file),
            retry=self._settings.of(value, RETRY, file),
            use=self._use(sites, self._places[client]),
        )

    def _of_settings(self, entry: SettingsEntry) -> ClientEntry:
        """A client that a framework makes from a settings mapping."""
        options = self._project.options
        library = options.version_owner(entry.library)
        path = self._project.index(entry.ref).facts.path
        found = {role: options.of_entry(entry, role) for role in (*POOL, *TIMEOUTS, *RETRY)}
        shown = {role: self._settings.worth_showing(role, one) for role, one in found.items() if one is not None}
        pool, timeouts, retry = (
            tuple(setting for role in roles if (setting := shown.get(role)) is not None)
            for roles in (POOL, TIMEOUTS, RETRY)
        )
        return ClientEntry(
            kind="pool",
            name=f"{entry.model.name}[{entry.alias}]",
            type=entry.model.makes or entry.library.library.name,
            spot=self._settings.spot(entry.key),
            symbol="",
            is_async=False,
            version=_version(options.version_at(library, path)),
            made=Made("once", "made by the framework from its settings"),
            pool=pool,
            timeouts=timeouts,
            retry=retry,
        )

    def _use(self, sites: list[CommandSite], places: list[Site]) -> Use:
        commands = Counter(site.command or UNTOLD for site in sites)
        files: dict[str, list[CommandSite]] = defaultdict(list)
        for site in sites:
            files[self._project.index(site.ref).facts.path].append(site)
        users = [
            User(path, len(here), tuple(sorted({self._project.symbol(s.ref) or _MODULE for s in here})[:_SYMBOLS]))
            for path, here in files.items()
        ]
        most_first = dict(sorted(commands.items(), key=lambda item: (-item[1], item[0])))
        users.sort(key=lambda user: (-user.call_sites, user.path))
        return Use(len(sites), most_first, tuple(users), tuple(sorted(set(places), key=Site.sort_key)))


def _has_own(value: LibraryObject) -> bool:
    """Whether an object has connections of its own; a view of a client (``redis.opsForList()``) or one of the
    connections of a pool is part of it.
    """
    return value.origin.method is None or value.origin.method.own_pool


def _sent(project: Project) -> list[CommandSite]:
    """Commands by place and client: alternatives that send through one client are one call site."""
    seen: dict[tuple[Ref, LibraryObject], CommandSite] = {}
    for ref, sites in project.usage.by_place.items():
        for site in sites:
            if site.command or site.raw:
                seen.setdefault((ref, root_of(site.receiver)), site)
    return list(seen.values())


def _version(assumed: AssumedVersion) -> Version:
    return Version(assumed.library, assumed.version, assumed.source, assumed.phrase())
