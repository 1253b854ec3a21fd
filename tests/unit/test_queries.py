"""What is looked up instead of searched for comes to the same facts, and words are found in linear time."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from resplint.contracts.facts import FileFacts
from resplint.languages import EXTENSIONS, LANGUAGES, lower
from resplint.languages.queries import LanguageQueries

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
FILES = 25


def largest(language: str) -> list[Path]:
    paths = (path for path in FIXTURES.rglob("*") if EXTENSIONS.get(path.suffix) == language and path.is_file())
    return sorted(paths, key=lambda path: (-path.stat().st_size, path))[:FILES]


def facts_of(language: str, texts: Mapping[str, bytes]) -> dict[str, FileFacts | None]:
    return {name: lower(name, language, data).facts for name, data in texts.items()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_looked_up_is_what_a_search_for_everything_finds(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {path.name: path.read_bytes() for path in largest(language)}
    # Broken code as well: each file once more without a stretch in its middle.
    texts |= {f"broken_{name}": data[: len(data) // 2] + data[len(data) // 2 + 7 :] for name, data in texts.items()}
    looked_up = facts_of(language, texts)
    monkeypatch.setattr(LanguageQueries, "prepared", lambda self, tree, words: (self._whole, {}))
    monkeypatch.setattr(LanguageQueries, "spots", lambda self, tree: [])
    searched = facts_of(language, texts)
    assert len(looked_up) == 2 * FILES
    assert [name for name, facts in looked_up.items() if facts != searched[name]] == []


def test_most_of_a_language_is_looked_up() -> None:
    """Otherwise nothing is gained; a pattern that is no longer plain takes its kind of node out of the look-ups."""
    from resplint.languages.registry import _queries

    for language in LANGUAGES:
        plans, _ = _queries(language, "")._known
        grammar = _queries(language, "").grammar.language
        kinds = {grammar.node_kind_for_id(number) for number in plans}
        assert "identifier" in kinds, language


@pytest.mark.parametrize(
    ("language", "line"),
    [("kotlin", b"  while (true) { break }\n"), ("python", b"x = 1  # resplint: ignore\n"), ("python", b"f(a.b, 1)\n")],
    ids=["break", "comment", "call"],
)
def test_time_grows_with_the_file(language: str, line: bytes) -> None:
    def taken_s(count: int) -> float:
        data = (b"fun f() {\n" + line * count + b"}\n") if language == "kotlin" else line * count
        began = time.process_time()
        assert lower("a", language, data).facts is not None
        return time.process_time() - began

    small = min(taken_s(500) for _ in range(3))
    assert taken_s(5_000) < 40 * small
