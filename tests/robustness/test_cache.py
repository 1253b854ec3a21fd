"""A cache changes how long a scan takes and nothing else, whatever has become of its files."""

from __future__ import annotations

import ast
import json
import multiprocessing
import os
import random
import shutil
import stat
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from resplint.cache import store as store_module
from resplint.cli.app import cli
from resplint.output import FORMATS

SOURCE = Path(store_module.__file__).parents[1]
SECRET = "hunter2_is_the_password_of_production"
COMMENT = "nobody may ever read this remark"
IDENTIFIER = "a_name_that_is_long_and_stands_nowhere_else"
POOLED = f"""\
import redis

# {COMMENT}
{IDENTIFIER} = redis.Redis(socket_timeout=5, max_connections=8, password="{SECRET}")


def take():
    return {IDENTIFIER}.blpop("jobs-{SECRET}", timeout=30)
"""
CALLER = f"from app.queue import {IDENTIFIER}\n\n\ndef peek():\n    return {IDENTIFIER}.keys('*')\n"
ODD = "import redis  # resplint: ignore[RL104] nothing here\nvalue = (\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Findings, remarks, files that cannot be analysed, and one that matters only because of what it imports."""
    root = tmp_path / "project"
    (root / "app").mkdir(parents=True)
    (root / "requirements.txt").write_text("redis==6.4.0\n")
    (root / "app" / "queue.py").write_text(POOLED)
    (root / "app" / "caller.py").write_text(CALLER)
    (root / "app" / "odd.py").write_text(ODD)
    (root / "app" / "image.py").write_bytes(b"\x89PNG\0\1" * 100)
    (root / "app" / "plain.py").write_text("print('hello')\n")
    (root / "cache.js").write_text("const Redis = require('ioredis');\nconst c = new Redis();\nc.hgetall('all');\n")
    (root / ".gitignore").write_text("build/\n")
    _settle(root)
    return root


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def _settle(root: Path) -> None:
    """Let time stamps look old, as they do in a checkout that is not of this second."""
    old = time.time() - 3_600
    for path in root.rglob("*"):
        os.utime(path, (old, old))


KINDS = ("basis", "facts", "imports", "scan", "tree", "walk")


def entries(cache: Path, *kinds: str) -> list[Path]:
    folder = cache / "resplint-cache-1"
    return sorted(path for path in folder.iterdir() if path.name.split("-")[0] in (kinds or KINDS))


def scan(*arguments: str | Path, format_: str = "json") -> tuple[int, str]:
    """Exit code and report; a remark on standard error must not be a traceback."""
    options = ["scan", "--format", format_, "--level", "note", "--jobs", "1"]
    result = CliRunner().invoke(cli, [*options, *map(str, arguments)], catch_exceptions=False)
    assert "Traceback" not in result.stderr
    return result.exit_code, result.stdout


def with_cache(project: Path, cache: Path, format_: str = "json") -> tuple[int, str]:
    return scan(project, "--cache-dir", cache, format_=format_)


def without_cache(project: Path, format_: str = "json") -> tuple[int, str]:
    return scan(project, "--no-cache", format_=format_)


# -- point 3 --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format_", sorted(FORMATS))
def test_3_cold_warm_and_uncached_reports_are_the_same_bytes(project: Path, cache: Path, format_: str) -> None:
    uncached = without_cache(project, format_)
    cold, warm = with_cache(project, cache, format_), with_cache(project, cache, format_)
    assert uncached[0] == 1
    assert cold == uncached
    assert warm == uncached


def test_3_a_warm_scan_parses_and_links_nothing(project: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the tests below would show nothing."""
    from resplint.scan import analysis

    cold = with_cache(project, cache)

    def unwanted(*_: object) -> None:
        raise AssertionError("a warm scan analyses nothing")

    monkeypatch.setattr(analysis, "linked", unwanted)
    assert with_cache(project, cache) == cold


def test_3_files_of_a_project_at_another_place_are_the_same_project(
    project: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from resplint.scan import analysis

    cold = with_cache(project, cache)
    moved = project.parent / "elsewhere" / "project"
    shutil.copytree(project, moved)
    monkeypatch.setattr(analysis, "linked", None)
    assert with_cache(moved, cache) == cold


def test_3_only_what_changed_is_parsed(project: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from resplint.scan import lowering_pool, selecting

    original, one_by_one, lowered = selecting.lower_all, lowering_pool.OnDemand.lower, list[str]()

    def counting(tasks: Sequence[tuple[str, str]], *rest: Any, **more: Any) -> Any:
        lowered.extend(path for path, _ in tasks)
        return original(tasks, *rest, **more)

    def counting_one(self: lowering_pool.OnDemand, path: str, *rest: Any) -> Any:
        lowered.append(path)
        return one_by_one(self, path, *rest)

    monkeypatch.setattr(selecting, "lower_all", counting)
    monkeypatch.setattr(lowering_pool.OnDemand, "lower", counting_one)
    with_cache(project, cache)
    assert sorted(lowered) == ["app/caller.py", "app/image.py", "app/odd.py", "app/queue.py", "cache.js"]
    (project / "app" / "queue.py").write_text(POOLED.replace("timeout=30", "timeout=20"))
    lowered.clear()
    report = with_cache(project, cache)
    assert lowered == ["app/queue.py"]
    assert report == without_cache(project)


def test_3_a_warm_scan_reads_only_what_changed(project: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from resplint.scan.kept import recall
    from resplint.scan.request import ScanState

    monkeypatch.setattr(recall, "_SETTLED_NS", -(10**15))
    original, seen = ScanState.peek, list[str]()

    def noting(state: ScanState, path: str) -> bytes | None:
        seen.append(path)
        return original(state, path)

    monkeypatch.setattr(ScanState, "peek", noting)
    with_cache(project, cache)
    assert len(set(seen)) == 6
    seen.clear()
    with_cache(project, cache)
    assert seen == []
    # Files that have nothing to do with Redis are not asked again what they import.
    (project / "app" / "queue.py").write_text(POOLED.replace("timeout=30", "timeout=20"))
    with_cache(project, cache)
    assert set(seen) == {"app/queue.py", "app/caller.py", "app/image.py", "app/odd.py", "cache.js"}
    seen.clear()
    (project / "app" / "plain.py").write_text("print('world')\n")
    with_cache(project, cache)
    assert set(seen) == {"app/queue.py", "app/plain.py"}


def test_3_warm_takes_at_most_a_third_of_cold(project: Path, cache: Path) -> None:
    """Processor time, that of workers too, without the start of the interpreter, which is the same for both."""
    for number in range(300):
        (project / f"plain_{number}.py").write_text("def f(x):\n    return x\n" * 50)
        if number % 10 == 0:
            (project / f"queue_{number}.py").write_text(POOLED.replace("take", f"take_{number}") * 5)
    with_cache(project, cache.with_name("unused"))  # so that neither run loads the engine

    def seconds() -> float:
        started = sum(os.times()[:4])
        with_cache(project, cache)
        return sum(os.times()[:4]) - started

    cold = seconds()
    assert min(seconds() for _ in range(3)) <= cold / 3


# -- point 25: damaged ----------------------------------------------------------------------------------------------


def _every_entry(change: Callable[[bytes, random.Random], bytes]) -> Callable[[Path, random.Random], None]:
    def damage(cache: Path, dice: random.Random) -> None:
        for path in entries(cache):
            path.write_bytes(change(path.read_bytes(), dice))

    return damage


def _flipped(data: bytes, dice: random.Random) -> bytes:
    changed = bytearray(data)
    changed[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    return bytes(changed)


@pytest.mark.parametrize("seed", range(20))
def test_25_truncated_anywhere(project: Path, cache: Path, seed: int) -> None:
    expected = with_cache(project, cache)
    _every_entry(lambda data, dice: data[: dice.randrange(len(data))])(cache, random.Random(seed))
    assert with_cache(project, cache) == expected
    assert with_cache(project, cache) == expected


@pytest.mark.parametrize("seed", range(20))
def test_25_flipped_bits(project: Path, cache: Path, seed: int) -> None:
    expected = with_cache(project, cache)
    _every_entry(_flipped)(cache, random.Random(seed))
    assert with_cache(project, cache) == expected
    assert with_cache(project, cache) == expected


@pytest.mark.parametrize("content", [b"", b"\0", b"resplint cache 2\n", b"\x80\x04N.", b"[]" * 10_000], ids=repr)
def test_25_something_else_in_the_place_of_entries(project: Path, cache: Path, content: bytes) -> None:
    expected = with_cache(project, cache)
    _every_entry(lambda *_: content)(cache, random.Random(0))
    assert with_cache(project, cache) == expected


# -- point 25: other circumstances -----------------------------------------------------------------------------------


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one entry with each scan that analyses."""
    from resplint.scan import analysis

    original, done = analysis.linked, list[int]()

    def counting(*arguments: object) -> object:
        done.append(1)
        return original(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(analysis, "linked", counting)
    return done


def test_25_another_version_starts_anew(
    project: Path, cache: Path, counted: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    from resplint.cache import identity

    with_cache(project, cache)
    with_cache(project, cache)
    assert len(counted) == 1
    monkeypatch.setattr(identity, "__version__", "999.0")
    assert with_cache(project, cache) == without_cache(project)
    assert len(counted) == 3


@pytest.mark.parametrize("name", ["commands.toml", "clients/redis-py.toml", "book/RL104-blocking-timeout.md"])
def test_25_other_rules_and_client_models_start_anew(tmp_path: Path, name: str) -> None:
    """What a scan knows counts by its bytes."""
    from resplint.cache import tool_identity
    from resplint.knowledge.load import rules_dir

    rules = tmp_path / "rules"
    shutil.copytree(rules_dir(), rules)
    before = tool_identity(str(rules))
    assert tool_identity(str(rules)) == before
    with open(rules / name, "ab") as file:
        file.write(b"\n")
    assert tool_identity(str(rules)) != before


@pytest.mark.parametrize(
    "options",
    [
        ("--select", "RL101"),
        ("--ignore", "RL104"),
        ("--min-precision", "low"),
        ("--include-tests",),
        ("--exclude", "queue.py"),
        ("--max-file-size", "60"),
    ],
)
def test_25_another_configuration_is_another_question(project: Path, cache: Path, options: tuple[str, ...]) -> None:
    with_cache(project, cache)
    expected = scan(project, *options, "--no-cache")
    assert scan(project, *options, "--cache-dir", cache) == expected
    assert scan(project, *options, "--cache-dir", cache) == expected


def test_25_versions_and_factories_of_the_configuration_count(project: Path, cache: Path) -> None:
    with_cache(project, cache)
    for text in ('client-versions = { redis-py = "4.5.0" }\n', '[client-factories]\n"app.plain.get" = "redis.Redis"\n'):
        (project / "resplint.toml").write_text(text)
        assert with_cache(project, cache) == without_cache(project)


CHANGES: dict[str, Callable[[Path], object]] = {
    "a file that names Redis": lambda root: (root / "app" / "queue.py").write_text(POOLED.replace("30", "1")),
    "a file that imports one": lambda root: (root / "app" / "caller.py").write_text(CALLER.replace("keys", "get")),
    "a file that begins to name it": lambda root: (root / "app" / "plain.py").write_text(POOLED),
    "a file that begins to import one": lambda root: (root / "app" / "plain.py").write_text(CALLER),
    "a file that ceases to import one": lambda root: (root / "app" / "caller.py").write_text("print(1)\n"),
    "a file that is new": lambda root: (root / "new.py").write_text(POOLED),
    "a file that is gone": lambda root: (root / "app" / "queue.py").unlink(),
    "a file of another name": lambda root: (root / "app" / "queue.py").rename(root / "app" / "jobs.py"),
    "a manifest": lambda root: (root / "requirements.txt").write_text("redis==4.5.0\n"),
    "a manifest that is new": lambda root: (root / "app" / "requirements.txt").write_text("redis==4.5.0\n"),
    "a manifest that is gone": lambda root: (root / "requirements.txt").unlink(),
    "a manifest that is broken": lambda root: (root / "requirements.txt").write_bytes(b"redis==\xff\xfe!!"),
    "an ignore file": lambda root: (root / ".gitignore").write_text("queue.py\n"),
    "a comment": lambda root: (root / "app" / "queue.py").write_text(POOLED + "# resplint: ignore-file\n"),
    "a package of the project": lambda root: (root / "package.json").write_text('{"name": "app"}'),
}


@pytest.mark.parametrize("change", sorted(CHANGES))
@pytest.mark.parametrize("settled", [True, False])
def test_25_whatever_changes_in_a_project_is_seen(
    project: Path, cache: Path, change: str, settled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when every time stamp is relied on, as in a checkout of yesterday, and when as much as possible is kept."""
    from resplint.scan.kept import recall

    if settled:
        monkeypatch.setattr(recall, "_SETTLED_NS", -(10**15))
        monkeypatch.setattr(recall, "_FEW", 1)
    with_cache(project, cache)
    CHANGES[change](project)
    expected = without_cache(project)
    assert with_cache(project, cache) == expected
    assert with_cache(project, cache) == expected


def _both(root: Path) -> None:
    """Another file imports what is another file now."""
    (root / "app" / "queue.py").write_text(POOLED.replace("30", "20"))
    (root / "app" / "plain.py").write_text(CALLER)


def _between(root: Path) -> None:
    """A client comes to a file by way of another one, which is asked about for the first time."""
    (root / "app" / "plain.py").write_text(f"from app.queue import {IDENTIFIER} as jobs\n")
    (root / "app" / "image.py").write_text("from app.plain import jobs\n\n\ndef all_jobs():\n    jobs.keys('*')\n")


AFTER = {**CHANGES, "two files at a time": _both, "a file between": _between}


@pytest.mark.parametrize("then", sorted(AFTER))
@pytest.mark.parametrize("first", ["a file that names Redis", "a file that begins to import one", "a file between"])
@pytest.mark.parametrize("few", [1, 20])
def test_25_changes_one_after_the_other_are_seen(
    project: Path, cache: Path, first: str, then: str, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept of a tree may be older than the outcome of the run before."""
    from resplint.scan.kept import recall

    monkeypatch.setattr(recall, "_SETTLED_NS", -(10**15))
    monkeypatch.setattr(recall, "_FEW", few)
    with_cache(project, cache)
    AFTER[first](project)
    with_cache(project, cache)
    AFTER[then](project)
    assert with_cache(project, cache) == without_cache(project)


HARMLESS: dict[str, Callable[[Path], object]] = {
    "code of a file that has nothing to do with Redis": lambda root: (root / "app" / "plain.py").write_text("x = 1\n"),
    "its imports": lambda root: (root / "app" / "plain.py").write_text("import os\nfrom other.queues import take\n"),
    "a script": lambda root: (root / "script.js").write_text("import { a } from 'cacheable';\nexport default a;\n"),
}


@pytest.mark.parametrize("change", sorted(HARMLESS))
@pytest.mark.parametrize("package", ["", '{"name": "app", "main": "cache.js"}', '{"name": "cacheable"}'])
def test_25_what_does_not_matter_costs_nothing(
    project: Path, cache: Path, change: str, package: str, counted: list[int]
) -> None:
    """Otherwise "it is seen" could mean that nothing is ever kept."""
    (project / "script.js").write_text("import { a } from 'b';\nexport default a;\n")
    if package:
        (project / "package.json").write_text(package)
    with_cache(project, cache)
    HARMLESS[change](project)
    expected = without_cache(project)
    before = len(counted)
    assert with_cache(project, cache) == expected
    assert len(counted) == before


def test_25_an_import_through_the_name_of_a_package_is_seen(project: Path, cache: Path) -> None:
    (project / "package.json").write_text('{"name": "@own/cache", "main": "cache.js"}')
    (project / "cache.js").write_text(
        "const Redis = require('ioredis');\nexports.all = new Redis({ commandTimeout: 1000 });\n"
    )
    (project / "script.js").write_text("const { a } = require('./a');\na.blpop('jobs', 30);\n")
    before = with_cache(project, cache)
    (project / "script.js").write_text("const { all } = require('@own/cache');\nall.blpop('jobs', 30);\n")
    after = without_cache(project)
    assert after != before
    assert with_cache(project, cache) == after


BOARD = """package harbour.board

import harbour.shared.BOARD
import redis.clients.jedis.JedisPooled

class Board(private val jedis: JedisPooled) {
    fun register(pilot: String) = jedis.lpush("pilots", pilot)

    fun all() = jedis.lrange(BOARD, 0, -1)
}
"""


@pytest.mark.parametrize("settled", [True, False])
def test_25_what_a_package_declares_in_a_file_of_another_name_is_seen(
    project: Path, cache: Path, settled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is read only once it declares what another one imports."""
    from resplint.scan.kept import recall

    if settled:
        monkeypatch.setattr(recall, "_SETTLED_NS", -(10**15))
        monkeypatch.setattr(recall, "_FEW", 1)
    shared = project / "harbour" / "shared"
    shared.mkdir(parents=True)
    (project / "harbour" / "board").mkdir()
    (project / "harbour" / "board" / "Board.kt").write_text(BOARD)
    (shared / "Constants.kt").write_text('package harbour.shared\n\nconst val OTHER = "others"\n')
    (project / "resplint.toml").write_text('select = ["RL403"]\n')
    before = with_cache(project, cache)
    (shared / "Constants.kt").write_text('package harbour.shared\n\nconst val BOARD = "pilots"\n')
    expected = without_cache(project)
    assert "LRANGE reads all elements" in expected[1]
    assert "LRANGE reads all elements" not in before[1]
    assert with_cache(project, cache) == expected


def test_25_a_file_that_changes_within_one_tick_of_the_clock_is_read(project: Path, cache: Path) -> None:
    """Same size, same time stamps as far as anybody can set them."""
    path = project / "app" / "queue.py"
    with_cache(project, cache)
    status = path.stat()
    path.write_text(POOLED.replace("timeout=30", "timeout=02"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size
    assert with_cache(project, cache) == without_cache(project)


@pytest.mark.parametrize("ahead", [10, 3_600, 10 * 365 * 86_400])
def test_25_time_stamps_from_the_future(project: Path, cache: Path, ahead: int) -> None:
    future = time.time() + ahead
    for path in (project / "app").iterdir():
        os.utime(path, (future, future))
    expected = with_cache(project, cache)
    for path in entries(cache):
        os.utime(path, (future, future))
    path = project / "app" / "queue.py"
    path.write_text(POOLED.replace("timeout=30", "timeout=02"))
    os.utime(path, (future, future))
    changed = with_cache(project, cache)
    assert changed != expected
    assert changed == without_cache(project)


# -- point 25: the folder --------------------------------------------------------------------------------------------


def test_25_the_folder_is_for_its_owner_alone(project: Path, cache: Path) -> None:
    with_cache(project, cache)
    folder = cache / "resplint-cache-1"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in entries(cache)} == {0o600}
    folder.chmod(0o777)
    with_cache(project, cache)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_25_it_lies_in_the_users_folder_unless_told_otherwise(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RESPLINT_CACHE_DIR")
    monkeypatch.delenv("RESPLINT_CACHE_KEY")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(project)
    before = sorted(project.rglob("*"))
    expected = without_cache(Path())
    assert scan() == expected
    assert scan() == expected
    assert sorted(project.rglob("*")) == before
    assert len(entries(tmp_path / "caches" / "resplint", "scan", "tree")) == 2
    (secret,) = (tmp_path / "state" / "resplint").iterdir()
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600


def test_25_no_source_text(project: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from resplint.scan.kept import recall

    monkeypatch.setattr(recall, "_FEW", 1)
    _, report = with_cache(project, cache)
    assert IDENTIFIER in report
    assert {path.name.split("-")[0] for path in entries(cache)} == set(KINDS)
    stored = b"".join(path.read_bytes() for path in entries(cache))
    assert len(stored) > 1_000
    words = [SECRET, COMMENT, IDENTIFIER, "blpop", "timeout=30", "socket_timeout", "app.queue"]
    words += [text[at : at + 8] for text in (SECRET, IDENTIFIER) for at in range(len(text) - 8)]
    for word in words:
        for encoded in (word.encode(), word.encode("utf-16-le"), json.dumps(word).encode()):
            assert encoded not in stored


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_25_a_folder_of_somebody_else_is_not_used(project: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_cache(project, cache)
    monkeypatch.setattr(os, "geteuid", lambda: 12_345)
    result = CliRunner().invoke(cli, ["scan", str(project), "--cache-dir", str(cache)])
    assert "belongs to another user" in result.stderr
    assert result.stderr.count("\n") == 1
    assert with_cache(project, cache) == without_cache(project)


def _link(folder: Path) -> None:
    (folder.parent / "target").mkdir()
    folder.symlink_to(folder.parent / "target")


def _file(folder: Path) -> None:
    folder.write_text("not a folder")


def _dangling(folder: Path) -> None:
    folder.symlink_to(folder.parent / "nowhere")


@pytest.mark.parametrize("make", [_link, _file, _dangling])
def test_25_something_else_in_the_place_of_the_folder(project: Path, cache: Path, make: Callable[[Path], None]) -> None:
    cache.mkdir()
    make(cache / "resplint-cache-1")
    result = CliRunner().invoke(cli, ["scan", str(project), "--cache-dir", str(cache)])
    assert result.exit_code == 1
    assert "cannot be used" in result.stderr
    assert result.stderr.count("\n") == 1
    assert with_cache(project, cache) == without_cache(project)
    assert list((cache / "target").iterdir() if (cache / "target").exists() else []) == []


def test_25_links_in_the_place_of_entries_are_neither_read_nor_followed(project: Path, cache: Path) -> None:
    expected = with_cache(project, cache)
    precious = cache / "precious"
    for path in entries(cache):
        precious.write_bytes(path.read_bytes())
        path.unlink()
        path.symlink_to(precious)
    before = precious.read_bytes()
    assert with_cache(project, cache) == expected
    assert precious.read_bytes() == before
    assert not any(path.is_symlink() for path in entries(cache))


def test_25_folders_and_pipes_in_the_place_of_entries(project: Path, cache: Path) -> None:
    expected = with_cache(project, cache)
    for number, path in enumerate(entries(cache)):
        path.unlink()
        if number:
            os.mkfifo(path)
        else:
            path.mkdir()
    assert with_cache(project, cache) == expected
    assert with_cache(project, cache) == expected


def _refusing(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("name", ["replace", "open"])
def test_25_a_full_or_read_only_disk(project: Path, cache: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = without_cache(project)
    (cache / "resplint-cache-1").mkdir(parents=True)
    original = os.open

    def opening(path: str, flags: int, *rest: int, **more: int) -> int:
        if flags & os.O_CREAT and str(cache) in str(path):
            _refusing()
        return original(path, flags, *rest, **more)

    monkeypatch.setattr(os, name, opening if name == "open" else _refusing)
    assert with_cache(project, cache) == expected
    monkeypatch.undo()
    assert entries(cache) == []
    assert list((cache / "resplint-cache-1").iterdir()) == []


def test_25_a_folder_that_cannot_be_made(project: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(cli, ["scan", str(project), "--cache-dir", str(tmp_path / "file" / "cache")])
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert "--no-cache" in result.stderr


# -- point 25: others ------------------------------------------------------------------------------------------------


def test_25_an_entry_under_the_key_of_another_one_does_not_count(project: Path, cache: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "clean.py").write_text("import redis\n\nvalue = 1\n")
    other_cache = tmp_path / "other-cache"
    scan(other, "--cache-dir", other_cache)
    expected = with_cache(project, cache)
    planted = {path.name.split("-")[0]: path.read_bytes() for path in entries(other_cache)}
    for path in entries(cache):
        path.write_bytes(planted[path.name.split("-")[0]])
    assert with_cache(project, cache) == expected


def test_25_entries_of_another_installation_do_not_count(
    project: Path, cache: Path, counted: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever can write into the folder, but not read the secret, cannot make a finding go away."""
    monkeypatch.setenv("RESPLINT_CACHE_KEY", "of the attacker")
    scan(project, "--ignore", "RL104", "--cache-dir", cache)
    forged = {path.name.split("-")[0]: path.read_bytes() for path in entries(cache)}
    monkeypatch.setenv("RESPLINT_CACHE_KEY", "of the victim")
    expected = with_cache(project, cache)
    for path in entries(cache):
        path.write_bytes(forged[path.name.split("-")[0]])
    analysed = len(counted)
    assert with_cache(project, cache) == expected
    assert len(counted) == analysed + 1
    assert expected == without_cache(project)


def test_25_eight_processes_at_a_time(project: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also on the secret, which is made by whoever comes first."""
    monkeypatch.delenv("RESPLINT_CACHE_KEY")
    monkeypatch.setenv("XDG_STATE_HOME", str(cache.parent / "state"))
    expected = without_cache(project)
    with ProcessPoolExecutor(8, mp_context=multiprocessing.get_context("fork")) as pool:
        running = [pool.submit(with_cache, project, cache) for _ in range(24)]
        assert [each.result() for each in running] == [expected] * 24
    assert len(entries(cache, "scan", "tree")) == 2
    assert [path.name for path in (cache / "resplint-cache-1").iterdir() if path.suffix == ".new"] == []


def test_25_nothing_in_an_entry_can_be_run() -> None:
    """No module that reads entries can even name what would run them."""
    forbidden = {"pickle", "marshal", "shelve", "dill", "eval", "exec", "compile", "__import__", "import_module"}
    kept = [SOURCE / "scan" / "kept" / f"{name}.py" for name in ("recall", "outcome", "recalled", "archive")]
    modules = [*(SOURCE / "cache").glob("*.py"), *kept]
    assert len(modules) >= 8
    for module in modules:
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, (ast.Import, ast.ImportFrom)) else []
            names += [node.id] if isinstance(node, ast.Name) else []
            names += [node.attr] if isinstance(node, ast.Attribute) else []
            assert forbidden.isdisjoint(names), f"{module}: {names}"


IGNORED: dict[str, Callable[[Path], object]] = {
    "other patterns": lambda root: (root / ".gitignore").write_text("caller.py\n"),
    "no patterns": lambda root: (root / ".gitignore").unlink(),
    "patterns of a folder": lambda root: (root / "app" / ".gitignore").write_text("!queue.py\ncaller.py\n"),
    "patterns of the repository": lambda root: (root / ".git" / "info" / "exclude").write_text("caller.py\n"),
    "patterns of the configuration": lambda root: (root / "resplint.toml").write_text('exclude = ["caller.py"]\n'),
    "a folder of the name of a file": lambda root: (root / "app" / "plain").mkdir(),
}


@pytest.mark.parametrize("change", sorted(IGNORED))
def test_25_ignore_files_are_read_again(
    project: Path, cache: Path, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What they said of each path is kept, even if it is only of a few."""
    from resplint.scan.kept import recall

    monkeypatch.setattr(recall, "_FEW", 1)
    (project / ".git" / "info").mkdir(parents=True)
    (project / ".gitignore").write_text("queue.py\nplain/\n")
    with_cache(project, cache)
    assert entries(cache, "walk")
    assert with_cache(project, cache) == without_cache(project)
    IGNORED[change](project)
    expected = without_cache(project)
    assert with_cache(project, cache) == expected
    assert with_cache(project, cache) == expected
