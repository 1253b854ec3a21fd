"""Runs resplint on packages, as a user would start it, and keeps what it says, how long it took and how it ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import msgspec

from wild.records import Remark, Row

TIMEOUT_S = 120.0
_OPTIONS = (
    "--exit-zero", "--no-baseline", "--no-cache", "--level", "note", "--min-precision", "low", "--statistics",
    "--format", "json",
    # The packages share the processors, so that each process does the whole work for one and can be measured.
    "--jobs", "1",
)  # fmt: skip
_LINES = "analysed (lines)"
_LATE = "not ready after"


class Scan(msgspec.Struct, frozen=True):
    """One package: its findings, `crash` (why the scan is not to be trusted, "" if it is), and what it cost.

    `files` and `lines` were analysed, `found` is how many files of a known language there are; `cpu_s` is user and
    system time with start-up, `peak_mb` the greatest resident memory in 10^6 bytes.
    """

    package: str
    crash: str
    rows: tuple[Row, ...] = ()
    partial: tuple[Remark, ...] = ()
    skipped: int = 0
    found: int = 0
    files: int = 0
    lines: int = 0
    cpu_s: float = 0.0
    peak_mb: float = 0.0


def scan_all(folders: Sequence[tuple[str, Path]], jobs: int, progress: Callable[[int], None]) -> list[Scan]:
    """Scan `(package, folder)` pairs, `jobs` at once; the results in their order. One that takes too long is tried once
    more when the others are done, for the machine may have been busy.
    """
    with tempfile.TemporaryDirectory(prefix="resplint-wild-") as scratch:
        with ThreadPoolExecutor(jobs) as pool:
            futures = [pool.submit(_scan, package, folder, Path(scratch)) for package, folder in folders]
            for done, _ in enumerate(as_completed(futures), 1):
                progress(done)
        scans = [future.result() for future in futures]
        return [
            _scan(package, folder, Path(scratch)) if scan.crash.startswith(_LATE) else scan
            for scan, (package, folder) in zip(scans, folders, strict=True)
        ]


def _scan(package: str, folder: Path, scratch: Path) -> Scan:
    own = Path(tempfile.mkdtemp(dir=scratch))
    # An empty configuration and no cache: what the package or this machine has must not count.
    (own / "resplint.toml").write_text("", "utf-8")
    report = own / "report.json"
    command = [sys.executable, "-m", "resplint", "scan", *_OPTIONS, "--config", str(own / "resplint.toml")]
    command += ["--output", str(report), str(folder)]
    environment = {**os.environ, "PYTHONFAULTHANDLER": "1"}
    with (own / "stderr").open("wb") as errors:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, cwd=own, env=environment,
            start_new_session=True,
        )  # fmt: skip
        status, cpu_s, peak_mb, in_time = _wait(process)
    said = (own / "stderr").read_text("utf-8", "replace")
    crash = _crash(status, said, in_time=in_time)
    if crash and not report.exists():
        return Scan(package, crash, cpu_s=cpu_s, peak_mb=peak_mb)
    return _result(package, folder, crash, report.read_bytes(), cpu_s, peak_mb)


def _wait(process: subprocess.Popen[bytes]) -> tuple[int, float, float, bool]:
    """Exit code (negative for a signal), CPU seconds, peak memory in MB, and whether it ended by itself."""
    late = threading.Event()

    def give_up() -> None:
        late.set()
        os.killpg(process.pid, signal.SIGKILL)

    timer = threading.Timer(TIMEOUT_S, give_up)
    timer.start()
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    unit = 1 if sys.platform == "darwin" else 1024
    return process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / 1e6, not late.is_set()


def _crash(status: int, said: str, *, in_time: bool) -> str:
    last = (said.strip().splitlines() or ["nothing on standard error"])[-1][:200]
    if not in_time:
        return f"{_LATE} {TIMEOUT_S:.0f} s"
    if status < 0:
        return f"ended by {signal.Signals(-status).name}: {last}"
    if status or "Traceback (most recent call last)" in said:
        return f"exit code {status}: {last}"
    return ""


def _result(package: str, folder: Path, crash: str, report: bytes, cpu_s: float, peak_mb: float) -> Scan:
    try:
        document = msgspec.json.decode(report)
    except msgspec.DecodeError as error:
        return Scan(package, crash or f"the report is no JSON: {error}", cpu_s=cpu_s, peak_mb=peak_mb)
    for each in (*document["results"], *document["notifications"]):
        each["path"] = _in_folder(each["path"] or "", folder)
    remarks = [(each["kind"], Remark(package, each["path"], each["message"])) for each in document["notifications"]]
    failed = [remark for kind, remark in remarks if kind == "internal-error"]
    if failed:
        crash = f"{failed[0].path}: {failed[0].message}".removeprefix(": ")
    return Scan(
        package, crash,
        rows=tuple(_row(package, each) for each in document["results"]),
        partial=tuple(remark for kind, remark in remarks if kind == "partial"),
        skipped=sum(kind == "skipped" for kind, _ in remarks),
        found=document["counts"]["files_discovered"],
        files=document["counts"]["files_analysed"],
        lines=int(document["statistics"][_LINES]),
        cpu_s=cpu_s, peak_mb=peak_mb,
    )  # fmt: skip


def _in_folder(path: str, folder: Path) -> str:
    """A path from the top of the repository around a folder, which may be this one, as a path from the folder."""
    parts = folder.absolute().parts
    starts = ("/".join(parts[number:]) + "/" for number in range(1, len(parts)))
    return next((path.removeprefix(start) for start in starts if path.startswith(start)), path)


def _row(package: str, result: dict[str, object]) -> Row:
    fields = {name: result[name] for name in ("path", "rule", "level", "precision", "message")}
    region, fingerprints = result["region"], result["fingerprints"]
    assert isinstance(region, dict)
    assert isinstance(fingerprints, dict)
    known = {"package": package, "line": region["start_line"], "fingerprint": fingerprints["resplint/v1"]}
    return msgspec.convert({**fields, **known}, Row)
