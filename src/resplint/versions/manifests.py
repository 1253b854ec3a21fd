"""The table of manifest and lock file formats: how their names look, who reads them, for which registry."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from resplint.versions.locks import parse_pipfile_lock, parse_toml_lock
from resplint.versions.pyproject import parse_pipfile, parse_pyproject
from resplint.versions.records import Parser
from resplint.versions.requirements import parse_requirements_file
from resplint.versions.setuptools_files import parse_environment_yml, parse_setup_cfg, parse_setup_py

Kind = Literal["lock", "requirements", "project"]

REQUIREMENTS_FOLDER = "requirements"
"""Requirement files in a folder of this name count for the folder above it."""

LOCK_LIMIT = 10_000_000
MANIFEST_LIMIT = 1_000_000


class Format(msgspec.Struct, frozen=True):
    """One format: `pattern` matches the whole file name; `limit` is the largest size read, in bytes."""

    pattern: re.Pattern[str]
    parser: Parser
    kind: Kind
    ecosystem: str = "pypi"
    limit: int = MANIFEST_LIMIT
    constraint: bool = False


def _lock(pattern: str, parser: Parser) -> Format:
    return Format(re.compile(pattern), parser, "lock", limit=LOCK_LIMIT)


def _project(pattern: str, parser: Parser) -> Format:
    return Format(re.compile(pattern), parser, "project")


FORMATS: tuple[Format, ...] = (
    _lock(r"(?:uv|poetry|pdm)\.lock|pylock(?:\.[\w-]+)?\.toml", parse_toml_lock),
    _lock(r"Pipfile\.lock", parse_pipfile_lock),
    Format(
        re.compile(r"[\w.-]*constraints[\w.-]*\.txt"),
        parse_requirements_file,
        "requirements",
        constraint=True,
    ),
    Format(re.compile(r"[\w.-]*requirements[\w.-]*\.(?:txt|in)"), parse_requirements_file, "requirements"),
    _project(r"pyproject\.toml", parse_pyproject),
    _project(r"Pipfile", parse_pipfile),
    _project(r"setup\.cfg", parse_setup_cfg),
    _project(r"setup\.py", parse_setup_py),
    _project(r"environment\.ya?ml", parse_environment_yml),
)
"""Every format. Another one is another entry."""

REQUIREMENTS_FOLDER_FORMATS: tuple[Format, ...] = (
    Format(
        re.compile(r"[\w.-]*constraints[\w.-]*\.txt"),
        parse_requirements_file,
        "requirements",
        constraint=True,
    ),
    Format(re.compile(r"[\w.-]+\.(?:txt|in)"), parse_requirements_file, "requirements"),
)
"""The formats of files in a `requirements` folder."""


def format_of(name: str, formats: tuple[Format, ...] = FORMATS) -> Format | None:
    """The format of a file by its name, if it is a manifest."""
    return next((each for each in formats if each.pattern.fullmatch(name)), None)
