"""Fixing: from the fixes that findings carry to changed files.

`plan` finds out, in memory, what files look like when everything that may be fixed is: round by round, each round
proven by a scan of the new texts. `plan_ignores` does so with comments that suppress. `write` then replaces the files,
`unified_diff` shows what it would do.
"""

from __future__ import annotations

from resplint.fixing.diff import unified_diff
from resplint.fixing.ignoring import plan_ignores
from resplint.fixing.records import Plan, Scanner, Source, Wanted
from resplint.fixing.rounds import MAX_ROUNDS, plan
from resplint.fixing.writing import write

__all__ = ["MAX_ROUNDS", "Plan", "Scanner", "Source", "Wanted", "plan", "plan_ignores", "unified_diff", "write"]
