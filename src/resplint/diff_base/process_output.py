"""What a process prints, read as it comes, within a time."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from io import BufferedReader

_CHUNK = 1 << 20
_LONGEST_ERRORS = 10_000

T = TypeVar("T")


class Output:
    """Reads what a process prints, and ends the process afterwards.

    A process that prints nothing for `patience_s` seconds, while something is waited for, or that is not done after
    `longest_s`, is ended; what reads then raises `TimeoutError`.
    """

    def __init__(self, process: subprocess.Popen[bytes], patience_s: float, longest_s: float) -> None:
        assert process.stdout is not None
        self._process = process
        self._stream = cast("BufferedReader", process.stdout)
        self._patience_s = patience_s
        self._end = time.monotonic() + longest_s
        self._waiting_since = 0.0
        self._over = threading.Event()
        self._is_late = False
        self._watcher = threading.Thread(target=self._watch, name="resplint-process-output", daemon=True)

    def __enter__(self) -> Output:
        self._watcher.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._process.kill()
        for stream in (self._stream, self._process.stderr):
            if stream is not None:
                stream.close()
        self._process.wait()
        self._watcher.join()

    def line(self) -> bytes:
        """The next line, or the first part of one that is long; b"" at the end."""
        return self._waited_for(lambda: self._stream.readline(_CHUNK))

    def exactly(self, size: int) -> bytes:
        """So many bytes, fewer at the end."""
        found = bytearray()
        while len(found) < size and (chunk := self._some(min(_CHUNK, size - len(found)))):
            found += chunk
        return bytes(found)

    def chunks(self) -> Iterator[bytes]:
        """All that is left."""
        while chunk := self._some(_CHUNK):
            yield chunk

    def status(self) -> int:
        """What the process ends with, once everything was read."""
        return self._waited_for(self._process.wait)

    def errors(self) -> bytes:
        """The beginning of what it printed as errors, if that goes to a pipe; once it has ended."""
        stream = self._process.stderr
        return self._waited_for(lambda: stream.read(_LONGEST_ERRORS)) if stream is not None else b""

    def _some(self, most: int) -> bytes:
        return self._waited_for(lambda: self._stream.read1(most))

    def _waited_for(self, read: Callable[[], T]) -> T:
        self._waiting_since = time.monotonic()
        found = read()
        self._waiting_since = 0.0
        if self._is_late:
            raise TimeoutError
        return found

    def _watch(self) -> None:
        while not self._over.wait(min(1.0, self._patience_s / 4)):
            now, since = time.monotonic(), self._waiting_since
            if now > self._end or (since and now - since > self._patience_s):
                self._is_late = True
                self._process.kill()
                return
