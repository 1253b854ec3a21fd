"""Commands of `resplint`."""

from __future__ import annotations

from importlib import import_module

import click

from resplint._version import __version__
from resplint.cli.exits import Program

COMMANDS = {
    "scan": "scan",
    "baseline": "baseline",
    "clients": "clients",
    "why": "why",
    "init": "init",
    "explain": "explain",
    "rules": "explain",
    "report": "report",
    "cache": "cache",
    "server": "server",
    "completion": "completing",
}
"""Command -> the module of this package that has it, in the order of the documentation."""


class _Commands(Program):
    """Commands that are imported when somebody runs them or asks what they do: start-up time counts in a hook."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"resplint.cli.{COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, cmd_name)
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="resplint", message="%(prog)s %(version)s")
def cli() -> None:
    """Find Redis and Valkey usage that will be slow, leak, hang or overload the server.

    resplint reads source code; it never runs it and needs neither a server nor a network.
    """
