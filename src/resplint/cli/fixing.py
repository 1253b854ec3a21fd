"""The options of `resplint scan` that fix what it finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click
import msgspec

from resplint.cli.exits import CLEAN, FINDINGS, INTERNAL, failures
from resplint.contracts.errors import UserError
from resplint.contracts.findings import Level, Notification, Report
from resplint.output.escape import escape
from resplint.output.selection import is_open
from resplint.results.suppress import is_readable

if TYPE_CHECKING:
    from resplint.fixing import Source
    from resplint.scan import ScanRequest

_Command = TypeVar("_Command", bound=Callable[..., object])
Analyse = Callable[["ScanRequest"], Report]

_OPTIONS = (
    click.option("--fix", is_flag=True, help="Apply safe fixes and report what remains."),
    click.option("--unsafe-fixes", is_flag=True, help="Apply fixes that may change what the program does as well."),
    click.option(
        "--add-ignore",
        metavar="REASON",
        help="Write a comment that suppresses it at each finding, for this reason, and report what remains.",
    ),
    click.option(
        "--diff", is_flag=True, help="Show what would be fixed (or ignored) as a diff instead; change nothing."
    ),
)
_COLORS = {"+": "green", "-": "red", "@": "cyan"}


def fix_options(command: _Command) -> _Command:
    """Add the options to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


class Fixes(msgspec.Struct, frozen=True):
    """What fixing came to: the report that holds now, and what there is to say and show beside it.

    `diff` is None unless asked for. `piped` are the bytes of standard input after fixing, None if it was no input.
    """

    report: Report
    notes: tuple[Notification, ...] = ()
    summary: str = ""
    diff: tuple[str, ...] | None = None
    piped: bytes | None = None

    def diff_bytes(self, *, color: bool) -> bytes:
        """The diff as UTF-8."""
        lines = self.diff or ()
        if color:
            lines = tuple(click.style(line, fg=_COLORS.get(line[:1]), bold=_is_header(line)) for line in lines)
        return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")

    def exit_code_of_diff(self, *, exit_zero: bool, strict: bool) -> int:
        """1 if there is something to fix, 3 if the scan failed in part; with `strict` also if it left something out."""
        if {note.kind for note in self.report.notifications} & failures(strict=strict):
            return INTERNAL
        return FINDINGS if self.diff and not exit_zero else CLEAN


def _is_header(line: str) -> bool:
    return line.startswith(("--- a/", "+++ b/"))


def is_asked(options: Mapping[str, object]) -> bool:
    """Whether any of the options was given."""
    return any(options[name] for name in ("fix", "unsafe_fixes", "diff")) or options["add_ignore"] is not None


def fixes(request: ScanRequest, analyse: Analyse, options: Mapping[str, object], *, notes: bool) -> Fixes:
    """Fix what `analyse` finds, on disk unless a diff was asked for. `notes` tells whether notes are fixed, too."""
    # The engine is loaded only now: help and usage errors stay quick.
    from resplint.fixing import Wanted, plan, unified_diff, write  # noqa: PLC0415

    scanner = _Scanner(request, analyse)
    if options["add_ignore"] is not None:
        return _ignores(scanner, request, options, notes=notes)
    wanted = Wanted(unsafe=bool(options["unsafe_fixes"]), notes=notes)
    planned = plan(scanner, wanted)
    piped = scanner.piped()
    if options["diff"]:
        diff = tuple(unified_diff(planned, partial(escape, keep_tabs=True)))
        count = f"{len(planned.fixed):,} would be fixed" if planned.fixed else "nothing to fix"
        summary = count + _more(wanted, planned.report)
        return Fixes(_with_notes(planned.initial, planned.notes), planned.notes, summary, diff, piped)
    elsewhere = frozenset({scanner.piped_path()})
    written, unwritten = write(planned, request.root or Path.cwd(), elsewhere=elsewhere)
    after = {file.path: file.after for file in planned.files if file.path in written}
    report = planned.report if not unwritten else scanner.scan(after)
    notes_of_fixing = (*planned.notes, *unwritten)
    report = _with_notes(report, notes_of_fixing)
    fixed = [result for result in planned.fixed if result.fix and result.fix.edits[0].path in written]
    summary = f"{len(fixed):,} fixed" + _more(wanted, report)
    return Fixes(report, notes_of_fixing, summary, piped=after.get(scanner.piped_path(), piped))


def _ignores(scanner: _Scanner, request: ScanRequest, options: Mapping[str, object], *, notes: bool) -> Fixes:
    """Suppress what is found by comments, on disk unless a diff was asked for."""
    from resplint.fixing import plan_ignores, unified_diff, write  # noqa: PLC0415

    initial = scanner.scan({})
    wanted = [result for result in initial.results if is_open(result) and (notes or result.level is not Level.NOTE)]
    rules = {**request.config.rules, **{rule.code: rule.name for rule in initial.rules}}
    planned, number = plan_ignores(scanner, initial, wanted, rules, str(options["add_ignore"]))
    piped = scanner.piped()
    if options["diff"]:
        diff = tuple(unified_diff(planned, partial(escape, keep_tabs=True)))
        report = _with_notes(initial, planned.notes)
        return Fixes(report, planned.notes, f"{number:,} would be ignored", diff, piped)
    elsewhere = frozenset({scanner.piped_path()})
    written, unwritten = write(planned, request.root or Path.cwd(), elsewhere=elsewhere)
    after = {file.path: file.after for file in planned.files if file.path in written}
    report = _with_notes(scanner.scan(after) if unwritten else planned.report, (*planned.notes, *unwritten))
    gone = sum(is_open(result) for result in initial.results) - sum(is_open(result) for result in report.results)
    return Fixes(report, planned.notes, f"{gone:,} ignored", piped=after.get(scanner.piped_path(), piped))


def check_reason(options: Mapping[str, object]) -> None:
    """Raises `UserError` for a reason that cannot stand in a comment, and for one where fixes are asked for, too."""
    reason = options["add_ignore"]
    if reason is None:
        return
    if options["fix"] or options["unsafe_fixes"]:
        raise UserError("--add-ignore and --fix exclude each other: fix first, then ignore what remains.")
    if not str(reason).strip():
        raise UserError("--add-ignore needs a reason: say why the findings are to stay.")
    if not is_readable(str(reason)):
        raise UserError(
            f"--add-ignore: the reason '{escape(str(reason))}' cannot stand in a comment: write one line, without what "
            "begins or ends a comment."
        )


def _more(wanted: object, report: Report) -> str:
    from resplint.fixing import Wanted  # noqa: PLC0415

    assert isinstance(wanted, Wanted)
    more = sum(wanted.needs_leave(result) for result in report.results)
    return f"; {more:,} more with --unsafe-fixes" if more else ""


def _with_notes(report: Report, notes: tuple[Notification, ...]) -> Report:
    together = sorted({*report.notifications, *notes}, key=Notification.sort_key)
    return msgspec.structs.replace(report, notifications=tuple(together))


class _Scanner:
    """Scans a request again and again, and knows what came from standard input."""

    def __init__(self, request: ScanRequest, analyse: Analyse) -> None:
        from resplint.warm.rescanning import Rescanner  # noqa: PLC0415

        self._request = request
        self._rescanner = Rescanner(request, analyse)

    def scan(self, overlay: Mapping[str, bytes]) -> Report:
        return self._rescanner.scan(overlay)

    def source(self, path: str) -> Source | None:
        return self._rescanner.source(path)

    def piped(self) -> bytes | None:
        """What came from standard input, None if nothing was to be read from there."""
        return self._request.stdin

    def piped_path(self) -> str:
        """The path under which standard input is reported, "" without."""
        from resplint.scan import standard_input  # noqa: PLC0415

        found = standard_input(self._request, self._request.root or Path.cwd())
        return found[0].path if found is not None else ""
