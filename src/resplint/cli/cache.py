"""`resplint cache`."""

from __future__ import annotations

import os

import click

from resplint.cli.exits import CLEAN, with_exit_codes
from resplint.output.escape import escape


@click.command(context_settings={"show_default": True})
@click.option("--cache-dir", type=click.Path(), metavar="FOLDER", help="The folder that was named for the cache.")
@click.option("--clear", is_flag=True, help="Remove everything in it.")
@with_exit_codes
def cache(cache_dir: str | None, clear: bool) -> int:
    """Show where results are kept between runs and how much room they take, or remove them."""
    from resplint.cache import UnusableCacheError, open_store  # noqa: PLC0415 - start-up time of other commands
    from resplint.contracts.errors import UserError  # noqa: PLC0415

    try:
        store = open_store(cache_dir, os.environ)
    except UnusableCacheError as error:
        raise UserError(str(error)) from error
    usage = store.clear() if clear else store.usage()
    noun = "entry" if usage.entries == 1 else "entries"
    click.echo(f"{escape(usage.folder)}: {usage.entries:,} {noun}, {usage.size:,} bytes{' removed' if clear else ''}")
    return CLEAN
