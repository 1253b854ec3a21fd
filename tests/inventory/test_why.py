"""`resplint why`: what stands at a place, from where, and what the rules decided about it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from resplint.cli.app import cli
from tests.inventory.test_inventory import SHOP, write

JOBS = {
    "requirements.txt": "redis==5.0.8\n",
    "jobs/clients.py": """
import os
import redis

def connect(seconds):
    return redis.Redis(host=os.environ["HOST"], socket_timeout=seconds)
""",
    "jobs/work.py": """
from jobs.clients import connect

class Worker:
    def __init__(self):
        self.queue = connect(30)

    def next(self):
        return self.queue.blpop("jobs", timeout=5)

    def slow(self):
        return self.queue.blpop("jobs", timeout=60)

    def all(self, script):
        self.queue.eval("return 1", 0)
        return self.queue.hgetall("seen")
""",
    "jobs/names.py": "NAMES = ['a']\nprint(NAMES)\n",
    "tests/test_work.py": "import redis\nredis.Redis().get('k')\n",
}


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    return write(tmp_path, JOBS)


def run(root: Path, place: str, *options: str) -> Result:
    return CliRunner().invoke(cli, ["why", str(root / place), "--project", str(root), *options])


def answers(root: Path, place: str) -> list[dict[str, Any]]:
    result = run(root, place, "--format", "json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.output)
    assert document["version"] == "1.0"
    return list(document["expressions"])


def rules(root: Path, place: str) -> dict[str, tuple[bool, str]]:
    """Rule -> (whether it reports, its text) of the one expression at a place."""
    (one,) = answers(root, place)
    return {rule["rule"]: (rule["reported"], rule["text"]) for rule in one["rules"]}


def test_a_call_site_says_what_it_sends_through_which_client(jobs: Path) -> None:
    (one,) = answers(jobs, "jobs/work.py:9")
    assert (one["command"], one["subject"], one["symbol"]) == ("BLPOP", "self.queue", "Worker.next")
    (value,) = one["values"]
    assert value["text"] == "client redis.Redis made in jobs/clients.py:6"
    (client,) = one["clients"]
    assert client["place"] == {"path": "jobs/clients.py", "line": 6}
    assert client["library"]["version"] == "5.0.8"
    (timeout,) = [one for one in client["timeouts"] if one["option"] == "socket_timeout"]
    assert (timeout["value"], timeout["origin"]) == (30, "code")


def test_the_way_leads_from_the_constructor_to_the_call(jobs: Path) -> None:
    (one,) = answers(jobs, "jobs/work.py:9")
    steps = [(step["place"]["path"], step["place"]["line"]) for step in one["values"][0]["steps"]]
    assert steps[0] == ("jobs/clients.py", 6)
    assert steps[-1] == ("jobs/work.py", 9)
    assert ("jobs/work.py", 6) in steps, "where the field is set"
    assert one["values"][0]["steps"][0]["code"].startswith("return redis.Redis(")


def test_a_rule_that_reports_nothing_says_why(jobs: Path) -> None:
    found = rules(jobs, "jobs/work.py:9")
    assert found["RL104"] == (False, "BLPOP waits 5 s, `socket_timeout` is 30 s.")
    assert found["RL101"][0] is False
    assert rules(jobs, "jobs/work.py:15")["RL301"] == (False, "The text sent to 'EVAL' is always the same.")
    assert rules(jobs, "jobs/work.py:16")["RL401"] == (False, "No code was found that writes fields of this hash.")


def test_a_rule_that_reports_says_what_a_scan_says(jobs: Path) -> None:
    reported, text = rules(jobs, "jobs/work.py:12")["RL104"]
    scan = CliRunner().invoke(cli, ["scan", str(jobs), "--select", "RL104", "--format", "json"])
    assert reported
    assert text in {finding["message"] for finding in json.loads(scan.output)["results"]}


def test_what_a_scan_leaves_out_for_its_precision_is_marked(tmp_path: Path) -> None:
    code = """import redis

store = redis.Redis()


def keep(owner, link, text):
    store.hset(f"links:{owner}", link, text)


def links(owner):
    return store.hgetall(f"links:{owner}")
"""
    write(tmp_path, {"links.py": code})
    (one,) = answers(tmp_path, "links.py:11")
    (found,) = [rule for rule in one["rules"] if rule["rule"] == "RL401"]
    assert (found["reported"], found["precision"]) == (True, "low")
    assert (
        "RL401 reports (low precision: a scan shows it with --min-precision low)" in run(tmp_path, "links.py:11").output
    )
    assert {rule["precision"] for rule in one["rules"] if not rule["reported"]} == {""}


def test_rules_about_the_client_and_the_batch_are_named_at_what_they_are_about(tmp_path: Path) -> None:
    write(tmp_path, SHOP)
    (one,) = answers(tmp_path, "shop/basket.py:9")
    about = {rule["rule"]: rule["place"]["line"] for rule in one["rules"] if rule["place"]["path"] == "shop/basket.py"}
    assert about["RL201"] == 8, "where the pipeline is made"
    assert {rule["rule"] for rule in one["rules"]} >= {"RL101", "RL102", "RL201"}


def test_text_for_people(jobs: Path) -> None:
    result = run(jobs, "jobs/work.py:9")
    assert result.exit_code == 0, result.output
    assert "sends BLPOP through self.queue, which stands for:" in result.output
    assert "RL104 reports nothing: BLPOP waits 5 s, `socket_timeout` is 30 s." in result.output
    assert "redis-py 5.0.8 (pinned in requirements.txt)" in result.output


def test_a_column_chooses_the_expression(jobs: Path) -> None:
    (call,) = answers(jobs, "jobs/work.py:9:16")
    assert call["code"] == 'self.queue.blpop("jobs", timeout=5)'
    (argument,) = answers(jobs, "jobs/work.py:9:49")
    assert (argument["code"], argument["values"][0]["text"]) == ("5", "the constant 5")


def test_a_line_without_a_command(jobs: Path) -> None:
    (one,) = answers(jobs, "jobs/clients.py:6")
    assert one["code"].startswith("redis.Redis(")
    assert one["command"] == ""
    assert {rule["rule"] for rule in one["rules"]} == {"RL101", "RL102", "RL105", "RL601", "RL602"}


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("jobs/nothing.py:1", "There is no file"),
        ("jobs/work.py", "write FILE:LINE"),
        ("jobs/work.py:1", "No expression begins at jobs/work.py:1."),
        ("jobs/work.py:900", "has 17 lines, so there is no line 900"),
        ("jobs/work.py:9:400", "No expression begins at jobs/work.py:9:400."),
        ("jobs/names.py:1", "jobs/names.py: Not analysed: it names no client library"),
        ("requirements.txt:1", "requirements.txt: Not analysed: no supported language"),
        ("tests/test_work.py:2", "tests/test_work.py: Not analysed: it is excluded or test code"),
    ],
)
def test_a_place_of_which_nothing_can_be_said(jobs: Path, place: str, said: str) -> None:
    result = run(jobs, place)
    assert result.exit_code == 2
    assert said in result.output
    assert "Traceback" not in result.output


def test_code_of_tests_on_request(jobs: Path) -> None:
    result = run(jobs, "tests/test_work.py:2", "--include-tests")
    assert result.exit_code == 0, result.output
    assert "sends GET" in result.output


def test_a_file_outside_the_project(jobs: Path) -> None:
    result = CliRunner().invoke(cli, ["why", str(jobs / "jobs/work.py:9"), "--project", str(jobs / "tests")])
    assert result.exit_code == 2
    assert "does not lie in" in result.output
