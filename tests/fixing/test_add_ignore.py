"""`resplint scan --add-ignore REASON`: comments that suppress what was found, written into the files."""

from __future__ import annotations

import difflib
import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from resplint.cli.app import cli

FIXTURES = Path(__file__).parents[2] / "fixtures"
REASON = "accepted until the queue moves, see OPS-12"
BLOCKING = (
    "import redis\n\nclient = redis.Redis(socket_timeout=5)\n\n\ndef take():\n    return client.blpop('jobs', 30)\n"
)
TWO_RULES = """\
import redis
from flask import Flask

app = Flask(__name__)


@app.route("/job")
def job():
    return redis.Redis(socket_timeout=5).blpop("jobs", 30)
"""
"""A client for each request, and a command that outlasts its timeout."""


def run(*arguments: str | Path, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, [str(each) for each in arguments], input=stdin, catch_exceptions=False)


def results(folder: Path, *options: str) -> list[dict[str, object]]:
    """What is found in sources."""
    done = run("scan", folder, "--format", "json", "--include-tests", "--exit-zero", "--no-cache", *options)
    found: list[dict[str, object]] = json.loads(done.stdout)["results"]
    return [one for one in found if not str(one["path"]).endswith((".txt", ".toml"))]


def contents(folder: Path) -> dict[str, str]:
    return {p.relative_to(folder).as_posix(): p.read_text("utf-8") for p in sorted(folder.rglob("*.*")) if p.is_file()}


@pytest.mark.parametrize("language", ["python", "java", "kotlin", "javascript", "typescript"])
def test_every_finding_is_ignored_and_only_comments_are_added(tmp_path: Path, language: str) -> None:
    folder = tmp_path / "shop"
    shutil.copytree(FIXTURES / "blocking-timeout" / language, folder)
    before, found = contents(folder), results(folder)
    done = run("scan", folder, "--include-tests", "--level", "note", "--add-ignore", REASON)
    assert done.exit_code == 0, done.output
    after = contents(folder)
    assert after.keys() == before.keys()
    for path, text in after.items():
        changes = [line for line in difflib.ndiff(before[path].splitlines(), text.splitlines()) if line[:1] in "+-"]
        assert all(line.startswith("+") and " resplint: ignore[RL" in line and REASON in line for line in changes)
    kept = results(folder)
    assert [one["rule"] for one in kept] == [one["rule"] for one in found]
    assert {json.dumps(one["suppression"]) for one in kept} == {
        json.dumps({"kind": "inSource", "justification": REASON})
    }
    open_before = sum(one["suppression"] is None for one in found)
    assert open_before > 10
    assert f"{open_before} ignored" in done.stderr

    again = run("scan", folder, "--include-tests", "--level", "note", "--add-ignore", "another reason")
    assert (again.exit_code, contents(folder)) == (0, after)
    assert "0 ignored" in again.stderr


def test_findings_of_one_line_share_a_comment(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(TWO_RULES)
    assert {one["rule"] for one in results(tmp_path)} == {"RL101", "RL104"}
    assert run("scan", tmp_path, "--add-ignore", REASON).exit_code == 0
    (comment,) = (line.strip() for line in (tmp_path / "app.py").read_text().splitlines() if "resplint" in line)
    assert comment in (f"# resplint: ignore[RL104, RL101] {REASON}", f"# resplint: ignore[RL101, RL104] {REASON}")


def test_the_reason_of_somebody_else_is_not_taken_over(tmp_path: Path) -> None:
    theirs = "    # resplint: ignore[RL104] the worker is restarted"
    (tmp_path / "app.py").write_text(TWO_RULES.replace("    return", f"{theirs}\n    return"))
    assert run("scan", tmp_path, "--add-ignore", REASON).exit_code == 0
    assert f"{theirs}\n    # resplint: ignore[RL101] {REASON}\n" in (tmp_path / "app.py").read_text()


def test_only_what_is_reported_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(TWO_RULES)
    done = run("scan", tmp_path, "--select", "RL104", "--add-ignore", REASON)
    assert done.exit_code == 0
    assert "1 ignored" in done.stderr
    assert [one["rule"] for one in results(tmp_path) if one["suppression"] is None] == ["RL101"]


def test_line_ends_and_encodings_stay_as_they_are(tmp_path: Path) -> None:
    text = "# -*- coding: latin-1 -*-\n# caf\xe9\n" + BLOCKING
    (tmp_path / "old.py").write_bytes(text.replace("\n", "\r\n").encode("latin-1"))
    (tmp_path / "bom.py").write_bytes(b"\xef\xbb\xbf" + BLOCKING.encode())
    assert run("scan", tmp_path, "--add-ignore", "caf\xe9").exit_code == 0
    comment = "    # resplint: ignore[RL104] caf\xe9\n    return"
    expected = text.replace("    return", comment).replace("\n", "\r\n").encode("latin-1")
    assert (tmp_path / "old.py").read_bytes() == expected
    assert (tmp_path / "bom.py").read_bytes() == b"\xef\xbb\xbf" + BLOCKING.replace("    return", comment).encode()


def test_a_reason_that_the_encoding_lacks_is_told_and_the_finding_stays(tmp_path: Path) -> None:
    data = ("# -*- coding: latin-1 -*-\n" + BLOCKING).encode("latin-1")
    (tmp_path / "old.py").write_bytes(data)
    done = run("scan", tmp_path, "--add-ignore", "\u65e5\u672c")
    assert done.exit_code == 1
    assert "lacks characters of the reason" in done.output
    assert (tmp_path / "old.py").read_bytes() == data


def test_a_diff_shows_it_and_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(BLOCKING)
    done = run("scan", tmp_path, "--add-ignore", REASON, "--diff")
    assert done.exit_code == 1
    assert f"+    # resplint: ignore[RL104] {REASON}\n" in done.stdout
    assert (tmp_path / "app.py").read_text() == BLOCKING


def test_standard_input_comes_back_with_comments() -> None:
    done = run("scan", "-", "--stdin-filename", "app.py", "--add-ignore", REASON, stdin=BLOCKING)
    assert done.exit_code == 0
    assert done.stdout == BLOCKING.replace("    return", f"    # resplint: ignore[RL104] {REASON}\n    return")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--add-ignore", " "], "needs a reason"),
        (["--add-ignore", "one\ntwo"], "cannot stand in a comment"),
        (["--add-ignore", "fine # or not"], "cannot stand in a comment"),
        (["--add-ignore", "done */"], "cannot stand in a comment"),
        (["--add-ignore", "\x1b[31m"], "cannot stand in a comment"),
        (["--add-ignore", "fine", "--fix"], "exclude each other"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, options: list[str], told: str) -> None:
    (tmp_path / "app.py").write_text(BLOCKING)
    done = run("scan", tmp_path, *options)
    assert done.exit_code == 2
    assert told in done.stderr
    assert "\x1b" not in done.stderr
    assert (tmp_path / "app.py").read_text() == BLOCKING


def test_a_manifest_is_left_to_its_author_and_a_comment_in_it_counts(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("flask==3.0\nredis==6.4.0\n")
    (tmp_path / "app.py").write_text("import redis\n\nclient = redis.Redis(socket_timeout=5)\n")
    done = run("scan", tmp_path, "--level", "note", "--add-ignore", REASON)
    said = f"this is no source file; write `resplint: ignore[RL207] {REASON}` in a comment there."
    assert f"requirements.txt:2: Not ignored: {said}" in done.stdout

    (tmp_path / "requirements.txt").write_text(f"flask==3.0\n# resplint: ignore[RL207] {REASON}\nredis==6.4.0\n")
    again = run("scan", tmp_path, "--format", "json", "--exit-zero", "--no-cache")
    kept = [one["suppression"] for one in json.loads(again.stdout)["results"] if one["rule"] == "RL207"]
    assert kept == [{"kind": "inSource", "justification": REASON}]
