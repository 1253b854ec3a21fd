"""The limit on the time of work in this process, in the main thread and beside it."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable

import pytest

from resplint.time_limits import OutOfTime, time_limit


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


@EITHER
def test_work_without_end_is_stopped(place: Callable[[Callable[[], None]], None]) -> None:
    def work() -> None:
        with time_limit(0.1):
            while True:
                pass

    with pytest.raises(OutOfTime):
        place(work)


@EITHER
def test_code_that_catches_exceptions_is_stopped_all_the_same(place: Callable[[Callable[[], None]], None]) -> None:
    def work() -> None:
        with time_limit(0.1):
            while True:
                try:
                    int("x")
                except Exception:
                    continue

    with pytest.raises(OutOfTime):
        place(work)


@EITHER
def test_work_that_ends_in_time_is_left_alone(place: Callable[[Callable[[], None]], None]) -> None:
    done = []

    def work() -> None:
        with time_limit(0.1):
            done.append(1)
        time.sleep(0.3)
        done.append(2)

    place(work)
    assert done == [1, 2]


@EITHER
def test_an_error_of_the_work_is_raised_as_it_is(place: Callable[[Callable[[], None]], None]) -> None:
    def work() -> None:
        with time_limit(10):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        place(work)


def test_sleep_is_cut_short_in_the_main_thread() -> None:
    started = time.monotonic()
    with pytest.raises(OutOfTime), time_limit(0.1):
        time.sleep(30)
    assert time.monotonic() - started < 15


def test_the_handler_and_timer_of_others_are_put_back() -> None:
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with time_limit(5):
            pass
        time.sleep(0.6)
        assert rung == [1]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
