"""Messages: what was read is what is said, and all are of one form."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from resplint.contracts.findings import Status
from resplint.knowledge.load import load_book
from tests.rules.fixture_cases import FIXTURES, RULES, Case, all_cases, run_case
from tests.rules.message_readings import EACH, Reading, place_of, readings

READINGS = readings()
DEFAULT = [code for code, info in load_book().items() if info.status is Status.DEFAULT]


def case_of(reading: Reading) -> Case:
    parts = reading.fixture.split("/")
    return Case(parts[0], parts[1], FIXTURES.joinpath(*parts[:3]))


def test_the_table_holds_findings_of_each_rule_that_runs_by_default() -> None:
    read = Counter(one.rule for one in READINGS)
    assert {
        rule: read[rule] for rule in DEFAULT if read[rule] < EACH - (rule == "RL207")
    } == {}  # of that there are two
    assert len({(one.fixture, one.line, one.rule) for one in READINGS}) == len(READINGS)
    assert all(len(one.paraphrase.split()) >= 5 for one in READINGS)


@pytest.mark.parametrize("reading", READINGS, ids=lambda one: f"{one.rule} {one.fixture}:{one.line}")
def test_a_message_that_was_read_is_still_what_is_said(reading: Reading) -> None:
    case = case_of(reading)
    found = [one for one in run_case(case)[1] if place_of(case, one) == f"{reading.fixture}:{reading.line}"]
    assert (reading.message, reading.help) in [(one.message, one.help) for one in found], (
        "read the new message as the page says, and write down what you took it to say"
    )


@pytest.mark.parametrize("rule", sorted(RULES.values()))
def test_messages_are_sentences_with_names_between_backticks(rule: str) -> None:
    texts = set()
    cases = [one for one in all_cases() if one.rule == rule]
    languages = [one.language for one in cases]
    language = "python" if "python" in languages else languages[0]
    for case in (one for one in cases if one.language == language):
        for result in run_case(case)[1]:
            assert result.help
            last = result.trail[-1]
            assert (last.path, last.region) == (result.path, result.region), "the trail ends with the finding"
            texts |= {f"{result.message} {result.help}", *(f"{step.message}." for step in result.trail)}
    assert texts
    for text in texts:
        assert not re.search(r" ,|,,|\(,|\( |``|\(\)[^`]| {2}|(?<!\w)'\w", text), text
        assert text.count("`") % 2 == 0, text
