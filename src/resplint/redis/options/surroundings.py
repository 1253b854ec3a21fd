"""What surrounds the code: the application's settings files and the project's dependencies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from resplint.bind.values import Const
from resplint.contracts.dependencies import Declared
from resplint.contracts.facts import NONE
from resplint.flow.settings_text import as_constant
from resplint.knowledge.records.client_records import ClientLibrary, DriverModel, OptionModel
from resplint.redis.options.arguments import Option
from resplint.redis.options.said import BeanValue, SettingValue


class Surroundings(Protocol):
    """What is asked for from outside the code, and how long it may be asked."""

    def is_over(self) -> bool:
        """Whether the time is up in which values may be followed."""

    def settings(self, path: str, key: str) -> Sequence[SettingValue]:
        """What the settings that hold for a source file say about a key, for each profile."""

    def every_setting(self, path: str) -> Sequence[SettingValue]:
        """All that the settings beside a source file say, those of test environments among them."""

    def property_texts(self, path: str, key: str, named: frozenset[str]) -> Sequence[str]:
        """What files of properties beside a source file say about a key: those of the names in `named`, else any."""

    def beans(self, path: str, suffix: str) -> Sequence[BeanValue]:
        """What files with a suffix beside a source file say about the objects that a framework makes."""

    def depends(self, path: str, distribution: str, ecosystem: str) -> bool:
        """Whether the project of a source file depends on a distribution."""

    def declared(self, path: str, distribution: str, ecosystem: str) -> Declared | None:
        """Where the project of a source file asks for a distribution; None if it does not."""

    def server_version(self, path: str) -> str:
        """Version of the Redis server that code in a file talks to, "" if nobody said it."""

    def mentions(self, path: str, texts: tuple[str, ...]) -> bool:
        """Whether one of the texts stands in a source file, which was perhaps not read."""


class Nothing:
    """Surroundings of code that stands alone."""

    def is_over(self) -> bool:
        """There is all the time in the world."""
        return False

    def settings(self, path: str, key: str) -> Sequence[SettingValue]:
        """No settings."""
        return ()

    def every_setting(self, path: str) -> Sequence[SettingValue]:
        """No settings."""
        return ()

    def property_texts(self, path: str, key: str, named: frozenset[str]) -> Sequence[str]:
        """No files."""
        return ()

    def beans(self, path: str, suffix: str) -> Sequence[BeanValue]:
        """No files."""
        return ()

    def depends(self, path: str, distribution: str, ecosystem: str) -> bool:
        """No dependencies."""
        return False

    def declared(self, path: str, distribution: str, ecosystem: str) -> Declared | None:
        """No dependencies."""
        return None

    def server_version(self, path: str) -> str:
        """Nobody said it."""
        return ""

    def mentions(self, path: str, texts: tuple[str, ...]) -> bool:
        """Files are there to be read."""
        return True


class Application:
    """Options and drivers as the surroundings say."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._around = surroundings

    def option(self, model: OptionModel, path: str) -> Option | None:
        """An option of ambient objects; with several profiles one value for each."""
        for key in model.settings:
            said = [one for one in self._around.settings(path, key) if one.text != ""]
            known = [(one, as_constant(one.text, (0, NONE), True)) for one in said if one.text is not None]
            if said and not known:
                return Option(model, unknown=True)
            if said:
                unit = 0.001 if (model.settings_unit or model.unit) == "ms" else 1.0
                same = (model.settings_unit or model.unit) == model.unit
                values = tuple(value if same else _in_seconds(value, unit) for _, value in known)
                return Option(model, values, True, said=tuple(one for one, _ in known))
        return None

    def said(self, path: str, key: str) -> Sequence[SettingValue]:
        """What settings files say about a key, for each profile."""
        return self._around.settings(path, key)

    def every(self, path: str) -> Sequence[SettingValue]:
        """All that settings files say, those of test environments among them."""
        return self._around.every_setting(path)

    def beans(self, path: str, suffix: str) -> Sequence[BeanValue]:
        """What files say about the objects that a framework makes for a source file's module."""
        return self._around.beans(path, suffix)

    def driver(self, library: ClientLibrary, path: str) -> DriverModel | None:
        """What the ambient objects of a library run on."""
        for key in dict.fromkeys(key for model in library.driver for key in model.settings):
            named = {one.text for one in self._around.settings(path, key) if one.text}
            if named:
                return next((model for model in library.driver if model.name in named), None)
        ecosystem = library.library.ecosystem
        return next(
            (
                model
                for model in library.driver
                if any(self._around.depends(path, one, ecosystem) for one in model.distributions)
            ),
            None,
        )


def _in_seconds(value: Const, unit: float) -> Const:
    if isinstance(value.value, int | float) and value.type not in ("duration", "bool"):
        return Const(value.value * unit, "duration", value.ref)
    return value
