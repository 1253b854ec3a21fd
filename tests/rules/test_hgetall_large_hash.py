"""RL401: what is advised in the version in use."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from resplint.cli.app import cli
from tests.rules.fixture_cases import run

PEOPLE = """const redis = require('redis');
const crypto = require('crypto');
const client = redis.createClient();
exports.add = (person) => client.hset('people', crypto.randomUUID(), person);
exports.all = (done) => client.hgetall('people', done);
"""


@pytest.mark.parametrize(("version", "scan"), [("^3.1.2", "`hscan()`"), ("^4.6.0", "`hScanIterator()`")])
def test_the_scan_is_called_as_in_the_version_in_use(tmp_path: Path, version: str, scan: str) -> None:
    (tmp_path / "people.js").write_text(PEOPLE)
    (tmp_path / "package.json").write_text(f'{{"dependencies": {{"redis": "{version}"}}}}')
    options = ["scan", str(tmp_path), "--select", "RL401", "--no-cache", "--exit-zero", "--format", "json"]
    assert scan in CliRunner().invoke(cli, options).output


@pytest.mark.parametrize(("method", "instead"), [("hgetall", "HMGET"), ("hvals", "HMGET"), ("hkeys", "HLEN")])
def test_the_help_names_what_replies_with_less(tmp_path: Path, method: str, instead: str) -> None:
    (tmp_path / "berths.py").write_text(
        "import redis\n\n"
        "client = redis.Redis(socket_timeout=5)\n\n\n"
        "def moor(boat):\n"
        "    client.hset('berths', boat.id, boat.length)\n\n\n"
        "def moored(request):\n"
        f"    return client.{method}('berths')\n"
    )
    (result,) = run(tmp_path, [tmp_path], {"redis-py": "5.0.1"}, "RL401").results
    assert instead in result.help
