"""Lines of code as HTML: line numbers, the marked stretch, and a little colour for comments, strings and keywords."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import PurePath

from markupsafe import Markup
from markupsafe import escape as html
from pygments.lexer import Lexer  # type: ignore[import-untyped]
from pygments.lexers import find_lexer_class_for_filename  # type: ignore[import-untyped]
from pygments.token import Comment, Keyword, Number, String, _TokenType  # type: ignore[import-untyped]
from pygments.util import ClassNotFound  # type: ignore[import-untyped]

from resplint.output.escape import escape
from resplint.reporting.records import DiffRow, Line

# Lexers are regular expressions and the text is a stranger's: the time for a text can grow with the square of its
# length, up to 2 s for the longest that is coloured. What a whole page may cost is bounded the same way, in squared
# characters: 20 s at worst, and far more than 2,000 usual findings need.
_MAX_LEXED = 8000
_BUDGET = 500_000_000
_CLASSES = ((Comment, "c"), (String.Doc, "c"), (String, "s"), (Keyword, "k"), (Number, "n"))
_SUFFIXES = {"python": ".py", "java": ".java", "kotlin": ".kt", "javascript": ".js", "typescript": ".ts"}
_SUFFIX = re.compile(r"^\.[A-Za-z0-9_+-]{1,12}$")

_Token = tuple[int, int, str]


class Painter:
    """Code of one page. What exceeds the page's budget for colours is shown without them."""

    def __init__(self) -> None:
        self._left = _BUDGET
        self._known: dict[tuple[str, str], tuple[_Token, ...]] = {}

    def code(self, lines: Sequence[Line], path: str, *, coloured: bool = True) -> Markup:
        """The lines as a `pre`; what is marked is a `mark`. Nothing of them is taken for HTML.

        The name of the file at `path` decides how the code is `coloured`.
        """
        lines = _dedented(lines)
        suffix = PurePath(path).suffix.lower() if coloured else ""
        tokens = self._tokens("\n".join(line.text for line in lines), suffix) if suffix else ()
        built = []
        first = start = 0
        for line in lines:
            end = start + len(line.text)
            while first < len(tokens) and tokens[first][1] <= start:
                first += 1
            number = f' data-n="{line.number}"' if line.number else ""
            kind = "l hit" if line.marks else "l"
            built.append(f'<span class="{kind}"{number}>{_line(line, _within(tokens, first, start, end))}</span>')
            start = end + 1
        return Markup(f'<pre class="code"><code>{"".join(built)}</code></pre>')

    def fence(self, text: str, language: str) -> Markup:
        """A block of code in a rule's help."""
        lines = [Line(0, line) for line in text.rstrip("\n").split("\n")]
        return self.code(lines, f"example{_SUFFIXES.get(language.lower(), '')}")

    def _tokens(self, text: str, suffix: str) -> tuple[_Token, ...]:
        """Stretches of `text` that get a colour, with the name of it."""
        key = (text, suffix)
        if key not in self._known:
            lexer = _lexer(suffix)
            cost = len(text) ** 2
            if lexer is None or len(text) > _MAX_LEXED or cost > self._left:
                return ()
            self._left -= cost
            self._known[key] = tuple(_coloured(lexer, text))
        return self._known[key]


def diff_html(rows: Iterable[DiffRow]) -> Markup:
    """The rows of a diff as a `pre`: signs are text, so that they are read aloud and copied."""
    names = {"+": "l add", "-": "l del", " ": "l"}
    built = "".join(
        f'<span class="{names[row.sign]}"{f""" data-n="{row.number}" """.rstrip() if row.number else ""}>'
        f"{html(f'{row.sign} {escape(row.text, keep_tabs=True)}')}</span>"
        for row in rows
    )
    return Markup(f'<pre class="code diff"><code>{built}</code></pre>')


def _within(tokens: Sequence[_Token], first: int, start: int, end: int) -> list[_Token]:
    """The tokens from `first` on that lie between `start` and `end`, counted from `start`."""
    inside = []
    for begin, stop, name in itertools.islice(tokens, first, None):
        if begin >= end:
            break
        inside.append((max(begin, start) - start, min(stop, end) - start, name))
    return inside


def _dedented(lines: Sequence[Line]) -> Sequence[Line]:
    """Without the indentation that all lines share: the place stands beside them."""
    filled = [line.text for line in lines if line.number and line.text.strip()]
    dedented = textwrap.dedent("\n".join(filled)).partition("\n")[0]
    width = len(filled[0]) - len(dedented) if filled else 0
    if not width or len(filled) != len([line for line in lines if line.text.strip()]):
        return lines
    return [
        Line(line.number, line.text[width:], tuple((max(0, start - width), end - width) for start, end in line.marks))
        for line in lines
    ]


def _line(line: Line, tokens: Sequence[_Token]) -> str:
    text = line.text
    marked = [edge for mark in line.marks for edge in mark]
    edges = sorted({0, len(text), *marked, *(edge for token in tokens for edge in token[:2])})
    pieces: list[str] = []
    is_open = False
    position = 0
    for start, end in itertools.pairwise(edges):
        while position < len(tokens) and tokens[position][1] <= start:
            position += 1
        name = tokens[position][2] if position < len(tokens) and tokens[position][0] <= start else ""
        inside = any(begin <= start < stop for begin, stop in line.marks)
        if inside != is_open:
            pieces.append("<mark>" if inside else "</mark>")
            is_open = inside
        shown = str(html(escape(text[start:end], keep_tabs=True)))
        pieces.append(f'<i class="{name}">{shown}</i>' if name else shown)
    return "".join(pieces) + ("</mark>" if is_open else "")


def _coloured(lexer: Lexer, text: str) -> Iterator[_Token]:
    for start, kind, value in lexer.get_tokens_unprocessed(text):
        name = _class_of(kind)
        if name:
            yield start, start + len(value), name


@lru_cache(maxsize=256)
def _class_of(kind: _TokenType) -> str:
    return next((name for parent, name in _CLASSES if kind in parent), "")


@lru_cache(maxsize=64)
def _lexer(suffix: str) -> Lexer | None:
    if not _SUFFIX.match(suffix):
        return None
    try:
        found = find_lexer_class_for_filename(f"x{suffix}")
    except ClassNotFound:
        return None
    return found(stripnl=False, ensurenl=False) if found else None
