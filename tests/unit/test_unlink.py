"""The fix of RL405: safe where the server is known to have UNLINK."""

from __future__ import annotations

from pathlib import Path

import pytest

from resplint.contracts.findings import FixSafety
from resplint.scan import ScanRequest, scan
from tests.rules.fixture_cases import config

CODE = """import redis

client = redis.Redis(host="pages", socket_timeout=2)


def visit(url):
    client.sadd("visited", url)


def forget():
    client.delete("visited")
"""


@pytest.mark.parametrize(
    ("server", "safety"), [("", FixSafety.UNSAFE), ("4.0", FixSafety.SAFE), ("7.2", FixSafety.SAFE), ("3.2", None)]
)
def test_the_server_decides_how_safe_it_is(tmp_path: Path, server: str, safety: FixSafety | None) -> None:
    (tmp_path / "pages.py").write_text(CODE, encoding="utf-8")
    settings = config(select=("RL405",), server={"redis-version": server} if server else {})
    results = scan(ScanRequest([str(tmp_path)], settings, root=tmp_path)).results
    assert [one.fix.safety if one.fix is not None else None for one in results] == ([safety] if safety else [])
