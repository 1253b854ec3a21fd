"""Versions as most tests want them: without the list of those that the project would allow besides."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from resplint import versions
from resplint.versions import VersionFact


class VersionIndex(versions.VersionIndex):
    """Leaves out what else is allowed: a list as long as that of the known releases."""

    def lookup(
        self, path: str, distribution: str, known: Sequence[str] = (), *, ecosystem: str = "pypi"
    ) -> VersionFact:
        return msgspec.structs.replace(super().lookup(path, distribution, known, ecosystem=ecosystem), allowed=())
