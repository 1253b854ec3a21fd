"""From an edit to its diagnostics: `python -m speed.editing FOLDER FILE LINE …` prints a sample for each line, as JSON.

It opens the folder in the language server as an editor does, waits for the first diagnostics, and appends one line
after the other. A sample's CPU is the server's, its seconds by the clock include the pause for which the server waits.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from speed.process import Sample

if TYPE_CHECKING:
    from tests.server.editor import Editor

PROCESSES = Path("/proc")
CAN_MEASURE = (PROCESSES / "self" / "stat").is_file()
"""Whether this system tells what another process has used."""
PATIENCE_S = 600.0


async def session(folder: Path, path: Path, lines: list[str]) -> list[Sample]:
    """One session of the language server, with an edit for each line."""
    from tests.server import editor as editors  # noqa: PLC0415 - with it comes pytest

    editors.TIMEOUT_S = PATIENCE_S
    editor = await editors.Editor.start(folder, command=[sys.executable, "-m", "resplint", "server"])
    editor.open(path)
    await editor.settled(path)
    samples = [await _edited(editor, path, editor.texts[path] + "\n" + line) for line in lines]
    await editor.stop()
    return samples


async def _edited(editor: Editor, path: Path, text: str) -> Sample:
    server = editor.client._server
    assert server is not None
    before_s, started = _cpu_s(server.pid), time.perf_counter()
    editor.change(path, text)
    await editor.settled(path)
    return Sample(time.perf_counter() - started, _cpu_s(server.pid) - before_s, _peak_mb(server.pid))


def _cpu_s(pid: int) -> float:
    """User and system time of a process, of its children, and of those that have ended."""
    fields = _stat(pid)
    ended = sum(int(fields[at]) for at in (11, 12, 13, 14)) / os.sysconf("SC_CLK_TCK")
    return ended + sum(_cpu_s(child) for child in _children(pid))


def _children(pid: int) -> list[int]:
    found = []
    for each in PROCESSES.iterdir():
        if each.name.isdecimal():
            try:
                if int(_stat(int(each.name))[1]) == pid:
                    found.append(int(each.name))
            except OSError:
                continue  # it has ended meanwhile
    return found


def _stat(pid: int) -> list[str]:
    """What the system says about a process, from its state on: its name before that may have blanks."""
    return (PROCESSES / str(pid) / "stat").read_text("utf-8").rpartition(") ")[2].split()


def _peak_mb(pid: int) -> float:
    for each in (PROCESSES / str(pid) / "status").read_text("utf-8").splitlines():
        if each.startswith("VmHWM:"):
            return int(each.split()[1]) * 1024 / 1e6
    return 0.0


def main() -> None:
    folder, path, *lines = sys.argv[1:]
    samples = asyncio.run(session(Path(folder).resolve(), Path(path).resolve(), lines))
    sys.stdout.buffer.write(msgspec.json.encode(samples))


if __name__ == "__main__":
    main()
