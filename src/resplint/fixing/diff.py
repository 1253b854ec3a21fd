"""What fixing would change, as a unified diff."""

from __future__ import annotations

import codecs
import difflib
import re
from collections.abc import Callable, Iterator

from resplint.fixing.records import ChangedFile, Plan
from resplint.source import Undecodable, decode

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_CONTEXT_LINES = 3
_NO_END = "\\ No newline at end of file"


def unified_diff(plan: Plan, escape: Callable[[str], str]) -> list[str]:
    """Lines of a diff from `a/…` to `b/…` with three lines of context, files in order, each line without its end.

    Every line is shown through `escape`. A CR before the line end is kept, so that `git apply` takes the diff of a
    file with such ends (if it is UTF-8).
    """
    return [line for file in plan.files for line in _of_file(file, escape)]


def _of_file(file: ChangedFile, escape: Callable[[str], str]) -> Iterator[str]:
    before, after = (_LINE.findall(_text(data, file.language)) for data in (file.before, file.after))
    name = escape(file.path)
    # difflib compares whole lines, ends included; its own headers are replaced.
    hunks = list(difflib.unified_diff(before, after, n=_CONTEXT_LINES, lineterm=""))[2:]
    yield f"--- a/{name}"
    yield f"+++ b/{name}"
    for line in hunks:
        if line.startswith("@@"):
            yield line
            continue
        body = line.rstrip("\r\n")
        end = line[len(body) :]
        yield line[0] + escape(body[1:]) + ("\r" if end == "\r\n" else "")
        if not end:
            yield _NO_END


def _text(data: bytes, language: str) -> str:
    source = decode(data, language)
    if isinstance(source, Undecodable):
        return ""
    return ("\ufeff" if data.startswith(codecs.BOM_UTF8) else "") + source.data.decode("utf-8")
