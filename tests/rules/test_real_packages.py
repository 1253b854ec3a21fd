"""What a rule finds in real packages depends neither on the other rules that are enabled nor on the order of the files.

The packages are fetched from their registries once, at the versions of `make scan` and `make wild`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from fetch_packages import Package, fetch_all, read_file
from filelock import FileLock

from tests.rules.test_order import Scans

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".work" / "packages"
LISTS = (ROOT / "tools" / "packages.txt", ROOT / "benchmarks" / "wild.toml")
CHOSEN = ("channels-redis", "huey", "net.greghaines:jesque", "bee-queue", "node-resque")
"""Python with wrappers that call each other, a job queue in Python, Java, JavaScript and TypeScript."""
FIRST = ("RL101", "RL102", "RL103", "RL104", "RL201", "RL301", "RL401")
"""Rules that are asked in each package, beside those that find something there."""
KNOWN: dict[str, Package] = {one.name: one for path in reversed(LISTS) for one in read_file(path)}


def scans(name: str) -> Scans:
    """The scans of a package, which is fetched where it is not there yet."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with FileLock(FOLDER / ".lock"):
        (fetched,) = fetch_all([KNOWN[name]], lambda one: FOLDER / one.folder)
    assert not fetched.error, fetched.error
    return Scans(fetched.folder, [fetched.folder], {}, include_tests=False)


@pytest.mark.parametrize("name", CHOSEN)
def test_a_rule_alone_finds_its_part_of_a_full_scan(name: str) -> None:
    assert scans(name).differences_by_rule(*FIRST) == {}


@pytest.mark.parametrize("name", CHOSEN)
def test_any_order_of_files_gives_the_same_findings(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    package = scans(name)
    assert package.results(), "nothing to compare"
    assert package.differences_by_order(monkeypatch) == {}
