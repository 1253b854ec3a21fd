"""Finding the findings of one time again at another.

Code moves: lines are inserted, functions go elsewhere, files and folders get other names. So findings are compared in
rounds, the surest first, and whoever has found a partner takes no further part: each finding has one partner at most.

Within a file, equal code of the same rule is enough. In another file it must be certain that the code did not merely
appear there a second time: its old file must be gone, or the definition that it was in must no longer be there.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Hashable, Iterable, Sequence

import msgspec

from resplint.contracts.findings import Result
from resplint.results.fingerprints import CODE_KEY, GITHUB_KEY

_MAX_PARTS = 8
"""So many parts at the end of two paths are compared to find the file that one was renamed to."""


class Trace(msgspec.Struct, frozen=True, order=True, gc=False):
    """What is known of a finding at either time.

    `path` is relative to the root of the scan. `code` is the fingerprint ``resplint/code/v1``; `nth` counts from 1 the
    findings of a file that agree in rule, symbol and code; `context` stands for the lines that follow, "" if unknown.
    """

    path: str
    rule: str
    symbol: str
    code: str
    nth: int = 1
    context: str = ""


class Moved(enum.Enum):
    """Whether code can have gone from a place to another file."""

    GONE = "gone"
    """The file is no longer there."""
    LEFT = "left"
    """The file is there, the definition is not in it any more."""
    STANDING = "standing"
    """The definition is still there, or nobody knows: the same code elsewhere is a copy."""


def traces(results: Iterable[Result], *, with_context: bool = False) -> list[Trace]:
    """The traces of all results of a scan, in their order."""
    counts: dict[tuple[str, str, str, str], int] = {}
    found = []
    for result in results:
        key = (result.path, result.rule, result.symbol, result.fingerprints[CODE_KEY])
        counts[key] = counts.get(key, 0) + 1
        context = result.fingerprints.get(GITHUB_KEY, "").partition(":")[0] if with_context else ""
        found.append(Trace(*key, counts[key], context))
    return found


def match(old: Sequence[Trace], new: Sequence[Trace], moved: Callable[[Trace], Moved]) -> dict[int, int]:
    """For each index in `new` that has a partner, the partner's index in `old`.

    `moved` tells about a trace of `old`; it is asked only about those whose code is found in other files. The result
    does not depend on the order of `old`.
    """
    matching = _Matching(old, new)
    matching.pair(sorted(range(len(old)), key=old.__getitem__), range(len(new)), [lambda trace: trace])
    matching.pair(*matching.alike(lambda t: (t.path, t.rule, t.code)), _SAME_FILE)
    mine, theirs = matching.alike(lambda t: (t.rule, t.code))
    whither = {index: moved(old[index]) for index in mine}
    free = [i for i in mine if whither[i] is Moved.GONE or (whither[i] is Moved.LEFT and old[i].symbol)]
    depth = min(_MAX_PARTS, max((new[index].path.count("/") for index in theirs), default=0) + 1)
    matching.pair(free, theirs, [*(_ending(parts) for parts in range(depth, 0, -1)), *_OTHER_FILE])
    return matching.pairs


_Key = Callable[[Trace], Hashable]
"""What two traces must have in common in a round; None takes no part."""


class _Matching:
    """Those without partners, as indices in their order, and the pairs found so far."""

    def __init__(self, old: Sequence[Trace], new: Sequence[Trace]) -> None:
        self._old = old
        self._new = new
        self.pairs: dict[int, int] = {}

    def pair(self, old: Sequence[int], new: Sequence[int], keys: Iterable[_Key]) -> None:
        """Rounds, one for each key: of those that agree in it the first goes with the first."""
        for key_of in keys:
            if not old or not new:
                break
            waiting: dict[Hashable, list[int]] = {}
            for index in reversed(old):
                key = key_of(self._old[index])
                if key is not None:
                    waiting.setdefault(key, []).append(index)
            taken = set()
            for index in new:
                candidates = waiting.get(key_of(self._new[index]))
                if candidates:
                    self.pairs[index] = candidates.pop()
                    taken.add(self.pairs[index])
            old = [index for index in old if index not in taken]
            new = [index for index in new if index not in self.pairs]

    def alike(self, key_of: _Key) -> tuple[list[int], list[int]]:
        """Those without partners for which there is somebody with the same key on the other side."""
        taken = set(self.pairs.values())
        old = {index: key_of(trace) for index, trace in enumerate(self._old) if index not in taken}
        new = {index: key_of(trace) for index, trace in enumerate(self._new) if index not in self.pairs}
        both = set(old.values()) & set(new.values())
        mine = sorted((index for index, key in old.items() if key in both), key=self._old.__getitem__)
        return mine, [index for index, key in new.items() if key in both]


def _last(symbol: str) -> str:
    return symbol.rpartition(".")[2]


def _ending(parts: int) -> _Key:
    """The same definition in a file whose path ends alike: most of all when a folder was renamed."""

    def key(trace: Trace) -> Hashable:
        split = trace.path.rsplit("/", parts)
        return (trace.rule, trace.symbol, trace.code, *split[-parts:]) if len(split) >= parts else None

    return key


_SAME_FILE: tuple[_Key, ...] = (
    # Of equal calls in one function the one with the same surroundings, where these are known.
    lambda t: (t.path, t.rule, t.symbol, t.code, t.context) if t.context else None,
    lambda t: (t.path, t.rule, t.symbol, t.code, t.nth),
    lambda t: (t.path, t.rule, t.symbol, t.code),
    # The class around it was renamed, the function, or the code went to another one.
    lambda t: (t.path, t.rule, _last(t.symbol), t.code),
    lambda t: (t.path, t.rule, t.code),
)
_OTHER_FILE: tuple[_Key, ...] = (
    lambda t: (t.rule, t.symbol, t.code, t.path.rpartition("/")[0]),
    lambda t: (t.rule, t.symbol, t.code),
    # In many languages a class goes by the name of its file.
    lambda t: (t.rule, _last(t.symbol), t.code) if t.symbol else None,
)
