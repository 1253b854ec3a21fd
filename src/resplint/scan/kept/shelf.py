"""Facts of the files of a scan: at hand, or packed where nobody is likely to ask for them again.

Most files that are analysed because they import others turn out to have nothing to do with Redis. Their facts take five
times as much memory as their packed form, which is the one that is kept between runs and sent between processes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from resplint.contracts.facts import FileFacts


class Shelf(Mapping[str, "FileFacts"]):
    """Facts by path, as in a dictionary. What was packed and is asked for is at hand from then on."""

    def __init__(self) -> None:
        self._at_hand: dict[str, FileFacts] = {}
        self._packed: dict[str, bytes] = {}

    def __getitem__(self, path: str) -> FileFacts:
        found = self._at_hand.get(path)
        if found is None:
            found = self._at_hand[path] = _decoder().decode(self._packed[path])
            del self._packed[path]
        return found

    def __setitem__(self, path: str, facts: FileFacts) -> None:
        self._packed.pop(path, None)
        self._at_hand[path] = facts

    def __contains__(self, path: object) -> bool:
        return path in self._at_hand or path in self._packed

    def __iter__(self) -> Iterator[str]:
        yield from self._at_hand
        yield from self._packed

    def __len__(self) -> int:
        return len(self._at_hand) + len(self._packed)

    def pack(self, paths: Iterable[str]) -> None:
        """Put the facts of some files away."""
        for path in paths:
            facts = self._at_hand.get(path)
            if facts is None:
                continue
            try:
                self._packed[path] = msgspec.msgpack.encode(facts)
            except ValueError:  # names that are no Unicode cannot be written
                continue
            del self._at_hand[path]

    def drop(self, path: str) -> None:
        """Forget the facts of a file, if there are any."""
        self._at_hand.pop(path, None)
        self._packed.pop(path, None)

    def shown(self, path: str) -> FileFacts:
        """Facts for a short look: what is packed stays so."""
        packed = self._packed.get(path)
        return self._at_hand[path] if packed is None else _decoder().decode(packed)


@cache
def _decoder() -> msgspec.msgpack.Decoder[FileFacts]:
    from resplint.contracts.facts import FileFacts  # noqa: PLC0415 - a scan that remembers has none

    return msgspec.msgpack.Decoder(FileFacts)
