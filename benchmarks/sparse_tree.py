"""Time the scan of a large tree in which few files use Redis: the usual case of a repository.

Generates 4,000 Python files of which a dozen name Redis, runs `resplint scan` on them as a process of its own, start-up
included, and prints the shortest, median and longest time of five runs.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PLAIN = '''"""Orders of {name}."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from {neighbour} import Ledger


@dataclass
class Order{number}:
    """One order, with its lines."""

    number: int
    lines: dict[str, Decimal]

    def total(self) -> Decimal:
        return sum(self.lines.values(), Decimal(0))

    def close(self, ledger: Ledger) -> None:
        for article, price in self.lines.items():
            if price < 0:
                raise ValueError(f"{{article}} of {{self.number}} has a negative price")
            ledger.add(self.number, article, price)


class Ledger:
    """What was added."""

    def __init__(self) -> None:
        self.entries: list[tuple[int, str, Decimal]] = []

    def add(self, number: int, article: str, price: Decimal) -> None:
        self.entries.append((number, article, price))
'''

REDIS = '''"""The queue of {name}."""

from __future__ import annotations

import redis

client = redis.Redis(host="cache", socket_timeout=5)


def next_job() -> bytes | None:
    reply = client.blpop("jobs:{number}", timeout=30)
    return reply[1] if reply else None


def profile(user: int) -> dict[bytes, bytes]:
    return client.hgetall(f"user:{{user}}")
'''


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--files", type=int, default=4000, help="files in the tree (default: %(default)s)")
    parser.add_argument("--redis", type=int, default=12, help="files that use Redis (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=5, help="timed runs (default: %(default)s)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        size = generate(Path(folder), arguments.files, arguments.redis)
        times = [scan(Path(folder), arguments.files, arguments.redis) for _ in range(arguments.runs)]
    print(
        f"{arguments.files:,} files ({size / 1e6:.1f} MB), {arguments.redis} with Redis, {arguments.runs} runs: "
        f"min {min(times):.2f} s, median {statistics.median(times):.2f} s, max {max(times):.2f} s"
    )
    return 0


def generate(root: Path, files: int, with_redis: int) -> int:
    """Write the tree, the same one every time; returns its size in bytes."""
    chosen = set(random.Random(0).sample(range(files), with_redis))
    size = 0
    for number in range(files):
        folder = root / f"service_{number // 200:02}" / f"part_{number // 20 % 10}"
        folder.mkdir(parents=True, exist_ok=True)
        template = REDIS if number in chosen else PLAIN
        name, neighbour = f"unit_{number:04}", f"unit_{number // 20 * 20:04}"
        size += (folder / f"{name}.py").write_text(template.format(name=name, neighbour=neighbour, number=number))
    return size


def scan(root: Path, files: int, with_redis: int) -> float:
    """Seconds that one scan takes as a whole process; makes sure that it did the work."""
    command = [str(Path(sys.executable).with_name("resplint")), "scan", "--exit-zero", "--format", "json", str(root)]
    started = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True)
    seconds = time.perf_counter() - started
    counts = json.loads(done.stdout)["counts"]
    if counts["files_discovered"] != files or counts["findings"] < with_redis:
        raise SystemExit(f"the scan found {counts} in {files} files: its time means nothing")
    return seconds


if __name__ == "__main__":
    sys.exit(main())
