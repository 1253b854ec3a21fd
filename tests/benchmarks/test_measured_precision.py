"""Grades say what was measured: classes of findings, and rules, have the precision that readers found."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict

import pytest

from resplint.knowledge.load import load_book
from tests.rules.fixture_cases import all_cases, run_case
from tests.tooling import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import measured_precision as measured

CLASSES = measured.tallies()


def test_the_page_has_what_the_verdicts_say() -> None:
    assert (measured.STRANGERS / "PRECISION.md").read_text("utf-8") == measured.page()


@pytest.mark.parametrize("name", sorted(CLASSES), ids=" ".join)
def test_findings_carry_the_precision_that_was_measured(name: tuple[str, str]) -> None:
    assert measured.grade(CLASSES[name]) == name[1], measured.share(CLASSES[name])


def test_findings_have_no_grade_that_nobody_measured() -> None:
    """What is new is medium at most; guesses are low."""
    found = {(one.rule, one.precision.value) for case in all_cases() for one in run_case(case)[1]}
    assert sorted(one for one in found - CLASSES.keys() if one[1] not in ("low", "medium")) == []
    assert sorted(one for one in CLASSES.keys() - found if one[1] != "medium") == []


def test_a_rule_has_the_precision_of_all_its_findings() -> None:
    of_rule: dict[str, Counter[str]] = defaultdict(Counter)
    for (rule, _), verdicts in CLASSES.items():
        of_rule[rule] += verdicts
    said = {code: info.precision.value for code, info in load_book().items()}
    assert said == {code: measured.grade(verdicts) for code, verdicts in of_rule.items()}


def test_few_findings_say_little() -> None:
    assert measured.grade(Counter(right=19)) == "medium"
    assert measured.grade(Counter(right=20)) == "very-high"
    assert measured.grade(Counter(right=18, level=1, wrong=1)) == "high"
    assert measured.grade(Counter(right=3, wrong=2)) == "medium"
    assert measured.grade(Counter(right=1, wrong=6)) == "low"
