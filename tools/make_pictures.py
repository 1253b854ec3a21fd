"""Draw the pictures of the documentation: ``make_pictures.py .work/packages/huey-3.5.4 .work/packages/…``.

Of the first project (`make scan` fetches them), what a terminal shows, as SVG: a finding with its trail, and its
clients. Of all of them, the page that `resplint report` makes, as PNG: its beginning, and that finding.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from rich.console import Console
from rich.text import Text

from tests.tooling import chromium

IMAGES = Path(__file__).parents[1] / "docs" / "images"
COLUMNS = 100
PICTURES = {
    "terminal-finding": ["scan", "--select", "RL104"],
    "terminal-clients": ["clients"],
}
LINES = 24
FINDING = "BLPOP waits forever"
"""How the finding of the pictures begins."""
PAGE = {"width": 1200, "height": 900}


def main() -> int:
    parser = argparse.ArgumentParser(description="Draw what a terminal and a browser show.")
    parser.add_argument("projects", type=Path, nargs="+")
    projects: list[Path] = parser.parse_args().projects
    for name, arguments in PICTURES.items():
        draw(projects[0], arguments, IMAGES / f"{name}.svg")
    with tempfile.TemporaryDirectory() as folder:
        photograph(report(projects, Path(folder)))
    return 0


def report(projects: Sequence[Path], folder: Path) -> Path:
    """The page of the findings in all projects."""
    files = []
    for project in projects:
        files.append(str(folder / f"{project.name}.sarif"))
        sarif = ["--format", "sarif", "--output", files[-1], "--fail-on", "never"]
        _resplint("scan", project.name, *sarif, folder=project.parent)
    page = folder / "report.html"
    _resplint("report", "--html", str(page), *files, folder=folder)
    return page


def photograph(page: Path) -> None:
    """Its beginning, and one finding with the way to it."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(chromium()), args=["--headless=new", "--no-sandbox"])
        opened: Page = browser.new_page(viewport=PAGE, color_scheme="light")
        opened.goto(page.as_uri())
        opened.screenshot(path=IMAGES / "report.png")
        finding = opened.locator(".finding", has_text=FINDING).first
        opened.goto(f"{page.as_uri()}#{finding.get_attribute('id')}")
        opened.reload()
        opened.locator(f"[id='{finding.get_attribute('id')}']").screenshot(path=IMAGES / "finding.png")
        browser.close()


def _resplint(*arguments: str, folder: Path) -> None:
    subprocess.run([sys.executable, "-m", "resplint", *arguments], cwd=folder, check=True, stderr=subprocess.DEVNULL)


def draw(folder: Path, arguments: Sequence[str], target: Path) -> None:
    """What resplint prints in a folder, as a picture."""
    shown = _in_terminal([sys.executable, "-m", "resplint", *arguments], folder)
    console = Console(width=COLUMNS, record=True, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi("\n".join(shown.splitlines()[:LINES]).rstrip()))
    svg = console.export_svg(title=f"resplint {' '.join(arguments)}", unique_id=target.stem)
    target.write_text(re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL), "utf-8")


def _in_terminal(command: Sequence[str], folder: Path) -> str:
    """What a command prints where its output is a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS")}
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=theirs, stderr=subprocess.DEVNULL):
        os.close(theirs)
        parts: list[bytes] = []
        with contextlib.suppress(OSError):  # how Linux says that the other side is closed
            while part := os.read(ours, 65536):
                parts.append(part)
    os.close(ours)
    return b"".join(parts).decode()


if __name__ == "__main__":
    sys.exit(main())
