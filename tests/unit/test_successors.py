"""What the fix of RL411 makes of deprecated commands, and when there is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from resplint.contracts.findings import FixSafety, Result
from resplint.scan import ScanRequest, scan
from tests.rules.fixture_cases import config

PYTHON = "import redis\n\nclient = redis.Redis()\n{call}\n"
NODE = "const Redis = require('ioredis');\nconst client = new Redis();\n{call};\n"


def _finding(folder: Path, name: str, text: str, server: str = "7.2", **pinned: str) -> Result | None:
    (folder / name).write_text(text, encoding="utf-8")
    versions = {key.replace("_", "-"): value for key, value in pinned.items()}
    settings = config(select=("RL411",), client_versions=versions, server={"redis-version": server} if server else {})
    results = scan(ScanRequest([str(folder)], settings, root=folder)).results
    return results[0] if results else None


@pytest.mark.parametrize(
    ("call", "fixed", "safe"),
    [
        ('client.setex("a", 30, "b")', 'client.set("a", "b", ex=30)', True),
        ('client.rpoplpush("a", "b")', 'client.lmove("a", "b", "RIGHT", "LEFT")', True),
        ('client.zrangebyscore("a", 0, 5)', 'client.zrange("a", 0, 5, byscore=True)', True),
        ('client.setnx("a", "b")', 'client.set("a", "b", nx=True)', False),
        ('client.hmset("a", {"b": 1})', 'client.hset("a", mapping={"b": 1})', False),
    ],
)
def test_redis_py_calls_the_successor(tmp_path: Path, call: str, fixed: str, safe: bool) -> None:
    found = _finding(tmp_path, "a.py", PYTHON.format(call=call), redis_py="7.0.0")
    assert found is not None
    assert found.fix is not None
    assert _applied(PYTHON.format(call=call), found) == PYTHON.format(call=fixed)
    assert found.fix.safety is (FixSafety.SAFE if safe else FixSafety.UNSAFE)


@pytest.mark.parametrize(
    ("call", "fixed"),
    [
        ("client.setex('a', 30, value)", "client.set('a', value, 'EX', 30)"),
        ("client.zrevrange('a', 0, 9)", "client.zrange('a', 0, 9, 'REV')"),
    ],
)
def test_ioredis_takes_words_in_the_quotes_of_the_file(tmp_path: Path, call: str, fixed: str) -> None:
    found = _finding(tmp_path, "a.js", NODE.format(call=call))
    assert found is not None
    assert _applied(NODE.format(call=call), found) == NODE.format(call=fixed)


@pytest.mark.parametrize(
    "call",
    [
        'client.setex(name="a", time=30, value="b")',
        'client.zrangebyscore("a", 0, 5, 0, 10)',
        'client.execute_command("SETEX", "a", 30, "b")',
    ],
)
def test_other_calls_have_no_fix(tmp_path: Path, call: str) -> None:
    found = _finding(tmp_path, "a.py", PYTHON.format(call=call), redis_py="7.0.0")
    assert found is not None
    assert found.fix is None


def test_without_a_version_of_the_server_there_is_no_fix(tmp_path: Path) -> None:
    found = _finding(tmp_path, "a.py", PYTHON.format(call='client.setex("a", 30, "b")'), "", redis_py="7.0.0")
    assert found is not None
    assert found.fix is None


def test_an_older_server_has_no_successor(tmp_path: Path) -> None:
    assert _finding(tmp_path, "a.py", PYTHON.format(call='client.rpoplpush("a", "b")'), "5.0") is None
    assert _finding(tmp_path, "a.py", PYTHON.format(call='client.rpoplpush("a", "b")'), "6.2") is not None


def _applied(text: str, found: Result) -> str:
    assert found.fix is not None
    lines = text.split("\n")
    for edit in reversed(found.fix.edits):
        line = lines[edit.region.start_line - 1]
        start, end = edit.region.start_column - 1, edit.region.end_column - 1
        lines[edit.region.start_line - 1] = line[:start] + edit.text + line[end:]
    return "\n".join(lines)
