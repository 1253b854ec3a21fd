"""What lists of patterns said of paths: looked up where the same patterns have been asked before."""

from __future__ import annotations

from collections.abc import Mapping

MatchCache = tuple[tuple[str, ...], tuple[str, ...]]
"""Paths that were left out, and paths that were not; those of folders end with a slash."""


class IgnoreDecisionCache:
    """IgnoreDecisionCache by what stands for the patterns (16 bytes for each list of them), and path."""

    def __init__(self, said: Mapping[bytes, MatchCache]) -> None:
        self._of = {
            patterns: {**dict.fromkeys(left_out, True), **dict.fromkeys(taken, False)}
            for patterns, (left_out, taken) in said.items()
        }
        self._before = {patterns: len(known) for patterns, known in self._of.items()}
        self._asked: set[bytes] = set()

    def of(self, patterns: bytes) -> dict[str, bool]:
        """The verdicts of some patterns, to look up and to add to."""
        self._asked.add(patterns)
        return self._of.setdefault(patterns, {})

    @property
    def added(self) -> int:
        """How many are new."""
        return sum(len(known) - self._before.get(patterns, 0) for patterns, known in self._of.items())

    def said(self, limit: int) -> dict[bytes, MatchCache]:
        """The verdicts of the patterns that were asked; none if they are more than `limit`, so that all begins anew."""
        asked = {patterns: known for patterns, known in self._of.items() if patterns in self._asked}
        if sum(map(len, asked.values())) > limit:
            return {}
        return {
            patterns: (
                tuple(path for path, left_out in known.items() if left_out),
                tuple(path for path, left_out in known.items() if not left_out),
            )
            for patterns, known in asked.items()
        }
