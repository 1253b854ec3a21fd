"""When to scan: soon after a change but not during one, the newest state only, one project at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from resplint.server.projects import OpenProject, Projects

TYPING_PAUSE_S = 0.25
"""How long the user has to pause before a change is scanned."""
PATIENCE_S = 5.0
"""A scan is given up when the project changes meanwhile, unless that goes on for so long already."""


class Scheduler:
    """Runs `scan` for every project that is due. `scan` must not raise."""

    def __init__(self, projects: Projects, scan: Callable[[OpenProject], Awaitable[None]]) -> None:
        self._projects = projects
        self._scan = scan
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin; the event loop must be running."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    def stop(self) -> None:
        """Begin no further scan."""
        if self._task is not None:
            self._task.cancel()

    def changed(self, project: OpenProject, pause_s: float = 0.0) -> None:
        """A file of a project changed: scan it when nothing else changes for `pause_s` seconds."""
        project.generation += 1
        project.due_s = asyncio.get_running_loop().time() + pause_s
        self._wake.set()

    def hurry(self, project: OpenProject) -> None:
        """Scan a project at once if it is to be scanned at all."""
        if project.due_s is not None:
            project.due_s = min(project.due_s, asyncio.get_running_loop().time())
            self._wake.set()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self._wake.clear()
            due = [project for project in self._projects if project.due_s is not None]
            project = min(due, key=lambda each: each.due_s or 0.0, default=None)
            if project is None:
                await self._wake.wait()
                continue
            wait_s = (project.due_s or 0.0) - loop.time()
            if wait_s > 0:
                with suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), wait_s)
                continue
            project.due_s = None
            await self._scan(project)


def interruption(project: OpenProject, now_s: float) -> Callable[[], bool]:
    """Whether a scan that begins now is outdated, to be asked from any thread."""
    began = project.generation
    if project.outdated_since_s is not None and now_s - project.outdated_since_s > PATIENCE_S:
        return lambda: False
    return lambda: project.generation != began
