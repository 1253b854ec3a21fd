"""Who imports whom, as it is kept from one run to the next and asked within one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

import msgspec

from resplint.files.module_aliases import Aliases


class Answers(msgspec.Struct, frozen=True):
    """What an earlier run found: the importers of each file that was `asked` about, as imports were understood with
    these `aliases`. `changed` are the files whose content is another one by now.
    """

    aliases: Aliases
    asked: Mapping[str, Collection[str]]
    changed: frozenset[str]


class ImporterTable(Protocol):
    """The importers of files. `asked` holds every answer that was given."""

    @property
    def asked(self) -> Mapping[str, Collection[str]]: ...
    def of(self, paths: Collection[str]) -> set[str]:
        """Files that may import one of the files at `paths`."""
