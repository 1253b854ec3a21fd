"""Points 23, 24 and 27: configurations that nobody meant, patterns that could take forever, comments that suppress."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hostile import FINDING, run_here

from resplint.config.keys import KEYS
from resplint.config.loading import load
from resplint.contracts.errors import UserError
from resplint.knowledge.load import load_book

SCHEMA: dict[str, Any] = json.loads((Path(__file__).parents[2] / "schemas" / "config.schema.json").read_text("utf-8"))
RULES = {code: info.name for code, info in load_book().items()}
VALUES: dict[str, tuple[str, Any]] = {
    "text": ('"::error::forged"', "::error::forged"),
    "empty text": ('""', ""),
    "number": ("-7", -7),
    "huge number": ("9223372036854775807", 9223372036854775807),
    "fraction": ("1.5", 1.5),
    "infinity": ("inf", float("inf")),
    "truth": ("true", True),
    "date": ("2030-01-01", None),
    "list": ("[1, [2]]", [1, [2]]),
    "list of empty texts": ('["", " "]', ["", " "]),
    "list of tables": ("[{ a = 1 }]", [{"a": 1}]),
    "table": ("{ a = { b = [1] } }", {"a": {"b": [1]}}),
    "table of numbers": ('{ "RL104" = 1, "redis-py" = 2 }', {"RL104": 1, "redis-py": 2}),
}
"""Values of all types, in TOML and as they are read; nothing that JSON Schema knows stands for a date."""


def wrong() -> Iterator[tuple[str, str]]:
    """Keys with values that the published schema says they cannot have."""
    validator = jsonschema.Draft7Validator(SCHEMA)
    for key in KEYS:
        for name, (_, value) in VALUES.items():
            if value is None or not validator.is_valid({key.name: value}):
                yield key.name, name


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "module.py").write_text(FINDING)
    (tmp_path / ".git").mkdir()
    return tmp_path


def complaint(project: Path, text: str | bytes, name: str = "resplint.toml") -> str:
    """What `resplint scan` says of a configuration: exit code 2 and one line."""
    (project / name).write_bytes(text.encode() if isinstance(text, str) else text)
    done = run_here("scan", project)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr[:-1].isprintable()
    return done.stderr.removeprefix("resplint: ").rstrip("\n")


# -- 23 -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", ["resplint.toml", "pyproject.toml"])
@pytest.mark.parametrize(("key", "value"), sorted(wrong()))
def test_23_a_value_of_the_wrong_type_is_named_with_file_line_and_key(
    project: Path, key: str, value: str, style: str
) -> None:
    head, prefix = ("", "") if style == "resplint.toml" else ("[tool.resplint]\n", "tool.resplint.")
    (project / style).write_text(f"{head}# a line\n{key} = {VALUES[value][0]}\n", "utf-8")
    with pytest.raises(UserError) as caught:
        load(project, None, RULES)
    message = str(caught.value)
    assert message.startswith(f"{project / style}:{2 + bool(head)}: {prefix}{key}")
    assert message.isprintable()
    assert len(message) < 500


def test_23_there_are_wrong_values_for_every_key() -> None:
    assert {key for key, _ in wrong()} == {key.name for key in KEYS}


def test_23_the_command_says_it_in_one_line(project: Path) -> None:
    message = complaint(project, "\n\njobs = true\n")
    assert message == f"{project}/resplint.toml:3: jobs: expected a whole number of at least 0, not True."


@pytest.mark.parametrize("key", [key.name for key in KEYS])
def test_23_a_misspelt_key_is_told_the_right_one(project: Path, key: str) -> None:
    misspelt = {key.upper(), key.replace("-", "_"), f"{key}s", key[1:], key[:-1], key[0] + key} - {key, "ignores"}
    for each in sorted(misspelt):
        message = complaint(project, f"{each} = 1\n")
        assert message == f'{project}/resplint.toml:1: {each}: unknown key; did you mean "{key}"?'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"jobs = 1\n\njobs = 2\n", ":3:"),
        (b"[level]\nRL104 = 'note'\n[level]\nRL104 = 'error'\n", ":3:"),
        (b"level.RL104 = 'note'\nlevel.RL104 = 'error'\n", ":2:"),
        ("jobs = 1\n".encode("utf-16"), "not valid TOML"),
        ("jobs = 1\n".encode("utf-16-le"), "not valid TOML"),
        (b"jobs = 1\n\0", ":2:1: not valid TOML"),
        (b"# \x1b[31m\njobs = 1\n", "not valid TOML"),
        (b"jobs = 1 # \xff\n", ":1:12: not valid TOML: is not UTF-8."),
        (b"\xef\xbb\xbf\xef\xbb\xbfjobs = 1\n", "not valid TOML"),
        (b"jobs = " + b"[" * 100_000, "not valid TOML"),
        (b"jobs = " + b"{a=" * 100_000, "not valid TOML"),
        (b"jobs = " + b"[" * 100_000 + b"]" * 100_000, "not valid TOML"),
        (b"\n" + b".".join([b"a"] * 100_000) + b" = 1\n", ":2:1: not valid TOML: a key has more than 50 parts"),
        (b"".join(b"[a%d]\n" % number for number in range(50_000)), "unknown key"),
        (b'"' + b"a" * 500_000 + b'" = 1\n', "unknown key"),
        (b"jobs = " + b"9" * 100_000 + b"\n", "not valid TOML"),
        (b"jobs = '''" + b"\n" * 500_000 + b"'''\n", ":1: jobs: expected a whole number"),
        (b"# " + b"x" * 10_000_000 + b"\n", "is larger than 1,000,000 bytes"),
    ],
    ids=lambda value: repr(value)[:30] if isinstance(value, bytes) else "",
)
def test_23_text_that_makes_no_sense(project: Path, text: bytes, said: str) -> None:
    before = time.process_time()
    message = complaint(project, text)
    assert said in message
    assert message.startswith(f"{project}/resplint.toml")
    assert len(message) < 600
    assert time.process_time() - before < 5


def test_23_a_byte_order_mark_and_an_empty_file_are_no_mistakes(project: Path) -> None:
    for text in (b"", b"\xef\xbb\xbf", b"\xef\xbb\xbfjobs = 1\r\n"):
        (project / "resplint.toml").write_bytes(text)
        assert run_here("scan", project).exit_code == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('select = ["RL9999"]', "unknown rule 'RL9999'"),
        ('select = ["block-timeout"]', 'did you mean "blocking-timeout"?'),
        ('ignore = ["\\u001b[31m\\n::error::"]', "unknown rule '\\x1b[31m\\n::error::'"),
        ('level = { "no-such-rule" = "note" }', "unknown rule"),
        ('per-path-ignores = { "a/" = ["RL9"] }', "unknown rule 'RL9'"),
        ('exclude = ["["]', "a pattern as in .gitignore"),
        ('exclude = ["a\\\\"]', "a pattern as in .gitignore"),
        ('exclude = ["' + "a" * 5_000 + '"]', "a pattern as in .gitignore"),
        ('per-path-ignores = { "[" = ["RL104"] }', "a pattern as in .gitignore"),
        ('client-versions = { redis-pi = "5" }', "did you mean 'redis-py'?"),
        ('client-factories = { "app.db" = "redis.Rediss" }', "is no client that resplint knows"),
        ('baseline = "a\\u0000b"', "the name of a file"),
    ],
)
def test_23_names_and_patterns_that_mean_nothing(project: Path, text: str, said: str) -> None:
    assert said.lower() in complaint(project, f"{text}\n").lower()


# -- 24 -------------------------------------------------------------------------------------------------------------

LONG = "a" * 200
STARS = (
    "*a" * 40,
    "**/" * 40 + "x",
    "(a+)+$",
    "*" * 3_000,
    "[" * 3_000,
    "[a" * 2_000 + "]",
    "?" * 4_000,
    "a**b**c**d**e",
)


@pytest.mark.parametrize("pattern", STARS, ids=lambda text: text[:8])
@pytest.mark.parametrize("where", ["exclude", "per-path-ignores", ".gitignore", "option"])
def test_24_a_pattern_is_refused_or_takes_no_time(project: Path, where: str, pattern: str) -> None:
    """As long as names may be, and made to fit nearly."""
    folder = project / LONG / LONG
    folder.mkdir(parents=True)
    for number in range(20):
        (folder / f"{'a' * 200}{number}.py").write_text(FINDING)
    arguments = ["--exclude", pattern] if where == "option" else []
    if where == ".gitignore":
        (project / ".gitignore").write_text(pattern)
    elif where != "option":
        value = f"[{json.dumps(pattern)}]" if where == "exclude" else f'{{ {json.dumps(pattern)} = ["RL104"] }}'
        (project / "resplint.toml").write_text(f"{where} = {value}\n")
    run_here("rules")
    before = time.process_time()
    plain = run_here("scan", project, "--no-cache", "--select", "RL402")
    spent = time.process_time() - before
    before = time.process_time()
    done = run_here("scan", project, "--no-cache", "--select", "RL402", *arguments)
    assert done.exit_code in (0, 1, 2)
    assert plain.exit_code in (0, 1, 2)
    assert max(spent, time.process_time() - before) < 2.5


def test_24_thousands_of_patterns_are_too_many_to_be_tried_one_by_one(project: Path) -> None:
    patterns = [f"*a{number}*" for number in range(5_000)]
    said = complaint(project, f"exclude = {json.dumps(patterns)}\n")
    assert "exclude: 5,000 patterns are too many with wildcards (at most 1,000)." in said
    (project / "resplint.toml").unlink()
    (project / ".gitignore").write_text("\n".join(["module.py", *patterns]))
    done = run_here("scan", project, "--format", "json")
    assert json.loads(done.stdout)["results"] == []
    (note,) = json.loads(done.stdout)["notifications"]
    assert note["message"] == "The ignore file has too many patterns with wildcards; 1,001 were taken."


def test_24_plain_names_are_looked_up_however_many_they_are(project: Path) -> None:
    names = [f"folder_{number}/" for number in range(20_000)]
    (project / "resplint.toml").write_text(f"exclude = {json.dumps(names)}\n")
    before = time.process_time()
    assert run_here("scan", project).exit_code == 1
    assert time.process_time() - before < 3


# -- 27 -------------------------------------------------------------------------------------------------------------

HEAD = "import redis\n\nqueue = redis.Redis(socket_timeout=5)\n\n\n"
CALL = 'queue.blpop("jobs", timeout=30)'
HERE = "resplint: ignore[RL104]"
PYTHON: dict[str, tuple[str, bool]] = {
    "beside": (f"{CALL}  # {HERE}\n", True),
    "above": (f"# {HERE}\n{CALL}\n", True),
    "in a text": (f'note = "# {HERE}"; {CALL}\n', False),
    "in a text of several lines": (f'note = """\n# {HERE}\n"""; {CALL}\n', False),
    "in a docstring": (f'def take():\n    """# {HERE}"""\n    return {CALL}\n', False),
    "in a formatted text": (f'note = f"{{1}} # {HERE}"; {CALL}\n', False),
    "at the end of a call of several lines": (f'queue.blpop(\n    "jobs",\n    timeout=30,\n)  # {HERE}\n', True),
    "in the middle of a call": (f'queue.blpop(\n    "jobs",  # {HERE}\n    timeout=30,\n)\n', False),
    "behind a continued line": (f"value = 1 + \\\n    {CALL}  # {HERE}\n", True),
    "above a continued line": (f"# {HERE}\nvalue = 1 + \\\n    {CALL}\n", False),
    "above a decorator": (f"# {HERE}\n@some\ndef take():\n    return {CALL}\n", False),
    "beside a decorator": (f"@some  # {HERE}\ndef take():\n    return {CALL}\n", False),
    "without a rule": (f"{CALL}  # resplint: ignore\n", True),
    "of another rule": (f"{CALL}  # resplint: ignore[RL402]\n", False),
    "of a rule that does not exist": (f"{CALL}  # resplint: ignore[RL9999]\n", False),
    "twice": (f"# {HERE}\n{CALL}  # {HERE}\n", True),
    "for the file": (f"{CALL}\n# resplint: ignore-file[RL104]\n", True),
    "with a line end of old": (f"{CALL}  # {HERE}\r", True),
}
NODE = "const Redis = require('ioredis');\nconst c = new Redis({ commandTimeout: 5000 });\n"
JAVASCRIPT: dict[str, tuple[str, bool]] = {
    "beside": (f"c.blpop('jobs', 30); // {HERE}\n", True),
    "in a block": (f"c.blpop('jobs', 30); /* {HERE} */\n", True),
    "in a block above": (f"/*\n * {HERE}\n */\nc.blpop('jobs', 30);\n", True),
    "in a template": (f"const t = `\n// {HERE}\n`; c.blpop('jobs', 30);\n", False),
    "in the hole of a template": (f"const t = `${{c.blpop('jobs', 30) /* {HERE} */}}`;\n", True),
    "in a regular expression": (f"const t = /[/] {HERE}/; c.blpop('jobs', 30);\n", False),
}


def suppressed(folder: Path, name: str, text: str) -> tuple[bool, list[str]]:
    """Whether the only finding is suppressed, and what is said of comments."""
    (folder / name).write_bytes(text.encode())
    report = json.loads(run_here("scan", folder, "--format", "json").stdout)
    (found,) = (each for each in report["results"] if each["rule"] == "RL104")
    said = [note["message"] for note in report["notifications"] if note["kind"] == "unused-suppression"]
    return found["suppression"] is not None, said


@pytest.mark.parametrize("place", sorted(PYTHON))
def test_27_comments_count_and_what_looks_like_them_does_not(tmp_path: Path, place: str) -> None:
    code, expected = PYTHON[place]
    found, said = suppressed(tmp_path, "module.py", HEAD + code)
    assert found is expected
    is_comment = place not in ("in a text", "in a text of several lines", "in a docstring", "in a formatted text")
    assert bool(said) == (is_comment and not expected)


@pytest.mark.parametrize("place", sorted(JAVASCRIPT))
def test_27_comments_of_javascript(tmp_path: Path, place: str) -> None:
    code, expected = JAVASCRIPT[place]
    assert suppressed(tmp_path, "worker.js", NODE + code) == (expected, [])


def test_27_what_a_comment_says_in_vain_is_told(tmp_path: Path) -> None:
    _, said = suppressed(tmp_path, "module.py", f"{HEAD}{CALL}  # resplint: ignore[RL9999, blocking-timout, RL402]\n")
    assert any("RL9999" in each for each in said)
    assert any("blocking-timeout" in each for each in said)
    assert any("RL402" in each for each in said)
    assert all(os.linesep not in each for each in said)
