"""Which version of a library to assume where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from resplint.knowledge.records import ClientLibrary


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
            return f"{title}, the oldest known release that `{self.spec}` in {self.where} allows"
        if self.source == "manifest" and not self.spec:
            return f"{title}, the newest known, as {self.where} names no version"
        if self.source == "manifest":
            return f"{title} (pinned in {self.where})"
        return f"{title}, the newest known, as no manifest names a version"


Versions = Callable[[ClientLibrary, str], AssumedVersion]
"""(library, path of the file) -> the version to assume there."""
