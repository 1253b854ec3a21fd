"""`resplint clients`."""

from __future__ import annotations

from pathlib import Path

import click

from resplint.cli.emit import emit
from resplint.cli.exits import with_exit_codes
from resplint.cli.linking import complain_of_failures, linked_project, wants_color
from resplint.cli.repository import seen_from_here
from resplint.cli.scan import load_config
from resplint.discovery.discover import find_root


@click.command(context_settings={"show_default": True})
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="Form of the inventory.")
@click.option("--output", "-o", type=click.Path(), help="Write it to a file (replaced as a whole).")
@click.option(
    "--config",
    type=click.Path(),
    help="Configuration file; default: resplint.toml or pyproject.toml, from the scanned folder upwards.",
)
@click.option("--exclude", multiple=True, metavar="GLOB", help="Leave out files that match, as in .gitignore.")
@click.option("--include-tests/--no-include-tests", default=None, help="Also look at test code (default: no).")
@click.option("--jobs", type=int, metavar="N", help="Processes to use; 0 is one for each processor (default).")
@with_exit_codes
def clients(
    paths: tuple[str, ...],
    format_: str,
    output: str | None,
    config: str | None,
    exclude: tuple[str, ...],
    include_tests: bool | None,
    jobs: int | None,
) -> int:
    """List every Redis client of a project: where it is made, how it is configured, who uses it."""
    chosen = paths or (".",)
    root = find_root(chosen)
    settings = load_config(root, config).with_overrides(exclude=exclude, include_tests=include_tests, jobs=jobs)
    linked = linked_project(chosen, settings, Path(root), demands_source=True)
    from resplint import inventory  # noqa: PLC0415
    from resplint.inventory import json_form, text  # noqa: PLC0415
    from resplint.output.places import records_seen_from  # noqa: PLC0415

    found = inventory.collect(linked.project, linked.code)
    if format_ == "json":
        rendered = json_form.render(found)
    else:
        (found,) = records_seen_from([found], seen_from_here(root))
        rendered = text.render(found, color=wants_color(output))
    emit(rendered, output)
    return complain_of_failures(linked)
