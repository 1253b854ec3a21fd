"""Suppressions that resplint writes: a comment where it takes effect, or one more rule in the comment that is there.

Every proposal is tried on the text before it is made: the comment has to be read as one, and the finding to be
suppressed by it. So none ends up inside of a string, behind a line continuation, or in the text of JSX.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec

from resplint.contracts.comments import Comment
from resplint.contracts.facts import FileFacts
from resplint.contracts.findings import LocatedEdit, Region, Result, Suppression
from resplint.files.source import encode
from resplint.fixing.texts import Text, column_after
from resplint.languages import LANGUAGES, lower
from resplint.results.suppress import apply

_BRACKETS = re.compile(r"resplint:[ \t]*ignore(?P<file>-file)?[ \t]*\[(?P<rules>[^\]#]*)\]", re.IGNORECASE)
_HEAD = re.compile(r"#!|[ \t\f]*#.*?coding[:=]")
"""Lines that count only if they come first."""
_CONTINUED = "\\"
"""The end of a line that the next one continues: no comment may stand between them, which parsers overlook."""


class Suppressed(msgspec.Struct, frozen=True):
    """A text in which findings are to be suppressed. `path` is how scans name it, `rules` maps codes to names."""

    text: Text
    language: str
    path: str
    rules: Mapping[str, str]

    def ignore_here(self, result: Result, reason: str = "") -> LocatedEdit | None:
        """The edit that suppresses a result (whose region is that of the text as it is) where it stands, for a reason.

        None if no place will do.
        """
        return _Trial(self, result, reason).first(whole_file=False)

    def ignore_in_file(self, result: Result) -> LocatedEdit | None:
        """The edit that suppresses the rule of a result in the whole text."""
        return _Trial(self, result, "").first(whole_file=True)

    def ignores(self, result: Result) -> bool:
        """Whether a comment suppresses the result already."""
        facts = self.facts(self.text.text)
        return facts is not None and self.suppression(facts, result) is not None

    def facts(self, text: str) -> FileFacts | None:
        """Facts of another text in the place of this one."""
        return lower(self.path, self.language, encode(text, self.language)).facts

    def suppression(self, facts: FileFacts, result: Result) -> Suppression | None:
        """How comments suppress a result."""
        marked, _ = apply([result], {self.path: facts.comments}, self.rules, {result.rule})
        return marked[0].suppression


class _Trial:
    def __init__(self, file: Suppressed, result: Result, reason: str) -> None:
        self._file = file
        self._result = result
        self._reason = reason
        self._text = file.text
        self._leader = LANGUAGES[file.language].line_comment

    def first(self, *, whole_file: bool) -> LocatedEdit | None:
        facts = self._file.facts(self._text.text)
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
        directive = f"{self._leader} resplint: ignore[{self._result.rule}] {self._reason}".rstrip()
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
        return LocatedEdit(self._file.path, Region(line, column, line, column), text)

    def _works(self, edit: LocatedEdit, errors: int) -> bool:
        facts = self._file.facts(self._text.replaced([edit]))
        if facts is None or len(facts.errors) > errors:
            return False
        moved = below(self._result, edit)
        found = self._file.suppression(facts, moved)
        # A comment that is there may say another reason, which is not that of this finding.
        return found is not None and self._reason in ("", found.justification)


def below(result: Result, edit: LocatedEdit) -> Result:
    """A result as it stands after an edit that `Suppressed` proposed for it or for another one."""
    line, region = edit.region.start_line, result.region
    if not edit.text.endswith(("\n", "\r")):
        return result
    start, end = (each + 1 if each >= line else each for each in (region.start_line, region.end_line))
    return msgspec.structs.replace(result, region=Region(start, region.start_column, end, region.end_column))


def _lines(comment: Comment) -> range:
    return range(comment.line, comment.last_line + 1)
