"""The JVM: Maven and Gradle, which may stand side by side."""

from __future__ import annotations

from resplint.versions.files import ManifestFiles
from resplint.versions.gradle import GradleManifests
from resplint.versions.maven import MavenManifests
from resplint.versions.records import Mention


class JvmManifests:
    """What the manifests of each folder say about distributions of Maven's repositories."""

    def __init__(self, files: ManifestFiles) -> None:
        self._maven = MavenManifests(files)
        self._gradle = GradleManifests(files)

    def mentions(self, folder: str, name: str) -> list[Mention]:
        """What the files of this folder say about a distribution (`group:artifact`)."""
        found = [*self._maven.mentions(folder, name), *self._gradle.mentions(folder, name)]
        # Both only tell what is managed where nothing needs it: that does not bound what the other one needs.
        return [each for each in found if each.requirement.group != "constraint"] or found
