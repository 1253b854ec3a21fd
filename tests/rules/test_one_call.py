"""One call, one finding: which rule speaks where several see the same call, in code as users write it."""

from __future__ import annotations

from pathlib import Path

import pytest

from resplint.inventory import why as answers
from resplint.scan import ScanRequest, link, rule_book, scan
from resplint.scan.analysis import decisions
from tests.rules.fixture_cases import config

HEAD = (
    "import redis\nfrom fastapi import FastAPI\n\napp = FastAPI()\n"
    "client = redis.Redis(host='cache', socket_timeout=5)\n\n"
)
CALLS = {
    "KEYS on the event loop": (
        "@app.get('/users')\nasync def users():\n    return client.keys('user:*')\n", "keys", {"RL402"},
    ),
    "FLUSHALL on the event loop": (
        "@app.post('/reset')\nasync def reset():\n    client.flushall()\n", "flushall", {"RL407"},
    ),
    "SETNX and EXPIRE": (
        "@app.post('/lock')\ndef lock(job: str):\n    if client.setnx('lock:' + job, 1):\n"
        "        client.expire('lock:' + job, 30)\n",
        "setnx",
        {"RL404"},
    ),
    "a client for each request": (
        "@app.get('/visits')\nasync def visits():\n    own = redis.asyncio.from_url('redis://visits')\n"
        "    return await own.get('visits')\n",
        "from_url",
        {"RL101"},
    ),
}  # fmt: skip


def reported(folder: Path, code: str, *select: str) -> dict[int, set[str]]:
    (folder / "app.py").write_text(HEAD + code)
    report = scan(ScanRequest([str(folder)], config(select=select or ("all",)), root=folder))
    found: dict[int, set[str]] = {}
    for one in report.results:
        found.setdefault(one.region.start_line, set()).add(one.rule)
    return found


def line(code: str, text: str) -> int:
    return (HEAD + code).split(f".{text}(")[0].count("\n") + 1


@pytest.mark.parametrize("name", CALLS)
def test_one_rule_speaks(tmp_path: Path, name: str) -> None:
    code, call, expected = CALLS[name]
    assert reported(tmp_path, code)[line(code, call)] == expected


def test_the_other_one_does_where_that_is_left_out(tmp_path: Path) -> None:
    code, call, _ = CALLS["KEYS on the event loop"]
    assert reported(tmp_path, code, "RL205", "RL407")[line(code, call)] == {"RL205"}


def test_the_event_loop_is_spoken_of_at_the_next_call(tmp_path: Path) -> None:
    code = "@app.get('/users')\nasync def users():\n    names = client.keys('user:*')\n    return client.mget(names)\n"
    found = reported(tmp_path, code)
    assert (found[line(code, "keys")], found[line(code, "mget")]) == ({"RL402"}, {"RL205"})


def test_why_says_which_rule_speaks(tmp_path: Path) -> None:
    code, call, _ = CALLS["KEYS on the event loop"]
    (tmp_path / "app.py").write_text(HEAD + code)
    settings = config(select=("all",))
    linked = link(ScanRequest([str(tmp_path)], settings, root=tmp_path))
    found = answers.explain(
        linked.project, linked.code, decisions(linked, rule_book(settings), settings), "app.py", line(code, call), None
    )
    assert "RL402 keys-command reports this call already." in str(found)
