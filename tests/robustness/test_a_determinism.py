"""Points 1 and 2: reports are a function of the files, whatever runs, where, how often, and in which language."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from hostile import ROOT, environment, run

from resplint.output import FORMATS

SEEDS = ("0", "1", "random")
JOBS = ("1", "2", "8")
ORDERS = ("sorted", "reversed", "shuffled")
LOCALES: tuple[dict[str, str], ...] = (
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "TZ": "UTC"},
    {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "LANGUAGE": "tr", "NO_COLOR": "1", "TZ": "Asia/Kathmandu"},
    {"PYTHONIOENCODING": "latin-1", "LANG": "C.UTF-8", "TERM": "dumb", "TZ": "America/New_York"},
)
ROWS = (
    (0, 0, 0, 0), (0, 1, 1, 1), (0, 2, 2, 2),
    (1, 0, 1, 2), (1, 1, 2, 0), (1, 2, 0, 1),
    (2, 0, 2, 1), (2, 1, 0, 2), (2, 2, 1, 0),
)  # fmt: skip
"""Indices of seed, processes, order and locale: each value of one meets each value of every other once."""
Outputs = dict[str, bytes]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For each rule and language a fixture with findings and one without; files that are analysed in part or not."""
    folder = tmp_path_factory.mktemp("determinism") / "tree"
    for language in sorted((ROOT / "fixtures").glob("*/*")):
        chosen = [*sorted(language.glob("bad_*"))[:1], *sorted(language.glob("ok_*"))[:1]]
        for path in chosen:
            target = folder / language.relative_to(ROOT / "fixtures") / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if path.is_dir() else shutil.copy)(path, target)
    (folder / "broken.py").write_text("import redis\n\nredis.Redis().blpop('jobs', 0)\n\ndef (\n")
    (folder / "\u0130stanbul \u00e9.py").write_text(
        "import redis\n\nredis.Redis(socket_timeout=5).blpop('\u0131\u015f', 9)\n"
    )
    (folder / "binary.py").write_bytes(b"redis\0")
    return folder


def reports(tree: Path, folder: Path, row: tuple[int, ...]) -> Outputs:
    """Everything that a run writes, from a copy of the tree in a folder of its own and with an order of its own."""
    seed, jobs, order, locale = row
    root = folder / ("".join(map(str, row)) + " " + "deeper/" * seed + ORDERS[order])
    shutil.copytree(tree, root)
    paths = sorted([*root.glob("*/*"), *root.glob("*.py")])
    if ORDERS[order] == "shuffled":
        random.Random(jobs).shuffle(paths)
    wanted = [f"--report={form}={folder}/{form}" for form in FORMATS]
    done = run(
        "scan", "--include-tests", "--exit-zero", "--level", "note", "--min-precision", "low", "--jobs", JOBS[jobs],
        *wanted, *(reversed(paths) if ORDERS[order] == "reversed" else paths), cwd=root,
        env=environment(
            PYTHONHASHSEED=SEEDS[seed], USER=f"user-{row}", LOGNAME=f"user-{row}", HOSTNAME=f"host-{row}",
            HOME=str(folder), **LOCALES[locale],
        ),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    return {"printed": done.stdout, **{form: (folder / form).read_bytes() for form in FORMATS}}


@pytest.fixture(scope="module")
def reference(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Outputs:
    return reports(tree, tmp_path_factory.mktemp("reference"), ROWS[0])


@pytest.mark.parametrize("row", ROWS[1:], ids=lambda row: f"{SEEDS[row[0]]}-{JOBS[row[1]]}-{ORDERS[row[2]]}-{row[3]}")
def test_01_and_02_every_report_is_the_same_bytes(
    tree: Path, reference: Outputs, tmp_path: Path, row: tuple[int, ...]
) -> None:
    outputs = reports(tree, tmp_path, row)
    assert [name for name, data in outputs.items() if data != reference[name]] == []


def test_01_nothing_of_the_machine_is_in_a_report(tree: Path, reference: Outputs) -> None:
    for name, data in reference.items():
        for local in (str(tree.parent.parent), "user-(0", "host-(0", "0000 "):
            assert local.encode() not in data, name
    assert reference["text"].count(b"RL") > 50
