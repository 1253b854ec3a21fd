"""Every fixture says what resplint must find in it; this holds it to that."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from resplint.knowledge.load import load_pages
from tests.rules.fixture_cases import (
    CODES,
    RULES,
    Case,
    all_cases,
    compare,
    expectations,
    expected_traces,
    run_case,
    traced,
    untraced,
)

CASES = all_cases()
NAMELESS = re.compile(r"(?:^| )[,:]|,,|\([ ,]|``|^ | {2}|^is ")
"""What a sentence looks like in which the name of a command, a function or an option is empty."""
TRACED = [case for case in CASES if expected_traces(case)]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_fixture(case: Case) -> None:
    expected, results, report = run_case(case)
    assert compare(expected, results) == {}
    errors = [note for note in report.notifications if note.kind.value == "internal-error"]
    assert errors == []
    texts = [text for one in results for text in (one.message, one.help, *(step.message for step in one.trail))]
    assert [text for text in texts if NAMELESS.search(text)] == []


@pytest.mark.parametrize("case", TRACED, ids=[case.name for case in TRACED])
def test_clients_are_known_where_it_says_so(case: Case) -> None:
    assert untraced(expected_traces(case), traced(case)) == []


def test_fixtures_say_what_their_names_promise() -> None:
    wrong = []
    for case in CASES:
        kinds = {mark.kind for mark in expectations(case)}
        if case.path.name.startswith("bad_"):
            is_right = bool(kinds & {"expect", "known-miss"})
        else:
            is_right = (
                case.path.name.startswith("ok_") and bool(kinds & {"ok", "known-false"}) and "expect" not in kinds
            )
        if not is_right:
            wrong.append(f"{case.name} has {', '.join(sorted(kinds)) or 'no mark of its rule'}")
    assert wrong == []


ENOUGH = 2
"""How many bad and how many ok fixtures a rule needs at least in each language that its page names."""


@pytest.mark.parametrize("code", sorted(RULES))
def test_every_rule_has_enough_proof_in_its_languages(code: str) -> None:
    page = load_pages()[code]
    own = [case for case in CASES if case.rule == page.name]
    count = Counter((case.language, case.path.name.partition("_")[0]) for case in own)
    needed = [(language, kind) for language in page.languages for kind in ("bad", "ok")]
    assert [each for each in needed if count[each] < ENOUGH] == []
    assert {case.language for case in own} <= set(page.languages), "the page does not name all of its languages"


def test_fixtures_are_of_rules() -> None:
    assert {case.rule for case in CASES} <= set(CODES)
