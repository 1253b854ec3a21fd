"""What the bytes of files were searched for while a project was linked, so that an edited one can be searched again."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

_EVERYTHING = re.compile(rb"\bimport[ \t]*\*")
"""An import that spells none of the names it brings in."""


class Question(msgspec.Struct, frozen=True, array_like=True):
    """Whether one of the names stands in a file, or with `star` an import that spells none of what it brings in."""

    names: tuple[bytes, ...]
    star: bool

    def of(self, data: bytes) -> bool:
        """The answer for a file with this content."""
        return any(name in data for name in self.names) or (self.star and _EVERYTHING.search(data) is not None)


class Sought(msgspec.Struct, array_like=True):
    """The searches of one scan, in their order. `first` are the files that were read before.

    `questions` holds for each file what it was searched for, and the answers. For each of the `names` that all files of
    some languages were searched for, it is said which had it; `rounds` says of files that were read meanwhile how many
    of these searches were before that.
    """

    first: frozenset[str] = frozenset()
    questions: dict[str, list[tuple[Question, bool]]] = {}
    names: list[tuple[bytes, frozenset[str], frozenset[str]]] = []
    rounds: dict[str, int] = {}

    def finds_the_same(self, path: str, language: str, data: bytes) -> bool:
        """Whether all searches find in a file with this content what they found in it then."""
        if any(question.of(data) is not answer for question, answer in self.questions.get(path, ())):
            return False
        searched = [] if path in self.first else self.names[: self.rounds.get(path, len(self.names))]
        return all(
            spelling(name)(data) is (path in those) for name, languages, those in searched if language in languages
        )


def spelling(name: bytes) -> Callable[[bytes], bool]:
    """Whether a name stands in the content of a file, as a word of its own."""
    sought = re.compile(rb"(?<![\w$])" + re.escape(name) + rb"(?![\w$])")
    return lambda data: name in data and sought.search(data) is not None
