"""Which version of a library a source file runs with, as the project's manifests and lock files say.

Nothing is installed, run or fetched: the files are read as text, and only when somebody asks.
"""

from __future__ import annotations

from resplint.versions.deciding import VersionFact
from resplint.versions.index import VersionIndex

__all__ = ["VersionFact", "VersionIndex"]
