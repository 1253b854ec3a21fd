"""`make scan` shows two screens: a line for each project, three findings in full, and the totals."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parents[2] / "tools" / "first_scan.py"
QUEUE = """\
import redis

queue = redis.Redis(socket_timeout=5)


def take():
    return queue.blpop("jobs", timeout=30)
"""


def test_it_sums_up_and_shows_three_findings(tmp_path: Path) -> None:
    for name in ("first-1.0", "second-2.0"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "jobs.py").write_text(QUEUE)
    reports = tmp_path / "reports"
    reports.mkdir()
    packages = [str(tmp_path / name) for name in ("first-1.0", "second-2.0")]
    done = subprocess.run(
        [sys.executable, str(TOOL), "--reports", str(reports), *packages], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) < 96
    assert re.fullmatch(r"  first-1\.0 +1 +1 +1 +0 +0", next(line for line in lines if "first-1.0" in line))
    assert sum(": error RL104 " in line for line in lines) == 1, "the packages have findings of one rule only"
    assert any(re.fullmatch(r"  RL104 blocking-timeout +\d+ +\d+ +\d+", line) for line in lines[-24:])
    assert {path.name for path in reports.iterdir()} >= {"first-1.0.sarif", "second-2.0.sarif", "bad-python.sarif"}


def test_it_says_what_cannot_be_scanned(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(TOOL), "--reports", str(tmp_path), str(tmp_path / "nowhere")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "nowhere" in done.stderr
    assert "Traceback" not in done.stderr
