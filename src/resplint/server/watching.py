"""Which files on disk a scan depends on, so that the editor tells when one of them changes."""

from __future__ import annotations

import fnmatch
import os

from lsprotocol import types

from resplint.config.loading import FILE_NAMES
from resplint.discovery.discover import SKIPPED_FOLDERS
from resplint.languages import EXTENSIONS

MANIFESTS = (
    "*requirements*.txt", "*requirements*.in", "*constraints*.txt", "setup.cfg", "Pipfile", "Pipfile.lock",
    "environment.yml", "environment.yaml", "uv.lock", "poetry.lock", "pdm.lock", "pylock*.toml",
    "pom.xml", "*.gradle", "gradle.properties", "gradle.lockfile", "*.versions.toml",
    "package.json", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "pnpm-workspace.yaml",
    "pnpm-workspace.yml", ".yarnrc.yml", "tsconfig.json", "tsconfig.base.json", "jsconfig.json",
)  # fmt: skip
"""Names of manifests and lock files, beside those that are source files."""
SETTINGS = (
    "application*.properties", "application*.yml", "application*.yaml",
    "bootstrap*.properties", "bootstrap*.yml", "bootstrap*.yaml", "microprofile-config*.properties",
)  # fmt: skip
"""Names of files that hold an application's settings."""
OTHERS = (*FILE_NAMES, "*.toml", ".gitignore", "*baseline*.jsonl")
"""The configuration, rules of a user's own (which stand in any file of that kind), and what else a scan reads."""
FOLDERS = ("requirements/*.txt", "requirements/*.in", "dependency-locks/*.lockfile")
"""Files whose folder says what they are."""

_NAMES = (*(f"*{suffix}" for suffix in EXTENSIONS), *MANIFESTS, *SETTINGS, *OTHERS)


def registration() -> types.Registration:
    """What the editor is asked to watch."""
    patterns = [f"**/{name}" for name in (*_NAMES, *FOLDERS)]
    return types.Registration(
        id="resplint-files",
        method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
        register_options=types.DidChangeWatchedFilesRegistrationOptions(
            [types.FileSystemWatcher(glob_pattern=pattern) for pattern in patterns]
        ),
    )


def matters(path: str) -> bool:
    """Whether a scan may look at a file: editors also tell of files that others asked for."""
    parts = path.split(os.sep)
    if not SKIPPED_FOLDERS.isdisjoint(parts[:-1]):
        return False
    below = "/".join(parts[-2:])
    return any(fnmatch.fnmatchcase(parts[-1], name) for name in _NAMES) or any(
        fnmatch.fnmatchcase(below, pattern) for pattern in FOLDERS
    )
