"""How the process begins and ends: its standard streams, and the signals that ask it to end."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""What a terminal, a supervisor or a CI job sends to end a process."""
GRACE_S = 1.5
"""Time to remove temporary files and to stop other processes; then the process ends in any case."""

_STREAMS = (("stdin", os.O_WRONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY))
"""How to open what the caller has closed: to be read or written in vain, except for messages."""


class Interruption(KeyboardInterrupt):
    """A signal asked the process to end. Whatever is under way is left through its `finally` clauses."""


class _Received:
    """The signal that ends this process, once there is one."""

    signal: int | None = None


def run(command: Callable[[], object]) -> None:
    """Run `command`, the whole program, with streams to rely on; if a signal interrupts it, end by that signal."""
    open_streams()
    # Where worker processes start anew, Python would have them search the current folder for modules, too.
    os.environ["PYTHONSAFEPATH"] = "1"
    own = os.getpid()

    def end(number: int, frame: FrameType | None) -> None:
        if os.getpid() != own:  # another process of ours, that has nothing to tidy up
            _end_by(number)
        _Received.signal = number
        _give_time(number)
        raise Interruption

    # What is ignored stays so, as with `nohup` and for jobs in the background.
    heard = [each for each in ENDING if signal.getsignal(each) not in (signal.SIG_IGN, None)]
    try:
        try:
            for each in heard:
                signal.signal(each, end)
            command()
        finally:
            # Nothing is left to be tidied up; and the interpreter, as it shuts down, would complain of an exception.
            for each in heard:
                signal.signal(each, signal.SIG_DFL)
            if _Received.signal is not None:
                _end_by(_Received.signal)
    except Interruption:
        _end_by(_Received.signal or signal.SIGINT)


def is_ending() -> bool:
    """Whether a signal has asked this process to end, so that whatever fails may fail because of that."""
    return _Received.signal is not None


def use_utf8() -> None:
    """Begin anew where Python would read file names in an encoding of the locale: the same tree would have other names
    on another machine, and its findings other fingerprints.
    """
    if sys.getfilesystemencoding().lower() == "utf-8" or "utf8" in sys._xoptions or not sys.executable:
        return
    with contextlib.suppress(OSError):
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def open_streams() -> None:
    """Open what the caller has closed (`>&-`), lest a file of ours takes its number and gets what is printed.

    Messages then go nowhere; input and output fail as they would if they were still closed.
    """
    for number, (name, access) in enumerate(_STREAMS):
        if getattr(sys, name) is not None:
            # Who shares the pipe (Node.js) may have set it not to wait: a slow reader would then lose the end.
            with contextlib.suppress(OSError, AttributeError):
                os.set_blocking(number, True)
        else:
            with contextlib.suppress(OSError):
                descriptor = os.open(os.devnull, access)
                if descriptor != number:
                    os.dup2(descriptor, number)
                    os.close(descriptor)
                mode = "r" if name == "stdin" else "w"
                setattr(sys, name, open(number, mode, encoding="utf-8", errors="backslashreplace", closefd=False))  # noqa: SIM115


def silence(*streams: object) -> None:
    """Let nothing more come out of streams that cannot be written: Python would try again as it ends, and complain."""
    for stream in streams:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())  # type: ignore[attr-defined]
            os.close(nowhere)


def _give_time(number: int) -> None:
    """Let further signals pass while everything is tidied up, but not for long."""
    for each in ENDING:
        # Not `SIG_IGN`: Python complains of a signal that came while there was a handler, and finds none any more.
        signal.signal(each, (lambda *_: None) if hasattr(signal, "setitimer") else signal.SIG_DFL)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, lambda *_: _end_by(number))
        signal.setitimer(signal.ITIMER_REAL, GRACE_S)


def _end_by(number: int) -> NoReturn:
    """End as if the signal had not been handled: shells stop a loop only if it was Ctrl+C itself that ended a command
    in it, and show 128 more than its number as exit code.
    """
    if os.name == "posix":
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(128 + number)
