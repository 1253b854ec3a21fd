"""What holds for every format."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from samples import EVIL_PATH, FORGED_MESSAGE, FORGED_PATH, hostile_report, scan_report

from resplint.contracts.findings import Level, NotificationKind, Report
from resplint.output import FORMATS, OutputOptions
from resplint.output.escape import escape
from resplint.output.selection import HEADINGS

ROOT = Path(__file__).parents[2]
EVERYTHING = OutputOptions(show_notes=True, statistics=True)
RAW_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_hostile_text_leaves_no_raw_control_character(name: str) -> None:
    output = FORMATS[name](hostile_report(), EVERYTHING).decode("utf-8", "strict")
    assert RAW_CONTROL.findall(output) == []


Command = tuple[str, dict[str, str], str]


def commands(output: str) -> list[Command]:
    """What a runner of GitHub takes for commands: name, properties and data, as its ActionCommand.cs reads them."""
    found: list[Command] = []
    for line in output.split("\n"):
        head, colons, data = line.lstrip().removeprefix("::").partition("::")
        if line.lstrip().startswith("::") and colons:
            name, _, listed = head.partition(" ")
            pairs = dict(pair.split("=", 1) for pair in listed.split(",") if pair)
            found.append((name, {key: decoded(value) for key, value in pairs.items()}, decoded(data)))
        elif "##[" in line:
            found.append(("##", {}, line))
    return found


def decoded(value: str) -> str:
    return value.replace("%3A", ":").replace("%2C", ",").replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"github"}))
def test_no_line_is_a_forged_workflow_command(name: str) -> None:
    output = FORMATS[name](hostile_report(), EVERYTHING).decode()
    assert "forged" in output
    assert commands(output) == []
    assert not re.search(r"##(vso|teamcity)\[", output)


def test_annotations_are_the_only_commands_and_hold_what_was_said() -> None:
    output = FORMATS["github"](hostile_report(), EVERYTHING).decode()
    found = commands(output)
    in_log = NotificationKind.UNSUPPORTED
    kinds = Counter(HEADINGS[each.kind][1] for each in hostile_report().notifications if each.kind is not in_log)
    assert Counter(name for name, _, _ in found) == {
        "error": kinds[Level.ERROR], "warning": 2 + kinds[Level.WARNING], "notice": kinds[Level.NOTE],
    }  # fmt: skip
    assert {key for _, properties, _ in found for key in properties} == {
        "file", "line", "endLine", "col", "endColumn", "title",
    }  # fmt: skip
    assert found[1][1]["file"] == FORGED_PATH
    assert found[1][2].startswith(FORGED_MESSAGE)
    assert {properties["file"] for _, properties, _ in found} == {FORGED_PATH, escape(EVIL_PATH)}
    assert not re.search(r"##(vso|teamcity)\[", output)


@pytest.mark.parametrize("name", ["json", "sarif"])
def test_strings_are_safe_to_print_after_parsing(name: str) -> None:
    """Who prints a message out of a parsed report must not be attacked either; only paths and what a fix inserts are
    exact.
    """
    document = json.loads(FORMATS[name](hostile_report(), EVERYTHING))

    def strings(value: object, key: str = "") -> list[str]:
        if isinstance(value, dict):
            inserted = {"insertedContent", "text"} if "uri" in value or "deletedRegion" in value else set()
            return [
                found
                for inner, item in value.items()
                if inner not in inserted
                for found in [inner, *strings(item, inner)]
            ]
        if isinstance(value, list):
            return [found for item in value for found in strings(item, key)]
        # Tabs stay in code, line ends in the help of a rule.
        kept = {"snippet": "\t", "firstLine": "\t", "text": "\t\n", "markdown": "\t\n"}.get(key, "")
        return [value.translate({ord(c): None for c in kept})] if isinstance(value, str) else []

    texts = strings(document)
    assert any("forged" in text for text in texts)
    assert [text for text in texts if RAW_CONTROL.search(text.replace("\n", "\x00"))] == []


def test_a_strict_parser_reads_names_that_are_not_utf8() -> None:
    document = msgspec.json.decode(FORMATS["json"](hostile_report(), EVERYTHING))
    assert document["results"][1]["path"] == escape(EVIL_PATH)
    assert document["results"][1]["uri"].isascii()


def in_a_process(program: str, **environment: str) -> bytes:
    """Standard output of `program`, which has the samples, the formats and the options at hand."""
    prelude = (
        "import sys; sys.path[:0] = ['tests/output', 'src']; import samples;"
        "from resplint.output import FORMATS, OutputOptions;"
    )
    return subprocess.run(
        [sys.executable, "-c", prelude + program], cwd=ROOT, env=environment, capture_output=True, check=True
    ).stdout


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_the_same_report_gives_the_same_bytes_in_every_process(name: str) -> None:
    program = f"sys.stdout.buffer.write(FORMATS[{name!r}](samples.hostile_report(), OutputOptions()))"
    outputs = {
        in_a_process(program, PYTHONHASHSEED=seed, COLUMNS=columns, FORCE_COLOR="1", LC_ALL="C")
        for seed, columns in (("0", "40"), ("1", "200"))
    }
    assert outputs == {FORMATS[name](hostile_report(), OutputOptions())}


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_an_empty_report_is_a_valid_one(name: str) -> None:
    output = FORMATS[name](Report((), (), ()), OutputOptions())
    assert output.endswith(b"\n")
    if name in {"json", "sarif", "gitlab", "sonar"}:
        json.loads(output)


def test_plain_text_does_not_load_rich() -> None:
    program = (
        "FORMATS['text'](samples.scan_report(), OutputOptions()); print('rich' in sys.modules);"
        "FORMATS['text'](samples.scan_report(), OutputOptions(color=True)); print('rich' in sys.modules)"
    )
    assert in_a_process(program).split() == [b"False", b"True"]


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("a\x1b[0m", r"a\x1b[0m"),
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("\x7f\x9b", r"\x7f\x9b"),
        ("\u202e\u2066\u2028", r"\u202e\u2066\u2028"),
        ("\ud800", r"\ud800"),
        ("caf\udce9", r"caf\xe9"),
        ("naïve 日本 🎉 e\u0301", "naïve 日本 🎉 e\u0301"),
    ],
)
def test_escape_shows_what_is_unsafe_and_nothing_else(raw: str, shown: str) -> None:
    assert escape(raw) == shown


def test_tabs_stay_on_request() -> None:
    assert escape("\ta\x1b\n", keep_tabs=True) == "\ta\\x1b\\n"


def test_scan_report_counts_agree_between_formats() -> None:
    report = scan_report()
    as_json = json.loads(FORMATS["json"](report, OutputOptions()))
    as_sarif = json.loads(FORMATS["sarif"](report, OutputOptions()))
    text = FORMATS["text"](report, OutputOptions(show_notes=True)).decode()
    headers = re.findall(r"^\S+:\d+:\d+: (?:error|warning|note) RL\d+", text, re.MULTILINE)
    assert len(as_json["results"]) == len(as_sarif["runs"][0]["results"]) == len(headers) == 3
