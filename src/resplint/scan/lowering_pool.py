"""Lowering many files: in several processes when that pays, and none of them for longer than it may take.

The binding never releases the interpreter lock, so threads would gain nothing, and nothing in this process could stop
it. Facts travel between the processes as msgpack, which is compact and, unlike pickle, cannot run code.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing

import msgspec

from resplint.contracts.facts import FileFacts
from resplint.languages import lower, prepare
from resplint.workers import FORKS, Limits, Lost, can_fork, processors
from resplint.workers.time_limits import OutOfTime, within

MIN_FILES_PER_JOB = 24
"""Below this a second process costs more than it saves."""
MIN_FILES_SPAWNED = 200
"""The same for all processes together, where each has to load everything anew."""
TAME_BYTES = 16_384
"""A few files of this size are lowered in this process, which saves starting another one (10 ms). The parser can be
made to take time and memory that grow with the square of a file's size; for this one that is 0.3 s and 150 MB.
"""
MEMORY_BYTES = 1_500_000_000
"""What lowering may take in a process of its own, beyond what that begins with; a file of 3 MB needs a third of it."""
FILE_TIMEOUT_S = 5.0

Task = tuple[str, str]
"""Path and language of a file."""

_IN_PROCESS_FACTOR = 4
"""In this process time on the clock is all that can be limited; it passes while other processes run, too."""


class LoweredFile(msgspec.Struct, frozen=True):
    """Facts of one file, or the reason why there are none.

    `crashed` when that reason is a bug of ours. `settled` when the same bytes will always come to the same: not when
    time or memory ran out.
    """

    path: str
    facts: FileFacts | None
    reason: str = ""
    crashed: bool = False
    settled: bool = True


class _Answer(msgspec.Struct, array_like=True):
    """A `LoweredFile` on its way between processes: without its path, which need not be text that can be written."""

    facts: FileFacts | None
    reason: str
    crashed: bool
    settled: bool


_tasks = msgspec.msgpack.Decoder(tuple[bytes, str, bytes, float, bool])
_answers = msgspec.msgpack.Decoder(_Answer)


def lower_all(
    tasks: Sequence[Task],
    read: Callable[[str], bytes | None],
    jobs: int,
    *,
    timeout_s: float = FILE_TIMEOUT_S,
    include_minified: bool = False,
) -> Generator[LoweredFile, None, None]:
    """Lower files, in the order given. `jobs` 0 uses the processors there are.

    A file that takes more than `timeout_s` seconds of processor time is given up. To leave early, close the iterator.
    """
    workers = min(jobs or processors(), max(1, len(tasks) // MIN_FILES_PER_JOB))
    if can_fork() and (len(tasks) >= MIN_FILES_PER_JOB or not _tame(tasks, read)):
        return _in_processes(tasks, read, workers, timeout_s, include_minified)
    if not FORKS and jobs != 1 and len(tasks) >= MIN_FILES_SPAWNED:
        return _in_processes(tasks, read, workers, timeout_s, include_minified)
    return _here(tasks, read, timeout_s, include_minified)


def lower_here(
    path: str,
    language: str,
    data: bytes | None,
    timeout_s: float = FILE_TIMEOUT_S,
    *,
    include_minified: bool = False,
) -> LoweredFile:
    """Lower one file in this process. The limit on its time holds for parsing and for our own code, not for the
    library's queries.
    """
    if data is None:
        return _unreadable(path)
    try:
        return within(
            timeout_s * _IN_PROCESS_FACTOR, lambda: _lowered(path, language, data, timeout_s, include_minified)
        )
    except OutOfTime:
        return LoweredFile(path, None, _lost("time", timeout_s), settled=False)
    except MemoryError:
        return LoweredFile(path, None, _lost("memory", timeout_s), settled=False)


class OnDemand:
    """Lowers single files as they turn out to be needed. Those that are not tame are lowered in one process, which
    stays until it is closed: to start one for each file would cost several times what lowering it does.
    """

    def __init__(self, timeout_s: float = FILE_TIMEOUT_S, *, include_minified: bool = False) -> None:
        self._timeout_s = timeout_s
        self._include_minified = include_minified
        self._answers: Generator[bytes | Lost, None, None] | None = None
        self._task = b""

    def lower(self, path: str, language: str, data: bytes) -> LoweredFile:
        """Lower one file, as `lower_all` does."""
        if len(data) <= TAME_BYTES or not can_fork():
            return lower_here(path, language, data, self._timeout_s, include_minified=self._include_minified)
        self._task = _packed(path, language, data, self._timeout_s, self._include_minified)
        if self._answers is None:
            from resplint.workers.pool import run_all  # noqa: PLC0415

            prepare([(path, language)])
            limits = Limits(self._timeout_s, MEMORY_BYTES)
            self._answers = run_all(work, self._tasks(), sys.maxsize, workers=1, limits=limits, ahead=1)
        try:
            answer = next(self._answers)
        except BaseException:  # such as the end of a rule's time: these give nothing more
            self.close()
            raise
        return _arrived(path, answer, self._timeout_s)

    def close(self) -> None:
        """End the process. It is started anew when it is needed again."""
        if self._answers is not None:
            self._answers.close()
            self._answers = None

    def _tasks(self) -> Iterator[bytes]:
        while True:
            yield self._task


def _here(
    tasks: Iterable[Task], read: Callable[[str], bytes | None], timeout_s: float, include_minified: bool
) -> Generator[LoweredFile, None, None]:
    for path, language in tasks:
        yield lower_here(path, language, read(path), timeout_s, include_minified=include_minified)


def _tame(tasks: Iterable[Task], read: Callable[[str], bytes | None]) -> bool:
    """Whether none of the files is large."""
    return all(len(read(path) or b"") <= TAME_BYTES for path, _ in tasks)


def _in_processes(
    tasks: Sequence[Task], read: Callable[[str], bytes | None], workers: int, timeout_s: float, include_minified: bool
) -> Generator[LoweredFile, None, None]:
    from resplint.workers.pool import run_all  # noqa: PLC0415

    prepare(tasks)

    def payloads() -> Iterator[bytes]:
        for path, language in tasks:
            data = read(path)
            yield b"" if data is None else _packed(path, language, data, timeout_s, include_minified)

    limits = Limits(timeout_s, MEMORY_BYTES)
    with closing(run_all(work, payloads(), len(tasks), workers=workers, limits=limits)) as answers:
        for (path, _), answer in zip(tasks, answers, strict=True):
            yield _arrived(path, answer, timeout_s)


def _packed(path: str, language: str, data: bytes, timeout_s: float, include_minified: bool) -> bytes:
    return msgspec.msgpack.encode((os.fsencode(path), language, data, timeout_s, include_minified))


def _arrived(path: str, answer: bytes | Lost, timeout_s: float) -> LoweredFile:
    if isinstance(answer, Lost):
        return LoweredFile(path, None, _lost(answer.cause, timeout_s), answer.cause == "death", settled=False)
    if not answer:
        return _unreadable(path)
    done = _answers.decode(answer)
    if done.facts is not None:
        msgspec.structs.force_setattr(done.facts, "path", path)  # nobody else has seen it yet
    return LoweredFile(path, done.facts, done.reason, done.crashed, done.settled)


def _unreadable(path: str) -> LoweredFile:
    return LoweredFile(path, None, "it cannot be read any more")


def _lost(cause: str, timeout_s: float) -> str:
    if cause == "time":
        return f"it takes longer than {timeout_s:g} s: exclude it, or raise file-timeout"
    if cause == "memory":
        return f"it takes more than {MEMORY_BYTES / 1e9:g} GB of memory: exclude it"
    return "the process that analysed it died"


def work(task: bytes) -> bytes:
    """What a worker does: facts of one file, both packed."""
    if not task:
        return b""
    path, language, data, timeout_s, include_minified = _tasks.decode(task)
    done = _lowered(os.fsdecode(path), language, data, timeout_s, include_minified)
    if done.facts is not None:
        msgspec.structs.force_setattr(done.facts, "path", "")
    try:
        return msgspec.msgpack.encode(_Answer(done.facts, done.reason, done.crashed, done.settled))
    except ValueError as error:  # facts that cannot be written are a bug of ours
        return msgspec.msgpack.encode(_Answer(None, f"resplint failed on it ({error})", True, False))


def _lowered(path: str, language: str, data: bytes, timeout_s: float, include_minified: bool) -> LoweredFile:
    try:
        lowered = lower(path, language, data, budget_s=timeout_s, include_minified=include_minified)
    except MemoryError:
        raise
    except Exception as error:  # one file must not stop the scan; it is reported and exits 3
        reason = f"resplint failed on it ({type(error).__name__}: {error})"
        return LoweredFile(path, None, reason, crashed=True, settled=False)
    if lowered.timed_out:
        return LoweredFile(path, None, _lost("time", timeout_s), settled=False)
    return LoweredFile(path, lowered.facts, lowered.reason)
