"""What is not there is answered with what was probably meant."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from resplint.cli.app import cli
from resplint.knowledge.load import load_book


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: one with a source file and a folder of services."""
    (tmp_path / "services" / "api").mkdir(parents=True)
    (tmp_path / "services" / "api" / "jobs.py").write_text("import redis\n")
    (tmp_path / "my notes.py").write_text("import redis\n")
    (tmp_path / "resplint.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(line: str) -> str:
    """The last line of what `resplint …` says to wrong usage."""
    result = CliRunner().invoke(cli, shlex.split(line), catch_exceptions=False)
    assert result.exit_code == 2, result.output
    return result.output.splitlines()[-1]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("scna", "Error: No such command 'scna'. Did you mean `resplint scan`?"),
        ("expalin RL104", "Error: No such command 'expalin'. Did you mean `resplint explain`?"),
        ("check", "Error: No such command 'check'. Did you mean `resplint scan`?"),
        ("lint services", "Error: No such command 'lint'. Did you mean `resplint scan`?"),
        (".", "Error: No such command '.'. To scan it, type `resplint scan .`."),
        ("services/api", "Error: No such command 'services/api'. To scan it, type `resplint scan services/api`."),
        ("'my notes.py'", "Error: No such command 'my notes.py'. To scan it, type `resplint scan 'my notes.py'`."),
        ("frobnicate", "Error: No such command 'frobnicate'."),
        ("--format json .", "Error: No such option '--format'. Did you mean `resplint scan --format`?"),
    ],
)
def test_an_unknown_command(line: str, said: str) -> None:
    # Older versions of click write names without quotes.
    assert refused(line).replace("--format. Did", "'--format'. Did") == said


@pytest.mark.parametrize(
    ("line", "said"),
    [("--versio", "--version"), ("scan --formt json", "--format"), ("explain --langage x", "--language")],
)
def test_an_unknown_option(line: str, said: str) -> None:
    assert f"{said}" in refused(line).partition("Did you mean")[2]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("scan --select RL14", "resplint: --select: unknown rule 'RL14'; did you mean \"RL104\"?"),
        ("explain RL114", "Did you mean RL111? `resplint rules` lists them all."),
        ("scan --ignore blocking-timeot", 'did you mean "blocking-timeout"?'),
        ("scan --select RL999", "`resplint rules` lists them."),
        ("explain block-timeout", "Did you mean blocking-timeout? `resplint rules` lists them all."),
        ("explain rl30", "'rl30' stands for 1 rule: name it, RL301."),
        ("explain RL999", "resplint: No rule is called 'RL999'. `resplint rules` lists them all."),
    ],
)
def test_an_unknown_rule(line: str, said: str) -> None:
    assert refused(line).endswith(said)


def test_the_beginning_of_codes_is_answered_with_the_codes() -> None:
    codes = [code for code in load_book() if code.startswith("RL1")]
    said = refused("explain RL1")
    assert said == f"resplint: 'RL1' stands for {len(codes)} rules: name one of {', '.join(codes)}."


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("scan servces", "resplint: servces: no such file or folder; did you mean 'services'?"),
        ("scan servces/api/jobs.py", "did you mean 'services/api/jobs.py'?"),
        ("scan services/apii/new.py", "did you mean 'services/api'?"),
        ("scan {here}/services/api/job.py", "did you mean '{here}/services/api/jobs.py'?"),
        ("scan nothing/like/it", "no such file or folder; give an existing file or folder."),
        ("scan --config resplint.tml", "resplint.tml: does not exist; did you mean 'resplint.toml'?"),
        ("scan --baseline resplint-toml", "resplint-toml: does not exist; did you mean '{here}/resplint.toml'?"),
        ("why services/api/job.py:1", "There is no file services/api/job.py; did you mean 'services/api/jobs.py'?"),
    ],
)
def test_a_path_that_does_not_exist(project: Path, line: str, said: str) -> None:
    here = os.path.realpath(project)
    assert refused(line.format(here=here)).endswith(said.format(here=here))


def test_names_of_files_cannot_forge_lines(project: Path) -> None:
    (project / "jobs\n::error::x.py").write_text("")
    assert refused("scan 'jobs ::error::x.py'").endswith("did you mean 'jobs\\n::error::x.py'?")


def test_a_wrong_value_is_answered_with_the_right_ones_and_nothing_else(project: Path) -> None:
    (project / "resplint.toml").write_text('fail-on = "high"\n')
    expected = 'fail-on: expected one of "note", "warning", "error", "never", not \'high\'.'
    assert refused("scan .").endswith(expected)
