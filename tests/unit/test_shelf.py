"""Facts that are put away come back as they were, and are told from those that never were there."""

from __future__ import annotations

import pytest

from resplint.contracts.facts import FileFacts
from resplint.scan.kept.shelf import Shelf
from resplint.scan.lowering_pool import lower_here

SOURCE = b'import redis\n\nclient = redis.Redis()\n\n\ndef size(name):\n    return client.llen(f"{name}:waiting")\n'


def facts_of(path: str) -> FileFacts:
    found = lower_here(path, "python", SOURCE).facts
    assert found is not None
    return found


def test_packed_facts_are_those_that_were_put_in() -> None:
    shelf = Shelf()
    shelf["a.py"] = facts_of("a.py")
    shelf["b.py"] = facts_of("b.py")
    shelf.pack(["a.py", "a.py", "gone.py"])
    assert "a.py" in shelf
    assert "gone.py" not in shelf
    assert sorted(shelf) == ["a.py", "b.py"]
    assert len(shelf) == 2
    assert shelf.shown("a.py") == shelf["a.py"] == facts_of("a.py")
    # The linker tells records from others by what they are: whoever asks twice gets the same ones.
    assert shelf["a.py"] is shelf["a.py"] is shelf.shown("a.py")
    with pytest.raises(KeyError):
        shelf["gone.py"]
    assert shelf.get("gone.py") is None


def test_newer_facts_replace_packed_ones() -> None:
    shelf = Shelf()
    shelf["a.py"] = facts_of("a.py")
    shelf.pack(["a.py"])
    newer = facts_of("a.py")
    shelf["a.py"] = newer
    assert shelf["a.py"] is newer
    assert len(shelf) == 1


def test_facts_of_a_file_whose_name_is_no_text_stay_at_hand() -> None:
    shelf = Shelf()
    shelf["\udcff.py"] = facts_of("\udcff.py")
    shelf.pack(["\udcff.py"])
    assert shelf["\udcff.py"].path == "\udcff.py"
