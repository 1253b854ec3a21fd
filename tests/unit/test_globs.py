"""Patterns of git: what git itself says of the same names is the measure."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from resplint.discovery.discover import discover
from resplint.files.globs import pattern_list

FOLDERS = ("", "a", "b", "ab", "a/b", "a/ab", "b/a", "a/b/a", "lib1/b/a", "a]", "!a", "#b", "a b", "a-b", "é")
FILES = ("a.py", "b.py", "ab.py", "a b.py", "x.gen.py", ".py.py", "a\n.py", "[a].py", "*.py", "\\.py", "é.py")
PARTS = st.sampled_from(
    [
        "a", "b", "ab", "x", "lib1", ".py", ".gen.py", ".", "*", "*", "**", "***", "?", "/", "/", "/**/",
        "[ab]", "[!a]", "[^b-]", "[]a]", "[a-c]", "[z-a]", "[[:alpha:]]", "[[:punct:]]", "[\\]]", "[", "]",
        "!", "#", "\\", "\\*", "\\ ", " ", "-", "é",
    ]
)  # fmt: skip
LINE = st.builds("".join, st.lists(PARTS, min_size=1, max_size=5)).filter(lambda line: line.count("**") <= 3)
LINES = st.lists(LINE, min_size=1, max_size=6)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("patterns")
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
        for file in FILES:
            (root / folder / file).touch()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return root


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=LINES, inner=LINES)
@example(["*", "!*/", "!a.py"], ["/b"])
@example(["a/**", "!a/b/", "!a/b/**"], ["a**/b", "**/a.py", "b.py\t"])
@example(["foo/**/", "a/**/", "**/b/**"], ["[!a]*", "[z-a]", "[!z-a].py"])
@example(["\\!a", "\\#b", "a\\ b/", "a b.py  ", "\\**"], ["*.py", "!*.gen.py", "!.py.py"])
@example(["ab/a.py\r", "#b/", "a[/]b", "a?b"], ["a/*/a.py", "/*.py", "!/b.py"])
def test_the_same_files_are_ignored_as_by_git(tree: Path, lines: list[str], inner: list[str]) -> None:
    for file, patterns in ((".gitignore", lines), ("a/.gitignore", inner)):
        (tree / file).write_text("\n".join(patterns) + "\n", encoding="utf-8", newline="")
    listing = subprocess.run(
        ["git", "-c", "core.excludesFile=/dev/null", "ls-files", "-oz", "--exclude-standard"],
        cwd=tree, check=True, capture_output=True,
    )  # fmt: skip
    expected = {name for name in listing.stdout.decode().split("\0") if name.endswith(".py")}
    found = {file.path for file in discover([tree], tree, extensions={".py": "python"}).files}
    assert found == expected


@pytest.mark.parametrize("line", ["", "!", "/", "#x", "[ab", "x\\", "*a*a*a*a", "**/a/**/b/**/c/**/d"])
def test_a_line_that_is_no_pattern_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"pattern|stars"):
        pattern_list((line,))


def test_the_last_pattern_that_fits_decides() -> None:
    patterns = pattern_list(("*.py", "!keep.py", "/a/keep.py", "!b*/", "gen/", "x/**/y"))
    said = {path: patterns.verdict(path, folder=False) for path in ("m.py", "a/b/keep.py", "a/keep.py", "gen", "x/q/y")}
    assert said == {"m.py": True, "a/b/keep.py": False, "a/keep.py": True, "gen": None, "x/q/y": True}
    assert patterns.verdict("a/gen", folder=True) is True
    assert patterns.verdict("a/build", folder=True) is False
    assert patterns.covers("a/gen/keep.py")
