"""`client-factories`: functions whose result is a client because the configuration says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from resplint.config.loading import Config
from resplint.config.values import ClientFactory
from resplint.knowledge.load import load_book
from resplint.scan import ScanRequest, scan

RULES = {code: rule.name for code, rule in load_book().items()}
PYTHON_USE = "from app.db import connect\n\n\ndef work():\n    return connect().blpop('jobs', timeout=30)\n"
NODE_USE = (
    "const { connect } = require('./lib/store');\nasync function work() {\n  return connect().blPop('jobs', 0);\n}\n"
)


def found(folder: Path, files: dict[str, str], factories: dict[str, ClientFactory]) -> list[tuple[str, str]]:
    """Path and rule of what a scan reports."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    config = Config(rules=RULES, client_factories=factories, jobs=1)
    return [(each.path, each.rule) for each in scan(ScanRequest([str(folder)], config, root=folder)).results]


@pytest.mark.parametrize(
    ("store", "name"),
    [
        ("def connect():\n    return container.get('redis')\n", "app.db.connect"),
        ("connect = lambda: container.get('redis')\n", "app.db.connect"),
    ],
)
def test_python_functions(tmp_path: Path, store: str, name: str) -> None:
    files = {"app/__init__.py": "", "app/db.py": f"from app import container\n\n{store}", "app/work.py": PYTHON_USE}
    client = ClientFactory("redis.Redis", {"socket_timeout": 5})
    assert found(tmp_path, files, {}) == []
    assert found(tmp_path, files, {name: client}) == [("app/work.py", "RL104")]
    assert found(tmp_path, files, {"app.db.reconnect": client}) == []


@pytest.mark.parametrize(
    "store",
    [
        "function connect() { return di.get('redis'); }\nmodule.exports = { connect };\n",
        "const connect = () => di.get('redis');\nmodule.exports = { connect };\n",
        "const connect = () => di.get('redis');\nexports.connect = connect;\n",
        "exports.connect = function () { return di.get('redis'); };\n",
        "exports.connect = () => di.get('redis');\n",
        "module.exports.connect = () => di.get('redis');\n",
        "module.exports = { connect: () => di.get('redis') };\n",
    ],
)
def test_javascript_functions(tmp_path: Path, store: str) -> None:
    files = {"lib/store.js": f"const di = require('./container');\n{store}", "worker.js": NODE_USE}
    client = ClientFactory("@redis/client.createClient")
    assert found(tmp_path, files, {}) == []
    assert found(tmp_path, files, {"lib.store.connect": client}) == [("worker.js", "RL104")]


def test_typescript_functions(tmp_path: Path) -> None:
    files = {
        "src/store.ts": "import { di } from './di';\nexport const connect = () => di.get('redis');\n",
        "src/worker.ts": "import { connect } from './store';\nexport async function work() {\n"
        "  return connect().blpop('jobs', 0);\n}\n",
    }
    assert found(tmp_path, files, {}) == []
    client = ClientFactory("ioredis.Redis", {"commandTimeout": 5000})
    assert found(tmp_path, files, {"src.store.connect": client}) == [("src/worker.ts", "RL104")]


@pytest.mark.parametrize("name", ["com.lumen.Store.open", "Store.open", "lumen.Store.open"])
def test_java_methods(tmp_path: Path, name: str) -> None:
    files = {
        "src/com/lumen/Store.java": "package com.lumen;\n\npublic class Store {\n"
        '  static <T> T open() { return Registry.find("redis"); }\n}\n',
        "src/com/lumen/Worker.java": "package com.lumen;\n\nimport redis.clients.jedis.Jedis;\n\nclass Worker {\n"
        '  void run() {\n    var jedis = Store.open();\n    jedis.blpop(0, "jobs");\n  }\n}\n',
    }
    client = ClientFactory("redis.clients.jedis.Jedis")
    assert found(tmp_path, files, {}) == []
    assert found(tmp_path, files, {name: client}) == [("src/com/lumen/Worker.java", "RL104")]


@pytest.mark.parametrize(
    "use",
    [
        "from shared_clients import connect as store\n\n\ndef work():\n    return store().blpop('jobs', timeout=30)\n",
        "import shared_clients\n\n\ndef work():\n    return shared_clients.connect().blpop('jobs', timeout=30)\n",
        "import shared_clients as our\n\n\ndef work():\n    return our.connect().blpop('jobs', timeout=30)\n",
    ],
)
def test_functions_outside_the_project(tmp_path: Path, use: str) -> None:
    client = ClientFactory("redis.Redis", {"socket_timeout": 5})
    assert found(tmp_path, {"work.py": use}, {}) == []
    assert found(tmp_path, {"work.py": use}, {"shared_clients.connect": client}) == [("work.py", "RL104")]
