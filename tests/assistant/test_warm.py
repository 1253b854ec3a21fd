"""What an answer costs after the first one: only what changed is parsed, and what did not change stays linked."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from resplint.assistant import answers as module
from resplint.assistant import serving
from resplint.assistant.answers import Answers
from resplint.assistant.pages import LONGEST, ROOM, bounded, page, part
from resplint.assistant.serving import Tools
from resplint.assistant.workspace import Workspace
from resplint.config.loading import Config
from resplint.knowledge.load import load_book
from resplint.scan import FactsMemory
from resplint.warm import linking

FILES = {
    "db.py": "import redis\n\nclient = redis.Redis(socket_timeout=5)\n",
    "worker.py": "from db import client\n\n\ndef work():\n    return client.blpop('jobs', timeout=30)\n",
    "other.py": "from db import client\n\n\ndef other():\n    return client.get('name')\n",
}


def silent(stage: str, done: int, total: int) -> None:
    """Nobody listens."""


@pytest.fixture
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Answers:
    monkeypatch.setattr(linking, "_SETTLED_NS", 0)  # files of tests are always young
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    time.sleep(0.05)
    config = Config(rules={code: info.name for code, info in load_book().items()})
    return Answers(Workspace(tmp_path), lambda root, explicit: config, None)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were parsed since the list was cleared."""
    paths: list[str] = []
    put = FactsMemory.put

    def noticed(self: FactsMemory, path: str, data: bytes, lowered: Any) -> None:
        paths.append(path)
        put(self, path, data, lowered)

    monkeypatch.setattr(FactsMemory, "put", noticed)
    return paths


@pytest.fixture
def links(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The requests for which the project was linked to ask about places or clients."""
    requests: list[object] = []
    link = linking.link

    def noticed(request: Any) -> Any:
        requests.append(request)
        return link(request)

    monkeypatch.setattr(linking, "link", noticed)
    return requests


def test_only_what_changed_is_parsed_again(answers: Answers, parsed: list[str], tmp_path: Path) -> None:
    assert len(answers.scan((), (), "note", 0, 20, silent)["findings"]) == 1
    assert sorted(set(parsed)) == ["db.py", "other.py", "worker.py"]
    parsed.clear()
    (tmp_path / "db.py").write_text(FILES["db.py"].replace("=5", "=60"))
    assert answers.scan((), (), "note", 0, 20, silent)["findings"] == []
    assert set(parsed) == {"db.py"}
    parsed.clear()
    assert "socket_timeout 60 s" in answers.why("worker.py", 5, None, 0, silent)["text"]
    assert answers.clients((), 0, 20, silent)["total"] == 1
    assert answers.scan((), (), "note", 0, 20, silent)["findings"] == []
    assert parsed == []


def test_a_project_stays_linked_while_no_file_changes(answers: Answers, links: list[object], tmp_path: Path) -> None:
    for path in ("worker.py", "other.py"):
        assert "sends" in answers.why(path, 5, None, 0, silent)["text"]
    answers.clients((), 0, 20, silent)
    assert len(links) == 1
    (tmp_path / "db.py").write_text(FILES["db.py"].replace("=5", "=60"))
    assert "socket_timeout 60 s" in answers.why("worker.py", 5, None, 0, silent)["text"]
    assert len(links) == 2
    # What is no source file counts as well: the version decides about defaults.
    (tmp_path / "requirements.txt").write_text("redis[hiredis]==5.0.0\n")
    (client,) = answers.clients((), 0, 20, silent)["clients"]
    assert client["library"]["version"] == "5.0.0"
    assert len(links) == 3
    answers.forget()
    answers.clients((), 0, 20, silent)
    assert len(links) == 4


def test_fixing_leaves_what_is_known_of_the_files_as_it_was(
    answers: Answers, parsed: list[str], tmp_path: Path
) -> None:
    answers.scan((), (), "note", 0, 20, silent)
    assert "+    return client.blpop('jobs', timeout=4)" in answers.fix((), (), True, 0, silent)["diff"]
    (tmp_path / "db.py").write_text(FILES["db.py"].replace("=5", "=6"))
    parsed.clear()
    assert len(answers.scan((), (), "note", 0, 20, silent)["findings"]) == 1
    assert set(parsed) == {"db.py"}


def test_a_scan_that_was_given_up_is_done_the_next_time(answers: Answers) -> None:
    def give_up(stage: str, done: int, total: int) -> None:
        raise serving.GivenUpError

    with pytest.raises(serving.GivenUpError):
        answers.scan((), (), "note", 0, 20, give_up)
    assert len(answers.scan((), (), "note", 0, 20, silent)["findings"]) == 1


# -- what the assistant hears meanwhile -----------------------------------------------------------------------------


class Waiting:
    """A client that asks, and perhaps loses its patience."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    async def report_progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        self.heard.append(message or "")


class Slow:
    """Answers that take a while."""

    ended = ""

    def scan(self, *arguments: Any) -> dict[str, object]:
        step = arguments[-1]
        try:
            for done in range(100):
                step("parsing", done, 100)
                time.sleep(0.01)
        except serving.GivenUpError:
            self.ended = "given up"
            raise
        self.ended = "done"
        return {}

    def forget(self) -> None:
        """There is nothing."""


def test_a_long_scan_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_TICK_S", 0.1)
    waiting, slow = Waiting(), Slow()
    asyncio.run(Tools(slow).scan(waiting))  # type: ignore[arg-type]
    assert slow.ended == "done"
    assert any(each.startswith("parsing (") for each in waiting.heard)


def test_a_scan_that_nobody_waits_for_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow()

    async def cancel() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(Tools(slow).scan(Waiting()), 0.1)  # type: ignore[arg-type]
        for _ in range(50):
            await asyncio.sleep(0.02)

    asyncio.run(cancel())
    assert slow.ended == "given up"


# -- sizes ----------------------------------------------------------------------------------------------------------


def test_a_page_ends_where_the_room_ends() -> None:
    items = ["x" * 1_000] * 100
    first = page(items, lambda each: {"text": each}, "items", 0, 100)
    assert 20 < len(first["items"]) <= ROOM / 1_000
    assert first["next_offset"] == len(first["items"])
    rest = page(items, lambda each: {"text": each}, "items", 90, 100)
    assert (len(rest["items"]), rest["next_offset"]) == (10, None)


def test_an_entry_larger_than_the_room_is_cut_and_comes_alone() -> None:
    (only,) = page([["y" * LONGEST * 2] * 200], lambda each: {"text": each}, "items", 0, 10)["items"]
    assert only["text"][-1] == {"left_out": 100}
    assert only["text"][0].endswith("… (2,000 more characters)")
    assert bounded({"a": [1, None, True]}) == {"a": [1, None, True]}


def test_parts_of_a_text_join_to_the_whole_and_end_with_lines() -> None:
    text = "".join(f"line {number}\n" for number in range(10_000)) + "z" * (2 * ROOM)
    joined, offset = "", 0
    while offset is not None:
        one = part(text, offset, "text")
        assert 0 < len(one["text"]) <= ROOM
        joined, offset = joined + one["text"], one["next_offset"]
    assert joined == text
    assert part(text, 0, "text")["text"].endswith("\n")


def test_the_rules_named_in_an_error_are_all_there_are() -> None:
    with pytest.raises(module.UserError, match="RL104 blocking-timeout"):
        module.find_rule("RL1", load_book())
