"""RL401: what is advised in the version in use."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from resplint.cli.app import cli

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
