"""The limit on the time of work in this process, in the main thread and beside it."""

from __future__ import annotations

import random
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from resplint.workers import time_limits
from resplint.workers.time_limits import Deadline, OutOfTime, within


def in_thread(action: Callable[[], None]) -> None:
    """Run `action` in a thread and raise here what it raised there."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            action()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    for error in raised:
        raise error


def here(action: Callable[[], None]) -> None:
    action()


EITHER = pytest.mark.parametrize("place", [here, in_thread])


def endless() -> None:
    while True:
        pass


@EITHER
def test_work_without_end_is_stopped(place: Callable[[Callable[[], None]], None]) -> None:
    with pytest.raises(OutOfTime):
        place(lambda: within(0.1, endless))


@EITHER
def test_code_that_catches_exceptions_is_stopped_all_the_same(place: Callable[[Callable[[], None]], None]) -> None:
    def work() -> None:
        while True:
            try:
                int("x")
            except Exception:
                continue

    with pytest.raises(OutOfTime):
        place(lambda: within(0.1, work))


@EITHER
def test_work_that_ends_in_time_is_left_alone(place: Callable[[Callable[[], None]], None]) -> None:
    done = []

    def work() -> None:
        done.append(within(0.1, lambda: 1))
        time.sleep(0.3)
        done.append(2)

    place(work)
    assert done == [1, 2]


@EITHER
def test_an_error_of_the_work_is_raised_as_it_is(place: Callable[[Callable[[], None]], None]) -> None:
    with pytest.raises(ZeroDivisionError):
        place(lambda: within(10, lambda: print(1 / 0)))


def test_sleep_is_cut_short_in_the_main_thread() -> None:
    started = time.monotonic()
    with pytest.raises(OutOfTime):
        within(0.1, lambda: time.sleep(30))
    assert time.monotonic() - started < 15


@EITHER
def test_time_that_is_up_at_any_moment_stops_the_work_or_nothing(place: Callable[[Callable[[], None]], None]) -> None:
    """Also just before the work and just behind it: a limit that is left in force would stop whatever comes later."""
    seed = random.randrange(1_000_000)
    print(f"seed {seed}")
    generator = random.Random(seed)
    done: Counter[bool] = Counter()

    def work(steps: int) -> bool:
        for _ in range(steps):
            pass
        return True

    def many() -> None:
        finish = time.monotonic() + 1.5
        while time.monotonic() < finish:
            steps = generator.randrange(30_000)
            try:
                done[within(generator.uniform(1e-6, 1e-3), lambda steps=steps: work(steps))] += 1
            except OutOfTime:
                done[False] += 1
        while time.monotonic() < finish + 0.7:  # an attempt is repeated after half a second
            pass

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        place(many)
    finally:
        sys.setswitchinterval(interval)
    assert min(done[True], done[False]) > 20, done
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert [each for each in threading.enumerate() if each.name == "resplint-time-limit"] == []


def test_the_handler_and_timer_of_others_are_put_back() -> None:
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        within(5, lambda: None)
        time.sleep(0.6)
        assert rung == [1]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_work_within_limits_of_its_own_has_an_end_all_the_same() -> None:
    def work() -> None:
        while True:
            within(10, lambda: time.sleep(0.001))
            time.sleep(0.001)

    with pytest.raises(OutOfTime):
        within(0.2, work)


def test_a_timer_that_ends_the_process_is_left_alone() -> None:
    """A signal came while there was a limit: its handler has the process end even if tidying up does not."""
    rung = []
    before = signal.getsignal(signal.SIGALRM)

    def work() -> None:
        signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        raise KeyboardInterrupt

    try:
        with pytest.raises(KeyboardInterrupt):
            within(10, work)
        time.sleep(0.5)
        assert rung == [1]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# -- deadlines ------------------------------------------------------------------------------------------------------


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, to be set."""
    now = [1_000.0]
    monkeypatch.setattr(time_limits, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def test_a_deadline_passes_once_and_knows_for_whom(clock: list[float]) -> None:
    deadline = Deadline(10)
    assert not deadline.passed("early")
    clock[0] += 10
    assert deadline.passed("late")
    clock[0] -= 10
    assert deadline.passed("later")
    assert deadline.is_over
    assert deadline.cut == {"late", "later"}


def test_without_a_limit_no_time_is_up(clock: list[float]) -> None:
    deadline = Deadline()
    clock[0] += 1e9
    assert not deadline.passed("any")


def test_what_follows_may_be_allowed_less(clock: list[float]) -> None:
    deadline = Deadline(100)
    deadline.allow(10)
    clock[0] += 7
    assert not deadline.passed("first")
    deadline.allow(10)
    clock[0] += 7
    assert not deadline.passed("second")
    assert deadline.left == 86
    clock[0] += 1
    assert deadline.passed("second")
    clock[0] -= 1
    assert deadline.passed("second")
    deadline.allow(10)
    assert not deadline.passed("third")
    clock[0] += 86
    deadline.allow(10)
    assert deadline.passed("last")


@EITHER
def test_a_stage_that_does_not_ask_is_stopped_and_the_next_has_a_moment(
    place: Callable[[Callable[[], None]], None],
) -> None:
    def stages() -> None:
        deadline = Deadline(60)
        deadline.allow(0.1)
        assert deadline.limited("endless", lambda: endless() or 1, 2) == 2
        assert deadline.is_over
        assert deadline.limited("short", lambda: 1, 2) == 1
        assert deadline.cut == {"endless"}

    place(stages)
