"""Completion in real shells, with the script that `resplint completion` prints."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from resplint.cli.app import cli

BIN = Path(sys.executable).parent


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
        (("resplint", "explain", "RL10"), ["RL101", "RL102", "RL103", "RL104"]),
        (("resplint", "explain", "rl40"), ["RL401"]),
        (("resplint", "explain", "block"), ["blocking-timeout"]),
        (("resplint", "scan", "--select", "RL1,unb"), ["RL1,unbounded-pool"]),
        (("resplint", "scan", "--ignore", "al"), ["all"]),
        (("resplint", "scan", "--fail-on", "n"), ["note", "never"]),
        (("resplint", "scan", "--exit"), ["--exit-zero"]),
        (("resplint", "completion", ""), ["bash", "zsh", "fish"]),
    ],
)
def test_bash_completes(tmp_path: Path, words: tuple[str, ...], offered: list[str]) -> None:
    assert in_bash(tmp_path, *words) == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
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
