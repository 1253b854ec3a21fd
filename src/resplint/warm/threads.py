"""A thread that does what takes long, while the event loop stays free."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

T = TypeVar("T")

_STACK_BYTES = 64 * 1024 * 1024
"""Room for the evaluator's frames, of which a thread has less than a process by default."""


class WorkThread:
    """A thread that does one thing at a time.

    It ends with the process and is never waited for: an editor that closes wants its server gone.
    """

    def __init__(self) -> None:
        self._tasks: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    async def run(self, work: Callable[[], T]) -> T:
        """The result of `work`, done by the thread after what it was given before. Raises what `work` raises."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def task() -> None:
            settle: Callable[[], None]
            try:
                settle = partial(future.set_result, work())
            except Exception as error:  # it belongs to whoever waits
                settle = partial(future.set_exception, error)
            # The loop is closed when the server ends during a scan.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(_unless_done, future, settle)

        self._start()
        self._tasks.put(task)
        return await future

    def _start(self) -> None:
        if self._thread is None:
            before = threading.stack_size(_STACK_BYTES)
            try:
                self._thread = threading.Thread(target=self._work, name="resplint-scan", daemon=True)
                self._thread.start()
            finally:
                threading.stack_size(before)

    def _work(self) -> None:
        while True:
            self._tasks.get()()


def _unless_done(future: asyncio.Future[T], settle: Callable[[], None]) -> None:
    if not future.done():  # nobody waits any more
        settle()
