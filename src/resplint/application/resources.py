"""Which files a module of the JVM takes along beside its code, in which folders of its own ever they stand."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence

_FOLDERS = (
    "src/main/resources", "src/main/webapp", "WebRoot", "WebContent", "web", "resources", "resource", "config", "conf",
)  # fmt: skip
"""Where such files may stand, with all folders inside; those of the module's own folder count without them."""
_TEST = re.compile(r"(?:^|[-_.])(?:tests?|testing|unit|it)(?:$|[-_.])", re.IGNORECASE)
_PASSED_OVER = frozenset(("static", "templates", "public", "node_modules", "classes", "target", "i18n"))
_DEPTH = 3
MAX_RESOURCES = 400
"""Files of one suffix that are read in one module."""


def resources(folder: str, suffix: str, list_names: Callable[[str], Sequence[str]]) -> list[str]:
    """Paths of the files with a suffix that a module in `folder` takes along, sorted; those of tests are left out."""
    found = [posixpath.join(folder, name) for name in list_names(folder) if _fits(name, suffix)]
    for inner in _FOLDERS:
        found += _below(posixpath.join(folder, inner), suffix, list_names, _DEPTH)
    return sorted(set(found))


def _below(folder: str, suffix: str, list_names: Callable[[str], Sequence[str]], depth: int) -> Iterator[str]:
    for name in list_names(folder):
        path = posixpath.join(folder, name)
        if _fits(name, suffix):
            yield path
        elif depth and "." not in name and name not in _PASSED_OVER and not _TEST.search(name):
            yield from _below(path, suffix, list_names, depth - 1)


def _fits(name: str, suffix: str) -> bool:
    return name.endswith(suffix) and not _TEST.search(name.removesuffix(suffix))
