"""What is scanned together: each folder of the workspace, and each document that lies in none."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping

from resplint.config.loading import Config
from resplint.files.regular_files import is_inside
from resplint.scan import FactsMemory
from resplint.server.documents import Document
from resplint.server.places import path_of, uri_below, uri_of
from resplint.server.scanning import Scanned


class OpenProject:
    """A folder (or the document `only` in it, alone), and what is known of it.

    `generation` counts the changes to its files; `settled` is the generation up to which everything was scanned.
    `due_s` is when it is to be scanned next, in the time of the event loop; None if it need not be.
    """

    def __init__(self, root: str, uri: str, config: Config, only: str | None = None) -> None:
        self.root = os.path.realpath(root)
        self.uri = uri
        self.only = only
        self.config = config
        self.memory = FactsMemory()
        self.generation = 0
        self.settled = 0
        self.due_s: float | None = None
        self.outdated_since_s: float | None = None
        self.scanned: Scanned | None = None
        self.published: dict[str, object] = {}
        self.shown_mistakes: set[str] = set()
        self._waiting: list[asyncio.Future[None]] = []

    def holds(self, path: str) -> bool:
        """Whether a resolved path belongs to the project."""
        if self.only is not None:
            return path == os.path.join(self.root, self.only)
        return is_inside(path, self.root)

    def relative(self, path: str) -> str:
        """A resolved path as the scan names it."""
        return os.path.relpath(path, self.root).replace(os.sep, "/")

    def absolute(self, path: str) -> str:
        """The resolved path of what the scan names."""
        return os.path.join(self.root, *path.split("/"))

    def uri_of(self, path: str) -> str:
        """The URI of a file that is not open."""
        return uri_below(self.uri, path)

    def settle(self, generation: int) -> None:
        """Tell those who wait that the changes up to a generation were dealt with."""
        self.settled = max(self.settled, generation)
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    async def until_settled(self) -> None:
        """Wait until every change that happened so far was dealt with."""
        wanted = self.generation
        while self.settled < wanted:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(future)
            await future


class Projects:
    """The projects of a session."""

    def __init__(self, config: Config) -> None:
        """`config` is the one that holds until a project's own was read."""
        self._config = config
        self._folders: dict[str, OpenProject] = {}
        self._alone: dict[str, OpenProject] = {}

    def __iter__(self) -> Iterator[OpenProject]:
        return iter([*self._folders.values(), *self._alone.values()])

    def set_folders(self, uris: Mapping[str, str]) -> list[OpenProject]:
        """Take the folders of the workspace (name by URI); the projects that are none any more."""
        wanted = {uri: path for uri in uris if (path := path_of(uri)) is not None and os.path.isdir(path)}
        gone = [self._folders.pop(uri) for uri in list(self._folders) if uri not in wanted]
        for uri, path in wanted.items():
            if uri not in self._folders:
                self._folders[uri] = OpenProject(path, uri, self._config)
        for path in list(self._alone):
            if self._around(path) is not None:
                gone.append(self._alone.pop(path))
        return gone

    def of(self, document: Document) -> OpenProject:
        """The project that a document belongs to: the innermost folder around it, or itself alone."""
        around = self._around(document.path)
        if around is not None:
            return around
        if document.path not in self._alone:
            folder, name = os.path.split(document.path)
            self._alone[document.path] = OpenProject(folder, uri_of(folder), self._config, only=name)
        return self._alone[document.path]

    def drop_alone(self, path: str) -> OpenProject | None:
        """Forget a document in no folder; the project that it was, if it was one."""
        return self._alone.pop(path, None)

    def owns(self, project: OpenProject, path: str) -> bool:
        """Whether a project answers for a resolved path: folders of a workspace may lie in one another."""
        return (self._around(path) or self._alone.get(path)) is project

    def touched_by(self, path: str) -> list[OpenProject]:
        """The projects that a resolved path belongs to."""
        return [project for project in self if project.holds(path)]

    def _around(self, path: str) -> OpenProject | None:
        around = [project for project in self._folders.values() if project.holds(path)]
        return max(around, key=lambda project: len(project.root), default=None)
