"""The command line as people and scripts meet it: exit codes, options, errors, and what never happens."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

from resplint import scan as engine
from resplint._version import __version__
from resplint.cli.app import cli
from resplint.contracts.findings import Finding, Report
from resplint.knowledge.load import load_book
from resplint.scan import analysis

BLOCKING = (
    'import redis\n\nclient = redis.Redis(socket_timeout=5, max_connections=8)\nclient.blpop("jobs", timeout=30)\n'
)
"""One error: RL104."""
POOL = (
    "import redis\n\n"
    "client = redis.Redis(connection_pool=redis.ConnectionPool(socket_timeout=5, max_connections=None))\n"
)
"""One warning: RL102."""
QUIET = "import redis\n\nclient = redis.Redis(max_connections=8, socket_timeout=5)\nclient.get('name')\n"
SCHEMAS = {
    "json": Path(__file__).parents[2] / "schemas" / "report-1.1.schema.json",
    "sarif": Path(__file__).parents[1] / "data" / "sarif-2.1.0.schema.json",
}


def run(*arguments: str | Path, stdin: str | None = None) -> Result:
    """`resplint …` in this process; an exception that escapes fails the test."""
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], input=stdin, catch_exceptions=False)


def codes(*arguments: str | Path, stdin: str | None = None) -> list[str]:
    """Codes of what a scan reports."""
    output = run("scan", "--exit-zero", "--format", "json", *arguments, stdin=stdin).output
    return [result["rule"] for result in json.loads(output)["results"]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one error and one warning, pinned to a version whose defaults are known."""
    (tmp_path / "requirements.txt").write_text("redis[hiredis]==6.4.0\n")
    (tmp_path / "blocking.py").write_text(BLOCKING)
    (tmp_path / "pool.py").write_text(POOL)
    return tmp_path


# -- exit codes -----------------------------------------------------------------------------------------------------


def test_0_when_nothing_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "quiet.py").write_text(QUIET)
    result = run("scan", tmp_path)
    assert result.exit_code == 0
    assert result.output == "No findings; 1 of 1 file uses Redis\n"


def test_1_when_something_is_found(project: Path) -> None:
    result = run("scan", project)
    assert result.exit_code == 1
    assert "blocking.py:4:1: error RL104 blocking-timeout" in result.output
    assert "pool.py:3:38: warning RL102 unbounded-pool" in result.output
    assert "2 findings (1 error, 1 warning) in 2 files" in result.output


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        ([], 1),
        (["--exit-zero"], 0),
        (["--fail-on", "error"], 1),
        (["--fail-on", "never"], 0),
        (["--fail-on", "error", "--ignore", "RL104"], 0),
        (["--fail-on", "warning", "--ignore", "RL104"], 1),
        (["--level", "error", "--select", "RL102"], 0),
    ],
)
def test_flags_decide_what_fails(project: Path, flags: list[str], code: int) -> None:
    assert run("scan", project, *flags).exit_code == code


@pytest.mark.parametrize(
    "arguments",
    [
        ["scan", "{folder}/missing"],
        ["scan", "{folder}", "--select", "RL999"],
        ["scan", "{folder}", "--jobs", "-1"],
        ["scan", "{folder}", "--output", "{folder}/missing/report.json"],
        ["scan", "{folder}", "--config", "{folder}/missing.toml"],
        ["scan", "-", "--stdin-filename", "{folder}/notes.txt"],
        ["explain", "RL999"],
    ],
)
def test_2_and_one_line_for_what_the_user_must_change(project: Path, arguments: list[str]) -> None:
    result = run(*(argument.format(folder=project) for argument in arguments), stdin="")
    assert result.exit_code == 2
    assert re.fullmatch(r"resplint: .+\n", result.output)


@pytest.mark.parametrize("arguments", [["scan", "--no-such-option"], ["no-such-command"], ["scan", "--format", "xml"]])
def test_2_for_wrong_usage(arguments: list[str]) -> None:
    assert run(*arguments).exit_code == 2


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('selct = ["RL1"]', 'tool.resplint.selct: unknown key; did you mean "select"?'),
        ('include-tests = "yes"', "tool.resplint.include-tests: expected true or false, not 'yes'."),
        ("level = { RL10 = 'error' }", "tool.resplint.level.RL10: unknown rule 'RL10'"),
    ],
)
def test_2_and_file_line_key_for_a_wrong_configuration(project: Path, line: str, problem: str) -> None:
    file = project / "pyproject.toml"
    file.write_text(f"[tool.resplint]\n{line}\n")
    result = run("scan", project)
    assert result.exit_code == 2
    assert result.output.startswith(f"resplint: {file.resolve()}:2: {problem}")
    assert result.output.count("\n") == 1


def test_3_when_a_rule_fails_and_the_others_still_report(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load = analysis.load_check

    def broken(name: str) -> Any:
        def check(project: object) -> Iterator[Finding]:
            raise RuntimeError("a bug")
            yield

        return check if name == "blocking-timeout" else load(name)

    monkeypatch.setattr(analysis, "load_check", broken)
    result = run("scan", project, "--format", "json", "--exit-zero", "--output", project / "report.json")
    assert result.exit_code == 3
    report = json.loads((project / "report.json").read_text())
    assert [found["rule"] for found in report["results"]] == ["RL102"]
    (notification,) = report["notifications"]
    assert notification["kind"] == "internal-error"
    assert notification["rule"] == "RL104"
    assert "RuntimeError: a bug" in notification["message"]


def test_3_and_one_line_for_a_bug_that_nobody_foresaw(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A traceback and exit code 1 would look like findings to a script."""

    def broken(request: object) -> Report:
        raise RuntimeError("a bug")

    monkeypatch.setattr(engine, "scan", broken)
    result = CliRunner().invoke(cli, ["scan", str(project)])
    assert result.exit_code == 3
    assert re.match(r"resplint: .*a bug", result.output)


# -- what is scanned and reported -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ([], ["RL104", "RL102"]),
        (["--select", "RL104"], ["RL104"]),
        (["--select", "unbounded-pool"], ["RL102"]),
        (["--select", "RL1", "--ignore", "RL105"], ["RL104", "RL102"]),
        (["--select", "RL102,RL104"], ["RL104", "RL102"]),
        (["--select", "RL3"], []),
        (["--ignore", "RL104"], ["RL102"]),
        (["--ignore", "RL1"], []),
        (["--select", "RL1", "--ignore", "RL102,RL105"], ["RL104"]),
        (["--level", "error"], ["RL104"]),
        (["--level", "warning"], ["RL104", "RL102"]),
        (["--exclude", "pool.py"], ["RL104"]),
        (["--min-precision", "high"], ["RL104", "RL102"]),
        (["--min-precision", "very-high"], []),
        (["--max-file-size", "10"], []),
    ],
)
def test_flags_choose_what_is_reported(project: Path, flags: list[str], expected: list[str]) -> None:
    assert codes(project, *flags) == expected


def test_the_configuration_is_read_from_the_scanned_folder(project: Path) -> None:
    (project / "resplint.toml").write_text('ignore = ["RL104"]\n[level]\nRL102 = "error"\n')
    result = run("scan", project)
    assert "RL104" not in result.output
    assert "error RL102" in result.output


def test_tests_stay_out_unless_asked_for(project: Path) -> None:
    (project / "blocking.py").rename(project / "test_blocking.py")
    assert codes(project) == ["RL102"]
    assert codes(project, "--include-tests") == ["RL102", "RL104"]
    assert codes(project / "test_blocking.py") == ["RL104"]


def test_one_file_finds_its_manifest(project: Path) -> None:
    assert codes(project / "blocking.py") == ["RL104"]


def test_the_current_folder_is_the_default(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    assert codes() == ["RL104", "RL102"]


def test_standard_input_gets_the_name_it_is_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    result = run("scan", "-", "--stdin-filename", "app/queue.py", stdin=BLOCKING)
    assert result.exit_code == 1
    assert "app/queue.py:4:1: error RL104" in result.output
    assert "1 of 1 file uses Redis" in result.output


def test_a_suppression_keeps_the_finding_out_of_the_exit_code(tmp_path: Path) -> None:
    (tmp_path / "queue.py").write_text(
        BLOCKING.replace("timeout=30)", "timeout=30)  # resplint: ignore[RL104] on purpose")
    )
    result = run("scan", tmp_path)
    assert result.exit_code == 0
    assert "1 finding is suppressed" in result.output
    report = json.loads(run("scan", tmp_path, "--format", "json").output)
    assert report["results"][0]["suppression"] == {"kind": "inSource", "justification": "on purpose"}


def test_what_cannot_be_read_is_told_and_never_clean(project: Path) -> None:
    (project / "binary.py").write_bytes(b"import redis\0\xff\xfe\x80" * 20)
    (project / "broken.py").write_text("import redis\ndef half(:\n" + BLOCKING)
    report = json.loads(run("scan", project, "--format", "json").output)
    kinds = {note["path"]: note["kind"] for note in report["notifications"]}
    assert kinds == {"binary.py": "skipped", "broken.py": "partial"}


# -- output ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_machine_formats_are_valid_and_written_to_a_file(project: Path, form: str) -> None:
    target = project / f"report.{form}"
    target.write_text("what was there before")
    result = run("scan", project, "--format", form, "--output", target)
    assert result.exit_code == 1
    assert result.output == ""
    report = json.loads(target.read_text())
    jsonschema.validate(report, json.loads(SCHEMAS[form].read_text()))
    rules = (
        [each["rule"] for each in report["results"]]
        if form == "json"
        else [each["ruleId"] for each in report["runs"][0]["results"]]
    )
    assert rules == ["RL104", "RL102"]


@pytest.mark.parametrize("form", ["text", "json", "sarif"])
def test_a_file_and_the_terminal_get_the_same(project: Path, form: str) -> None:
    shown = run("scan", project, "--format", form).output
    run("scan", project, "--format", form, "--output", project / "report.txt")
    assert (project / "report.txt").read_text() == shown
    assert [path.name for path in project.iterdir() if path.name.startswith(".")] == []


def test_statistics_are_shown_on_request_only(project: Path) -> None:
    assert "Statistics" not in run("scan", project).output
    shown = run("scan", project, "--statistics").output.partition("Statistics:")[2]
    assert re.search(r"RL104 (\[\*\] )?blocking-timeout +error +1\n", shown)
    assert re.search(r"files found +2\n", shown)


def test_quiet_prints_findings_and_nothing_else(project: Path) -> None:
    (project / "odd.py").write_bytes(b"import redis\x00")
    loud = run("scan", project)
    quiet = run("scan", project, "-q")
    assert quiet.exit_code == loud.exit_code == 1
    assert loud.output.startswith(quiet.output)
    assert "blocking.py:4:1: error RL104" in quiet.output
    assert "odd.py" in loud.output
    assert "odd.py" not in quiet.output
    (project / "blocking.py").unlink()
    (project / "pool.py").unlink()
    assert run("scan", project, "--quiet").output == ""


def test_quiet_still_says_why_a_scan_failed(project: Path) -> None:
    (project / "odd.py").write_bytes(b"import redis\x00")
    done = run("scan", project, "-q", "--strict")
    assert done.exit_code == 3
    assert "odd.py" in done.output


def test_statistics_tell_the_processor_time_of_each_stage(project: Path) -> None:
    told = json.loads(run("scan", project, "--statistics", "--format", "json", "--no-cache").output)["statistics"]
    clock = {name.removesuffix(" (s)") for name in told if name.endswith(" (s)")}
    spent = {name.removesuffix(" (CPU s)"): seconds for name, seconds in told.items() if name.endswith(" (CPU s)")}
    assert spent.keys() == clock
    assert {"lower", "link", "judge"} <= clock
    assert 0 < sum(spent.values()) < 60


def test_the_advice_of_the_summary_works(tmp_path: Path) -> None:
    """Notes are hidden in text; the option that the summary names shows them."""
    (tmp_path / "requirements.txt").write_text("redis[hiredis]==6.4.0\n")
    (tmp_path / "app.py").write_text("import redis\n\nclient = redis.Redis(socket_timeout=5)\n")
    summary = run("scan", tmp_path).output
    assert "1 note is hidden" in summary
    option = re.search(r"(--[a-z-]+(?: [a-z]+)?) shows it", summary)
    assert option, summary
    assert "note RL102" in run("scan", tmp_path, *option[1].split()).output


# -- the rule book --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["RL104", "rl104", "blocking-timeout"])
def test_explain_shows_the_page(name: str) -> None:
    result = run("explain", name)
    assert result.exit_code == 0
    assert result.output == load_book()["RL104"].help_markdown


def test_explain_shows_the_examples_of_one_language() -> None:
    shown = run("explain", "RL104", "--language", "kotlin").output
    assert "### Kotlin\n" in shown
    assert "### Java" not in shown
    assert "```python" not in shown


@pytest.mark.parametrize(("wrong", "meant"), [("blocking-timeot", "blocking-timeout"), ("RL1004", "RL104")])
def test_explain_suggests_what_was_meant(wrong: str, meant: str) -> None:
    result = run("explain", wrong)
    assert result.exit_code == 2
    assert f"Did you mean {meant}?" in result.output


def test_rules_lists_the_book() -> None:
    rows = json.loads(run("rules", "--format", "json").output)
    assert [(row["code"], row["name"], row["level"]) for row in rows] == [
        (code, rule.name, rule.level.value) for code, rule in load_book().items()
    ]
    table = run("rules").output
    assert all(code in table and rule.name in table for code, rule in load_book().items())


def test_version_and_help() -> None:
    assert run("--version").output == f"resplint {__version__}\n"
    for command in ([], ["scan"], ["explain"], ["rules"]):
        assert run(*command, "--help").exit_code == 0


# -- files that are written, and the configuration that counts -----------------------------------------------------


def test_one_file_for_two_reports_is_refused(project: Path) -> None:
    for arguments in (
        ["--report", f"json={project / 'r'}", "--report", f"sarif={project / 'x' / '..' / 'r'}"],
        ["--report", f"json={project / 'r'}", "--output", project / "r"],
    ):
        (project / "x").mkdir(exist_ok=True)
        result = run("scan", *arguments, project)
        assert result.exit_code == 2
        assert "is named for two reports: give each a file of its own" in result.output
        assert not (project / "r").exists()


def test_a_report_that_cannot_be_written_is_told_before_anything_is_fixed(project: Path) -> None:
    result = run("scan", "--unsafe-fixes", "--report", f"json={project / 'none' / 'r.json'}", project)
    assert result.exit_code == 2
    assert re.fullmatch(
        r"resplint: Cannot write '.*r\.json': there is no folder '.*none'; create it first\.\n", result.output
    )
    assert (project / "blocking.py").read_text() == BLOCKING


def test_a_dash_stands_for_standard_output(
    project: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(project)
    assert run("scan", "--format", "json", "--output", "-").exit_code == 1
    assert len(json.loads(capfdbinary.readouterr().out)["results"]) == 2
    assert run("baseline", "--output", "-").exit_code == 0
    lines = capfdbinary.readouterr().out.splitlines()
    assert [json.loads(line).get("rule") for line in lines] == [None, "RL104", "RL102"]
    assert not (project / "-").exists()


def test_with_the_whole_project_the_configuration_of_the_current_folder_counts(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part of a repository with a configuration of its own is judged in CI as it is when it is scanned alone."""
    (project / ".git").mkdir()
    part = project / "services" / "api"
    for folder in (part, part / "gen"):
        folder.mkdir(parents=True)
        (folder / "blocking.py").write_text(BLOCKING)
        (folder / "pool.py").write_text(POOL)
    (part / "resplint.toml").write_text('ignore = ["RL102"]\nexclude = ["/gen/"]\n')
    monkeypatch.chdir(part)
    assert codes(".") == codes("--whole-project", ".") == codes("--whole-project", "blocking.py") == ["RL104"]
    assert codes("--whole-project", "gen/blocking.py") == []
    # From above, as hooks run, it is the nearest one of each file, in whatever folders the files of a batch are.
    monkeypatch.chdir(project)
    assert codes("--whole-project", "services/api/pool.py") == []
    assert codes("--whole-project", "services/api/gen/pool.py", "pool.py") == ["RL102"]
