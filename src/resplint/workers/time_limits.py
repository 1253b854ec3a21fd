"""Limits on the time of work in this very process.

`within` stops work from outside, between two steps of the interpreter: Python code without end is stopped, a call into
C is waited for. What may spend its time in C belongs into `workers`. A `Deadline` is asked by the work itself, which
then goes on with what it has.
"""

from __future__ import annotations

import math
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

_ASKING = 0.8
"""The part of the allowed time after which the work learns of it, if it asks; the rest is for an orderly end."""
_MOMENT = 0.02
"""The part of all the time that a stage may take that begins when the time is up already."""
_AGAIN_S = 0.5
"""How soon another attempt is made after one that got lost, as in a destructor, which swallows every exception."""

T = TypeVar("T")


class OutOfTime(BaseException):
    """The time is up. Not an `Exception`, so that code which catches those does not go on in spite of it."""


def within(seconds: float, work: Callable[[], T]) -> T:
    """What `work` returns. Raises `OutOfTime` in it once it has taken `seconds` on the clock, and never elsewhere. What
    has a limit of its own in it does not count.

    No context manager: what is raised between a block and the step that leaves it would leave the limit in force.
    """
    in_main = threading.current_thread() is threading.main_thread()
    limit = _Alarm(seconds) if in_main and hasattr(signal, "setitimer") else _Watch(seconds)
    return limit.run(work)


class Deadline:
    """The end of the time that all stages of a scan share, `seconds` from now.

    A stage asks between two of its steps whether the time is up. Once it is, it stays so until the next one is allowed
    some time, and the stage that learnt of it is one of those that were `cut`. One that does not ask is stopped.
    """

    def __init__(self, seconds: float = math.inf) -> None:
        self._last = time.monotonic() + seconds
        self._moment = _MOMENT * seconds
        self._end = self._last
        self._asking = self._allowed = math.inf
        self.is_over = False
        """Whether the time was up when somebody asked."""
        self.cut: set[str] = set()
        self.cuts = 0
        """How often the answer was yes."""

    def passed(self, stage: str) -> bool:
        """Whether the time is up; if so, `stage` counts as cut."""
        now = time.monotonic()
        if not self.is_over and now < self._end and now < self._asking:
            return False
        self._tell(stage)
        return True

    def _tell(self, stage: str) -> None:
        self.is_over = True
        self.cut.add(stage)
        self.cuts += 1

    @property
    def left(self) -> float:
        """The seconds that are left of all the time."""
        return max(0.0, self._last - time.monotonic())

    def allow(self, seconds: float) -> None:
        """Let what follows, until this is said again, take at most so long, even where more is left."""
        now = time.monotonic()
        self._asking, self._allowed = now + _ASKING * seconds, now + seconds
        self.is_over = False

    def limited(self, stage: str, work: Callable[[], T], otherwise: T) -> T:
        """What `work` returns; `otherwise` if it does not end in the time that is allowed, or in a moment if that was
        up before, and `stage` counts as cut then.
        """
        seconds = max(min(self._allowed, self._last) - time.monotonic(), self._moment)
        try:
            return within(min(seconds, threading.TIMEOUT_MAX), work)
        except OutOfTime:
            self._tell(stage)
            return otherwise


class _Alarm:
    """For the main thread: a signal, whose handler raises."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._handler = self._ring  # one object, to be known again
        self._left = self._interval = 0.0

    def run(self, work: Callable[[], T]) -> T:
        try:
            self._start()
            return work()
        finally:
            self._end()

    def _start(self) -> None:
        self._before = signal.signal(signal.SIGALRM, self._handler)
        self._left, self._interval = signal.setitimer(signal.ITIMER_REAL, self._seconds, _AGAIN_S)

    def _end(self) -> None:
        if signal.getsignal(signal.SIGALRM) is not self._handler:
            return  # the process is about to end, and the timer now sees to it that it does
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)
        if self._left:
            signal.setitimer(signal.ITIMER_REAL, self._left, self._interval)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if _is_at_work(frame):
            raise OutOfTime


class _Watch:
    """For threads beside the main one, and for Windows; what sleeps is stopped when it wakes up."""

    def __init__(self, seconds: float) -> None:
        import ctypes  # noqa: PLC0415

        self._seconds = seconds
        self._over = threading.Event()
        self._number = threading.get_ident()
        self._watcher = threading.Thread(target=self._watch, name="resplint-time-limit", daemon=True)
        self._set_error = ctypes.pythonapi.PyThreadState_SetAsyncExc
        self._thread, self._error = ctypes.c_ulong(self._number), ctypes.py_object(OutOfTime)

    def run(self, work: Callable[[], T]) -> T:
        try:
            try:
                self._start()
                return work()
            finally:
                self._end()
        finally:
            self._end()  # what was set while work went on may have been raised within the first attempt

    def _start(self) -> None:
        self._watcher.start()

    def _end(self) -> None:
        self._over.set()
        if self._watcher.is_alive():
            self._watcher.join()
        self._set_error(self._thread, None)  # one that was set and has not been raised yet

    def _watch(self) -> None:
        pause = self._seconds
        while not self._over.wait(pause):
            if _is_at_work(sys._current_frames().get(self._number)):
                self._set_error(self._thread, self._error)
            pause = _AGAIN_S


_OWN = {method.__code__ for kind in (_Alarm, _Watch) for method in (kind.run, kind._start, kind._end)}
"""The code that sets limits and lifts them, which must not be interrupted."""


def _is_at_work(frame: FrameType | None) -> bool:
    """Whether a thread that is at `frame` does what has a limit: not yet, or no longer, when it is in our own code."""
    inner = frame
    while inner is not None and inner.f_code not in _OWN:
        inner = inner.f_back
    return inner is not None and inner is not frame and inner.f_code.co_name == "run"
