"""A progress bar on a terminal, for scans that take longer than a second."""

from __future__ import annotations

import time
from types import TracebackType
from typing import IO, Any

DELAY_S = 1.0
"""A quick scan shows nothing at all."""
_REFRESH_S = 0.1


class ProgressBar:
    """Shows stage and share done. Nothing is drawn, and rich is not loaded, unless the stream is a terminal and time
    has passed.
    """

    def __init__(self, stream: IO[str], *, shown: bool = True) -> None:
        self._stream = stream
        self._shown = shown
        self._started = time.monotonic()
        self._progress: Any = None
        self._task: Any = None
        self._stage = ""
        self._due = 0.0

    def __enter__(self) -> ProgressBar:
        return self

    def update(self, stage: str, done: int, total: int) -> None:
        """Called by the scan now and then."""
        if not self._shown or time.monotonic() - self._started < DELAY_S or not self._stream.isatty():
            return
        if self._progress is None:
            self._progress = self._start()
        if stage != self._stage:
            if self._task is not None:
                self._progress.remove_task(self._task)
            self._stage = stage
            self._task = self._progress.add_task(stage, total=total)
        self._progress.update(self._task, completed=done, total=total)
        if time.monotonic() >= self._due:
            self._progress.refresh()
            self._due = time.monotonic() + _REFRESH_S

    def _start(self) -> Any:
        from rich.console import Console  # noqa: PLC0415
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: PLC0415

        progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            console=Console(file=self._stream),
            transient=True,
            auto_refresh=False,  # no thread beside the scan, which forks
        )
        progress.start()
        return progress

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.stop()
