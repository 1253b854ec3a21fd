"""What fixing makes of the fixtures: the finding is gone, and nothing else is lost or new.

Fixes that a fixture's own rule offers are applied, unsafe ones as well, to a copy. `bad_x.py.fixed` beside `bad_x.py`
(or inside the folder of a fixture) is what must come out, byte for byte. Then the same with other line ends, tabs and
a byte-order mark.
"""

from __future__ import annotations

import dataclasses
import re
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import pytest

from resplint.contracts.findings import FixSafety, Report
from resplint.fixing import Plan, Source, Wanted, plan, write
from resplint.knowledge.load import load_book
from resplint.languages import EXTENSIONS
from resplint.scan import FactsMemory, ScanRequest, scan
from tests.rules.fixture_cases import CODES, FIXTURES, Case, all_cases, config, read, versions
from tests.rules.metamorphic_code import COMMENTS, Code

OPTIONS = {"--fix": FixSafety.SAFE, "--unsafe-fixes": FixSafety.UNSAFE}
SECTION = "Fix and its safety"
_OPTION = re.compile(r"(?<![\w-])--(?:unsafe-fixes|fix)(?![\w-])")


def promised(rule: str) -> set[FixSafety]:
    """Which kinds of fixes the page of a rule names, by their options."""
    section = load_book()[CODES[rule]].sections[SECTION]
    return {OPTIONS[option] for option in _OPTION.findall(section)}


CASES = [case for case in all_cases() if case.path.name.startswith("bad_") and promised(case.rule)]
EXPECTED = sorted(FIXTURES.rglob("*.fixed"))


def pinned(case: Case) -> dict[str, str]:
    return {library: version for path in case.files for library, version in versions(read(path)).items()}


class Scanner:
    """Scans a folder with every rule. If it is a copy of a fixture, only the fixture's own rule has fixes."""

    def __init__(self, folder: Path, case: Case | None = None) -> None:
        self._codes = {CODES[case.rule]} if case is not None else set(CODES.values())
        self._memory = FactsMemory()
        settings = config(client_versions=pinned(case) if case is not None else {}, select=("all",))
        self._request = ScanRequest([str(folder)], settings, root=folder, memory=self._memory)
        self.scans = 0

    def scan(self, overlay: Mapping[str, bytes]) -> Report:
        self.scans += 1
        report = scan(dataclasses.replace(self._request, overlay=overlay))
        results = [
            result if result.rule in self._codes else msgspec.structs.replace(result, fix=None)
            for result in report.results
        ]
        return msgspec.structs.replace(report, results=tuple(results))

    def source(self, path: str) -> Source | None:
        kept = self._memory.newest(path)
        return None if kept is None or kept[1].facts is None else Source(kept[0], kept[1].facts.language)


ALL = Wanted(unsafe=True, notes=True)


@dataclasses.dataclass(frozen=True)
class Fixed:
    """A fixture before and after fixing: the texts of its source files, the plan, and how many scans it took."""

    before: dict[str, bytes]
    after: dict[str, bytes]
    plan: Plan
    scans: int


def sources(case: Case) -> dict[str, bytes]:
    return {path.relative_to(case.root).as_posix(): path.read_bytes() for path in case.files}


def copy(case: Case, folder: Path, change: Callable[[str, bytes], bytes]) -> dict[str, bytes]:
    """Copy a fixture with every source file changed; returns the changed files."""
    if case.path.is_dir():
        shutil.copytree(case.path, folder, dirs_exist_ok=True)
    texts = {path: change(path, data) for path, data in sources(case).items()}
    for path, data in texts.items():
        (folder / path).write_bytes(data)
    return texts


def fix(case: Case, folder: Path, change: Callable[[str, bytes], bytes] = lambda path, data: data) -> Fixed:
    before = copy(case, folder, change)
    scanner = Scanner(folder, case)
    planned = plan(scanner, ALL)
    written, notes = write(planned, folder)
    assert notes == []
    assert written == {file.path for file in planned.files}
    return Fixed(before, {path: (folder / path).read_bytes() for path in before}, planned, scanner.scans)


# -- layouts --------------------------------------------------------------------------------------------------------


def retyped(path: str, data: bytes) -> bytes:
    """A text as another editor might have saved it: byte-order mark, CRLF, tabs."""
    return b"\xef\xbb\xbf" + tabbed(path, data).replace(b"\n", b"\r\n")


def tabbed(path: str, data: bytes) -> bytes:
    unit = 2 if path.endswith((".js", ".mjs", ".cjs", ".ts", ".tsx")) else 4
    return re.sub(rb"(?m)^ +", lambda found: b"\t" * (len(found[0]) // unit) + b" " * (len(found[0]) % unit), data)


# -- what is compared -----------------------------------------------------------------------------------------------


def parsed(path: str, data: bytes) -> Code:
    suffix = Path(path).suffix
    return Code(data.decode("utf-8-sig"), EXTENSIONS[suffix], suffix)


def comments(code: Code) -> Counter[str]:
    return Counter(code.code(part) for part in code.of_kind(*COMMENTS))


def compiles(path: str, data: bytes) -> bool:
    """Whether the standard library takes it for Python; true of other languages."""
    if not path.endswith(".py"):
        return True
    try:
        compile(data, path, "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def kinds(report: Report) -> Counter[tuple[str, str, str]]:
    """Findings by what a change of lines does not touch."""
    return Counter((one.rule, one.path, one.symbol) for one in report.results if one.suppression is None)


def check(case: Case, fixed: Fixed) -> None:
    """What must hold after every fixing."""
    planned = fixed.plan
    assert planned.notes == ()
    kinds_of_fixes = {result.fix.safety for result in planned.initial.results if result.fix is not None}
    assert kinds_of_fixes <= {*promised(case.rule), FixSafety.DISPLAY}, "its page must name the option"
    assert fixed.scans <= (2 if len(planned.fixed) == 1 else 3), "one round for one fix"
    left = [result for result in planned.report.results if ALL.fix_of(result)]
    assert left == [], "what has a fix is fixed"
    new = kinds(planned.report) - kinds(planned.initial)
    assert not new, "fixing makes no findings"
    gone = kinds(planned.initial) - kinds(planned.report)
    assert sum(count for (rule, _, _), count in gone.items() if rule == CODES[case.rule]) >= len(planned.fixed)
    assert planned.report.notifications == planned.initial.notifications
    for path, before in fixed.before.items():
        after = fixed.after[path]
        if after == before:
            continue
        old, new_code = parsed(path, before), parsed(path, after)
        assert new_code.errors <= old.errors
        assert not comments(old) - comments(new_code), "no comment is lost"
        assert compiles(path, after) >= compiles(path, before)
        assert set(re.findall(rb"\r\n|\n|\r", after)) == set(re.findall(rb"\r\n|\n|\r", before))


# -- tests ----------------------------------------------------------------------------------------------------------

each_case = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


@each_case
def test_fixing(case: Case, tmp_path: Path) -> None:
    """As the fixture is, and as another editor would have saved it: both come out alike."""
    first, second = tmp_path / "as-it-is", tmp_path / "retyped"
    first.mkdir()
    second.mkdir()
    fixed = fix(case, first)
    check(case, fixed)
    for path, after in fixed.after.items():
        expected = case.root / f"{path}.fixed"
        if expected.exists():
            assert after.decode() == expected.read_text(encoding="utf-8")
    if not fixed.plan.files:
        return
    again = plan(Scanner(first, case), ALL)
    assert (again.files, again.fixed, again.notes) == ((), (), ())
    other = fix(case, second, retyped)
    check(case, other)
    assert {path: data.decode() for path, data in other.after.items()} == {
        path: retyped(path, data).decode() for path, data in fixed.after.items()
    }


@pytest.mark.parametrize("path", EXPECTED, ids=[path.relative_to(FIXTURES).as_posix() for path in EXPECTED])
def test_what_is_expected_is_expected_of_a_fixture(path: Path) -> None:
    source = path.with_suffix("")
    assert source.is_file()
    assert source.read_bytes() != path.read_bytes()
    tested = [case.path for case in CASES]
    assert any(source == one or one in source.parents for one in tested), "its rule's page must name the option"


def offered(case: Case) -> set[FixSafety]:
    """The kinds of fixes that findings of the fixture's own rule have, with the server known and without."""
    found: set[FixSafety] = set()
    for server in ({"redis-version": "7.2"}, {}):
        settings = config(client_versions=pinned(case), select=(CODES[case.rule],), server=server)
        report = scan(ScanRequest([str(case.path)], settings, root=case.root))
        found |= {result.fix.safety for result in report.results if result.fix is not None}
    return found - {FixSafety.DISPLAY}


@pytest.mark.parametrize("rule", sorted(CODES))
def test_a_page_promises_the_fixes_that_fixtures_show(rule: str) -> None:
    """And a rule whose page names no option has no fix; `test_fixing` sees to it that there are no others."""
    wanted = promised(rule)
    found: set[FixSafety] = set()
    for case in all_cases():
        if case.rule == rule and case.path.name.startswith("bad_"):
            found |= offered(case)
            if wanted and found >= wanted:
                break
    assert found == wanted


@pytest.mark.parametrize("language", ["javascript", "typescript"])
def test_all_fixtures_of_a_language_at_once(language: str, tmp_path: Path) -> None:
    """One round proves all their fixes beside each other, and a second run finds nothing to do."""
    folder = tmp_path / "all"
    for rule in sorted(path for path in FIXTURES.iterdir() if (path / language).is_dir()):
        shutil.copytree(rule / language, folder / rule.name)
    scanner = Scanner(folder)
    planned = plan(scanner, ALL)
    assert len(planned.fixed) > 15
    assert planned.notes == ()
    assert not kinds(planned.report) - kinds(planned.initial)
    assert scanner.scans <= 3
    write(planned, folder)
    assert plan(Scanner(folder), ALL).files == ()
