"""Lowering many files, in several processes when that pays.

The binding never releases the interpreter lock, so threads would gain nothing. Facts travel between the processes as
msgpack, which is compact and, unlike pickle, cannot run code.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

import msgspec

from resplint.facts import FileFacts
from resplint.languages import lower, prepare

MIN_FILES_PER_JOB = 24
"""Below this a second process costs more than it saves."""
_CHUNK = 8

_decoder = msgspec.msgpack.Decoder(FileFacts)


@dataclass(frozen=True)
class LoweredFile:
    """Facts of one file, or the reason why there are none; `crashed` when that reason is a bug of ours."""

    path: str
    facts: FileFacts | None
    reason: str = ""
    crashed: bool = False


def _lower_one(path: str, language: str, data: bytes | None) -> tuple[str, FileFacts | None, str, bool]:
    if data is None:
        return path, None, "it cannot be read any more", False
    try:
        lowered = lower(path, language, data)
    except Exception as error:  # one file must not stop the scan; it is reported and exits 3
        return path, None, f"resplint failed on it ({type(error).__name__}: {error})", True
    return path, lowered.facts, lowered.reason, False


def _work(chunk: list[tuple[str, str, bytes | None]]) -> list[tuple[str, bytes, str, bool]]:
    """Runs in a worker process."""
    done = []
    for path, language, data in chunk:
        name, facts, reason, crashed = _lower_one(path, language, data)
        try:
            packed = msgspec.msgpack.encode(facts) if facts else b""
        except ValueError as error:  # facts that cannot be written are a bug of ours
            packed, reason, crashed = b"", f"resplint failed on it ({error})", True
        done.append((name, packed, reason, crashed))
    return done


def lower_all(
    tasks: Sequence[tuple[str, str]], read: Callable[[str], bytes | None], jobs: int
) -> Iterator[LoweredFile]:
    """Lower files given as (path, language), in the order given. `jobs` 0 uses the processors there are."""
    workers = min(jobs or os.cpu_count() or 1, max(1, len(tasks) // MIN_FILES_PER_JOB))
    if workers <= 1:
        for path, language in tasks:
            yield LoweredFile(*_lower_one(path, language, read(path)))
        return
    yield from _in_processes(tasks, read, workers)


def _in_processes(
    tasks: Sequence[tuple[str, str]], read: Callable[[str], bytes | None], workers: int
) -> Iterator[LoweredFile]:
    chunks = [tasks[at : at + _CHUNK] for at in range(0, len(tasks), _CHUNK)]
    prepare(tasks)
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else None
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        futures = [pool.submit(_work, [(path, language, read(path)) for path, language in chunk]) for chunk in chunks]
        for chunk, future in zip(chunks, futures, strict=True):
            try:
                for path, packed, reason, crashed in future.result():
                    yield LoweredFile(path, _decoder.decode(packed) if packed else None, reason, crashed)
            except BrokenProcessPool:
                # A worker died (out of memory, a crash in the parser): do its files here, one at a time, in fresh
                # processes.
                for path, language in chunk:
                    yield _isolated(context, path, language, read(path))


def _isolated(
    context: multiprocessing.context.BaseContext, path: str, language: str, data: bytes | None
) -> LoweredFile:
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        try:
            name, packed, reason, crashed = pool.submit(_work, [(path, language, data)]).result()[0]
        except BrokenProcessPool:
            return LoweredFile(path, None, "the process that analysed it died", True)
    return LoweredFile(name, _decoder.decode(packed) if packed else None, reason, crashed)
