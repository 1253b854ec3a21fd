"""`resplint server`."""

from __future__ import annotations

import sys

import click

from resplint.cli.exits import CLEAN, FINDINGS, with_exit_codes
from resplint.cli.scan import load_config


@click.command()
@click.option("--stdio", is_flag=True, help="Speak on standard input and output; the only way, so it may be left out.")
@with_exit_codes
def server(stdio: bool) -> int:
    """Serve an editor (Language Server Protocol) on standard input and output."""
    from resplint.server import run  # noqa: PLC0415

    if sys.stdin.isatty():
        click.echo("resplint: waiting for an editor on standard input; editors start this command themselves", err=True)
    return CLEAN if run(load_config) else FINDINGS
