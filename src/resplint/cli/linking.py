"""A project linked for a command that asks about it instead of judging it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from resplint.cli.exits import CLEAN, INTERNAL
from resplint.cli.progress import ProgressBar
from resplint.config.loading import Config
from resplint.contracts.findings import NotificationKind
from resplint.output.escape import escape

if TYPE_CHECKING:
    from resplint.scan.linked import LinkedScan


def linked_project(
    paths: Sequence[str], config: Config, root: Path, *, whole_project: bool = False, demands_source: bool = False
) -> LinkedScan:
    """The files below some paths, linked. The engine is loaded only now: help and usage errors stay quick."""
    from resplint.scan import ScanRequest, link  # noqa: PLC0415

    with ProgressBar(sys.stderr) as bar:
        request = ScanRequest(
            paths, config, root=root, whole_project=whole_project, demands_source=demands_source, progress=bar.update
        )
        return link(request)


def wants_color(output: str | None) -> bool:
    """Whether to colour what is written: only on a terminal that can, and whose user does not mind."""
    color = output is None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return color and os.environ.get("TERM") != "dumb"


def complain_of_failures(linked: LinkedScan) -> int:
    """Name the files that could not be analysed because of an error of ours; the exit code."""
    incomplete = [note for note in linked.state.notes if note.kind is NotificationKind.INTERNAL_ERROR]
    for note in incomplete:
        place = f"{escape(note.path)}: " if note.path else ""
        click.echo(f"resplint: {place}{escape(note.message)}", err=True)
    return INTERNAL if incomplete else CLEAN
