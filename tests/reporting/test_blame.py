"""`resplint report --blame`: who changed the lines of findings last, from real repositories."""

from __future__ import annotations

import csv
import io
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from resplint.cli.app import cli
from resplint.diff_base.git import Repository
from resplint.reporting.blame import with_changes
from resplint.reporting.collect import collect
from resplint.reporting.reading import read_files
from resplint.reporting.records import Change
from tests.reporting.samples import log, result, save

CODE = "import redis\n\nqueue = redis.Redis()\n"


def commit(folder: Path, author: str, day: str) -> None:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    when = {"GIT_AUTHOR_DATE": f"{day}T23:30:00-02:00", "GIT_COMMITTER_DATE": f"{day}T12:00:00Z"}
    name = ["-c", f"user.name={author}", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "A change"]):
        subprocess.run(["git", *name, *command], cwd=folder, env={**environment, **when}, check=True, timeout=60)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in which two people changed a file, with a file that is in no commit."""
    folder = tmp_path / "shop"
    (folder / "app").mkdir(parents=True)
    (folder / "app" / "queue.py").write_text(CODE)
    commit(folder, "Ada Lovelace", "2026-01-30")
    (folder / "app" / "queue.py").write_text(CODE + "item = queue.blpop('jobs')\n")
    commit(folder, "Grace & Hopper \u202e", "2026-02-14")
    (folder / "new.py").write_text(CODE)
    monkeypatch.chdir(folder)
    return folder


def report(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["report", *arguments], catch_exceptions=False)


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


RESULTS = (
    result(line=3), result(line=4), result(line=99), result(path="new.py"), result(path="../outside.py"),
    result(path="-rf.py"),
)  # fmt: skip


def test_the_table_says_who_when_and_in_which_commit(project: Path, tmp_path: Path) -> None:
    file = save(tmp_path, log(result(line=3), result(line=4), result(path="new.py")))
    done = report(file, "--csv", "-", "--blame")
    assert done.exit_code == 0
    told = {(row["path"], row["line"]): (row["author"], row["changed"], row["commit"]) for row in rows(done.stdout)}
    first, second = (
        subprocess.run(["git", "rev-parse", ref], capture_output=True, text=True, check=True).stdout.strip()
        for ref in ("HEAD^", "HEAD")
    )
    assert told == {
        ("app/queue.py", "3"): ("Ada Lovelace", "2026-01-31", first),  # the day in UTC
        ("app/queue.py", "4"): ("Grace & Hopper \\u202e", "2026-02-15", second),
        ("new.py", "3"): ("", "", ""),
    }
    assert {row["author"] for row in rows(report(file, "--csv", "-").stdout)} == {""}


def test_the_page_shows_it_and_nobody_unasked(project: Path, tmp_path: Path) -> None:
    file = save(tmp_path, log(*RESULTS))
    page = report(file, "--html", "-", "--blame").stdout
    assert "app/queue.py:3 · Ada Lovelace, 2026-01-31</span>" in page
    assert "Grace &amp; Hopper \\u202e, 2026-02-15" in page
    assert "last changed in <code>" in page
    assert "Ada Lovelace" not in report(file, "--html", "-").stdout


def test_the_repository_may_be_named(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = save(tmp_path, log(result(line=3)))
    monkeypatch.chdir(tmp_path)
    done = report(file, "--csv", "-", "--blame")
    assert done.exit_code == 2
    assert "is in no git repository" in done.stderr
    (row,) = rows(report(file, "--csv", "-", "--blame", "--source-root", str(project)).stdout)
    assert row["author"] == "Ada Lovelace"


def test_nothing_of_the_repository_runs(project: Path, tmp_path: Path) -> None:
    program = tmp_path / "planted"
    program.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\ncat \"$@\"\n")
    program.chmod(0o755)
    (project / ".gitattributes").write_text("*.py diff=evil filter=evil\n")
    for key in ("diff.evil.textconv", "diff.evil.command", "filter.evil.clean", "core.fsmonitor", "core.pager"):
        subprocess.run(["git", "config", key, str(program)], cwd=project, check=True)
    file = save(tmp_path, log(result(line=3)))
    (row,) = rows(report(file, "--csv", "-", "--blame").stdout)
    assert row["author"] == "Ada Lovelace"
    assert not (tmp_path / "ran").exists()


def test_git_is_given_up_when_it_takes_too_long(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = shutil.which("git")
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text(f'#!/bin/sh\ncase "$*" in *" blame "*) exec sleep 60;; esac\nexec {real} "$@"\n')
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")
    repository = Repository.around(os.path.realpath(project))
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        repository.last_changes("app/queue.py", [3], 0.5)
    assert time.monotonic() - started < 10


def test_the_time_is_for_all_files_and_what_is_left_out_is_counted(tmp_path: Path) -> None:
    results = [result(path=f"app/{n}.py", line=1) for n in range(5)]
    collection = collect(read_files([save(tmp_path, log(*results))], None))
    asked = []

    def slowly(path: str, lines: object, seconds: float) -> dict[int, Change]:
        asked.append(path)
        time.sleep(0.2)
        if seconds < 0.2:
            raise TimeoutError
        return {1: Change("Ada", "2026-01-31", "a" * 40)}

    told = with_changes(collection, slowly, seconds=0.5)
    known = sum(issue.changed is not None for issue in told.issues)
    assert 1 <= known <= 2
    assert len(asked) <= 3
    assert (
        told.notices[-1].message
        == f"There was no time to ask git about the lines of {5 - known} findings: it took 0.5 s."
    )
