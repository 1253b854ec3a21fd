"""`tools/release.py`: what it writes before a release, into a copy of this repository's files."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXTENSION = ("editors/vscode/package.json", "editors/vscode/package-lock.json")
GIT = "git+https://github.com/resplint/resplint"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files that name versions, as they were before the first release."""
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md", "src/resplint/_version.py", *EXTENSION):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "docs").mkdir()
    for page in (ROOT / "docs").glob("*.md"):
        shutil.copy(page, tmp_path / "docs")
    version = tmp_path / "src" / "resplint" / "_version.py"
    version.write_text(version.read_text("utf-8").replace("RELEASED = True", "RELEASED = False"), "utf-8")
    return tmp_path


def release(root: Path, version: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "tools" / "release.py", version, "--root", root, "--date", "2027-01-31"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def texts(root: Path) -> dict[str, str]:
    return {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in sorted(root.rglob("*.*"))}


def named(root: Path) -> set[str]:
    """The versions that recipes ask for."""
    pages = "".join(text for name, text in texts(root).items() if name.endswith(".md") and name != "CHANGELOG.md")
    return set(re.findall(r"(?:resplint/resplint@|resplint==|^ *rev: )(v?[\w.]+)", pages, re.MULTILINE))


def test_before_the_first_release_nothing_asks_for_one(checkout: Path) -> None:
    if "RELEASED = True" in (ROOT / "src" / "resplint" / "_version.py").read_text("utf-8"):
        pytest.skip("there is a release")
    assert named(checkout) == {"main"}
    pages = [text for name, text in texts(checkout).items() if name.startswith("docs/") and "pip install" in text]
    assert pages
    assert [found for text in pages for found in re.findall(r"pip install '?resplint\b(?!\[\w+\] @ ).*", text)] == []


def test_a_release_is_named_everywhere_and_the_next_one_after_it(checkout: Path) -> None:
    done = release(checkout, "0.1.0")
    assert done.returncode == 0, done.stderr
    assert named(checkout) == {"v0.1.0", "0.1.0"}
    written = texts(checkout)
    assert not any(GIT in text or "until the first release" in text for text in written.values())
    assert "pip install resplint\n" in written["docs/index.md"]
    assert "pip install 'resplint[report]'" in written["docs/reports.md"]
    assert "pip install --quiet resplint==0.1.0" in written["docs/ci.md"]
    assert '__version__ = "0.1.0"\nRELEASED = True\n' in written["src/resplint/_version.py"]
    assert "## [Unreleased]\n\n## [0.1.0] - 2027-01-31\n\n### Added\n" in written["CHANGELOG.md"]

    before = texts(checkout)
    assert release(checkout, "0.2.0").returncode == 2  # nothing has changed since
    assert texts(checkout) == before
    changes = checkout / "CHANGELOG.md"
    changes.write_text(changes.read_text("utf-8").replace("[Unreleased]\n", "[Unreleased]\n\n- More.\n", 1), "utf-8")
    assert release(checkout, "0.2.0").returncode == 0
    assert named(checkout) == {"v0.2.0", "0.2.0"}
    manifest, lock = (json.loads((checkout / name).read_text("utf-8")) for name in EXTENSION)
    assert (manifest["version"], lock["version"], lock["packages"][""]["version"]) == ("0.2.0",) * 3
    assert '\nversion = "0.2.0"\n' in (checkout / "pyproject.toml").read_text("utf-8")
    assert "## [0.2.0] - 2027-01-31\n\n- More.\n" in changes.read_text("utf-8")


@pytest.mark.parametrize("version", ["0.0.9", "v0.1.0", "1.2", "next", "1.0.0.dev1"])
def test_what_is_no_newer_version_writes_nothing(checkout: Path, version: str) -> None:
    before = texts(checkout)
    done = release(checkout, version)
    assert done.returncode == 2
    assert version in done.stderr
    assert texts(checkout) == before
