"""The table of manifest and lock file formats: how their names look, who reads them, for which registry."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from resplint.versions.files import LOCK_LIMIT, YAML_LIMIT, Format
from resplint.versions.records import Document, Parsed

if TYPE_CHECKING:
    from resplint.versions.gradle_files import Catalogue, Properties
    from resplint.versions.gradle_script import GradleScript
    from resplint.versions.npm_locks import NpmLock
    from resplint.versions.npm_manifests import CatalogueFile, PackageJson
    from resplint.versions.pom import Pom

T = TypeVar("T", bound=Document)


def _reader(name: str, module: str) -> Callable[[bytes], Any]:
    """The parser `name`, imported when there is a file for it: a project has few of these formats."""

    def parse(data: bytes) -> Any:
        return getattr(import_module(f"resplint.versions.{module}"), name)(data)

    return parse


REQUIREMENTS_FOLDER = "requirements"
"""Requirement files in a folder of this name count for the folder above it."""


def _lock(pattern: str, parser: Callable[[bytes], Parsed]) -> Format[Parsed]:
    return Format(re.compile(pattern), parser, "lock", limit=LOCK_LIMIT)


def _project(pattern: str, parser: Callable[[bytes], Parsed]) -> Format[Parsed]:
    return Format(re.compile(pattern), parser, "project")


_requirements = _reader("parse_requirements_file", "requirements")

FORMATS: tuple[Format[Parsed], ...] = (
    _lock(r"(?:uv|poetry|pdm)\.lock|pylock(?:\.[\w-]+)?\.toml", _reader("parse_toml_lock", "locks")),
    _lock(r"Pipfile\.lock", _reader("parse_pipfile_lock", "locks")),
    Format(
        re.compile(r"[\w.-]*constraints[\w.-]*\.txt"),
        _requirements,
        "requirements",
        constraint=True,
    ),
    Format(re.compile(r"[\w.-]*requirements[\w.-]*\.(?:txt|in)"), _requirements, "requirements"),
    _project(r"pyproject\.toml", _reader("parse_pyproject", "pyproject")),
    _project(r"Pipfile", _reader("parse_pipfile", "pyproject")),
    _project(r"setup\.cfg", _reader("parse_setup_cfg", "setuptools_files")),
    _project(r"setup\.py", _reader("parse_setup_py", "setuptools_files")),
    _project(r"environment\.ya?ml", _reader("parse_environment_yml", "setuptools_files")),
)
"""Python's formats, each file read for itself. Another one is another entry."""

REQUIREMENTS_FOLDER_FORMATS: tuple[Format[Parsed], ...] = (
    Format(
        re.compile(r"[\w.-]*constraints[\w.-]*\.txt"),
        _requirements,
        "requirements",
        constraint=True,
    ),
    Format(re.compile(r"[\w.-]+\.(?:txt|in)"), _requirements, "requirements"),
)
"""The formats of files in a `requirements` folder."""


# The other ecosystems' files say something together only; `maven`, `gradle` and `npm` put them together.
def _maven(pattern: str, parser: Callable[[bytes], T]) -> Format[T]:
    return Format(re.compile(pattern), parser, "project", "maven")


def _npm_lock(pattern: str, name: str) -> Format[NpmLock]:
    return Format(re.compile(pattern), _reader(name, "npm_locks"), "lock", "npm", LOCK_LIMIT)


POM: Format[Pom] = _maven(r"pom\.xml", _reader("parse_pom", "pom"))
GRADLE: Format[GradleScript] = _maven(r"(?:build|settings)\.gradle(?:\.kts)?", _reader("parse_gradle", "gradle_script"))
CATALOGUE: Format[Catalogue] = _maven(r"[\w-]+\.versions\.toml", _reader("parse_catalogue", "gradle_files"))
GRADLE_PROPERTIES: Format[Properties] = _maven(r"gradle\.properties", _reader("parse_properties", "gradle_files"))
GRADLE_LOCK: Format[Parsed] = Format(
    re.compile(r"gradle\.lockfile"), _reader("parse_gradle_lock", "gradle_files"), "lock", "maven", LOCK_LIMIT
)
PACKAGE_JSON: Format[PackageJson] = Format(
    re.compile(r"package\.json"), _reader("parse_package_json", "npm_manifests"), "project", "npm"
)
NPM_CATALOGUES: Format[CatalogueFile] = Format(
    re.compile(r"pnpm-workspace\.ya?ml|\.yarnrc\.yml"), _reader("parse_catalogue_file", "npm_manifests"), "project",
    "npm", YAML_LIMIT,
)  # fmt: skip
NPM_LOCKS: tuple[Format[NpmLock], ...] = (
    _npm_lock(r"package-lock\.json|npm-shrinkwrap\.json", "parse_package_lock"),
    _npm_lock(r"yarn\.lock", "parse_yarn_lock"),
    _npm_lock(r"pnpm-lock\.yaml", "parse_pnpm_lock"),
)


def format_of(name: str, formats: tuple[Format[Parsed], ...] = FORMATS) -> Format[Parsed] | None:
    """The format of a file by its name, if it is a manifest."""
    return next((each for each in formats if each.pattern.fullmatch(name)), None)
