"""`make new-rule`: the skeleton of a rule, and the codes of rules to come."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from resplint.knowledge.book import load_book
from resplint.knowledge.load import load_pages

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import new_rule  # noqa: E402


def test_the_skeleton_is_a_page_with_its_examples_and_a_check(tmp_path: Path) -> None:
    texts = new_rule.files("stream-without-ack", "RL412", ("python", "java"))
    for path, text in texts.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    rule = load_book(tmp_path / "rules", tmp_path / "fixtures")["RL412"]
    assert (rule.name, rule.status.value) == ("stream-without-ack", "preview")
    assert "### Java" in rule.sections["Bad"]
    assert len(texts) == 2 + 2 * 4 + 2
    checked = next(text for path, text in texts.items() if path.endswith("checks/stream_without_ack.py"))
    compile(checked, "stream_without_ack.py", "exec")


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "tools" / "new_rule.py", *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("hgetal-large-hash",), "did you mean hgetall-large-hash?"),
        (("no-such-thing-at-all",), "add its code and name there first."),
        (("hgetall-large-hash",), "rules/book/RL401-hgetall-large-hash.md exists: nothing was written."),
        (("stream-without-ack", "--languages", "cobol"), "--languages: unknown: cobol"),
    ],
)
def test_what_cannot_be_made_is_said(arguments: tuple[str, ...], problem: str) -> None:
    done = _run(*arguments)
    assert done.returncode == 2
    assert problem in done.stderr


def test_every_rule_has_its_code_in_the_list() -> None:
    known = new_rule.codes()
    assert {name: code for name, code in known.items() if code in load_pages()} == {
        page.name: code for code, page in load_pages().items()
    }
