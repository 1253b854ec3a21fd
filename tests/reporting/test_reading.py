"""SARIF files, good and bad: what is made of them, and what is said about those that are none."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from resplint.cli.app import cli
from resplint.contracts.errors import UserError
from resplint.reporting.collect import collect
from resplint.reporting.reading import read_files
from resplint.reporting.records import Collection, Issue, State
from tests.reporting.samples import log, result, save, scanned


def collected(folder: Path, *contents: Any, source_root: str | None = None) -> Collection:
    paths = [save(folder, content, f"{number}.sarif") for number, content in enumerate(contents)]
    return collect(read_files(paths), source_root)


def only(folder: Path, content: Any, **options: Any) -> Issue:
    (issue,) = collected(folder, content, **options).issues
    return issue


def in_run(content: dict[str, Any], **changes: Any) -> dict[str, Any]:
    content["runs"][0].update(changes)
    return content


# -- files that cannot be read --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"{\n  oops", "line 2, column 3: is no JSON"),
        (b"[]", "$: expected `object`, got `array`"),
        (b"{}", "is no SARIF 2.1.0"),
        (b'{"version": "2.0.0", "runs": []}', '$.version: is no SARIF 2.1.0'),
        (b'{"version": "2.0.0", "runs": []}', 'its version is "2.0.0"'),
        (b'{"version": "2.1.0", "runs": {}}', "$.runs: expected `array`, got `object`"),
        (b'{"version": "2.1.0", "runs": [{"tool": {}}]}', "$.runs[0].tool: object missing required field `driver`"),
        (json.dumps(log(result(level="fatal"))).encode(), "$.runs[0].results[0].level: invalid enum value 'fatal'"),
        (json.dumps(log(result(), result(message=3))).encode(), "$.runs[0].results[1].message: expected `object`"),
        (json.dumps(log(other=0)).encode()[:-4] + b"[" * 100_000, "is nested too deeply"),
        (b'{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"\xff"}}}]}', "is not UTF-8"),
    ],
)  # fmt: skip
def test_a_bad_file_is_named_with_the_place_in_it(tmp_path: Path, content: bytes, said: str) -> None:
    path = save(tmp_path, content)
    with pytest.raises(UserError) as caught:
        read_files([path])
    assert str(caught.value).startswith(f"{path}: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    for path, said in ((tmp_path / "none.sarif", "does not exist"), (tmp_path, "is a folder, not a file")):
        with pytest.raises(UserError, match=said):
            read_files([str(path)])


def test_the_command_tells_what_is_wrong_in_one_line(tmp_path: Path) -> None:
    good, bad = save(tmp_path, log(result())), save(tmp_path, b"{", "bad.sarif")
    page = str(tmp_path / "page.html")
    runner = CliRunner()
    for arguments, said in (
        ([good], "Nothing to write: give --html FILE, --csv FILE or --trend FILE."),
        ([good, "--html", "-", "--csv", "-"], "Only one report can go to standard output"),
        ([good, bad, "--html", page], f"{bad}: is no JSON"),
        ([good, "--html", page, "--source-root", str(tmp_path / "nowhere")], "--source-root"),
        ([good, "--html", str(tmp_path / "no" / "folder.html")], "Cannot write"),
    ):
        done = runner.invoke(cli, ["report", *arguments])
        assert done.exit_code == 2, done.output
        assert done.stderr.startswith("resplint: ")
        assert said in done.stderr
        assert done.stderr.count("\n") == 1
    assert not Path(page).exists()


def test_standard_streams_take_the_place_of_files(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        cli, ["report", "-", "--html", "/dev/null", "--csv", str(tmp_path / "t.csv")], input=scanned()
    )
    assert (done.exit_code, done.output) == (0, "")
    assert "standard input" in (tmp_path / "t.csv").read_text("utf-8").splitlines()[1]


# -- what other tools write -----------------------------------------------------------------------------------------


def test_rules_are_found_wherever_the_standard_allows(tmp_path: Path) -> None:
    rules = [
        {"id": "A", "name": "first", "defaultConfiguration": {"level": "note"}},
        {"id": "CA1000", "name": "family"},
    ]
    extended = {"id": "X", "index": 0, "toolComponent": {"index": 0}}
    given = [result("A"), result(ruleIndex=1), result("CA1000/2"), {**result(), "rule": extended}, result("nobody")]
    for each, names in zip(given, (["level"], ["ruleId"], [], ["ruleId"], ["level"]), strict=True):
        for name in names:
            del each[name]
    content = log(*given, rules=rules)
    content["runs"][0]["tool"]["extensions"] = [{"name": "pack", "rules": [{"id": "X", "name": "extended"}]}]
    issues = collected(tmp_path, content).issues
    assert {(issue.rule.id, issue.rule.name, issue.level) for issue in issues} == {
        ("A", "first", "note"), ("CA1000", "family", "error"), ("CA1000/2", "family", "error"),
        ("X", "extended", "error"), ("nobody", "", "warning"),
    }  # fmt: skip


def test_messages_are_looked_up_and_filled_in(tmp_path: Path) -> None:
    rules = [{"id": "A", "messageStrings": {"default": {"text": "'{0}' is {{not}} [{1}]."}}}]
    message = {"id": "default", "arguments": ["x", "closed"]}
    assert only(tmp_path, log(result("A", message=message), rules=rules)).message == "'x' is {not} [closed]."
    assert only(tmp_path, log(result("A", message={"text": "f'{0}'"}))).message == "f'{0}'"
    assert only(tmp_path, log(result("A", message={"id": "lost"}))).message == "lost"


def test_links_in_messages_lead_to_the_web_or_nowhere(tmp_path: Path) -> None:
    text = "See [the docs](https://redis.io/docs), [this](1), array[0](x) and [that](javascript:alert(1))."
    parts = only(tmp_path, log(result(message={"text": text}))).headline
    assert [(part.text, part.href) for part in parts if part.href] == [("the docs", "https://redis.io/docs")]
    assert "".join(part.text for part in parts) == "See the docs, this, array[0](x) and [that](javascript:alert(1))."


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ({"uri": "a%20b/c.py"}, "a b/c.py"),
        ({"uri": "./c.py"}, "c.py"),
        ({"uri": "file:///home/me/proj/src/c.py"}, "src/c.py"),
        ({"uri": "file:///elsewhere/c.py"}, "/elsewhere/c.py"),
        ({"index": 0}, "indexed.py"),
        ({"uri": "a\u202eb%0A.py"}, "a\\u202eb\\n.py"),
        ({"uri": "caf%E9.py"}, "caf\\xe9.py"),
    ],
)
def test_uris_become_paths(tmp_path: Path, location: dict[str, Any], path: str) -> None:
    content = log(result(locations=[{"physicalLocation": {"artifactLocation": location}}]))
    bases = {"ROOT": {"uri": "file:///home/me/proj/"}}
    run = in_run(content, originalUriBaseIds=bases, artifacts=[{"location": {"uri": "indexed.py"}}])
    assert only(tmp_path, run).spot.path == path


def test_a_result_without_a_place_is_still_shown(tmp_path: Path) -> None:
    issue = only(tmp_path, log(result(locations=[])))
    assert (issue.spot.path, issue.spot.label, issue.lines) == ("", "", ())


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, State.OPEN),
        ({"baselineState": "new"}, State.NEW),
        ({"baselineState": "updated"}, State.KNOWN),
        ({"suppressions": []}, State.OPEN),
        ({"suppressions": [{"kind": "inSource"}]}, State.SUPPRESSED),
        ({"suppressions": [{"kind": "external"}], "baselineState": "unchanged"}, State.ACCEPTED),
        ({"suppressions": [{"kind": "external", "status": "underReview"}]}, State.OPEN),
        ({"suppressions": [{"kind": "inSource"}, {"kind": "external", "status": "rejected"}]}, State.OPEN),
    ],
)
def test_states(tmp_path: Path, changes: dict[str, Any], state: State) -> None:
    assert only(tmp_path, log(result(**changes))).state is state


def test_what_is_gone_is_counted_and_not_shown(tmp_path: Path) -> None:
    collection = collected(tmp_path, log(result(baselineState="absent"), result(line=9)))
    assert (len(collection.issues), collection.gone) == (1, 1)


def test_worst_come_first(tmp_path: Path) -> None:
    given = [
        result("n", level="note"), result("w", level="warning"), result("low", properties={"precision": "low"}),
        result("high", properties={"precision": "high"}), result("cve", properties={"security-severity": "9.8"}),
        result("ok", level=None, kind="pass"),
    ]  # fmt: skip
    del given[-1]["level"]
    assert [issue.rule.id for issue in collected(tmp_path, log(*given)).issues] == [
        "cve",
        "high",
        "low",
        "w",
        "n",
        "ok",
    ]


def test_several_files_keep_their_names_and_anchors_apart(tmp_path: Path) -> None:
    same = result(partialFingerprints={"resplint/v1": "abc"})
    collection = collected(tmp_path, log(same, same), log(same))
    assert [source.label for source in collection.sources] == ["0", "1"]
    assert len({issue.anchor for issue in collection.issues}) == 3


def test_failed_runs_say_so(tmp_path: Path) -> None:
    failed = log(invocations=[{"executionSuccessful": False}])
    nothing = log()
    del nothing["runs"][0]["results"]
    collection = collected(tmp_path, failed, nothing)
    assert sorted(notice.message.split(":")[0] for notice in collection.notices) == [
        "The run holds no list of results", "The tool did not finish",
    ]  # fmt: skip
    assert {notice.level for notice in collection.notices} == {"error"}


# -- code -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("physical", "marked"),
    [
        # The region's own snippet, exactly the region, and the whole line as many tools write it.
        ({"region": {"startLine": 4, "startColumn": 3, "endColumn": 6, "snippet": {"text": "get"}}}, []),
        ({"region": {"startLine": 4, "startColumn": 3, "endColumn": 6, "snippet": {"text": "r.get(k)"}}}, ["get"]),
        # UTF-16: the line begins with an astral character.
        (
            {
                "region": {"startLine": 4, "startColumn": 4, "endColumn": 7},
                "contextRegion": {"startLine": 3, "snippet": {"text": "#\n\U0001f600 get()\n"}},
            },
            ["get"],
        ),
        # Several lines, without the indentation of the second.
        (
            {
                "region": {"startLine": 4, "startColumn": 5, "endLine": 5, "endColumn": 6},
                "contextRegion": {"startLine": 4, "snippet": {"text": "x = f(\r\n    a)\r\n"}},
            },
            ["f(", "a"],
        ),
    ],
)
def test_the_region_is_marked(tmp_path: Path, physical: dict[str, Any], marked: list[str]) -> None:
    content = log(result(locations=[{"physicalLocation": {"artifactLocation": {"uri": "a.py"}, **physical}}]))
    lines = only(tmp_path, content).lines
    assert lines
    assert [line.text[start:end] for line in lines for start, end in line.marks] == marked
    assert 4 in [line.number for line in lines]


def test_code_comes_from_the_source_where_the_file_has_none(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "app").mkdir(parents=True)
    (root / "app" / "queue.py").write_text("one\ntwo\nthree\nfour\n", "utf-8")
    (tmp_path / "secret.py").write_text("one\ntwo\npassword\n", "utf-8")
    (root / "link.py").symlink_to(tmp_path / "secret.py")
    assert [line.text for line in only(tmp_path, log(result()), source_root=str(root)).lines] == [
        "two",
        "three",
        "four",
    ]
    for path in ("../secret.py", str(tmp_path / "secret.py"), "link.py", "gone.py", "app"):
        assert only(tmp_path, log(result(path=path)), source_root=str(root)).lines == ()


def test_files_of_another_tool_are_read(tmp_path: Path) -> None:
    """Ruff writes absolute URIs, no snippets, rules without names, and fixes."""
    source = tmp_path / "src" / "app.py"
    source.parent.mkdir()
    source.write_text("import os\nimport sys\n\nprint(sys.path)\n", "utf-8")
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--isolated",
        "--select",
        "F",
        "--output-format",
        "sarif",
        str(source),
    ]
    done = subprocess.run(command, capture_output=True, check=False)
    issue = only(tmp_path / "out", done.stdout, source_root=str(tmp_path))
    assert (issue.tool, issue.rule.id, issue.spot.label) == ("ruff", "F401", "src/app.py:1:8")
    assert [(line.number, line.text) for line in issue.lines] == [(1, "import os"), (2, "import sys")]
    assert [line.text[start:end] for line in issue.lines for start, end in line.marks] == ["os"]
    (remedy,) = issue.remedies
    assert [(row.sign, row.text) for row in remedy.diffs[0].rows][:2] == [("-", "import os"), (" ", "import sys")]


def test_long_lines_are_cut_around_the_mark(tmp_path: Path) -> None:
    text = "a" * 50_000 + "HERE" + "b" * 50_000
    region = {"startLine": 1, "startColumn": 50_001, "endColumn": 50_005}
    place = {
        "artifactLocation": {"uri": "min.js"},
        "region": region,
        "contextRegion": {"startLine": 1, "snippet": {"text": text}},
    }
    (line,) = only(tmp_path, log(result(locations=[{"physicalLocation": place}]))).lines
    assert len(line.text) < 500
    assert [line.text[start:end] for start, end in line.marks] == ["HERE"]


def test_our_own_files_bring_frames_and_trails(tmp_path: Path) -> None:
    issues = collected(tmp_path, scanned()).issues
    assert len(issues) == len(json.loads(scanned())["runs"][0]["results"])
    for issue in issues:
        # The only line of a file has nothing around it, and is not marked where all of it is meant.
        assert [line for line in issue.lines if line.marks or len(issue.lines) == 1], issue.spot.label
        for step in issue.steps:
            assert step.lines, step.spot.label
