"""Changes to source text whose meaning is known: what they must leave alone, and what they must silence.

Each change takes the text of a file and returns the changed text with, for every line, the number that it had
before. What is here serves every language; `metamorphic_python` and `metamorphic_changes` hold the changes.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable
from dataclasses import dataclass

Span = tuple[int, int]
"""Characters from start to end."""

Edit = tuple[int, int, str]
"""Replace the characters from start to end."""

Move = tuple[int, int, list["str | Span"]]
"""Replace the characters from start to end by pieces of new text and copies of old text."""


@dataclass(frozen=True)
class Changed:
    """A changed text; `origins[n]` is the number that line n + 1 had before, 0 for a line that is new."""

    text: str
    origins: tuple[int, ...]
    suffix: str = ""
    """The file's new suffix, if it has one."""

    def origin(self, line: int) -> int:
        return self.origins[line - 1]


@dataclass(frozen=True)
class Setting:
    """What a file is, and what the other files of the same fixture mean to it."""

    language: str = "python"
    suffix: str = ".py"
    foreign: frozenset[str] = frozenset()
    """Names that must stay: those that other files take from it, perhaps."""
    labels: frozenset[str] = frozenset()
    """Names of parameters that calls mention in some file."""


Change = Callable[[str, Setting], Changed]


class Text:
    """The lines of a text, and ways to change it that know where each line comes from."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))

    def line_at(self, offset: int) -> int:
        """The number of the line in which a character stands."""
        return min(bisect.bisect_right(self.starts, offset), len(self.lines))

    def edited(self, edits: Iterable[Edit]) -> Changed:
        """The text after edits that leave all line ends where they are."""
        text = self.text
        for start, end, new in sorted(set(edits), reverse=True):
            text = text[:start] + new + text[end:]
        changed = Changed(text, tuple(range(1, len(self.lines) + 1)))
        assert len(text.splitlines()) == len(self.lines)
        return changed

    def with_lines(self, above: dict[int, list[str]], indents: dict[int, str] | None = None) -> Changed:
        """The text with new lines above some lines and more indentation for some."""
        written: list[str] = []
        origins: list[int] = []
        for number, line in enumerate(self.lines, 1):
            new = above.get(number, [])
            indent = (indents or {}).get(number, "")
            written += [*new, indent + line if line.strip() else line]
            origins += [*([0] * len(new)), number]
        return Changed("".join(written), tuple(origins))

    def reordered(self, order: list[int]) -> Changed:
        """The text with its lines in another order."""
        return Changed("".join(self.lines[line - 1] for line in order), tuple(order))

    def moved(self, moves: Iterable[Move]) -> Changed:
        """The text after moves. A line belongs to the line that its first old character belonged to."""
        written: list[tuple[str, int]] = []
        position = 0
        for start, end, pieces in [*sorted(moves, key=lambda move: move[:2]), (len(self.text), len(self.text), [])]:
            assert start >= position, "moves overlap"
            written += self._old((position, start))
            for piece in pieces:
                written += self._old(piece) if isinstance(piece, tuple) else [(each, 0) for each in piece]
            position = end
        return _of_characters(written)

    def _old(self, span: Span) -> list[tuple[str, int]]:
        return [(self.text[offset], self.line_at(offset)) for offset in range(*span)]


def _of_characters(written: list[tuple[str, int]]) -> Changed:
    text = "".join(character for character, _ in written)
    origins = []
    position = 0
    for line in text.splitlines(keepends=True):
        here = [(char, origin) for char, origin in written[position : position + len(line)] if origin and char != "\n"]
        origins.append(next((origin for char, origin in here if not char.isspace()), here[0][1] if here else 0))
        position += len(line)
    return Changed(text, tuple(origins))
