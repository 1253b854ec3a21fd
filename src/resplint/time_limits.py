"""A limit on the time of work in this very process.

It is kept between two steps of the interpreter: Python code without end is stopped, a call into C is waited for. What
may spend its time in C belongs into `workers`.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

_AGAIN_S = 0.5
"""How soon another attempt is made after one that got lost, as in a destructor, which swallows every exception."""


class OutOfTime(BaseException):
    """The time is up. Not an `Exception`, so that code which catches those does not go on in spite of it."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `OutOfTime` in the block once it has taken `seconds` on the clock."""
    in_main = threading.current_thread() is threading.main_thread()
    with _by_signal(seconds) if in_main and hasattr(signal, "setitimer") else _by_thread(seconds):
        yield


@contextlib.contextmanager
def _by_signal(seconds: float) -> Iterator[None]:
    armed = True

    def stop(number: int, frame: FrameType | None) -> None:
        if armed:
            raise OutOfTime

    before = signal.signal(signal.SIGALRM, stop)
    delay, interval = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_S)
    try:
        try:
            yield
        finally:
            armed = False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if delay:
            signal.setitimer(signal.ITIMER_REAL, delay, interval)


@contextlib.contextmanager
def _by_thread(seconds: float) -> Iterator[None]:
    """For threads beside the main one, and for Windows; what sleeps is stopped when it wakes up."""
    import ctypes  # noqa: PLC0415

    raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
    thread = ctypes.c_ulong(threading.get_ident())
    over = threading.Event()
    turn = threading.Lock()
    fired = False

    def watch() -> None:
        nonlocal fired
        pause = seconds
        while not over.wait(pause):
            with turn:
                if not over.is_set():
                    fired = True
                    raise_in(thread, ctypes.py_object(OutOfTime))
            pause = _AGAIN_S

    watcher = threading.Thread(target=watch, name="resplint-time-limit", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        with turn:
            over.set()
        raise_in(thread, None)  # one that was set and has not been raised yet
    if fired:
        raise OutOfTime
