"""`resplint` as a process: reports that tools read, streams that close, terminals, and files that must not be run."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from sarif import loader

from tests.tooling import python_package

COMMAND = str(Path(sys.executable).with_name("resplint"))
ROOT = Path(__file__).parents[2]
CLICKS = ("8.1.7", "8.5.1")
"""The oldest that is allowed and the newest that is known."""
SOME_FIXTURES = ROOT / "fixtures" / "blocking-timeout"
"""More findings than a pipe holds, of all levels."""
BLOCKING = 'import redis\n\nclient = redis.Redis(socket_timeout=5)\nclient.blpop("jobs", timeout=30)\n'
ESCAPE = b"\x1b["


def environment(**changes: str) -> dict[str, str]:
    """The environment of the tests without what would change colours or imports."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("NO_COLOR", "FORCE_COLOR", "PYTHONPATH", "PYTHONHASHSEED", "TERM")
    }
    return {**kept, "TERM": "xterm-256color", **changes}


def run(*arguments: str | Path, cwd: Path | None = None, **changes: str) -> subprocess.CompletedProcess[bytes]:
    command = [COMMAND, *(str(argument) for argument in arguments)]
    return subprocess.run(
        command,
        capture_output=True,
        cwd=cwd,
        env=environment(**changes),
        timeout=120,
        check=False,
        stdin=subprocess.DEVNULL,
    )


# -- reports --------------------------------------------------------------------------------------------------------


def test_sarif_tools_reads_the_report_and_agrees_on_the_counts(tmp_path: Path) -> None:
    target = tmp_path / "report.sarif"
    options = ("--include-tests", "--exit-zero", "--min-precision", "low", "--level", "note")
    shown = run("scan", SOME_FIXTURES, *options, "--report", f"sarif={target}")
    counts = loader.load_sarif_file(str(target)).get_report().get_issue_count_for_severity
    parts = ", ".join(f"{counts(level):,} {level}s" for level in ("error", "warning", "note"))
    assert f"findings ({parts})" in shown.stdout.decode()


# -- streams --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [["scan", str(SOME_FIXTURES), "--include-tests"], ["explain", "RL104"], ["rules"]],
    ids=["scan", "explain", "rules"],
)
def test_a_reader_that_goes_away_is_no_error(arguments: list[str]) -> None:
    """As in `resplint scan … | head -1`."""
    process = subprocess.Popen([COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    complaint = process.stderr.read()
    process.stderr.close()
    process.wait(timeout=60)
    assert complaint == b""


def test_a_full_disk_is_told_in_one_line() -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [COMMAND, "scan", str(SOME_FIXTURES), "--include-tests"],
            stdout=full, stderr=subprocess.PIPE, env=environment(), check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(b"resplint: ")
    assert done.stderr.count(b"\n") == 1


def on_terminal(*arguments: str | Path, **changes: str) -> bytes:
    """What `resplint` writes to a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [COMMAND, *(str(argument) for argument in arguments)],
        stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL, env=environment(**changes),
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # the other side is closed: on Linux an error, elsewhere an empty read
            break
        if not data:
            break
        shown += data
    os.close(ours)
    process.wait(timeout=60)
    return shown


def test_colour_is_for_terminals_and_can_be_refused(tmp_path: Path) -> None:
    (tmp_path / "queue.py").write_text(BLOCKING)
    assert ESCAPE in on_terminal("scan", tmp_path)
    assert ESCAPE not in on_terminal("scan", tmp_path, NO_COLOR="1")
    assert ESCAPE not in on_terminal("scan", tmp_path, TERM="dumb")
    assert ESCAPE not in run("scan", tmp_path).stdout


def test_explain_is_rendered_for_terminals() -> None:
    assert b"## What it finds" not in on_terminal("explain", "RL104")
    assert b"What it finds" in on_terminal("explain", "RL104")
    assert b"## What it finds" in run("explain", "RL104").stdout


# -- versions of click ----------------------------------------------------------------------------------------------


def test_the_oldest_click_is_the_one_that_is_tested() -> None:
    assert f'"click>={CLICKS[0]},' in (ROOT / "pyproject.toml").read_text()


@pytest.mark.parametrize("version", CLICKS)
def test_without_a_command_the_help_is_shown(tmp_path: Path, version: str) -> None:
    paths = os.pathsep.join([str(python_package("click", version)), str(ROOT / "src")])

    def answer(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "resplint", *arguments],
            capture_output=True, text=True, cwd=tmp_path, env=environment(PYTHONPATH=paths), timeout=60, check=False,
        )  # fmt: skip

    bare, asked = answer(), answer("--help")
    assert (asked.returncode, asked.stderr) == (0, "")
    assert (bare.returncode, bare.stdout) == (2, "")
    assert bare.stderr == asked.stdout
    assert bare.stderr.startswith("Usage: ")
    assert "\n  scan  " in bare.stderr
    wrong = answer("scna")
    assert wrong.returncode == 2
    assert "Error: No such command 'scna'" in wrong.stderr


# -- nothing that is read is run ------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_nothing_of_the_scanned_tree_is_imported(tmp_path: Path, jobs: str) -> None:
    """The scanned tree is also the current folder, and holds modules that Python or resplint would import."""
    marker = Path(tempfile.mkdtemp(dir=tmp_path)) / "was-run"
    tree = tmp_path / "tree"
    tree.mkdir()
    names = [
        "redis", "sitecustomize", "usercustomize", "conftest", "setup", "resplint", "tree_sitter", "tree_sitter_python",
        "click", "rich", "msgspec", "packaging", "tomli", "json", "encodings", "__init__", "__main__",
        *(f"module_{number}" for number in range(60)),
    ]  # fmt: skip
    trap = f"open({str(marker)!r}, 'w').close()\n" + BLOCKING
    for name in names:
        (tree / f"{name}.py").write_text(trap)
    (tree / "pyproject.toml").write_text('[project]\nname = "trap"\ndependencies = ["redis==6.4.0"]\n')
    (tree / "evil.pth").write_text(f"import os; open({str(marker)!r}, 'w').close()\n")
    done = run("scan", ".", "--include-tests", "--jobs", jobs, cwd=tree)
    assert done.returncode == 1
    assert f"{len(names)} findings".encode() in done.stdout
    assert not marker.exists()
