"""What a place keeps of many values does not depend on the order in which they come."""

from __future__ import annotations

import random

import pytest

from resplint.flow.bounds import Group


@pytest.mark.parametrize("seed", range(20))
def test_a_full_group_keeps_what_stands_first_in_the_project(seed: int) -> None:
    chance = random.Random(seed)
    places = [(file, start, start, "") for file in range(4) for start in range(30)]
    given = [(f"value {chance.randrange(40)}", place) for place in places]
    first: dict[str, tuple[int | str, ...]] = {}
    for spelled, place in given:
        first[spelled] = min(place, first.get(spelled, place))
    expected = set(sorted(first, key=lambda spelled: first[spelled])[:8])
    for _ in range(5):
        chance.shuffle(given)
        group = Group(8)
        for spelled, place in given:
            group.admits(spelled, place)
        assert set(group.alike) == expected
        assert {spelled: places[0] for spelled, places in group.alike.items()} == {one: first[one] for one in expected}
        assert group.is_full


def test_a_group_with_room_keeps_all() -> None:
    group = Group(3)
    assert all(group.admits(f"value {number}", (0, number)) for number in range(3))
    assert not group.is_full
    assert not group.admits("value 3", (0, 3))
    assert group.is_full
