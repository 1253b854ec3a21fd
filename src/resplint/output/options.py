"""What a user may choose about a report's form."""

from __future__ import annotations

import msgspec


class OutputOptions(msgspec.Struct, frozen=True):
    """Options of every format; formats for machines heed `statistics` only.

    `color`: use ANSI styles (whoever calls has settled terminal, NO_COLOR and flags). `width`: columns of
    the terminal, None if there is none; without colour it has no effect, so that plain text never depends
    on a terminal. `show_notes`: also print results of level note. `statistics`: add counts by rule and the
    timings of the scan.
    """

    color: bool = False
    width: int | None = None
    show_notes: bool = False
    statistics: bool = False
