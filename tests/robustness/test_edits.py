"""After any edits, what a hook and an editor say is what a scan says that remembers nothing, byte for byte."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from resplint.cache import Store
from resplint.config.loading import Config
from resplint.contracts.findings import Report
from resplint.knowledge.load import load_book
from resplint.scan import FactsMemory, ScanRequest, analysis, scan
from resplint.scan.linked import LinkedScan
from resplint.scan.request import ScanState
from resplint.scan.survey import Survey

CONFIG = Config(rules={code: info.name for code, info in load_book().items()}, jobs=1)
_NO_CHANGE = 10_000


class Code(NamedTuple):
    """A small project in one language, and lines to put into it. `{n}` stands for a number."""

    files: dict[str, str]
    lines: tuple[str, ...]
    harmless: tuple[str, ...]


PYTHON = Code(
    {
        "app/cache.py": '''\
"""Connections."""
import logging
import redis

log = logging.getLogger(__name__)
pool = redis.ConnectionPool(host="cache")


def client(timeout=None):
    log.info("a client is made now")
    return redis.Redis(connection_pool=pool, socket_timeout=timeout)


class Jobs:
    def __init__(self, connection):
        self.connection = connection

    def take(self, name):
        log.info("waiting for a job")
        return self.connection.blpop(name, timeout=30)

    def everything(self):
        return self.connection.hgetall("users:all")
''',
        "app/worker.py": '''\
from app.cache import Jobs, client


def main():
    jobs = Jobs(client(5))
    while True:
        print(jobs.take("jobs"))


def store(items):
    batch = client().pipeline()
    for item in items:
        batch.hset("users:all", item, 1)
    batch.execute()
''',
        "app/views.py": '''\
from flask import Flask
import redis

app = Flask(__name__)


@app.route("/")
def index():
    r = redis.Redis(host="cache")
    value = r.eval("return redis.call('GET', '" + app.name + "')", 0)
    return value


def plain(number):
    return number + 1
''',
        "app/other.py": "import os\n\n\ndef helper(value):\n    return os.path.join(value, 'x')\n",
    },
    ("r.get('k{n}')", "from app.cache import client", "client(7).blpop('q', timeout=9)", "name{n} = client()", "x = 1",
     "if x: return 1", "jobs = None", "def other{n}(): return client()", "import redis", "try:", "return None",
     "# redis", "store([{n}])"),
    ("# remark {n}", "", "# resplint: ignore", "# resplint: ignore[RL104] reason {n}", "UNHEARD_{n} = {n}",
     'log.info("another message {n}")'),
)  # fmt: skip
JAVA = Code(
    {
        "src/Cache.java": '''\
package demo;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;

public class Cache {
    private final JedisPool pool = new JedisPool("cache", 6379);

    public Jedis open() {
        return pool.getResource();
    }

    public String load(String key) {
        Jedis jedis = new Jedis("cache", 6379);
        log.info("a value is loaded");
        return jedis.get(key);
    }
}
''',
        "src/Worker.java": '''\
package demo;

import redis.clients.jedis.Jedis;

public class Worker {
    private final Cache cache = new Cache();

    public void run() {
        try (Jedis jedis = cache.open()) {
            while (true) {
                jedis.blpop(60, "jobs");
            }
        }
    }

    public Object users(String name) {
        Jedis jedis = cache.open();
        jedis.eval("return redis.call('get', '" + name + "')");
        return jedis.hgetAll("users");
    }
}
''',
        "src/Plain.java": "package demo;\n\npublic class Plain {\n    int add(int a) { return a + 1; }\n}\n",
    },
    ('jedis.get("k{n}");', "import redis.clients.jedis.Jedis;", "Jedis other{n} = cache.open();", "return null;",
     "int x = {n};", "if (x) return;", "jedis = null;", "// jedis", "}", "class Jedis {}", "cache.open();"),
    ("// remark {n}", "", "// resplint: ignore", "// resplint: ignore[RL104] reason {n}", "class Unheard{n} {}"),
)  # fmt: skip
KOTLIN = Code(
    {
        "src/Cache.kt": '''\
package demo

import redis.clients.jedis.Jedis
import redis.clients.jedis.JedisPool

val pool = JedisPool("cache", 6379)

fun open(): Jedis = pool.resource

class Cache(private val jedis: Jedis) {
    fun take(name: String) = jedis.blpop(60, name)

    fun users() = jedis.hgetAll("users")
}
''',
        "src/Worker.kt": '''\
package demo

import redis.clients.jedis.Jedis

fun main() {
    val cache = Cache(open())
    while (true) {
        println(cache.take("jobs"))
    }
}

fun load(name: String): String {
    val jedis = Jedis("cache", 6379)
    println("a value is loaded")
    return jedis.get(name)
}
''',
        "src/Plain.kt": "package demo\n\nfun add(a: Int) = a + 1\n",
    },
    ('jedis.get("k{n}")', "import redis.clients.jedis.Jedis", "val other{n} = open()", "return", "val x = {n}",
     "if (x) return", "// jedis", "}", "fun open(): Int = 1", "load(\"a\")"),
    ("// remark {n}", "", "// resplint: ignore", "val unheard{n} = {n}", 'println("another message {n}")'),
)  # fmt: skip
JAVASCRIPT = Code(
    {
        "lib/cache.js": '''\
const Redis = require("ioredis");

const shared = new Redis("redis://cache");

function connect(options) {
  console.log("a client is made now");
  return new Redis(options);
}

module.exports = { shared, connect };
''',
        "lib/worker.js": '''\
const { shared, connect } = require("./cache");

async function main() {
  const client = connect({ maxRetriesPerRequest: null });
  for (;;) {
    await client.blpop("jobs", 30);
  }
}

exports.store = async function (items) {
  const batch = shared.multi();
  for (const item of items) batch.hset("users", item, 1);
  await batch.exec();
  return shared.hgetall("users");
};

main();
''',
        "lib/server.js": '''\
const express = require("express");
const { connect } = require("./cache");
const worker = require("./worker");
const app = express();

app.get("/", async (req, res) => {
  const client = connect({});
  res.send(await client.eval(`return redis.call('get', '${req.query.k}')`, 0));
});
''',
        "lib/plain.js": "exports.add = (a) => a + 1;\n",
    },
    ('shared.get("k{n}");', 'const { connect } = require("./cache");', "const other{n} = connect();", "return;",
     "const x = {n};", "if (x) return;", "// redis", "}", "function connect() {}", "worker.store([]);"),
    ("// remark {n}", "", "// resplint: ignore", "const unheard{n} = {n};", 'console.log("another message {n}");'),
)  # fmt: skip
TYPESCRIPT = Code(
    {
        name.replace(".js", ".ts"): text.replace("const Redis = require", "import Redis = require")
        for name, text in JAVASCRIPT.files.items()
    },
    (*JAVASCRIPT.lines, 'import { shared } from "./cache";'),
    (*JAVASCRIPT.harmless, "export const unheard{n} = {n};"),
)
CODE = {"python": PYTHON, "java": JAVA, "kotlin": KOTLIN, "javascript": JAVASCRIPT, "typescript": TYPESCRIPT}


def _inserted(text: str, line: str, at: int) -> str:
    """The text with a line more, as far to the right as the one that it stands in front of."""
    lines = text.split("\n")
    at %= len(lines)
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    return "\n".join([*lines[:at], indent + line, *lines[at:]])


class Edit(NamedTuple):
    """Something that an editor, a tool or a change of branches does."""

    kind: str
    which: int
    at: int
    number: int

    def apply(self, code: Code, files: dict[str, str], before: list[dict[str, str]]) -> dict[str, str]:
        """The files after it."""
        if not files or self.kind == "undo":
            return dict(before[self.at % len(before)])
        name = sorted(files)[self.which % len(files)]
        text = files[name]
        others = {path: other for path, other in files.items() if path != name}
        if self.kind == "harmless":
            line = code.harmless[self.number % len(code.harmless)].replace("{n}", str(self.number))
            return {**others, name: _inserted(text, line, self.at)}
        if self.kind == "append":
            return {
                **others,
                name: text + code.harmless[self.number % len(code.harmless)].replace("{n}", str(self.number)) + "\n",
            }
        if self.kind == "line":
            line = code.lines[self.number % len(code.lines)].replace("{n}", str(self.number))
            return {**others, name: _inserted(text, line, self.at)}
        if self.kind == "cut":
            lines = text.split("\n")
            return {**others, name: "\n".join(lines[: self.at % len(lines)] + lines[self.at % len(lines) + 1 :])}
        if self.kind == "reword":
            return {**others, name: text.replace(" a ", f" a number {self.number} ")}
        if self.kind == "reformat":
            return {**others, name: text.replace("(", "(  " if self.number % 2 else "(\n  ")}
        if self.kind == "delete":
            return others
        if self.kind == "rename":
            return {**others, name.replace(".", f"{self.number % 3}."): text}
        if self.kind == "add":
            first = sorted(code.files)[self.at % len(code.files)]
            return {**files, first.replace(".", f"{self.number % 3}."): code.files[first]}
        raise AssertionError(self.kind)


KINDS = ("harmless", "harmless", "append", "append", "line", "line", "cut", "reword", "reformat", "delete", "rename",
         "add", "undo")  # fmt: skip
EDITS = st.lists(
    st.builds(
        Edit, st.sampled_from(KINDS), st.integers(0, 5), st.integers(0, 60), st.integers(0, 400)
    ),
    min_size=1, max_size=7,
)  # fmt: skip


def _write(root: Path, files: Mapping[str, str], before: Mapping[str, str]) -> None:
    for path in before.keys() - files.keys():
        (root / path).unlink()
    for path, text in files.items():
        if before.get(path) != text:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, "utf-8")


def _bytes(report: Report) -> bytes:
    return msgspec.json.encode(msgspec.structs.replace(report, statistics={}))


def _hook(root: Path, store: Store | None) -> bytes:
    return _bytes(scan(ScanRequest([str(root)], CONFIG, root=root, whole_project=True, cache=store)))


@pytest.mark.parametrize("language", CODE)
@given(edits=EDITS)
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_hook_finds_after_edits_what_a_cold_scan_finds(language: str, edits: list[Edit]) -> None:
    code = CODE[language]
    with tempfile.TemporaryDirectory() as folder:
        root, cache = Path(folder, "project"), Path(folder, "cache")
        for each in (root, cache):
            each.mkdir()
        store = Store(str(cache), b"secret")
        files, states = dict(code.files), [dict(code.files)]
        _write(root, files, {})
        assert _hook(root, store) == _hook(root, None)
        for edit in edits:
            before, files = files, edit.apply(code, files, states)
            _write(root, files, before)
            assert _hook(root, store) == _hook(root, None), edit
            states.append(files)


@pytest.mark.parametrize("language", CODE)
@given(edits=EDITS)
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
def test_an_editor_sees_after_edits_what_a_cold_scan_finds(language: str, edits: list[Edit]) -> None:
    """Unsaved: the files on disk stay as they were at first."""
    code = CODE[language]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        files, states, memory = dict(code.files), [dict(code.files)], FactsMemory()
        _write(root, files, {})
        for edit in (Edit("append", 0, 0, _NO_CHANGE), *edits):
            before, files = files, edit.apply(code, files, states)
            states.append(files)
            gone, new = before.keys() - files.keys(), {path: files[path] for path in files if path not in before}
            _write(root, {path: (root / path).read_text() for path in before if path not in gone} | new,
                   dict.fromkeys(before, ""))  # fmt: skip
            overlay = {path: text.encode() for path, text in files.items()}
            request = ScanRequest([str(root)], CONFIG, root=root, overlay=overlay)
            seen = scan(replace(request, memory=memory, cache=memory.entries))
            assert _bytes(seen) == _bytes(scan(request)), edit


QUICK = {
    "a remark": lambda text: "\n\n" + text,
    "a line at the end": lambda text: text + "\n",
    "white space": lambda text: text.replace("\n\n", "\n\n\n"),
}


@pytest.mark.parametrize("language", CODE)
@pytest.mark.parametrize("change", sorted(QUICK))
@pytest.mark.parametrize("by", ["hook", "editor"])
def test_what_nothing_rests_on_is_not_analysed_again(
    language: str, change: str, by: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the tests above would show nothing."""
    code = CODE[language]
    root, cache = tmp_path / "project", tmp_path / "cache"
    for each in (root, cache):
        each.mkdir()
    memory = FactsMemory()
    kept = {"cache": Store(str(cache), b"secret")} if by == "hook" else {"cache": memory.entries, "memory": memory}
    request = ScanRequest([str(root)], CONFIG, root=root)
    _write(root, code.files, {})
    assert _bytes(scan(replace(request, **kept))) == _bytes(scan(request))
    for path, text in code.files.items():
        edited = {**code.files, path: QUICK[change](text)}
        edited[path] += next(line for line in code.harmless if "unheard" in line.lower()).replace("{n}", "7") + "\n"
        _write(root, edited, code.files)
        fresh = _bytes(scan(request))
        with monkeypatch.context() as patch:
            patch.setattr(analysis, "linked", None)
            assert _bytes(scan(replace(request, **kept))) == fresh, path
        _write(root, code.files, edited)


def test_a_look_at_an_edited_file_does_not_take_it_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are linked that name Redis, and those that something leads to: not those that were merely compared."""
    root, cache = tmp_path / "project", tmp_path / "cache"
    for each in (root, cache):
        each.mkdir()
    store, original, taken = Store(str(cache), b"secret"), analysis.linked, list[set[str]]()
    _write(root, PYTHON.files, {})
    _hook(root, store)

    def noting(
        request: ScanRequest, found: Survey, state: ScanState, first: Collection[str] | None = None
    ) -> LinkedScan:
        taken.append(set(state.facts))
        return original(request, found, state, first)

    monkeypatch.setattr(analysis, "linked", noting)
    _write(root, {**PYTHON.files, "app/worker.py": PYTHON.files["app/worker.py"] + HOT["a caller"]}, PYTHON.files)
    _hook(root, store)
    assert taken == [set()]


MOVED = "# a line in front of all others\n\n" + PYTHON.files["app/cache.py"]
HOT = {
    "another client": "import redis\nredis.Redis().keys('*')\n",
    "a caller": "client(9).blpop('jobs', timeout=20)\n",
    "a name that is in use": "jobs = 1\n",
    "an import": "import os\n",
}


@pytest.mark.parametrize("line", sorted(HOT))
def test_what_something_may_rest_on_is_analysed_again(line: str, tmp_path: Path) -> None:
    root, cache = tmp_path / "project", tmp_path / "cache"
    for each in (root, cache):
        each.mkdir()
    store = Store(str(cache), b"secret")
    _write(root, PYTHON.files, {})
    _hook(root, store)
    edited = {**PYTHON.files, "app/cache.py": MOVED + HOT[line]}
    _write(root, edited, PYTHON.files)
    assert _hook(root, store) == _hook(root, None)
