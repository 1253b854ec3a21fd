"""What a project has: languages, client libraries that its files import, and the tools around it."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import msgspec

from resplint.config.loading import project_root
from resplint.discovery.discover import SourceFile, discover
from resplint.discovery.other_languages import SUFFIXES, mentions_redis
from resplint.discovery.selector import Selector
from resplint.files.regular_files import UnreadableFileError, read_regular
from resplint.knowledge.load import load_libraries
from resplint.knowledge.records.client_records import ClientLibrary
from resplint.languages import EXTENSIONS, named_modules

_SIZE_LIMIT = 1_000_000
_HEAD = re.compile(r"ref: refs/(?:heads|remotes/origin)/([A-Za-z0-9][A-Za-z0-9._/-]{0,100})\s*")


class Survey(msgspec.Struct, frozen=True):
    """What is in a folder. `top` is the folder of its repository, or the folder itself.

    `languages` and `libraries` map names to counts of files, the most frequent first; so does `unsupported` for
    languages that are not analysed, whose files mention Redis. `texts` maps the files around the code that exist, by
    path relative to `top`, to their content ("" if it cannot be read); `branch` is the one that work goes to.
    """

    folder: Path
    top: Path
    languages: Mapping[str, int]
    libraries: Mapping[str, int]
    texts: Mapping[str, str]
    branch: str
    unsupported: Mapping[str, int] = {}

    def mentions(self, path: str, words: str) -> bool:
        """Whether the file at `path` is there and holds `words`."""
        return words in self.texts.get(path, "")


def survey(folder: Path) -> Survey:
    """Look at the project that `folder` is, or is a part of. Nothing of it is run. Raises `UserError`."""
    folder = Path(os.path.realpath(folder))
    top = project_root(folder)
    found = discover([folder], folder, extensions=EXTENSIONS, others=SUFFIXES)
    files = found.files
    workflows = sorted((top / ".github" / "workflows").glob("*.y*ml"))
    around = [top / ".pre-commit-config.yaml", top / ".gitlab-ci.yml", *workflows]
    return Survey(
        folder=folder,
        top=top,
        languages=_by_count(Counter(file.language for file in files)),
        libraries=_by_count(_imported(files)),
        texts={path.relative_to(top).as_posix(): _text(path) for path in around if os.path.lexists(path)},
        branch=_branch(top),
        unsupported=_by_count(
            Counter(file.language for file in found.others if mentions_redis(file.absolute, _SIZE_LIMIT))
        ),
    )


def _by_count(counts: Mapping[str, int]) -> Mapping[str, int]:
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


def _imported(files: tuple[SourceFile, ...]) -> Counter[str]:
    """For each client library the number of files that import it."""
    libraries = load_libraries()
    selector = Selector.of(libraries)
    found: Counter[str] = Counter()
    for file in files:
        try:
            data = read_regular(file.absolute, _SIZE_LIMIT)
        except UnreadableFileError:
            continue
        if selector.names_library(data):
            modules = named_modules(data, file.path, file.language)
            found.update(name for name, library in libraries.items() if _imports(modules, library, file.language))
    return found


def _imports(modules: set[str], library: ClientLibrary, language: str) -> bool:
    if language not in library.library.languages:
        return False
    roots = [name.replace("/", ".") for name in library.library.imports]
    return any(module == root or module.startswith(root + ".") for module in modules for root in roots)


def _text(path: Path) -> str:
    try:
        return read_regular(str(path), _SIZE_LIMIT).decode("utf-8", "replace")
    except UnreadableFileError:
        return ""


def _branch(top: Path) -> str:
    """The branch that work goes to: what `origin` says, else the current one, else main."""
    for name in ("refs/remotes/origin/HEAD", "HEAD"):
        match = _HEAD.fullmatch(_text(top / ".git" / name))
        if match:
            return match[1]
    return "main"
