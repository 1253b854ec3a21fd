"""What texts say that people write where servers and passwords are asked for: whether a host is on the same machine or
a real one elsewhere, and whether a password is one or stands in for one.
"""

from __future__ import annotations

import re
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

_LOCAL = frozenset({"localhost", "127.0.0.1", "::1", "[::1]", "0.0.0.0", "host.docker.internal"})
_TYPED, _KINDS = 8, 3
"""Characters, and kinds of them, that passwords have at least which are meant to protect something."""
_PRIVATE = re.compile(r"10\.|127\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|.*\.(local|localhost|internal|svc|lan)$")
_EXAMPLES = tuple(ip_network(one) for one in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32"))
_PLACEHOLDER = re.compile(
    r"[<{$%\[(].*|.*[>}]|enc\(.*\)|x+|\*+|\.+|-+|(your|my|the|some|change|replace|insert|enter|put|set).*|.*placeholder.*|"
    r".*example.*|.*password.*|.*passwd.*|passw?|.*secret.*|dummy.*|fake.*|mock.*|todo.*|none|null|undefined|token|"
    r"string|true|false|yes|no|on|off|.*[^\x00-\x7f].*",
    re.IGNORECASE,
)
"""Texts that stand where a password belongs without being one, such as ``ENC(…)`` of what is encrypted."""
_WEAK = re.compile(r"foobared|redis|test.*|default|auth|foo|bar|abc", re.IGNORECASE)
"""Texts that are passwords only where somebody names a real server along with them."""


def is_password(text: str, real_server: bool = False) -> bool:
    """Whether a text is a password, and not what stands in for one until somebody puts it there."""
    return bool(text) and not _PLACEHOLDER.fullmatch(text) and (real_server or not _WEAK.fullmatch(text))


def is_hard_to_guess(text: str) -> bool:
    """Whether somebody made a password up who wanted to protect something: several kinds of characters, and not few."""
    kinds = (str.islower, str.isupper, str.isdigit, lambda one: not one.isalnum())
    return len(text) >= _TYPED and sum(any(map(one, text)) for one in kinds) >= _KINDS


def is_local(host: str) -> bool:
    """Whether a host is the machine that the code runs on."""
    return host.lower() in _LOCAL


def is_local_list(text: str) -> bool:
    """Whether all servers of a list are on the same machine: ``localhost:7000,localhost:7001``."""
    return all(one.strip().rpartition(":")[0] in _LOCAL or one.strip() in _LOCAL for one in text.split(","))


def is_local_url(url: str) -> bool:
    """Whether an address leads to the same machine."""
    return host_of(url) in _LOCAL


def is_public(host: str) -> bool:
    """Whether a host is named in full, as `redis` of a Compose file and addresses of private networks are not."""
    return "." in host and host not in _LOCAL and not _PRIVATE.match(host)


def is_real(host: str) -> bool:
    """Whether a host is a certain machine elsewhere: a number, or a name in full; none that documents use."""
    try:
        number = ip_address(host)
    except ValueError:
        return is_public(host) and not host.split(".")[-2].startswith("example") and host.count(".") > 0
    return not number.is_loopback and not number.is_unspecified and not any(number in one for one in _EXAMPLES)


def host_of(url: str) -> str:
    """The host of an address, "" if there is none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def password_of(url: str) -> str:
    """The password of an address, "" if there is none."""
    try:
        return urlsplit(url).password or ""
    except ValueError:
        return ""
