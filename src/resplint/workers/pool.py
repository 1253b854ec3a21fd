"""Work on many items in several processes: none of them can hang the caller, starve the machine, or take others along.

A parser in C cannot be interrupted, so a limit on its time is worth something only if it is kept from outside: a
worker that goes beyond it is killed, its item is given up, and a new worker goes on with the next.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait

import msgspec

from resplint.workers import Cause, Limits, Lost, can_fork
from resplint.workers.processes import ForkedWorker, SpawnedWorker, Work, Worker

CLOCK_FACTOR = 4
"""On the clock an item may take so many times its processor time: the machine may be busy with other things."""

_ATTEMPTS = 2
"""How often an item is tried whose worker died: the system may have killed it for what another one did."""
_START_S = 60.0
"""What a worker may take to get ready; an interpreter of its own loads everything first."""
AHEAD = 512
"""Items that may be begun or done before the oldest one is; the answers wait in memory."""
_BATCH_S = 0.03
"""Work that is handed over at once: long against the time it takes to hand it over, short against the whole."""
_BATCH_ITEMS = 64
_BATCH_BYTES = 1 << 20
_EARLY_BYTES = 48 << 10
"""What fits into the buffer of a connection: it can be sent to a worker that is not listening yet."""


@dataclass
class _Item:
    number: int
    payload: bytes
    attempts: int = 0


@dataclass
class _Hand:
    """A worker and what it was given, in the order in which it answers. `since` is when it began with the first."""

    worker: Worker
    items: deque[_Item] = field(default_factory=deque)
    since: float = 0.0
    ready: bool = False

    def due(self, limits: Limits) -> float:
        """When its next word is overdue."""
        return self.since + (limits.cpu_s * CLOCK_FACTOR if self.ready else _START_S)


def run_all(
    work: Work, payloads: Iterable[bytes], total: int, *, workers: int, limits: Limits, ahead: int = AHEAD
) -> Generator[bytes | Lost, None, None]:
    """What `work` makes of each of the `total` payloads, in their order; they are asked for as they are needed, at most
    `ahead` of them before the oldest one's answer is.

    To leave early, close the iterator: no worker outlives it.
    """
    pool = _Pool(work, iter(payloads), total, workers, limits, ahead)
    try:
        yield from pool.answers()
    finally:
        pool.close()


class _Pool:
    def __init__(
        self, work: Work, payloads: Iterator[bytes], total: int, workers: int, limits: Limits, ahead: int
    ) -> None:
        self._work = work
        self._fresh = enumerate(payloads)
        self._untouched = total
        self._workers = workers
        self._limits = limits
        self._ahead = ahead
        self._again: deque[_Item] = deque()
        self._hands: list[_Hand] = []
        self._done: dict[int, bytes | Lost] = {}
        self._next = 0
        self._total = total
        self._pace_s = _BATCH_S
        """Seconds that one item takes, as the last ones show."""

    def answers(self) -> Iterator[bytes | Lost]:
        while self._next < self._total:
            self._hand_out()
            self._collect()
            while self._next in self._done:
                answer = self._done.pop(self._next)
                self._next += 1
                yield answer

    def close(self) -> None:
        hands, self._hands = self._hands, []
        for hand in hands:
            hand.worker.end()

    # -- giving ----------------------------------------------------------------------------------------------------

    def _hand_out(self) -> None:
        while len(self._hands) < self._workers and len(self._hands) < self._waiting() and self._start():
            pass
        if not self._hands and self._waiting():  # the system has no room for another process
            for item in self._batch(_BATCH_BYTES, at_least_one=True):
                self._done[item.number] = self._work(item.payload)
        for hand in self._hands:
            if not hand.items or (len(hand.items) == 1 and self._pace_s < _BATCH_S):
                self._give(hand, early=bool(hand.items))

    def _waiting(self) -> int:
        return len(self._again) + self._untouched

    def _start(self) -> bool:
        try:
            worker: Worker
            if can_fork():
                worker = ForkedWorker(self._work, self._limits, [hand.worker for hand in self._hands])
            else:
                worker = SpawnedWorker(self._work, self._limits)
        except OSError:
            return False
        self._hands.append(_Hand(worker))
        return True

    def _give(self, hand: _Hand, *, early: bool) -> None:
        batch = self._batch(_EARLY_BYTES) if early else self._batch(_BATCH_BYTES, at_least_one=True)
        if not batch:
            return
        if not hand.items:
            hand.since = time.monotonic()
        hand.items.extend(batch)
        # A worker that is dead by now is found out when its answer is awaited.
        with contextlib.suppress(OSError):
            hand.worker.connection.send_bytes(msgspec.msgpack.encode([item.payload for item in batch]))

    def _batch(self, most_bytes: int, *, at_least_one: bool = False) -> list[_Item]:
        """The next items for one worker: about `_BATCH_S` of work, less towards the end."""
        share = -(-self._waiting() // (2 * self._workers))
        most = min(_BATCH_ITEMS, share, max(1, int(_BATCH_S / self._pace_s)))
        batch: list[_Item] = []
        size = 0
        while len(batch) < most and size < most_bytes:
            item = self._take()
            if item is None:
                break
            size += len(item.payload)
            if size > most_bytes and not (at_least_one and not batch):
                self._again.appendleft(item)
                break
            batch.append(item)
        return batch

    def _take(self) -> _Item | None:
        if self._again:
            return self._again.popleft()
        if not self._untouched or self._total - self._untouched >= self._next + self._ahead:
            return None
        self._untouched -= 1
        return _Item(*next(self._fresh))

    # -- taking ----------------------------------------------------------------------------------------------------

    def _collect(self) -> None:
        """Wait for answers, or for the time when one is overdue."""
        busy = [hand for hand in self._hands if hand.items]
        if not busy:
            return
        due = min(hand.due(self._limits) for hand in busy)
        by_connection = {hand.worker.connection: hand for hand in busy}
        ready = wait(list(by_connection), max(0.0, due - time.monotonic()))
        for connection in ready:
            assert isinstance(connection, Connection)
            self._receive(by_connection[connection])
        now = time.monotonic()
        for hand in busy:
            if hand.worker.connection not in ready and now >= hand.due(self._limits):
                self._lose(hand, "time" if hand.ready else "death")

    def _receive(self, hand: _Hand) -> None:
        try:
            answer = hand.worker.connection.recv_bytes()
        except (EOFError, OSError):
            self._lose(hand)
            return
        now = time.monotonic()
        if not hand.ready:
            hand.ready, hand.since = True, now
            return
        self._pace_s = max(0.8 * self._pace_s + 0.2 * (now - hand.since), 1e-5)
        hand.since = now
        self._done[hand.items.popleft().number] = answer

    def _lose(self, hand: _Hand, cause: Cause | None = None) -> None:
        """Give up a worker. The item it died of is not tried again if it would die of the same."""
        self._hands.remove(hand)
        died_of = hand.worker.end()
        cause = cause or died_of
        if not hand.items:
            return
        culprit = hand.items.popleft()
        culprit.attempts += 1
        if cause == "death" and culprit.attempts < _ATTEMPTS:
            self._again.append(culprit)
        else:
            self._done[culprit.number] = Lost(cause)
        self._again.extend(hand.items)
