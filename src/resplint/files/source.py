"""From a file's bytes to text with lines and columns.

Everything behind this module sees one form of text only: valid UTF-8 without a byte-order mark. Offsets of
facts and findings are byte offsets into that form; `LineIndex` turns them into the lines and UTF-16 columns
that reports show.
"""

from __future__ import annotations

import bisect
import codecs
import re
from functools import lru_cache
from itertools import accumulate

import msgspec

from resplint.contracts.findings import Region

_CODING_LINE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)")
_BLANK_OR_COMMENT = re.compile(rb"^[ \t\f]*(?:#.*)?$")
_LINE_END = re.compile(rb"\r\n|\n|\r")

_PLAIN_ASCII = bytes(range(0x20, 0x7F)) + b"\t\r\n"

# These decode ASCII letters to themselves and yet turn escapes into characters, so that lines would no
# longer be where an editor shows them ("raw" ones), are quadratic in the length of their input, or exist on
# one platform only.
_REFUSED_CODECS = frozenset(
    {"idna", "punycode", "unicode-escape", "unicode_escape", "raw-unicode-escape", "raw_unicode_escape"}
    | {"utf-7", "undefined", "mbcs", "oem"}
)

_LONE_CR = re.compile(rb"\r(?!\n)")
_MINIFIED_HEAD = 4096
_MINIFIED_MINIMUM = 1000
_MINIFIED_WHITESPACE = 0.07
_MINIFIED_LINE_BYTES = 200
_MINIFIED_LINES = 0.001
_WHITESPACE = b" \t\r\n\f\v"
_NOT_ASCII = bytes(range(0x80, 0x100))

_CHECKPOINT = 1024
_CONTINUATION_BYTES = bytes(range(0x80, 0xC0))
_NOT_ASTRAL_LEADERS = bytes(range(0xF0))


class DecodedSource(msgspec.Struct, frozen=True):
    """A readable file.

    `data` is valid UTF-8 without byte-order mark and without NUL. `encoding` names what the bytes were
    decoded with. `problem` is empty when every byte was understood; otherwise it is a sentence without
    period that says what was not.
    """

    data: bytes
    encoding: str
    problem: str = ""


class Undecodable(msgspec.Struct, frozen=True):
    """A file that is not text; `reason` is a clause without period."""

    reason: str


def decode(data: bytes, language: str) -> DecodedSource | Undecodable:
    """Normalise the bytes of a file in `language` ("python", "java", …) to UTF-8. Never raises."""
    if data.startswith(codecs.BOM_UTF8):
        source = _from_codec(data[len(codecs.BOM_UTF8) :], "utf-8")
        if language == "python" and source.encoding == "utf-8" and not source.problem:
            source = _warn_of_contradiction(source)
    elif data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        little = data.startswith(codecs.BOM_UTF16_LE)
        source = _from_codec(data[2:], "utf-16-le" if little else "utf-16-be")
    elif language == "python":
        source = _from_coding_line(data)
    else:
        source = _from_codec(data, "utf-8")
    nul = source.data.find(b"\0")
    if nul >= 0:
        return Undecodable(f"binary: NUL byte at offset {nul}")
    if b"\r" in source.data:
        # A grammar may end a comment at LF only; the length stays, so every offset does, too.
        data = _LONE_CR.sub(b"\n", source.data)
        return msgspec.structs.replace(source, data=data)
    return source


def encode(text: str, language: str) -> bytes:
    """Bytes that `decode` reads as `text`, such as an editor shows it: in the encoding that it declares, if that can
    be; what no encoding can hold is replaced by question marks.
    """
    data = text.encode("utf-8", "replace")
    if language != "python" or data.startswith(codecs.BOM_UTF8):
        return data
    declared = declared_coding(data)
    encoding = _text_codec(declared) if declared is not None else None
    if encoding is None or encoding in {"utf-8", "utf-8-sig"}:
        return data
    try:
        return text.encode(encoding)
    except UnicodeError:
        return codecs.BOM_UTF8 + data


def _from_codec(data: bytes, encoding: str) -> DecodedSource:
    try:
        text = data.decode(encoding)
        problem = ""
    except UnicodeError as error:
        where = f" at offset {error.start}" if isinstance(error, UnicodeDecodeError) else ""
        text = data.decode(encoding, "replace")
        problem = f"not valid {encoding.upper()}{where}; undecodable bytes were replaced"
    # A codec may yield lone surrogates, which UTF-8 cannot hold.
    return DecodedSource(text.encode("utf-8", "replace"), encoding, problem)


def _from_coding_line(data: bytes) -> DecodedSource:
    declared = declared_coding(data)
    if declared is None:
        return _from_codec(data, "utf-8")
    encoding = _text_codec(declared)
    if encoding is None:
        source = _from_codec(data, "utf-8")
        problem = f"unknown source encoding '{declared}'; read as UTF-8"
        return DecodedSource(source.data, source.encoding, problem)
    return _from_codec(data, encoding)


def _warn_of_contradiction(source: DecodedSource) -> DecodedSource:
    """Python refuses a file whose byte-order mark and coding line disagree; to us its text is clear."""
    declared = declared_coding(source.data)
    if declared is None or _text_codec(declared) in {"utf-8", "utf-8-sig"}:
        return source
    problem = f"byte-order mark of UTF-8, but source encoding '{declared}' declared; read as UTF-8"
    return DecodedSource(source.data, source.encoding, problem)


def declared_coding(data: bytes) -> str | None:
    """The name in the PEP 263 coding line of Python source, unchecked, or None.

    `tokenize.detect_encoding` is not used: it gives up on a first line that is not UTF-8, which is just
    what a coding line in the second line may announce, and it takes a file with lone CR line ends for a
    single line.
    """
    head = _LINE_END.split(data[:_MINIFIED_HEAD], maxsplit=2)[:2]
    for line in head:
        found = _CODING_LINE.match(line)
        if found is not None:
            return found.group(1).decode("ascii")
        if _BLANK_OR_COMMENT.match(line) is None:
            return None
    return None


@lru_cache(maxsize=64)
def _text_codec(name: str) -> str | None:
    """The canonical name of a codec that is safe and sensible for source text, or None."""
    try:
        found = codecs.lookup(name)
        if found.name in _REFUSED_CODECS or _PLAIN_ASCII.decode(found.name) != _PLAIN_ASCII.decode("ascii"):
            return None
    except (LookupError, ValueError):
        return None
    return found.name


def hides_names(data: bytes) -> bool:
    """Whether Python would read source in a coding in which letters need not stand as themselves; `decode` does not."""
    if b"coding" not in data[:_MINIFIED_HEAD]:
        return False
    declared = declared_coding(data)
    return declared is not None and _text_codec(declared) is None and _is_known(declared)


def _is_known(codec: str) -> bool:
    try:
        codecs.lookup(codec)
    except (LookupError, ValueError):
        return False
    return True


def is_minified(data: bytes) -> bool:
    """Whether normalised text looks like machine output that no person reads.

    Judged on the first 4,096 bytes of files above 1,000 bytes: hardly any white space on long lines, or hardly any
    lines. Only ASCII counts for the share of white space, for a page of Chinese or Japanese prose has few blanks
    and is no machine output.
    """
    if len(data) <= _MINIFIED_MINIMUM:
        return False
    head = data[:_MINIFIED_HEAD]
    visible = len(head.translate(None, _WHITESPACE + _NOT_ASCII))
    blanks = len(head) - len(head.translate(None, _WHITESPACE))
    ends = head.count(b"\n") + head.count(b"\r") - head.count(b"\r\n")
    lines = ends if head.endswith((b"\n", b"\r")) else ends + 1
    # Tables of routes and lists of imports have few blanks, too, but on lines that a person can read.
    if blanks < _MINIFIED_WHITESPACE * (visible + blanks) and len(head) > _MINIFIED_LINE_BYTES * lines:
        return True
    return lines < _MINIFIED_LINES * len(head)


def line_starts(data: bytes) -> tuple[int, ...]:
    """Byte offset at which each line of normalised text starts; see `LineIndex` for what ends a line."""
    starts = (0, *accumulate(map(len, data.splitlines(keepends=True))))
    return starts if data.endswith((b"\n", b"\r")) or not data else starts[:-1]


class LineIndex:
    """Lines and columns of normalised UTF-8 text.

    A line ends with LF, CRLF or a lone CR and with nothing else (not with form feed or U+2028). Lines and
    columns count from 1; columns are UTF-16 code units. Every query takes O(log n) time, even on a text
    that is a single line.
    """

    def __init__(self, data: bytes) -> None:
        """Index `data`, valid UTF-8 without byte-order mark (see `decode`)."""
        self._data = data
        self._starts = [0]
        self._ends: list[int] = []
        for end in _LINE_END.finditer(data):
            self._ends.append(end.start())
            self._starts.append(end.end())
        self._ends.append(len(data))
        self._ascii = data.isascii()
        self._checkpoints: list[int] = []
        self._texts: dict[int, str] = {}

    @property
    def line_count(self) -> int:
        """Number of lines; text that ends with a line end has an empty last line."""
        return len(self._starts)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a byte offset.

        Offsets outside the text are moved to its ends, inside a character to its start, inside a line end
        to the end of its line.
        """
        offset = max(0, min(offset, len(self._data)))
        line = bisect.bisect_right(self._starts, offset)
        start, end = self._starts[line - 1], self._ends[line - 1]
        offset = self._character_start(min(offset, end))
        return line, self._units(offset) - self._units(start) + 1

    def region(self, start: int, end: int) -> Region:
        """The region from byte offset `start` to `end` (exclusive).

        It never reaches into a line of which it holds nothing.
        """
        start_line, start_column = self.position(start)
        end = max(start, min(end, len(self._data)))
        if end > start and self._character_start(end) != end:
            end = self._character_end(end)
        end_line, end_column = self.position(end)
        if end_line > start_line and end == self._starts[end_line - 1]:
            end_line, end_column = self.position(self._ends[end_line - 2])
        return Region(start_line, start_column, end_line, end_column)

    def line_text(self, line: int) -> str:
        """Text of a line, from 1, without its line end; the empty string for a line that does not exist."""
        if not 1 <= line <= self.line_count:
            return ""
        text = self._texts.get(line)
        if text is None:
            # Kept, so that ten thousand findings in one long line share one string.
            text = self._texts[line] = self._data[self._starts[line - 1] : self._ends[line - 1]].decode("utf-8")
        return text

    def _units(self, offset: int) -> int:
        """UTF-16 code units before a byte offset."""
        if self._ascii:
            return offset
        if not self._checkpoints:
            self._checkpoints = _unit_checkpoints(self._data)
        index = offset // _CHECKPOINT
        return self._checkpoints[index] + _count_units(self._data[index * _CHECKPOINT : offset])

    def _character_start(self, offset: int) -> int:
        while 0 < offset < len(self._data) and self._data[offset] & 0xC0 == 0x80:
            offset -= 1
        return offset

    def _character_end(self, offset: int) -> int:
        while offset < len(self._data) and self._data[offset] & 0xC0 == 0x80:
            offset += 1
        return offset


def _unit_checkpoints(data: bytes) -> list[int]:
    counts = [0]
    for start in range(0, len(data), _CHECKPOINT):
        counts.append(counts[-1] + _count_units(data[start : start + _CHECKPOINT]))
    return counts


def _count_units(data: bytes) -> int:
    """UTF-16 units of UTF-8 bytes: one a character, and a second one for those of four bytes."""
    return len(data.translate(None, _CONTINUATION_BYTES)) + len(data.translate(None, _NOT_ASTRAL_LEADERS))
