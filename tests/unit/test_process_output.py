"""Reading what a process prints, within a time."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from resplint.diff_base.process_output import Output


def python(code: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-I", "-c", code]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_lines_bytes_and_the_rest_come_in_order() -> None:
    code = "import sys; print('head'); print('ab', end=''); print('rest' * 1000); sys.stderr.write('no'); sys.exit(3)"
    with Output(python(code), 60, 60) as output:
        assert output.line() == b"head\n"
        assert output.exactly(2) == b"ab"
        assert b"".join(output.chunks()) == b"rest" * 1000 + b"\n"
        assert (output.status(), output.errors()) == (3, b"no")
        assert (output.line(), output.exactly(5)) == (b"", b"")


def test_silence_is_not_waited_for() -> None:
    process = python("import time; print('first', flush=True); time.sleep(1000)")
    started = time.monotonic()
    with Output(process, 2, 1000) as output:
        assert output.line() == b"first\n"
        with pytest.raises(TimeoutError):
            output.line()
    assert time.monotonic() - started < 30
    assert process.returncode is not None


def test_one_that_goes_on_and_on_is_ended() -> None:
    process = python("while True: print('x' * 1000)")
    with Output(process, 1000, 1) as output, pytest.raises(TimeoutError):
        for _ in output.chunks():
            pass
    assert process.returncode is not None


def test_time_that_passes_between_questions_does_not_count() -> None:
    with Output(python("print('first'); print('second')"), 1.5, 1000) as output:
        assert output.line() == b"first\n"
        time.sleep(2.5)
        assert output.line() == b"second\n"


def test_what_is_left_alone_is_ended() -> None:
    process = python("import time; time.sleep(1000)")
    with Output(process, 60, 60):
        pass
    assert process.returncode is not None
