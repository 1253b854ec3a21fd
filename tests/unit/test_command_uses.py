"""Commands where no client is seen: what a framework sends over one of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from resplint.config.loading import Config
from resplint.scan import ScanRequest, scan
from tests.rules.fixture_cases import config

VIEWS = """
from django.core.cache import cache

def blocked(request):
    return {call}("blocked:*")
"""


def _rules(folder: Path, text: str, settings: Config) -> list[str]:
    (folder / "views.py").write_text(text, encoding="utf-8")
    return [one.rule for one in scan(ScanRequest([str(folder)], settings, root=folder)).results]


def test_keys_of_djangos_cache_is_the_command(tmp_path: Path) -> None:
    assert _rules(tmp_path, VIEWS.format(call="cache.keys"), config(select=("RL402",))) == ["RL402"]


@pytest.mark.parametrize("call", ["cache.iter_keys", "cache.delete_pattern", "cache.get", "dict(cache=1).keys"])
def test_other_calls_are_not(tmp_path: Path, call: str) -> None:
    assert _rules(tmp_path, VIEWS.format(call=call), config(select=("RL402",))) == []
