"""`resplint scan --fix` as people and scripts meet it. The check is a stub, everything else is real."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from resplint.cli.app import cli
from resplint.contracts import facts
from resplint.contracts.findings import Edit, Finding, Fix, FixSafety, Level, Place, Precision
from resplint.model.project import Project
from resplint.scan import analysis

BATCH = """\
import redis

client = redis.Redis(max_connections=8, socket_timeout=5)


def flush(keys):
    pipe = client.pipeline()
    for key in keys:
        pipe.delete(key)
    return pipe.execute()
"""
FIXED = BATCH.replace("pipeline()", "pipeline(transaction=False)")
SCAN = ("scan", "--select", "RL201")


class Stub:
    """Reports every call of `pipeline()` without arguments, with a fix."""

    def __init__(self) -> None:
        self.safety = FixSafety.SAFE
        self.level = Level.WARNING
        self.edits: Callable[[str, int], list[Edit]] = lambda path, at: [Edit(Place(path, at, at), "transaction=False")]

    def __call__(self, project: Project) -> Iterator[Finding]:
        for index in project.store.loaded:
            path = index.facts.path
            for expr in index.facts.exprs:
                callee = index.facts.exprs[expr.callee] if isinstance(expr, facts.Call) else None
                if isinstance(callee, facts.Member) and callee.name == "pipeline" and not expr.arguments:  # type: ignore[union-attr]
                    fix = Fix("Send the batch without MULTI/EXEC", self.safety, tuple(self.edits(path, expr.end - 1)))
                    place = Place(path, expr.start, expr.end)
                    yield Finding("RL201", self.level, Precision.HIGH, "A batch is a transaction.", place, fix=fix)


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Stub:
    stub = Stub()
    load = analysis.load_check
    monkeypatch.setattr(analysis, "load_check", lambda name: stub if name == "pipeline-transaction" else load(name))
    return stub


@pytest.fixture
def project(tmp_path: Path, stub: Stub) -> Path:
    (tmp_path / "a.py").write_text(BATCH)
    (tmp_path / "b.py").write_text(BATCH)
    return tmp_path


def run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], input=stdin, catch_exceptions=False)


def texts(project: Path) -> dict[str, str]:
    return {path.name: path.read_bytes().decode() for path in sorted(project.iterdir()) if path.suffix == ".py"}


# -- --fix ----------------------------------------------------------------------------------------------------------


def test_without_the_option_nothing_is_written_and_the_hint_names_it(project: Path) -> None:
    result = run(*SCAN, project)
    assert result.exit_code == 1
    assert texts(project) == {"a.py": BATCH, "b.py": BATCH}
    assert result.stdout.count("fix available (--fix): Send the batch without MULTI/EXEC") == 2


def test_fix_applies_and_reports_what_remains(project: Path) -> None:
    result = run(*SCAN, "--fix", project)
    assert result.exit_code == 0
    assert texts(project) == {"a.py": FIXED, "b.py": FIXED}
    assert result.stdout == "No findings; 2 of 2 files use Redis\n"
    assert result.stderr == "2 fixed\n"


def test_a_second_run_changes_nothing(project: Path) -> None:
    run(*SCAN, "--fix", project)
    before = {path: os.stat(path) for path in project.iterdir()}
    result = run(*SCAN, "--fix", project)
    assert (result.exit_code, result.stderr) == (0, "0 fixed\n")
    assert {path: os.stat(path) for path in project.iterdir()} == before


def test_unsafe_fixes_need_their_option(project: Path, stub: Stub) -> None:
    stub.safety = FixSafety.UNSAFE
    result = run(*SCAN, "--fix", project)
    assert result.exit_code == 1
    assert texts(project) == {"a.py": BATCH, "b.py": BATCH}
    assert "fix available (--unsafe-fixes)" in result.stdout
    assert result.stderr == "0 fixed; 2 more with --unsafe-fixes\n"
    result = run(*SCAN, "--unsafe-fixes", project)
    assert (result.exit_code, result.stderr) == (0, "2 fixed\n")
    assert texts(project) == {"a.py": FIXED, "b.py": FIXED}


def test_display_fixes_are_never_written(project: Path, stub: Stub) -> None:
    stub.safety = FixSafety.DISPLAY
    result = run(*SCAN, "--unsafe-fixes", project)
    assert (result.exit_code, result.stderr) == (1, "0 fixed\n")
    assert "fix available" not in result.stdout
    assert texts(project) == {"a.py": BATCH, "b.py": BATCH}


def test_suppressed_findings_stay_as_they_are(project: Path) -> None:
    kept = BATCH.replace("pipeline()", "pipeline()  # resplint: ignore[RL201] wanted")
    (project / "a.py").write_text(kept)
    result = run(*SCAN, "--fix", project)
    assert (result.exit_code, result.stderr) == (0, "1 fixed\n")
    assert texts(project) == {"a.py": kept, "b.py": FIXED}


@pytest.mark.parametrize(("flags", "fixed"), [([], False), (["--level", "note"], True), (["--fail-on", "note"], True)])
def test_notes_are_fixed_where_they_are_shown(project: Path, stub: Stub, flags: list[str], fixed: bool) -> None:
    stub.level = Level.NOTE
    run(*SCAN, "--fix", *flags, project)
    assert (texts(project)["a.py"] == FIXED) == fixed


def test_what_the_level_hides_is_not_fixed(project: Path) -> None:
    run(*SCAN, "--fix", "--level", "error", project)
    assert texts(project) == {"a.py": BATCH, "b.py": BATCH}


def test_a_file_outside_the_arguments_is_not_touched(project: Path, stub: Stub) -> None:
    stub.edits = lambda path, at: [
        Edit(Place(path, at, at), "transaction=False"),
        Edit(Place("b.py" if path == "a.py" else "a.py", 0, 0), "import os\n"),
    ]
    result = run(*SCAN, "--fix", "--whole-project", project / "a.py")
    assert (result.exit_code, result.stderr) == (1, "0 fixed\n")
    assert texts(project) == {"a.py": BATCH, "b.py": BATCH}


def test_a_rule_that_is_ignored_in_a_file_does_not_change_it(project: Path, stub: Stub) -> None:
    (project / "resplint.toml").write_text('[per-path-ignores]\n"b.py" = ["RL201"]\n')
    stub.edits = lambda path, at: [
        Edit(Place(path, at, at), "transaction=False"), Edit(Place("b.py", 0, 0), "import os\n"),
    ]  # fmt: skip
    run(*SCAN, "--fix", project)
    assert texts(project) == {"a.py": BATCH, "b.py": BATCH}


def test_a_read_only_file_is_reported_and_its_finding_remains(project: Path) -> None:
    os.chmod(project / "a.py", 0o444)
    result = run(*SCAN, "--fix", project)
    assert result.exit_code == 1
    assert texts(project) == {"a.py": BATCH, "b.py": FIXED}
    assert "a.py:7:12: warning RL201" in result.stdout
    assert "Not fixed (1):\n  a.py: Not fixed: it is read-only." in result.stdout
    assert result.stderr == "1 fixed\n"


def test_a_broken_fix_is_an_internal_error_and_changes_nothing(project: Path, stub: Stub) -> None:
    stub.edits = lambda path, at: [Edit(Place(path, at, at), "((")]
    result = run(*SCAN, "--fix", project)
    assert result.exit_code == 3
    assert texts(project) == {"a.py": BATCH, "b.py": BATCH}
    assert "is left out: it would bring a syntax error" in result.stdout


@pytest.mark.parametrize("edits", [[], [(5, 4)], [(0, 10_000)], [(0, 5), (4, 6)], [(0, 6)]])
def test_an_impossible_fix_costs_only_the_fix(project: Path, stub: Stub, edits: list[tuple[int, int]]) -> None:
    stub.edits = lambda path, at: [Edit(Place(path, *span), "import") for span in edits]
    result = run(*SCAN, project)
    assert result.exit_code == 3
    assert "2 findings" in result.stdout
    assert "its fix is left out" in result.stdout


def test_only_changed_files_are_parsed_again(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "a.py").write_text(FIXED)
    lowered: list[str] = []
    from resplint.scan import selecting

    original = selecting.lower_all

    def counting(tasks: Any, *rest: Any, **named: Any) -> Any:
        lowered.extend(path for path, _ in tasks)
        return original(tasks, *rest, **named)

    monkeypatch.setattr(selecting, "lower_all", counting)
    run(*SCAN, "--fix", project)
    assert lowered == ["a.py", "b.py", "b.py"]


def test_a_file_that_changes_during_the_scan_is_not_written(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor do its findings show the new text: they are those of the text that was analysed."""
    from resplint.scan import selecting

    original = selecting.lower_all

    def meddling(*arguments: Any, **named: Any) -> Any:
        yield from original(*arguments, **named)
        (project / "a.py").write_text("# somebody else was here\n" + BATCH)

    monkeypatch.setattr(selecting, "lower_all", meddling)
    result = run(*SCAN, "--fix", project / "a.py")
    assert texts(project)["a.py"] == "# somebody else was here\n" + BATCH
    assert "a.py: Not fixed: it has changed since it was analysed." in result.stdout
    assert result.stderr == "0 fixed\n"
    assert result.exit_code == 1


# -- beside other options -------------------------------------------------------------------------------------------


def git(project: Path, *arguments: str) -> None:
    names = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *names, *arguments], cwd=project, check=True, capture_output=True)


def test_what_the_baseline_accepts_is_not_fixed(project: Path) -> None:
    run("baseline", "--select", "RL201", "--output", project / "accepted.jsonl", project)
    new = BATCH.replace("def flush", "def flush_more")
    (project / "c.py").write_text(new)
    result = run(*SCAN, "--fix", "--baseline", project / "accepted.jsonl", project)
    assert (result.exit_code, result.stderr) == (0, "1 fixed\n")
    assert texts(project) == {
        "a.py": BATCH,
        "b.py": BATCH,
        "c.py": new.replace("pipeline()", "pipeline(transaction=False)"),
    }


def test_only_what_a_change_has_brought_is_fixed(project: Path) -> None:
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-q", "-m", "before")
    (project / "a.py").write_text("# moved\n" + BATCH)
    new = BATCH.replace("flush", "flush_more").replace("delete", "unlink")
    (project / "c.py").write_text(new)
    result = run(*SCAN, "--fix", "--diff-base", "HEAD", project)
    assert (result.exit_code, result.stderr) == (0, "1 fixed\n")
    fixed = new.replace("pipeline()", "pipeline(transaction=False)")
    assert texts(project) == {"a.py": "# moved\n" + BATCH, "b.py": BATCH, "c.py": fixed}


def test_reports_beside_it_tell_what_remains(project: Path) -> None:
    os.chmod(project / "a.py", 0o444)
    run(*SCAN, "--fix", "--format", "json", "--report", f"sarif={project / 'r.sarif'}", project)
    (result,) = json.loads((project / "r.sarif").read_text())["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a.py"


# -- --diff ---------------------------------------------------------------------------------------------------------

DIFF = """\
--- a/{name}
+++ b/{name}
@@ -4,7 +4,7 @@
 
 
 def flush(keys):
-    pipe = client.pipeline()
+    pipe = client.pipeline(transaction=False)
     for key in keys:
         pipe.delete(key)
     return pipe.execute()
"""


@pytest.mark.parametrize("flags", [["--diff"], ["--fix", "--diff"]])
def test_a_diff_shows_what_would_be_fixed_and_writes_nothing(project: Path, flags: list[str]) -> None:
    result = run(*SCAN, *flags, project)
    assert result.exit_code == 1
    assert result.stdout == DIFF.format(name="a.py") + DIFF.format(name="b.py")
    assert result.stderr == "2 would be fixed\n"
    assert texts(project) == {"a.py": BATCH, "b.py": BATCH}


def test_an_empty_diff_is_no_failure(project: Path, stub: Stub) -> None:
    stub.safety = FixSafety.UNSAFE
    result = run(*SCAN, "--diff", project)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "nothing to fix; 2 more with --unsafe-fixes\n"
    result = run(*SCAN, "--diff", "--unsafe-fixes", project)
    assert result.exit_code == 1
    assert result.stdout == DIFF.format(name="a.py") + DIFF.format(name="b.py")
    assert run(*SCAN, "--diff", "--unsafe-fixes", "--exit-zero", project).exit_code == 0


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("head", ["", "\ufeff"])
@pytest.mark.parametrize("tail", ["\n", ""])
def test_git_applies_the_diff(project: Path, end: str, head: str, tail: str) -> None:
    short = "import redis\nclient = redis.Redis(max_connections=8)\n\nnothing = 1  \nclient.pipeline()"
    for name, text in {"a.py": short, "b.py": BATCH.rstrip("\n")}.items():
        (project / name).write_bytes((head + text + tail).replace("\n", end).encode())
    wanted = {name: text.replace("pipeline()", "pipeline(transaction=False)") for name, text in texts(project).items()}
    (project / "fixes.diff").write_bytes(run(*SCAN, "--diff", project).stdout_bytes)
    subprocess.run(["git", "apply", "--whitespace=nowarn", "fixes.diff"], cwd=project, check=True)
    assert texts(project) == wanted


def test_a_diff_can_go_to_a_file_and_reports_beside_it_tell_what_is_wrong(project: Path) -> None:
    result = run(*SCAN, "--diff", "--output", project / "out", "--report", f"json={project / 'r.json'}", project)
    assert (result.exit_code, result.stdout) == (1, "")
    assert (project / "out").read_text().startswith("--- a/a.py\n")
    assert len(json.loads((project / "r.json").read_text())["results"]) == 2


def test_a_diff_holds_no_raw_control_characters(project: Path) -> None:
    (project / "a.py").write_text(BATCH.replace("for key in keys:", "for key in keys:  # \x1b[31m \u202e"))
    (project / "b.py").unlink()
    output = run(*SCAN, "--diff", project).stdout
    assert "# \\x1b[31m \\u202e\n" in output
    assert "\x1b" not in output


# -- standard input -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_fixed_standard_input_goes_to_standard_output(project: Path, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    before = texts(project)
    data = BATCH.replace("\n", end).encode()
    result = run(*SCAN, "--fix", "-", "--stdin-filename", "a.py", stdin=data)
    assert result.stdout_bytes == FIXED.replace("\n", end).encode()
    assert result.stderr == "No findings; 1 of 1 file uses Redis\n1 fixed\n"
    assert texts(project) == before


def test_standard_input_without_findings_comes_out_as_it_went_in(project: Path) -> None:
    data = b"\xef\xbb\xbfname = 'caf\xe9'\r\n"
    assert run(*SCAN, "--fix", "-", stdin=data).stdout_bytes == data


def test_a_diff_of_standard_input(project: Path) -> None:
    result = run(*SCAN, "--diff", "-", "--stdin-filename", "new.py", stdin=BATCH.encode())
    assert (result.exit_code, result.stdout) == (1, DIFF.format(name="new.py"))
