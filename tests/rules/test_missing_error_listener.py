"""RL111: which code that a client is handed to may listen to its errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from resplint.cli.app import cli

HANDED = """const { createClient } = require('redis');
const client = createClient();
client.connect();
module.exports = HANDOVER;
"""


@pytest.mark.parametrize(
    ("handover", "is_shown"),
    [
        ("new (require('connect-redis')(require('express-session')))({ client })", True),
        ("new (require('connect-redis').RedisStore)({ client })", True),
        ("require('@socket.io/redis-adapter').createAdapter(client, client)", False),
        ("require('connect-redis-pool').wrap(client)", False),
    ],
)
def test_a_store_of_sessions_leaves_errors_to_its_client(tmp_path: Path, handover: str, is_shown: bool) -> None:
    (tmp_path / "store.js").write_text(HANDED.replace("HANDOVER", handover))
    options = ["scan", str(tmp_path), "--select", "RL111", "--no-cache", "--exit-zero", "--format", "concise"]
    assert ("store.js:2:" in CliRunner().invoke(cli, options).output) == is_shown
