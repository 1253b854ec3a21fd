"""`resplint report`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime, timezone
from typing import TYPE_CHECKING

import click

from resplint.cli.emit import emit, standard_input
from resplint.cli.exits import CLEAN, with_exit_codes
from resplint.contracts.errors import UserError
from resplint.output.escape import escape

if TYPE_CHECKING:
    from resplint.reporting.records import Collection


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE.sarif...")
@click.option("--html", type=click.Path(), metavar="FILE", help="Write a page that shows the findings.")
@click.option("--csv", type=click.Path(), metavar="FILE", help="Write a table with a row for each finding.")
@click.option(
    "--trend",
    type=click.Path(),
    metavar="FILE",
    help="Write a table of findings by level over time. The name of every SARIF file must hold its time in UTC, "
    "such as resplint-20260131T090000Z.sarif.",
)
@click.option(
    "--source-root",
    type=click.Path(),
    metavar="FOLDER",
    help="Folder with the source code, for SARIF files that hold no code.",
)
@click.option(
    "--blame",
    is_flag=True,
    help="Say who changed the line of each finding last, and when, by the commits of the git repository around the "
    "current folder (or --source-root); stops asking after 20 s.",
)
@with_exit_codes
def report(
    files: tuple[str, ...], html: str | None, csv: str | None, trend: str | None, source_root: str | None, blame: bool
) -> int:
    """Make reports of SARIF files, those of resplint or of other tools.

    '-' as FILE stands for standard input or output. Of files whose names differ in a time stamp alone, the page and the
    table show the newest; the page also shows how it got there.
    """
    targets = [target for target in (html, csv, trend) if target is not None]
    if not targets:
        raise UserError("Nothing to write: give --html FILE, --csv FILE or --trend FILE.")
    if targets.count("-") > 1:
        raise UserError("Only one report can go to standard output ('-').")
    # Imported now so that help stays quick.
    from resplint.reporting import csv as table  # noqa: PLC0415
    from resplint.reporting import html as page  # noqa: PLC0415
    from resplint.reporting.collect import collect  # noqa: PLC0415
    from resplint.reporting.reading import MAX_BYTES, read_files  # noqa: PLC0415
    from resplint.reporting.trend import trend_csv  # noqa: PLC0415

    given = read_files(files, standard_input(MAX_BYTES, "split it") if "-" in files else None)
    made = [(trend, trend_csv(given))] if trend is not None else []
    if html is not None or csv is not None:
        collection = collect(given, source_root)
        if blame:
            collection = _blamed(collection, source_root or ".")
        if csv is not None:
            made.append((csv, table.render(collection)))
        if html is not None:
            made.append((html, page.render(collection)))
    for target, data in made:
        emit(data, None if target == "-" else target)
    return CLEAN


def _blamed(collection: Collection, folder: str) -> Collection:
    from resplint.diff_base.git import Repository  # noqa: PLC0415
    from resplint.discovery.gitignore import enclosing_repository  # noqa: PLC0415
    from resplint.reporting.blame import with_changes  # noqa: PLC0415
    from resplint.reporting.records import Change  # noqa: PLC0415

    real = os.path.realpath(folder)
    if enclosing_repository(real) is None:
        raise UserError(f"--blame: {escape(real)} is in no git repository; run it in one, or name it by --source-root.")
    repository = Repository.around(real)

    def asked(path: str, lines: Sequence[int], seconds: float) -> dict[int, Change]:
        found = repository.last_changes(path, lines, seconds)
        return {
            line: Change(escape(one.author), f"{datetime.fromtimestamp(one.time, timezone.utc):%Y-%m-%d}", one.commit)
            for line, one in found.items()
        }

    return with_changes(collection, asked)
