"""The one folder that an assistant may ask about."""

from __future__ import annotations

import os
from pathlib import Path

from resplint.contracts.errors import UserError
from resplint.files.regular_files import is_inside, shown


class Workspace:
    """A folder. Whatever is asked lies in it, also when links are followed."""

    def __init__(self, folder: Path) -> None:
        """Raises `UserError` for what is no folder of a project."""
        if not folder.is_dir():
            raise UserError(f"{shown(str(folder))} is no folder: name the folder of the project.")
        self.root = os.path.realpath(folder)
        if self.root in (os.path.realpath(os.sep), os.path.realpath(os.path.expanduser("~"))):
            raise UserError(f"{self.root} is no project: start `resplint mcp` in the folder of one, or name it.")

    def relative(self, path: str) -> str:
        """A path, absolute or relative to the folder, as scans name it; "" for the folder itself.

        Raises `UserError` for one that leads out of the folder or does not exist.
        """
        try:
            found = os.path.realpath(os.path.join(self.root, path))
        except ValueError as error:
            raise UserError(f"{shown(path)} is no path.") from error
        if not is_inside(found, self.root):
            raise UserError(f"{shown(path)} lies outside the workspace {self.root}: ask about what is in it.")
        if not os.path.exists(found):
            raise UserError(f"There is no {shown(path)} in the workspace {self.root}.")
        return "" if found == self.root else os.path.relpath(found, self.root).replace(os.sep, "/")

    def file(self, path: str) -> str:
        """The same for a file."""
        found = self.relative(path)
        if not os.path.isfile(os.path.join(self.root, found)):
            raise UserError(f"{shown(path)} is no file.")
        return found


def is_below(path: str, folders: tuple[str, ...]) -> bool:
    """Whether a path as scans name it is one of some others or below it; there are none: of course."""
    return not folders or any(not each or path == each or path.startswith(f"{each}/") for each in folders)
