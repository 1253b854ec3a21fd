"""Mutations of the fixtures: `python -m fuzzing --count 2000 --seed 7`."""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from pathlib import Path

from fuzzing.campaign import Found, Input, run, run_alone, shrunk
from fuzzing.trial import SUFFIXES


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzzing", description=__doc__)
    parser.add_argument("--language", choices=sorted(SUFFIXES), action="append", help="default: every language")
    parser.add_argument("--count", type=int, default=2_000, help="inputs for each language (default: 2000)")
    parser.add_argument("--seed", type=int, help="default: another one each time; it is printed")
    parser.add_argument("--only", type=int, metavar="N", help="examine just input N of the seed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: the processors)")
    parser.add_argument("--keep", type=Path, default=Path(".work/fuzz"), help="where inputs with a fault are written")
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(1_000_000)
    numbers = range(arguments.count) if arguments.only is None else [arguments.only]
    status = 0
    for language in arguments.language or sorted(SUFFIXES):
        inputs = [Input(language, seed, number) for number in numbers]
        started = time.monotonic()
        found = run(inputs, arguments.jobs, _Counter(language, len(inputs))) if len(inputs) > 1 else run_alone(inputs)
        seconds = time.monotonic() - started
        print(
            f"{language}: seed {seed}, {len(inputs):,} inputs, {len(found)} with a fault, {seconds:.0f} s", flush=True
        )
        for each in found:
            status = 1
            _tell(each, arguments.keep)
    return status


class _Counter:
    """Says now and then how far it is."""

    def __init__(self, language: str, total: int) -> None:
        self._language, self._total, self._done, self._told = language, total, 0, time.monotonic()

    def __call__(self, count: int) -> None:
        self._done += count
        if time.monotonic() - self._told > 60:
            self._told = time.monotonic()
            print(f"{self._language}: {self._done:,} of {self._total:,}", file=sys.stderr, flush=True)


def _tell(found: Found, folder: Path) -> None:
    short = shrunk(found) if found.data and "no end" not in found.what and "died" not in found.what else found
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{found.input.language}-{found.input.seed}-{found.input.name}"
    path.write_bytes(short.data)
    again = f"python -m fuzzing --language {found.input.language} --seed {found.input.seed} --only {found.input.number}"
    print(f"  {found.what}\n    input: {path} ({len(short.data):,} bytes); again: {again}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
