"""The limits of code scanning, and a tally of what was left out to keep them.

GitHub rejects a file that breaks its limits as a whole, and shows less than it takes. What is beyond is left out here,
the least important first, and the file says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from resplint.contracts.findings import LocatedStep, Notification, NotificationKind
from resplint.output.escape import escape
from resplint.output.words import count

MAX_RESULTS = 5000
"""GitHub takes 25,000 results of a run and shows this many."""
MAX_NOTIFICATIONS = 5000
MAX_TAGS = 10
"""Tags of a rule: it takes 20 and shows this many."""
MAX_STEPS = 100
"""Steps of a trail: it takes 10,000 and shows 1,000; a reader walks fewer."""
MAX_MESSAGE = 1000
"""Characters of a message."""
MAX_DESCRIPTION = 1024
"""Characters of a rule's description."""
MAX_SNIPPET = 1000
MAX_FIX = 20_000
"""Characters that a fix may bring."""
MAX_COMPRESSED = 9_500_000
"""Bytes of the file after gzip: it takes 10 MB."""
MAX_BYTES = 100_000_000
"""Bytes of the file as it is, for the sake of those who have to read it."""

_ELLIPSIS = "..."


def clip(text: str, limit: int) -> str:
    """`text`, or as much of it as fits into `limit` characters together with an ellipsis."""
    return text if len(text) <= limit else text[: limit - len(_ELLIPSIS)].rstrip() + _ELLIPSIS


class Cuts:
    """Cuts what is too long and counts how often it did."""

    def __init__(self) -> None:
        self._texts = self._trails = self._tags = self.fixes = 0

    def sentence(self, text: str, limit: int = MAX_MESSAGE) -> str:
        """`text` as one safe line of at most `limit` characters that ends with a period; never empty."""
        safe = escape(text.strip())
        if len(safe) > limit - (not safe.endswith(".")):
            self._texts += 1
            safe = clip(safe, limit - 1)
        return safe if safe.endswith(".") else f"{safe}."

    def text(self, text: str, limit: int = MAX_MESSAGE) -> str:
        """`text` as one safe line of at most `limit` characters."""
        safe = escape(text)
        self._texts += len(safe) > limit
        return clip(safe, limit)

    def trail(self, trail: Sequence[LocatedStep]) -> Sequence[LocatedStep]:
        """The steps that are kept: where it began and where it ended say more than the middle."""
        if len(trail) <= MAX_STEPS:
            return trail
        self._trails += 1
        return (*trail[: MAX_STEPS - 1], trail[-1])

    def tags(self, tags: Sequence[str]) -> list[str]:
        """The tags that are shown."""
        self._tags += max(0, len(tags) - MAX_TAGS)
        return [self.text(tag) for tag in tags[:MAX_TAGS]]

    def notifications(self) -> list[Notification]:
        """One for each kind of thing that was cut."""
        said = (
            (self._texts, f"{count(self._texts, 'text')} {_was(self._texts)} longer than code scanning shows "
             f"{'it' if self._texts == 1 else 'them'} and lost the end."),
            (self._trails, f"{count(self._trails, 'trail')} had more than {MAX_STEPS} steps and lost the middle."),
            (self._tags, f"{count(self._tags, 'tag')} {_was(self._tags)} left out: a rule may have {MAX_TAGS}."),
            (self.fixes, f"{count(self.fixes, 'fix', 'fixes')} {_was(self.fixes)} left out: too large, or not valid "
             "Unicode."),
        )  # fmt: skip
        return [limit(message) for number, message in said if number]


def limit(message: str) -> Notification:
    """A notification of something that was left out."""
    return Notification(NotificationKind.LIMIT, message)


def _was(number: int) -> str:
    return "was" if number == 1 else "were"
