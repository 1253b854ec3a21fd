"""`resplint baseline`."""

from __future__ import annotations

import datetime
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from resplint.cli.completing import rule_selectors
from resplint.cli.emit import demand_targets
from resplint.cli.exits import CLEAN, INTERNAL, with_exit_codes
from resplint.cli.progress import ProgressBar
from resplint.cli.repository import seen_from_here
from resplint.cli.scan import LEVELS, load_config, overridden, scan_root, sees_whole_project, split
from resplint.config.loading import BASELINE_NAME, Config
from resplint.contracts.errors import UserError
from resplint.contracts.findings import Level, Notification, NotificationKind
from resplint.output import write
from resplint.output.escape import escape, inert_json
from resplint.output.writing import is_stream

if TYPE_CHECKING:
    from resplint.baseline import Renewal


@click.command(context_settings={"show_default": True})
@click.argument("paths", nargs=-1, type=click.Path())
@click.option(
    "--output",
    "-o",
    type=click.Path(),
    help="The baseline (default: that of the configuration, or resplint-baseline.jsonl in the current folder).",
)
@click.option("--reason", metavar="TEXT", default="", show_default=False, help="Why: noted in entries that are added.")
@click.option(
    "--expires",
    metavar="DATE",
    help="Last day (YYYY-MM-DD, UTC) of entries that are added, and of those that have expired.",
)
@click.option("--prune", is_flag=True, help="Only remove entries whose finding is gone; accept nothing new.")
@click.option(
    "--select",
    multiple=True,
    metavar="RULES",
    shell_complete=rule_selectors,
    help="Only these rules: codes, names or prefixes, separated by commas. Entries of others stay as they are.",
)
@click.option("--ignore", multiple=True, metavar="RULES", shell_complete=rule_selectors, help="Leave these rules out.")
@click.option("--level", type=click.Choice(LEVELS), default="note", help="Accept findings of this level or above.")
@click.option(
    "--min-precision",
    type=click.Choice(["low", "medium", "high", "very-high"]),
    help="Accept findings of this precision or above.  [default: medium]",
)
@click.option(
    "--config",
    type=click.Path(),
    help="Configuration file; default: resplint.toml or pyproject.toml, from the scanned folder upwards.",
)
@click.option("--exclude", multiple=True, metavar="GLOB", help="Leave out files that match, as in .gitignore.")
@click.option("--include-tests/--no-include-tests", default=None, help="Also scan test code (default: no).")
@click.option(
    "--whole-project",
    is_flag=True,
    help="Analyse the whole repository around PATHS, but touch only entries of PATHS; the default where files are "
    "named in a repository.",
)
@click.option("--isolated", is_flag=True, help="Analyse nothing but PATHS, although files are named.")
@click.option("--jobs", type=int, metavar="N", help="Processes to use; 0 is one for each processor (default).")
@with_exit_codes
def baseline(paths: tuple[str, ...], **options: object) -> int:
    """Accept what is found today: write the baseline, or bring it up to date.

    PATHS are scanned (default: the current folder), and what is found becomes entries of the baseline. Entries whose
    finding is still there keep their reason and date; those whose finding is gone are removed. Entries of other files
    stay as they are. From then on `resplint scan` reports what is new since, wherever it finds the baseline:
    resplint-baseline.jsonl in the scanned folder or above it in the repository, the key baseline of the configuration,
    or --baseline FILE.
    """
    chosen = paths or (".",)
    if "-" in chosen:
        raise UserError("A baseline is about files: standard input ('-') cannot be accepted.")
    expires = _date(options["expires"])
    whole_project = sees_whole_project(chosen, options)
    root = scan_root(chosen, whole_project=whole_project)
    config = _config(root, options, whole_project=whole_project)
    target = str(options["output"] or _from_here(config.baseline or BASELINE_NAME))
    demand_targets([target])
    # The engine (grammar, binding) is loaded only now: help and usage errors stay quick.
    from resplint import baseline as records  # noqa: PLC0415
    from resplint.scan import ScanRequest, renew  # noqa: PLC0415

    # A pipe, for example: then paths are relative to the current folder.
    special = is_stream(target) or (os.path.exists(target) and not os.path.isfile(target))
    there = os.path.isfile(target) and not special
    old = records.load(target) if there else records.Baseline(_absolute(target, special=special))
    reason = " ".join(str(options["reason"]).split())
    terms = records.Terms(Level(options["level"]), reason, expires, bool(options["prune"]))
    with ProgressBar(sys.stderr) as bar:
        request = ScanRequest(
            chosen, config, root=root, whole_project=whole_project, progress=bar.update,
            demands_source=not options["whole_project"],
        )  # fmt: skip
        renewal, remarks = renew(request, old, terms)
    text = records.render(renewal.entries, renewal.scanned).decode("utf-8")
    write(target, inert_json(text).encode("utf-8"))
    # As the next scan of the same will find it.
    found = _config(root, options, whole_project=whole_project).baseline
    configured = found is not None and os.path.realpath(found) == os.path.realpath(target)
    _tell(target, renewal, configured=configured, special=special)
    return _warn(remarks)


def _from_here(file: str) -> str:
    """The name of a file as somebody in the current folder would say it."""
    here = seen_from_here(Path(os.path.dirname(os.path.realpath(file))))
    return os.path.join(here.way, os.path.basename(file)).removeprefix("./") if here is not None else file


def _absolute(target: str, *, special: bool) -> str:
    return os.path.abspath(BASELINE_NAME if special else target)


def _config(root: Path, options: dict[str, object], *, whole_project: bool) -> Config:
    explicit = options["config"]
    config = load_config(root, str(explicit) if explicit else None, whole_project=whole_project)
    said = {
        "select": split(options["select"]), "ignore": split(options["ignore"]),
        "exclude": tuple(options["exclude"]), "include_tests": options["include_tests"],  # type: ignore[arg-type]
        "min_precision": options["min_precision"], "jobs": options["jobs"],
    }  # fmt: skip
    return overridden(config, root, said)


def _date(given: object) -> datetime.date | None:
    if given is None:
        return None
    try:
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", str(given), re.ASCII):
            return datetime.date.fromisoformat(str(given))
    except ValueError:
        pass
    raise UserError(f"--expires {str(given)[:40]!r}: expected a date such as 2030-12-31.")


def _tell(target: str, renewal: Renewal, *, configured: bool, special: bool) -> None:
    """What has changed, and what to do next."""
    number = len(renewal.entries)
    noun = "entry" if number == 1 else "entries"
    changes = f"{renewal.added:,} added, {renewal.kept:,} kept, {renewal.removed:,} removed"
    lines = [f"{escape(target)}: {number:,} {noun} ({changes})"]
    if renewal.lapsed:
        lines.append(f"{renewal.lapsed:,} of them have expired and no longer hold; --expires DATE renews them")
    if renewal.unseen:
        what = "has no finding" if renewal.unseen == 1 else "have no finding"
        lines.append(
            f"{renewal.unseen:,} of them {what} now, but this scan saw less of the project than the one that wrote the "
            "baseline, so they stay; with --whole-project they are found, or removed"
        )
    if not configured and not special:
        lines.append(f"To use it: resplint scan --baseline {escape(target)}, or the key baseline of the configuration")
    click.echo("\n".join(lines), err=special)


def _warn(remarks: tuple[Notification, ...]) -> int:
    """What could not be analysed is missing in the baseline, and will look new some day."""
    wrong = [each for each in remarks if each.kind in (NotificationKind.INTERNAL_ERROR, NotificationKind.PARTIAL)]
    for note in wrong:
        place = f"{escape(note.path)}: " if note.path else ""
        click.echo(f"resplint: {place}{escape(note.message)}", err=True)
    failed = any(note.kind is NotificationKind.INTERNAL_ERROR for note in wrong)
    return INTERNAL if failed else CLEAN
