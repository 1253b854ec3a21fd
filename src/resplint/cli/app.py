"""Commands of `resplint`."""

from __future__ import annotations

import click

from resplint._version import __version__
from resplint.cli.baseline import baseline
from resplint.cli.cache import cache
from resplint.cli.clients import clients
from resplint.cli.completing import completion
from resplint.cli.explain import explain, rules
from resplint.cli.init import init
from resplint.cli.report import report
from resplint.cli.scan import scan
from resplint.cli.server import server


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="resplint", message="%(prog)s %(version)s")
def cli() -> None:
    """Find Redis and Valkey usage that will be slow, leak, hang or overload the server.

    resplint reads source code; it never runs it and needs neither a server nor a network.
    """


cli.add_command(scan)
cli.add_command(baseline)
cli.add_command(clients)
cli.add_command(init)
cli.add_command(explain)
cli.add_command(rules)
cli.add_command(report)
cli.add_command(cache)
cli.add_command(server)
cli.add_command(completion)
