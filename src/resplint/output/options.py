"""What a user may choose about a report's form."""

from __future__ import annotations

import msgspec

from resplint.contracts.findings import Level, NotificationKind

SUMMARY_BYTES = 1_000_000
"""Size of a Markdown report unless asked otherwise: the summary of a step on GitHub may have 1 MiB (1,048,576)."""


class Here(msgspec.Struct, frozen=True):
    """Where the current folder is: `way` leads from it to the root of the scan ("." or "../.."), `inside` is its path
    below that root, "" if it is not below.
    """

    way: str
    inside: str = ""


class OutputOptions(msgspec.Struct, frozen=True):
    """Options of every format; `docs/output-formats.md` says which format uses which.

    `color`: use ANSI styles (whoever calls has settled terminal, NO_COLOR and flags). `width`: columns of
    the terminal, None if there is none; without colour it has no effect, so that plain text never depends
    on a terminal. `show_notes`: formats for people list results of level note too. `statistics`: add counts by
    rule and the timings of the scan. `show_limits`: list limits of the analysis, too. `quiet`: text is findings only,
    with the notifications of these kinds; None if it is not to be quiet.

    `fail_on`: the level from which JUnit's tests fail. `prefix`: the folder of the scan's root in its repository,
    "" or with a slash at its end; formats for services that show a repository put it before each path. `here`: where
    the scan's root is, seen from the current folder, None if they have nothing to do with each other; formats for a
    terminal show paths accordingly. `in_workflow`: a runner of GitHub workflows reads the output and takes paths as the
    repository's. `source_url`: where those services show a file, up to its path
    ("https://host/owner/name/blob/commit/"); "" if that is not known. `summary_bytes`: the most a Markdown report may
    have.
    """

    color: bool = False
    width: int | None = None
    show_notes: bool = False
    statistics: bool = False
    show_limits: bool = False
    quiet: frozenset[NotificationKind] | None = None
    fail_on: Level = Level.WARNING
    prefix: str = ""
    here: Here | None = None
    in_workflow: bool = False
    source_url: str = ""
    summary_bytes: int = SUMMARY_BYTES
