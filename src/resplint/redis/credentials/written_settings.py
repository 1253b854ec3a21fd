"""Passwords of Redis that settings files hold under a key that says so, whoever reads them: XML beans, code of the
project's own, fields that a framework fills in.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from resplint.contracts.findings import Place
from resplint.redis.credentials.credentials import host_of, is_local, is_password, is_real
from resplint.redis.options.said import BeanValue, SettingValue

_NAMES = "redis|jedis|redisson|lettuce|valkey"
_PASSWORD = re.compile(rf"(?P<of>.*(?:{_NAMES}).*?)[.\-_]?(?:password|passwd|pwd|pass|auth)", re.IGNORECASE)
_NAMED = re.compile(_NAMES, re.IGNORECASE)
_ADDRESS = re.compile(
    r"[.\-_]?(?:[\w\-]+\.)*(?:host|host-?_?name|ip|server|addr|address|addresses|nodes|url|uri)(?:\[\d+\])?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Keyed:
    """A setting under a key that says what it is for, as its file or class does."""

    key: str
    said: SettingValue

    @property
    def text(self) -> str:
        return (self.said.text or "").strip()

    @property
    def place(self) -> Place:
        return self.said.place


def written_passwords(settings: Sequence[SettingValue]) -> Iterator[SettingValue]:
    """The settings that are passwords of Redis servers elsewhere, by their key, or the name of their file, and the
    address beside it.
    """
    keyed = [_keyed(one) for one in settings]
    yield from (one.said for one in keyed if not one.said.refers and _is_elsewhere(one, keyed))


def passwords_of_beans(beans: Sequence[BeanValue]) -> Iterator[SettingValue]:
    """The properties of clients that XML describes which are passwords of servers elsewhere, or the settings that they
    are filled from.
    """
    keyed = [_Keyed(f"{one.class_name}.{one.key}", one) for one in beans]
    for one, bean in zip(keyed, beans, strict=True):
        if (bean.origin is not None or not bean.refers) and _is_elsewhere(one, keyed):
            yield bean.origin or bean


def is_beside_local(password: SettingValue, settings: Sequence[SettingValue]) -> bool:
    """Whether settings name the own machine as the server of a password."""
    one = _keyed(password)
    match = _PASSWORD.fullmatch(one.key)
    hosts = _hosts(match["of"], one, [_keyed(each) for each in settings]) if match is not None else []
    return bool(hosts) and all(is_local(host) for host in hosts)


def _keyed(one: SettingValue) -> _Keyed:
    file = posixpath.basename(one.place.path).rpartition(".")[0]
    of_file = _NAMED.search(file) is not None and "." not in one.key
    return _Keyed(f"redis.{one.key}" if of_file else one.key, one)


def _is_elsewhere(one: _Keyed, settings: Sequence[_Keyed]) -> bool:
    match = _PASSWORD.fullmatch(one.key)
    hosts = _hosts(match["of"], one, settings) if match is not None and one.text else []
    real = any(is_real(host) for host in hosts)
    return bool(hosts) and not any(is_local(host) for host in hosts) and is_password(one.text, real)


def _hosts(prefix: str, password: _Keyed, settings: Sequence[_Keyed]) -> list[str]:
    """The hosts that settings name under the same prefix, in the same file if it does, for the same profile or, where
    it names none, for all.
    """
    beside = [
        one
        for one in settings
        if one.text and one.key.startswith(prefix) and _ADDRESS.fullmatch(one.key.removeprefix(prefix))
    ]
    beside = [one for one in beside if one.place.path == password.place.path] or beside
    profile = password.said.profile
    near = [one for one in beside if one.said.profile == profile] or [one for one in beside if not one.said.profile]
    return [host for one in near for text in one.text.split(",") if (host := _host(text.strip()))]


def _host(text: str) -> str:
    """The host of an address, of `host:port`, or of a bare name."""
    if "://" in text:
        return host_of(text)
    host, _, port = text.rpartition(":")
    return host if port.isdigit() and host else text
