"""What is installed with resplint: bounded where an API may move, and no more than it needs."""

from __future__ import annotations

import re
import sys
from importlib.metadata import version
from pathlib import Path

from packaging.requirements import Requirement

from resplint.languages import LANGUAGES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
NEEDED = [Requirement(each) for each in PROJECT["project"]["dependencies"]]
EXTRAS = {
    name: [Requirement(each) for each in listed] for name, listed in PROJECT["project"]["optional-dependencies"].items()
}
STABLE = {"packaging"}
"""Of them only what a standard says is used."""


def test_every_dependency_has_an_upper_bound() -> None:
    every = [*NEEDED, *(each for listed in EXTRAS.values() for each in listed)]
    unbounded = {each.name for each in every if not any(one.operator in ("<", "==") for one in each.specifier)}
    assert unbounded == STABLE


def test_what_is_tested_with_is_within_the_bounds() -> None:
    for each in NEEDED:
        if each.marker is None or each.marker.evaluate():
            assert each.specifier.contains(version(each.name)), each


def test_every_dependency_is_imported_somewhere() -> None:
    """None is installed in vain; the extra `report` alone brings the large ones."""
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))
    imported = set(re.findall(r"^\s*(?:from|import) ([\w]+)", sources, re.MULTILINE))
    imported |= {f"tree_sitter_{name}" for name in LANGUAGES}
    modules = {"pyyaml": "yaml", "markdown-it-py": "markdown_it", "sarif-tools": "sarif"}
    for each in [*NEEDED, *(one for listed in EXTRAS.values() for one in listed)]:
        assert modules.get(each.name, each.name.replace("-", "_")) in imported, each
    assert [name for name, listed in EXTRAS.items() if "sarif-tools" in {each.name for each in listed}] == ["report"]
