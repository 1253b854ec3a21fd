"""Findings are found again where code went, and nowhere else."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from resplint.baseline import Moved, Trace, match


def trace(path: str = "a.py", symbol: str = "f", code: str = "call", **changes: object) -> Trace:
    return Trace(**{"path": path, "rule": "RL104", "symbol": symbol, "code": code, **changes})  # type: ignore[arg-type]


def pairs(old: list[Trace], new: list[Trace], moved: Moved = Moved.GONE) -> dict[int, int]:
    return match(old, new, lambda _: moved)


def test_the_same_is_the_same() -> None:
    both = [trace(), trace("b.py"), trace(symbol="g")]
    assert pairs(both, both) == {0: 0, 1: 1, 2: 2}


def test_other_code_and_other_rules_have_no_partner() -> None:
    assert pairs([trace()], [trace(code="other")]) == {}
    assert pairs([trace()], [trace(rule="RL105")]) == {}


def test_each_has_one_partner_at_most() -> None:
    assert pairs([trace()], [trace(), trace(nth=2)]) == {0: 0}
    assert pairs([trace(), trace(nth=2)], [trace()]) == {0: 0}


def test_of_equal_ones_the_first_goes_with_the_first() -> None:
    assert pairs([trace(nth=2)], [trace(), trace(nth=2)]) == {1: 0}
    assert pairs([trace(nth=2)], [trace()]) == {0: 0}


def test_of_equal_ones_that_with_the_same_surroundings_is_the_same() -> None:
    old = [trace(context="x")]
    assert pairs(old, [trace(context="y"), trace(context="x", nth=2)]) == {1: 0}
    assert pairs(old, [trace(context="y")]) == {0: 0}


def test_within_a_file_code_may_go_to_another_function() -> None:
    assert pairs([trace(symbol="A.f")], [trace(symbol="B.f")], Moved.STANDING) == {0: 0}
    assert pairs([trace(symbol="f")], [trace(symbol="g")], Moved.STANDING) == {0: 0}
    both = [trace(symbol="A.f"), trace(symbol="A.g")]
    assert pairs(both, [trace(symbol="B.g"), trace(symbol="B.f")], Moved.STANDING) == {0: 1, 1: 0}


def test_a_renamed_file_and_a_renamed_folder() -> None:
    assert pairs([trace("app/a.py")], [trace("app/b.py")]) == {0: 0}
    assert pairs([trace("app/a.py", "")], [trace("service/a.py", "")]) == {0: 0}


def test_in_a_renamed_folder_each_file_finds_itself() -> None:
    names = ["client.py", "x/client.py", "x/y/client.py", "z/client.py", "z/y/client.py"]
    old = [trace(f"app/{name}") for name in names]
    new = [trace(f"services/shop/{name}") for name in reversed(names)]
    assert pairs(old, new) == {index: len(names) - 1 - index for index in range(len(names))}


def test_a_renamed_class_in_its_renamed_file() -> None:
    assert pairs([trace("Worker.java", "Worker.pop")], [trace("Runner.java", "Runner.pop")]) == {0: 0}
    assert pairs([trace("Worker.java", "Worker.pop")], [trace("Runner.java", "Runner.push")]) == {}


def test_a_copy_has_no_partner() -> None:
    assert pairs([trace("a.py")], [trace("a.py"), trace("b.py")]) == {0: 0}
    assert pairs([trace("a.py")], [trace("b.py")], Moved.STANDING) == {}


def test_a_function_that_has_left_its_file_is_found_in_another_one() -> None:
    assert pairs([trace("a.py", "f")], [trace("b.py", "f")], Moved.LEFT) == {0: 0}
    assert pairs([trace("a.py", "A.f")], [trace("b.py", "B.f")], Moved.LEFT) == {0: 0}


def test_what_stood_in_no_function_has_not_left_its_file() -> None:
    assert pairs([trace("a.py", "")], [trace("b.py", "")], Moved.LEFT) == {}


def test_the_same_file_comes_before_any_other() -> None:
    old = [trace("a.py", "f"), trace("b.py", "f")]
    assert pairs(old, [trace("b.py", "g"), trace("c.py", "f")]) == {0: 1, 1: 0}


def test_nobody_is_asked_about_what_is_found_where_it_was() -> None:
    def moved(_: Trace) -> Moved:
        raise AssertionError("asked")

    assert match([trace(), trace(code="gone")], [trace(), trace(code="new")], moved) == {0: 0}


TRACES = st.lists(
    st.builds(
        Trace,
        path=st.sampled_from(["a.py", "b.py", "x/a.py", "x/y/a.py"]),
        rule=st.just("RL104"),
        symbol=st.sampled_from(["", "f", "A.f", "B.f"]),
        code=st.sampled_from(["one", "two"]),
        nth=st.integers(1, 3),
        context=st.sampled_from(["", "p", "q"]),
    ),
    max_size=12,
    unique=True,
)


@given(TRACES, TRACES, st.sampled_from(Moved), st.integers())
def test_whatever_happens_partners_are_alike_single_and_do_not_depend_on_order(
    old: list[Trace], new: list[Trace], moved: Moved, seed: int
) -> None:
    found = pairs(old, new, moved)
    assert len(set(found.values())) == len(found)
    for mine, theirs in found.items():
        assert (new[mine].rule, new[mine].code) == (old[theirs].rule, old[theirs].code)
        if moved is Moved.STANDING:
            assert new[mine].path == old[theirs].path
    # Whatever could be paired within a file is.
    for path in {each.path for each in new}:
        for code in ("one", "two"):
            free_new = [i for i, t in enumerate(new) if (t.path, t.code) == (path, code) and i not in found]
            free_old = [i for i, t in enumerate(old) if (t.path, t.code) == (path, code) and i not in found.values()]
            assert not (free_new and free_old)
    shuffled = random.Random(seed).sample(old, len(old))
    again = pairs(shuffled, new, moved)
    assert {mine: shuffled[theirs] for mine, theirs in again.items()} == {m: old[t] for m, t in found.items()}
