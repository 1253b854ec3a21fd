"""Findings as 0.1.0 wrote them down: what later versions must know again.

`tests/data/recorded-0.1.0/findings.jsonl` holds the fingerprints of findings in fixtures, `baseline.jsonl` beside it is
the baseline that `resplint baseline` wrote over the same fixtures. Neither is written anew. When a fixture changes for
a good reason, `python -m tests.baseline.recorded` takes out what no longer stands in it, and refuses to while the code
of a finding is as it was.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import msgspec

from resplint.contracts.findings import Result
from resplint.results.fingerprints import CODE_KEY, OWN_KEY
from tests.baseline.helpers import run as resplint
from tests.rules.fixture_cases import CODES, Case, all_cases, expectations, read, run, versions

DATA = Path(__file__).parents[1] / "data" / "recorded-0.1.0"
FINDINGS = DATA / "findings.jsonl"
BASELINE = DATA / "baseline.jsonl"
EVERYTHING = ("--include-tests", "--min-precision", "low")
_PER_GROUP = 5
"""So many findings of each rule and language were recorded, if there are so many."""


class Recorded(msgspec.Struct, frozen=True):
    """One finding. `path` is relative to the root of its fixture, `line` the text of the line on which it begins, `own`
    and `code` are the fingerprints ``resplint/v1`` and ``resplint/code/v1``.
    """

    fixture: str
    path: str
    rule: str
    symbol: str
    line: str
    own: str
    code: str


def recorded() -> list[Recorded]:
    """All that was recorded."""
    return [msgspec.json.decode(line, type=Recorded) for line in FINDINGS.read_bytes().splitlines()]


@cache
def fixtures() -> Mapping[str, Case]:
    return {case.name: case for case in all_cases()}


def results_of(case: Case) -> list[Result]:
    """Findings of a fixture's own rule, in a scan of it alone."""
    return list(run(case.root, [case.path], {}, CODES[case.rule]).results)


def lost(entries: Iterable[Recorded]) -> list[Recorded]:
    """Those of `entries` that are no longer found under their fingerprints."""
    found: dict[str, set[tuple[str, str]]] = {}
    gone = []
    for each in entries:
        if each.fixture not in found:
            case = fixtures().get(each.fixture)
            results = results_of(case) if case else []
            found[each.fixture] = {(one.fingerprints[OWN_KEY], one.fingerprints[CODE_KEY]) for one in results}
        if (each.own, each.code) not in found[each.fixture]:
            gone.append(each)
    return gone


def still_stands(each: Recorded) -> bool:
    """Whether a fixture still has the code of a finding, and still expects it to be reported."""
    case = fixtures().get(each.fixture)
    path = case.root / each.path if case else None
    if case is None or path is None or not path.is_file():
        return False
    lines = read(path).splitlines()
    expected = {mark.line for mark in expectations(case) if mark.kind == "expect" and mark.path == each.path}
    same_line = any(lines[number - 1].strip() == each.line for number in expected if number <= len(lines))
    name = each.symbol.rpartition(".")[2]
    return same_line and bool(re.search(rf"\b{re.escape(name)}\b" if name.isidentifier() else "", read(path)))


def folder_of(fixture: str) -> str:
    """Where a fixture goes in the project of the baseline."""
    return fixture.replace(".", "-")


def put_project(into: Path, names: Iterable[str]) -> None:
    """Copy fixtures to a project, each to a folder of its own."""
    for name in names:
        case, folder = fixtures()[name], into / folder_of(name)
        if case.path.is_dir():
            shutil.copytree(case.path, folder)
        else:
            folder.mkdir(parents=True)
            shutil.copy(case.path, folder)


def _key(each: Recorded) -> tuple[str, str, str, str]:
    """What a line of the baseline says of a finding."""
    return (f"{folder_of(each.fixture)}/{each.path}", each.rule, each.symbol, each.code)


def _key_of(line: str) -> tuple[str, str, str, str]:
    """The same of a line of a baseline."""
    entry = json.loads(line)
    return (entry["path"], entry["rule"], entry["symbol"], entry["fingerprint"])


def _keep(entries: list[Recorded], baseline: str) -> None:
    """Write the findings, and those lines of a baseline that are about them."""
    DATA.mkdir(parents=True, exist_ok=True)
    FINDINGS.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in entries))
    known = {_key(each) for each in entries}
    header, *lines = baseline.splitlines()
    kept = [line for line in lines if _key_of(line) in known]
    BASELINE.write_text("".join(line + "\n" for line in (header, *kept)), "utf-8")


def _record() -> None:
    """Record for the first time: fixtures from the whole alphabet of each rule and language."""
    groups: dict[tuple[str, str], list[Case]] = defaultdict(list)
    for case in all_cases():
        if any(mark.kind == "expect" for mark in expectations(case)) and not any(versions(read(p)) for p in case.files):
            groups[case.rule, case.language].append(case)
    chosen: list[Recorded] = []
    for cases in groups.values():
        count: Counter[str] = Counter()
        # Every second fixture first, so that neighbours in the alphabet, which resemble each other, come last.
        for case in (*cases[::3], *cases[1::3], *cases[2::3]):
            if count.total() < _PER_GROUP:
                chosen += (found := _recorded(case))
                count[case.name] += len(found)
    chosen.sort(key=lambda each: (each.fixture, each.path, each.own))
    with tempfile.TemporaryDirectory() as folder:
        put_project(Path(folder), dict.fromkeys(each.fixture for each in chosen))
        baseline = Path(folder) / "baseline.jsonl"
        done = resplint("baseline", folder, *EVERYTHING, "--output", baseline)
        assert done.exit_code == 0, done.output
        # Settings of one fixture may speak of another one, when both are in one project.
        accepted = {_key_of(line) for line in baseline.read_text("utf-8").splitlines()[1:]}
        _keep([each for each in chosen if _key(each) in accepted], baseline.read_text("utf-8"))


def _recorded(case: Case) -> list[Recorded]:
    expected = {(mark.path, mark.line) for mark in expectations(case) if mark.kind == "expect"}
    return [
        Recorded(
            case.name,
            result.path,
            result.rule,
            result.symbol,
            read(case.root / result.path).splitlines()[result.region.start_line - 1].strip(),
            result.fingerprints[OWN_KEY],
            result.fingerprints[CODE_KEY],
        )
        for result in results_of(case)
        if (result.path, result.region.start_line) in expected
    ]


def main() -> int:
    """Take out what no longer stands in the fixtures; exit with 1, and change nothing, if something else was lost."""
    if not FINDINGS.exists():
        _record()
        return 0
    entries = recorded()
    gone = set(lost(entries))
    broken = [each for each in entries if each in gone and still_stands(each)]
    for each in broken:
        print(f"{each.fixture}: {each.rule} at {each.line!r} has another fingerprint, or is not found any more")
    if broken:
        print("The code of these findings is as it was: users' baselines would lose them. Nothing was written.")
        return 1
    _keep([each for each in entries if each not in gone], BASELINE.read_text("utf-8"))
    for each in sorted(gone, key=lambda each: each.fixture):
        print(f"{each.fixture}: took out {each.rule} at {each.line!r}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
