"""The options of commands that remember what they found."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

import click

from resplint.output.escape import escape

if TYPE_CHECKING:
    from resplint.cache import Store

_Command = TypeVar("_Command", bound=Callable[..., object])

_OPTIONS = (
    click.option(
        "--cache-dir",
        type=click.Path(),
        metavar="FOLDER",
        help="Where to keep results between runs (default: $RESPLINT_CACHE_DIR, or the user's folder for caches).",
    ),
    click.option("--no-cache", is_flag=True, help="Keep no results, and use none of earlier runs."),
)


def cache_options(command: _Command) -> _Command:
    """Add the options to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def opened_cache(options: Mapping[str, object]) -> Store | None:
    """The cache that the options ask for. One that cannot be used is left out, with a remark: it may only cost time."""
    if options["no_cache"]:
        return None
    from resplint import cache  # noqa: PLC0415 - not every command needs it

    given = options["cache_dir"]
    try:
        return cache.open_store(str(given) if given else None, os.environ)
    except cache.UnusableCacheError as error:
        click.echo(f"resplint: {escape(str(error))}", err=True)
        return None
