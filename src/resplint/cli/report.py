"""`resplint report`."""

from __future__ import annotations

import click

from resplint.cli.emit import emit, standard_input
from resplint.cli.exits import CLEAN, with_exit_codes
from resplint.contracts.errors import UserError


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
@with_exit_codes
def report(
    files: tuple[str, ...], html: str | None, csv: str | None, trend: str | None, source_root: str | None
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
        if csv is not None:
            made.append((csv, table.render(collection)))
        if html is not None:
            made.append((html, page.render(collection)))
    for target, data in made:
        emit(data, None if target == "-" else target)
    return CLEAN
