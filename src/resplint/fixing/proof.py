"""Proof that a changed file is still as sound as it was: it parses where it did, and no comment is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from resplint.contracts.facts import FileFacts
from resplint.files.source import DecodedSource, decode
from resplint.fixing.changes import Change, Shift
from resplint.languages import comment_texts, lower

_Range = tuple[int, int]


class Prover:
    """Compares texts of files before and after changes; what was lowered is kept."""

    def __init__(self) -> None:
        self._lowered: dict[tuple[str, bytes], FileFacts | str] = {}

    def harm(self, path: str, language: str, before: bytes, after: bytes, changes: Sequence[Change]) -> str:
        """What is worse about a file after `changes`, as a clause ("it would …"); empty if nothing is."""
        old, new = self._facts(path, language, before), self._facts(path, language, after)
        if isinstance(new, str):
            return f"it would make the file unreadable ({new})"
        if isinstance(old, str):
            return ""
        if _encoding(before, language) != _encoding(after, language):
            return "it would move the line that names the encoding"
        shift = Shift(changes)
        known = [(shift.range(start), shift.range(end)) for start, end in _errors(old, before)]
        for start, end in _errors(new, after):
            if not any(low[0] <= start <= low[1] and high[0] <= end <= high[1] for low, high in known):
                return "it would bring a syntax error"
        if new.partial and not old.partial:
            return f"it would leave the file readable only in part ({new.partial})"
        lost = Counter(comment_texts(path, language, before)) - Counter(comment_texts(path, language, after))
        return "it would lose a comment" if lost else ""

    def _facts(self, path: str, language: str, data: bytes) -> FileFacts | str:
        key = path, data
        if key not in self._lowered:
            found = lower(path, language, data)
            self._lowered[key] = found.facts or found.reason
        return self._lowered[key]


def _errors(facts: FileFacts, data: bytes) -> list[_Range]:
    """Ranges that do not parse, in characters."""
    if not facts.errors:
        return []
    text = _normalised(data, facts.language)
    return [(_characters(text, start), _characters(text, end)) for start, end in facts.errors]


def _normalised(data: bytes, language: str) -> bytes:
    source = decode(data, language)
    return source.data if isinstance(source, DecodedSource) else b""


def _characters(text: bytes, offset: int) -> int:
    return len(text[:offset].decode("utf-8", "ignore"))


def _encoding(data: bytes, language: str) -> str:
    source = decode(data, language)
    return source.encoding if isinstance(source, DecodedSource) else ""
