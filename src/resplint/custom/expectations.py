"""Comments in examples that say what must be found there, and how what is found compares with them.

`# expect: SHOP001` (optionally with a level) stands on the line above the place where a finding of that rule must
start; `# ok: SHOP001` on the line above a near miss. `# known-miss:` and `# known-false:` record what is not right
yet: they fail as soon as it is. `# traced: BLPOP` says that a call on the line below sends that command through a
client that is known, and `# traced: pool` (`client`, `pipeline` …) that it makes such an object; `# known-untraced:
BLPOP` is for a trace that is not there yet. A first line `# versions: redis-py=5.0.8` says which version of a library
to assume. In XML it is `<!-- expect: SHOP001 -->`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from resplint.contracts import facts
from resplint.contracts.findings import Level, Result
from resplint.model.project import Project

_MARK = re.compile(
    r"^\s*(?:#|//|<!--)\s*(expect|ok|known-miss|known-false):\s*([A-Za-z][\w-]*)(?:\s+(note|warning|error))?\s*(?:-->)?\s*$"
)
_TRACE = re.compile(r"^\s*(?:#|//)\s*(traced|known-untraced):\s*([A-Z]+(?: [A-Z]+)*|[a-z]+(?:_[a-z]+)*)\s*$")
_VERSIONS = re.compile(r"^(?:#|//) versions:\s*(.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Mark:
    """One expectation: it speaks of the line below it."""

    kind: str
    rule: str
    level: str
    path: str
    line: int


@dataclass(frozen=True)
class Trace:
    """A command that must be sent, or a kind of object that must be made, on the line below."""

    kind: str
    what: str
    path: str
    line: int


def marks(text: str, path: str) -> list[Mark]:
    """Marks of one file; stacked marks speak of the first line of code below them."""
    return [Mark(found[1], found[2], found[3] or "", path, line) for found, line in _found(_MARK, text)]


def traces(text: str, path: str) -> list[Trace]:
    """What one file says about where its clients are known."""
    return [Trace(found[1], found[2], path, line) for found, line in _found(_TRACE, text)]


def versions(text: str) -> dict[str, str]:
    """The versions of libraries that a file assumes."""
    match = _VERSIONS.match(text)
    if not match:
        return {}
    pairs = [pair.strip().partition("=") for pair in match[1].split(",")]
    return {name.strip(): version.strip() for name, _, version in pairs}


def _found(pattern: re.Pattern[str], text: str) -> list[tuple[re.Match[str], int]]:
    """The comments of a kind, each with the number of the line that it speaks of."""
    found = []
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if match := pattern.match(line):
            target = number + 1
            while target <= len(lines) and (_MARK.match(lines[target - 1]) or _TRACE.match(lines[target - 1])):
                target += 1
            found.append((match, target))
    return found


def compare(expected: Sequence[Mark], results: Iterable[Result]) -> dict[str, list[str]]:
    """What is missing, noisy or wrong about one rule, in words for the person who wrote the examples."""
    reported = {(result.path, result.region.start_line): result for result in results}
    problems: dict[str, list[str]] = {"missing": [], "noisy": [], "wrong": [], "fixed": []}
    announced = set()
    for mark in expected:
        key = (mark.path, mark.line)
        result = reported.get(key)
        where = f"{mark.path}:{mark.line}"
        announced.add(key)
        if mark.kind == "expect":
            if result is None:
                problems["missing"].append(f"{where} expected {mark.rule}")
            elif mark.level and result.level is not Level(mark.level):
                problems["wrong"].append(f"{where} is {result.level.value}, expected {mark.level}")
        elif mark.kind == "known-false":
            if result is None:
                problems["fixed"].append(f"{where} is no longer a false alarm: write ok")
        elif mark.kind == "known-miss":
            if result is not None:
                problems["fixed"].append(f"{where} is no longer missed: write expect")
        elif result is not None:
            problems["noisy"].append(f"{where} must not be reported: {result.message}")
    for key, result in reported.items():
        if key not in announced:
            problems["noisy"].append(f"{key[0]}:{key[1]} was not announced: {result.message}")
    return {kind: found for kind, found in problems.items() if found}


def traced(project: Project) -> set[tuple[str, int, str]]:
    """Path, line and command of every call that sends one, and path, line and kind of every object that is made.

    A call stands on the line on which it starts and on that of the method's name.
    """
    places = [(site.ref, site.command) for site in project.commands]
    places += [(made.made, made.kind) for made in project.made if made.made is not None]
    places += [(batch.made, batch.object.kind) for batch in project.batches]
    found = set()
    for ref, what in places:
        file = project.index(ref).facts
        expr = file.exprs[ref[1]]
        found.add((file.path, file.line(expr.start), what))
        if isinstance(expr, facts.Call) and expr.callee != facts.NONE:
            callee = file.exprs[expr.callee]
            found.add((file.path, file.line(max(callee.start, callee.end - 1)), what))
    return found


def untraced(expected: Iterable[Trace], found: set[tuple[str, int, str]]) -> list[str]:
    """What is not as the marks say, in words for the person who wrote the examples."""
    problems = []
    for trace in expected:
        is_there = (trace.path, trace.line, trace.what) in found
        where = f"{trace.path}:{trace.line}"
        if trace.kind == "traced" and not is_there:
            problems.append(f"{where} is not traced to {trace.what}")
        elif trace.kind == "known-untraced" and is_there:
            problems.append(f"{where} is traced to {trace.what} now: write traced")
    return problems
