"""`resplint mcp`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from resplint.cli.exits import CLEAN, with_exit_codes
from resplint.cli.scan import load_config


@click.command()
@click.argument("folder", type=click.Path(), default=".")
@click.option(
    "--config",
    type=click.Path(),
    help="Configuration file; default: resplint.toml or pyproject.toml, from FOLDER upwards.",
)
@with_exit_codes
def mcp(folder: str, config: str | None) -> int:
    """Serve a coding assistant (Model Context Protocol) on standard input and output.

    It may ask about the project in FOLDER (default: the current one) and nothing outside; nothing is written.
    """
    from resplint.assistant import run  # noqa: PLC0415

    if sys.stdin.isatty():
        click.echo(
            "resplint: waiting for an assistant on standard input; assistants start this command themselves", err=True
        )
    run(Path(folder), load_config, config)
    return CLEAN
