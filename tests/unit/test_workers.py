"""Processes that work for this one: their limits, their deaths, and the order of what they answer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from resplint.workers import Limits, Lost, pool
from resplint.workers.pool import run_all
from resplint.workers.processes import SpawnedWorker

LIMITS = Limits(cpu_s=0.3, memory_bytes=300_000_000)
MAIN_PROCESS = os.getpid()


def work(item: bytes) -> bytes:
    """What the workers of these tests do: upper case, unless the item asks for something else."""
    if item == b"spin":
        while True:
            pass
    if item == b"sleep":
        time.sleep(60)
    if item == b"gorge":
        return bytes(1_000_000_000)
    if item == b"die":
        os.kill(os.getpid(), signal.SIGKILL)
    if item == b"crash":
        signal.signal(signal.SIGSEGV, signal.SIG_DFL)  # pytest's would print where
        os.kill(os.getpid(), signal.SIGSEGV)
    if item == b"raise":
        raise ValueError
    if item == b"where":
        return str(os.getpid()).encode()
    return item.upper()


def answers(*items: bytes, workers: int = 2) -> list[bytes | str]:
    found = run_all(work, items, len(items), workers=workers, limits=LIMITS)
    return [answer.cause if isinstance(answer, Lost) else answer for answer in found]


def children() -> list[int]:
    """Processes that this one started and that are still there, zombies included."""
    ps = ["ps", "-o", "pid=", "--ppid", str(os.getpid())]
    listed = subprocess.run(ps, check=False, capture_output=True, text=True).stdout
    return [int(pid) for pid in listed.split() if Path(f"/proc/{int(pid)}").exists()]


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("number", [0, 1, 7, 1_500])
def test_answers_come_in_the_order_of_the_items(number: int, workers: int) -> None:
    items = [b"item %d" % each for each in range(number)]
    assert answers(*items, workers=workers) == [item.upper() for item in items]


def test_answers_of_any_size_arrive() -> None:
    items = [b"x" * size for size in (0, 1, 65_535, 65_536, 3_000_000, 5, 1_000_000, 100)] * 3
    assert answers(*items) == [item.upper() for item in items]


@pytest.mark.parametrize(
    ("item", "cause"),
    [(b"spin", "time"), (b"gorge", "memory"), (b"die", "death"), (b"crash", "death"), (b"raise", "death")],
)
def test_a_worker_that_ends_costs_the_item_it_ended_at(item: bytes, cause: str) -> None:
    around = [b"item %d" % each for each in range(40)]
    found = answers(*around[:20], item, *around[20:])
    assert found == [*(each.upper() for each in around[:20]), cause, *(each.upper() for each in around[20:])]


def test_an_item_that_uses_no_processor_time_is_given_up_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "CLOCK_FACTOR", 2)
    assert answers(b"a", b"sleep", b"b") == [b"A", "time", b"B"]


def test_a_death_that_does_not_repeat_costs_nothing(tmp_path: Path) -> None:
    """As when the system ran out of memory for the sake of another process."""
    mark = tmp_path / "died once"

    def once(item: bytes) -> bytes:
        if item == b"5" and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return item

    items = [str(each).encode() for each in range(10)]
    assert list(run_all(once, items, len(items), workers=2, limits=LIMITS)) == items
    assert mark.exists()


def test_items_are_asked_for_as_they_are_needed() -> None:
    asked = 0

    def items() -> Iterator[bytes]:
        nonlocal asked
        for _ in range(5_000):
            asked += 1
            yield b"x"

    with closing(run_all(work, items(), 5_000, workers=2, limits=LIMITS)) as found:
        for _ in range(10):
            next(found)
        assert asked < 1_000


def test_no_process_is_left_whether_all_is_done_or_not() -> None:
    before = children()
    answers(*[b"x"] * 50, b"die", b"spin", workers=3)
    assert children() == before
    with closing(run_all(work, [b"x", b"sleep", b"sleep"], 3, workers=3, limits=Limits(100, 10**9))) as found:
        next(found)
        assert len(children()) > len(before)
    assert children() == before


def test_workers_run_beside_this_process() -> None:
    assert set(answers(*[b"where"] * 200)).isdisjoint({str(MAIN_PROCESS).encode()})


def test_without_room_for_another_process_the_work_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise BlockingIOError

    monkeypatch.setattr(os, "fork", refuse)
    assert answers(*[b"where"] * 3) == [str(MAIN_PROCESS).encode()] * 3


KILLED = """\
import os, sys, time
from resplint.workers import Limits
from resplint.workers.pool import run_all
def work(item):
    os.write(1, b"%d\\n" % os.getpid())
    time.sleep(100)
list(run_all(work, [b"x"] * 3, 3, workers=3, limits=Limits(100, 10**9)))
"""


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_go_with_the_process_that_made_them(sign: signal.Signals) -> None:
    parent = subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert parent.stdout is not None
    workers = [int(parent.stdout.readline()) for _ in range(3)]
    parent.send_signal(sign)
    parent.wait()
    deadline = time.monotonic() + 10  # 2 s on a machine that does nothing else
    while any(map(_lives, workers)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert [pid for pid in workers if _lives(pid)] == []


def _lives(pid: int) -> bool:
    """Whether a process runs; one that only waits to be buried does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_worker_may_be_an_interpreter_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows and macOS."""
    monkeypatch.setattr(pool, "can_fork", lambda: False)
    items = [b"item %d" % each for each in range(30)]
    assert answers(*items, b"die", *items) == [
        *(each.upper() for each in items),
        "death",
        *(each.upper() for each in items),
    ]


def test_such_a_worker_keeps_to_its_time() -> None:
    worker = SpawnedWorker(work, LIMITS)
    assert worker.connection.recv_bytes() == b""
    worker.connection.send_bytes(b"\x91\xc4\x04spin")
    with pytest.raises(EOFError):
        worker.connection.recv_bytes()
    assert worker.end() == "time"
