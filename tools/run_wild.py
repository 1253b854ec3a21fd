"""Scan the packages of benchmarks/wild.toml and say what differs from the recorded run: `make wild`.

`--record` makes this run the recorded one; `--render` writes WILD.md and the part of the README from what is recorded,
after verdicts were added; `--sample N` chooses findings to be read.
"""

from __future__ import annotations

import argparse
import datetime
import os
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from fetch_packages import Fetched, FetchError, Package, fetch_all, read_file
from wild import differences, report
from wild.precision import match
from wild.records import (
    Remark,
    Row,
    Summary,
    Verdict,
    WildError,
    read_lines,
    read_summary,
    write_lines,
    write_summary,
)
from wild.sampling import sample
from wild.scanning import Scan, scan_all

ROOT = Path(__file__).resolve().parent.parent
BENCHMARKS = ROOT / "benchmarks"
LIST, FINDINGS = BENCHMARKS / "wild.toml", BENCHMARKS / "wild-findings.jsonl"
VERDICTS, SUMMARY = BENCHMARKS / "wild-verdicts.jsonl", BENCHMARKS / "wild-summary.json"
PAGE, README = BENCHMARKS / "WILD.md", ROOT / "README.md"


def main() -> int:
    """Entry point: 0, or 1 if a scan crashed or something could not be read."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--into", type=Path, default=ROOT / ".work" / "wild", help="where the packages are kept")
    parser.add_argument("--only", default="", metavar="TEXT", help="only packages whose registry:name contains this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="scans at once")
    parser.add_argument("--record", action="store_true", help="make this run the recorded one")
    parser.add_argument("--render", action="store_true", help="scan nothing; write the pages from what is recorded")
    parser.add_argument("--sample", type=int, metavar="N", help="scan nothing; choose N recorded findings to be read")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the sample")
    arguments = parser.parse_args()
    try:
        if arguments.sample:
            return _sample(arguments.sample, arguments.seed)
        if arguments.render:
            _render(read_summary(SUMMARY), read_lines(FINDINGS, Row))
            return 0
        if arguments.record and arguments.only:
            raise WildError("--record wants all packages: leave --only out.")
        return _run(arguments)
    except (WildError, FetchError, OSError) as error:
        print(f"wild: {error}", file=sys.stderr)
        return 1


def name(package: Package) -> str:
    """Its name in what is recorded: `npm:@keyv/redis`."""
    return f"{package.ecosystem}:{package.name}"


def _run(arguments: argparse.Namespace) -> int:
    packages = [each for each in read_file(LIST) if arguments.only in name(each)]
    if not packages:
        raise WildError(f"{LIST} has no package whose name contains {arguments.only!r}.")
    fetched = fetch_all(packages, lambda package: arguments.into / package.ecosystem / package.folder)
    started = time.monotonic()
    there = [(name(each.package), each.folder.resolve()) for each in fetched if not each.error]
    scans = scan_all(there, arguments.jobs, lambda done: _progress(done, len(there)))
    rows = [row for scan in scans for row in scan.rows]
    summary = summarise(fetched, scans)
    for line in report.figures(summary, rows):
        print(line)
    print(f"Took {time.monotonic() - started:.0f} s, {arguments.jobs} scans at once\n")
    for line in report.read(match(read_lines(VERDICTS, Verdict), rows)):
        print(line)
    print()
    reliable = {scan.package for scan in scans if not scan.crash}
    for line in differences.lines(differences.compare(read_lines(FINDINGS, Row), rows, reliable), "the recorded run"):
        print(line)
    if arguments.record:
        write_lines(FINDINGS, rows)
        write_summary(SUMMARY, summary)
        _render(summary, rows)
        print(f"\nRecorded in {BENCHMARKS.relative_to(ROOT)}/ and README.md")
    return int(bool(summary.crashes))


def _progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done} of {total} scanned", end="\n" if done == total else "", file=sys.stderr, flush=True)


def summarise(fetched: Sequence[Fetched], scans: Sequence[Scan]) -> Summary:
    """The figures of a run."""
    paces = [1e6 * scan.cpu_s / scan.lines for scan in scans if scan.lines]
    costs, peaks = [scan.cpu_s for scan in scans] or [0.0], [scan.peak_mb for scan in scans] or [0.0]
    return Summary(
        date=datetime.datetime.now(tz=datetime.timezone.utc).date().isoformat(),
        commit=_commit(),
        packages=dict(Counter(scan.package.partition(":")[0] for scan in scans)),
        listed=len(fetched),
        without_redis=sum(not scan.files and not scan.crash for scan in scans),
        files_found=sum(scan.found for scan in scans),
        files=sum(scan.files for scan in scans),
        lines=sum(scan.lines for scan in scans),
        missing=tuple(Remark(name(each.package), "", each.error) for each in fetched if each.error),
        crashes=tuple(Remark(scan.package, "", scan.crash) for scan in scans if scan.crash),
        partial=tuple(remark for scan in scans for remark in scan.partial),
        skipped=sum(scan.skipped for scan in scans),
        cpu_ms_per_kloc_median=round(statistics.median(paces or [0.0]), 1),
        cpu_s_median=round(statistics.median(costs), 2),
        cpu_s_max=round(max(costs), 1),
        cpu_s_total=round(sum(costs), 1),
        slowest=max(scans, key=lambda scan: scan.cpu_s).package if scans else "",
        peak_mb_median=round(statistics.median(peaks), 1),
        peak_mb_max=round(max(peaks), 1),
        largest=max(scans, key=lambda scan: scan.peak_mb).package if scans else "",
    )


def _commit() -> str:
    done = subprocess.run(
        ["git", "rev-parse", "--short=10", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or "an unknown commit"


def _render(summary: Summary, rows: Sequence[Row]) -> None:
    matched = match(read_lines(VERDICTS, Verdict), rows)
    PAGE.write_text(report.page(summary, rows, matched), "utf-8")
    README.write_text(report.with_section(README.read_text("utf-8"), report.section(summary, matched)), "utf-8")


def _sample(number: int, seed: int) -> int:
    done = {verdict.key for verdict in read_lines(VERDICTS, Verdict)}
    for row in sample(read_lines(FINDINGS, Row), number, seed, done):
        print(f"{row.rule} {row.level} {row.precision} {row.package} {row.path}:{row.line} {row.fingerprint}")
        print(f"    {row.message}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
