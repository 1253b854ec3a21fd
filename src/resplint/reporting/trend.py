"""How findings went over time: series of files by the time stamps in their names, and the table of sarif-tools."""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path, PurePath
from typing import Any

from resplint.contracts.errors import UserError
from resplint.output.about import install
from resplint.output.escape import escape
from resplint.reporting.code import Sources
from resplint.reporting.issues import level_of, state_of
from resplint.reporting.reading import SarifFile
from resplint.reporting.records import LEVELS, Point, Trend
from resplint.reporting.run import RunView

# The form that sarif-tools knows: once in the name of a file, in UTC.
_STAMP = re.compile(r"\d{8}T\d{6}Z")
_STAMP_FORMAT = "%Y%m%dT%H%M%SZ"
_EXAMPLE = "resplint-20260131T090000Z.sarif"


def stamp_of(path: str) -> str:
    """The time stamp in the name of a file; empty if there is none, no single one, or one that is no time."""
    found = _STAMP.findall(PurePath(path).name)
    if len(found) != 1:
        return ""
    try:
        datetime.strptime(found[0], _STAMP_FORMAT)
    except ValueError:
        return ""
    return str(found[0])


def series(files: Sequence[SarifFile]) -> tuple[tuple[SarifFile, ...], tuple[Trend, ...]]:
    """What is current, and how it came to be.

    Files whose paths differ in their time stamp alone are a series: its newest is current, all others are history.
    A file without a stamp is current. Only series of two points and more have a trend.
    """
    stamped: dict[str, dict[str, SarifFile]] = {}
    for file in files:
        stamp = stamp_of(file.path)
        name = f"{PurePath(file.path).parent}/{_STAMP.sub('', PurePath(file.path).name)}" if stamp else file.path
        stamped.setdefault(name, {})[stamp] = file
    newest = {id(history[max(history)]) for history in stamped.values()}
    current = tuple(file for file in files if id(file) in newest)
    trends = tuple(
        Trend(_label(name), tuple(Point(stamp, _counts(file)) for stamp, file in sorted(history.items())))
        for name, history in stamped.items()
        if len(history) > 1
    )
    return current, trends


def trend_csv(files: Sequence[SarifFile]) -> bytes:
    """Open findings by level and time, as `sarif trend` writes them: a row for each file, oldest first.

    Raises UserError for a file whose name carries no time stamp, and if sarif-tools is not installed.
    """
    for file in files:
        if not stamp_of(file.path):
            raise UserError(
                f"{file.path}: --trend needs one time stamp in UTC in the name of every file, such as {_EXAMPLE}."
            )
    try:
        from sarif.operations.trend_op import generate_trend_csv  # type: ignore[import-untyped]  # noqa: PLC0415
        from sarif.sarif_file import SarifFile as ToolFile  # type: ignore[import-untyped]  # noqa: PLC0415
        from sarif.sarif_file import SarifFileSet  # noqa: PLC0415
    except ImportError as error:
        raise UserError(f"--trend needs sarif-tools: {install('report')}.") from error
    given = SarifFileSet()
    for file in files:
        given.add_file(ToolFile(file.path, _bare(file)))
    with tempfile.TemporaryDirectory(prefix="resplint-") as folder:
        target = Path(folder) / "trend.csv"
        with contextlib.redirect_stdout(io.StringIO()):  # it tells what it does
            generate_trend_csv(given, str(target), "ymd")
        return target.read_bytes()


def _bare(file: SarifFile) -> dict[str, Any]:
    """The open results of a file in the form that sarif-tools counts.

    It would count suppressed ones too, and stops at a result without `ruleId`, which the standard allows.
    """
    runs = []
    for run in file.log.runs:
        view = RunView(run, Sources(None))
        results = [
            {"ruleId": view.rule(result, None).id, "level": level, "message": {"text": ""}}
            for result, level in _open(view)
        ]
        runs.append({"tool": {"driver": {"name": view.tool}}, "results": results})
    return {"version": "2.1.0", "runs": runs}


def _counts(file: SarifFile) -> tuple[int, ...]:
    levels = Counter(level for run in file.log.runs for _, level in _open(RunView(run, Sources(None))))
    return tuple(levels[level] for level in LEVELS)


def _open(view: RunView) -> Iterable[tuple[Any, str]]:
    for result in view.run.results or ():
        state = state_of(result)
        if state is not None and state.is_open:
            yield result, level_of(result, view.descriptor(result))


def _label(name: str) -> str:
    stem = re.sub(r"\.sarif(\.json)?$|\.json$", "", PurePath(name).name, flags=re.IGNORECASE).strip("-_. ")
    return escape(stem) or "findings"
