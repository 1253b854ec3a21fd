"""Every generated file, by its path in the repository."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from docs_pages.cli import cli_pages
from docs_pages.clients import client_pages
from docs_pages.config_schema import config_schema, known_names
from docs_pages.configuration import configuration_pages
from docs_pages.extending import extending_pages
from docs_pages.kinds import kinds_pages
from docs_pages.navigation import site_settings
from docs_pages.own_rules import own_rules_pages
from docs_pages.rules import rule_pages

FOLDERS = ("docs/rules", "docs/clients", "docs/extending")
"""Folders that hold generated files alone: what else is in them is left over."""


@cache
def files(root: Path) -> dict[str, str]:
    """The text of every generated file of the repository at `root`."""
    schema = json.dumps(config_schema(known_names()), indent=2, ensure_ascii=False)
    contributing = (root / "CONTRIBUTING.md").read_text("utf-8")
    pages = {
        **rule_pages(),
        **kinds_pages(),
        **client_pages(),
        **configuration_pages(),
        **cli_pages(),
        **own_rules_pages(),
        **extending_pages(contributing),
    }
    written = {path.relative_to(root / "docs").as_posix() for path in (root / "docs").glob("*.md")}
    settings = site_settings((root / "mkdocs.yml").read_text("utf-8"), {*written, *pages})
    return {
        "schemas/config.schema.json": schema + "\n",
        **{f"docs/{path}": text for path, text in pages.items()},
        "mkdocs.yml": settings,
    }


def stale(root: Path) -> list[str]:
    """Files in `FOLDERS` that are generated no more."""
    present = [path.relative_to(root).as_posix() for folder in FOLDERS for path in sorted((root / folder).glob("*"))]
    return [path for path in present if path not in files(root)]
