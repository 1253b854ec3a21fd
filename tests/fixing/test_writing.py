"""Fixed files on disk: whole or as they were, together or not at all, and never over somebody else's change."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from resplint.contracts.findings import Edit, NotificationKind, Place
from resplint.files import atomic_files
from resplint.fixing import Plan, Wanted, plan, write
from tests.fixing.stub import Found, Rule, StubScanner, inserting

CODE = b"p = client.pipeline()\r\n"
FIXED = b"p = client.pipeline(0)\r\n"
DEFECT = Rule("RL201", rb"pipeline\(()\)", inserting("0", 1))


def renamed(path: str, data: bytes, found: Found) -> list[Edit]:
    """A fix of `a.py` that `b.py` and `c.py` have to follow."""
    return [Edit(Place(name, 0, 5), "BOUND") for name in ("a.py", "b.py", "c.py")]


TOGETHER = Rule("RL102", rb"LIMIT(?= = 1)", renamed)
OLD = {"a.py": b"LIMIT = 1\n", "b.py": b"LIMIT = 2\n", "c.py": b"LIMIT = 3\n"}
NEW = {name: data.replace(b"LIMIT", b"BOUND") for name, data in OLD.items()}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = (tmp_path / "project").resolve()
    folder.mkdir()
    return folder


def make(root: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)


def planned(root: Path, *rules: Rule) -> Plan:
    return plan(StubScanner(list(rules) or [DEFECT], root=root), Wanted())


def contents(root: Path) -> dict[str, bytes]:
    """Every file there is, temporary ones included."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_planning_writes_nothing(root: Path) -> None:
    make(root, {"a.py": CODE})
    assert planned(root).files
    assert contents(root) == {"a.py": CODE}


def test_files_are_replaced_and_nothing_is_left_behind(root: Path) -> None:
    make(root, {"a.py": CODE, "deep/b.py": CODE, "c.py": b"x = 1\n"})
    assert write(planned(root), root) == ({"a.py", "deep/b.py"}, [])
    assert contents(root) == {"a.py": FIXED, "deep/b.py": FIXED, "c.py": b"x = 1\n"}


def test_an_untouched_file_is_not_written(root: Path) -> None:
    make(root, {"a.py": CODE, "c.py": b"x = 1\n"})
    before = os.stat(root / "c.py")
    write(planned(root), root)
    assert os.stat(root / "c.py") == before


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o755, 0o664])
def test_the_mode_is_kept(root: Path, mode: int) -> None:
    make(root, {"a.py": CODE})
    os.chmod(root / "a.py", mode)
    write(planned(root), root)
    assert stat.S_IMODE(os.stat(root / "a.py").st_mode) == mode
    assert contents(root) == {"a.py": FIXED}


# -- what must not be written ---------------------------------------------------------------------------------------


def read_only(root: Path) -> None:
    os.chmod(root / "a.py", 0o444)


def gone(root: Path) -> None:
    (root / "a.py").unlink()


def changed(root: Path) -> None:
    (root / "a.py").write_bytes(CODE.replace(b"p", b"q", 1))


def grown(root: Path) -> None:
    (root / "a.py").write_bytes(CODE + b"x = 1\n")


def folder(root: Path) -> None:
    (root / "a.py").unlink()
    (root / "a.py").mkdir()


def linked(root: Path) -> None:
    (root.parent / "outside.py").write_bytes(CODE)
    (root / "a.py").unlink()
    (root / "a.py").symlink_to(root.parent / "outside.py")


def hard_linked(root: Path) -> None:
    os.link(root / "a.py", root.parent / "other name.py")


REASONS = {
    read_only: "it is read-only",
    gone: "it is gone by now",
    changed: "it has changed since it was analysed",
    grown: "it has changed since it was analysed",
    folder: "it has changed since it was analysed",
    linked: "it is reached through a link by now",
    hard_linked: "it has other names (hard links), which would keep the old text",
}


@pytest.mark.parametrize("event", REASONS, ids=lambda event: event.__name__)
def test_what_happened_to_one_file_is_reported_and_the_others_are_written(root: Path, event: object) -> None:
    make(root, {"a.py": CODE, "b.py": CODE})
    result = planned(root)
    event(root)  # type: ignore[operator]
    before = contents(root) | contents(root.parent)
    written, notes = write(result, root)
    assert written == {"b.py"}
    assert [(note.kind, note.path, note.message) for note in notes] == [
        (NotificationKind.NOT_FIXED, "a.py", f"Not fixed: {REASONS[event]}.")  # type: ignore[index]
    ]
    after = contents(root) | contents(root.parent)
    assert after == before | {"b.py": FIXED, "project/b.py": FIXED}


def test_a_folder_that_became_a_link_is_not_followed(root: Path) -> None:
    make(root, {"sub/a.py": CODE})
    result = planned(root)
    os.rename(root / "sub", root.parent / "elsewhere")
    (root / "sub").symlink_to(root.parent / "elsewhere")
    written, (note,) = write(result, root)
    assert written == set()
    assert "through a link" in note.message
    assert (root.parent / "elsewhere" / "a.py").read_bytes() == CODE


def test_a_root_that_is_a_link_is_fine(root: Path) -> None:
    make(root, {"a.py": CODE})
    link = root.parent / "link"
    link.symlink_to(root)
    assert write(planned(root), link) == ({"a.py"}, [])
    assert contents(root) == {"a.py": FIXED}


# -- together -------------------------------------------------------------------------------------------------------


def test_files_of_one_fix_change_together(root: Path) -> None:
    make(root, OLD)
    assert write(planned(root, TOGETHER), root) == (set(OLD), [])
    assert contents(root) == NEW


@pytest.mark.parametrize("broken", OLD)
def test_if_one_cannot_be_written_none_is(root: Path, broken: str) -> None:
    make(root, {**OLD, "d.py": CODE})
    result = planned(root, TOGETHER, DEFECT)
    os.chmod(root / broken, 0o444)
    written, notes = write(result, root)
    assert written == {"d.py"}
    assert contents(root) == {**OLD, "d.py": FIXED}
    told = {note.path: note.message for note in notes}
    assert told == {
        name: "Not fixed: it is read-only."
        if name == broken
        else f"Not fixed: a fix changes it together with {broken}."
        for name in OLD
    }


@pytest.mark.parametrize("at", [1, 2, 3])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_between_two_files_takes_the_first_ones_back(
    root: Path, monkeypatch: pytest.MonkeyPatch, at: int, error: BaseException
) -> None:
    make(root, OLD)
    result = planned(root, TOGETHER)
    replace, calls = os.replace, 0

    def failing(source: str, target: str) -> None:
        nonlocal calls
        calls += 1
        if calls == at:
            raise error
        replace(source, target)

    monkeypatch.setattr(atomic_files.os, "replace", failing)
    if isinstance(error, OSError):
        written, notes = write(result, root)
        assert written == set()
        assert "Not fixed: it cannot be written: no space left on device." in [note.message for note in notes]
    else:
        with pytest.raises(KeyboardInterrupt):
            write(result, root)
    assert contents(root) == OLD


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_full_disk_leaves_everything_as_it_was(root: Path, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    make(root, OLD)
    result = planned(root, TOGETHER)
    calls = 0

    def failing(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls == at:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic_files.os, "fsync", failing)
    written, notes = write(result, root)
    assert (written, len(notes)) == (set(), 3)
    assert contents(root) == OLD


KILLED = """
import os, sys
from pathlib import Path
from resplint.fixing import Wanted, plan, write
from tests.fixing.stub import StubScanner
from tests.fixing.test_writing import TOGETHER

root = Path(sys.argv[1])
result = plan(StubScanner([TOGETHER], root=root), Wanted())
replace, calls = os.replace, 0

def dying(source, target):
    global calls
    calls += 1
    if calls == 2:
        os._exit(9)
    replace(source, target)

os.replace = dying
write(result, root)
"""


def test_a_killed_process_leaves_no_file_half_written(root: Path) -> None:
    make(root, OLD)
    top = Path(__file__).parents[2]
    path = os.pathsep.join([str(top), str(top / "src")])
    run = subprocess.run(
        [sys.executable, "-c", KILLED, str(root)], env={**os.environ, "PYTHONPATH": path}, check=False, cwd=top
    )
    assert run.returncode == 9
    found = {name: data for name, data in contents(root).items() if name in OLD}
    assert found == {**OLD, "a.py": NEW["a.py"]}
