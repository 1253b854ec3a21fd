"""The pages beside this module: small projects, and what the expressions in them stand for.

Each heading is a project, each code block a file of it. A comment that begins with a colon behind a line says what
expressions on it stand for: ``#: cache = Redis(3)`` is the object of type Redis that line 3 makes, ``Redis(app.py:3)``
that of another file; alternatives stand behind ``|``, several expressions behind ``;``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.flow.projects import Small

PAGES = Path(__file__).parent / "pages"
FIRST = {
    "python": "main.py",
    "java": "Main.java",
    "kotlin": "main.kt",
    "javascript": "main.js",
    "typescript": "main.ts",
}
_FENCE = re.compile(r"^```(\w+)?\s*(\S+)?$")
_QUESTION = re.compile(r"(?:#|//): (.*)$")


@dataclass
class Example:
    """One heading of a page."""

    page: str
    title: str
    files: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.page}: {self.title}"

    @property
    def questions(self) -> dict[tuple[str, int, str], str]:
        """(path, line, expression) -> the answer that is written down."""
        found = {}
        for path, text in self.files.items():
            for line, code in enumerate(text.splitlines(), 1):
                if match := _QUESTION.search(code):
                    for one in match[1].split("; "):
                        asked, _, said = one.partition(" = ")
                        found[path, line, asked] = said
        return found


def read(path: Path) -> list[Example]:
    found: list[Example] = []
    language, name, lines = "", "", []
    for line in path.read_text(encoding="utf-8").splitlines():
        if language:
            if line == "```":
                found[-1].files[name] = "\n".join(lines) + "\n"
                language, lines = "", []
            else:
                lines.append(line)
        elif line.startswith("## "):
            found.append(Example(path.stem, line[3:]))
        elif match := _FENCE.match(line):
            language = match[1]
            name = match[2] or FIRST[language]
    return found


GAPS = "gaps"
"""The page of what is not done yet."""
EXAMPLES = [
    pytest.param(
        example, id=example.name,
        marks=[pytest.mark.xfail(strict=True, raises=AssertionError)] if example.page == GAPS else [],
    )
    for path in sorted(PAGES.glob("*.md")) for example in read(path)
]  # fmt: skip


@pytest.mark.parametrize("example", EXAMPLES)
def test_expressions_stand_for_what_the_page_says(example: Example) -> None:
    small = Small(example.files)
    assert example.questions, "the example asks nothing"
    answers = {key: small.answer(*key) for key in example.questions}
    assert answers == {key: " | ".join(sorted(said.split(" | "))) for key, said in example.questions.items()}
