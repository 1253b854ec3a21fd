"""Points 21 and 22: outputs that cannot be written, readers that go away, and signals at any moment."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hostile import COMMAND, FINDING, as_nobody, environment, run, run_here

OLD = "what was there before\n"
MODE = 0o640
FILES = 60


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files with a finding each: enough for two processes, and for more output than a pipe holds."""
    folder = tmp_path_factory.mktemp("tree")
    for number in range(FILES):
        (folder / f"module_{number:03}.py").write_text(FINDING)
    return folder


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("few")
    for name in ("one.py", "two.py"):
        (folder / name).write_text(FINDING)
    return folder


@pytest.fixture(scope="module")
def sarif(few: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("sarif") / "report.sarif"
    assert run_here("scan", few, "--format", "sarif", "--output", file).exit_code == 1
    return file


def writers(tree: Path, sarif: Path, target: Path | str) -> dict[str, list[str | Path]]:
    """Everything that writes a file."""
    return {
        "scan": ["scan", "--no-cache", tree, "--format", "json", "--output", target],
        "report": ["scan", "--no-cache", tree, "--report", f"sarif={target}"],
        "baseline": ["baseline", tree, "--output", target],
        "clients": ["clients", tree, "--output", target],
        "page": ["report", sarif, "--html", target],
        "table": ["report", sarif, "--csv", target],
        "diff": ["scan", "--no-cache", tree, "--diff", "--unsafe-fixes", "--output", target],
    }


WRITERS = sorted(writers(Path(), Path(), ""))


# -- 21 -------------------------------------------------------------------------------------------------------------


def a_small_disk() -> None:
    """Files end at 100 bytes: what a full disk looks like to a process."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


@pytest.mark.parametrize("writer", WRITERS)
def test_21_a_full_disk_leaves_the_old_file(few: Path, sarif: Path, tmp_path: Path, writer: str) -> None:
    target = tmp_path / "out"
    if writer != "baseline":  # that reads what is there first
        target.write_text(OLD)
        target.chmod(MODE)
    before = sorted(os.listdir(tmp_path))
    variables = environment(PYTHONDONTWRITEBYTECODE="1")  # Python would leave the first 100 bytes of what it compiled
    done = run(*writers(few, sarif, target)[writer], before=a_small_disk, env=variables)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"Cannot write" in done.stderr
    assert b"File too large" in done.stderr
    assert sorted(os.listdir(tmp_path)) == before
    if before:
        assert target.read_text() == OLD
        assert stat.S_IMODE(target.stat().st_mode) == MODE


@pytest.mark.parametrize("writer", WRITERS)
def test_21_a_folder_that_is_read_only(few: Path, sarif: Path, tmp_path: Path, writer: str) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()
    (folder / "out").write_text(OLD)
    folder.chmod(0o555)
    for each in (tmp_path, *tmp_path.parents, few, *few.parents, sarif.parent):
        if each.stat().st_uid == os.geteuid() and not each.stat().st_mode & 0o001:
            each.chmod(each.stat().st_mode | 0o055)
    for file in (*few.iterdir(), sarif):
        file.chmod(0o644)
    arguments = writers(few, sarif, folder / "new")[writer]
    run_here(*writers(few, sarif, tmp_path / "warm")[writer])  # loads what the child may not be able to read

    def attempt() -> tuple[int, str]:
        done = run_here(*arguments)
        return done.exit_code, done.stderr

    done = as_nobody(attempt)
    folder.chmod(0o755)
    assert done[0] == 2, done
    assert "Permission denied" in done[1]
    assert done[1].count("\n") == 1
    assert sorted(os.listdir(folder)) == ["out"]


@pytest.mark.parametrize("writer", WRITERS)
def test_21_a_link_a_folder_and_the_streams_themselves(few: Path, sarif: Path, tmp_path: Path, writer: str) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    if writer != "baseline":
        real.write_text(OLD)
        real.chmod(MODE)
    link.symlink_to(real)
    assert run_here(*writers(few, sarif, link)[writer]).exit_code in (0, 1)
    assert link.is_symlink()
    assert real.read_text() != OLD
    assert writer == "baseline" or stat.S_IMODE(real.stat().st_mode) == MODE
    done = run_here(*writers(few, sarif, tmp_path)[writer])
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    if writer not in ("scan", "baseline"):
        return
    with open(tmp_path / "stream", "wb") as stream:
        stream.write(b"before\n")
        stream.flush()
        run(*writers(few, sarif, "/dev/stdout")[writer], stdout=stream)
    printed = (tmp_path / "stream").read_bytes()
    assert printed.startswith(b"before\n")
    assert len(printed) > 500


SPEAKERS: dict[str, list[str]] = {
    "scan": ["scan", "TREE"], "json": ["scan", "TREE", "--format", "json"], "clients": ["clients", "TREE"],
    "baseline": ["baseline", "TREE", "--output", "-"], "rules": ["rules"], "explain": ["explain", "RL104"],
    "help": ["scan", "--help"], "version": ["--version"], "init": ["init", "TREE", "--dry-run"],
    "completion": ["completion", "zsh"], "page": ["report", "SARIF", "--html", "-"],
}  # fmt: skip
"""Everything that prints."""


def speak(speaker: str, few: Path, sarif: Path) -> list[str]:
    return [{"TREE": str(few), "SARIF": str(sarif)}.get(word, word) for word in SPEAKERS[speaker]]


def closed(*descriptors: int) -> Callable[[], None]:
    def close() -> None:
        for each in descriptors:
            os.close(each)

    return close


@pytest.mark.parametrize("speaker", sorted(SPEAKERS))
def test_21_standard_output_that_takes_nothing(few: Path, sarif: Path, speaker: str) -> None:
    arguments = speak(speaker, few, sarif)
    with open("/dev/full", "wb") as full:
        done = run(*arguments, stdout=full)
    assert done.returncode == 2
    assert done.stderr.startswith(b"resplint: ")
    assert done.stderr.endswith(b": No space left on device.\n")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("speaker", sorted(SPEAKERS))
def test_21_a_reader_that_went_away(few: Path, sarif: Path, speaker: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = run(*speak(speaker, few, sarif), stdout=writing)  # type: ignore[arg-type]
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("speaker", ["scan", "version"])
def test_21_streams_that_are_closed_from_the_start(few: Path, sarif: Path, tmp_path: Path, speaker: str) -> None:
    arguments = speak(speaker, few, sarif)
    done = run(*arguments, before=closed(1))
    assert done.returncode == 2
    assert done.stderr == b"resplint: standard output cannot be written: Bad file descriptor.\n"
    assert run(*arguments, before=closed(1, 2)).returncode == 2
    assert run(*arguments, before=closed(0, 2)).returncode == (1 if speaker == "scan" else 0)


def test_21_a_report_gets_nothing_of_what_is_printed_to_closed_streams(tree: Path, tmp_path: Path) -> None:
    done = run("scan", tree, "--format", "json", "--output", tmp_path / "out", before=closed(0, 1, 2))
    assert done.returncode == 1
    assert len(json.loads((tmp_path / "out").read_bytes())["results"]) == FILES
    assert run("scan", tree, "--nonsense", before=closed(0, 1, 2)).returncode == 2


def test_21_standard_input_that_is_closed_or_without_end(few: Path) -> None:
    done = run("scan", "-", before=closed(0))
    assert (done.returncode, done.stderr) == (2, b"resplint: standard input cannot be read: Bad file descriptor.\n")
    with open("/dev/zero", "rb") as endless:
        done = run("scan", "-", stdin=endless)
    assert done.returncode == 2
    assert done.stderr == b"resplint: standard input is larger than 1,000,000 bytes; raise max-file-size.\n"
    with open(few / "one.py", "rb") as ordinary:
        assert run("scan", "-", "--max-file-size", "9" * 30, stdin=ordinary).returncode == 1


def test_21_a_pipe_that_does_not_wait_loses_nothing(tree: Path) -> None:
    """Node.js makes the pipes of its children so."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    process = subprocess.Popen([*COMMAND, "scan", tree, "--format", "json"], stdout=writing, env=environment())
    os.close(writing)
    time.sleep(1)
    with os.fdopen(reading, "rb") as pipe:
        assert len(json.loads(pipe.read())["results"]) == FILES
    assert process.wait(60) == 1


# -- 22 -------------------------------------------------------------------------------------------------------------

MOMENTS = 20
STARTED = b"in _program"
"""What a trace says of a signal that came after resplint had begun; before, it is Python's to answer."""


def start(*command: str, first: tuple[str, ...] = (), **changes: Any) -> subprocess.Popen[bytes]:
    """A process in a group of its own, that hears signals: whoever runs tests in the background ignores Ctrl+C, and so
    would a child.
    """
    hear = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execvp(sys.argv[1], sys.argv[1:])"
    wanted: dict[str, Any] = {"env": environment(), "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **changes}
    return subprocess.Popen([sys.executable, "-c", hear, *first, *command], start_new_session=True, **wanted)


def group_is_empty(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def test_22_a_signal_at_any_moment_leaves_nothing_behind(tree: Path, tmp_path: Path) -> None:
    target, cache = tmp_path / "out" / "report.json", tmp_path / "cache"
    target.parent.mkdir()
    command = [*COMMAND, "scan", str(tree), "--jobs", "2", "--format", "json", "--output", str(target)]
    variables = environment(RESPLINT_CACHE_DIR=str(cache))
    started = time.monotonic()
    assert subprocess.run(command, env=variables, check=False).returncode == 1
    whole_s = time.monotonic() - started
    complete = target.read_bytes()
    seed = random.randrange(1_000_000)
    print(f"seed {seed}")
    generator = random.Random(seed)
    for number in range(MOMENTS):
        sent = (signal.SIGTERM, signal.SIGINT)[number % 2]
        target.write_text(OLD)
        if number % 4 < 2:
            shutil.rmtree(cache, ignore_errors=True)
        process = start(*command, env=variables)
        time.sleep(generator.uniform(0, whole_s))
        process.send_signal(sent)
        told = time.monotonic()
        endings = {1, -sent}
        if generator.random() < 0.5:  # as somebody does who has no patience
            time.sleep(generator.uniform(0, 0.02))
            process.send_signal(again := generator.choice((signal.SIGTERM, signal.SIGINT)))
            endings.add(-again)
        _, complaint = process.communicate(timeout=60)
        while not group_is_empty(process.pid):
            assert time.monotonic() - told < 10, "other processes go on"
            time.sleep(0.02)
        assert process.returncode in endings, (seed, number, complaint)
        assert target.read_bytes() in (OLD.encode(), complete), (seed, number)
        assert os.listdir(target.parent) == [target.name], (seed, number)
        assert b"Traceback" not in complaint or STARTED not in complaint, (seed, number, complaint)
        assert b"internal error" not in complaint, (seed, number, complaint)
    assert subprocess.run(command, env=variables, check=False).returncode == 1
    assert target.read_bytes() == complete


MOMENT = """\
import os, signal, sys
from resplint.cli.exits import with_exit_codes
from resplint.cli.process import run

class Named:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.SIGINT)

def two_at_once():
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    os.kill(os.getpid(), signal.SIGTERM)
    os.kill(os.getpid(), signal.SIGINT)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})

def while_a_class_is_made():
    type("Owner", (), {"name": Named()})

def twice_and_again():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        for _ in range(3):
            os.kill(os.getpid(), signal.SIGTERM)

run(with_exit_codes(globals()[sys.argv[1]]))
print("not reached")
"""


@pytest.mark.parametrize(
    ("moment", "ended_by"),
    [("two_at_once", None), ("while_a_class_is_made", signal.SIGINT), ("twice_and_again", signal.SIGTERM)],
)
def test_22_a_signal_at_an_unlucky_moment_is_no_error(moment: str, ended_by: signal.Signals | None) -> None:
    """Python makes another error of what is raised while a class is made, and complains of a signal that it held
    back until nobody wanted to hear it any more.
    """
    process = start(sys.executable, "-c", MOMENT, moment)
    shown, complaint = process.communicate(timeout=60)
    assert (shown, complaint) == (b"", b"")
    assert -process.returncode in ([ended_by] if ended_by else [signal.SIGINT, signal.SIGTERM])


@pytest.mark.parametrize(("sent", "status"), [("INT", 130), ("TERM", 143), ("HUP", 129)])
def test_22_shells_see_which_signal_it_was(tmp_path: Path, sent: str, status: int) -> None:
    """A scan that waits for its input is told to end."""
    os.mkfifo(tmp_path / "pipe")
    holder = os.open(tmp_path / "pipe", os.O_RDWR)
    with open(tmp_path / "pipe", "rb") as stdin:
        process = start(
            *COMMAND, "scan", "-", stdin=stdin,
            first=("bash", "-c", 'timeout --preserve-status --signal "$0" 2 "$@"; echo $?', sent),
        )  # fmt: skip
        printed, complaint = process.communicate(timeout=60)
    os.close(holder)
    assert printed.split() == [str(status).encode()]
    assert b"Traceback" not in complaint or STARTED not in complaint


def test_22_a_signal_that_is_ignored_stays_so(tmp_path: Path) -> None:
    """As with `nohup`."""
    os.mkfifo(tmp_path / "pipe")
    holder = os.open(tmp_path / "pipe", os.O_RDWR)
    with open(tmp_path / "pipe", "rb") as stdin:
        process = start(*COMMAND, "scan", "-", stdin=stdin, first=("bash", "-c", 'trap "" HUP; exec "$0" "$@"'))
        time.sleep(2)
        process.send_signal(signal.SIGHUP)
        os.write(holder, FINDING.encode())
        os.close(holder)
        shown, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert b"RL104" in shown
