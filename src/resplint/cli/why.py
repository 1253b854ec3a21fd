"""`resplint why`."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click

from resplint.cli.emit import emit
from resplint.cli.exits import with_exit_codes
from resplint.cli.linking import complain_of_failures, linked_project, wants_color
from resplint.cli.repository import seen_from_here
from resplint.cli.scan import load_config
from resplint.contracts.errors import UserError
from resplint.discovery.discover import find_root
from resplint.files.near_paths import hint_at

_PLACE = re.compile(r"^(.+?):(\d{1,9})(?::(\d{1,9}))?$")


@click.command(context_settings={"show_default": True})
@click.argument("place", metavar="FILE:LINE[:COLUMN]")
@click.option("--project", type=click.Path(), help="Folder of the project; default: the current one, or the file's.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="Form of the answer.")
@click.option("--output", "-o", type=click.Path(), help="Write it to a file (replaced as a whole).")
@click.option(
    "--config",
    type=click.Path(),
    help="Configuration file; default: resplint.toml or pyproject.toml, from the project's folder upwards.",
)
@click.option("--include-tests/--no-include-tests", default=None, help="Also look at test code (default: no).")
@click.option("--jobs", type=int, metavar="N", help="Processes to use; 0 is one for each processor (default).")
@with_exit_codes
def why(
    place: str,
    project: str | None,
    format_: str,
    output: str | None,
    config: str | None,
    include_tests: bool | None,
    jobs: int | None,
) -> int:
    """Explain a line of code: what stands there, where it comes from, and why rules report it or do not.

    Without a column the calls that send commands are meant, if the line has any.
    """
    file, line, column = _parsed(place)
    root = _root(file, project)
    settings = load_config(root, config).with_overrides(include_tests=include_tests, jobs=jobs)
    linked = linked_project((file,), settings, root, whole_project=True)
    path = os.path.relpath(os.path.realpath(file), root).replace(os.sep, "/")
    from resplint.inventory import why as answers  # noqa: PLC0415
    from resplint.inventory import why_forms  # noqa: PLC0415
    from resplint.output.places import records_seen_from  # noqa: PLC0415
    from resplint.scan import rule_book  # noqa: PLC0415
    from resplint.scan.analysis import decisions  # noqa: PLC0415
    from resplint.warm.linking import demand_analysed  # noqa: PLC0415

    demand_analysed(linked, path)
    settings = linked.state.config
    decided = decisions(linked, rule_book(settings), settings)
    found = answers.explain(linked.project, linked.code, decided, path, line, column)
    if format_ == "json":
        rendered = why_forms.render_json(found)
    else:
        seen = records_seen_from(found, seen_from_here(root))
        rendered = why_forms.render_text(seen, color=wants_color(output))
    emit(rendered, output)
    return complain_of_failures(linked)


def _parsed(place: str) -> tuple[str, int, int | None]:
    match = _PLACE.match(place)
    if match is None:
        raise UserError(f"{place} is no place in a file: write FILE:LINE or FILE:LINE:COLUMN.")
    if not os.path.isfile(match[1]):
        raise UserError(f"There is no file {match[1]}; {hint_at(match[1]) or 'name one of the project.'}")
    return match[1], int(match[2]), int(match[3]) if match[3] else None


def _root(file: str, project: str | None) -> Path:
    """The folder of the project that a file belongs to."""
    if project is not None:
        root = find_root((project,))
        if root not in Path(os.path.realpath(file)).parents:
            raise UserError(f"{file} does not lie in {project}.")
        return root
    here = Path.cwd().resolve()
    return here if here in Path(os.path.realpath(file)).parents else find_root((file,))
