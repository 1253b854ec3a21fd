"""Printing what rich lays out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


def without_color() -> bool:
    """Whether the environment asks for none."""
    return bool(os.environ.get("NO_COLOR"))


def print_rich(console: Console, what: RenderableType) -> None:
    """Print, and leave it to the caller to say what a stream that cannot be written means: rich would just exit."""
    with console.capture() as captured:
        console.print(what)
    click.echo(captured.get(), nl=False, color=True)
