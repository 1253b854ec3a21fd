"""Which files are read because something leads to them, and that they come into the graph that there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from resplint.cli.scan import load_config
from resplint.flow.graph import Graph
from resplint.scan import ScanRequest, link

CLIENT = "import redis\n\nclient = redis.Redis()\n"
KEPT = {
    "a client": (
        "from store import client\n\n\ndef page():\n    return client.get('x')\n",
        CLIENT,
    ),
    "the fields of a hash": (
        "from store import note\n\n\ndef page(day):\n    note(day, 1)\n",
        CLIENT + "\n\ndef note(field, value):\n    client.hset('days', field, value)\n",
    ),
    "how long a command waits": (
        "from store import take\n\n\ndef page():\n    return take(60)\n",
        CLIENT + "\n\ndef take(wait):\n    return client.blpop('jobs', timeout=wait)\n",
    ),
    "which script is sent": (
        "from store import run\n\n\ndef page(name):\n    return run(f'return {name}')\n",
        CLIENT + "\n\ndef run(script):\n    return client.eval(script, 0)\n",
    ),
    "how often a client is made": (
        "from store import size\n\n\ndef page():\n    return size()\n",
        "import redis\n\n\ndef size():\n    return redis.Redis().dbsize()\n",
    ),
}


def selected(root: Path, texts: dict[str, str]) -> set[str]:
    for path, text in texts.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    return set(link(ScanRequest(paths=[str(root)], root=root, config=load_config(root, None))).selected)


@pytest.mark.parametrize("what", KEPT)
def test_who_decides_something_is_read(tmp_path: Path, what: str) -> None:
    page, store = KEPT[what]
    assert selected(tmp_path, {"store.py": store, "page.py": page}) == {"store.py", "page.py"}


def test_who_only_calls_what_works_with_redis_is_not_read(tmp_path: Path) -> None:
    store = CLIENT + "\n\ndef size():\n    return client.dbsize()\n"
    page = "from store import size\n\n\ndef page():\n    return size()\n"
    assert selected(tmp_path, {"store.py": store, "page.py": page}) == {"store.py"}


INTERFACE = {
    "a/Store.java": "package a; public interface Store { Object all(String key); }",
    "b/RedisStore.java": "package b; import a.Store; import redis.clients.jedis.JedisPooled;"
    " public class RedisStore implements Store { private final JedisPooled jedis = new JedisPooled();"
    ' public Object all(String key) { jedis.hset(key, key, "1"); return jedis.hgetAll(key); } }',
    "c/Page.java": 'package c; import a.Store; class Page { Store store; Object show() { return store.all("x"); } }',
}
OTHER_STORE = (
    "package b; import a.Store; import redis.clients.jedis.exceptions.JedisException;"
    " public class FileStore implements Store { public Object all(String key) { throw new JedisException(key); } }"
)


def test_who_imports_the_interface_of_a_class_with_a_client_is_read(tmp_path: Path) -> None:
    assert "c/Page.java" in selected(tmp_path, INTERFACE)


def test_an_interface_of_other_things_leads_to_nobody(tmp_path: Path) -> None:
    """Plugins of which one works with Redis: whoever runs plugins does not."""
    assert "c/Page.java" not in selected(tmp_path, INTERFACE | {"b/FileStore.java": OTHER_STORE})


def test_what_is_read_later_comes_into_the_graph_that_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    before = Graph.__init__

    def counted(self: Graph, *rest: object) -> None:
        made.append(self)
        before(self, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Graph, "__init__", counted)
    page, store = KEPT["a client"]
    further = "from page import page\n\n\ndef other():\n    return page()\n"
    assert selected(tmp_path, {"store.py": store, "page.py": page, "other.py": further}) >= {"store.py", "page.py"}
    assert len(made) == 1


def test_a_field_that_a_file_read_later_stores_is_followed(tmp_path: Path) -> None:
    texts = {
        "store.py": CLIENT
        + "\n\nclass Box:\n    def get(self):\n        return self.spare.get('x')\n\n\nbox = Box()\n",
        "fill.py": "from store import box, client\n\nbox.spare = client\n",
    }
    for path, text in texts.items():
        (tmp_path / path).write_text(text)
    project = link(ScanRequest(paths=[str(tmp_path)], root=tmp_path, config=load_config(tmp_path, None))).project
    assert [(project.spot(site.ref), site.command) for site in project.commands] == [("store.py:8", "GET")]


def test_services_that_only_call_each_other_are_not_kept_by_their_names(tmp_path: Path) -> None:
    """Every service of an application has others in its fields; only the one with the client leads to Redis itself."""
    (tmp_path / "services.ts").write_text(
        "import { OnModuleInit } from '@nestjs/common';\nimport Redis from 'ioredis';\n"
        "export class KeptService implements OnModuleInit {\n"
        "  client = new Redis();\n"
        "  note(id: string) { return this.client.incr(id); }\n}\n"
        "export class MailService implements OnModuleInit {\n"
        "  keptService = new KeptService();\n"
        "  send(id: string) { return this.keptService.note(id); }\n}\n"
        "export class NewsService implements OnModuleInit {\n"
        "  mailService = new MailService();\n"
        "  publish(id: string) { return this.mailService.send(id); }\n}\n"
    )
    linked = link(ScanRequest(paths=[str(tmp_path)], root=tmp_path, config=load_config(tmp_path, None)))
    assert {name for _, _, name, _ in linked.project.ev.edges.named.kept()} == {"client", "keptService"}


def test_scripts_of_pages_do_not_see_what_the_server_keeps(tmp_path: Path) -> None:
    kept = "const { createClient } = require('redis');\n\napp.client = createClient();\n"
    read = "app.client.get('x').then((value) => console.log(value));\n"
    page = read + "document.getElementById('x').addEventListener('click', () => app.reload());\n"
    assert selected(tmp_path, {"kept.js": kept, "read.js": read, "page.js": page}) == {"kept.js", "read.js"}
