"""`resplint baseline` and `resplint scan --baseline`, as people who live with many findings meet them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import jsonschema
import pytest

from resplint.output.escape import escape
from tests.baseline.helpers import (
    JAVA,
    POOL,
    QUEUE,
    QUIET,
    entries,
    open_results,
    put,
    remarks,
    report,
    run,
    states,
)

ROOT = Path(__file__).parents[2]
FILE = "resplint-baseline.jsonl"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two errors in app/queue.py, one warning in app/pool.py, all of them accepted; it is the current folder."""
    put(tmp_path, {"requirements.txt": "redis[hiredis]==6.4.0\n", "app/queue.py": QUEUE, "app/pool.py": POOL})
    monkeypatch.chdir(tmp_path)
    assert run("baseline").exit_code == 0
    return tmp_path


def scan(*arguments: str) -> list[tuple[str, str, str]]:
    return states("--baseline", FILE, ".", *arguments)


def news(*arguments: str) -> list[tuple[str, int]]:
    return open_results("--baseline", FILE, ".", *arguments)


def edit(project: Path, **changes: object) -> None:
    """Change the only entry that has these fields' neighbours: every entry of the baseline."""
    lines = [{"resplint-baseline": 1}, *({**each, **changes} for each in entries(project / FILE))]
    (project / FILE).write_text("".join(json.dumps(each) + "\n" for each in lines))


# -- to begin with --------------------------------------------------------------------------------------------------


def test_a_baseline_is_written_and_says_what_to_do_next(project: Path) -> None:
    (project / FILE).unlink()
    done = run("baseline")
    assert done.exit_code == 0
    assert done.output == "resplint-baseline.jsonl: 3 entries (3 added, 0 kept, 0 removed)\n"
    elsewhere = run("baseline", "--output", "accepted.jsonl").output.splitlines()[1]
    assert elsewhere.startswith("To use it: resplint scan --baseline accepted.jsonl, ")
    written = entries(project / FILE)
    assert [(each["path"], each["rule"], each["symbol"]) for each in written] == [
        ("app/pool.py", "RL102", "make"),
        ("app/queue.py", "RL104", "next_job"),
        ("app/queue.py", "RL104", "next_mail"),
    ]
    assert [each["code"] for each in written][1:] == [
        'client.blpop("jobs", timeout=30)',
        'client.blpop("mails", timeout=60)',
    ]


def test_what_is_accepted_is_no_longer_listed_and_does_not_fail(project: Path) -> None:
    assert run("scan", "--no-baseline").exit_code == 1
    assert run("scan").exit_code == 0
    done = run("scan", "--baseline", FILE)
    assert done.exit_code == 0
    assert done.output.startswith("No findings; ")
    assert "3 findings are in the baseline" in done.output
    assert "RL104" not in done.output


def test_but_it_stays_in_what_machines_read(project: Path) -> None:
    edit(project, reason="moved to the new queue in May")
    assert scan() == [
        ("app/pool.py", "RL102", "unchanged"),
        ("app/queue.py", "RL104", "unchanged"),
        ("app/queue.py", "RL104", "unchanged"),
    ]
    (project / "app" / "more.py").write_text(POOL)
    sarif = json.loads(run("scan", "--baseline", FILE, "--format", "sarif").stdout)
    jsonschema.validate(sarif, json.loads((ROOT / "tests" / "data" / "sarif-2.1.0.schema.json").read_text()))
    results = sarif["runs"][0]["results"]
    assert [each["baselineState"] for each in results] == ["new", "unchanged", "unchanged", "unchanged"]
    accepted = {"kind": "external", "justification": "moved to the new queue in May"}
    assert [each["suppressions"] for each in results] == [[], [accepted], [accepted], [accepted]]
    document = report("--baseline", FILE)
    jsonschema.validate(document, json.loads((ROOT / "schemas" / "report-1.1.schema.json").read_text()))
    assert document["counts"]["findings"] == 1


def test_what_is_new_fails(project: Path) -> None:
    (project / "app" / "more.py").write_text(POOL)
    done = run("scan", "--baseline", FILE)
    assert done.exit_code == 1
    assert "app/more.py:5:40: warning RL102" in done.output
    assert "queue.py" not in done.output


def test_without_a_baseline_nothing_is_said_of_one(project: Path) -> None:
    assert {each["baseline"] for each in report(".", "--no-baseline")["results"]} == {None}
    sarif = json.loads(run("scan", "--no-baseline", "--format", "sarif").stdout)
    assert all("baselineState" not in each for each in sarif["runs"][0]["results"])


# -- code changes ---------------------------------------------------------------------------------------------------


def test_inserted_lines(project: Path) -> None:
    (project / "app" / "queue.py").write_text(
        '"""The queue."""\n\nimport logging\n' + QUEUE.replace("def", "\n# x\ndef")
    )
    assert news() == []


def test_reformatting(project: Path) -> None:
    text = QUEUE.replace('blpop("jobs", timeout=30)', "blpop(\n        'jobs',\n        timeout=30,\n    )")
    (project / "app" / "queue.py").write_text(text.replace("    return", "\treturn").replace("\n", "\r\n"))
    assert news() == []


def test_functions_moved_within_their_file(project: Path) -> None:
    head, first, second = QUEUE.split("\n\n\n")
    (project / "app" / "queue.py").write_text("\n\n\n".join([head, second.rstrip(), first, ""]))
    assert news() == []


def test_a_renamed_function_and_one_that_became_a_method(project: Path) -> None:
    text = QUEUE.replace("def next_job():\n    return", "class Queue:\n    def next_job(self):\n        return")
    (project / "app" / "queue.py").write_text(text.replace("next_mail", "take_mail"))
    assert news() == []


def test_a_renamed_file(project: Path) -> None:
    (project / "app" / "queue.py").rename(project / "app" / "jobs.py")
    assert news() == []


def test_a_renamed_folder_and_a_deeper_one(project: Path) -> None:
    (project / "app").rename(project / "shop")
    assert news() == []
    (project / "services").mkdir()
    (project / "shop").rename(project / "services" / "shop")
    assert news() == []


def test_a_renamed_and_edited_file(project: Path) -> None:
    (project / "app" / "queue.py").unlink()
    put(project, {"lib/jobs.py": "import os\n" + QUEUE.replace("timeout=30)", "timeout=30,\n    )")})
    assert news() == []


def test_a_class_that_is_renamed_with_its_file(project: Path) -> None:
    put(project, {"java/Worker.java": JAVA})
    assert run("baseline").exit_code == 0
    (project / "java" / "Worker.java").unlink()
    put(project, {"java/Runner.java": JAVA.replace("Worker", "Runner")})
    assert [path for path, _, _ in scan() if path.endswith("java")] == ["java/Runner.java"]
    assert news() == []


def test_a_function_moved_to_another_file(project: Path) -> None:
    head, first, second = QUEUE.split("\n\n\n")
    put(project, {"app/queue.py": f"{head}\n\n\n{first}\n", "app/mail.py": f"{head}\n\n\n{second}"})
    assert news() == []


def test_a_copy_is_new(project: Path) -> None:
    put(project, {"app/copy.py": QUEUE})
    assert news() == [("app/copy.py", 7), ("app/copy.py", 11)]


def test_a_copy_is_new_although_the_original_was_repaired(project: Path) -> None:
    """The function is still where it was: what the other file has is another one."""
    put(project, {"app/copy.py": QUEUE, "app/queue.py": QUEUE.replace("timeout=30", "timeout=1")})
    assert news() == [("app/copy.py", 7), ("app/copy.py", 11)]


def test_of_two_equal_findings_and_one_entry_one_is_new(project: Path) -> None:
    call = '    client.blpop("jobs", timeout=30)\n'
    put(project, {"app/queue.py": QUEUE.replace("def next_job():\n", f"def next_job():\n{call}")})
    assert len(news()) == 1
    assert run("baseline").output.startswith(f"{FILE}: 4 entries (1 added, 3 kept, 0 removed)")
    assert news() == []
    # And when one of the two goes, its entry has nothing to accept any more.
    put(project, {"app/queue.py": QUEUE})
    assert news() == []
    assert len(remarks("unused-baseline", "--baseline", FILE)) == 1


def test_other_code_in_the_same_function_is_new(project: Path) -> None:
    put(project, {"app/queue.py": QUEUE.replace("timeout=30", "timeout=45")})
    assert news() == [("app/queue.py", 7)]


def test_a_finding_that_has_become_graver_is_new(project: Path) -> None:
    put(project, {"resplint.toml": '[level]\nRL102 = "error"\n'})
    assert news() == [("app/pool.py", 5)]
    (message,) = remarks("lapsed-baseline", "--baseline", FILE)
    assert "graver than what was accepted: error, not warning" in message
    assert run("baseline", "--prune").exit_code == 0
    assert news() == [("app/pool.py", 5)]
    assert run("baseline").exit_code == 0
    assert news() == []
    put(project, {"resplint.toml": '[level]\nRL102 = "note"\n'})
    assert scan()[0] == ("app/pool.py", "RL102", "unchanged")


# -- parts of a project ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [["app"], ["app/queue.py"], ["app/queue.py", "app/pool.py"], ["./app/../app"]])
def test_a_baseline_serves_scans_of_every_part(project: Path, arguments: list[str]) -> None:
    assert open_results("--baseline", FILE, *arguments) == []
    assert remarks("unused-baseline", "--baseline", FILE, *arguments) == []


def test_a_baseline_may_lie_anywhere(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("baseline", ".", "--output", "etc/base.jsonl").exit_code == 2
    (project / "etc").mkdir()
    assert run("baseline", ".", "--output", "etc/base.jsonl").exit_code == 0
    assert entries(project / "etc" / "base.jsonl")[0]["path"] == "../app/pool.py"
    monkeypatch.chdir(project / "app")
    assert open_results("--baseline", "../etc/base.jsonl") == []
    assert open_results("--baseline", "../etc/base.jsonl", "queue.py") == []
    assert open_results("--baseline", f"../{FILE}") == []


def test_a_part_is_brought_up_to_date_without_the_others(project: Path) -> None:
    (project / ".git").mkdir()
    edit(project, reason="old")
    put(
        project,
        {"lib/queue.py": QUEUE.replace("timeout=30", "timeout=31"), "app/queue.py": QUIET, "app/pool.py": QUIET},
    )
    done = run("baseline", "lib")
    assert done.output.startswith(f"{FILE}: 5 entries (2 added, 3 kept, 0 removed)")
    assert [each.get("reason", "") for each in entries(project / FILE)] == ["old", "old", "old", "", ""]
    # Of a part alone nobody can say what the whole would show: versions, callers and clients may be elsewhere.
    done = run("baseline", "--isolated", "app/pool.py")
    assert done.output.startswith(f"{FILE}: 5 entries (0 added, 5 kept, 0 removed)\n1 of them has no finding now, but")
    assert "so they stay; with --whole-project they are found, or removed\n" in done.output
    done = run("baseline", "app/pool.py")
    assert done.output.startswith(f"{FILE}: 4 entries (0 added, 4 kept, 1 removed)")
    done = run("baseline", "--select", "RL102", ".")
    assert done.output.startswith(f"{FILE}: 4 entries (0 added, 4 kept, 0 removed)")
    done = run("baseline", ".")
    assert done.output.startswith(f"{FILE}: 2 entries (0 added, 2 kept, 2 removed)")


@pytest.mark.parametrize(
    "flags",
    [
        ["--select", "RL301"],
        ["--ignore", "RL1"],
        ["--exclude", "app/"],
        ["--min-precision", "very-high"],
        ["--max-file-size", "10"],
        ["app/pool.py", "--ignore", "RL102"],
    ],
)
def test_what_a_scan_does_not_look_at_is_not_called_unused(project: Path, flags: list[str]) -> None:
    assert remarks("unused-baseline", "--baseline", FILE, *flags) == []


@pytest.mark.parametrize("what", ["tests", "per-path", "git-ignored", "broken", "binary"])
def test_nor_is_what_the_configuration_or_its_form_keeps_out(project: Path, what: str) -> None:
    if what == "tests":
        (project / "app").rename(project / "tests")
        assert run("baseline", "--include-tests").output.startswith(f"{FILE}: 3 entries (0 added, 3 kept")
    elif what == "per-path":
        put(project, {"resplint.toml": '[per-path-ignores]\n"app/" = ["all"]\n'})
    elif what == "git-ignored":
        put(project, {".gitignore": "app/\n"})
    else:
        broken = (
            b"import redis\0\xff\xfe\x80" * 20 if what == "binary" else b"import redis\ndef half(:\n  client..blpop(\n"
        )
        for name in ("queue.py", "pool.py"):
            (project / "app" / name).write_bytes(broken)
    assert remarks("unused-baseline", "--baseline", FILE) == []
    assert run("baseline").output.startswith(f"{FILE}: 3 entries (0 added, 3 kept, 0 removed)")


def test_batches_of_files_find_what_all_of_them_find(project: Path) -> None:
    """As a hook does: some files are given, all are linked."""
    head, first, second = QUEUE.split("\n\n\n")
    (project / ".git").mkdir()
    put(
        project, {"app/queue.py": f"{head}\n\n\n{first}\n", "app/mail.py": f"{head}\n\n\n{second}", "lib/copy.py": POOL}
    )
    together = open_results("--baseline", FILE, "--whole-project", "app", "lib")
    assert together == [("lib/copy.py", 5)]
    for paths in (["app/queue.py"], ["app/mail.py"], ["app/mail.py", "app/pool.py"], ["app"]):
        assert open_results("--baseline", FILE, "--whole-project", *paths) == []
        assert remarks("unused-baseline", "--baseline", FILE, "--whole-project", *paths) == []
    assert open_results("--baseline", FILE, "--whole-project", "lib/copy.py") == together


# -- reasons, dates, entries without a finding ----------------------------------------------------------------------


def test_reasons_and_dates_are_kept_where_code_goes(project: Path) -> None:
    edit(project, reason="see TICKET-1", expires="2999-12-31")
    (project / "app").rename(project / "shop")
    put(project, {"shop/new.py": POOL.replace("make", "other")})
    done = run("baseline", "--reason", "agreed\n today", "--expires", "2998-01-01")
    assert done.output.startswith(f"{FILE}: 4 entries (1 added, 3 kept, 0 removed)")
    assert [(each["path"], each["reason"], each["expires"]) for each in entries(project / FILE)] == [
        ("shop/new.py", "agreed today", "2998-01-01"),
        ("shop/pool.py", "see TICKET-1", "2999-12-31"),
        ("shop/queue.py", "see TICKET-1", "2999-12-31"),
        ("shop/queue.py", "see TICKET-1", "2999-12-31"),
    ]


def test_writing_twice_changes_nothing(project: Path) -> None:
    edit(project, reason="see TICKET-1")
    assert run("baseline").exit_code == 0
    before = (project / FILE).read_bytes()
    assert run("baseline").output.startswith(f"{FILE}: 3 entries (0 added, 3 kept, 0 removed)")
    assert (project / FILE).read_bytes() == before


def test_an_entry_without_a_finding_is_reported_and_removed(project: Path) -> None:
    put(project, {"app/queue.py": QUEUE.replace("timeout=30", "timeout=1")})
    done = run("scan", "--baseline", FILE)
    assert done.exit_code == 0
    assert f"{FILE}:3: Nothing matches this entry any more: RL104 in 'app/queue.py', in 'next_job'." in done.output
    (project / "app" / "pool.py").unlink()
    assert len(remarks("unused-baseline", "--baseline", FILE)) == 2
    put(project, {"app/new.py": POOL.replace("make", "other")})
    done = run("baseline", "--prune")
    assert done.output.startswith(f"{FILE}: 1 entry (0 added, 1 kept, 2 removed)")
    assert news() == [("app/new.py", 5)]


def test_an_entry_of_a_rule_that_does_not_exist_is_without_a_finding(project: Path) -> None:
    edit(project, rule="RL999")
    assert len(remarks("unused-baseline", "--baseline", FILE)) == 3
    assert len(news()) == 3


@pytest.mark.parametrize(("day", "holds"), [("2030-06-29", True), ("2030-06-30", True), ("2030-07-01", False)])
def test_an_entry_holds_to_the_end_of_its_last_day(
    project: Path, monkeypatch: pytest.MonkeyPatch, day: str, holds: bool
) -> None:
    import datetime

    moment = datetime.datetime.fromisoformat(f"{day}T23:59:59+00:00")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(moment.timestamp())))
    edit(project, expires="2030-06-30")
    done = run("scan", "--baseline", FILE)
    assert done.exit_code == (0 if holds else 1)
    assert ("This entry has expired (2030-06-30): RL102 in 'app/pool.py' counts again." in done.output) is not holds
    assert {state for _, _, state in scan()} == {"unchanged" if holds else "new"}
    done = run("baseline")
    assert ("3 of them have expired and no longer hold; --expires DATE renews them" in done.output) is not holds
    assert run("scan", "--baseline", FILE).exit_code == (0 if holds else 1)
    assert run("baseline", "--expires", "2031-01-01").exit_code == 0
    assert {each["expires"] for each in entries(project / FILE)} == {"2030-06-30" if holds else "2031-01-01"}
    assert run("scan", "--baseline", FILE).exit_code == 0


def test_a_comment_makes_an_entry_superfluous(project: Path) -> None:
    text = QUEUE.replace("timeout=30)", "timeout=30)  # resplint: ignore[RL104] known")
    put(project, {"app/queue.py": text})
    results = [each for each in report("--baseline", FILE)["results"] if each["symbol"] == "next_job"]
    assert [(each["suppression"]["kind"], each["baseline"]) for each in results] == [("inSource", "unchanged")]
    assert remarks("unused-baseline", "--baseline", FILE) == []
    assert run("baseline").output.startswith(f"{FILE}: 2 entries (0 added, 2 kept, 1 removed)")


def test_notes_are_accepted_unless_told_otherwise(project: Path) -> None:
    put(project, {"resplint.toml": '[level]\nRL102 = "note"\n'})
    (project / FILE).unlink()
    assert run("baseline", "--level", "warning").output.startswith(f"{FILE}: 2 entries")
    assert run("baseline").output.startswith(f"{FILE}: 3 entries (1 added, 2 kept, 0 removed)")
    assert run("baseline", "--level", "error").output.startswith(f"{FILE}: 3 entries (0 added, 3 kept, 0 removed)")


# -- configuration and mistakes -------------------------------------------------------------------------------------


def test_the_configuration_names_it_from_where_it_stands(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(project, {"resplint.toml": 'baseline = "conf/base.jsonl"\n', "conf/keep": ""})
    (project / FILE).unlink()
    missing = run("scan")
    assert missing.exit_code == 2
    assert "base.jsonl: does not exist; 'resplint baseline' writes a baseline" in missing.output
    monkeypatch.chdir(project / "app")
    done = run("baseline", "..")
    assert done.output == f"{project / 'conf' / 'base.jsonl'}: 3 entries (3 added, 0 kept, 0 removed)\n"
    assert run("scan", "..").exit_code == 0
    assert run("scan").exit_code == 0
    assert run("scan", "--no-baseline").exit_code == 1
    empty = put(project, {"empty.jsonl": '{"resplint-baseline": 1}\n'}) / "empty.jsonl"
    assert run("scan", "--baseline", empty).exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["scan", "--baseline", "none.jsonl"], "none.jsonl: does not exist"),
        (["scan", "--baseline", "app"], "app: is a folder"),
        (["scan", "--baseline", ""], "--baseline: expected the name of a file"),
        (["scan", "--baseline", "x", "--no-baseline"], "exclude each other"),
        (["baseline", "--expires", "tomorrow"], "--expires 'tomorrow': expected a date such as 2030-12-31."),
        (["baseline", "--expires", "20301231"], "--expires '20301231': expected a date"),
        (["baseline", "--expires", "2030-13-01"], "expected a date"),
        (["baseline", "none"], "none: no such file or folder"),
        (["baseline", "-"], "standard input ('-') cannot be accepted"),
        (["baseline", "--output", "app"], "Cannot write 'app'"),
        (["baseline", "--select", "RL999"], "unknown rule"),
    ],
)
def test_mistakes_are_one_line_and_exit_2(project: Path, arguments: list[str], told: str) -> None:
    before = (project / FILE).read_bytes()
    done = run(*arguments)
    assert done.exit_code == 2
    assert told in done.output
    assert done.output.count("\n") == 1
    assert (project / FILE).read_bytes() == before


def test_a_broken_baseline_is_neither_used_nor_overwritten(project: Path) -> None:
    broken = (project / FILE).read_text() + "<<<<<<< HEAD\n"
    (project / FILE).write_text(broken)
    for arguments in (["scan", "--baseline", FILE], ["baseline"]):
        done = run(*arguments)
        assert done.exit_code == 2
        assert f"{FILE}:5: a merge conflict is not resolved" in done.output
    assert (project / FILE).read_text() == broken


def test_hostile_text_in_a_baseline_is_harmless(project: Path) -> None:
    evil = "a\x1b[31m\r\n::error::forged\u202e \x00\x9b </details> `x`"
    edit(project, reason=evil, code=evil)
    for form in ("text", "json", "sarif", "github", "gitlab", "junit", "markdown", "sonar"):
        done = run("scan", "--baseline", FILE, "--format", form)
        assert done.exit_code == 0
        assert not set(done.output) & {"\x1b", "\r", "\u202e", "\x00", "\x9b"}
        assert not any(line.startswith("::error::") for line in done.output.splitlines())
    assert report("--baseline", FILE)["results"][0]["suppression"]["justification"] == escape(evil)
    edit(project, path=evil, symbol=evil, rule=evil)
    for form in ("text", "json", "sarif", "github", "markdown"):
        done = run("scan", "--baseline", FILE, "--format", form)
        assert done.exit_code == 1
        assert not set(done.output) & {"\x1b", "\r", "\u202e", "\x00", "\x9b"}
        assert not any(line.startswith("::error::") for line in done.output.splitlines())
    assert run("baseline").exit_code == 0


def test_paths_that_lead_out_of_the_project_do_nothing(project: Path) -> None:
    edit(project, path="../../../../../../../../etc/passwd")
    assert len(news()) == 3
    assert remarks("unused-baseline", "--baseline", FILE) == []
    edit(project, path="/etc/passwd")
    assert len(news()) == 3


def test_names_that_are_not_utf8(project: Path) -> None:
    (project / "app" / "queue.py").rename(os.fsdecode(os.fsencode(project) + b"/app/q\xff.py"))
    assert run("baseline").output.startswith(f"{FILE}: 3 entries (0 added, 3 kept, 0 removed)")
    assert news() == []
    assert json.loads((project / FILE).read_text().splitlines()[-1])["path"] == "app/q\udcff.py"


def test_a_pipe_gets_the_baseline_and_nothing_else(project: Path) -> None:
    import subprocess
    import sys

    command = [sys.executable, "-c", "from resplint.cli import main; main()", "baseline", "--output", "/dev/stdout"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ})
    assert done.stdout == (project / FILE).read_text()
    assert "3 entries" in done.stderr
