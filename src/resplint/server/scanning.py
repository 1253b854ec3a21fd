"""One scan of a project as the editor sees it, and the thread that runs such scans one at a time."""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec

from resplint.config.loading import Config
from resplint.contracts.errors import UserError
from resplint.contracts.findings import Level, Report, Result, RuleInfo
from resplint.files.regular_files import UnreadableFileError, read_regular
from resplint.files.source import Undecodable, decode
from resplint.languages import EXTENSIONS
from resplint.scan import FactsMemory, ScanRequest, scan
from resplint.scan.request import STDIN_NAME
from resplint.server.documents import Document
from resplint.server.texts import Text

T = TypeVar("T")

LoadConfig = Callable[[Path, "str | None"], Config]
"""The configuration for a root and an explicit file. Raises `UserError`."""

_STACK_BYTES = 64 * 1024 * 1024
"""Room for the evaluator's frames, of which a thread has less than a process by default."""
_SETTINGS_BYTES = 10_000_000
"""The largest file of settings that findings are shown in."""


class OutdatedScanError(Exception):
    """The project changed while it was scanned, so nobody wants the result any more."""


@dataclass(frozen=True)
class Scanned:
    """What a scan found, by path relative to the root of the project.

    `results` are those to be shown. `documents` are the open ones as they were scanned, and `texts` holds the text of
    every file that a result leads to. `mistake` is what was wrong with the configuration.
    """

    generation: int
    report: Report
    results: Mapping[str, tuple[Result, ...]]
    texts: Mapping[str, Text]
    documents: Mapping[str, Document]
    rules: Mapping[str, RuleInfo]
    config: Config
    mistake: UserError | None = None


@dataclass(frozen=True)
class Job:
    """A scan to be done: of the folder `root`, or of the document `only` alone if there is no folder around it.

    `documents` are the open ones, by path relative to the root; `level` is the lowest that is shown. `last_config` is
    used while the configuration cannot be read. `is_outdated` is asked now and then whether to go on.
    """

    generation: int
    root: str
    documents: Mapping[str, Document]
    memory: FactsMemory
    load_config: LoadConfig
    last_config: Config
    explicit_config: str | None = None
    only: str | None = None
    level: Level = Level.NOTE
    is_outdated: Callable[[], bool] = lambda: False
    progress: Callable[[str, int, int], None] = lambda stage, done, total: None
    overlay: Mapping[str, bytes] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "overlay", {path: each.data for path, each in self.documents.items()})

    def run(self) -> Scanned:
        """Scan. Raises `OutdatedScanError`, and whatever a scan raises."""
        config, mistake = self._config()
        try:
            report = scan(self._request(config))
        except UserError as error:
            if not config.baseline:
                raise
            # A baseline that cannot be read, such as in the middle of a merge, hides nothing.
            mistake = mistake or error
            report = scan(self._request(msgspec.structs.replace(config, baseline=None)))
        shown: dict[str, list[Result]] = {}
        for result in report.results:
            if result.suppression is None and result.level.rank >= self.level.rank:
                shown.setdefault(result.path, []).append(result)
        return Scanned(
            generation=self.generation,
            report=report,
            results={path: tuple(results) for path, results in shown.items()},
            texts=self._texts(shown, report),
            documents=self.documents,
            rules={rule.code: rule for rule in report.rules},
            config=config,
            mistake=mistake,
        )

    def _config(self) -> tuple[Config, UserError | None]:
        try:
            return self.load_config(Path(self.root), self.explicit_config), None
        except UserError as error:
            return self.last_config, error

    def _request(self, config: Config) -> ScanRequest:
        # A second process would inherit our pipes, and forking a process that has threads can hang.
        config = config.with_overrides(jobs=1)
        root = Path(self.root)
        if self.only is None:
            return ScanRequest(
                [self.root], config, root=root, overlay=self.overlay, memory=self.memory,
                cache=self.memory.entries, progress=self._step,
            )  # fmt: skip
        data = self.overlay[self.only]
        return ScanRequest([STDIN_NAME], config, root=root, stdin=data, stdin_name=self.only, progress=self._step)

    def _step(self, stage: str, done: int, total: int) -> None:
        if self.is_outdated():
            raise OutdatedScanError
        self.progress(stage, done, total)

    def _texts(self, shown: Mapping[str, list[Result]], report: Report) -> dict[str, Text]:
        paths = set(shown) | {note.path for note in report.notifications if note.line}
        for result in (each for results in shown.values() for each in results):
            paths.update(step.path for step in result.trail)
            paths.update(edit.path for edit in result.fix.edits) if result.fix is not None else None
        texts = {}
        for path in sorted(paths):
            text = self._text(path)
            if text is not None:
                texts[path] = text
        return texts

    def _text(self, path: str) -> Text | None:
        if path in self.documents:
            return self.documents[path].content
        try:
            data = read_regular(str(Path(self.root, path)), max(self.last_config.max_file_size, _SETTINGS_BYTES))
        except UnreadableFileError:
            return None
        source = decode(data, language_of(path))
        return None if isinstance(source, Undecodable) else Text(source.data.decode("utf-8"))


def language_of(path: str) -> str:
    """The language of a file by its name; "settings" for one that is no source code."""
    return EXTENSIONS.get(os.path.splitext(path)[1].lower(), "settings")


def _unless_done(future: asyncio.Future[T], settle: Callable[[], None]) -> None:
    if not future.done():  # nobody waits any more
        settle()


class ScanThread:
    """A thread that does one thing at a time, while the event loop stays free.

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
