"""A reader of the output path sees the old report or the whole new one."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from resplint.contracts.errors import UserError
from resplint.output import write


def test_a_new_file_has_the_mode_of_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        write(tmp_path / "new.json", b"new")
    finally:
        os.umask(old)
    assert (tmp_path / "new.json").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "new.json").stat().st_mode) == 0o640


def test_an_existing_file_keeps_its_mode(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    target.write_bytes(b"old")
    target.chmod(0o604)
    write(str(target), b"new")
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o604
    assert os.listdir(tmp_path) == ["report.json"]


def test_a_failure_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "report.json"
    target.write_bytes(b"old")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserError, match=r"report\.json': No space left on device\."):
        write(target, b"new")
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["report.json"]


def test_an_interrupt_leaves_no_temporary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "report.json"
    target.write_bytes(b"old")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(target, b"new")
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["report.json"]


def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "report.json"
    link = tmp_path / "link.json"
    link.symlink_to(target)
    write(link, b"first")
    write(link, b"second")
    assert link.is_symlink()
    assert target.read_bytes() == b"second"


def test_a_name_of_255_bytes_can_be_written(tmp_path: Path) -> None:
    target = tmp_path / ("n" * 255)
    write(target, b"new")
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing/report.json", "No such file or directory"),
        (".", "Is a directory"),
        ("loop", "symbolic links"),
    ],
)
def test_what_cannot_be_written_is_named(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UserError) as caught:
        write(tmp_path / name, b"new")
    assert str(tmp_path / name) in str(caught.value)
    assert reason in str(caught.value)


def test_hostile_paths_are_made_visible_in_the_error() -> None:
    with pytest.raises(UserError) as caught:
        write("no/such\x1b[31m\n::error::", b"")
    assert "\\x1b" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_nul_in_the_path_is_an_error_of_the_user() -> None:
    with pytest.raises(UserError, match="null"):
        write("a\0b", b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_device_is_an_error_of_the_user() -> None:
    with pytest.raises(UserError, match="/dev/full': No space left on device"):
        write("/dev/full", b"x")


def test_a_pipe_is_written_directly(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write(fifo, b"through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(fifo.stat().st_mode)


def test_stdout_redirected_to_a_file_keeps_what_was_printed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    source = Path(__file__).parents[2] / "src"
    program = (
        f"import sys; sys.path.insert(0, {str(source)!r}); from resplint.output import write;"
        "print('before'); write('/dev/stdout', b'report\\n'); print('after')"
    )
    with out.open("wb") as stream:
        subprocess.run([sys.executable, "-c", program], stdout=stream, check=True)
    assert out.read_text() == "before\nreport\nafter\n"
