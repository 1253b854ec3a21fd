"""RL105: what is advised and written, by client library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from resplint.cli.app import cli

NODE_REDIS = """const { createClient } = require('redis');
module.exports = createClient({ socket: { socketTimeout: 0 } });
"""
IOREDIS = "const Redis = require('ioredis');\nmodule.exports = new Redis({ commandTimeout: null });\n"


def found(folder: Path, text: str) -> dict[str, Any]:
    (folder / "client.js").write_text(text)
    options = ["scan", str(folder), "--select", "RL105", "--no-cache", "--exit-zero", "--format", "json"]
    (result,) = json.loads(CliRunner().invoke(cli, options).output)["results"]
    return result  # type: ignore[no-any-return]


def test_a_timeout_that_ends_idle_clients_is_not_advised_alone(tmp_path: Path) -> None:
    result = found(tmp_path, NODE_REDIS)
    assert "sets `socket.socketTimeout` to 0, which is no timeout" in result["message"]
    assert "with a shorter `pingInterval` and a `reconnectStrategy` of your own" in result["help"]
    assert result["fix"] is None, "the timeout alone would close a client that is idle for five seconds"


@pytest.mark.parametrize("written", ["null", "undefined"])
def test_another_library_gets_a_fix(tmp_path: Path, written: str) -> None:
    result = found(tmp_path, IOREDIS.replace("null", written))
    assert result["help"].startswith("Set `commandTimeout` to the longest time that a reply may take. Use")
    assert result["fix"]["safety"] == "unsafe"
