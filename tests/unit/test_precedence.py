"""Where several rules have something to say about a call, one of them does."""

from __future__ import annotations

import msgspec

from resplint.config.loading import Config
from resplint.contracts.decisions import Silence
from resplint.contracts.findings import Finding, Level, Place, Precision
from resplint.knowledge.load import load_book, load_pages
from resplint.scan.precedence import one_a_call, settled

BOOK = {**load_book(), "RL201": msgspec.structs.replace(load_book()["RL201"], yields_to=("RL401",))}
CONFIG = Config(rules={code: info.name for code, info in BOOK.items()})


def found(code: str, start: int, end: int, level: Level = Level.WARNING, path: str = "app.py") -> Finding:
    return Finding(code, level, Precision.HIGH, "It is slow.", Place(path, start, end))


def reported(*findings: Finding, config: Config = CONFIG) -> list[str]:
    return [one.rule for one in one_a_call(findings, BOOK, config)]


def test_a_rule_yields_at_the_same_call() -> None:
    assert reported(found("RL201", 5, 20), found("RL401", 5, 20)) == ["RL401"]
    assert reported(found("RL401", 5, 20), found("RL201", 5, 12)) == ["RL401"]
    assert reported(found("RL401", 9, 20), found("RL201", 5, 20)) == ["RL401"]


def test_other_calls_and_other_rules_stay() -> None:
    assert reported(found("RL201", 5, 20), found("RL401", 30, 40)) == ["RL201", "RL401"]
    assert reported(found("RL201", 5, 20), found("RL401", 9, 12)) == ["RL201", "RL401"]
    assert reported(found("RL201", 5, 20), found("RL401", 5, 20, path="b.py")) == ["RL201", "RL401"]
    assert reported(found("RL101", 5, 20), found("RL401", 5, 20)) == ["RL101", "RL401"]


def test_a_warning_is_enough_where_another_rule_sees_an_error() -> None:
    assert reported(found("RL201", 5, 20, Level.ERROR), found("RL401", 5, 20)) == ["RL401"]


def test_a_note_silences_no_warning() -> None:
    assert reported(found("RL201", 5, 20), found("RL401", 5, 20, Level.NOTE)) == ["RL201", "RL401"]
    assert reported(found("RL201", 5, 20, Level.NOTE), found("RL401", 5, 20, Level.NOTE)) == ["RL401"]


def test_a_rule_may_yield_with_its_notes_alone() -> None:
    assert reported(found("RL102", 5, 20, Level.NOTE), found("RL101", 5, 20)) == ["RL101"]
    assert reported(found("RL102", 5, 20), found("RL101", 5, 20)) == ["RL102", "RL101"]


def test_a_client_that_a_request_makes_is_one_finding() -> None:
    assert reported(found("RL106", 5, 20), found("RL101", 5, 20)) == ["RL101"]
    assert reported(found("RL106", 5, 20, Level.NOTE), found("RL101", 5, 20, Level.NOTE)) == ["RL101"]
    assert reported(found("RL106", 5, 20), found("RL101", 5, 20, Level.NOTE)) == ["RL106", "RL101"]


def test_a_rule_that_does_not_run_there_silences_nothing() -> None:
    config = msgspec.structs.replace(CONFIG, per_path_ignores={"app.py": ("RL401",)})
    assert reported(found("RL201", 5, 20), found("RL401", 5, 20), config=config) == ["RL201", "RL401"]


def test_why_names_the_rule_that_reports() -> None:
    silence = settled([found("RL201", 5, 20), found("RL401", 5, 20)], BOOK, CONFIG)[0]
    assert isinstance(silence, Silence)
    assert silence.rule == "RL201"
    assert silence.reason == "RL401 hgetall-large-hash reports this call already."


def test_the_book_knows_the_rules_that_others_yield_to() -> None:
    named = {code for page in load_pages().values() for code in page.yields_to}
    assert named <= set(load_pages())


def test_no_two_rules_yield_to_each_other() -> None:
    pages = load_pages()
    pairs = {(code, other) for code, page in pages.items() for other in page.yields_to}
    assert {(other, code) for code, other in pairs} & pairs == set()
