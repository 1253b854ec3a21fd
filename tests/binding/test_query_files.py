"""Every query file in `rules/`: clean, compiled by its grammar, and within the documented vocabulary."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from resplint.languages import LANGUAGES
from resplint.languages.treesitter import Grammar, lint_query, load_query, matches, parse
from resplint.languages.vocabulary import MAIN_CAPTURES, PART_CAPTURES

RULES = Path(__file__).resolve().parents[2] / "rules"
FILES = sorted(RULES.glob("*/*.scm"))
GRAMMARS = {name: Grammar.load(name, language.grammar()) for name, language in LANGUAGES.items()}

each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(RULES).as_posix())


def origin(path: Path) -> str:
    return path.relative_to(RULES.parent).as_posix()


def test_there_are_query_files() -> None:
    assert FILES
    assert {path.parent.name for path in FILES} <= GRAMMARS.keys()


@each_file
def test_lints_clean(path: Path) -> None:
    assert [str(problem) for problem in lint_query(path.read_text("utf-8"), origin(path))] == []


@each_file
def test_compiles(path: Path) -> None:
    """Compiling checks every node type and field against the grammar."""
    compiled = load_query(GRAMMARS[path.parent.name], path.read_text("utf-8"), origin(path))
    assert compiled.query.pattern_count > 0


@each_file
def test_captures_belong_to_the_vocabulary(path: Path) -> None:
    compiled = load_query(GRAMMARS[path.parent.name], path.read_text("utf-8"), origin(path))
    used = {name for names in compiled.main for name in names}
    assert used - MAIN_CAPTURES.keys() - PART_CAPTURES == set()


@each_file
def test_each_pattern_leads_with_its_main_capture(path: Path) -> None:
    compiled = load_query(GRAMMARS[path.parent.name], path.read_text("utf-8"), origin(path))
    for names in compiled.main:
        leading = [name for name in names if name in MAIN_CAPTURES]
        assert names[: len(leading)] == tuple(leading), f"{names}: a part encloses its main capture"
        assert leading, f"{names}: no main capture"


@each_file
def test_matches_an_empty_file_nowhere_but_at_its_root(path: Path) -> None:
    grammar = GRAMMARS[path.parent.name]
    tree = parse(grammar, b"")
    compiled = load_query(grammar, path.read_text("utf-8"), origin(path))
    assert all(
        node == tree.root
        for _, captures in matches(compiled, tree).matches
        for nodes in captures.values()
        for node in nodes
    )


@each_file
def test_follows_the_layout(path: Path) -> None:
    """Two spaces of indentation, no tabs, no trailing blanks, and a heading comment first."""
    text = path.read_text("utf-8")
    assert text.startswith("; ")
    assert text.endswith(")\n") or re.search(r"@[\w.]+\n\Z", text)
    for number, line in enumerate(text.splitlines(), 1):
        assert "\t" not in line, number
        assert line == line.rstrip(), number
        assert (len(line) - len(line.lstrip())) % 2 == 0, number
