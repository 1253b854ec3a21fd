"""Input that nobody would write: it never stops a scan, never hides what else there is, and is never silently clean.

Most tests go through the command line in this process, so that they also see the exit code and the printed report.
Whatever is large is made when the test runs.
"""

from __future__ import annotations

import gc
import json
import math
import multiprocessing
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from runs import (
    CLIENT_MODULE,
    FINDING,
    FINDING_LINE,
    ORDINARY,
    SAMPLES,
    SECONDS,
    USE,
    Outcome,
    processor_time,
    run,
    scan_bytes,
    scan_report,
    write_files,
)

from resplint.cli import app
from resplint.contracts.findings import Report
from resplint.languages import lower
from resplint.output import FORMATS, OutputOptions
from resplint.scan import lowering_pool
from resplint.versions import VersionIndex

LIMIT = 1_000_000


# -- bytes that are no plain UTF-8 ---------------------------------------------------------------------------


def test_a_binary_file_is_listed_and_the_others_are_analysed(tmp_path: Path) -> None:
    (tmp_path / "image.py").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    outcome = scan_bytes(tmp_path, FINDING)
    assert outcome.findings == [("module.py", "RL104", FINDING_LINE)]
    (remark,) = outcome.remarks("image.py")
    assert remark[0] == "skipped"
    assert "binary: NUL byte at offset" in remark[1]
    assert outcome.exit_code == 1


def test_a_client_is_handed_to_a_binary_file(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_bytes(b"def work(client):\n    client.get('a')\n\0")
    outcome = scan_bytes(tmp_path, f"{FINDING}\n\nfrom helper import work\n\nwork(queue)\n".encode())
    assert outcome.findings == [("module.py", "RL104", FINDING_LINE)]
    assert [kind for kind, _ in outcome.remarks("helper.py")] == ["skipped"]
    assert outcome.exit_code == 1


@pytest.mark.parametrize("position", ["start", "middle", "end"])
def test_a_nul_byte_anywhere_means_binary(tmp_path: Path, position: str) -> None:
    data = FINDING.encode()
    at = {"start": 0, "middle": len(data) // 2, "end": len(data)}[position]
    outcome = scan_bytes(tmp_path, data[:at] + b"\0" + data[at:])
    assert outcome.findings == []
    assert outcome.remarks("module.py") == [("skipped", f"Not analysed: binary: NUL byte at offset {at}.")]
    assert outcome.exit_code == 0


@pytest.mark.parametrize(
    "data",
    [
        FINDING.encode("utf-16"),
        b"\xfe\xff" + FINDING.encode("utf-16-be"),
        b"\xef\xbb\xbf" + FINDING.encode(),
        FINDING.replace("\n", "\r\n").encode(),
        FINDING.replace("\n", "\r").encode(),
        FINDING.rstrip().encode(),
        FINDING.replace("\n\n\n", "\n\x0c\n\n").encode(),
    ],
    ids=["utf-16-le", "utf-16-be", "utf-8-with-mark", "crlf", "cr", "no-final-line-end", "form-feed"],
)
def test_unusual_but_valid_text_is_analysed_in_full(tmp_path: Path, data: bytes) -> None:
    outcome = scan_bytes(tmp_path, data)
    assert outcome.findings == [("module.py", "RL104", FINDING_LINE)]
    assert outcome.remarks("module.py") == []


def test_utf_16_without_a_mark_is_listed(tmp_path: Path) -> None:
    outcome = scan_bytes(tmp_path, FINDING.encode("utf-16-le"))
    assert outcome.remarks("module.py") == [("skipped", "Not analysed: binary: NUL byte at offset 1.")]


def test_latin_1_with_a_coding_line_is_analysed_with_right_columns(tmp_path: Path) -> None:
    code = FINDING.replace("return queue", "été = '日'; return queue".replace("日", "ß"))
    outcome = scan_bytes(tmp_path, ("# -*- coding: latin-1 -*-\n" + code).encode("latin-1"))
    (result,) = outcome.document["results"]
    line = code.splitlines()[FINDING_LINE - 1]
    assert result["region"]["start_line"] == FINDING_LINE + 1
    assert result["region"]["start_column"] == line.index("queue") + 1
    assert outcome.remarks("module.py") == []


@pytest.mark.parametrize(
    ("coding", "spelling"),
    [("utf-7", "+AHI-edis"), ("unicode_escape", r"\x72edis"), ("raw_unicode_escape", r"\u0072edis")],
)
def test_05_a_coding_in_which_no_name_can_be_seen_is_told(tmp_path: Path, coding: str, spelling: str) -> None:
    outcome = scan_bytes(tmp_path, f"# coding: {coding}\n{FINDING.replace('redis', spelling)}")
    ((kind, said),) = outcome.remarks("module.py")
    assert kind == "partial"
    assert f"unknown source encoding '{coding}'" in said


def test_05_a_coding_that_python_does_not_know_is_none_of_ours(tmp_path: Path) -> None:
    outcome = scan_bytes(tmp_path, "# coding: nonsense\nprint(1)\n")
    assert outcome.document["notifications"] == []


SPELLINGS = {
    "fullwidth.py": FINDING.replace("redis", "\uff52\uff45\uff44\uff49\uff53"),
    "method.py": FINDING.replace("blpop", "bl\U0001d429op"),
    "hexadecimal.js": SAMPLES["javascript"].code.replace("ioredis", r"io\x72edis"),
    "unicode.ts": SAMPLES["typescript"].code.replace("ioredis", r"ior\u{65}dis"),
    "method.js": SAMPLES["javascript"].code.replace("queue.blpop", r"queue.bl\u0070op"),
    "brackets.ts": SAMPLES["typescript"].code.replace("queue.blpop", "queue['blpop']"),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_05_names_are_read_as_the_language_reads_them(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(SPELLINGS[name], encoding="utf-8")
    assert [rule for _, rule, _ in run(tmp_path).findings] == ["RL104"]


def test_05_escapes_of_java_in_the_name_of_a_library_are_told(tmp_path: Path) -> None:
    sample = SAMPLES["java"]
    outcome = scan_bytes(tmp_path, sample.code.replace("redis.clients", r"\u0072edis.clients"), sample.file)
    assert outcome.findings or outcome.remarks(sample.file)


def test_a_comment_ends_at_a_lone_carriage_return(tmp_path: Path) -> None:
    outcome = scan_bytes(tmp_path, f"# queue\n{FINDING}".replace("\n", "\r"))
    assert outcome.findings == [("module.py", "RL104", FINDING_LINE + 1)]


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (b"# coding: ascii\nname = '\xe9'\n", b"", "not valid ASCII at offset 24; undecodable bytes were replaced"),
        (b"# coding: klingon\n", b"", "unknown source encoding 'klingon'; read as UTF-8"),
        (b"# coding: utf-7\n", b"", "unknown source encoding 'utf-7'; read as UTF-8"),
        (b"", b"# \xe6\x97", "not valid UTF-8 at offset 111; undecodable bytes were replaced"),
        (b"", b"x = '\xe9'\n", "not valid UTF-8 at offset 114; undecodable bytes were replaced"),
        (b"", b"x = '\xc0\x80'\n", "not valid UTF-8 at offset 114; undecodable bytes were replaced"),
        (b"", b"x = '\xed\xa0\x80'\n", "not valid UTF-8 at offset 114; undecodable bytes were replaced"),
    ],
    ids=["wrong-coding", "no-such-coding", "refused-coding", "truncated", "latin-1", "overlong", "surrogate"],
)
def test_bytes_against_the_declared_coding_leave_the_findings_and_a_remark(
    tmp_path: Path, before: bytes, after: bytes, reason: str
) -> None:
    code = FINDING.encode()
    offset = re.search(r"offset (\d+)", reason)
    if after and offset:
        reason = reason.replace(offset[0], f"offset {len(code) + after.index(next(b for b in _high(after)))}")
    outcome = scan_bytes(tmp_path, before + code + after)
    assert outcome.findings == [("module.py", "RL104", FINDING_LINE + before.count(b"\n"))]
    assert outcome.remarks("module.py") == [("partial", f"Analysed only in part: {reason}.")]


def _high(data: bytes) -> Iterator[bytes]:
    return (bytes([byte]) for byte in data if byte >= 0x80)


# -- files with little or too much in them -------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["", "\n", "#", "# redis\n" * 50, '"""redis"""', " " * 900_000, "\n" * 100_000, "\f", "\\", "redis"],
    ids=["empty", "line-end", "hash", "comments", "docstring", "spaces", "lines", "form-feed", "backslash", "word"],
)
def test_a_file_without_code_is_clean(tmp_path: Path, text: str) -> None:
    outcome = scan_bytes(tmp_path, text)
    assert outcome.findings == []
    assert outcome.exit_code == 0
    assert outcome.seconds <= SECONDS


def test_a_file_over_the_limit_is_listed_with_both_numbers(tmp_path: Path) -> None:
    big = FINDING + "# a line\n" * 300
    (tmp_path / "module.py").write_text(big)
    outcome = run(tmp_path, options=("--max-file-size", "2000"))
    reason = f"its {len(big):,} bytes are over the limit of 2,000 (max-file-size)"
    assert outcome.findings == []
    assert outcome.remarks("module.py") == [("skipped", f"Not analysed: {reason}.")]
    within = run(tmp_path, options=("--max-file-size", str(len(big))))
    assert within.findings == [("module.py", "RL104", FINDING_LINE)]


def test_the_limit_is_a_million_bytes_unless_told(tmp_path: Path) -> None:
    (tmp_path / "at.py").write_text(FINDING + "x = 1\n" * 20_000 + " " * (LIMIT - len(FINDING) - 120_000))
    (tmp_path / "over.py").write_text(FINDING + "\n" * (LIMIT - len(FINDING) + 1))
    outcome = run(tmp_path)
    assert outcome.findings == [("at.py", "RL104", FINDING_LINE)]
    assert [kind for kind, _ in outcome.remarks("over.py")] == ["skipped"]


def test_thousands_of_comment_lines_below_a_function_do_not_use_up_the_time(tmp_path: Path) -> None:
    outcome = scan_bytes(tmp_path, FINDING + "# a line that says nothing\n" * 6_000)
    assert outcome.findings == [("module.py", "RL104", FINDING_LINE)]
    assert outcome.seconds <= SECONDS


def test_a_minified_file_is_listed(tmp_path: Path) -> None:
    text = "import redis;q=redis.Redis(socket_timeout=5);" + "a=1;" * 1_000 + "q.blpop('a',30)"
    outcome = scan_bytes(tmp_path, text)
    assert outcome.findings == []
    assert [kind for kind, _ in outcome.remarks("module.py")] == ["skipped"]
    assert "minified" in outcome.remarks("module.py")[0][1]


# -- the file system -----------------------------------------------------------------------------------------


def test_a_named_pipe_is_listed_and_nobody_waits_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    outcome = scan_bytes(tmp_path, FINDING)
    assert outcome.findings == [("module.py", "RL104", FINDING_LINE)]
    assert outcome.remarks("pipe.py") == [("skipped", "Not analysed: a named pipe, not a regular file.")]
    assert outcome.elapsed < SECONDS


def test_a_named_pipe_as_argument_is_listed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    outcome = run(tmp_path / "pipe.py")
    assert [kind for kind, _ in outcome.remarks("pipe.py")] == ["skipped"]
    assert outcome.elapsed < SECONDS


def test_a_link_out_of_the_folder_is_listed_and_not_followed(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    (outside / "secret.py").write_text(FINDING)
    (inside / "link.py").symlink_to(outside / "secret.py")
    (inside / "folder").symlink_to(outside)
    outcome = scan_bytes(inside, FINDING)
    assert outcome.findings == [("module.py", "RL104", FINDING_LINE)]
    reason = ("skipped", "Not analysed: the link leads out of the scanned folder.")
    assert outcome.remarks("link.py") == [reason]
    assert outcome.remarks("folder") == [reason]


def test_links_inside_the_folder_do_not_double_findings(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "real.py").write_text(FINDING)
    (tmp_path / "other.py").symlink_to("package/real.py")
    (tmp_path / "package" / "again").symlink_to(tmp_path)
    os.link(tmp_path / "package" / "real.py", tmp_path / "package" / "twin.py")
    assert run(tmp_path).findings == [("package/real.py", "RL104", FINDING_LINE)]


def test_broken_and_circular_links_are_listed(tmp_path: Path) -> None:
    (tmp_path / "broken.py").symlink_to("nowhere.py")
    (tmp_path / "itself.py").symlink_to("itself.py")
    (tmp_path / "one.py").symlink_to("two.py")
    (tmp_path / "two.py").symlink_to("one.py")
    outcome = scan_bytes(tmp_path, FINDING)
    assert outcome.findings == [("module.py", "RL104", FINDING_LINE)]
    for name in ("broken.py", "itself.py", "one.py", "two.py"):
        assert [kind for kind, _ in outcome.remarks(name)] == ["skipped"], name


def test_a_folder_named_like_a_file_is_listed_unless_it_holds_files(tmp_path: Path) -> None:
    for name, text in {"views.py/notes.txt": "", "node.js/inner.py": FINDING}.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    outcome = scan_bytes(tmp_path, FINDING)
    assert sorted(outcome.findings) == [(path, "RL104", FINDING_LINE) for path in ("module.py", "node.js/inner.py")]
    assert [kind for kind, _ in outcome.remarks("views.py")] == ["skipped"]
    assert outcome.remarks("node.js") == []


def test_unreadable_files_and_folders_are_listed(tmp_path: Path) -> None:
    """Run as a user who may not read everything: in a child process, where the superuser steps down first."""
    nobody = 65_534
    _grant_passage(tmp_path)
    (tmp_path / "module.py").write_text(FINDING)
    for name in ("secret.py", "closed/inner.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(FINDING)
    (tmp_path / "secret.py").chmod(0)
    (tmp_path / "closed").chmod(0)
    run(tmp_path / "module.py")  # loads what the child may not be able to read any more
    receiver, sender = multiprocessing.get_context("fork").Pipe(duplex=False)
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(nobody)
                os.setuid(nobody)
            sender.send(run(tmp_path))
        except BaseException as error:
            sender.send(repr(error))
        finally:
            os._exit(0)
    sender.close()
    try:
        outcome = receiver.recv()
    finally:
        os.waitpid(child, 0)
        (tmp_path / "closed").chmod(0o700)
    assert isinstance(outcome, Outcome), outcome
    assert outcome.findings == [("module.py", "RL104", FINDING_LINE)]
    assert outcome.remarks("secret.py") == [("skipped", "Not analysed: permission denied.")]
    assert outcome.remarks("closed") == [("skipped", "Not analysed: permission denied.")]


def _grant_passage(path: Path) -> None:
    """Let other users reach a temporary folder."""
    path.chmod(0o755)
    for folder in path.parents:
        if folder.stat().st_uid == os.geteuid() and not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o011)


@pytest.mark.parametrize("stage", ["searching", "parsing"])
def test_a_file_that_vanishes_during_the_scan_is_listed(tmp_path: Path, stage: str) -> None:
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_text(FINDING)

    def progress(now: str, done: int, total: int) -> None:
        if now == stage:
            (tmp_path / "b.py").unlink(missing_ok=True)

    report = scan_report(tmp_path, root=tmp_path, progress=progress)
    found = {result.path for result in report.results}
    assert found >= {"a.py", "c.py"}
    remarks = [(note.kind.value, note.message) for note in report.notifications if note.path == "b.py"]
    assert remarks == [("skipped", "Not analysed: it cannot be read any more.")] or (not remarks and "b.py" in found)


def test_a_file_that_grows_over_the_limit_during_the_scan_is_not_read_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(FINDING)

    def progress(now: str, done: int, total: int) -> None:
        (tmp_path / "a.py").write_text(FINDING + "# more\n" * 400_000)

    report = scan_report(tmp_path, root=tmp_path, progress=progress)
    assert [result.path for result in report.results] in ([], ["a.py"])


# -- code that does not parse --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "broken",
    [
        "def other(:\n    x = = 1\n",
        "class A(\n    def x(self):\n        pass\n",
        "if True\n    print('no colon')\n",
        "for in range(3):\n    pass\n",
        "<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> branch\n",
        "x = 1 +\n",
        "print >>sys.stderr, 'x' % \n",
        "$ pip install redis\n",
        "{% if redis %}\nx = 1\n{% endif %}\n",
        "func(a, b=, c)\n",
    ],
    ids=lambda text: text.split("\n")[0].strip(),
)
def test_a_broken_stretch_leaves_the_findings_around_it(tmp_path: Path, broken: str) -> None:
    outcome = scan_bytes(tmp_path, f"{FINDING}\n\n{broken}\n\n{FINDING.replace('take', 'give')}")
    lines = [line for path, rule, line in outcome.findings if rule == "RL104"]
    assert lines[0] == FINDING_LINE
    assert len(lines) == 2
    assert [kind for kind, _ in outcome.remarks("module.py")] == ["partial"]
    assert "does not parse" in outcome.remarks("module.py")[0][1]
    assert outcome.exit_code == 1


def test_a_file_cut_off_at_any_byte_is_analysed_or_listed(tmp_path: Path) -> None:
    """Every prefix of a file is clean, has its finding, or says that it does not parse."""
    data = (FINDING + 'text = """é日"""\n').encode()
    for length in range(0, len(data), 3):
        (tmp_path / f"cut_{length:03}.py").write_bytes(data[:length])
    outcome = run(tmp_path)
    assert not [note for note in outcome.document["notifications"] if note["kind"] == "internal-error"]
    complete = len(FINDING) - 1
    found = {path for path, _, _ in outcome.findings}
    assert found >= {f"cut_{length:03}.py" for length in range(0, len(data), 3) if length >= complete}


# -- depth ---------------------------------------------------------------------------------------------------

DEEP = 200_000
MANY_STEPS = 50_000
"""Of what nobody promises more."""
LEVELS = 900
"""Levels of indentation: their text grows with the square of their number."""


def _levels(head: str, body: str = "pass") -> str:
    return "".join(f"{' ' * level}{head.format(level)}:\n" for level in range(LEVELS)) + f"{' ' * LEVELS}{body}\n"


DEEP_CODE: dict[str, Callable[[], str]] = {
    "parentheses": lambda: "(" * DEEP + "1" + ")" * DEEP,
    "parentheses-on-lines": lambda: "(\n" * MANY_STEPS + "1" + ")\n" * MANY_STEPS,
    "lists": lambda: "[" * DEEP + "]" * DEEP,
    "dictionaries": lambda: "{1:" * MANY_STEPS + "1" + "}" * MANY_STEPS,
    "calls-in-calls": lambda: "f(" * DEEP + ")" * DEEP,
    "calls-of-calls": lambda: "f" + "()" * DEEP,
    "attributes": lambda: "a" + ".b" * DEEP,
    "methods": lambda: "a" + ".b()" * DEEP,
    "elements": lambda: "a" + "[0]" * MANY_STEPS,
    "elements-in-elements": lambda: "a[" * MANY_STEPS + "0" + "]" * MANY_STEPS,
    "else-if": lambda: "if a: b\n" + "elif a: b\n" * (LIMIT // 11),
    "added-texts": lambda: "x = 'a'" + " + 'a'" * DEEP,
    "joined-texts": lambda: "x = (" + '"a"\n' * MANY_STEPS + ")",
    "sums": lambda: "x = 1" + " + 1" * MANY_STEPS,
    "powers": lambda: "x = 1" + " ** 1" * MANY_STEPS,
    "products-and-sums": lambda: "x = 1" + " + 1 * 2 - 3" * MANY_STEPS,
    "conditions": lambda: "x = a" + " and a or b" * MANY_STEPS,
    "comparisons": lambda: "x = a" + " < a" * MANY_STEPS,
    "negations": lambda: "x = " + "not " * MANY_STEPS + "a",
    "signs": lambda: "x = " + "-" * MANY_STEPS + "1",
    "lambdas": lambda: "x = " + "lambda: " * MANY_STEPS + "1",
    "awaits": lambda: "async def f():\n    return " + "await " * MANY_STEPS + "a",
    "choices": lambda: "x = " + "1 if a else " * MANY_STEPS + "2",
    "comprehensions": lambda: "x = " + "[" * MANY_STEPS + "1" + " for a in b]" * MANY_STEPS,
    "named-expressions": lambda: "(" + "(x := " * MANY_STEPS + "1" + ")" * MANY_STEPS + ")",
    "annotations": lambda: "x: " + "List[" * MANY_STEPS + "int" + "]" * MANY_STEPS + " = 1",
    "targets": lambda: "(" * MANY_STEPS + "x" + ",)" * MANY_STEPS + " = 1",
    "decorators": lambda: "@a\n" * MANY_STEPS + "def f(): pass",
    "f-strings": lambda: "x = " + "f'{" * MANY_STEPS + "1" + "}'" * MANY_STEPS,
    "functions": lambda: _levels("def f{}()"),
    "classes": lambda: _levels("class C{}"),
    "loops": lambda: _levels("for a in b"),
    "branches": lambda: _levels("if a"),
    "handlers": lambda: _levels("try"),
}


@pytest.mark.parametrize("shape", sorted(DEEP_CODE))
def test_deep_code_neither_crashes_nor_hides_a_finding_above_it(tmp_path: Path, shape: str) -> None:
    (tmp_path / "module.py").write_text(f"{FINDING}\n\n{ORDINARY}{DEEP_CODE[shape]()}\n")
    outcome = run(tmp_path, options=("--max-file-size", "3000000", "--file-timeout", "60"))
    assert outcome.findings == [("module.py", "RL104", FINDING_LINE)]
    assert outcome.seconds <= SECONDS
    assert outcome.exit_code == 1


def test_a_long_chain_of_assignments_takes_its_time_once(tmp_path: Path) -> None:
    outcome = scan_bytes(tmp_path, f"{FINDING}\n\n{ORDINARY}{'x = ' * 10_000}1\n")
    assert outcome.findings == [("module.py", "RL104", FINDING_LINE)]
    assert outcome.seconds <= 1


@pytest.mark.parametrize(
    "token", ["(", "[", "{", "f(", ")", ":", ",", "@", "*", '"', "'''", "\\\n", "=", "if ", "lambda ", "{{", "f'{"]
)
def test_a_token_again_and_again_is_survived_and_listed(tmp_path: Path, token: str) -> None:
    """What does not parse at all may swallow the findings around it, but says so."""
    outcome = scan_bytes(tmp_path, f"{FINDING}\n\n{ORDINARY}{token * MANY_STEPS}\n{FINDING}")
    assert outcome.seconds <= SECONDS
    assert len(outcome.findings) == 2 or outcome.remarks("module.py")


@pytest.mark.parametrize("shape", ["one-expression", "statements"])
def test_twenty_thousand_methods_on_a_pipeline(tmp_path: Path, shape: str) -> None:
    if shape == "one-expression":
        steps = "".join(f'        .get("key:{number}")\n' for number in range(20_000))
        code = f"def read():\n    return (\n        queue.pipeline()\n{steps}        .execute()\n    )\n"
    else:
        steps = "".join(f'    pipe.get("key:{number}")\n' for number in range(20_000))
        code = f"def read():\n    pipe = queue.pipeline()\n{steps}    return pipe.execute()\n"
    outcome = scan_bytes(tmp_path, f"{FINDING}\n\n{code}")
    assert ("module.py", "RL104", FINDING_LINE) in outcome.findings
    assert outcome.seconds <= (2 if shape == "one-expression" else 8)  # beside another test on the second core
    rules = {rule for _, rule, _ in outcome.findings}
    assert "RL201" in rules or outcome.remarks("module.py")


# -- size ----------------------------------------------------------------------------------------------------


def _repeated(template: str) -> Callable[[int], str]:
    return lambda number: FINDING + "\n\n" + "".join(template.replace("#", str(each)) for each in range(number))


MANY: dict[str, tuple[int, Callable[[int], str]]] = {
    "commands": (25_000, lambda n: FINDING + "".join(f"    queue.get('k{i}')\n" for i in range(n))),
    "blocking-commands": (1_200, lambda n: FINDING + "".join(f"    queue.blpop('k{i}', 30)\n" for i in range(n))),
    "polling-loops": (
        700,
        _repeated(
            "def f#():\n    while True:\n        job = queue.blpop('k#', 30)\n"
            "        if job:\n            print(job[1])\n\n\n"
        ),
    ),
    "functions": (2_000, _repeated("def f#():\n    return queue.get('k#')\n\n\n")),
    "hashes": (700, _repeated("def f#(x):\n    queue.hset('h#', x, 1)\n    return queue.hgetall('h#')\n\n\n")),
    "scripts": (1_000, _repeated("def f#(x):\n    return queue.eval('return ' + x, 0)\n\n\n")),
    "pipelines": (
        700,
        _repeated(
            "def f#():\n    p = queue.pipeline()\n    p.get('a#')\n    p.get('b#')\n    return p.execute()\n\n\n"
        ),
    ),
    "clients": (700, _repeated("def f#():\n    return redis.Redis().get('k#')\n\n\n")),
    "a text in parts": (
        6_000,
        lambda n: f"{FINDING}\n\ntext = 'a'\n" + "text += 'a'\n" * n + "queue.eval(text, 0)\n",
    ),
    "retries": (
        500,
        _repeated(
            "def f#():\n    while True:\n        try:\n            return queue.get('k#')\n"
            "        except redis.ConnectionError:\n            time.sleep(1)\n\n\n"
        ),
    ),
}


RATIO = 2.3


@pytest.mark.parametrize("kind", MANY)
def test_twice_the_code_takes_about_twice_the_time(tmp_path: Path, kind: str) -> None:
    number, code = MANY[kind]
    demand_proportion(tmp_path / "module.py", code, number)


def test_twice_the_transactions_of_javascript_take_about_twice_the_time(tmp_path: Path) -> None:
    def code(number: int) -> str:
        head = "const Redis = require('ioredis');\nconst queue = new Redis({ commandTimeout: 5000 });\n"
        each = "function f#() {\n  const m = queue.multi();\n  m.get('a#');\n  return m.exec();\n}\n"
        return head + "".join(each.replace("#", str(n)) for n in range(number)) + "queue.blpop('jobs', 30);\n"

    demand_proportion(tmp_path / "worker.js", code, 1_500)


def demand_proportion(file: Path, code: Callable[[int], str], number: int) -> None:
    once = twice = math.inf
    for _ in range(4):  # on a busy machine the quickest of several
        once = min(once, _seconds_for(file, code(number)))
        twice = min(twice, _seconds_for(file, code(2 * number)))
        if twice <= RATIO * once:
            return
    pytest.fail(f"{twice:.2f} s for twice of what takes {once:.2f} s")


def _seconds_for(file: Path, code: str) -> float:
    file.write_text(code)
    gc.collect()
    gc.disable()  # it walks all that the other tests have left behind
    try:
        started = processor_time()
        report = scan_report(file.parent, root=file.parent, max_file_size=5_000_000, file_timeout=60)
        seconds = processor_time() - started
    finally:
        gc.enable()
    assert report.results
    assert report.files_analysed == 1
    return seconds


# -- hostile names and content -------------------------------------------------------------------------------

RAW_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What may steer a terminal or disguise text. Tab and line end are part of every report."""

NAMES = [
    b"new\nline.py",
    b"x.py\n::error file=a.py::forged.py",
    b"::error file=x,line=1::forged.py",
    b"carriage\rreturn.py",
    b"esc\x1b[31mred\x1b[0m.py",
    b"title\x1b]0;owned\x07.py",
    b"delete\x7f.py",
    "c1\x9b31m.py".encode(),
    "bidi\u202eyp.exe\u202c.py".encode(),
    "isolate\u2066a\u2069.py".encode(),
    "separator\u2028.py".encode(),
    b"percent%0Aline%25.py",
    b"colon:12:3.py",
    b"comma,semi;.py",
    b"quote\"'`.py",
    b"<b>html&amp;.py",
    b"$(touch pwned).py",
    b"-dash.py",
    b" leading and trailing .py",
    b"back\\slash.py",
    b"latin-\xe9.py",
    b"lone-\xed\xa0\x80.py",
    "nfc-\u00e9.py".encode(),
    "nfd-e\u0301.py".encode(),
    b"tab\there.py",
    b"n" * 252 + b".py",
]


@pytest.fixture(scope="module")
def hostile_names(tmp_path_factory: pytest.TempPathFactory) -> Report:
    folder = tmp_path_factory.mktemp("names")
    for name in NAMES:
        with open(os.path.join(os.fsencode(folder), name), "w") as file:
            file.write(FINDING)
    return scan_report(folder, root=folder)


HOSTILE = [
    "\x1b[31mred\x1b[0m",
    "\x1b]0;owned\x07",
    "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\",
    "\x9b31m",
    "\u202e reversed \u202c",
    "\u2066 isolated \u2069",
    "\x7f\x08\x08",
    "\x85next",
    "a\u2028b",
    "::error file=x::forged",
    "%0A::error::forged",
]


@pytest.fixture(scope="module")
def hostile_content(tmp_path_factory: pytest.TempPathFactory) -> Report:
    folder = tmp_path_factory.mktemp("content")
    for number, text in enumerate(HOSTILE):
        parts = [
            f"import redis  # {text}",
            f"# {text}",
            f"queue = redis.Redis(host='{text}', socket_timeout=5)  # {text}",
            f"def take{number}(user):",
            f"    '''{text}'''",
            f"    item = queue.blpop('{text}', timeout=30)  # {text}",
            f"    queue.eval('{text}' + user, 0)",
            f"    queue.hset('{text}', user, 1)",
            f"    queue.hgetall('{text}')",
            f"    queue.blpop('a', timeout=30)  # resplint: ignore[RL104] {text}",
            f"    queue.get('a')  # resplint: ignore[RL104,{text}] {text}",
            f"    queue.{text}.blpop({text}, timeout=30)",
            f"    {text} = redis.Redis(socket_timeout=5)",
            f"    {text}.blpop('a', timeout=30)",
        ]
        (folder / f"module_{number}.py").write_text("\n".join(parts) + "\n", encoding="utf-8", newline="")
        (folder / f"broken_{number}.py").write_text("\n".join(reversed(parts)), encoding="utf-8", newline="")
    (folder / "requirements.txt").write_text("".join(f"redis=={text}\n{text}\n" for text in HOSTILE))
    return scan_report(folder, root=folder)


@pytest.mark.parametrize("form", sorted(FORMATS))
@pytest.mark.parametrize("what", ["names", "content"])
def test_no_raw_control_character_reaches_a_report(
    form: str, what: str, hostile_names: Report, hostile_content: Report
) -> None:
    report = hostile_names if what == "names" else hostile_content
    assert report.results
    text = FORMATS[form](report, OutputOptions(show_notes=True, statistics=True)).decode("utf-8")
    assert [found for found in RAW_CONTROL.findall(text) if found != "\n"] == []


@pytest.mark.parametrize(
    "what",
    [
        "names",
        "content",
    ],
)
def test_no_line_of_the_text_report_is_a_workflow_command(
    what: str, hostile_names: Report, hostile_content: Report
) -> None:
    report = hostile_names if what == "names" else hostile_content
    text = FORMATS["text"](report, OutputOptions(show_notes=True)).decode("utf-8")
    assert [line for line in text.splitlines() if line.lstrip().startswith("::")] == []


def test_a_hostile_name_is_one_finding_in_every_format(hostile_names: Report) -> None:
    assert len(hostile_names.results) == len(NAMES)
    options = OutputOptions()
    text = FORMATS["text"](hostile_names, options).decode()
    assert len(re.findall(r"^.*: error RL104 blocking-timeout$", text, re.MULTILINE)) == len(NAMES)
    document = json.loads(FORMATS["json"](hostile_names, options))
    assert len({result["uri"] for result in document["results"]}) == len(NAMES)
    sarif = json.loads(FORMATS["sarif"](hostile_names, options))
    assert len(sarif["runs"][0]["results"]) == len(NAMES)


def test_nothing_hostile_makes_the_scan_fail(hostile_names: Report, hostile_content: Report) -> None:
    for report in (hostile_names, hostile_content):
        assert [note for note in report.notifications if note.kind.value == "internal-error"] == []


def test_hostile_argument_that_does_not_exist_is_a_clean_usage_error(tmp_path: Path) -> None:
    result = CliRunner().invoke(app.cli, ["scan", str(tmp_path / "no\n::error::such\x1b[31m.py")])
    assert result.exit_code == 2
    assert RAW_CONTROL.findall(result.stderr) == []
    assert len(result.stderr.splitlines()) == 1


# -- modules that import each other --------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 3, 500])
def test_import_cycles_end(tmp_path: Path, size: int) -> None:
    ring = {f"m{number}.py": f"import redis\nfrom m{(number + 1) % size} import client{USE}" for number in range(size)}
    write_files(tmp_path, {**ring, "module.py": FINDING})
    outcome = run(tmp_path)
    assert outcome.findings == [("module.py", "RL104", FINDING_LINE)]
    assert outcome.seconds <= SECONDS
    assert outcome.exit_code == 1


@pytest.mark.parametrize("size", [2, 3, 500])
def test_a_client_is_found_inside_an_import_cycle(tmp_path: Path, size: int) -> None:
    ring = {f"m{number}.py": f"import redis\nimport m{(number + 1) % size}\n" for number in range(size)}
    ring["m0.py"] = f"import m{1 % size}\n{CLIENT_MODULE}"
    ring[f"m{size - 1}.py"] = f"import redis\nfrom m0 import client{USE}"
    write_files(tmp_path, ring)
    outcome = run(tmp_path)
    assert [(path, rule) for path, rule, _ in outcome.findings] == [(f"m{size - 1}.py", "RL104")]
    assert outcome.seconds <= SECONDS


def test_a_module_that_imports_itself(tmp_path: Path) -> None:
    write_files(
        tmp_path, {"me.py": f"from me import client as other, take\n{CLIENT_MODULE}{USE}\n\nother.blpop('a', 30)\n"}
    )
    outcome = run(tmp_path)
    assert ("me.py", "RL104") in [(path, rule) for path, rule, _ in outcome.findings]
    assert outcome.seconds <= SECONDS


def test_star_imports_in_a_circle(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "a.py": f"from b import *\nfrom c import *\n{CLIENT_MODULE}",
            "b.py": f"import redis\nfrom a import *\nfrom c import *{USE}",
            "c.py": "import redis\nfrom a import *\nfrom b import *\nfrom c import *\n",
        },
    )
    outcome = run(tmp_path)
    assert [(path, rule) for path, rule, _ in outcome.findings] == [("b.py", "RL104")]


@pytest.mark.parametrize("size", [3, 12, 1_000])
def test_re_export_chains_end(tmp_path: Path, size: int) -> None:
    chain = {f"m{number}.py": f"from m{number - 1} import client\n" for number in range(1, size)}
    chain["m0.py"] = CLIENT_MODULE
    chain["user.py"] = f"from m{size - 1} import client{USE}"
    write_files(tmp_path, {**chain, "module.py": FINDING})
    outcome = run(tmp_path)
    found = [(path, rule) for path, rule, _ in outcome.findings]
    assert ("module.py", "RL104") in found
    is_told = any("imports away" in said for said in outcome.limits)
    assert (("user.py", "RL104") in found) is not is_told
    assert is_told == (size > 30)
    assert outcome.seconds <= SECONDS


def test_a_diamond_of_a_million_paths_ends(tmp_path: Path) -> None:
    """Twenty-one layers of two modules, each of which imports both below it: 2^20 ways from top to bottom."""
    files = {f"m0_{side}.py": CLIENT_MODULE for side in (0, 1)}
    for layer in range(1, 21):
        for side in (0, 1):
            files[f"m{layer}_{side}.py"] = (
                "import redis\n\ntry:\n"
                f"    from m{layer - 1}_0 import client\nexcept ImportError:\n"
                f"    from m{layer - 1}_1 import client\n"
            )
    files["user.py"] = f"import redis\nfrom m20_0 import client{USE}"
    write_files(tmp_path, files)
    outcome = run(tmp_path)
    assert [(path, rule) for path, rule, _ in outcome.findings] == [("user.py", "RL104")]
    assert outcome.seconds <= 4


EXPORTING = (
    "import Redis from 'ioredis';\n"
    "export const client = new Redis({ commandTimeout: 5000 });client.on('error', console.error);\n"
)
TAKING = "client.blpop('jobs', 30);\n"


def barrels(number: int) -> dict[str, str]:
    """Modules of TypeScript that each hand on all names of all the others, and ask for one that none has."""
    return {
        f"m{mine}.ts": f"import {{ gone }} from './m{(mine + 1) % number}';\n"
        + "".join(f"export * from './m{other}';\n" for other in range(number) if other != mine)
        + f"export const own{mine} = 1;\ngone.blpop('jobs', 30);\n"
        for mine in range(number)
    }


def choices(number: int) -> dict[str, str]:
    """Modules of Python that each try all the others for a name that none has."""
    attempt = "try:\n    from m{} import gone\nexcept ImportError:\n    pass\n"
    return {
        f"m{mine}.py": "import redis\n\n"
        + "".join(attempt.format(other) for other in range(number) if other != mine)
        + "gone.blpop('jobs', timeout=30)\n"
        for mine in range(number)
    }


@pytest.mark.parametrize("files", [barrels(12), barrels(60), choices(12), choices(40)])
def test_14_re_exports_in_circles_end(tmp_path: Path, files: dict[str, str]) -> None:
    user = f"import {{ client }} from './m0';\n{TAKING}"
    write_files(tmp_path, {**files, "client.ts": EXPORTING, "user.ts": user, "module.py": FINDING})
    if "m0.ts" in files:
        # What somebody in the circle does have is found through it, and only once more modules are looked at.
        write_files(tmp_path, {"m9.ts": f"export * from './client';\n{files['m9.ts']}"})
    outcome = run(tmp_path)
    found = [path for path, rule, _ in outcome.findings if rule == "RL104"]
    assert found == ["module.py"] + ["user.ts"] * ("m0.ts" in files)
    assert outcome.seconds <= SECONDS


def carrying_barrels(number: int) -> dict[str, str]:
    """Modules of TypeScript that each hand on all names of all the others, and a client of their own."""
    return {
        f"m{mine}.ts": f"import {{ own{(mine + 1) % number} }} from './m{(mine + 3) % number}';\n{EXPORTING}"
        + "".join(f"export * from './m{other}';\n" for other in range(number) if other != mine)
        + f"export const own{mine} = client;\nown{(mine + 1) % number}.blpop('jobs', 30);\n"
        for mine in range(number)
    }


def carrying_stars(number: int) -> dict[str, str]:
    """Modules of Python that each import all names of all the others, and have a client of their own."""
    return {
        f"m{mine}.py": "import redis\n"
        + "".join(f"from m{other} import *\n" for other in range(number) if other != mine)
        + "".join(f"x{mine}_{n} = y{mine}_{n}\n" for n in range(20))
        + f"own{mine} = redis.Redis(socket_timeout=5)\nown{(mine + 1) % number}.blpop('jobs', timeout=30)\n"
        for mine in range(number)
    }


@pytest.mark.parametrize("files", [carrying_barrels(50), carrying_stars(50)])
def test_14_clients_that_go_round_in_circles_of_re_exports(tmp_path: Path, files: dict[str, str]) -> None:
    """There are as many modules as clients, and each is handed on by all of them."""
    write_files(tmp_path, files)
    outcome = run(tmp_path)
    assert sorted(path for path, rule, _ in outcome.findings if rule == "RL104") == sorted(files)
    assert outcome.limits == []
    assert outcome.seconds <= SECONDS


def test_14_thousands_of_imports_of_one_name(tmp_path: Path) -> None:
    """Each module is asked about its own importers alone."""
    number = 1_500
    code = "import redis\nfrom m{} import client as other\nclient = redis.Redis(socket_timeout=5)\nother.get('a')\n"
    write_files(tmp_path, {f"m{n}.py": code.format((n + 1) % number) for n in range(number)} | {"module.py": FINDING})
    outcome = run(tmp_path)
    assert [path for path, _, _ in outcome.findings] == ["module.py"]
    assert outcome.seconds <= SECONDS


def test_14_what_stars_hand_on_may_be_called_otherwise_or_stand_for_a_whole(tmp_path: Path) -> None:
    files = {
        "client.ts": EXPORTING,
        "renaming.ts": "export * from './looping';\nexport { client as queue } from './client';\n",
        "whole.js": "const Redis = require('ioredis');\nmodule.exports = "
        "{ jobs: new Redis({ commandTimeout: 5000 }) };\n",
        "looping.ts": "export * from './index';\n",
        "index.ts": "export * from './looping';\nexport * from './renaming';\nexport * from './whole';\n",
        "user.ts": f"import {{ queue, jobs }} from './index';\n{TAKING.replace('client', 'queue')}"
        f"{TAKING.replace('client', 'jobs')}",
    }
    write_files(tmp_path, files)
    found = [each for each in run(tmp_path).findings if each[1] == "RL104"]
    assert found == [("user.ts", "RL104", 2), ("user.ts", "RL104", 3)]


def poms(number: int) -> dict[str, str]:
    """Projects of Maven that each list all of them as modules and import what the others manage."""
    jedis = "<groupId>redis.clients</groupId><artifactId>jedis</artifactId>"
    files = {}
    for mine in range(number):
        modules = "".join(f"<module>../m{other}</module>" for other in range(number))
        managed = "".join(
            f"<dependency><groupId>g</groupId><artifactId>a{(mine + step) % number}</artifactId><version>1</version>"
            "<type>pom</type><scope>import</scope></dependency>"
            for step in range(1, 40)
        )
        files[f"m{mine}/pom.xml"] = (
            f"<project><groupId>g</groupId><artifactId>a{mine}</artifactId><version>1</version>"
            f"<modules>{modules}</modules><dependencyManagement><dependencies>{managed}</dependencies>"
            f"</dependencyManagement><dependencies><dependency>{jedis}</dependency></dependencies></project>"
        )
        files[f"m{mine}/src/main/java/Worker.java"] = SAMPLES["java"].code
    pinned = f"<dependency>{jedis}<version>4.1.1</version></dependency></dependencies></dependencyManagement>"
    files["m0/pom.xml"] = files["m0/pom.xml"].replace("</dependencies></dependencyManagement>", pinned)
    return files


@pytest.mark.parametrize(("size", "is_told"), [(10, False), (160, True)])
def test_14_projects_of_maven_that_list_each_other(tmp_path: Path, size: int, is_told: bool) -> None:
    write_files(tmp_path, {**poms(size), "module.py": FINDING})
    outcome = run(tmp_path)
    assert len(outcome.findings) == size + 1
    notes = [note for note in outcome.document["notifications"] if "list each other" in note["message"]]
    assert [note["kind"] for note in notes] == ["manifest"] * is_told
    assert outcome.seconds <= SECONDS


def test_a_version_is_found_among_projects_that_list_each_other(tmp_path: Path) -> None:
    write_files(tmp_path, poms(10))
    path = "m5/src/main/java/Worker.java"
    assert VersionIndex(str(tmp_path)).lookup(path, "redis.clients:jedis", ecosystem="maven").version == "4.1.1"


def test_a_lambda_may_take_more_than_its_interface_gives(tmp_path: Path) -> None:
    code = """\
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;

class Steps {
    interface Step { void prepare(); }
    private final JedisPool pool = new JedisPool("localhost", 6379);

    Object add(Step step) { return step; }

    Object run() {
        try (Jedis jedis = pool.getResource()) {
            return add((name, text) -> jedis.eval("return " + text));
        }
    }
}
"""
    write_files(tmp_path, {"src/main/java/Steps.java": code})
    assert not [note for note in run(tmp_path).document["notifications"] if note["kind"] == "internal-error"]


def test_calls_and_values_in_circles_end(tmp_path: Path) -> None:
    code = """\
import redis

a = b
b = c
c = a or redis.Redis(socket_timeout=5)


def ping(client):
    return pong(client) or client.blpop("jobs", timeout=30)


def pong(client):
    return ping(client)


def make():
    return make() or again()


def again(client=make()):
    client = client
    client = client or again(client)
    return client


class Node:
    parent = None

    def __init__(self, parent=None):
        self.parent = parent or Node(self)
        self.client = self.parent.client

    @property
    def loop(self):
        return self.loop.loop


class A(B):
    pass


class B(A):
    client = A.client


ping(c)
ping(again())
Node().parent.parent.client.blpop("jobs", timeout=30)
Node().loop.blpop("jobs", timeout=30)
B.client.blpop("jobs", timeout=30)
x = [x for x in x]
x += x
text = f"{text}{text}"
c.eval(text, 0)
"""
    write_files(tmp_path, {"circles.py": code, "module.py": FINDING})
    outcome = run(tmp_path)
    assert ("module.py", "RL104", FINDING_LINE) in outcome.findings
    assert not [note for note in outcome.document["notifications"] if note["kind"] == "internal-error"]
    assert outcome.seconds <= SECONDS


# -- faults of our own ---------------------------------------------------------------------------------------


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="the patch reaches forked workers only"
)
def test_a_worker_that_is_killed_costs_its_own_file_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    number = 3 * lowering_pool.MIN_FILES_PER_JOB
    write_files(tmp_path, {f"m{each:03}.py": FINDING for each in range(number)})
    main_process = os.getpid()

    def deadly(path: str, *rest: Any, **named: Any) -> Any:
        if path == "m030.py" and os.getpid() != main_process:
            os.kill(os.getpid(), signal.SIGKILL)
        return lower(path, *rest, **named)

    monkeypatch.setattr(lowering_pool, "lower", deadly)
    outcome = run(tmp_path, options=("--jobs", "2"))
    assert {path for path, _, _ in outcome.findings} == {f"m{each:03}.py" for each in range(number) if each != 30}
    assert outcome.remarks("m030.py") == [("internal-error", "Not analysed: the process that analysed it died.")]
    assert outcome.exit_code == 3


def test_a_crash_of_the_lowering_costs_its_own_file_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path, {"bad.py": FINDING, "good.py": FINDING})

    def faulty(path: str, *rest: Any, **named: Any) -> Any:
        if path == "bad.py":
            raise RecursionError("a\nfault")
        return lower(path, *rest, **named)

    monkeypatch.setattr(lowering_pool, "lower", faulty)
    outcome = run(tmp_path)
    assert [path for path, _, _ in outcome.findings] == ["good.py"]
    assert [kind for kind, _ in outcome.remarks("bad.py")] == ["internal-error"]
    assert outcome.exit_code == 3


def test_a_rule_that_fails_costs_its_own_findings_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from resplint.checks import unparameterized_eval

    def faulty(project: object) -> Iterator[object]:
        raise ZeroDivisionError("fault")

    monkeypatch.setattr(unparameterized_eval, "check", faulty)
    outcome = scan_bytes(tmp_path, FINDING)
    assert outcome.findings == [("module.py", "RL104", FINDING_LINE)]
    (note,) = outcome.document["notifications"]
    assert (note["kind"], note["rule"]) == ("internal-error", "RL301")
    assert "ZeroDivisionError" in note["message"]
    assert outcome.exit_code == 3


def test_a_name_whose_type_names_it_ends(tmp_path: Path) -> None:
    code = """\
import typing

import redis

client = redis.Redis(socket_timeout=5)


def taker(module):
    Model: typing.Optional["Model"] = module.load()

    def take():
        return Model.made(client.blpop("jobs", timeout=30))

    return take
"""
    outcome = scan_bytes(tmp_path, code)
    assert [(rule, line) for _, rule, line in outcome.findings] == [("RL104", 12)]
    assert outcome.exit_code == 1


# -- what is read is only read -------------------------------------------------------------------------------


def test_nothing_of_the_scanned_tree_is_imported_or_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trap = "raise SystemExit('the scanned tree was run')\n"
    traps = ("redis.py", "sitecustomize.py", "conftest.py", "setup.py", "__init__.py", "msgspec.py", "ast.py")
    write_files(tmp_path, {**dict.fromkeys(traps, trap), "trap.pth": f"import os; {trap}"})
    monkeypatch.chdir(tmp_path)
    outcome = scan_bytes(tmp_path, FINDING)
    assert ("module.py", "RL104", FINDING_LINE) in outcome.findings or outcome.findings == []
    loaded = [getattr(module, "__file__", None) or "" for module in sys.modules.values()]
    assert [file for file in loaded if file.startswith(str(tmp_path))] == []
