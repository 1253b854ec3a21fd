"""The rule book: every page is complete, every language of a rule is shown, wrong pages are told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from resplint.checks import load, load_decisions
from resplint.contracts.errors import KnowledgeError
from resplint.contracts.findings import Level, Precision
from resplint.knowledge.book import LANGUAGE_TITLES, SECTIONS, in_language, status_note, without_expectations
from resplint.knowledge.load import fixtures_dir, load_book, load_pages

CODES = sorted(load_pages())
EXAMPLE = '"""A cache."""\n# versions: redis-py=7.4.1\nimport redis\n\n    # expect: RL101\nredis.Redis()\n'


def page(front: str = "", **sections: str) -> str:
    """A page of the right shape."""
    body = "\n\n".join(f"## {heading}\n\n{sections.get(heading, 'Text.')}" for heading in SECTIONS)
    return (
        '+++\ncode = "RL101"\nname = "some-name"\ntitle = "A title"\nsummary = "A summary."\n'
        'level = "warning"\nprecision = "high"\nsince = "0.1.0"\ntags = ["redis"]\nreferences = []\n'
        f'languages = ["python"]\n{front}+++\n\n{body}\n'
    )


def book(tmp_path: Path, text: str, name: str = "RL101-some-name.md") -> tuple[Path, Path]:
    """Rules with one page, and fixtures with one example."""
    path = tmp_path / "rules" / "book" / name
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    fixtures = tmp_path / "fixtures"
    (fixtures / "some-name" / "python" / "bad_folder").mkdir(parents=True)
    (fixtures / "some-name" / "python" / "bad_one.py").write_text(EXAMPLE, encoding="utf-8")
    (fixtures / "some-name" / "python" / "bad_folder" / "a.py").write_text("A = 1\n", encoding="utf-8")
    (fixtures / "some-name" / "python" / "bad_folder" / "b.py").write_text("B = 2\n", encoding="utf-8")
    return tmp_path / "rules", fixtures


# -- the book itself ---------------------------------------------------------------------------------------


def test_there_are_pages() -> None:
    assert CODES
    assert list(load_book()) == CODES


@pytest.mark.parametrize("code", CODES)
def test_a_page_has_all_its_sections(code: str) -> None:
    rule = load_book()[code]
    assert tuple(rule.sections) == SECTIONS
    assert all(text.strip() for text in rule.sections.values())
    assert re.fullmatch(r"RL[1-9]\d\d", rule.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)
    assert rule.summary.endswith(".")
    assert not rule.title.endswith(".")
    assert rule.tags


@pytest.mark.parametrize("code", CODES)
def test_a_rule_says_what_it_decides(code: str) -> None:
    """`resplint why` asks each rule that runs."""
    name = load_book()[code].name
    assert callable(load(name))
    assert callable(load_decisions(name))


@pytest.mark.parametrize("code", CODES)
def test_the_help_is_the_whole_page(code: str) -> None:
    rule = load_book()[code]
    note = "".join(f"{each}\n\n" for each in status_note(code, rule.status))
    assert rule.help_markdown.startswith(f"# {code} {rule.name}\n\n{rule.summary}\n\n{note}## {SECTIONS[0]}\n")
    for heading, text in rule.sections.items():
        assert f"## {heading}\n\n{text}" in rule.help_markdown
    assert "<!-- include" not in rule.help_markdown
    assert not re.search(r"# (expect|ok|known-miss|known-false): RL", rule.help_markdown)
    assert not re.search(r"(#|//) (versions|traced|known-untraced):", rule.help_markdown)


@pytest.mark.parametrize("code", CODES)
def test_bad_and_good_are_shown_in_code(code: str) -> None:
    sections = load_book()[code].sections
    assert "```" in sections["Bad"]
    assert "```" in sections["Good"]


@pytest.mark.parametrize(
    ("code", "language"), [(code, language) for code in CODES for language in load_pages()[code].languages]
)
def test_every_language_of_a_rule_has_a_bad_and_an_ok_fixture(code: str, language: str) -> None:
    folder = fixtures_dir() / load_pages()[code].name / language
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    assert any(name.startswith("bad_") for name in names), f"{folder}: no bad fixture"
    assert any(name.startswith("ok_") for name in names), f"{folder}: no ok fixture"


@pytest.mark.parametrize("code", CODES)
def test_bad_and_good_are_shown_in_every_language(code: str) -> None:
    """Each language of the page has a heading with code in that language below it, in the order of the front matter."""
    page, rule = load_pages()[code], load_book()[code]
    for section in ("Bad", "Good"):
        shown = re.findall(r"^### (\w+)\n\n(?:`[\w.]+`:\n\n)?```(\w+)$", rule.sections[section], re.MULTILINE)
        assert shown == [(LANGUAGE_TITLES[language], language) for language in page.languages]


@pytest.mark.parametrize("language", LANGUAGE_TITLES)
def test_a_page_in_one_language(language: str) -> None:
    page = load_book()["RL104"].help_markdown
    shown = in_language(page, language)
    assert re.findall(r"^### (\w+)$", shown, re.MULTILINE) == [LANGUAGE_TITLES[language]] * 2
    assert re.findall(r"^## .*$", shown, re.MULTILINE) == re.findall(r"^## .*$", page, re.MULTILINE)
    assert set(shown.splitlines()) < set(page.splitlines())


def test_headings_in_code_are_no_headings_of_a_language() -> None:
    code = "## Bad\n\n### Python\n\n```python\n### Java\nx = 1\n```\n\n### Java\n\ntext\n\n## Good\n\ntext"
    assert in_language(code, "python") == code.replace("### Java\n\ntext\n\n", "")


# -- pages of the right shape ------------------------------------------------------------------------------


def test_front_matter_becomes_a_rule(tmp_path: Path) -> None:
    rules, fixtures = book(tmp_path, page())
    rule = load_book(rules, fixtures)["RL101"]
    assert (rule.name, rule.level, rule.precision) == ("some-name", Level.WARNING, Precision.HIGH)
    assert load_pages(rules)["RL101"].languages == ("python",)


def test_an_include_shows_the_fixture_without_expectations(tmp_path: Path) -> None:
    text = page(Bad="See:\n\n<!-- include: some-name/python/bad_one.py -->\n\nSo.")
    rule = load_book(*book(tmp_path, text))["RL101"]
    code = '"""A cache."""\nimport redis\n\nredis.Redis()'
    assert rule.sections["Bad"] == f"See:\n\n```python\n{code}\n```\n\nSo."


def test_an_include_of_a_folder_shows_its_files(tmp_path: Path) -> None:
    rules, fixtures = book(tmp_path, page(Bad="<!-- include: some-name/python/bad_folder -->"))
    shown = load_book(rules, fixtures)["RL101"].sections["Bad"]
    assert shown == "`a.py`:\n\n```python\nA = 1\n```\n\n`b.py`:\n\n```python\nB = 2\n```"


def test_headings_and_includes_inside_code_are_text(tmp_path: Path) -> None:
    code = "```sh\n## not a heading\n<!-- include: nowhere.py -->\n```"
    rule = load_book(*book(tmp_path, page(Good=code)))["RL101"]
    assert rule.sections["Good"] == code


@pytest.mark.parametrize(
    ("code", "left"),
    [
        ("# expect: RL101\nx\n", "x\n"),
        ("    # ok: RL101 and more\nx\n", "x\n"),
        ("// known-miss: RL301\nx\n", "x\n"),
        ("# known-false: RL401 note\nx\n", "x\n"),
        ("# versions: redis-py=8.1.0\nx\n", "x\n"),
        ("# traced: BLPOP\n# known-untraced: client\nx\n", "x\n"),
        ("x = 1  # expect: RL102\n", "x = 1\n"),
        ("# ok: this stays\n", "# ok: this stays\n"),
        ("# expectations are high\n", "# expectations are high\n"),
    ],
)
def test_without_expectations(code: str, left: str) -> None:
    assert without_expectations(code) == left


# -- pages of the wrong shape ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (page().replace("## Bad\n", ""), "expected 'Bad'"),
        (page().replace("## References", "## Sources"), "heading 'Sources': expected 'References'"),
        (page().replace("\n## References\n\nText.", ""), "heading 'References' is missing"),
        (page() + "\n## More\n", "no more headings"),
        (page(Bad=""), "section 'Bad' is empty"),
        (page(Bad="<!-- include: some-name/python/gone.py -->"), "include some-name/python/gone.py"),
        (page(Bad="<!-- include: ../rules/book/RL101-some-name.md -->"), "leads out of the fixtures"),
        (page('level_ = "note"\n'), "`level_`"),
        (page().replace('"warning"', '"warn"'), "level"),
        (page().replace('["python"]', "[]"), "names no language"),
        (page().replace("some-name", "other-name"), "file name must be"),
        (page().replace('title = "', "title = "), ":4:"),
        ("# RL101\n", "front matter"),
        ("+++\n", "no closing"),
        (page().replace("## What", "Stray.\n\n## What"), "before the first heading"),
    ],
)
def test_a_page_of_the_wrong_shape(tmp_path: Path, text: str, expected: str) -> None:
    rules, fixtures = book(tmp_path, text)
    with pytest.raises(KnowledgeError) as caught:
        load_book(rules, fixtures)
    message = str(caught.value)
    assert "RL101-some-name.md" in message
    assert expected in message
    assert "\n" not in message


def test_a_file_that_is_not_named_after_its_rule(tmp_path: Path) -> None:
    rules, fixtures = book(tmp_path, page(), "RL101-other.md")
    with pytest.raises(KnowledgeError, match=r"RL101-other\.md: the file name must be"):
        load_book(rules, fixtures)


@pytest.mark.parametrize(
    ("tags", "front"),
    [
        ('["redis", "security"]', ""),
        ('["redis"]', 'security_severity = "7.5"\n'),
        ('["redis", "security"]', 'security_severity = "11.0"\n'),
        ('["redis", "security"]', 'security_severity = "0.0"\n'),
    ],
)
def test_security_and_its_severity_go_together(tmp_path: Path, tags: str, front: str) -> None:
    rules, fixtures = book(tmp_path, page(front).replace('tags = ["redis"]', f"tags = {tags}"))
    with pytest.raises(KnowledgeError, match="security_severity: expected"):
        load_book(rules, fixtures)
