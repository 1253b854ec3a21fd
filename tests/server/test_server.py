"""`resplint server` as editors meet it: the real process, driven through the protocol."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from resplint.config.loading import Config
from resplint.knowledge.load import load_book
from resplint.output.about import install
from resplint.scan import ScanRequest, scan
from tests.server.editor import COMMAND, PLAIN, VS_CODE, Editor, identifier, place_of, with_encodings, with_pull
from tests.server.samples import CLIENTS, USERS

pytestmark = pytest.mark.asyncio(loop_scope="module")

DB = "import redis\n\nclient = redis.Redis(socket_timeout={timeout})\n"
WORKER = "from db import client\n\n\ndef work():\n    return client.blpop('jobs', timeout=30)\n"
BLOCKING = "import redis\n\nclient = redis.Redis(socket_timeout=5)\nclient.blpop('jobs', timeout=30)\n"
QUIET = BLOCKING.replace("timeout=30", "timeout=2")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    editor = await Editor.start(tmp_path_factory.mktemp("empty"))
    yield editor
    assert await editor.stop() == 0


@pytest_asyncio.fixture(loop_scope="module")
async def editor(shared: Editor, tmp_path: Path) -> AsyncIterator[Editor]:
    """A running server with the test's folder as a folder of the workspace."""
    shared.set_folders(added=[tmp_path])
    yield shared
    for path in list(shared.texts):
        shared.close(path)
    shared.set_folders(removed=[tmp_path])


def project(folder: Path, timeout: int = 5) -> tuple[Path, Path]:
    """A client in one file that another one blocks on."""
    db, worker = folder / "db.py", folder / "worker.py"
    db.write_text(DB.format(timeout=timeout))
    worker.write_text(WORKER)
    return db, worker


def single(folder: Path, text: str, name: str = "app.py") -> Path:
    path = folder / name
    path.write_bytes(text.encode("utf-8"))
    return path


# -- diagnostics ----------------------------------------------------------------------------------------------------


async def test_a_diagnostic_says_everything(editor: Editor, tmp_path: Path) -> None:
    db, worker = project(tmp_path)
    editor.open(worker)
    (found,) = await editor.settled(worker)
    assert (found.code, found.source, found.severity) == ("RL104", "resplint", types.DiagnosticSeverity.Error)
    assert editor.covered(worker, found.range) == "client.blpop('jobs', timeout=30)"
    assert found.code_description is not None
    assert found.code_description.href.endswith("/rules/book/RL104-blocking-timeout.md")
    assert found.related_information is not None
    made = found.related_information[0]
    assert made.location.uri == db.as_uri()
    assert made.location.range.start == types.Position(2, 9)
    assert made.message == "the client"
    message, help_ = found.message.split("\n")
    assert message.startswith("BLPOP waits up to 30 s, but `socket_timeout` is 5 s")
    assert help_.startswith("help: Wait less than 5 s at a time")
    assert "blpop" not in str([each.message for each in found.related_information])


async def test_changes_are_found_before_they_are_saved(editor: Editor, tmp_path: Path) -> None:
    path = single(tmp_path, QUIET)
    editor.open(path)
    assert await editor.settled(path) == []
    editor.change(path, BLOCKING)
    assert [each.code for each in await editor.settled(path)] == ["RL104"]
    editor.change(path, "# one more line\n" + BLOCKING)
    assert [each.range.start.line for each in await editor.settled(path)] == [4]
    editor.change(path, QUIET)
    assert await editor.settled(path) == []


async def test_a_file_that_was_never_saved_is_checked(editor: Editor, tmp_path: Path) -> None:
    path = tmp_path / "new.py"
    editor.open(path, BLOCKING)
    await editor.until_codes(path, ["RL104"])
    editor.change(path, QUIET)
    await editor.until_codes(path, [])
    editor.change(path, BLOCKING)
    editor.save(path)
    await editor.until_codes(path, ["RL104"])


async def test_a_closed_file_shows_nothing(editor: Editor, tmp_path: Path) -> None:
    path = single(tmp_path, BLOCKING)
    editor.open(path)
    assert await editor.settled(path) != []
    editor.close(path)
    await editor.until_codes(path, [])


async def test_an_open_file_changes_what_another_one_shows(editor: Editor, tmp_path: Path) -> None:
    db, worker = project(tmp_path)
    editor.open(worker)
    editor.open(db)
    await editor.until_codes(worker, ["RL104"])
    editor.change(db, DB.format(timeout=60))
    await editor.until_codes(worker, [])
    editor.change(db, DB.format(timeout=5))
    await editor.until_codes(worker, ["RL104"])
    # What was not saved is gone when the file is closed.
    db.write_text(DB.format(timeout=60))
    editor.close(db)
    await editor.until_codes(worker, [])


async def test_a_file_on_disk_changes_what_another_one_shows(editor: Editor, tmp_path: Path) -> None:
    db, worker = project(tmp_path)
    editor.open(worker)
    await editor.until_codes(worker, ["RL104"])
    db.write_text(DB.format(timeout=60))
    editor.tell_changed(db)
    await editor.until_codes(worker, [])
    db.write_text(DB.format(timeout=5))
    editor.tell_changed(db)
    await editor.until_codes(worker, ["RL104"])
    db.unlink()
    editor.tell_changed(db, types.FileChangeType.Deleted)
    await editor.until_codes(worker, [])


async def test_a_manifest_changes_the_findings(editor: Editor, tmp_path: Path) -> None:
    path = single(
        tmp_path,
        "import redis\n\npool = redis.ConnectionPool(socket_timeout=5)\nclient = redis.Redis(connection_pool=pool)\n",
    )
    manifest = single(tmp_path, "redis[hiredis]==5.0.8\n", "requirements.txt")
    editor.open(path)
    (found,) = await editor.settled(path)
    assert "redis-py 5.0.8" in found.message
    manifest.write_text("redis[hiredis]==6.4.0\n")
    editor.tell_changed(manifest)
    await editor.until(lambda: "redis-py 6.4.0" in editor.shown(path)[0].message)


async def test_the_editor_is_asked_to_watch_files(editor: Editor) -> None:
    (registration,) = editor.registered
    assert registration.method == types.WORKSPACE_DID_CHANGE_WATCHED_FILES
    patterns = [each["globPattern"] for each in registration.register_options["watchers"]]
    assert {"**/*.py", "**/*.kt", "**/uv.lock", "**/application*.yml", "**/resplint.toml"} <= set(patterns)


async def test_suppressed_findings_are_not_shown_but_idle_suppressions_are(editor: Editor, tmp_path: Path) -> None:
    path = single(tmp_path, BLOCKING.replace("=30)", "=30)  # resplint: ignore[RL104] known"))
    editor.open(path)
    assert await editor.settled(path) == []
    editor.change(path, QUIET.replace("=2)", "=2)  # resplint: ignore[RL104] known"))
    (found,) = await editor.settled(path)
    assert (found.code, list(found.tags or ())) == ("unused-suppression", [types.DiagnosticTag.Unnecessary])
    assert found.range.start.line == 3


async def test_documents_outside_of_the_workspace(editor: Editor, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = single(tmp_path_factory.mktemp("outside"), BLOCKING)
    editor.open(path, "# not saved\n" + BLOCKING)
    (found,) = await editor.settled(path)
    assert (found.code, found.range.start.line) == ("RL104", 4)
    editor.change(path, QUIET)
    assert await editor.settled(path) == []
    editor.change(path, BLOCKING)
    assert await editor.settled(path) != []
    editor.close(path)
    await editor.until_codes(path, [])


async def test_untitled_documents_are_passed_over(editor: Editor, tmp_path: Path) -> None:
    item = types.TextDocumentItem(uri="untitled:Untitled-1", language_id="python", version=1, text=BLOCKING)
    editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    path = single(tmp_path, BLOCKING)
    editor.open(path)
    await editor.settled(path)
    assert "untitled:Untitled-1" not in editor._published


async def test_folders_come_and_go(editor: Editor, tmp_path_factory: pytest.TempPathFactory) -> None:
    first, second = tmp_path_factory.mktemp("first"), tmp_path_factory.mktemp("second")
    (_, one), (_, two) = project(first), project(second, timeout=60)
    editor.set_folders(added=[first, second])
    editor.open(one)
    editor.open(two)
    assert [each.code for each in await editor.settled(one)] == ["RL104"]
    assert await editor.settled(two) == []
    editor.set_folders(removed=[first, second])
    # Alone, the file does not show what its client is.
    await editor.until_codes(one, [])


# -- configuration --------------------------------------------------------------------------------------------------


async def test_a_mistake_in_the_configuration(editor: Editor, tmp_path: Path) -> None:
    path = single(tmp_path, BLOCKING)
    config = single(tmp_path, 'ignore = ["RL104"]\n', "resplint.toml")
    editor.open(path)
    assert await editor.settled(path) == []
    config.write_text('# comment\nignore = ["RL999"]\n')
    editor.tell_changed(config)
    await editor.until(lambda: editor.shown(config))
    (found,) = editor.shown(config)
    assert (found.range.start.line, found.severity) == (1, types.DiagnosticSeverity.Error)
    assert "RL999" in found.message
    # It is told once, and the last good configuration holds.
    editor.change(path, BLOCKING + "\n")
    assert await editor.settled(path) == []
    assert [each.message for each in editor.client.messages if "RL999" in each.message] == [found.message]
    config.write_text("")
    editor.tell_changed(config)
    await editor.until_codes(path, ["RL104"])
    assert editor.shown(config) == []


async def test_rules_of_ones_own_come_and_go_with_their_file(editor: Editor, tmp_path: Path) -> None:
    rule = (
        '[[forbid]]\ncode = "SHOP001"\nname = "no-{name}"\ncommand = "{name}"\nmessage = "Not here"\nhelp = "Ask us."\n'
    )
    path = single(tmp_path, QUIET)
    single(tmp_path, 'select = ["SHOP"]\nforbid-from = "team.toml"\n', "resplint.toml")
    rules = single(tmp_path, rule.format(name="blpop"), "team.toml")
    editor.open(path)
    (found,) = await editor.settled(path)
    assert (found.code, found.severity, found.message) == (
        "SHOP001", types.DiagnosticSeverity.Warning, "Not here.\nhelp: Ask us."
    )  # fmt: skip
    assert found.related_information is not None
    assert "the client is made here" in found.related_information[0].message
    assert found.code_description is not None
    assert found.code_description.href.endswith("/docs/own-rules.md")
    rules.write_text(rule.format(name="brpop"))
    editor.tell_changed(rules)
    await editor.until_codes(path, [])
    rules.write_text(rule.format(name="brpopp"))
    editor.tell_changed(rules)
    await editor.until(lambda: editor.shown(rules))
    (mistake,) = editor.shown(rules)
    assert (mistake.range.start.line, "did you mean" in mistake.message) == (3, True)


async def test_rules_of_a_folder_hold_below_it(editor: Editor, tmp_path: Path) -> None:
    rule = '[[forbid]]\ncode = "SHOP00{0}"\nname = "no-{1}-{0}"\ncommand = "{1}"\nmessage = "Not here"\n'
    here = single(tmp_path, QUIET)
    (tmp_path / "api").mkdir()
    below = single(tmp_path / "api", QUIET)
    single(tmp_path, rule.format(1, "blpop"), "resplint.toml")
    own = single(tmp_path / "api", rule.format(2, "blpop"), "resplint.toml")
    editor.open(here)
    editor.open(below)
    assert [each.code for each in await editor.settled(here)] == ["SHOP001"]
    await editor.until_codes(below, ["SHOP002"])
    own.write_text(rule.format(2, "get"))
    editor.tell_changed(own)
    await editor.until_codes(below, [])
    assert [each.code for each in editor.shown(here)] == ["SHOP001"]
    own.write_text(rule.format(2, "gett"))
    editor.tell_changed(own)
    await editor.until(lambda: editor.shown(own))
    (mistake,) = editor.shown(own)
    assert (mistake.range.start.line, "did you mean" in mistake.message) == (3, True)


async def test_accepted_findings_are_not_shown(editor: Editor, tmp_path: Path) -> None:
    path = single(tmp_path, BLOCKING)
    single(tmp_path, 'baseline = "accepted.jsonl"\n', "resplint.toml")
    baseline = tmp_path / "accepted.jsonl"
    subprocess.run(
        [COMMAND[0], "baseline", tmp_path, "--output", baseline], check=True, capture_output=True, timeout=60
    )
    editor.open(path)
    assert await editor.settled(path) == []
    # In the middle of a merge everything is shown, and what is wrong.
    whole = baseline.read_text()
    baseline.write_text(whole + "<<<<<<< HEAD\n")
    editor.tell_changed(baseline)
    await editor.until_codes(path, ["RL104"])
    (found,) = editor.shown(baseline)
    assert (found.code, found.range.start.line) == ("configuration", len(whole.splitlines()))
    assert "merge conflict" in found.message
    baseline.write_text(whole)
    editor.tell_changed(baseline)
    await editor.until_codes(path, [])
    assert editor.shown(baseline) == []


# -- hover ----------------------------------------------------------------------------------------------------------


async def test_hover_shows_finding_trail_and_page(editor: Editor, tmp_path: Path) -> None:
    db, worker = project(tmp_path)
    editor.open(worker)
    await editor.settled(worker)
    params = types.HoverParams(identifier(worker), place_of(WORKER, "blpop").start)
    hover = await editor.client.text_document_hover_async(params)
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    page = hover.contents.value
    assert hover.contents.kind is types.MarkupKind.Markdown
    assert page.startswith("**error** [RL104 blocking-timeout](https://")
    assert f"1. [db.py:3]({db.as_uri()}#L3): the client" in page
    assert "**Help**: Wait less than 5 s at a time" in page
    assert "## Why it hurts" in page
    assert "### Python" in page
    assert "### Java" not in page
    outside = types.HoverParams(identifier(worker), types.Position(0, 0))
    assert await editor.client.text_document_hover_async(outside) is None


# -- ignoring -------------------------------------------------------------------------------------------------------

JAVA = """\
import redis.clients.jedis.Jedis;

class Worker {
    private final Jedis jedis = new Jedis("localhost", 6379, 5000);

    void settle() {
        jedis.waitReplicas(1, 30_000L);
    }
}
"""
JAVASCRIPT = """\
const Redis = require('ioredis');

const client = new Redis({ commandTimeout: 5000 });
client.on('error', console.error);

async function next() {
\tconst job = await client.blpop('jobs', 30);
\treturn job;
}

module.exports = { next };
"""


@pytest.mark.parametrize(
    ("name", "text", "call", "comment"),
    [
        ("app.py", BLOCKING, "client.blpop", "# resplint: ignore[RL104]\n"),
        ("worker.py", BLOCKING.replace("\n", "\r\n"), "client.blpop", "# resplint: ignore[RL104]\r\n"),
        ("Worker.java", JAVA, "        jedis.wait", "        // resplint: ignore[RL104]\n"),
        ("worker.js", JAVASCRIPT, "\tconst job", "\t// resplint: ignore[RL104]\n"),
    ],
)
async def test_ignore_here(editor: Editor, tmp_path: Path, name: str, text: str, call: str, comment: str) -> None:
    path = single(tmp_path, text, name)
    editor.open(path)
    (found,) = await editor.settled(path)
    await editor.choose((await editor.actions(path, found.range))["Ignore RL104 here"])
    assert editor.texts[path] == text.replace(call, comment + call)
    assert await editor.settled(path) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "    # resplint: ignore[RL102] reason\n    # resplint: ignore[RL103]\n",
            "    # resplint: ignore[RL102, RL104] reason\n    # resplint: ignore[RL103]\n",
        ),
        ("    # resplint: ignore[]\n", "    # resplint: ignore[RL104]\n"),
    ],
)
async def test_a_suppression_that_is_there_is_extended(editor: Editor, tmp_path: Path, before: str, after: str) -> None:
    text = DB.format(timeout=5) + f"if client:\n{before}    client.blpop('a', timeout=30)\n"
    path = single(tmp_path, text)
    editor.open(path)
    found = next(each for each in await editor.settled(path) if each.code == "RL104")
    await editor.choose((await editor.actions(path, found.range))["Ignore RL104 here"])
    assert editor.texts[path] == text.replace(before, after)
    assert "RL104" not in [each.code for each in await editor.settled(path)]


AWKWARD = {
    "a continued line": (
        "import redis\n\nclient = redis.Redis(socket_timeout=5)\njob = \\\n    client.blpop('jobs', timeout=30)\n",
        "    client.blpop('jobs', timeout=30)  # resplint: ignore[RL104]\n",
    ),
    "the last line of a template": (
        "const Redis = require('ioredis');\nconst client = new Redis({ commandTimeout: 5000 });\n"
        "client.on('error', console.error);\n"
        "async function next() {\n  return `a\n${await client.blpop('jobs', 30)} b`;\n}\n",
        "${await client.blpop('jobs', 30)} b`;  // resplint: ignore[RL104]\n",
    ),
    "a line inside of a template": (
        "const Redis = require('ioredis');\nconst client = new Redis({ commandTimeout: 5000 });\n"
        "client.on('error', console.error);\n"
        "async function next() {\n  return `a\n${await client.blpop('jobs', 30)} b\nc`;\n}\n",
        None,
    ),
}


@pytest.mark.parametrize("case", AWKWARD)
async def test_a_comment_stands_only_where_it_is_one(editor: Editor, tmp_path: Path, case: str) -> None:
    text, line = AWKWARD[case]
    path = single(tmp_path, text, "app.py" if text.startswith("import") else "app.js")
    editor.open(path)
    (found,) = await editor.settled(path)
    action = (await editor.actions(path, found.range))["Ignore RL104 here"]
    if line is None:
        assert (await editor.client.code_action_resolve_async(action)).edit is None
        return
    await editor.choose(action)
    assert line in editor.texts[path]
    assert await editor.settled(path) == []


@pytest.mark.parametrize("head", ["", "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n"])
async def test_ignore_in_file(editor: Editor, tmp_path: Path, head: str) -> None:
    path = single(tmp_path, head + BLOCKING + BLOCKING)
    editor.open(path)
    found = await editor.settled(path)
    assert [each.code for each in found] == ["RL104", "RL104"]
    await editor.choose((await editor.actions(path, found[0].range))["Ignore RL104 in this file"])
    assert editor.texts[path] == f"{head}# resplint: ignore-file[RL104]\n{BLOCKING}{BLOCKING}"
    assert await editor.settled(path) == []


async def test_actions_for_the_diagnostics_that_the_editor_names(editor: Editor, tmp_path: Path) -> None:
    path = single(tmp_path, BLOCKING)
    editor.open(path)
    found = await editor.settled(path)
    elsewhere = types.Range(types.Position(0, 0), types.Position(0, 0))
    assert await editor.actions(path, elsewhere) == {}
    assert "Ignore RL104 here" in await editor.actions(path, elsewhere, about=found)


async def test_actions_fit_a_document_that_changed_meanwhile(editor: Editor, tmp_path: Path) -> None:
    path = single(tmp_path, BLOCKING)
    editor.open(path)
    await editor.settled(path)
    changed = "# typed just now\n" + BLOCKING
    editor.change(path, changed)
    actions = await editor.actions(path, place_of(changed, "blpop"))
    await editor.choose(actions["Ignore RL104 here"])
    assert editor.texts[path] == changed.replace("client.blpop", "# resplint: ignore[RL104]\nclient.blpop")


# -- fixes ----------------------------------------------------------------------------------------------------------

PIPELINES = """\
import redis

client = redis.Redis(socket_timeout=5)


def names(users):
    pipe = client.pipeline()
    for user in users:
        pipe.get(f"name:{user}")
    return pipe.execute()


def ages(users):
    pipe = client.pipeline()
    for user in users:
        pipe.get(f"age:{user}")
    return pipe.execute()
"""
POLLERS = """\
import redis

client = redis.Redis(socket_timeout=5)


def names():
    while True:
        if name := client.blpop("names", timeout=30):
            print(name[1])


def ages():
    while True:
        if age := client.blpop("ages", timeout=60):
            print(age[1])
"""
CORRECTED = POLLERS.replace("=30", "=4").replace("=60", "=4")


async def test_an_unsafe_fix_is_called_so(editor: Editor, tmp_path: Path) -> None:
    path = single(tmp_path, PIPELINES)
    editor.open(path)
    first, second = await editor.settled(path)
    actions = await editor.actions(path, first.range)
    (fix,) = [each for title, each in actions.items() if not title.startswith("Ignore")]
    assert fix.title.endswith(" (unsafe: may change what the program does)")
    assert (fix.kind, fix.is_preferred, fix.edit) == (types.CodeActionKind.QuickFix, None, None)
    assert [each.code for each in fix.diagnostics or ()] == ["RL201"]
    # What was typed above meanwhile moves the place of the fix.
    editor.change(path, "# typed just now\n" + PIPELINES)
    await editor.choose(fix)
    assert editor.texts[path] == "# typed just now\n" + PIPELINES.replace("line()", "line(transaction=False)", 1)
    (left,) = await editor.settled(path)
    assert left.range.start.line == second.range.start.line + 1
    assert await editor.actions(path, left.range, ["source.fixAll"]) == {}


async def test_a_fix_of_text_that_is_gone_is_none(editor: Editor, tmp_path: Path) -> None:
    path = single(tmp_path, PIPELINES)
    editor.open(path)
    first, _ = await editor.settled(path)
    actions = await editor.actions(path, first.range)
    editor.change(path, PIPELINES.replace("client.pipeline()", "client.pipeline(False)"))
    for action in actions.values():
        assert (await editor.client.code_action_resolve_async(action)).edit is None


async def test_all_safe_fixes_of_a_file(editor: Editor, tmp_path: Path) -> None:
    path = single(tmp_path, POLLERS)
    editor.open(path)
    found = await editor.settled(path)
    (fix,) = [each for each in (await editor.actions(path, found[0].range)).values() if each.is_preferred]
    assert (fix.kind, "unsafe" in fix.title) == (types.CodeActionKind.QuickFix, False)
    for number, only in enumerate(["source.fixAll.resplint", "source.fixAll", "source"]):
        # As when the editor fixes on save, right after the last key was hit.
        text = f"# {number}\n"
        editor.change(path, text + POLLERS)
        (action,) = (
            await editor.actions(path, types.Range(types.Position(0, 0), types.Position(0, 0)), [only])
        ).values()
        assert action.kind == "source.fixAll.resplint"
        await editor.choose(action)
        assert editor.texts[path] == text + CORRECTED
        assert await editor.settled(path) == []


# -- other editors --------------------------------------------------------------------------------------------------

ODD = DB.format(timeout=5) + "if client:\n\tname = '𝄞é\u2028'; client.blpop('🙂', timeout=30)\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_positions_in_every_encoding(tmp_path: Path, encoding: str) -> None:
    path = single(tmp_path, ODD)
    editor = await Editor.start(tmp_path, capabilities=with_encodings(VS_CODE, encoding))
    assert editor.encoding == encoding
    editor.open(path)
    (found,) = await editor.settled(path)
    call = "client.blpop('🙂', timeout=30)"
    assert editor.covered(path, found.range) == call
    # Behind the astral character, still on the finding; and before it.
    inside = types.Position(found.range.end.line, found.range.end.character - 2)
    assert await editor.client.text_document_hover_async(types.HoverParams(identifier(path), inside)) is not None
    before = types.Position(found.range.start.line, found.range.start.character - 2)
    assert await editor.client.text_document_hover_async(types.HoverParams(identifier(path), before)) is None
    await editor.choose((await editor.actions(path, found.range))["Ignore RL104 here"])
    assert editor.texts[path] == ODD.replace("\tname", "\t# resplint: ignore[RL104]\n\tname")
    assert await editor.settled(path) == []
    assert await editor.stop() == 0


async def test_an_editor_that_can_do_little(tmp_path: Path) -> None:
    db, worker = project(tmp_path)
    editor = await Editor.start(tmp_path, capabilities=PLAIN)
    editor.open(worker)
    (found,) = await editor.settled(worker)
    assert (found.related_information, found.code_description, found.data) == (None, None, None)
    hover = await editor.client.text_document_hover_async(types.HoverParams(identifier(worker), found.range.start))
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert hover.contents.value.startswith("error RL104 blocking-timeout\n")
    # It cannot watch files: saving is the moment to look at the others.
    db.write_text(DB.format(timeout=60))
    editor.save(worker)
    await editor.until_codes(worker, [])
    db.write_text(DB.format(timeout=5))
    editor.save(worker)
    await editor.until_codes(worker, ["RL104"])
    # It asks about the diagnostics of a line, wherever the cursor is in it.
    start = types.Position(found.range.start.line, 0)
    assert await editor.actions(worker, types.Range(start, start)) == {}
    action = (await editor.actions(worker, types.Range(start, start), about=[found]))["Ignore RL104 here"]
    assert action.edit is not None
    assert action.edit.document_changes is None
    await editor.choose(action)
    assert await editor.settled(worker) == []
    assert await editor.stop() == 0


async def test_pulled_diagnostics(tmp_path: Path) -> None:
    db, worker = project(tmp_path)
    other = single(tmp_path, BLOCKING, "other.py")
    editor = await Editor.start(tmp_path, capabilities=with_pull(VS_CODE))
    editor.open(worker)
    params = types.DocumentDiagnosticParams(text_document=identifier(worker), identifier="resplint")
    report = await editor.client.text_document_diagnostic_async(params)
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    assert [each.code for each in report.items] == ["RL104"]
    params.previous_result_id = report.result_id
    again = await editor.client.text_document_diagnostic_async(params)
    assert isinstance(again, types.RelatedUnchangedDocumentDiagnosticReport)
    whole = await editor.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(previous_result_ids=[]))
    codes = {each.uri: [item.code for item in each.items] for each in whole.items}
    assert codes == {worker.as_uri(): ["RL104"], other.as_uri(): ["RL104"]}
    refreshed = editor.refreshed
    db.write_text(DB.format(timeout=60))
    editor.tell_changed(db)
    await editor.until(lambda: editor.refreshed > refreshed)
    report = await editor.client.text_document_diagnostic_async(params)
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    assert list(report.items) == []
    known = [types.PreviousResultId(uri=each.uri, value=each.result_id or "") for each in whole.items]
    whole = await editor.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(previous_result_ids=known))
    assert {each.uri: each.kind for each in whole.items} == {worker.as_uri(): "full", other.as_uri(): "unchanged"}
    # Nothing is shown twice.
    assert editor._published == {}
    assert await editor.stop() == 0


async def test_the_whole_workspace_can_be_shown(tmp_path: Path) -> None:
    _, worker = project(tmp_path)
    editor = await Editor.start(tmp_path, options={"diagnostics": "workspace", "level": "warning"})
    await editor.until_codes(worker, ["RL104"])
    worker.unlink()
    editor.tell_changed(worker, types.FileChangeType.Deleted)
    await editor.until_codes(worker, [])
    assert await editor.stop() == 0


# -- robustness -----------------------------------------------------------------------------------------------------


async def test_the_server_answers_and_ends_during_a_scan(tmp_path: Path) -> None:
    for number in range(150):
        single(tmp_path, BLOCKING * 20, f"app{number}.py")
    first = tmp_path / "app0.py"
    editor = await Editor.start(tmp_path, capabilities={**VS_CODE, "window": {"workDoneProgress": True}})
    editor.open(first)
    # A first scan that takes long says so.
    await editor.until(lambda: any(editor.client.progress_reports.values()))
    ((begin,),) = editor.client.progress_reports.values()
    assert begin.title == f"resplint: scanning {tmp_path.name}"
    hover = types.HoverParams(identifier(first), types.Position(3, 3))
    await editor.client.text_document_hover_async(hover)
    assert await editor.stop() == 0
    # Neither waited for the scan.
    assert editor.shown(first) == []


FAILING = """
import resplint.scan.analysis as engine
from resplint.cli import main

def with_fixes(state, *others, original=engine.with_fixes):
    print("noise")
    if b"BOOM" in (state.read("app.py") or b""):
        raise RuntimeError("a bug")
    return original(state, *others)

engine.with_fixes = with_fixes
main()
"""
"""A resplint that prints, and that some text brings down."""


async def test_a_scan_that_fails_is_logged_and_the_server_goes_on(tmp_path: Path) -> None:
    path = single(tmp_path, BLOCKING)
    editor = await Editor.start(tmp_path, command=[sys.executable, "-c", FAILING, "server"])
    editor.open(path)
    assert [each.code for each in await editor.settled(path)] == ["RL104"]
    editor.change(path, BLOCKING + "print('BOOM')\n")
    await editor.until(lambda: editor.client.log_messages)
    (message,) = editor.client.log_messages
    assert message.type is types.MessageType.Error
    assert message.message.startswith(f"The scan of {tmp_path} failed.\n")
    assert "RuntimeError: a bug" in message.message
    editor.change(path, "# fine again\n" + BLOCKING)
    assert [each.range.start.line for each in await editor.settled(path)] == [4]
    assert await editor.stop() == 0


async def test_a_session_begins_once(tmp_path: Path) -> None:
    path = single(tmp_path, BLOCKING)
    editor = await Editor.start(tmp_path)
    with pytest.raises(JsonRpcException, match="the session has begun already"):
        await editor.client.initialize_async(types.InitializeParams(capabilities=types.ClientCapabilities()))
    editor.open(path)
    assert [each.code for each in await editor.settled(path)] == ["RL104"]
    assert await editor.stop() == 0


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[[]]",
        b'{"jsonrpc": "2.0", "id": {}, "method": "x"}',
        b'{"id": 1, "method": "initialize", "params": 5}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover", "params": {"position": "\\u001b[31m\\nforged"}}',
    ],
)
async def test_nonsense_is_logged_in_lines(body: bytes) -> None:
    sent = b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    done = subprocess.run(COMMAND, input=sent, capture_output=True, timeout=60, check=False)
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert b"\x1b" not in done.stderr
    assert all(len(line) < 1_500 for line in done.stderr.splitlines())
    assert len(done.stderr.splitlines()) <= 3


@pytest.mark.parametrize("seed", [0, 1, 5, 8])
async def test_whatever_happened_the_editor_shows_what_a_scan_finds(editor: Editor, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    kinds = {"db1.py": CLIENTS, "db2.py": CLIENTS, "worker.py": USERS, "other.py": USERS}
    paths = [single(tmp_path, chance.choice(texts), name) for name, texts in kinds.items()]
    for _ in range(40):
        path = chance.choice(paths)
        text = "\n" * chance.randint(0, 3) + chance.choice(kinds[path.name])
        step = chance.choice(
            ["open", "change", "change", "change", "save", "close", "write", "write", "delete", "wait"]
        )
        if step == "wait":
            await asyncio.sleep(chance.random() / 5)
        elif step == "open" and path not in editor.texts and path.exists():
            editor.open(path)
        elif step == "change" and path in editor.texts:
            editor.change(path, text)
        elif step in ("save", "write") and path in editor.texts:
            editor.save(path)
            editor.tell_changed(path)
        elif step == "close" and path in editor.texts:
            editor.close(path)
        elif step == "write":
            path.write_text(text)
            editor.tell_changed(path)
        elif step == "delete":
            path.unlink(missing_ok=True)
            editor.tell_changed(path, types.FileChangeType.Deleted)
    for path in paths:
        if path.exists() and path not in editor.texts:
            editor.open(path)
    overlay = {path.name: text.encode() for path, text in editor.texts.items()}
    config = Config(rules={code: info.name for code, info in load_book().items()}, jobs=1)
    found = scan(ScanRequest([str(tmp_path)], config, root=tmp_path, overlay=overlay)).results
    assert found
    expected = {
        path: [
            (each.rule, each.region.start_line - 1, f"{each.message}\nhelp: {each.help}")
            for each in found
            if each.path == path.name
        ]
        for path in paths
    }
    for path in paths:
        wanted = expected[path] if path in editor.texts else []
        await editor.until(
            lambda path=path, wanted=wanted: (
                [(each.code, each.range.start.line, each.message) for each in editor.shown(path)] == wanted
            )
        )


async def test_an_editor_that_goes_away_is_an_error() -> None:
    done = subprocess.run(COMMAND, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (1, b"")


async def test_without_the_extra(tmp_path: Path) -> None:
    (tmp_path / "pygls.py").write_text("raise ImportError('No module named pygls', name='pygls')\n")
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from resplint.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "server"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == b""
    expected = f"resplint: the language server needs pygls, which is not installed: {install('server')}.\n"
    assert done.stderr.decode() == expected


# -- for extensions -------------------------------------------------------------------------------------------------


async def test_the_clients_of_each_folder_are_listed_as_they_are_in_the_editor(editor: Editor, tmp_path: Path) -> None:
    db, worker = project(tmp_path)
    editor.open(db)
    found = (await clients_in(editor))[tmp_path.as_uri()]
    assert [(each["name"], each["place"]["path"], each["timeouts"][0]["text"]) for each in found["clients"]] == [
        ("redis.Redis", "db.py", "5 s")
    ]
    assert found["clients"][0]["sites"] == [
        {"path": "worker.py", "line": 5, "column": 19, "command": "BLPOP", "grade": "exact"}
    ]
    editor.change(db, DB.format(timeout=60))
    found = (await clients_in(editor))[tmp_path.as_uri()]
    assert found["clients"][0]["timeouts"][0]["text"] == "60 s"
    assert worker.read_text() == WORKER


async def clients_in(editor: Editor) -> dict[str, dict[str, Any]]:
    answer = await editor.client.protocol.send_request_async("resplint/clients", {})
    return {each["uri"]: each for each in plain(answer)["projects"]}


def statuses(editor: Editor) -> list[dict[str, Any]]:
    """What the editor is told of its folders from now on."""
    heard: list[dict[str, Any]] = []

    def hear(params: Any) -> None:
        heard.append(plain(params))

    editor.client.feature("resplint/status")(hear)
    return heard


def plain(value: Any) -> Any:
    """JSON values instead of the objects that pygls makes of them."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


async def test_who_asks_for_it_is_told_what_a_folder_is_at(tmp_path: Path) -> None:
    _, worker = project(tmp_path)
    declared = {**VS_CODE, "experimental": {"resplint": {"status": True}}}
    editor = await Editor.start(tmp_path, capabilities=declared)
    heard = statuses(editor)
    try:
        editor.open(worker)
        await editor.until(lambda: heard and heard[-1]["state"] == "idle")
        assert heard[0] == {"uri": tmp_path.as_uri(), "state": "scanning"}
        assert heard[-1]["findings"] == {"error": 1, "warning": 0, "note": 0}
        assert heard[-1]["mistake"] is None
    finally:
        assert await editor.stop() == 0


async def test_who_does_not_ask_for_it_hears_nothing_unknown(tmp_path: Path) -> None:
    _, worker = project(tmp_path)
    editor = await Editor.start(tmp_path)
    heard = statuses(editor)
    try:
        editor.open(worker)
        await editor.until_codes(worker, ["RL104"])
        assert heard == []
    finally:
        assert await editor.stop() == 0
