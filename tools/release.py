"""Prepare a release: `python tools/release.py 1.2.3` writes that version wherever it is named; then commit and tag.

It changes `pyproject.toml`, the package's version, the changelog, and the commands and recipes of the documents: what
takes the branch before the first release takes that release afterwards. It writes nothing unless all of it can be
written. CONTRIBUTING.md, "Releasing", has the steps around it.
"""

from __future__ import annotations

import argparse
import datetime
import re
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from packaging.version import InvalidVersion, Version

ROOT = Path(__file__).parents[1]
REPOSITORY = "resplint/resplint"
GIT = f"git+https://github.com/{REPOSITORY}"
_ANY = r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?"
_NOTE = re.compile(r"<!-- until the first release -->\n.*?<!-- end -->\n\n?", re.DOTALL)


class ReleaseError(Exception):
    """Why nothing was written."""


def documents(root: Path) -> list[Path]:
    """The documents that name versions."""
    return [root / "README.md", *sorted((root / "docs").glob("*.md"))]


def document(text: str, version: str) -> str:
    """A document that names the release `version`."""
    text = _NOTE.sub("", text)
    text = re.sub(rf"'resplint\[(\w+)\] @ {re.escape(GIT)}'", r"'resplint[\1]'", text)
    text = re.sub(r"pip install '\.\[(\w+)\]'` in the clone", r"pip install 'resplint[\1]'`", text)
    # Recipes that run by themselves name the version; people who install it get the newest.
    pinned = rf"(--quiet |pipx install ){re.escape(GIT)}"
    text = re.sub(pinned, rf"\g<1>resplint=={version}", text).replace(GIT, "resplint")
    text = re.sub(rf"({REPOSITORY}@)(?:main|v{_ANY})", rf"\g<1>v{version}", text)
    text = re.sub(rf"(^ *rev: )(?:main|v{_ANY})", rf"\g<1>v{version}", text, flags=re.MULTILINE)
    return re.sub(rf"resplint=={_ANY}", f"resplint=={version}", text)


def changelog(text: str, version: str, day: datetime.date) -> str:
    """The changelog with what was unreleased below the version's heading. Raises `ReleaseError` if there is nothing."""
    heading = re.search(r"^## \[Unreleased\].*\n", text, re.MULTILINE)
    if heading is None or not re.match(r"\n*(?:### |- |\w)", text[heading.end() :]):
        raise ReleaseError("CHANGELOG.md: nothing stands below '## [Unreleased]'.")
    return text.replace(heading[0], f"## [Unreleased]\n\n## [{version}] - {day.isoformat()}\n", 1)


def _declared(text: str, version: str) -> str:
    return _once(r'(?m)^version = "[^"]+"', f'version = "{version}"', text, "pyproject.toml")


def _package(text: str, version: str) -> str:
    text = _once(r'(?m)^__version__ = "[^"]+"', f'__version__ = "{version}"', text, "_version.py")
    return _once(r"(?m)^RELEASED = \w+", "RELEASED = True", text, "_version.py")


def _extension(text: str, name: str, version: str) -> str:
    """The manifest or the lock file of the extension; its own version is the outermost one, in the lock file twice."""
    text = _once(r'(?m)^  "version": "[^"]*"', f'  "version": "{version}"', text, name)
    return re.sub(r'("name": "resplint",\s+"version": ")[^"]*"', rf'\g<1>{version}"', text)


def _once(pattern: str, new: str, text: str, name: str) -> str:
    text, number = re.subn(pattern, new, text)
    if number != 1:
        raise ReleaseError(f"{name}: expected one line like {new!r}, found {number}.")
    return text


def prepared(root: Path, version: str, day: datetime.date) -> Mapping[Path, str]:
    """The new text of every file that changes. Raises `ReleaseError`."""
    package = root / "src" / "resplint" / "_version.py"
    _demand_newer(package.read_text("utf-8"), version)
    changes: dict[Path, Callable[[str], str]] = {
        root / "pyproject.toml": lambda text: _declared(text, version),
        package: lambda text: _package(text, version),
        root / "CHANGELOG.md": lambda text: changelog(text, version, day),
        **{
            root / "editors" / "vscode" / name: partial(_extension, name=name, version=version)
            for name in ("package.json", "package-lock.json")
        },
        **{path: lambda text: document(text, version) for path in documents(root)},
    }
    texts = {path: path.read_text("utf-8") for path in changes}
    after = {path: change(texts[path]) for path, change in changes.items()}
    return {path: text for path, text in after.items() if text != texts[path]}


def _demand_newer(package: str, version: str) -> None:
    try:
        wanted = Version(version)
    except InvalidVersion as error:
        raise ReleaseError(f"{version!r} is no version such as 1.2.3.") from error
    if not re.fullmatch(_ANY, version):
        raise ReleaseError(f"{version!r} is no version such as 1.2.3 or 1.2.3rc1.")
    found = re.search(r'^__version__ = "([^"]+)"', package, re.MULTILINE)
    before = Version(found[1]) if found else Version("0")
    is_released = "\nRELEASED = True" in package
    if wanted < before or (is_released and wanted == before):
        raise ReleaseError(f"{version} is not newer than {before}.")


def main(arguments: list[str]) -> int:
    """Run as a command; returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version", help="the version to release, such as 1.2.3")
    parser.add_argument("--date", type=datetime.date.fromisoformat, default=datetime.date.today(), help="its day")
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout (default: this one)")
    given = parser.parse_args(arguments)
    try:
        texts = prepared(given.root, given.version, given.date)
    except ReleaseError as error:
        print(f"release: {error}", file=sys.stderr)
        return 2
    for path, text in texts.items():
        path.write_text(text, "utf-8")
        print(path.relative_to(given.root))
    print(f"\nNow: make docs; make test; commit as 'Release {given.version}'; git tag v{given.version}; push both.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
