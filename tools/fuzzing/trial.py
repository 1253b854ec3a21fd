"""What must hold for every scan, whatever the code."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from resplint.config.loading import Config
from resplint.contracts.findings import NotificationKind, Precision, Region, Report
from resplint.files.source import Undecodable, decode
from resplint.knowledge.load import load_book
from resplint.output import FORMATS, OutputOptions
from resplint.scan import ScanRequest, scan

SECONDS = 5.0
"""Processor time that one small file may take."""

SUFFIXES = {"python": ".py", "java": ".java", "kotlin": ".kt", "javascript": ".js", "typescript": ".ts"}
FIXTURES = Path(__file__).parents[2] / "fixtures"
_LINE_END = re.compile(r"\r\n|\r|\n")
_WORKFLOW_COMMAND = re.compile(rb"^\s*(?:::[a-z-]+|##\[)", re.MULTILINE)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_AS_DATA = ("json", "sarif", "gitlab", "sonar")


@dataclass(frozen=True)
class Failure:
    """What was wrong, and with which of the inputs ("" if that is not known)."""

    name: str
    what: str


def corpus(language: str) -> list[bytes]:
    """The fixtures of a language, in a fixed order."""
    paths = FIXTURES.glob(f"*/{language}/**/*{SUFFIXES[language]}")
    return [path.read_bytes() for path in sorted(paths) if path.is_file()]


def config() -> Config:
    """Every rule, and whatever it is not sure of."""
    rules = {code: info.name for code, info in load_book().items()}
    return Config(rules=rules, include_tests=True, min_precision=Precision.LOW, select=("all",), jobs=1)


def examine(folder: Path, inputs: Mapping[str, bytes]) -> list[Failure]:
    """Scan files of the given names and contents, written to the empty `folder`; [] if all is as it must be."""
    for name, data in inputs.items():
        (folder / name).write_bytes(data)
    started = time.process_time()
    try:
        report = scan(ScanRequest([str(folder)], config(), root=folder))
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return [Failure(_only(inputs), f"{type(error).__name__}: {error}")]
    seconds = time.process_time() - started
    failures = [*_remarks(report), *_places(report, inputs), *_reports(report, _only(inputs))]
    if seconds > SECONDS * len(inputs):
        failures.append(Failure(_only(inputs), f"{seconds:.1f} s for {len(inputs)} small files"))
    return failures


def _only(inputs: Mapping[str, bytes]) -> str:
    return next(iter(inputs)) if len(inputs) == 1 else ""


def _remarks(report: Report) -> Iterator[Failure]:
    for note in report.notifications:
        if note.kind is NotificationKind.INTERNAL_ERROR or "timed out" in note.message:
            yield Failure(note.path, note.message)


def _places(report: Report, inputs: Mapping[str, bytes]) -> Iterator[Failure]:
    """Findings must stand inside their file, on whole characters, and show its lines as they are."""
    lines = {name: _lines(data, name) for name, data in inputs.items()}
    for result in report.results:
        regions = [(result.path, result.region), *((step.path, step.region) for step in result.trail)]
        regions += [(edit.path, edit.region) for edit in (result.fix.edits if result.fix else ())]
        for path, region in regions:
            if not _fits(region, lines.get(path, [])):
                yield Failure(path, f"{result.rule} speaks of {region}, which is not in the file")
        shown = {line.number: line.text for line in result.frame}
        if not all(_shows(text, lines[result.path][number - 1 : number]) for number, text in shown.items()):
            yield Failure(result.path, f"{result.rule} shows lines that are not in the file")
    values = [tuple(sorted(result.fingerprints.items())) for result in report.results]
    if len(set(values)) != len(values):
        yield Failure("", "two findings have the same fingerprints")


def _shows(text: str, there: list[str]) -> bool:
    """Whether a line of a report is one that is there, but for what is hidden: a password."""
    hidden = re.sub(r"(?:\\\*)+", ".*", re.escape(text))
    return len(there) == 1 and (text == there[0] or re.fullmatch(hidden, there[0], re.DOTALL) is not None)


def _lines(data: bytes, name: str) -> list[str]:
    language = next(language for language, suffix in SUFFIXES.items() if name.endswith(suffix))
    source = decode(data, language)
    return [] if isinstance(source, Undecodable) else _LINE_END.split(source.data.decode("utf-8"))


def _fits(region: Region, lines: Sequence[str]) -> bool:
    ends = ((region.start_line, region.start_column), (region.end_line, region.end_column))
    return ends[0] <= ends[1] and all(
        1 <= line <= len(lines) and _on_character(lines[line - 1], column) for line, column in ends
    )


def _on_character(line: str, column: int) -> bool:
    """Whether a column, counted in UTF-16 units from 1, is where a character of the line starts or the line ends."""
    units = 1
    for character in line:
        if units >= column:
            break
        units += 2 if ord(character) > 0xFFFF else 1
    return units == column


def _reports(report: Report, name: str) -> Iterator[Failure]:
    """Every format can be written, is what it claims to be, and says nothing in the code's own voice."""
    for format_, render in FORMATS.items():
        try:
            data = render(report, OutputOptions())
            if format_ in _AS_DATA:
                json.loads(data)
        except Exception as error:
            yield Failure(name, f"format {format_}: {type(error).__name__}: {error}")
            continue
        if _CONTROL.search(data.decode("utf-8")):
            yield Failure(name, f"format {format_}: a control character")
        if format_ == "text" and _WORKFLOW_COMMAND.search(data):
            yield Failure(name, f"format {format_}: a workflow command")
