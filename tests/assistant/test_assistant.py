"""`resplint mcp` as assistants meet it: the real process, asked through the SDK's own client."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from resplint.assistant.pages import ROOM
from resplint.knowledge.load import load_book
from resplint.output.about import install

pytestmark = pytest.mark.asyncio(loop_scope="module")

COMMAND = str(Path(sys.executable).with_name("resplint"))
DB = "import redis\n\nclient = redis.Redis(socket_timeout={timeout})\n"
WORKER = "from shop.db import client\n\n\ndef work():\n    return client.blpop('jobs', timeout=30)\n"
BATCH = """from shop.db import client


def prices(ids):
    pipe = client.pipeline()
    for one in ids:
        pipe.get(one)
    return pipe.execute()
"""


def server(folder: Path, *arguments: str) -> StdioServerParameters:
    return StdioServerParameters(command=COMMAND, args=["mcp", *arguments], cwd=folder, env=dict(os.environ))


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def shop(folder: Path) -> Path:
    """A client in one file, and two others that use it badly."""
    write(folder, {"shop/db.py": DB.format(timeout=5), "shop/worker.py": WORKER, "shop/batch.py": BATCH})
    return folder


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shop(tmp_path_factory.mktemp("workspace"))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(workspace: Path) -> AsyncIterator[Client]:
    """A client of one server, which the tests share."""
    entered: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
    over = asyncio.Event()

    async def session() -> None:  # the SDK wants to be left in the task that entered it
        async with Client(server(workspace)) as each:
            entered.set_result(each)
            await over.wait()

    task = asyncio.create_task(session())
    await asyncio.wait([task, entered], return_when=asyncio.FIRST_COMPLETED)
    yield entered.result()
    over.set()
    await task


async def ask(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The answer of a tool."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return result.structured_content


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    """What a tool says that refuses."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return said(result)


def said(result: Any) -> str:
    return str(result.content[0].text)


def rules_of(answer: dict[str, Any]) -> list[str]:
    return [each["rule"] for each in answer["findings"]]


# -- what there is --------------------------------------------------------------------------------------------------


async def test_the_tools_say_what_they_do_and_that_they_only_read(client: Client) -> None:
    tools = (await client.list_tools()).tools
    assert sorted(tool.name for tool in tools) == ["clients", "explain", "fix", "rules", "scan", "why"]
    for tool in tools:
        assert tool.annotations is not None
        assert (tool.annotations.read_only_hint, tool.annotations.open_world_hint) == (True, False)
        assert tool.description
        for name, parameter in tool.input_schema["properties"].items():
            assert parameter.get("description"), f"{tool.name}: {name}"
    assert "scan" in (client.instructions or "")


async def test_every_rule_has_its_page_among_the_resources(client: Client) -> None:
    resources = (await client.list_resources()).resources
    assert sorted(str(each.uri) for each in resources) == sorted(f"resplint://rules/{code}" for code in load_book())
    for each in resources:
        (page,) = (await client.read_resource(str(each.uri))).contents
        assert page.mime_type == "text/markdown"
        assert page.text == load_book()[str(each.uri).rsplit("/", 1)[-1]].help_markdown
        assert len(page.text) < ROOM


async def test_a_page_that_does_not_exist_is_an_error(client: Client) -> None:
    with pytest.raises(MCPError):
        await client.read_resource("resplint://rules/RL999")


async def test_assistants_of_the_earlier_protocol_are_served(workspace: Path) -> None:
    async with Client(server(workspace), mode="legacy") as client:
        assert sorted(rules_of(await ask(client, "scan"))) == ["RL104", "RL201"]


# -- scan -----------------------------------------------------------------------------------------------------------


async def test_a_finding_leads_through_the_project(client: Client) -> None:
    answer = await ask(client, "scan", rules=["blocking-timeout"])
    (found,) = answer["findings"]
    assert (found["rule"], found["level"]) == ("RL104", "error")
    assert (found["path"], found["line"], found["symbol"]) == ("shop/worker.py", 5, "work")
    assert found["code"] == "return client.blpop('jobs', timeout=30)"
    assert (found["trail"][0]["path"], found["trail"][0]["line"]) == ("shop/db.py", 3)
    assert found["fix"] == {"title": "Wait 4 s at most", "safety": "unsafe"}
    assert answer["counts"] == {"error": 1, "warning": 0, "note": 0}
    assert answer["next_offset"] is None


async def test_a_question_after_an_edit_sees_the_edit(tmp_path: Path) -> None:
    async with Client(server(shop(tmp_path))) as client:
        assert rules_of(await ask(client, "scan", paths=["shop/worker.py"])) == ["RL104"]
        write(tmp_path, {"shop/db.py": DB.format(timeout=60)})
        assert rules_of(await ask(client, "scan", paths=["shop/worker.py"])) == []
        assert "socket_timeout 60 s" in (await ask(client, "why", path="shop/worker.py", line=5))["text"]
        write(tmp_path, {"shop/db.py": DB.format(timeout=7)})
        assert rules_of(await ask(client, "scan", paths=["shop/worker.py"])) == ["RL104"]
        assert "socket_timeout 7 s" in (await ask(client, "why", path="shop/worker.py", line=5))["text"]


async def test_findings_are_of_the_paths_and_levels_that_were_asked_about(client: Client, workspace: Path) -> None:
    assert sorted(rules_of(await ask(client, "scan"))) == ["RL104", "RL201"]
    assert rules_of(await ask(client, "scan", paths=["shop/batch.py"])) == ["RL201"]
    assert rules_of(await ask(client, "scan", paths=[str(workspace / "shop" / "batch.py")])) == ["RL201"]
    assert rules_of(await ask(client, "scan", paths=["shop/db.py"])) == []
    assert rules_of(await ask(client, "scan", level="error")) == ["RL104"]


async def test_a_finding_of_the_baseline_or_suppressed_is_not_told(tmp_path: Path) -> None:
    shop(tmp_path)
    write(tmp_path, {"shop/batch.py": BATCH.replace("pipeline()", "pipeline()  # resplint: ignore[RL201] -- atomic")})
    done = subprocess.run([COMMAND, "baseline"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    if not any("baseline" in path.read_text() for path in tmp_path.glob("*.toml")):
        write(tmp_path, {"resplint.toml": f"baseline = '{next(tmp_path.glob('*.jsonl')).name}'\n"})
    async with Client(server(tmp_path)) as client:
        assert rules_of(await ask(client, "scan")) == []


async def test_what_was_not_analysed_is_told(tmp_path: Path) -> None:
    write(tmp_path, {"big.py": "import redis\n" + "#" * 2_000_000})
    async with Client(server(tmp_path)) as client:
        answer = await ask(client, "scan")
        assert len(answer["remarks"]) == 1
        assert answer["remarks"][0].startswith("big.py: ")
        assert (await ask(client, "scan", paths=["."]))["remarks"] == answer["remarks"]


async def test_long_answers_come_in_pages_of_a_bounded_size(tmp_path: Path) -> None:
    body = "".join(f"\n\ndef work{n}():\n    return client.blpop('jobs{n}', timeout=30)\n" for n in range(120))
    write(tmp_path, {"shop/db.py": DB.format(timeout=5), "shop/jobs.py": "from shop.db import client\n" + body})
    async with Client(server(tmp_path)) as client:
        lines, offset, pages = [], 0, 0
        while offset is not None:
            result = await client.call_tool("scan", {"offset": offset, "limit": 100})
            assert len(said(result)) < 2 * ROOM
            answer = result.structured_content
            assert answer["total"] == 120
            assert answer["counts"]["error"] == 120
            lines += [each["line"] for each in answer["findings"]]
            offset, pages = answer["next_offset"], pages + 1
        assert lines == sorted(set(lines))
        assert len(lines) == 120
        assert pages > 1
        (found,) = (await ask(client, "clients"))["clients"]
        assert (len(found["sites"]), found["more_sites"]) == (10, 110)
        diff, offset = "", 0
        while offset is not None:
            answer = await ask(client, "fix", unsafe=True, offset=offset)
            assert len(answer["diff"]) <= ROOM
            diff, offset = diff + answer["diff"], answer["next_offset"]
        assert diff.count("\n+    return") == 120
        assert rules_of(await ask(client, "scan", offset=10_000)) == []


# -- why, clients, rules --------------------------------------------------------------------------------------------


async def test_why_says_which_client_and_what_the_rules_decided(client: Client) -> None:
    text = (await ask(client, "why", path="shop/worker.py", line=5))["text"]
    assert "sends BLPOP through client" in text
    assert "made in shop/db.py:3" in text
    assert "RL104 reports: " in text
    assert "RL102 reports nothing" in text


async def test_why_says_why_it_cannot_answer(client: Client, workspace: Path) -> None:
    write(workspace, {"notes.py": "x = 1\n"})
    assert "has 6 lines" in await refusal(client, "why", path="shop/worker.py", line=500)
    assert "Not analysed: it names no client library" in await refusal(client, "why", path="notes.py", line=1)
    assert "is no file" in await refusal(client, "why", path="shop", line=1)


async def test_clients_are_listed_with_their_options_and_users(client: Client, workspace: Path) -> None:
    (workspace / "other").mkdir()
    (found,) = (await ask(client, "clients"))["clients"]
    assert (found["name"], found["place"]) == ("redis.Redis", {"path": "shop/db.py", "line": 3})
    assert found["timeouts"][0]["text"] == "5 s"
    assert [user["path"] for user in found["users"]] == ["shop/batch.py", "shop/worker.py"]
    assert (await ask(client, "clients", paths=["shop/worker.py"]))["total"] == 1
    assert (await ask(client, "clients", paths=["other"]))["total"] == 0


async def test_rules_and_their_pages(client: Client) -> None:
    answer = await ask(client, "rules")
    assert [each["code"] for each in answer["rules"]] == sorted(load_book())
    assert answer["rules"][0]["page"] == f"resplint://rules/{answer['rules'][0]['code']}"
    page = said(await client.call_tool("explain", {"rule": "blocking-timeout"}))
    assert page == load_book()["RL104"].help_markdown
    python = said(await client.call_tool("explain", {"rule": "RL104", "language": "python"}))
    assert "client.blpop(" in python
    assert len(python) < len(page)
    assert "RL104 blocking-timeout" in await refusal(client, "explain", rule="blocking")
    assert "python, java" in await refusal(client, "explain", rule="RL104", language="cobol")


async def test_rules_of_ones_own_are_like_the_others(tmp_path: Path) -> None:
    rule = 'code = "SHOP001"\nname = "no-pipelines"\nmethod = "pipeline"\nmessage = "No batches here."\n'
    shop(tmp_path)
    write(tmp_path, {"resplint.toml": f"[[forbid]]\n{rule}"})
    async with Client(server(tmp_path)) as client:
        assert rules_of(await ask(client, "scan", rules=["no-pipelines"])) == ["SHOP001"]
        assert "SHOP001" in [each["code"] for each in (await ask(client, "rules"))["rules"]]
        assert said(await client.call_tool("explain", {"rule": "SHOP001"})).startswith("# SHOP001 no-pipelines")
        resources = (await client.list_resources()).resources
        assert "resplint://rules/SHOP001" in [str(each.uri) for each in resources]
        assert "SHOP001 reports: No batches here." in (await ask(client, "why", path="shop/batch.py", line=5))["text"]


async def test_rules_of_a_folder_hold_below_it(tmp_path: Path) -> None:
    rule = '[[forbid]]\ncode = "SHOP00{0}"\nname = "no-{1}"\n{2} = "{1}"\nmessage = "No {1}."\n'
    shop(tmp_path)
    write(tmp_path, {"resplint.toml": rule.format(1, "pipeline", "method")})
    write(tmp_path, {"shop/resplint.toml": rule.format(2, "client", "make")})
    async with Client(server(tmp_path)) as client:
        assert set(rules_of(await ask(client, "scan", rules=["no-client", "no-pipeline"]))) == {"SHOP002"}
        assert [each["code"] for each in (await ask(client, "rules"))["rules"]][-2:] == ["SHOP001", "SHOP002"]
        assert said(await client.call_tool("explain", {"rule": "SHOP002"})).startswith("# SHOP002 no-client")
        text = (await ask(client, "why", path="shop/batch.py", line=5))["text"]
        assert "SHOP001" not in text
        write(tmp_path, {"shop/resplint.toml": 'extends = "../resplint.toml"\n'})
        text = (await ask(client, "why", path="shop/batch.py", line=5))["text"]
        assert "SHOP001 reports: No pipeline." in text


# -- fix ------------------------------------------------------------------------------------------------------------


async def test_a_fix_is_a_diff_that_applies_and_nothing_is_written(tmp_path: Path) -> None:
    shop(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    async with Client(server(tmp_path)) as client:
        answer = await ask(client, "fix", paths=["shop/worker.py"])
        assert (answer["diff"], answer["more_with_unsafe"]) == ("", 1)
        answer = await ask(client, "fix", paths=["shop/worker.py"], unsafe=True)
        assert [each["rule"] for each in answer["fixed"]] == ["RL104"]
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
        done = subprocess.run(
            ["git", "apply", "-"], cwd=tmp_path, input=answer["diff"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "shop/worker.py").read_text() == WORKER.replace("timeout=30", "timeout=4")
        assert rules_of(await ask(client, "scan")) == ["RL201"]


# -- what is refused ------------------------------------------------------------------------------------------------


async def test_what_lies_outside_the_workspace_cannot_be_asked_about(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    inside = shop(tmp_path / "inside")
    write(outside, {"secret.py": "import redis\n\npassword = 'hunter2'\n"})
    (inside / "link.py").symlink_to(outside / "secret.py")
    (inside / "folder").symlink_to(outside)
    async with Client(server(inside)) as client:
        for path in ("../outside/secret.py", str(outside / "secret.py"), "link.py", "folder/secret.py", "folder", ".."):
            for tool, arguments in (
                ("scan", {"paths": [path]}), ("why", {"path": path, "line": 3}), ("clients", {"paths": [path]}),
                ("fix", {"paths": [path]}),
            ):  # fmt: skip
                message = await refusal(client, tool, **arguments)
                assert "outside the workspace" in message
                assert "hunter2" not in message
        assert "There is no missing.py" in await refusal(client, "scan", paths=["missing.py"])


async def test_nothing_of_the_workspace_is_run(tmp_path: Path) -> None:
    shop(tmp_path)
    trap = f"import pathlib\npathlib.Path({str(tmp_path / 'ran')!r}).touch()\nimport redis\n"
    write(tmp_path, dict.fromkeys(("redis.py", "mcp.py", "sitecustomize.py", "setup.py", "conftest.py"), trap))
    async with Client(server(tmp_path)) as client:
        await ask(client, "scan")
        await ask(client, "clients")
        await ask(client, "why", path="shop/worker.py", line=5)
    assert not (tmp_path / "ran").exists()


async def test_a_mistake_in_the_configuration_is_told_until_it_is_corrected(tmp_path: Path) -> None:
    write(shop(tmp_path), {"resplint.toml": "ignore = 3\n"})
    async with Client(server(tmp_path)) as client:
        assert "resplint.toml" in await refusal(client, "scan")
        write(tmp_path, {"resplint.toml": "ignore = ['RL201']\n"})
        assert rules_of(await ask(client, "scan")) == ["RL104"]


async def test_another_folder_and_configuration_can_be_named(tmp_path: Path) -> None:
    shop(tmp_path / "project")
    write(tmp_path, {"other.toml": "ignore = ['RL104']\n"})
    async with Client(server(tmp_path, "project", "--config", "other.toml")) as client:
        assert rules_of(await ask(client, "scan")) == ["RL201"]


@pytest.mark.parametrize(
    ("folder", "expected"), [("{home}", "is no project"), ("/", "is no project"), ("{home}/nowhere", "is no folder")]
)
async def test_a_folder_that_is_no_project_is_refused(tmp_path: Path, folder: str, expected: str) -> None:
    done = subprocess.run(
        [COMMAND, "mcp", folder.format(home=tmp_path)], input="", env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert expected in done.stderr
    assert len(done.stderr.splitlines()) == 1


async def test_a_missing_extra_is_told_with_its_remedy(tmp_path: Path) -> None:
    (tmp_path / "mcp.py").write_text("raise ImportError('No module named mcp', name='mcp')\n")
    path = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        [COMMAND, "mcp"], cwd=tmp_path, input="", env={**os.environ, "PYTHONPATH": path},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    expected = f"resplint: the server for assistants needs the package mcp, which is not installed: {install('mcp')}.\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", expected)


async def test_the_server_ends_with_its_input(tmp_path: Path) -> None:
    done = subprocess.run([COMMAND, "mcp"], cwd=tmp_path, input="", capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, b"")


async def test_questions_at_once_are_all_answered(client: Client) -> None:
    answers = await asyncio.gather(
        *(ask(client, "scan", rules=["RL104"]) for _ in range(4)), ask(client, "clients"), ask(client, "rules")
    )
    assert [rules_of(each) for each in answers[:4]] == [["RL104"]] * 4
