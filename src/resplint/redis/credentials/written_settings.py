"""Passwords of Redis that settings files hold under a key that says so, whoever reads them: XML beans, code of the
project's own, fields that a framework fills in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from resplint.redis.credentials.credentials import host_of, is_local, is_password, is_real
from resplint.redis.options.said import SettingValue

_PASSWORD = re.compile(
    r"(?P<of>.*(?:redis|jedis|redisson|lettuce|valkey).*?)[.\-_]?(?:password|passwd|pwd)", re.IGNORECASE
)
_ADDRESS = re.compile(
    r"[.\-_]?(?:[\w\-]+\.)*(?:host|host-?_?name|ip|server|addr|address|addresses|nodes|url|uri)(?:\[\d+\])?",
    re.IGNORECASE,
)


def written_passwords(settings: Sequence[SettingValue]) -> Iterator[SettingValue]:
    """The settings that are passwords of Redis servers elsewhere, by their key and the address beside it."""
    for one in settings:
        match = _PASSWORD.fullmatch(one.key)
        if match is None or one.refers or not one.text:
            continue
        hosts = _hosts(match["of"], one, settings)
        real = any(is_real(host) for host in hosts)
        if hosts and not any(is_local(host) for host in hosts) and is_password(one.text, real):
            yield one


def is_beside_local(password: SettingValue, settings: Sequence[SettingValue]) -> bool:
    """Whether settings name the own machine as the server of a password."""
    match = _PASSWORD.fullmatch(password.key)
    hosts = _hosts(match["of"], password, settings) if match is not None else []
    return bool(hosts) and all(is_local(host) for host in hosts)


def _hosts(prefix: str, password: SettingValue, settings: Sequence[SettingValue]) -> list[str]:
    """The hosts that settings name under the same prefix, for the same profile or, where it names none, for all."""
    beside = [
        one
        for one in settings
        if one.text and one.key.startswith(prefix) and _ADDRESS.fullmatch(one.key.removeprefix(prefix))
    ]
    near = [one for one in beside if one.profile == password.profile] or [one for one in beside if not one.profile]
    return [host for one in near for text in (one.text or "").split(",") if (host := _host(text.strip()))]


def _host(text: str) -> str:
    """The host of an address, of `host:port`, or of a bare name."""
    if "://" in text:
        return host_of(text)
    host, _, port = text.rpartition(":")
    return host if port.isdigit() and host else text
