"""`resplint init`."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from resplint.cli.exits import CLEAN, with_exit_codes
from resplint.contracts.errors import UserError
from resplint.output import write
from resplint.output.escape import escape

if TYPE_CHECKING:
    from resplint.starter import Plan, Step, Survey

_DONE = {"create": "wrote", "replace": "replaced", "extend": "added [tool.resplint] to", "keep": "kept"}
_PLANNED = {"create": "would write", "replace": "would replace", "extend": "would add [tool.resplint] to"}


@click.command()
@click.argument("folder", default=".", type=click.Path())
@click.option(
    "--pyproject",
    is_flag=True,
    help="Add the table [tool.resplint] to pyproject.toml instead of writing resplint.toml.",
)
@click.option(
    "--force",
    is_flag=True,
    help="Replace resplint.toml and .github/workflows/resplint.yml if they exist. No other file is ever replaced.",
)
@click.option("--dry-run", "--print", "dry_run", is_flag=True, help="Print what would be written, and write nothing.")
@with_exit_codes
def init(folder: str, pyproject: bool, force: bool, dry_run: bool) -> int:
    """Set resplint up in a project: a configuration, a pre-commit hook and a workflow for CI.

    FOLDER (default: the current one) gets a configuration that names every key and changes nothing. The repository gets
    a hook for pre-commit and a workflow for GitHub; where a file for them is there already, the lines to add are
    printed.
    """
    from resplint.starter import make_plan, survey  # noqa: PLC0415

    if not os.path.isdir(folder):
        raise UserError(f"{folder}: is no folder.")
    found = survey(Path(folder))
    plan = make_plan(found, in_pyproject=pyproject, force=force)
    click.echo(_told(found))
    for step in plan.steps:
        if step.writes and not dry_run:
            _put(step)
        _show(step, found, dry_run=dry_run)
    click.echo(_next(plan, found))
    return CLEAN


def _put(step: Step) -> None:
    try:
        step.path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{step.path.parent}: cannot be made: {error.strerror}.") from error
    write(step.path, step.text.encode())


def _show(step: Step, found: Survey, *, dry_run: bool) -> None:
    name = escape(os.path.relpath(step.path, found.folder))
    if step.does == "paste":
        click.echo(f"\nAdd to {name}{f', {step.why}' if step.why else ''}:\n\n{_indented(step.text)}")
    elif step.writes and dry_run:
        click.echo(f"\n{_PLANNED[step.does]} {name}:\n\n{_indented(step.shown or step.text)}")
    else:
        click.echo(f"  {_DONE[step.does]} {name}" + (f": {step.why}" if step.why else ""))


def _indented(text: str) -> str:
    return "\n".join(f"    {escape(line)}".rstrip() for line in text.strip("\n").splitlines())


def _told(found: Survey) -> str:
    """What the project consists of, line by line."""
    from resplint.knowledge.book import LANGUAGE_TITLES  # noqa: PLC0415

    languages = ", ".join(f"{LANGUAGE_TITLES[name]} ({count})" for name, count in found.languages.items())
    libraries = ", ".join(f"{name} ({count})" for name, count in found.libraries.items())
    others = ", ".join(f"{name} ({count})" for name, count in found.unsupported.items())
    return (
        f"Files by language: {languages or 'none that resplint reads'}\n"
        f"Files by client library: {libraries or 'none that resplint knows'}\n"
    ) + (f"Files that mention Redis in languages that are not supported: {others}\n" if others else "")


def _next(plan: Plan, found: Survey) -> str:
    folder = os.path.relpath(found.folder)
    scanned = "" if folder == "." else f" {escape(shlex.quote(folder))}"
    steps = [
        (f"resplint scan{scanned}", "see what it finds"),
        (f"resplint baseline{scanned}", "accept what is there: from then on only new findings fail"),
    ]
    if any(step.path.name == ".pre-commit-config.yaml" for step in plan.steps):
        steps.append(("pre-commit install", "run it on what is committed"))
    width = max(len(command) for command, _ in steps)
    return "\nNext:\n" + "\n".join(f"  {command:<{width}}  {purpose}" for command, purpose in steps)
