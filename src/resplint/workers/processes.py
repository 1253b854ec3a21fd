"""A process that works for this one: started, given limits, ended, and what it died of."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, Pipe
from typing import Any, TypeAlias

import msgspec

from resplint.workers import Cause, Limits

try:
    import fcntl
    import resource
except ImportError:  # Windows
    fcntl = resource = None  # type: ignore[assignment]

Work: TypeAlias = Callable[[bytes], bytes]
"""What a worker does with one item. Without fork it must be a function of a module."""

_STACK_BYTES = 64 << 20
_OUT_OF_MEMORY = 77
"""Exit status of a worker whose interpreter was refused memory."""

_RESIDENT, _DATA = 1, 5
"""Columns of /proc/self/statm; the second is what counts against the limit on data."""

_batches = msgspec.msgpack.Decoder(list[bytes])


class ForkedWorker:
    """A fork of this process that answers each item it is sent on `connection`, in order."""

    def __init__(self, work: Work, limits: Limits, others: Iterable[Worker]) -> None:
        """Raises `OSError` when the system has no room for another process. `others` are the workers there are."""
        self._limits = limits
        self.connection, theirs = Pipe()
        reading, self._lifeline = os.pipe()
        self._bytes_before = _resident_bytes()
        with _signals_held():
            try:
                self._pid = os.fork()
            except OSError:
                self.let_go()
                raise
            else:
                if self._pid == 0:
                    _run_fork(work, limits, theirs, reading, (*others, self))
            finally:
                theirs.close()
                os.close(reading)

    def let_go(self) -> None:
        """Close this process's ends of what connects it with the worker."""
        self.connection.close()
        os.close(self._lifeline)

    def end(self) -> Cause:
        """Kill it if it still lives, leave no zombie behind, and say what it died of."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        try:
            _, status, usage = os.wait4(self._pid, 0)
        except ChildProcessError:  # whoever started us wants to know of no children's deaths
            return "death"
        finally:
            self.let_go()
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF:
            return "time"
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == _OUT_OF_MEMORY:
            return "memory"
        # The parser does not ask whether it was given memory, and dies of a bad address where it was not.
        starved = usage.ru_maxrss * 1024 - self._bytes_before > self._limits.memory_bytes // 2
        faults = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT)
        return "memory" if starved and os.WIFSIGNALED(status) and os.WTERMSIG(status) in faults else "death"


class SpawnedWorker:
    """An interpreter of its own that answers each item it is sent on `connection`, in order."""

    def __init__(self, work: Work, limits: Limits) -> None:
        """Raises `OSError` when the system has no room for another process."""
        import multiprocessing  # noqa: PLC0415

        self.connection, theirs = Pipe()
        process = multiprocessing.get_context("spawn").Process
        self._process: Any = process(target=_serve, args=(work, limits, theirs), daemon=True)
        try:
            self._process.start()
        except OSError:
            self.connection.close()
            raise
        finally:
            theirs.close()

    def let_go(self) -> None:
        """Close this process's end of what connects it with the worker."""
        self.connection.close()

    def end(self) -> Cause:
        """Kill it if it still lives, and say what it died of."""
        self.let_go()
        self._process.kill()
        self._process.join()
        code = self._process.exitcode
        if hasattr(signal, "SIGPROF") and code == -signal.SIGPROF:
            return "time"
        return "memory" if code == _OUT_OF_MEMORY else "death"


Worker: TypeAlias = ForkedWorker | SpawnedWorker


@contextlib.contextmanager
def _signals_held() -> Iterator[None]:
    """Let no signal in while a process is being split, so that none runs a handler of ours in the new one."""
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


def _run_fork(work: Work, limits: Limits, connection: Connection, lifeline: int, inherited: Iterable[Worker]) -> None:
    """The life of a fork; never returns."""
    status = 1
    try:
        gc.freeze()  # what was there before is no garbage, and looking at it would copy it
        for sign in (signal.SIGTERM, signal.SIGHUP):
            if callable(signal.getsignal(sign)):
                signal.signal(sign, signal.SIG_DFL)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process of a terminal; ours ends the rest
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        for each in inherited:
            each.let_go()
        _die_with_the_parent(lifeline)
        _limit(limits)
        _serve(work, limits, connection)
        status = 0
    except MemoryError:
        status = _OUT_OF_MEMORY
    finally:
        os._exit(status)  # no handler and no buffer of the process it was made from is this one's to run or to flush


def _die_with_the_parent(lifeline: int) -> None:
    """Have the kernel end this process, even inside the parser, when nobody holds the other end of a pipe any more."""
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | getattr(os, "O_ASYNC", 0))


def _limit(limits: Limits) -> None:
    """Bound the memory of this process, give it room for deep recursion in the parser, and have it leave no dump."""
    _, most = resource.getrlimit(resource.RLIMIT_STACK)
    stack = _STACK_BYTES if most == resource.RLIM_INFINITY else min(most, _STACK_BYTES)
    wanted = {resource.RLIMIT_CORE: 0, resource.RLIMIT_STACK: stack}
    used = _pages_bytes(_DATA)
    if used is not None:
        wanted[resource.RLIMIT_DATA] = used + limits.memory_bytes
    for kind, value in wanted.items():
        _, hard = resource.getrlimit(kind)
        if hard == resource.RLIM_INFINITY or value < hard:
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(kind, (value, hard))


def _resident_bytes() -> int:
    """What of this process is in memory, which a fork of it shares, but which counts as the fork's as well."""
    return _pages_bytes(_RESIDENT) or 0


def _pages_bytes(column: int) -> int | None:
    """A column of what Linux says of this process's memory; None where only Linux could tell."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[column]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


def _serve(work: Work, limits: Limits, connection: Connection) -> None:
    """Say that everything is ready, then answer items, which come in batches, one by one until nobody asks any more."""
    timer = getattr(signal, "setitimer", None)
    with contextlib.suppress(EOFError, OSError):
        connection.send_bytes(b"")
        while True:
            for item in _batches.decode(connection.recv_bytes()):
                if timer is not None:
                    # Unlike a handler of Python's, what the kernel does at this signal also ends code in C.
                    timer(signal.ITIMER_PROF, limits.cpu_s)
                answer = work(item)
                if timer is not None:
                    timer(signal.ITIMER_PROF, 0)
                connection.send_bytes(answer)
