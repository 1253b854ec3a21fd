"""Every fixture says what resplint must find in it; this holds it to that."""

from __future__ import annotations

import pytest

from tests.rules.fixture_cases import (
    CODES,
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
TRACED = [case for case in CASES if expected_traces(case)]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_fixture(case: Case) -> None:
    expected, results, report = run_case(case)
    assert compare(expected, results) == {}
    errors = [note for note in report.notifications if note.kind.value == "internal-error"]
    assert errors == []


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_fixture_says_what_its_name_promises(case: Case) -> None:
    kinds = {mark.kind for mark in expectations(case)}
    if case.path.name.startswith("bad_"):
        assert "expect" in kinds or "known-miss" in kinds
    else:
        assert case.path.name.startswith("ok_")
        assert kinds & {"ok", "known-false"}
        assert "expect" not in kinds


@pytest.mark.parametrize("case", TRACED, ids=[case.name for case in TRACED])
def test_clients_are_known_where_it_says_so(case: Case) -> None:
    assert untraced(expected_traces(case), traced(case)) == []


ENOUGH = {"python": 8, "java": 6, "javascript": 6, "typescript": 6, "kotlin": 3}
"""Language -> how many bad and how many ok fixtures a rule needs at least."""


@pytest.mark.parametrize("language", sorted(ENOUGH))
@pytest.mark.parametrize("rule", sorted(CODES))
def test_every_rule_has_enough_proof(rule: str, language: str) -> None:
    names = [case.path.name for case in CASES if case.rule == rule and case.language == language]
    assert sum(name.startswith("bad_") for name in names) >= ENOUGH[language]
    assert sum(name.startswith("ok_") for name in names) >= ENOUGH[language]
