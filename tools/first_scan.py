"""Scan the bad examples and the packages of `make scan`: `first_scan.py --reports FOLDER PACKAGE…`.

Prints a line for each project, three findings in full and the totals by rule: two screens at most. Everything that was
found goes to FOLDER as SARIF, one file a project.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
LANGUAGES = ("python", "java", "kotlin", "javascript", "typescript")
LEVELS = ("error", "warning", "note")
WIDTHS = (8, 10, 7)
SHOWN = 3
WORKERS = 2
_COLOR = re.compile(r"\x1b\[[0-9;]*m")
_HEAD = re.compile(r"^\S.*:\d+:\d+: (?:error|warning) (RL\d+)")


class Scan(NamedTuple):
    """What a scan of a project found."""

    name: str
    document: dict[str, Any]
    text: str


def main() -> int:
    arguments = _arguments()
    examples = [(f"fixtures/*/{one}/bad_*", f"bad-{one}", _examples(one), "--include-tests") for one in LANGUAGES]
    packages = [(path.name, path.name, [path]) for path in arguments.packages]
    with ThreadPoolExecutor(WORKERS) as pool:
        scans = list(pool.map(lambda one: _scan(arguments.reports, *one), examples + packages))
    print(f"{'Bad examples of this repository':40}{'files':>8}{'use Redis':>11}{_headings()}")
    for scan in scans[: len(examples)]:
        print(_line(scan))
    print("\nSource of packages from their registries")
    for scan in scans[len(examples) :]:
        print(_line(scan))
    print(f"\nThree of the findings in these packages\n\n{_three(scans[len(examples) :])}\n")
    print(_totals(scans))
    return 0


def _scan(reports: Path, title: str, name: str, paths: Sequence[Path], *options: str) -> Scan:
    """Run resplint as anybody would. Raises `CalledProcessError` with what it said where that fails."""
    listing = reports / f"{name}.json"
    command = [sys.executable, "-m", "resplint", "scan", "--exit-zero", "--isolated", "-q", *options]
    command += ["--report", f"sarif={reports / f'{name}.sarif'}", "--report", f"json={listing}", *map(str, paths)]
    env = {**os.environ, "COLUMNS": "100", **({"FORCE_COLOR": "1"} if sys.stdout.isatty() else {})}
    done = subprocess.run(command, cwd=paths[0].parent, env=env, stdout=subprocess.PIPE, check=True)
    document = json.loads(listing.read_bytes())
    listing.unlink()
    return Scan(title, document, done.stdout.decode())


def _examples(language: str) -> list[Path]:
    found = sorted((ROOT / "fixtures").glob(f"*/{language}/bad_*"))
    return [path for path in found if not path.name.endswith(".fixed")]


def _line(scan: Scan) -> str:
    counts = scan.document["counts"]
    levels = "".join(f"{counts['levels'][level]:>{width}}" for level, width in zip(LEVELS, WIDTHS, strict=True))
    return f"  {scan.name:38}{counts['files_discovered']:>8,}{counts['files_using_redis']:>11,}{levels}"


def _headings() -> str:
    return "".join(f"{level + 's':>{width}}" for level, width in zip(LEVELS, WIDTHS, strict=True))


def _three(scans: Sequence[Scan]) -> str:
    """The shortest findings of three rules, each of another package as far as there are."""
    found = sorted(
        (block.count("\n"), rule, scan.name, block) for scan in scans for rule, block in _findings(scan.text)
    )
    chosen: list[str] = []
    rules: set[str] = set()
    packages: set[str] = set()
    for others in (False, True):
        for _, rule, package, block in found:
            if len(chosen) < SHOWN and rule not in rules and (others or package not in packages):
                rules.add(rule)
                packages.add(package)
                chosen.append(block)
    return "\n\n".join(chosen)


def _findings(text: str) -> Iterator[tuple[str, str]]:
    """(rule, text) of each finding in a report."""
    rule, lines = "", list[str]()
    for line in text.splitlines():
        head = _HEAD.match(_COLOR.sub("", line))
        if head is not None:
            if rule:
                yield rule, "\n".join(lines).rstrip()
            rule, lines = head[1], []
        lines.append(line)
    if rule:
        yield rule, "\n".join(lines).rstrip()


def _totals(scans: Sequence[Scan]) -> str:
    found = Counter((result["rule"], result["level"]) for scan in scans for result in scan.document["results"])
    names = {rule["code"]: rule["name"] for scan in scans for rule in scan.document["rules"]}
    lines = [f"{'Found by rule':59}{_headings()}"]
    for code, name in sorted(names.items()):
        counts = (f"{found[code, level]:>{width}}" for level, width in zip(LEVELS, WIDTHS, strict=True))
        lines.append(f"  {code} {name:51}{''.join(counts)}")
    return "\n".join(lines)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Scan the bad examples and some packages, and sum up.")
    parser.add_argument("--reports", type=Path, required=True, help="a folder for SARIF files")
    parser.add_argument("packages", type=lambda text: Path(text).absolute(), nargs="*", help="folders to scan")
    arguments = parser.parse_args()
    arguments.reports = arguments.reports.absolute()
    return arguments


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as failed:  # resplint has said why
        sys.exit(failed.returncode)
