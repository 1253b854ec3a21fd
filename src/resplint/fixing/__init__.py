"""Fixing: from the fixes that findings carry to changed files.

`plan` finds out, in memory, what files look like when everything that may be fixed is: round by round, each round
proven by a scan of the new texts. `write` then replaces the files, `unified_diff` shows what it would do.
"""

from __future__ import annotations

from resplint.fixing.diff import unified_diff
from resplint.fixing.records import Plan, Scanner, Source, Wanted
from resplint.fixing.rounds import MAX_ROUNDS, plan
from resplint.fixing.writing import write

__all__ = ["MAX_ROUNDS", "Plan", "Scanner", "Source", "Wanted", "plan", "unified_diff", "write"]
