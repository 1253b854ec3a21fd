"""Paths as URIs relative to the root of the scan."""

from __future__ import annotations

from urllib.parse import quote


def path_uri(path: str) -> str:
    """The percent-encoded relative URI of a `path` with forward slashes.

    Everything but ASCII letters, digits, ``-._~`` and the slash is encoded, as UTF-8 or, for names that are
    not UTF-8, as their own bytes: unquoting gives back exactly the bytes of the name.
    """
    return quote(path.encode("utf-8", "surrogateescape"), safe="/")
