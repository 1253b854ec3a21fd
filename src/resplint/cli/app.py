"""Commands of `resplint`."""

from __future__ import annotations

import os
import shlex
from importlib import import_module

import click

from resplint._version import __version__
from resplint.cli.exits import Program
from resplint.contracts.suggestions import nearest

COMMANDS = {
    "scan": "scan",
    "baseline": "baseline",
    "clients": "clients",
    "why": "why",
    "init": "init",
    "explain": "explain",
    "rules": "rules",
    "report": "report",
    "cache": "cache",
    "server": "server",
    "mcp": "mcp",
    "completion": "completing",
}
"""Command -> the module of this package that has it, in the order of the documentation."""

OTHERS_SAY = dict.fromkeys(("check", "lint", "analyse", "analyze", "run", "detect"), "scan") | {"rule": "explain"}
"""Commands of other linters -> the one that does that here."""


class _Commands(Program):
    """Commands that are imported when somebody runs them or asks what they do: start-up time counts in a hook."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def meant_by(self, name: str) -> str:
        """What to type instead of `name`, which is neither command nor option; empty if nobody knows."""
        if name.startswith("-"):
            return self._meant_by_option(name)
        if name in OTHERS_SAY:
            return f"Did you mean `resplint {OTHERS_SAY[name]}`?"
        if os.path.lexists(name):
            return f"To scan it, type `resplint scan {shlex.quote(name)}`."
        close = nearest(name, COMMANDS)
        return f"Did you mean `resplint {close}`?" if close is not None else ""

    def _meant_by_option(self, name: str) -> str:
        """The option of a scan, where somebody left out the command."""
        from resplint.cli.scan import scan  # noqa: PLC0415 - seldom needed

        options = [option for parameter in scan.params for option in parameter.opts if option.startswith("--")]
        close = nearest(name, options)
        return f"Did you mean `resplint scan {close}`?" if close is not None else ""

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
