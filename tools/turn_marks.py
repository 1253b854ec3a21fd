"""Turns marks of fixtures that say "not yet" into what holds now, where it has come to hold.

`known-miss` becomes `expect`, `known-false` becomes `ok`, `known-untraced` becomes `traced`; never the other way round.
Prints what it has changed: read the difference before you commit it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.rules.fixture_cases import Case, all_cases, expectations, expected_traces, run_case, traced

TURNED = {"known-miss": "expect", "known-false": "ok", "known-untraced": "traced"}
_MARK = re.compile(rf"^(\s*(?:#|//)\s*)({'|'.join(TURNED)})(:\s*)(\S.*?)\s*$")


def held(case: Case) -> set[tuple[str, str, int, str]]:
    """The marks that have come to hold: kind, path, line that they speak of, and what they name first."""
    expected, results, _ = run_case(case)
    reported = {(result.path, result.region.start_line) for result in results}
    found = {
        (mark.kind, mark.path, mark.line, mark.rule)
        for mark in expected
        if mark.kind in TURNED and ((mark.path, mark.line) in reported) == (mark.kind == "known-miss")
    }
    waiting = [trace for trace in expected_traces(case) if trace.kind in TURNED]
    sites = traced(case) if waiting else set()
    return found | {
        (trace.kind, trace.path, trace.line, trace.what)
        for trace in waiting
        if (trace.path, trace.line, trace.what) in sites
    }


def turn(case: Case) -> int:
    """How many marks of a fixture were turned."""
    wanted = held(case)
    count = 0
    for path in {case.root / one[1] for one in wanted}:
        lines = path.read_bytes().decode().splitlines(keepends=True)
        name = path.relative_to(case.root).as_posix()
        for number, line in enumerate(lines):
            mark = _MARK.match(line)
            if mark is None:
                continue
            target = number + 1
            while re.match(r"^\s*(?:#|//)\s*(?:expect|ok|known-\w+|traced):", lines[target]):
                target += 1
            named = mark[4].split(" ")[0] if mark[2] != "known-untraced" else mark[4]
            if (mark[2], name, target + 1, named) in wanted:
                lines[number] = line.replace(mark[2], TURNED[mark[2]], 1)
                print(f"{case.name}: {TURNED[mark[2]]} at {name}:{target + 1}")
                count += 1
        path.write_bytes("".join(lines).encode())
    return count


def main() -> None:
    cases = [
        case
        for case in all_cases()
        if any(mark.kind in TURNED for mark in [*expectations(case), *expected_traces(case)])
    ]
    print(f"{sum(turn(case) for case in cases)} marks turned in {len(cases)} fixtures that had some")


if __name__ == "__main__":
    main()
