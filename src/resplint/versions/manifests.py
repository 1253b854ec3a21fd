"""The table of manifest and lock file formats: how their names look, who reads them, for which registry."""

from __future__ import annotations

import re
from collections.abc import Callable

from resplint.versions.files import LOCK_LIMIT, Format
from resplint.versions.gradle_files import parse_catalogue, parse_gradle_lock, parse_properties
from resplint.versions.gradle_script import parse_gradle
from resplint.versions.locks import parse_pipfile_lock, parse_toml_lock
from resplint.versions.npm_locks import NpmLock, parse_package_lock, parse_pnpm_lock, parse_yarn_lock
from resplint.versions.npm_manifests import parse_catalogue_file, parse_package_json
from resplint.versions.pom import parse_pom
from resplint.versions.pyproject import parse_pipfile, parse_pyproject
from resplint.versions.records import Parsed
from resplint.versions.requirements import parse_requirements_file
from resplint.versions.setuptools_files import parse_environment_yml, parse_setup_cfg, parse_setup_py
from resplint.versions.yaml_text import YAML_LIMIT

REQUIREMENTS_FOLDER = "requirements"
"""Requirement files in a folder of this name count for the folder above it."""


def _lock(pattern: str, parser: Callable[[bytes], Parsed]) -> Format[Parsed]:
    return Format(re.compile(pattern), parser, "lock", limit=LOCK_LIMIT)


def _project(pattern: str, parser: Callable[[bytes], Parsed]) -> Format[Parsed]:
    return Format(re.compile(pattern), parser, "project")


FORMATS: tuple[Format[Parsed], ...] = (
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
"""Python's formats, each file read for itself. Another one is another entry."""

REQUIREMENTS_FOLDER_FORMATS: tuple[Format[Parsed], ...] = (
    Format(
        re.compile(r"[\w.-]*constraints[\w.-]*\.txt"),
        parse_requirements_file,
        "requirements",
        constraint=True,
    ),
    Format(re.compile(r"[\w.-]+\.(?:txt|in)"), parse_requirements_file, "requirements"),
)
"""The formats of files in a `requirements` folder."""


# The other ecosystems' files say something together only; `maven`, `gradle` and `npm` put them together.
POM = Format(re.compile(r"pom\.xml"), parse_pom, "project", "maven")
GRADLE = Format(re.compile(r"(?:build|settings)\.gradle(?:\.kts)?"), parse_gradle, "project", "maven")
CATALOGUE = Format(re.compile(r"[\w-]+\.versions\.toml"), parse_catalogue, "project", "maven")
GRADLE_PROPERTIES = Format(re.compile(r"gradle\.properties"), parse_properties, "project", "maven")
GRADLE_LOCK = Format(re.compile(r"gradle\.lockfile"), parse_gradle_lock, "lock", "maven", LOCK_LIMIT)
PACKAGE_JSON = Format(re.compile(r"package\.json"), parse_package_json, "project", "npm")
NPM_CATALOGUES = Format(
    re.compile(r"pnpm-workspace\.ya?ml|\.yarnrc\.yml"), parse_catalogue_file, "project", "npm", YAML_LIMIT
)
NPM_LOCKS: tuple[Format[NpmLock], ...] = (
    Format(re.compile(r"package-lock\.json|npm-shrinkwrap\.json"), parse_package_lock, "lock", "npm", LOCK_LIMIT),
    Format(re.compile(r"yarn\.lock"), parse_yarn_lock, "lock", "npm", LOCK_LIMIT),
    Format(re.compile(r"pnpm-lock\.yaml"), parse_pnpm_lock, "lock", "npm", LOCK_LIMIT),
)


def format_of(name: str, formats: tuple[Format[Parsed], ...] = FORMATS) -> Format[Parsed] | None:
    """The format of a file by its name, if it is a manifest."""
    return next((each for each in formats if each.pattern.fullmatch(name)), None)
