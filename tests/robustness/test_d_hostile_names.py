"""Points 19 and 20: hostile names and hostile content are shown in every form, and do nothing there."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes

import pytest
from click.testing import CliRunner
from defusedxml import ElementTree
from hostile import (
    FINDING_LINE,
    FORGED,
    JEDIS,
    NAMES,
    SPRING,
    TEXTS,
    demand_harmless,
    plant,
    run_here,
    several_languages,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from resplint.cli.app import cli
from resplint.output import FORMATS
from resplint.output.escape import escape

MARKDOWN = MarkdownIt("commonmark").enable("table")

# -- 19 -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("names")
    plant(folder)
    return folder


def shown(name: bytes) -> str:
    return escape(os.fsdecode(name))


def annotated(line: str) -> str:
    """The file of an annotation, as a runner decodes it."""
    found = re.match(r"::\w+ .*?file=([^,]*)", line)
    assert found, line
    return unquote(found[1]) if "%" in found[1] else found[1]


def paths_of(format_: str, output: str) -> list[str]:
    """The file of every finding of a report, as far as its form lets names be told apart."""
    if format_ == "json":
        return [os.fsdecode(unquote_to_bytes(each["uri"])) for each in json.loads(output)["results"]]
    if format_ == "sarif":
        results = json.loads(output)["runs"][0]["results"]
        uris = [each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in results]
        return [os.fsdecode(unquote_to_bytes(uri)) for uri in uris]
    if format_ == "gitlab":
        return [each["location"]["path"] for each in json.loads(output)]
    if format_ == "sonar":
        return [each["primaryLocation"]["filePath"] for each in json.loads(output)["issues"]]
    if format_ == "github":
        return [annotated(line) for line in output.splitlines() if line.startswith("::error")]
    if format_ == "junit":
        failed = [case for case in ElementTree.fromstring(output).iter("testcase") if len(case)]
        return [case.get("classname", "") for case in failed]
    if format_ == "text":
        return [line.rsplit(f":{FINDING_LINE}:", 1)[0] for line in output.splitlines() if ": error RL104" in line]
    if format_ == "concise":
        return [line.rsplit(f":{FINDING_LINE}:", 1)[0] for line in output.splitlines() if ": RL104 " in line]
    return []


def markup(text: str) -> set[str]:
    """What a reader of Markdown gets beside text, tables and code: tags of HTML, and where links and images lead."""
    found: set[str] = set()
    for token in (each for block in MARKDOWN.parse(text) for each in (block, *(block.children or ()))):
        if token.type in ("html_block", "html_inline"):
            found.update(re.findall(r"<\s*(\w+)", token.content))
        elif token.type in ("link_open", "image"):
            found.add(str(token.attrs.get("href", token.attrs.get("src"))))
    return found


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """What a report consists of when nobody is hostile."""
    folder = tmp_path_factory.mktemp("ordinary")
    several_languages(folder)
    (folder / "requirements.txt").write_text("redis==five\n")
    (folder / "Odd.java").write_text(JEDIS + "\n)))) (\n")
    return markup(run_here("scan", folder, "--format", "markdown", "--level", "note", "--no-cache").stdout)


@pytest.mark.parametrize("format_", sorted(FORMATS))
def test_19_in_every_form_a_hostile_name_makes_one_record_and_nothing_else(
    named: Path, ordinary: set[str], format_: str
) -> None:
    done = run_here("scan", named, "--format", format_, "--statistics", "--no-cache")
    assert (done.exit_code, done.stderr) == (1, "")
    output = done.stdout_bytes.decode("utf-8", "strict")
    commands = [line for line in output.splitlines() if FORGED.search(line)]
    harmless = "\n".join(line for line in output.split("\n") if format_ != "github" or line not in commands)
    demand_harmless(harmless, format_)
    demand_harmless("".join(commands).replace("::", ""), format_)
    if format_ in ("json", "sarif"):
        assert Counter(paths_of(format_, output)) == Counter(map(os.fsdecode, NAMES))
    elif format_ == "github":
        # The worst ten are annotated, all are in the log.
        assert len(commands) <= 11
        assert {escape(path) for path in paths_of(format_, output)} <= {shown(name) for name in NAMES}
        assert sum(": error RL104" in line for line in output.splitlines()) + len(commands) >= len(NAMES)
    elif format_ == "markdown":
        assert markup(output) <= ordinary
        assert sum(token.content.startswith("<details>") for token in MARKDOWN.parse(output)) == len(NAMES)
    else:
        assert len(paths_of(format_, output)) == len(NAMES)
        assert len(set(paths_of(format_, output))) == len(NAMES)


def test_19_the_inventory(named: Path) -> None:
    text = demand_harmless(run_here("clients", named).stdout_bytes, "text")
    assert sum(1 for name in NAMES if shown(name) in text) == len(NAMES)
    form = json.loads(demand_harmless(run_here("clients", named, "--format", "json").stdout_bytes, "json"))
    assert len(form["clients"]) == len(NAMES)
    assert {escape(each["place"]["path"]) for each in form["clients"]} >= {
        shown(name) for name in NAMES if b"\xff" not in name and b"\xed" not in name
    }


def test_19_the_page_and_the_tables(named: Path, tmp_path: Path) -> None:
    sarif, page, table = tmp_path / "r.sarif", tmp_path / "r.html", tmp_path / "r.csv"
    run_here("scan", named, "--format", "sarif", "--output", sarif, "--no-cache")
    done = run_here("report", sarif, "--html", page, "--csv", table)
    assert (done.exit_code, done.output) == (0, "")
    html = demand_harmless(page.read_bytes(), "html")
    assert "<script>alert" not in html
    data = table.read_bytes().decode("utf-8")
    demand_harmless(data.replace("\r\n", "\n"), "csv")
    rows = list(csv.reader(io.StringIO(data)))
    assert len(rows) == len(NAMES) + 1
    assert not [cell for row in rows for cell in row if cell[:1] in ("=", "+", "@", "-")]


def test_19_the_baseline_and_the_diff(named: Path, tmp_path: Path) -> None:
    kept = tmp_path / "baseline.jsonl"
    done = run_here("baseline", named, "--output", kept)
    demand_harmless(done.output, "baseline")
    demand_harmless(kept.read_bytes(), "file")
    assert len(kept.read_text("utf-8").splitlines()) == len(NAMES) + 1
    assert run_here("scan", named, "--baseline", kept, "--no-cache").exit_code == 0
    shown_diff = run_here("scan", named, "--diff", "--unsafe-fixes", "--no-cache")
    demand_harmless(shown_diff.stdout_bytes, "diff")
    demand_harmless(shown_diff.stderr, "diff")


def mistakes(folder: Path, text: str) -> Iterator[list[str]]:
    """Ways to pass a text where it makes no sense."""
    inside = str(folder / "none" / text) if "/" not in text else text
    yield ["scan", inside]
    yield ["scan", str(folder), "--config", inside]
    yield ["scan", str(folder), "--baseline", inside]
    yield ["scan", str(folder), "--output", inside]
    yield ["scan", str(folder), "--report", f"{text}={inside}"]
    yield ["scan", str(folder), "--report", f"json={inside}"]
    for option in ("--format", "--select", "--ignore", "--fail-on", "--jobs", "--level", "--diff-base", "--exclude"):
        yield ["scan", str(folder), option, text]
    yield ["scan", "-", "--stdin-filename", f"{text}.txt"]
    yield ["scan", f"--{text}"]
    yield ["scan", f"--fix={text}"]
    yield ["baseline", str(folder), "--expires", text]
    yield ["baseline", str(folder), "--output", inside]
    yield ["clients", inside]
    yield ["explain", text]
    yield ["rules", text]
    yield ["rules", text, text]
    yield ["init", inside]
    yield ["report", inside, "--html", "-"]
    yield ["completion", text]
    yield ["cache", text]
    yield [text]


def test_19_messages_about_hostile_arguments(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text("print(1)\n")
    for text in (os.fsdecode(b"".join(NAMES[:20]))[:200], *TEXTS[:15], "##[error]x", "##vso[x]"):
        for arguments in mistakes(tmp_path, text):
            done = run_here(*arguments)
            assert done.exit_code in (0, 1, 2), arguments
            demand_harmless(done.stderr, f"{arguments}")


ODD = st.text(
    st.one_of(
        st.sampled_from("\n\r\t\x1b\x07\x7f\x85\x9b\u2028\u202e\u2066\udcff\udc9b:%,#[]`|<>&'\"\\=@ ."),
        st.characters(exclude_characters="/\0", exclude_categories=("Cs",)),
    ),
    min_size=1,
    max_size=40,
)


@settings(max_examples=10, deadline=None)
@given(names=st.lists(ODD, min_size=1, max_size=6, unique=True))
def test_19_any_name(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    folder = tmp_path_factory.mktemp("any")
    encoded = {os.fsencode(f"{name}.py")[-250:] for name in names}
    encoded = {name for name in encoded if name not in (b".py", b"..py")}
    plant(folder, names=tuple(encoded))
    files = [f"{kind}={folder / 'out'}.{kind}" for kind in sorted(FORMATS)]
    run_here("scan", folder, "--include-tests", "--no-cache", *(word for each in files for word in ("--report", each)))
    for kind in FORMATS:
        output = (folder / f"out.{kind}").read_bytes().decode("utf-8", "strict")
        lines = [line for line in output.split("\n") if kind != "github" or not line.startswith("::")]
        demand_harmless("\n".join(lines), kind)
    found = json.loads((folder / "out.json").read_bytes())["results"]
    assert {unquote_to_bytes(each["uri"]) for each in found} == {name for name in encoded if name[:1] != b"."} | {
        name for name in encoded if name[:1] == b"."
    }


# -- 20 -------------------------------------------------------------------------------------------------------------

EVIL = (
    "x\\n::error::forged\\r::warning::forged \\x1b]0;forged\\x07 ##[error]forged ##vso[task.x]forged </details> "
    "<script>alert(1)</script> `code` ![image](http://e.invalid/p.png) [link](http://e.invalid) | cell |"
)
BYTES = EVIL.encode().decode("unicode_escape").replace("\n", " ").replace("\r", " ") + "\x9b31m\u202e\u2066\x7f"


def hostile_project(folder: Path) -> None:
    """Everything that a report quotes is hostile: code, names, comments, versions, settings, reasons."""
    code = (
        f'import redis\n\nqueue = redis.Redis(socket_timeout=5, client_name="{EVIL}")\n\n\n'
        f'def take():\n    return queue.blpop("{EVIL}{BYTES}", timeout=30)\n\n\n'
        f'def give():\n    return queue.blpop("{EVIL}", timeout=40)  # resplint: ignore[RL104] ::error::{BYTES}\n\n\n'
        f"::error::{BYTES}\n\n\nclass A:\n    x = 1  # resplint: ignore[::error::{BYTES}]\n    # resplint: ignore[RL1\n"
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "module.py").write_text(code, "utf-8")
    (folder / "requirements.txt").write_text(f"redis=={BYTES}\nredis ::error::\n", "utf-8")
    (folder / "package.json").write_text(json.dumps({"dependencies": {"ioredis": f"^5 {BYTES}"}}), "utf-8")
    (folder / "pom.xml").write_text("<project>\n::error::<!DOCTYPE \x1b[31m>", "utf-8")
    (folder / "application.yml").write_text(
        f"spring: {{ redis: {{ timeout: '{BYTES.replace(chr(39), '')}' }} }}\n- \x1b[31m", "utf-8"
    )
    (folder / "Claims.java").write_text(SPRING)  # asks for the settings
    (folder / "worker.js").write_text(
        "const Redis = require('ioredis');\nconst c = new Redis({ commandTimeout: 5000 });\n"
        f"c.blpop(`{BYTES.replace('`', '')}`, 30);\n// resplint: ignore[{BYTES}] ::error::\n",
        "utf-8",
    )
    (folder / "Worker.java").write_text(
        JEDIS.replace("jobs", EVIL.replace("\\x1b", "\\u001b").replace("\\x07", "")), "utf-8"
    )


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile") / "project"
    hostile_project(folder)
    (folder / "resplint.toml").write_text(
        'baseline = "kept.jsonl"\n[client-factories]\n"app.db" = { client = "redis.Redis", options = '
        f"{{ client_name = {json.dumps(BYTES)} }} }}\n",
        "utf-8",
    )
    # What a careful tool wrote, with a reason that nobody careful would give.
    done = run_here("baseline", folder, "--config", "/dev/null", "--output", folder / "kept.jsonl", "--level", "error")
    if done.exit_code == 2:
        (folder.parent / "empty.toml").touch()
        done = run_here(
            "baseline", folder, "--config", folder.parent / "empty.toml", "--output", folder / "kept.jsonl",
        )  # fmt: skip
    assert done.exit_code in (0, 3), done.stderr
    demand_harmless(done.output, "baseline")
    header, *entries = (folder / "kept.jsonl").read_text("utf-8").splitlines()
    first = {**json.loads(entries[0]), "reason": BYTES}
    gone = {**first, "path": f"gone {BYTES}.py", "rule": f"RL104{BYTES}", "code": "0" * 16}
    (folder / "kept.jsonl").write_text("\n".join([header, json.dumps(first), json.dumps(gone), *entries[2:]]) + "\n")
    return folder


@pytest.mark.parametrize("format_", sorted(FORMATS))
def test_20_hostile_content_is_shown_and_does_nothing(hostile: Path, ordinary: set[str], format_: str) -> None:
    done = run_here("scan", hostile, "--format", format_, "--level", "note", "--no-cache")
    assert done.exit_code == 1, done.stderr
    assert done.stderr == ""
    output = done.stdout_bytes.decode("utf-8", "strict")
    own = [line for line in output.split("\n") if format_ == "github" and re.match(r"::(error|warning|notice) ", line)]
    demand_harmless("\n".join(line for line in output.split("\n") if line not in own), format_)
    demand_harmless("".join(own).replace("::", ""), format_)
    assert "forged" in output or format_ == "sonar"  # which knows only findings, and none has it in its text
    if format_ == "markdown":
        assert markup(output) <= ordinary


def test_20_hostile_content_elsewhere(hostile: Path, tmp_path: Path) -> None:
    for arguments in (
        ["clients"], ["clients", "--format", "json"], ["scan", "--diff", "--unsafe-fixes"],
        ["baseline", "--output", str(tmp_path / "new.jsonl"), "--reason", BYTES],
    ):  # fmt: skip
        done = run_here(arguments[0], hostile, *arguments[1:])
        assert done.exit_code in (0, 1, 3), done.stderr
        demand_harmless(done.stdout_bytes, f"{arguments}")
        demand_harmless(done.stderr, f"{arguments}")
    demand_harmless((tmp_path / "new.jsonl").read_bytes(), "baseline")
    run_here("scan", hostile, "--format", "sarif", "--output", tmp_path / "r.sarif", "--no-cache")
    done = run_here("report", tmp_path / "r.sarif", "--html", tmp_path / "r.html", "--csv", tmp_path / "r.csv")
    assert done.exit_code == 0
    assert "<script>alert" not in demand_harmless((tmp_path / "r.html").read_bytes(), "html")
    demand_harmless((tmp_path / "r.csv").read_bytes().replace(b"\r\n", b"\n"), "csv")


def test_20_a_fault_of_ours_quotes_what_is_hostile(hostile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages of exceptions quote data, too."""

    def faulty(*_: object) -> None:
        raise ZeroDivisionError(f"\n::error::forged {BYTES}")

    monkeypatch.setattr("resplint.scan.analysis.locate", faulty)
    done = CliRunner().invoke(cli, ["scan", str(hostile), "--no-cache"])
    assert done.exit_code == 3
    assert done.stderr.count("\n") == 1
    demand_harmless(done.stderr, "internal error")
