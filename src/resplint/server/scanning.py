"""One scan of a project as the editor sees it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import msgspec

from resplint.config.loading import Config
from resplint.contracts.errors import UserError
from resplint.contracts.findings import Level, Report, Result, RuleInfo
from resplint.files.regular_files import UnreadableFileError, read_regular
from resplint.files.source import Undecodable, decode
from resplint.inventory.records import Inventory
from resplint.languages import EXTENSIONS
from resplint.scan import FactsMemory, ScanRequest
from resplint.scan.request import STDIN_NAME
from resplint.server.documents import Document
from resplint.server.texts import Text
from resplint.warm.linking import inventory_of
from resplint.warm.scanning import LoadConfig, repeated, report_of

T = TypeVar("T")

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
        (report, mistake_in_baseline), mistake_in_folder = self._asked(report_of, config)
        mistake = mistake or mistake_in_folder or mistake_in_baseline
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

    def clients(self) -> Inventory:
        """The clients of the folder. Raises `OutdatedScanError`, and whatever linking raises."""
        config, _ = self._config()
        return self._asked(inventory_of, config)[0]

    def _asked(self, ask: Callable[[ScanRequest], T], config: Config) -> tuple[T, UserError | None]:
        """What a request comes to. While the configuration of a folder cannot be read, that of the project holds."""
        try:
            return ask(self._request(config)), None
        except UserError as error:
            if not error.file or config.explicit:
                raise
            return ask(self._request(msgspec.structs.replace(config, explicit=True))), error

    def _config(self) -> tuple[Config, UserError | None]:
        try:
            return self.load_config(Path(self.root), self.explicit_config), None
        except UserError as error:
            return self.last_config, error

    def _request(self, config: Config) -> ScanRequest:
        request = repeated(self.root, config, self.memory, self._step, overlay=self.overlay)
        if self.only is None:
            return request
        return replace(
            request, paths=[STDIN_NAME], stdin=self.overlay[self.only], stdin_name=self.only, overlay={}, memory=None,
            cache=None,
        )  # fmt: skip

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
