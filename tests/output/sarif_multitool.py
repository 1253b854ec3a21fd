"""Microsoft's validator of SARIF files, asked as GitHub's documentation recommends."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from pathlib import Path

from tests.tooling import npm_package

VERSION = "5.7.0"
# Rules that contradict each other: GH1007 demands the text of a message where SARIF2002 wants its id.
CONTRADICTED = {"SARIF2002"}
_BINARIES = {"Linux": "sarif-multitool-linux/Sarif.Multitool", "Darwin": "sarif-multitool-darwin/Sarif.Multitool"}


def complaints(*files: Path) -> dict[Path, list[str]]:
    """Errors and warnings on each SARIF file, whose names differ, from the tool's output log: its exit status is 0
    whatever it finds.
    """
    log = files[0].with_suffix(".validated.json")
    done = subprocess.run(
        [
            npm_package("@microsoft/sarif-multitool", VERSION) / "@microsoft" / _BINARIES[platform.system()],
            "validate", *files, "--rule-kind", "Sarif;Gh", "--level", "Error;Warning", "--output", log,
            "--log", "ForceOverwrite",
        ],
        env={**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )  # fmt: skip
    (run,) = json.loads(log.read_text("utf-8-sig"))["runs"]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"], done.stdout + done.stderr
    assert not invocation.get("toolConfigurationNotifications"), invocation
    said: dict[Path, list[str]] = {file: [] for file in files}
    for found in run.get("results", ()):
        uri = found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        (file,) = (each for each in files if uri.endswith(f"/{each.name}"))
        if found["ruleId"] not in CONTRADICTED:
            said[file].append(f"{found['ruleId']} {found.get('level', 'warning')} {found['message'].get('arguments')}")
    return said
