"""What RL103 advises where the release in use decides what can be done."""

from __future__ import annotations

from pathlib import Path

import pytest

from resplint.config.loading import Config
from resplint.scan import ScanRequest, scan

CODE = """package orders;

import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

class Orders {
    RedissonClient open() {
        Config config = new Config();
        config.useSingleServer().setAddress("redis://orders:6379")%s;
        return Redisson.create(config);
    }
}
"""


@pytest.mark.parametrize(
    ("version", "setting", "upgrade"),
    [
        ("3.38.1", "", [True]),
        ("3.38.1", ".setRetryInterval(500)", [True]),
        ("3.52.0", "", []),
        ("3.52.0", ".setRetryInterval(500)", [False]),
    ],
)
def test_an_upgrade_is_advised_where_nothing_else_helps(
    tmp_path: Path, version: str, setting: str, upgrade: list[bool]
) -> None:
    (tmp_path / "Orders.java").write_text(CODE % setting)
    (tmp_path / "build.gradle").write_text(f"dependencies {{ implementation 'org.redisson:redisson:{version}' }}\n")
    config = Config(rules={"RL103": "missing-backoff"}, jobs=1)
    found = scan(ScanRequest([str(tmp_path)], config, root=tmp_path)).results
    assert ["Redisson 3.48.0" in each.help for each in found] == upgrade


@pytest.mark.parametrize(
    ("first", "second", "pause"),
    [
        ("time.sleep(1)", "pass", "after the same delay each time (`time.sleep(1)`)"),
        ("pass", "time.sleep(1)", "again at once"),
    ],
)
def test_a_pause_behind_what_failed_is_none(tmp_path: Path, first: str, second: str, pause: str) -> None:
    (tmp_path / "wait.py").write_text(
        "import time\n\nimport redis\n\nclient = redis.Redis(socket_timeout=2)\n\n\ndef wait():\n    while True:\n"
        f"        try:\n            {first}\n            if client.ping():\n                return\n"
        f"            {second}\n"
        "        except redis.RedisError:\n            print('again')\n"
    )
    config = Config(rules={"RL103": "missing-backoff"}, jobs=1)
    (found,) = scan(ScanRequest([str(tmp_path)], config, root=tmp_path)).results
    assert pause in found.message
