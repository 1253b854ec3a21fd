"""Points 16 to 18: what is no plain file, what changes while it is looked at, links, and the same file twice."""

from __future__ import annotations

import importlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hostile import (
    FINDING,
    FINDING_LINE,
    run_here,
    several_languages,
)

survey: Any = importlib.import_module("resplint.scan.survey")  # a function of that name hides the module
LIMIT_S = 30
"""How long something that must not wait may take on a busy machine."""


@pytest.fixture(autouse=True)
def alarm() -> Iterator[None]:
    """Whoever waits forever fails instead of stopping the tests."""

    def ring(number: int, frame: object) -> None:
        raise TimeoutError("this waits")

    old = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 4 * LIMIT_S)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, old)


def report_of(*arguments: str | Path) -> dict[str, Any]:
    done = run_here("scan", "--format", "json", "--jobs", "1", "--no-cache", *arguments)
    assert done.exit_code in (0, 1), done.stderr
    parsed: dict[str, Any] = json.loads(done.stdout)
    return parsed


def findings(report: dict[str, Any]) -> list[tuple[str, int]]:
    return [(each["path"], each["region"]["start_line"]) for each in report["results"]]


# -- 16 -------------------------------------------------------------------------------------------------------------


def test_16_what_is_no_regular_file_is_skipped_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "module.py").write_text(FINDING)
    os.mkfifo(tmp_path / "pipe.py")
    monkeypatch.chdir(tmp_path)  # the name of a socket is short
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket.py")
        (tmp_path / "device.py").symlink_to("/dev/zero")
        (tmp_path / "folder.py").mkdir()
        report = report_of(".")
        named = report_of("pipe.py", "socket.py", "device.py", "folder.py", "module.py")
    assert findings(report) == findings(named) == [("module.py", FINDING_LINE)]
    reasons = {note["path"]: note["message"] for note in report["notifications"]}
    assert reasons == {
        "pipe.py": "Not analysed: a named pipe, not a regular file.",
        "socket.py": "Not analysed: a socket, not a regular file.",
        "device.py": "Not analysed: the link leads out of the scanned folder.",
        "folder.py": "Not analysed: a folder with the name of a source file.",
    }


def test_16_a_folder_of_sources_may_be_called_like_one(tmp_path: Path) -> None:
    inside = tmp_path / "src.ts" / "jobs.py"
    inside.mkdir(parents=True)
    (inside / "module.py").write_text(FINDING)
    report = report_of(tmp_path)
    assert findings(report) == [("src.ts/jobs.py/module.py", FINDING_LINE)]
    assert report["notifications"] == []


def _replace_by(make: Callable[[Path], object]) -> Callable[[Path], object]:
    def replace(path: Path) -> None:
        path.unlink()
        make(path)

    return replace


CHANGES: dict[str, tuple[Callable[[Path], object], bool]] = {
    "gone": (Path.unlink, False),
    "pipe": (_replace_by(os.mkfifo), False),
    "folder": (_replace_by(Path.mkdir), False),
    "link to a device": (_replace_by(lambda path: path.symlink_to("/dev/zero")), False),
    "link to itself": (_replace_by(lambda path: path.symlink_to(path.name)), False),
    "too large": (lambda path: path.write_text(FINDING + "# more\n" * 400_000), False),
    "larger": (lambda path: path.write_text(FINDING + "# more\n" * 1_000), True),
    "empty": (lambda path: path.write_text(""), True),
    "half": (lambda path: path.write_text(FINDING[: len(FINDING) // 2]), True),
}
"""What becomes of a file, and whether it can still be read."""


@pytest.mark.parametrize("cache", ["--no-cache", "--cache"])
@pytest.mark.parametrize("change", sorted(CHANGES))
def test_16_a_file_that_changes_between_listing_and_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, cache: str
) -> None:
    make, is_readable = CHANGES[change]
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_text(FINDING)
    discover = survey.discover

    def and_then(*arguments: Any, **named: Any) -> Any:
        found = discover(*arguments, **named)
        make(tmp_path / "b.py")
        return found

    monkeypatch.setattr(survey, "discover", and_then)
    monkeypatch.setenv("RESPLINT_CACHE_DIR", str(tmp_path / "kept"))
    done = run_here("scan", tmp_path, "--format", "json", "--jobs", "1", *([cache] if cache == "--no-cache" else []))
    report = json.loads(done.stdout)
    assert set(findings(report)) >= {("a.py", FINDING_LINE), ("c.py", FINDING_LINE)}
    skipped = [note["path"] for note in report["notifications"] if note["kind"] == "skipped"]
    assert skipped == ([] if is_readable else ["b.py"])
    assert (("b.py", FINDING_LINE) in findings(report)) == (change == "larger")


PROJECT_FILES = (
    ".gitignore", "Pipfile", "Pipfile.lock", "application.properties", "application.yml", "build.gradle",
    "build.gradle.kts", "environment.yml", "gradle.lockfile", "gradle.properties", "jsconfig.json",
    "libs.versions.toml", "package-lock.json", "package.json", "pdm.lock", "pnpm-lock.yaml", "pnpm-workspace.yaml",
    "poetry.lock", "pom.xml", "pylock.toml", "requirements.txt", "settings.gradle", "setup.cfg", "setup.py",
    "tsconfig.json", "uv.lock", "yarn.lock",
)  # fmt: skip
STRANGE: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "loop": lambda path: path.symlink_to(path.name),
    "huge": lambda path: (path.touch(), os.truncate(path, 20_000_000)),
    "binary": lambda path: path.write_bytes(bytes(range(256)) * 40),
    "empty": Path.touch,
    "brackets": lambda path: path.write_text("[" * 100_000),
    "braces": lambda path: path.write_text('{"a":' * 100_000),
    "tags": lambda path: path.write_text("<a>" * 100_000),
    "comments": lambda path: path.write_text("/*a" * 100_000),
    "quotes": lambda path: path.write_text('\\"' * 100_000),
    "patterns": lambda path: path.write_text("".join(f"*a{number}*b\n" for number in range(10_000))),
    "one pattern": lambda path: path.write_text("*[ab]" * 50_000),
}


@pytest.mark.parametrize("kind", sorted(STRANGE))
def test_16_project_files_that_are_strange_neither_stop_nor_slow_a_scan(tmp_path: Path, kind: str) -> None:
    names = several_languages(tmp_path)
    for name in PROJECT_FILES:
        STRANGE[kind](tmp_path / name)
    before = time.process_time()
    report = report_of(tmp_path)
    seconds = time.process_time() - before
    assert {path for path, _ in findings(report)} >= names
    assert [note for note in report["notifications"] if note["kind"] == "internal-error"] == []
    assert seconds < 10


@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "loop", "huge", "binary"])
@pytest.mark.parametrize("which", ["resplint.toml", "pyproject.toml", "baseline"])
def test_16_a_strange_configuration_or_baseline_is_one_line(tmp_path: Path, kind: str, which: str) -> None:
    (tmp_path / "module.py").write_text(FINDING)
    STRANGE[kind](tmp_path / which)
    commands: list[list[str | Path]] = [["scan", tmp_path], ["baseline", tmp_path], ["clients", tmp_path]]
    if which == "baseline":
        commands = [["scan", tmp_path, "--baseline", tmp_path / which]]
    elif which == "pyproject.toml" and kind == "binary":  # it cannot be about resplint
        assert findings(report_of(tmp_path)) == [("module.py", FINDING_LINE)]
        return
    for command in commands:
        done = run_here(*command)
        assert done.exit_code == 2
        assert done.stderr.count("\n") == 1
        assert which in done.stderr


HOSTILE_PROJECTS = {
    "a marker in brackets": {"requirements.txt": "redis==5 ; " + "(" * 3_000 + 'python_version > "3"\n'},
    "a marker in brackets, continued": {"requirements.txt": "redis==5 ; (\\\n" + "(\\\n" * 3_000 + "\n"},
    "thousands of names for modules": {
        "tsconfig.json": json.dumps({"compilerOptions": {"paths": {f"@a{n}/*": [f"x{n}/*"] for n in range(20_000)}}})
    },
    "groups that include each other": {
        "pyproject.toml": "[dependency-groups]\n"
        + "".join(f"a{n} = [{{include-group = 'a{n - 1}'}}, {{include-group = 'a{n - 1}'}}]\n" for n in range(60))
    },
    "properties that are twice the one before": {
        "pom.xml": "<project><properties><a0>5</a0>"
        + "".join(f"<a{n}>${{a{n - 1}}}${{a{n - 1}}}</a{n}>" for n in range(1, 100))
        + "</properties><dependencies><dependency><groupId>redis.clients</groupId><artifactId>jedis</artifactId>"
        "<version>${a99}</version></dependency></dependencies></project>"
    },
    "settings that are twice the one before": {
        "application.yml": "a0: 5\n"
        + "".join(f"a{n}: ${{a{n - 1}}}${{a{n - 1}}}\n" for n in range(1, 60))
        + "x: ${a59}"
    },
    "settings that stand for lists of lists": {
        "application.yml": "a0: &a0 [x, x]\n"
        + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12))
        + "spring: {data: {redis: {timeout: *a11}}}\n"
    },
    "the same dependency without a version": {
        "build.gradle": "dependencies {\n" + 'implementation "redis.clients:jedis:${v}"\n' * 10_000 + "}\n"
    },
    "requirements that include each other": {
        f"requirements{n or ''}.txt": f"-r requirements{n + 1}.txt\n" * 2 + "redis\n" for n in range(60)
    },
}


@pytest.mark.parametrize("name", ["application.yml", "application.properties"])
def test_16_settings_of_such_a_project_are_read(tmp_path: Path, name: str) -> None:
    """What the tests around this one show of settings files would be worth nothing if nobody read them."""
    several_languages(tmp_path)
    (tmp_path / name).write_text("spring.data.redis.timeout: 2s\n")
    assert ("Claims.java", 14) in findings(report_of(tmp_path))
    (tmp_path / name).write_text("spring.data.redis.timeout: 20s\n")
    assert ("Claims.java", 14) not in findings(report_of(tmp_path))


@pytest.mark.parametrize("text", [b"spring: {data: {redis: ", b"spring: " + b"[" * 100_000, b"spring:\0", None])
def test_16_settings_that_cannot_be_read_are_told(tmp_path: Path, text: bytes | None) -> None:
    """Also by a scan that judges what an earlier one has kept. Nobody reads them before a rule asks."""
    several_languages(tmp_path)
    if text is None:
        os.mkfifo(tmp_path / "application.yml")
    else:
        (tmp_path / "application.yml").write_bytes(text)
    for _ in range(2):
        done = run_here("scan", tmp_path, "--format", "json", "--jobs", "1")
        told = {note["path"]: note["message"] for note in json.loads(done.stdout)["notifications"]}
        assert list(told) == ["application.yml"]
        assert told["application.yml"].startswith("Settings not read: ")


@pytest.mark.parametrize("kind", sorted(HOSTILE_PROJECTS))
def test_16_project_files_that_grow_when_they_are_read(tmp_path: Path, kind: str) -> None:
    names = several_languages(tmp_path)
    for name, text in HOSTILE_PROJECTS[kind].items():
        (tmp_path / name).write_text(text)
    before = time.process_time()
    report = report_of(tmp_path)
    seconds = time.process_time() - before
    assert {path for path, _ in findings(report)} >= names
    assert [note for note in report["notifications"] if note["kind"] == "internal-error"] == []
    assert seconds < 5


def test_16_the_current_folder_may_be_gone(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "module.py").write_text(FINDING)
    for arguments, code in ((["scan", str(tmp_path / "tree")], 1), (["scan", "tree"], 2), (["scan"], 2)):
        gone = tmp_path / "gone"
        gone.mkdir()
        leave = f"import os, sys; os.chdir({str(gone)!r}); os.rmdir({str(gone)!r}); "
        program = f"{leave}from resplint.cli import main; sys.argv = ['resplint', *{arguments!r}]; main()"
        done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, timeout=60, check=False)
        assert done.returncode == code, done.stderr
        assert b"Traceback" not in done.stderr


# -- 17, 18 ---------------------------------------------------------------------------------------------------------


def test_17_and_18_a_file_comes_once_however_many_ways_lead_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    real = tmp_path / "a" / "b" / "real.py"
    real.write_text(FINDING)
    (tmp_path / "a" / "b" / "up").symlink_to("../..")
    (tmp_path / "a" / "over").symlink_to("b")
    (tmp_path / "there").symlink_to("back")
    (tmp_path / "back").symlink_to("there")
    (tmp_path / "itself").symlink_to("itself")
    (tmp_path / "one.py").symlink_to("a/over/real.py")
    (tmp_path / "two.py").symlink_to("one.py")
    os.link(real, tmp_path / "a" / "twin.py")
    monkeypatch.chdir(tmp_path)
    ways = [
        ".", "a", "a/", "./a", "a/../a", "a/b", "a/b/real.py", "a/b/../b/real.py", "a/over/real.py", "a/twin.py",
        "one.py", "two.py", str(real), "a/b/up/a/b/real.py", "a/over/up/one.py",
    ]  # fmt: skip
    for arguments in ([each] for each in ways):
        assert len(report_of(*arguments)["results"]) == 1, arguments
    for seed in range(5):
        chosen = random.Random(seed).choices(ways, k=9)
        report = report_of(".", *chosen, *chosen)
        assert findings(report) == [("a/b/real.py", FINDING_LINE)]
        assert report["counts"]["files_discovered"] == 1
