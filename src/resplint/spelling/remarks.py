"""Comments that speak of a value: it may not change under them."""

from __future__ import annotations

import re
from typing import Final

from resplint.spelling.files import NotExpressible, SourceFile

_SKIPPED: Final = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`")
_FOR_TOOLS: Final = re.compile(
    r"(?:noqa|nosec|nosonar|nolint|pragma|type:|fmt:|mypy:|ruff:|isort:|pyright:|pylint:|resplint:|@ts-|eslint"
    r"|prettier-|biome-|istanbul|noinspection|\$?flow)",
    re.IGNORECASE,
)
"""How comments begin that speak to a tool about the line, whatever value stands on it."""


def keep_true(file: SourceFile, expr: int) -> None:
    """Raise if a comment would no longer be true once another value takes the place of an expression: one for people
    behind it on its line (``-1 // unlimited``), or one right above that names the value (``# wait 10 s``).
    """
    record = file.facts.exprs[expr]
    rest = _SKIPPED.sub("", file.text(record.end, file.line_end(record.end)))
    leaders = [file.spelling.line_comment, *file.spelling.block_comment[:1]]
    found = [at for leader in leaders if (at := rest.find(leader)) >= 0]
    if found:
        said = rest[min(found) :].strip("#/*!- \t")
        if said and not _FOR_TOOLS.match(said):
            raise NotExpressible("a comment speaks of the value")
    word = re.compile(rf"(?<![\w.]){re.escape(file.code(expr))}(?!\.?\w)")
    start = file.line_start(record.start)
    while start > 0:
        start = file.line_start(start - 1)
        line = file.text(start, file.line_end(start)).strip()
        if not line.startswith((*leaders, *file.spelling.block_comment[1:])) and not (
            file.spelling.block_comment and line.startswith("*")
        ):
            return
        if word.search(line):
            raise NotExpressible("a comment names the value")
