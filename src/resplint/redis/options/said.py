"""What an application's settings say, as a reader of them hands it over."""

from __future__ import annotations

from typing import Protocol

from resplint.contracts.findings import Place


class SettingValue(Protocol):
    """What one settings file says about one key."""

    @property
    def key(self) -> str: ...
    @property
    def text(self) -> str | None: ...
    @property
    def line(self) -> int: ...
    @property
    def place(self) -> Place: ...
    @property
    def profile(self) -> str: ...
    @property
    def refers(self) -> bool: ...


class BeanValue(SettingValue, Protocol):
    """What a file that describes objects sets one property of one of them to."""

    @property
    def class_name(self) -> str: ...
    @property
    def users(self) -> tuple[str, ...]: ...
    @property
    def origin(self) -> SettingValue | None: ...
