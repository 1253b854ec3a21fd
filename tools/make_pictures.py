"""Draw the pictures of the README: `make_pictures.py .work/packages/huey-3.5.4`, which `make scan` fetches.

Each shows what a terminal shows, as SVG: a finding with its trail, and the clients of a project.
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
import termios
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

IMAGES = Path(__file__).parents[1] / "docs" / "images"
COLUMNS = 100
PICTURES = {
    "terminal-finding": ["scan", "--select", "RL104"],
    "terminal-clients": ["clients"],
}
LINES = 24


def main() -> int:
    parser = argparse.ArgumentParser(description="Draw what a terminal shows.")
    parser.add_argument("project", type=Path)
    folder: Path = parser.parse_args().project
    for name, arguments in PICTURES.items():
        draw(folder, arguments, IMAGES / f"{name}.svg")
    return 0


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
