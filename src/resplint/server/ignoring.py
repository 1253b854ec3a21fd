"""Suppressions that the editor writes: a comment where it takes effect, or one more rule in the comment that is there.

Every proposal is tried on the text before it is made: the comment has to be read as one, and the finding to be
suppressed by it. So none ends up inside of a string, behind a line continuation, or in the text of JSX.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec

from resplint.contracts.comments import Comment
from resplint.contracts.facts import FileFacts
from resplint.contracts.findings import LocatedEdit, Region, Result
from resplint.files.source import encode
from resplint.languages import LANGUAGES, lower
from resplint.results.suppress import apply
from resplint.server.documents import Document
from resplint.server.texts import column_after

_BRACKETS = re.compile(r"resplint:[ \t]*ignore(?P<file>-file)?[ \t]*\[(?P<rules>[^\]#]*)\]", re.IGNORECASE)
_HEAD = re.compile(r"#!|[ \t\f]*#.*?coding[:=]")
"""Lines that count only if they come first."""
_CONTINUED = "\\"
"""The end of a line that the next one continues: no comment may stand between them, which parsers overlook."""


def ignore_here(document: Document, path: str, result: Result, rules: Mapping[str, str]) -> LocatedEdit | None:
    """The edit that suppresses a result (whose region is that of the document as it is) where it stands.

    `path` is how the scan names the document, `rules` maps codes to names. None if no place will do.
    """
    return _Trial(document, path, result, rules).first(whole_file=False)


def ignore_in_file(document: Document, path: str, result: Result, rules: Mapping[str, str]) -> LocatedEdit | None:
    """The edit that suppresses the rule of a result in the whole document."""
    return _Trial(document, path, result, rules).first(whole_file=True)


class _Trial:
    def __init__(self, document: Document, path: str, result: Result, rules: Mapping[str, str]) -> None:
        self._document = document
        self._path = path
        self._result = result
        self._rules = rules
        self._text = document.content
        self._leader = LANGUAGES[document.language].line_comment

    def first(self, *, whole_file: bool) -> LocatedEdit | None:
        facts = self._facts(self._document.data)
        if facts is None:
            return None
        proposals = self._in_file(facts) if whole_file else self._here(facts)
        return next((edit for edit in proposals if self._works(edit, len(facts.errors))), None)

    def _here(self, facts: FileFacts) -> Iterator[LocatedEdit]:
        region = self._result.region
        own_lines = {line for each in facts.comments if each.own_line for line in _lines(each)}
        above = region.start_line - 1
        reach = [region.start_line, region.end_line]
        while above in own_lines:
            reach.append(above)
            above -= 1
        for comment in facts.comments:
            if any(line in reach for line in _lines(comment)):
                yield from self._extended(comment, whole_file=False)
        line = self._text.line(region.start_line)
        indent = line[: len(line) - len(line.lstrip())]
        directive = f"{self._leader} resplint: ignore[{self._result.rule}]"
        if not self._text.line(region.start_line - 1).endswith(_CONTINUED):
            yield self._inserted(region.start_line, 1, f"{indent}{directive}{self._text.line_end}")
        for number in dict.fromkeys((region.start_line, region.end_line)):
            content = self._text.line(number).rstrip()
            if not content.endswith(_CONTINUED):
                yield self._inserted(number, column_after(content, len(content)), f"  {directive}")

    def _in_file(self, facts: FileFacts) -> Iterator[LocatedEdit]:
        for comment in facts.comments:
            yield from self._extended(comment, whole_file=True)
        line = 1
        while line <= 2 and _HEAD.match(self._text.line(line)):
            line += 1
        directive = f"{self._leader} resplint: ignore-file[{self._result.rule}]"
        yield self._inserted(line, 1, directive + self._text.line_end)

    def _extended(self, comment: Comment, *, whole_file: bool) -> Iterator[LocatedEdit]:
        """One more rule in the brackets of a suppression."""
        for number in _lines(comment):
            line = self._text.line(number)
            for found in _BRACKETS.finditer(line):
                if (found["file"] is not None) == whole_file:
                    rules = found["rules"].rstrip()
                    more = f", {self._result.rule}" if rules.strip() else self._result.rule
                    yield self._inserted(number, column_after(line, found.start("rules") + len(rules)), more)

    def _inserted(self, line: int, column: int, text: str) -> LocatedEdit:
        return LocatedEdit(self._path, Region(line, column, line, column), text)

    def _works(self, edit: LocatedEdit, errors: int) -> bool:
        facts = self._facts(encode(self._text.replaced([edit]), self._document.language))
        if facts is None or len(facts.errors) > errors:
            return False
        region = self._result.region
        if edit.text.endswith(self._text.line_end):
            region = Region(region.start_line + 1, region.start_column, region.end_line + 1, region.end_column)
        moved = msgspec.structs.replace(self._result, region=region)
        marked, _ = apply([moved], {self._path: facts.comments}, self._rules, {moved.rule})
        return marked[0].suppression is not None

    def _facts(self, data: bytes) -> FileFacts | None:
        return lower(self._path, self._document.language, data).facts


def _lines(comment: Comment) -> range:
    return range(comment.line, comment.last_line + 1)
