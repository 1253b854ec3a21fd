"""Bounds on what is looked at, and which of them a scan met. Each has its line in docs/limits.md."""

from __future__ import annotations

from dataclasses import dataclass

from resplint.bind.files import Store
from resplint.bind.values import MAX_VALUES, Ref

MAX_CONSTANTS = 64
MAX_ROUTES = 500_000
MAX_OBJECTS = 16
MAX_CROWDED = 100_000
MAX_ASKED = 20_000
MAX_CHAIN = 20
MAX_PARTS = 400
MAX_COMBINATIONS = 64
MAX_OPERATORS = 64


@dataclass(frozen=True, slots=True)
class Limit:
    """A bound: what was met, in words with its number, and what can be done about it."""

    said: str
    remedy: str


CLIENTS = Limit(
    f"Some expressions may stand for {MAX_VALUES} clients or more, and no more were looked at",
    "let functions be called with fewer different clients, or exclude tests and examples",
)
CONSTANTS = Limit(
    f"Some expressions may be more than {MAX_CONSTANTS} constants, and no more were looked at",
    "check by hand what is passed there",
)
ROUTES = Limit(
    f"Clients come to places where there are others already more than {MAX_ROUTES:,} times, and were not followed to "
    "further ones",
    "scan parts of the project one by one, or exclude generated code",
)
OBJECTS = Limit(
    f"More than {MAX_CROWDED:,} times an object or function without a client came to a place that had {MAX_OBJECTS} of "
    "them, and no more were looked at",
    "scan parts of the project one by one, or exclude generated code",
)
ASKED = Limit(
    f"Some values may come from more than {MAX_ASKED:,} expressions, and no more were looked at",
    "check by hand what is passed there",
)
CHAIN = Limit(
    f"Some objects come of more than {MAX_CHAIN} others, each made from the one before, and those in between were left "
    "out",
    "give intermediate results names of their own",
)
PARTS = Limit(
    f"Some texts are put together from more than {MAX_PARTS} parts, and no more were looked at",
    "move them to a file, or split them",
)
COMBINATIONS = Limit(
    f"Some expressions combine constants in more than {MAX_COMBINATIONS} ways, or by more than {MAX_OPERATORS} "
    "operators in a row, and were not computed",
    "check by hand what is computed there",
)


class Limits:
    """Which limits were met, and where first."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._met: dict[Limit, int | None] = {}
        self.uncombined: set[Ref] = set()
        """Expressions that would be constants, if there were not so many combinations."""

    def met(self, limit: Limit, file: int | None = None) -> None:
        """Something in a file was cut."""
        before = self._met.get(limit, file)
        self._met[limit] = file if before is None or (file is not None and file < before) else before

    @property
    def sentences(self) -> list[str]:
        """What was cut, and what can be done, sorted."""
        return sorted(self._sentence(limit, file) for limit, file in self._met.items())

    def _sentence(self, limit: Limit, file: int | None) -> str:
        place = f" (first in {self._store.files[file].facts.path})" if file in self._store.files else ""
        return f"{limit.said}{place}; findings that depend on them may be missing: {limit.remedy}."
