"""Which version of a library to assume where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from resplint.knowledge.records.client_records import ClientLibrary


@dataclass(frozen=True, slots=True)
class AssumedVersion:
    """The version of a library that defaults are looked up for, and why.

    `source` is lock, manifest, config or none; `spec` is what the project wrote, `where` the file that says so.
    """

    library: str
    version: str
    source: str
    spec: str = ""
    where: str = ""
    exact: bool = False
    managed_by: str = ""
    """The platform that decided the version, if the project did not."""
    allowed: tuple[str, ...] = ()
    """The known versions that the project leaves open, oldest first."""
    by_usage: bool = False
    """The newest one allowed lacks what the code calls, so that an older one is in use."""

    @property
    def is_named(self) -> bool:
        """Whether the project says something of the version, rather than nothing at all."""
        return self.source in ("lock", "config") or (self.source == "manifest" and bool(self.spec or self.managed_by))

    def narrowed(self, fits: Callable[[str], bool]) -> AssumedVersion:
        """This version if what the code calls is there, else the newest one allowed in which it is, if there is any."""
        if self.exact or self.source in ("lock", "config") or fits(self.version):
            return self
        fitting = next((version for version in reversed(self.allowed) if fits(version)), "")
        return replace(self, version=fitting, by_usage=True) if fitting else self

    def phrase(self) -> str:
        """The version as a message says it."""
        title = f"{self.library} {self.version}"
        if self.source == "lock":
            return f"{title} (locked in {self.where})"
        if self.source == "config":
            return f"{title} (set in the configuration of resplint)"
        if self.source == "manifest" and self.managed_by:
            return f"{title} (which {self.managed_by} in {self.where} brings)"
        if self.source == "manifest" and self.spec and not self.exact and not self.spec.startswith("=="):
            kind = "release that the code fits, of those" if self.by_usage else "known release"
            return f"{title}, the newest {kind} that `{self.spec}` in {self.where} allows"
        if self.source == "manifest" and not self.spec:
            return f"{title}, the newest known, as {self.where} names no version"
        if self.source == "manifest":
            return f"{title} (pinned in {self.where})"
        if self.by_usage:
            return f"{title}, the newest release that the code fits, as no manifest names a version"
        return f"{title}, the newest known, as no manifest names a version"


Versions = Callable[[ClientLibrary, str], AssumedVersion]
"""(library, path of the file) -> the version to assume there."""
