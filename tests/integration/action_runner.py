"""Runs a composite action as a GitHub runner does: its own `run` steps, in order, each in the shell that it names.

Steps that use other actions are not run but handed to the test, which says what comes of them. Everything else is as on
the runner, also what would make an unsafe action unsafe: expressions are put into scripts before a shell sees them,
output files are read with their delimiters, and the log is searched for workflow commands.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.integration.expressions import as_text, condition, interpolate

Used = Callable[[str, Mapping[str, str]], "tuple[str, dict[str, str]]"]
"""What a step with `uses` does: its reference and inputs → its outcome ("success" or "failure") and outputs."""

_COMMAND = re.compile(r"^\s*::([a-z-]+)(?: ([^\r\n]*?))?::(.*)$", re.DOTALL)
_OLD_COMMAND = re.compile(r"##\[([a-z-]+)( [^\]]*)?\](.*)", re.DOTALL)
_COMMANDS = {
    "add-mask", "add-matcher", "add-path", "debug", "echo", "endgroup", "error", "group", "notice", "remove-matcher",
    "save-state", "set-env", "set-output", "stop-commands", "warning",
}  # fmt: skip
_TIMEOUT_S = 120


@dataclass(frozen=True)
class Command:
    """A workflow command that the runner found in the log."""

    name: str
    properties: Mapping[str, str]
    message: str


@dataclass
class Step:
    """What became of a step; `outcome` is "success", "failure" or "skipped"."""

    name: str
    outcome: str
    outputs: dict[str, str] = field(default_factory=dict)
    log: str = ""
    used: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Run:
    """What became of the action."""

    outcome: str
    outputs: dict[str, str]
    steps: dict[str, Step]
    summary: str
    commands: list[Command]

    @property
    def log(self) -> str:
        return "".join(step.log for step in self.steps.values())


@dataclass
class Runner:
    """A machine with a checked-out repository in `workspace`.

    `premade` holds outputs of steps, by id, that are taken as done; `github` adds to the context and environment of the
    same name, `machine` to the environment around everything.
    """

    action: Path
    workspace: Path
    temporary: Path
    used: Used
    premade: Mapping[str, dict[str, str]] = field(default_factory=dict)
    github: Mapping[str, str] = field(default_factory=dict)
    machine: Mapping[str, str] = field(default_factory=dict)

    def run(self, **inputs: str) -> Run:
        """Run the action with `inputs` (underscores stand for dashes)."""
        action = yaml.safe_load((self.action / "action.yml").read_text("utf-8"))
        given = {name.replace("_", "-"): value for name, value in inputs.items()}
        assert set(given) <= set(action["inputs"]), "a runner warns of unknown inputs"
        self.temporary.mkdir(parents=True, exist_ok=True)
        self._steps: dict[str, Step] = {}
        self._failed = False
        self._environment: dict[str, str] = {}
        self._inputs = {name: given.get(name, as_text(one.get("default"))) for name, one in action["inputs"].items()}
        self._summary = ""
        for number, step in enumerate(action["runs"]["steps"]):
            name = step.get("id", f"step {number}")
            self._steps[name] = self._step(name, step)
            if self._steps[name].outcome == "failure" and not step.get("continue-on-error", False):
                self._failed = True
        outputs = {
            name: as_text(interpolate(one["value"], self._contexts(), {})) for name, one in action["outputs"].items()
        }
        commands = [command for step in self._steps.values() for command in commands_in(step.log)]
        return Run("failure" if self._failed else "success", outputs, self._steps, self._summary, commands)

    def _step(self, name: str, step: Mapping[str, Any]) -> Step:
        contexts = self._contexts()
        functions = {
            "always": lambda: True,
            "cancelled": lambda: False,
            "success": lambda: not self._failed,
            "failure": lambda: self._failed,
        }
        if not condition(as_text(step.get("if", "success()")), contexts, functions):
            return Step(name, "skipped")
        if name in self.premade:
            return Step(name, "success", dict(self.premade[name]))

        def values(key: str) -> dict[str, str]:
            return {each: interpolate(as_text(value), contexts, functions) for each, value in step.get(key, {}).items()}

        if "uses" in step:
            outcome, outputs = self.used(step["uses"], values("with"))
            return Step(name, outcome, outputs, used=values("with"))
        assert step["shell"] == "bash"
        return self._shell(name, interpolate(step["run"], contexts, functions), values("env"))

    def _shell(self, name: str, script: str, environment: Mapping[str, str]) -> Step:
        folder = self.temporary / "_runner_file_commands"
        folder.mkdir(exist_ok=True)
        files = {kind: folder / f"{kind}_{len(self._steps)}" for kind in ("OUTPUT", "STEP_SUMMARY", "ENV", "PATH")}
        for file in files.values():
            file.write_bytes(b"")
        written = self.temporary / f"script_{len(self._steps)}.sh"
        written.write_text(script, "utf-8", errors="surrogateescape")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(written)],
            cwd=self.workspace,
            env={
                **_machine(),
                **self.machine,
                "RUNNER_TEMP": str(self.temporary),
                # Of these two a composite action's scripts see nothing in the environment.
                **{
                    f"GITHUB_{key.upper()}": value
                    for key, value in self._github().items()
                    if key not in ("token", "action_ref")
                },
                **self._environment,
                **environment,
                **{f"GITHUB_{kind}": str(file) for kind, file in files.items()},
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_TIMEOUT_S,
            check=False,
        )
        self._summary += files["STEP_SUMMARY"].read_text("utf-8")
        self._environment |= pairs_in(files["ENV"].read_text("utf-8", errors="surrogateescape"))
        assert files["PATH"].read_bytes() == b"", "the action leaves the caller's PATH alone"
        outputs = pairs_in(files["OUTPUT"].read_text("utf-8", errors="surrogateescape"))
        log = done.stdout.decode("utf-8", "replace")
        return Step(name, "failure" if done.returncode else "success", outputs, f"{log}\n[exit {done.returncode}]\n")

    def _github(self) -> dict[str, str]:
        return {
            "action_path": str(self.action), "workspace": str(self.workspace), "actions": "true",
            "event_name": "push", "actor": "somebody", "server_url": "https://github.com", "repository": "some/shop",
            "sha": "0123456789abcdef0123456789abcdef01234567", "ref": "refs/heads/main", "token": "ghs_secret",
            "action_ref": "", **self.github,
        }  # fmt: skip

    def _contexts(self) -> dict[str, Any]:
        steps = {step.name: {"outputs": step.outputs, "outcome": step.outcome} for step in self._steps.values()}
        temporary = {"temp": str(self.temporary), "os": "Linux"}
        return {"inputs": self._inputs, "steps": steps, "github": self._github(), "runner": temporary}


def _machine() -> dict[str, str]:
    """The environment outside of GitHub's variables: where programs are, and how pip reaches its registry."""
    kept = ("PATH", "HOME", "LANG", "TMPDIR", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "http_proxy", "https_proxy")
    return {
        **{name: value for name, value in os.environ.items() if name in kept or name.upper() in kept},
        **{name: value for name, value in os.environ.items() if name.startswith("PIP_")},
        "CI": "true",
        "RUNNER_OS": {"darwin": "macOS", "win32": "Windows"}.get(sys.platform, "Linux"),
    }


def pairs_in(text: str) -> dict[str, str]:
    """Names and values of an output or environment file: `name=value`, or lines between delimiters."""
    pairs: dict[str, str] = {}
    lines = iter(text.split("\n"))
    for line in lines:
        if not line:
            continue
        equals, heredoc = line.find("="), line.find("<<")
        if heredoc >= 0 and (equals < 0 or heredoc < equals):
            name, delimiter = line.split("<<", 1)
            value: list[str] = []
            for inner in lines:
                if inner == delimiter:
                    break
                value.append(inner)
            else:
                raise ValueError(f"no end of {name}: the runner fails the step")
            pairs[name] = "\n".join(value)
        elif equals > 0:
            pairs[line[:equals]] = line[equals + 1 :]
        else:
            raise ValueError(f"not a pair: {line!r}: the runner fails the step")
    return pairs


def commands_in(log: str) -> list[Command]:
    """The workflow commands that a runner obeys, in both of the forms that it knows, unless it was told to stop."""
    found, stopped_until = [], ""
    for line in log.splitlines():
        if stopped_until:
            if line.strip() == f"::{stopped_until}::":
                stopped_until = ""
            continue
        match = _COMMAND.match(line) or _OLD_COMMAND.search(line)
        if match is None or match[1] not in _COMMANDS:
            continue
        if match[1] == "stop-commands":
            stopped_until = match[3]
            continue
        properties = dict(pair.split("=", 1) for pair in (match[2] or "").strip().split(",") if "=" in pair)
        unescaped = {
            key: _unescaped(value).replace("%3A", ":").replace("%2C", ",") for key, value in properties.items()
        }
        found.append(Command(match[1], unescaped, _unescaped(match[3])))
    assert not stopped_until, "commands stay stopped to the end"
    return found


def _unescaped(text: str) -> str:
    return text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
