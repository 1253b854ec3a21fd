"""The baseline: findings that somebody has accepted for the time being, in a file beside the code.

`reading` and `writing` know the file's form, `matching` finds accepted findings again in code that has changed since,
`accepting` says what follows for the results of a scan, `renewing` brings the file up to date.
"""

from __future__ import annotations

from resplint.baseline.accepting import Ground, Marked, mark
from resplint.baseline.matching import Moved, Trace, match, traces
from resplint.baseline.reading import load
from resplint.baseline.records import Baseline, Entry
from resplint.baseline.renewing import Renewal, Terms, renew
from resplint.baseline.today import current_date
from resplint.baseline.writing import render

__all__ = [
    "Baseline", "Entry", "Ground", "Marked", "Moved", "Renewal", "Terms", "Trace",
    "current_date", "load", "mark", "match", "render", "renew", "traces",
]  # fmt: skip
