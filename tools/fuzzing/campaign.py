"""Many inputs, in batches, by processes that may die or hang."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path

from fuzzing.mutations import mutated
from fuzzing.trial import SECONDS, SUFFIXES, Failure, corpus, examine

BATCH = 20
"""Inputs that are scanned together: a scan of one file spends most of its time on setting out."""
_GRACE_S = 60.0
_context = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Input:
    """One input of a campaign; the same three numbers always mean the same bytes."""

    language: str
    seed: int
    number: int

    @property
    def name(self) -> str:
        return f"input_{self.number:06d}{SUFFIXES[self.language]}"

    def data(self, texts: Sequence[bytes]) -> bytes:
        return mutated(self.seed, self.language, self.number, texts)


@dataclass(frozen=True)
class Found:
    """An input on which something was wrong; `data` is a shorter one with the same fault, if there is any."""

    input: Input
    what: str
    data: bytes


def examine_all(inputs: Sequence[Input]) -> list[Found]:
    """Examine inputs of one language in this process. A batch with a fault is taken apart to find who it is due to."""
    texts = corpus(inputs[0].language) if inputs else []
    found: list[Found] = []
    for start in range(0, len(inputs), BATCH):
        batch = inputs[start : start + BATCH]
        contents = {each.name: each.data(texts) for each in batch}
        failures = _examined(contents)
        if not failures:
            continue
        alone = [(each, failure) for each in batch for failure in _examined({each.name: contents[each.name]})]
        if alone:
            found += [Found(each, failure.what, contents[each.name]) for each, failure in alone]
        else:  # only together
            found += [Found(batch[0], f"together with the {len(batch) - 1} inputs behind it: {failures[0].what}", b"")]
    return found


def _examined(contents: dict[str, bytes]) -> list[Failure]:
    with tempfile.TemporaryDirectory(prefix="resplint-fuzz-") as folder:
        return examine(Path(folder), contents)


def run(inputs: Sequence[Input], jobs: int, progress: Callable[[int], None], until: float | None = None) -> list[Found]:
    """Examine inputs in `jobs` processes; a process that dies or hangs costs its batch only, which is reported.

    `until`: the time (of `time.monotonic`) at which no new batch is begun.
    """
    batches = [list(inputs[at : at + BATCH]) for at in range(0, len(inputs), BATCH)][::-1]
    found: list[Found] = []
    working: dict[Connection, tuple[_Worker, list[Input], float]] = {}
    idle = [_Worker() for _ in range(jobs)]
    try:
        while batches or working:
            if until is not None and time.monotonic() > until:
                batches.clear()
            while batches and idle:
                worker, batch = idle.pop(), batches.pop()
                worker.connection.send(batch)
                working[worker.connection] = (worker, batch, time.monotonic() + _GRACE_S + SECONDS * len(batch) * 2)
            wait(list(working), timeout=1.0)
            for connection in list(working):
                worker, batch, deadline = working[connection]
                outcome = _outcome(worker, batch, deadline)
                if outcome is None:
                    continue
                del working[connection]
                found += outcome
                progress(len(batch))
                idle.append(worker if worker.process.is_alive() else _Worker())
    finally:
        for worker in [*idle, *(each[0] for each in working.values())]:
            worker.stop()
    return found


def _outcome(worker: _Worker, batch: list[Input], deadline: float) -> list[Found] | None:
    """What a worker found in its batch, None as long as it is at it."""
    try:
        if worker.connection.poll():
            outcome: list[Found] = worker.connection.recv()
            return outcome
        hung = worker.process.is_alive()
        if hung and time.monotonic() < deadline:
            return None
    except (EOFError, OSError):  # it has ended, though the system may not know of that yet
        hung = False
        worker.process.join(_GRACE_S)
    worker.stop()
    what = "no end in sight" if hung else f"the process died ({worker.process.exitcode})"
    if len(batch) == 1:
        return [Found(batch[0], what, batch[0].data(corpus(batch[0].language)))]
    return run_alone(batch) or [Found(batch[0], f"together with the {len(batch) - 1} inputs behind it: {what}", b"")]


def run_alone(batch: Sequence[Input]) -> list[Found]:
    """Examine each input in a process of its own."""
    return [found for each in batch for found in run([each], 1, lambda count: None)]


class _Worker:
    """A process that examines the batches it is sent."""

    def __init__(self) -> None:
        self.connection, theirs = _context.Pipe()
        self.process = _context.Process(target=_serve, args=(theirs,), daemon=False)
        self.process.start()
        theirs.close()

    def stop(self) -> None:
        self.process.kill()
        self.process.join()


def _serve(connection: Connection) -> None:
    with suppress(EOFError, KeyboardInterrupt):
        while True:
            connection.send(examine_all(connection.recv()))


def shrunk(found: Found, seconds: float = 60.0) -> Found:
    """A shorter input with the same kind of fault: pieces are left out as long as it stays."""
    kind = _kind(found.what)
    data, deadline = found.data, time.monotonic() + seconds
    for piece in _pieces(len(data)):
        start = 0
        while start < len(data) and time.monotonic() < deadline:
            shorter = data[:start] + data[start + piece :]
            if any(_kind(each.what) == kind for each in _examined({found.input.name: shorter})):
                data = shorter
            else:
                start += piece
    return Found(found.input, found.what, data)


def _pieces(size: int) -> Iterator[int]:
    while size > 1:
        size //= 2
        yield size


def _kind(what: str) -> str:
    return what.split(":", maxsplit=1)[0][:40]
