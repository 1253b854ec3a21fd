"""The search for the origin of names that modules hand on."""

from __future__ import annotations

from resplint.reexports import nearest


def test_a_name_is_asked_of_each_place_once() -> None:
    asked: list[int] = []

    def found(place: int) -> str:
        asked.append(place)
        return ""

    assert nearest([0], lambda place: range(50), found) is None
    assert sorted(asked) == list(range(50))


def test_the_nearest_place_answers() -> None:
    beyond = {"index": ["lib", "near"], "lib": ["far"], "near": [], "far": []}
    assert nearest(["index"], beyond.__getitem__, {"far": 2, "near": 1}.get) == 1
    assert nearest(["index"], beyond.__getitem__, {"far": 2}.get) == 2
    assert nearest([], beyond.__getitem__, {"far": 2}.get) is None
