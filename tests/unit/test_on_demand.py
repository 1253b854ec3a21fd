"""Which files are lowered, and how those are that the linker asks for one by one."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from resplint.config.loading import Config
from resplint.scan import ScanRequest, lowering_pool, scan, selecting
from resplint.scan.lowering_pool import TAME_BYTES, LoweredFile, OnDemand, Task
from resplint.workers.time_limits import OutOfTime, within
from tests.unit.test_workers import children

LARGE = b"# fill\n" * (TAME_BYTES // 7 + 1)


def test_large_files_share_one_process_which_ends_with_the_scan() -> None:
    before = set(children())
    with closing(OnDemand()) as lowering:
        started = []
        for number in range(3):
            found = lowering.lower(f"m{number}.py", "python", LARGE + b"value_%d = 1\n" % number)
            assert found.facts is not None
            assert [found.facts.path, *(one.name for one in found.facts.bindings)] == [
                f"m{number}.py",
                f"value_{number}",
            ]
            started.append(set(children()) - before)
        assert len(started[0]) == 1
        assert started[0] == started[1] == started[2]
    assert set(children()) == before


def test_small_files_need_no_process() -> None:
    before = children()
    with closing(OnDemand()) as lowering:
        assert lowering.lower("a.py", "python", b"value = 1\n").facts is not None
        assert children() == before


@pytest.fixture
def slow_lowering(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lowering never comes to an end with a file that says `slow`."""
    lower = lowering_pool.lower

    def slow(path: str, language: str, data: bytes, **options: object) -> object:
        while b"slow" in data:
            pass
        return lower(path, language, data, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(lowering_pool, "lower", slow)


def test_a_file_that_takes_too_long_does_not_take_the_next_one_along(slow_lowering: None) -> None:
    with closing(OnDemand(timeout_s=0.2)) as lowering:
        assert "takes longer than 0.2 s" in lowering.lower("slow.py", "python", LARGE + b"slow = 1\n").reason
        assert lowering.lower("quick.py", "python", LARGE).facts is not None


def test_a_rule_that_runs_out_of_time_in_it_does_not_take_the_next_one_along(slow_lowering: None) -> None:
    before = set(children())
    with closing(OnDemand(timeout_s=30)) as lowering:
        with pytest.raises(OutOfTime):
            within(0.3, lambda: lowering.lower("slow.py", "python", LARGE + b"slow = 1\n"))
        assert set(children()) == before
        assert lowering.lower("quick.py", "python", LARGE).facts is not None


def test_an_importer_that_spells_no_name_of_a_client_is_not_lowered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = "\n\n\ndef take():\n    return {}.blpop('orders', 0)\n"
    files = {
        "shop/__init__.py": "",
        "shop/stores.py": "import redis\n\nbaskets = redis.Redis(max_connections=5, socket_timeout=3)\nLIMIT = 5\n",
        "shop/prices.py": "from shop.stores import LIMIT\n\nprint(LIMIT)\n",
        "shop/by_name.py": "from shop.stores import baskets" + waits.format("baskets"),
        "shop/by_module.py": "from shop import stores" + waits.format("stores.baskets"),
        "shop/whole.py": "from shop.stores import *\n",
        "shop/behind.py": "from shop.whole import baskets as held" + waits.format("held"),
    }
    (tmp_path / "shop").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    lowered: list[str] = []
    original = selecting.lower_all

    def noting(tasks: Sequence[Task], *args: Any, **options: Any) -> Generator[LoweredFile, None, None]:
        lowered.extend(path for path, _ in tasks)
        return original(tasks, *args, **options)

    monkeypatch.setattr(selecting, "lower_all", noting)
    report = scan(ScanRequest([str(tmp_path)], Config(rules={}), root=tmp_path))
    assert {result.path for result in report.results if result.rule == "RL104"} == {
        "shop/by_name.py", "shop/by_module.py", "shop/behind.py"
    }  # fmt: skip
    assert sorted(set(files) - set(lowered)) == ["shop/__init__.py", "shop/prices.py"]


def test_a_name_that_only_a_library_gives_meaning_needs_its_object(tmp_path: Path) -> None:
    """`cache.client.get_client()` is django-redis; a function that is called like that is not."""
    files = {
        "one.py": "import sdk\n\n\ndef client():\n    return sdk.get_client()\n# client.get_client\n",
        "two.py": "from one import client\n\nprint(client())\n",
        "three.py": (
            "from django.core.cache import cache\n\n\ndef wait():\n"
            "    return cache.client.get_client().blpop('orders', 0)\n"
        ),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    report = scan(ScanRequest([str(tmp_path)], Config(rules={}), root=tmp_path))
    assert [result.path for result in report.results if result.rule == "RL104"] == ["three.py"]
    assert report.files_analysed == 1
