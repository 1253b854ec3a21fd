"""What fixed scripts do, in Lua 5.1: the same as before, and no harm with values that broke them."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from resplint.checks import load
from resplint.contracts.findings import Fix, FixSafety
from resplint.contracts.remedy import Parameterise
from resplint.model.project import Project
from resplint.scan import ScanRequest, link
from resplint.spelling import Speller
from resplint.spelling.files import NotExpressible, SourceFile
from resplint.spelling.texts import weave
from tests.rules.fixture_cases import RULES, Case, all_cases, config, read, versions
from tests.spelling.lua_runs import GIVEN, Hole, Replies, Script, Trace, script_of
from tests.spelling.remedied import applied
from tests.spelling.test_scripts import IN_NODE, IN_PYTHON, NODE, PYTHON, indented

RULE = "RL301"
CASES = [
    case
    for case in all_cases()
    if case.rule == "unparameterized-eval" and any(path.with_name(f"{path.name}.fixed").exists() for path in case.files)
]
TEXTS = ("plain", "two words", "12", "", "ünï → 😀", "a:b-c/d")
WHOLE = ("0", "7", "-3", "1099511627776")
NUMBERS = (*WHOLE, "0.5", "-2.25", "0.1", "1e-07")
HOSTILE = (
    "O'Brien",
    'say "hi"',
    "back\\slash\\n",
    "two\nlines",
    "') redis.call('FLUSHALL') --",
    "]] --[[",
    "%s {0} ${x}",
)
HARMLESS = "<harmless>"


class Linked:
    """A folder, its findings of the rule, and the scripts of their fixes."""

    def __init__(self, folder: Path, pinned: dict[str, str]) -> None:
        self._folder = folder
        request = ScanRequest([str(folder)], config(client_versions=pinned), root=folder)
        self._project = link(request).project
        self._speller = Speller(self._project, lambda path: (folder / path).read_bytes())

    @property
    def project(self) -> Project:
        return self._project

    def scripts(self) -> Iterator[tuple[Script, Fix]]:
        for finding in load(RULES[RULE])(self._project):
            fix = self._speller.fix(finding.remedy) if finding.remedy is not None else None
            if fix is None or finding.remedy is None:
                continue
            for change in finding.remedy.changes:
                assert isinstance(change, Parameterise)
                constant = self._speller.constant(change)
                yield script_of(self._project.ev, self._speller._file(change.call[0]), constant), fix

    def texts(self) -> set[str]:
        """Every text without holes that the code writes down."""
        found = set()
        for index in self._project.store.loaded:
            file = self._speller._file(index.number)
            for expr in range(len(index.facts.exprs)):
                if (text := _text(file, expr)) is not None:
                    found.add(text)
        return found


def _text(file: SourceFile, expr: int) -> str | None:
    try:
        units = weave(file, expr).units
    except NotExpressible:
        return None
    return None if any(unit.hole >= 0 for unit in units) else "".join(unit.char for unit in units)


# -- what is compared -----------------------------------------------------------------------------------------------


def samples(script: Script) -> Iterator[dict[Hole, str]]:
    """Values for the holes: each of its kind's once, beside different ones in the others."""
    kinds = {"text": TEXTS, "whole": WHOLE, "number": NUMBERS, "": (*TEXTS, *NUMBERS)}
    holes = script.holes
    longest = max(len(kinds[hole.kind]) for hole in holes)
    for turn in range(longest):
        yield {hole: kinds[hole.kind][(turn + at) % len(kinds[hole.kind])] for at, hole in enumerate(holes)}
        yield {hole: kinds[hole.kind][turn % len(kinds[hole.kind])] for hole in holes}


def replies(values: dict[Hole, str]) -> Iterator[Replies]:
    """An empty server, and one whose replies are what scripts compare them with."""
    yield Replies(None, 0, ())
    for text, number in itertools.product({*values.values(), *GIVEN, "1000000"}, (0, 1)):
        yield Replies(text, number, (text, "other"))


def same(one: Trace, other: Trace, exact: bool) -> bool:
    """Whether two traces tell of the same; numbers with a fraction may be spelled otherwise unless it is `exact`."""
    if exact:
        return one == other
    rounded = [tuple(tuple(_rounded(word) for word in words) for words in each.commands) for each in (one, other)]
    return rounded[0] == rounded[1] and one.result == other.result


def _rounded(word: bytes) -> bytes:
    try:
        return b"%.15g" % float(word)
    except ValueError:
        return word


def check(script: Script, fix: Fix) -> None:
    assert script.holes
    used = 0
    for values in samples(script):
        for reply in replies(values):
            before, after = script.as_it_was(values, reply), script.as_it_is(values, reply)
            assert same(before, after, exact=fix.safety is FixSafety.SAFE), (values, reply)
            used += before.result != "error" or bool(before.commands)
    assert used, "the script that was runs at all"
    check_hostile(script)


def check_hostile(script: Script) -> None:
    """Texts that ended the Lua text around them arrive as they are."""
    plain = {hole: HARMLESS if hole.kind in ("text", "") else "7" for hole in script.holes}
    for hostile in HOSTILE:
        for reply in (Replies(None, 0, ()), Replies("1000000", 1, ("1", "2"))):
            expected = script.as_it_is(plain, reply)
            values = {hole: hostile if value == HARMLESS else value for hole, value in plain.items()}
            assert script.as_it_is(values, reply) == _exchanged(expected, hostile)


def _exchanged(trace: Trace, text: str) -> Trace:
    def exchange(value: object) -> object:
        if isinstance(value, bytes):
            return value.replace(HARMLESS.encode(), text.encode())
        if isinstance(value, dict):
            return {exchange(key): exchange(item) for key, item in value.items()}
        return value

    commands = tuple(
        tuple(word.replace(HARMLESS.encode(), text.encode()) for word in words) for words in trace.commands
    )
    return Trace(commands, exchange(trace.result))


# -- tests ----------------------------------------------------------------------------------------------------------


def proven(folder: Path, name: str, text: str) -> Fix:
    """The fix of the one finding in a text, whose script was run."""
    (folder / name).write_text(text, encoding="utf-8")
    ((script, fix),) = Linked(folder, versions(text)).scripts()
    check(script, fix)
    (folder / name).write_text(applied(text, fix.edits), encoding="utf-8")
    assert script.after in Linked(folder, versions(text)).texts(), "it is what the code says now"
    return fix


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_scripts_of_fixtures(case: Case, tmp_path: Path) -> None:
    for path in case.files:
        copy = tmp_path / path.relative_to(case.root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    pinned = {library: version for path in case.files for library, version in versions(read(path)).items()}
    scripts = list(Linked(tmp_path, pinned).scripts())
    assert scripts
    for script, fix in scripts:
        check(script, fix)
    for path in case.files:
        fixed = path.with_name(f"{path.name}.fixed")
        if fixed.exists():
            shutil.copyfile(fixed, tmp_path / path.relative_to(case.root))
    assert {script.after for script, _ in scripts} <= Linked(tmp_path, pinned).texts(), "it is what the code says then"


@pytest.mark.parametrize(("before", "after"), IN_PYTHON)
def test_scripts_in_python(tmp_path: Path, before: str, after: str) -> None:
    assert after
    proven(tmp_path, "run.py", PYTHON.format(body=indented(before, 4)))


@pytest.mark.parametrize(("before", "after"), IN_NODE)
def test_scripts_in_typescript(tmp_path: Path, before: str, after: str) -> None:
    assert after
    proven(tmp_path, "run.ts", "// versions: node-redis=5.8.0\n" + NODE.format(body=indented(before, 2)))


LUA = [
    pytest.param("return 'a' .. '{name}' .. 'b'", FixSafety.SAFE, id="joined to others"),
    pytest.param("return 'a:{name}:{count}:b'", FixSafety.SAFE, id="in the middle of a longer text"),
    pytest.param("return {count} .. 'x'", FixSafety.SAFE, id="a number that is joined"),
    pytest.param("return 10 - {count} * 2 % 7", FixSafety.SAFE, id="arithmetic"),
    pytest.param("return {count} == 7 or {count} < -1", FixSafety.SAFE, id="comparisons"),
    pytest.param("return '{name}' == '12'", FixSafety.SAFE, id="comparison of texts"),
    pytest.param("return tonumber('{name}')", FixSafety.SAFE, id="a text that becomes a number"),
    pytest.param("return tonumber({count}) + 1", FixSafety.SAFE, id="a number that stays one"),
    pytest.param("return tostring({count}) .. type({count})", FixSafety.SAFE, id="the type of a number"),
    pytest.param("return {{ ['{name}'] = 1, [{count}] = '{name}', {count} }}", FixSafety.SAFE, id="keys of a table"),
    pytest.param("local t = {{}} t['{name}'] = {count} return t['{name}']", FixSafety.SAFE, id="an element"),
    pytest.param("return #'{name}' > 0 and {count}", FixSafety.SAFE, id="a length"),
    pytest.param("for i = 1, {count} % 5 do redis.call('INCR', 'a' .. i) end", FixSafety.SAFE, id="a loop"),
    pytest.param("if {count} > 0 then return '{name}' else return - {count} end", FixSafety.SAFE, id="branches"),
    pytest.param("return redis.call('SET', 'k', '{name}', 'EX', {count})", FixSafety.SAFE, id="words of a command"),
    pytest.param("return redis.call('SET', 'k', 'a' .. '{name}' .. {count})", FixSafety.SAFE, id="joined words"),
    pytest.param("return redis.call('SET', 'k:' .. '{name}', 1)", FixSafety.SAFE, id="part of a key that Lua joins"),
    pytest.param("return redis.call('HSET', 'k', 'f', {share})", FixSafety.UNSAFE, id="a fraction in a command"),
    pytest.param("return redis.call('HSET', 'k', 'f', '{share}')", FixSafety.SAFE, id="a fraction as text"),
    pytest.param("return {share} * 2 > 1", FixSafety.SAFE, id="a fraction in arithmetic"),
    pytest.param("return redis.call('GET', '{name}')", FixSafety.UNSAFE, id="a key"),
    pytest.param("-- it's a comment\nreturn [[a long 'text']] .. '{name}' -- more", FixSafety.SAFE, id="comments"),
    pytest.param("return '{other}' .. {count}", FixSafety.SAFE, id="a value of an unknown type"),
    pytest.param("return 'a' .. '{next(other)}'", FixSafety.UNSAFE, id="a value that a call gives"),
    pytest.param('return "it\'s " .. "{name}" .. 1', FixSafety.SAFE, id="double quotes"),
    pytest.param("return redis.call('ZADD', 'z', {count}, '{name}')", FixSafety.SAFE, id="a score and its member"),
    pytest.param("return cjson.encode({{ '{name}', {count} }})", FixSafety.SAFE, id="as JSON"),
]
TYPED = '''\
import redis

r = redis.Redis()


def run(name: str, count: int, share: float, other):
    return r.eval(f"""{script}""", 0)
'''


@pytest.mark.parametrize(("script", "safety"), LUA)
def test_places_of_values(tmp_path: Path, script: str, safety: FixSafety) -> None:
    assert proven(tmp_path, "run.py", TYPED.replace("{script}", script)).safety is safety
