"""One list of words that nothing of ours uses: messages, pages, documentation, comments, names."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

WORDS = {
    r"for ever\b": "forever",
    r"\bmend(?:s|ed|ing)?\b": "fix, correct",
    r"\bheed(?:s|ed|ing)?\b": "respect, use, read",
    r"\b(?:is|are|was|were|be) (?:not )?to be had\b": "is available, exists",
    r"\b(?:can|could|cannot) be had\b": "is available, exists",
    r"\btold\b": "reported, shown, known, distinguished",
    r"\bapart at\b": "separated by",
    r"\bhow it comes about\b": "trace",
    r"\bsays about its work\b": "scan notes",
    r"\bis without end\b": "waits forever",
    r"\b(?:a|no) bound on connections\b": "a connection limit",
    r"\btries Redis work again\b": "retries",
    r"\bhammers? it in step\b": "retries at full speed",
    r"\bUnspeakable\b": "NotExpressible",
    r"\bridden\b|\brides_on\b": "version_owner",
    r"\bspoken\b": "format_duration",
    r"\bquieted\b": "preprocess",
    r"\btests_told\b": "test_file_detection",
    r"\bnext_items\b": "work_item_progress",
    r"\bname_spread\b": "name_reachability",
}
"""Each as a regular expression, whatever its case, with what to write instead."""

WHERE = ("src", "docs", "rules", "schemas", "tools", "*.md", "*.yml", "Makefile", "pyproject.toml")
SUFFIXES = {".py", ".md", ".toml", ".scm", ".html", ".js", ".css", ".json", ".yml", ""}


def _files() -> list[Path]:
    """What we wrote and others read; data is none of it."""
    listed = subprocess.run(["git", "ls-files", "-z", *WHERE], cwd=ROOT, capture_output=True, check=False).stdout
    names = [name for name in listed.decode().split("\0") if name]
    return [ROOT / name for name in names if Path(name).suffix in SUFFIXES and (ROOT / name).is_file()]


def _uses(pattern: str, text: str) -> list[str]:
    """The lines of a text that use a word, also where it is broken over two lines."""
    flexible = re.compile(pattern.replace(" ", r"\s+(?:#\s+|//\s+)?"), re.IGNORECASE)
    return [f"{text.count(chr(10), 0, found.start()) + 1}: {found[0]!r}" for found in flexible.finditer(text)]


def test_the_list_is_not_used() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    files = _files()
    assert len(files) > 500
    found = [
        f"{path.relative_to(ROOT)}:{use}, write: {better}"
        for path in files
        for text in [path.read_text("utf-8")]
        for pattern, better in WORDS.items()
        for use in _uses(pattern, text)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("it waits for\n    ever.", 1), ("I recommend and amend", 0), ("Heeds # nothing", 1), ("is\n# to be had", 1),
        ("forever", 0), ("the parts are told apart", 1), ("tolded", 0),
    ],
)  # fmt: skip
def test_a_word_is_found_wherever_a_line_ends(text: str, number: int) -> None:
    assert sum(len(_uses(pattern, text)) for pattern in WORDS) == number
