"""Options of objects that a framework provides: what the project makes for them, else the application's settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from resplint.bind.values import LibraryObject
from resplint.flow.graph import Graph
from resplint.knowledge.ranges import version_in
from resplint.knowledge.records.client_records import DriverModel, OptionModel
from resplint.redis.options.arguments import Option
from resplint.redis.options.surroundings import Application, Nothing
from resplint.redis.options.timeouts import limit
from resplint.redis.provided import Provided, module_of

_TIMEOUTS = ("read_timeout", "connect_timeout", "blocking_timeout", "blocking_limit")

Find = Callable[[LibraryObject, str], Option | None]


class Ambient:
    """Answers for objects of which only the declared type is known."""

    def __init__(self, evaluator: Graph, provided: Provided) -> None:
        self._ev = evaluator
        self._provided = provided
        self.application = Application(Nothing())
        """The application's settings and dependencies; set by the project."""
        self.made: Callable[[], list[LibraryObject]] = list
        """What the project makes; set by it."""
        self._asking: set[tuple[LibraryObject, str]] = set()

    def option(self, value: LibraryObject, role: str, file: int, find: Find) -> Option | None:
        """An option of such an object as it is used in `file`."""
        key = (value, role)
        if key in self._asking:  # what stands in is made with such an object itself
            return None
        self._asking.add(key)
        try:
            found = [find(one, role) for one in self.stand_ins(value, file)]
        finally:
            self._asking.discard(key)
        if any(option is not None for option in found):
            return lenient(found, role)
        return self.of_application(value, role, file)

    def of_application(self, value: LibraryObject, role: str, file: int) -> Option | None:
        """An option as the application's settings say, whatever stands in for the object."""
        for model in self._models(value, role, file):
            if (option := self.application.option(model, self._path(file))) is not None:
                return option
        return next((Option(model) for model in self._models(value, role, file)), None)

    def stand_ins(self, value: LibraryObject, file: int) -> list[LibraryObject]:
        """What the project makes that such an object may be, or be made with: beans of its type, else connection
        factories of its module.
        """
        if provided := self._provided.of(value, "", file):
            return provided
        if not value.origin.type.ambient:
            return []
        factories = [
            one
            for one in self.made()
            if one.origin.library is value.origin.library
            and one.origin.constructor is not None
            and one.origin.type.ambient
            and (one.kind == "pool" or self._provided.fits(one, value))
            and (value.kind != "pool" or self._provided.fits(one, value))
        ]
        near = [one for one in factories if one.made and self._module(one.made[0]) == self._module(file)]
        return near or factories

    def driver(self, value: LibraryObject, file: int) -> DriverModel | None:
        """What an object that nothing stands in for runs on."""
        return self.application.driver(value.origin.library, self._path(file))

    def lends_shared(self, value: LibraryObject, file: int) -> bool:
        """Whether connections that a pool lends share one, as what stands in for it says, else as what it runs on."""
        stand_ins = self.stand_ins(value, file) if value.made is None else []
        driver = self.driver(value, file) if value.made is None and not stand_ins else None
        if driver is not None and not driver.lends_shared:
            return False
        version = self._ev.version(value, file).version
        ranges = [one.origin.type.lends_shared for one in stand_ins or [value]]
        return all(one and (driver is not None or version_in(version, one)) for one in ranges)

    def cut_by_driver(
        self, value: LibraryObject, file: int, cut: Callable[[LibraryObject, int], bool | None]
    ) -> bool | None:
        """Whether a read timeout also cuts blocking commands over such an object: as `cut` says of what stands in for
        it, else as what it runs on does.
        """
        key = (value, "")
        if key in self._asking:
            return None
        self._asking.add(key)
        try:
            known = [cut(one, file) for one in self.stand_ins(value, file)]
        finally:
            self._asking.discard(key)
        if known:
            return next((one for one in known if one is not None), None)
        driver = self.driver(value, file)
        return driver.blocking_uses_read_timeout if driver is not None else None

    def _models(self, value: LibraryObject, role: str, file: int) -> list[OptionModel]:
        """The options with a role that hold for such an object; where nothing tells the version, those of other
        versions follow, as their keys tell it when they are used.
        """
        origin = value.origin
        if not origin.type.ambient_options:
            return []
        driver = self.driver(value, file)
        name = driver.ambient_options if driver is not None and driver.ambient_options else origin.type.ambient_options
        version = self._ev.version(value, file)
        options = [one for one in origin.library.option_set.get(name, ()) if one.role == role]
        fitting = [one for one in options if version_in(version.version, one.versions)]
        return fitting + [one for one in options if version.source == "none" and one not in fitting]

    def _path(self, file: int) -> str:
        return self._ev.store.files[file].facts.path

    def _module(self, file: int) -> str:
        return module_of(self._path(file))


def shortest(options: Iterable[Option], role: str) -> Option | None:
    """Of several options that share a role, the one that counts: one that is given, of timeouts the shortest."""
    found = list(options)
    given = [option for option in found if option.given]
    if len(given) > 1 and role in _TIMEOUTS:
        return min(given, key=lambda option: limit(option) or float("inf"))
    unknown = [option for option in found if option.unknown]
    standing = [option for option in found if option.default not in ("none", 0)]
    return next(iter([*given, *unknown, *standing, *found]), None)


def lenient(options: Iterable[Option | None], role: str) -> Option | None:
    """Of options of objects of which any may be meant, the one with which least is wrong."""
    found = [option for option in options if option is not None]
    if not found or any(option.unknown for option in found):
        return Option(found[0].model, unknown=True) if found else None
    if role in _TIMEOUTS:
        return max(found, key=lambda option: limit(option) or float("inf"))
    return found[0] if len({option.values for option in found}) == 1 else Option(found[0].model, unknown=True)
