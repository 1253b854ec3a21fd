"""Completion in real shells, with the script that `resplint completion` prints."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tree_sitter_powershell
from click.testing import CliRunner
from tree_sitter import Language, Parser

from resplint.cli.app import cli
from resplint.knowledge.load import load_book

BIN = Path(sys.executable).parent
BOOK = load_book()


def script(shell: str) -> str:
    done = CliRunner().invoke(cli, ["completion", shell])
    assert done.exit_code == 0
    return done.output


def in_bash(tmp_path: Path, *words: str) -> list[str]:
    """What bash has to offer for the last of the words."""
    (tmp_path / "resplint.bash").write_text(script("bash"), "utf-8")
    typed = " ".join(map(shlex.quote, words))
    code = f"""
        source {shlex.quote(str(tmp_path / "resplint.bash"))}
        complete -p resplint >&2
        COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}
        _resplint_completion resplint
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-c", code],
        env={**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "_resplint_completion" in done.stderr
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("resplint", "ex"), ["explain"]),
        (("resplint", "explain", "RL10"), [code for code in sorted(BOOK) if code.startswith("RL10")]),
        (("resplint", "explain", "rl40"), [code for code in sorted(BOOK) if code.startswith("RL40")]),
        (("resplint", "explain", "blocking-t"), ["blocking-timeout"]),
        (("resplint", "scan", "--select", "RL1,unbounded-p"), ["RL1,unbounded-pool"]),
        (("resplint", "scan", "--ignore", "al"), ["all"]),
        (("resplint", "scan", "--fail-on", "n"), ["note", "never"]),
        (("resplint", "scan", "--exit"), ["--exit-zero"]),
        (("resplint", "completion", ""), ["bash", "zsh", "fish", "powershell"]),
    ],
)
def test_bash_completes(tmp_path: Path, words: tuple[str, ...], offered: list[str]) -> None:
    assert in_bash(tmp_path, *words) == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_the_script_begins_with_how_to_install_it(shell: str) -> None:
    first, second, third, *_ = script(shell).splitlines()
    assert shell in first
    assert f"resplint completion {shell}" in third or f"resplint completion {shell}" in second
    assert all(line.startswith("#") for line in (first, second))
    assert "%(" not in script(shell)


@pytest.mark.parametrize("shell", [name for name in ("bash", "zsh", "fish") if shutil.which(name)])
def test_the_script_is_valid(tmp_path: Path, shell: str) -> None:
    file = tmp_path / "script"
    file.write_text(script(shell), "utf-8")
    subprocess.run([shell, "-n", file], check=True, timeout=60)


@pytest.mark.parametrize(("shell", "words"), [("zsh", "resplint explain RL40"), ("fish", "resplint explain RL40")])
def test_other_shells_get_names_with_titles(shell: str, words: str) -> None:
    """What their scripts ask resplint for, and the answer."""
    environment = {**os.environ, "_RESPLINT_COMPLETE": f"{shell}_complete", "COMP_WORDS": words, "COMP_CWORD": "2"}
    if shell == "fish":
        environment["COMP_CWORD"] = "RL40"
    done = subprocess.run([BIN / "resplint"], env=environment, capture_output=True, text=True, check=True, timeout=60)
    assert "RL401" in done.stdout
    assert "A whole read of a hash" in done.stdout


def in_powershell(before: str, typed: str) -> list[list[str]]:
    """What the script for PowerShell asks resplint for, and the answers: kind, value, help."""
    environment = {**os.environ, "_RESPLINT_COMPLETE": "powershell_complete", "COMP_WORDS": before}
    environment["COMP_CWORD"] = typed
    done = subprocess.run([BIN / "resplint"], env=environment, capture_output=True, text=True, check=True, timeout=60)
    return [line.split("\t") for line in done.stdout.splitlines()]


def test_powershell_gets_kind_value_and_help() -> None:
    assert [value for _, value, _ in in_powershell("resplint", "ex")] == ["explain"]
    assert ["plain", "RL401", "A whole read of a hash"] in [
        [kind, value, help_[:22]] for kind, value, help_ in in_powershell("resplint\nexplain", "RL40")
    ]
    assert [value for _, value, _ in in_powershell("resplint\nscan\n--select", "RL1,unbounded-p")] == [
        "RL1,unbounded-pool"
    ]
    # An empty word and one in quotes, as the syntax tree of the command has it.
    offered = [value for _, value, _ in in_powershell('resplint\n"completion"', "")]
    assert offered == ["bash", "zsh", "fish", "powershell"]
    # PowerShell completes files itself.
    assert in_powershell("resplint\nscan\n--config", "res") == [["file", "res", ""]]


def test_the_script_for_powershell_parses() -> None:
    parser = Parser(Language(tree_sitter_powershell.language()))
    assert not parser.parse(script("powershell").encode()).root_node.has_error
    assert parser.parse(script("powershell").replace("} finally", "finally").encode()).root_node.has_error
