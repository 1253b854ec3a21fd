"""Where the scanned code lies in its repository, and where people can read it, for reports that link to it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from resplint.discovery.gitignore import enclosing_repository
from resplint.files.regular_files import is_inside
from resplint.output import Here

_SERVER = re.compile(r"https?://[A-Za-z0-9.-]+(?::[0-9]+)?")
_REPOSITORY = re.compile(r"(?!\.+/)[A-Za-z0-9._-]+/(?!\.+$)[A-Za-z0-9._-]+")
_COMMIT = re.compile(r"[0-9a-fA-F]{7,64}")


def repository_top(folder: Path, environment: Mapping[str, str]) -> Path | None:
    """The top folder, resolved, of the repository that `folder` is in; None if it is in none.

    Where git is not installed, as in the container of a job, a workflow on GitHub has the files of a repository in its
    workspace and nothing else.
    """
    real = Path(os.path.realpath(folder))
    top = enclosing_repository(str(real))
    if top is not None:
        return Path(top)
    given = environment.get("GITHUB_WORKSPACE") if in_workflow(environment) else None
    workspace = Path(os.path.realpath(given)) if given and os.path.isabs(given) else None
    return workspace if workspace in (real, *real.parents) else None


def folder_in_repository(root: Path, environment: Mapping[str, str]) -> str:
    """The path of `root` in the repository around it, with a slash at its end; empty if it is the top or has none."""
    top = repository_top(root, environment)
    folder = Path(os.path.realpath(root))
    return folder.relative_to(top).as_posix() + "/" if top is not None and top != folder else ""


def seen_from_here(root: Path) -> Here | None:
    """Where the folder `root` is, seen from the current folder; None if neither is inside the other, nor both inside
    the same repository.
    """
    try:
        here = os.path.realpath(os.getcwd())
    except OSError:  # it was removed
        return None
    real = os.path.realpath(root)
    if not (is_inside(real, here) or is_inside(here, enclosing_repository(real) or real)):
        return None
    inside = os.path.relpath(here, real).replace(os.sep, "/") if here != real and is_inside(here, real) else ""
    return Here(os.path.relpath(real, here).replace(os.sep, "/"), inside)


def in_workflow(environment: Mapping[str, str]) -> bool:
    """Whether a GitHub workflow runs this."""
    return environment.get("GITHUB_ACTIONS") == "true"


def source_url(environment: Mapping[str, str]) -> str:
    """Where GitHub shows the files of the commit that a workflow runs on, up to the path; empty outside of one.

    Values that are not what GitHub sets are as good as none: they become part of links.
    """
    server, repository, commit = (environment.get(f"GITHUB_{name}", "") for name in ("SERVER_URL", "REPOSITORY", "SHA"))
    if _SERVER.fullmatch(server) and _REPOSITORY.fullmatch(repository) and _COMMIT.fullmatch(commit):
        return f"{server}/{repository}/blob/{commit}/"
    return ""
