"""What git tracks is taken, whatever ignore files say; read from the index of all versions."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from resplint.discovery.discover import discover
from resplint.discovery.ignore_decisions import IgnoreDecisionCache
from resplint.discovery.tracked import TrackedFiles

EXTENSIONS = {".py": "python", ".java": "java"}
LONG = "x" * 200
ENVIRONMENT = {"PATH": os.environ.get("PATH", os.defpath), "HOME": "/nowhere", "GIT_CONFIG_NOSYSTEM": "1"}


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, env=ENVIRONMENT, check=True, capture_output=True)


def put(folder: Path, *names: str, text: str = "x = 1\n") -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet", str(tmp_path))
    put(tmp_path, "src/.gitignore", text="/com/\n*_local.py\n")
    put(tmp_path, "src/com/chat/Dao.java", "src/com/chat/Old.java", "src/com/gen/Made.java", "src/app.py")
    put(tmp_path, "src/run_local.py", "src/my_local.py", f"src/com/{LONG}.py", f"src/com/{LONG}/{LONG}.py")
    git(tmp_path, "add", "--force", "src/com/chat/Dao.java", "src/app.py", "src/run_local.py", f"src/com/{LONG}")
    return tmp_path


def taken(root: Path, *, exclude: tuple[str, ...] = (), verdicts: IgnoreDecisionCache | None = None) -> list[str]:
    found = discover([root], root, extensions=EXTENSIONS, exclude=exclude, verdicts=verdicts)
    return [file.path for file in found.files]


EXPECTED = ["src/app.py", "src/com/chat/Dao.java", f"src/com/{LONG}/{LONG}.py", "src/run_local.py"]


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_what_git_tracks_is_taken_and_nothing_else_beside_it(project: Path, version: str) -> None:
    git(project, "update-index", "--index-version", version)
    assert taken(project) == EXPECTED
    assert taken(project / "src") == [name.removeprefix("src/") for name in EXPECTED]


def test_with_what_was_decided_before(project: Path) -> None:
    known = IgnoreDecisionCache({})
    assert taken(project, verdicts=known) == EXPECTED
    git(project, "rm", "--quiet", "--cached", "-r", "src/com")
    assert taken(project, verdicts=IgnoreDecisionCache(known.said(100))) == ["src/app.py", "src/run_local.py"]


def test_the_configuration_has_the_last_word(project: Path) -> None:
    assert taken(project, exclude=("chat/", "run_*")) == ["src/app.py", f"src/com/{LONG}/{LONG}.py"]


def test_in_a_work_tree_of_its_own(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    git(project, "add", "--force", "src/.gitignore")
    git(project, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "all")
    other = tmp_path_factory.mktemp("other") / "tree"
    git(project, "worktree", "add", "--quiet", str(other))
    put(other, "src/com/chat/New.java")
    assert taken(other) == EXPECTED


@pytest.mark.parametrize("number", [0, 4, 11, 12, 70, 71, 80, 200, 300])
def test_a_broken_index_says_nothing(project: Path, number: int) -> None:
    index = project / ".git" / "index"
    index.write_bytes(index.read_bytes()[:number])
    found = discover([project], project, extensions=EXTENSIONS)
    assert [file.path for file in found.files] == ["src/app.py"]
    assert [one.message for one in found.skipped] == [
        "The index of git has a form that is not known, so all that ignore files name was left out."
    ]


@pytest.mark.parametrize("text", ["", "gitdir: nowhere", "gitdir: \0", "x" * 20_000])
def test_what_is_called_git_may_be_anything(tmp_path: Path, text: str) -> None:
    (tmp_path / ".git").write_text(text)
    put(tmp_path, "a.py", "b.py")
    put(tmp_path, ".gitignore", text="b.py\n")
    assert taken(tmp_path) == ["a.py"]


def test_other_hashes(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--object-format=sha256", str(tmp_path))
    put(tmp_path, "a.py", "b/c.py")
    git(tmp_path, "add", ".")
    tracked = TrackedFiles(str(tmp_path))
    assert tracked.holds(str(tmp_path / "b" / "c.py"), folder=False)
    assert tracked.holds(str(tmp_path / "b"), folder=True)
    assert not tracked.holds(str(tmp_path / "b"), folder=False)
    assert not tracked.holds(str(tmp_path / "c.py"), folder=False)
    assert not tracked.holds("/elsewhere/a.py", folder=False)
