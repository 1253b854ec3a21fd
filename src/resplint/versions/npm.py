"""Manifests of one ecosystem."""

from __future__ import annotations

from resplint.versions.files import ManifestFiles
from resplint.versions.records import Mention


class NpmManifests:
    """Nothing yet."""

    def __init__(self, files: ManifestFiles) -> None:
        self._files = files

    def mentions(self, folder: str, name: str) -> list[Mention]:
        """What holds for source files of a folder."""
        return []
