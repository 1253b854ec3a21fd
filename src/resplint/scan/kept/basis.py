"""What an outcome rests on, as far as it takes to tell that an edit does not change it.

Whoever analyses a project looks things up by names and follows what it finds. What is said of a file at other places,
in other lines, is therefore still said (`statements`); and what is declared at the top of a file under a name that no
linked file and no rule knows is never asked for. Everything else is analysed anew.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

import msgspec

from resplint.contracts import facts as records
from resplint.contracts.facts import FileFacts
from resplint.contracts.findings import Finding, Fix, Level, Place, Precision, Step
from resplint.scan.kept.recalled import Kept
from resplint.scan.kept.statements import Statement

WORD = re.compile(r"\w+")
_PREFIX = re.compile(r"^(?:exports\.)?(?:get|set|is|has|with)?(?=.)", re.IGNORECASE)
_NO_LETTER = re.compile(r"[\W_]+")


class Stretch(msgspec.Struct, frozen=True, array_like=True):
    """The lines of a file that a fix was made for; `digest` stands for what is in them."""

    start: int
    end: int
    digest: bytes


class Unlocated(msgspec.Struct, frozen=True, array_like=True):
    """A finding before it was located; if it has a fix, with the `stretch` of its file that the fix is for."""

    rule: str
    level: Level
    precision: Precision
    message: str
    place: Place
    trail: tuple[Step, ...]
    symbol: str
    help: str
    fix: Fix | None
    stretch: Stretch | None
    is_secret: bool = False

    def finding(self) -> Finding:
        """The finding again."""
        return Finding(
            self.rule, self.level, self.precision, self.message, self.place, self.trail, self.symbol, self.fix,
            help=self.help, is_secret=self.is_secret,
        )  # fmt: skip

    @property
    def paths(self) -> set[str]:
        """The files that it shows."""
        edits = self.fix.edits if self.fix is not None else ()
        return {self.place.path, *(step.place.path for step in self.trail), *(edit.place.path for edit in edits)}


class Basis(msgspec.Struct, frozen=True, array_like=True):
    """What the outcome of a scan rests on: its findings as they were before they were located; the `linked` files; for
    each of them the calls (by number) whose texts nobody has looked at (`unread`); all `words` of these files, and
    those that are `of_one_file`.
    """

    findings: tuple[Unlocated, ...]
    linked: frozenset[str]
    unread: dict[str, tuple[int, ...]]
    words: frozenset[str]
    of_one_file: frozenset[str]


class Based(msgspec.Struct, frozen=True, array_like=True):
    """The last analysis of some files: `names` stand for the paths and languages of all of them, `first` are those that
    name Redis, `contents` stand for what was in these and in all others that were read.
    """

    names: bytes
    first: tuple[str, ...]
    contents: dict[str, bytes]
    kept: Kept
    basis: Basis


def plain(word: str) -> str:
    """A name without what libraries and languages add to it or take from it, where they derive one name from another:
    getters from fields, settings from options.
    """
    return _NO_LETTER.sub("", _PREFIX.sub("", word.strip("_"))).lower()


def digest(data: bytes) -> bytes:
    """16 bytes that stand for a stretch of a file."""
    return hashlib.blake2b(data, digest_size=16).digest()


def words_of(file: FileFacts) -> set[str]:
    """The names in a file, and the words in its texts."""
    found: set[str] = {file.package}
    _of_expressions(file.exprs, found)
    for table in (file.scopes, file.bindings, file.writes, file.imports):
        for record in table:
            _of_record(record, found)
    return found


def words_of_statements(file: FileFacts, statements: Iterable[Statement]) -> set[str]:
    """The same of some statements of a file."""
    found: set[str] = set()
    for one in statements:
        _of_expressions([file.exprs[number] for number in one.exprs], found)
        if one.table != "exprs":
            _of_record(getattr(file, one.table)[one.number], found)
    return found - {""}


def _of_expressions(exprs: Iterable[records.Expr], found: set[str]) -> None:
    texts: set[str] = set()
    for expr in exprs:
        if isinstance(expr, records.Name | records.Member):
            found.add(expr.name)
        elif isinstance(expr, records.Call):
            found.update([one.name for one in expr.arguments if one.name])
        elif isinstance(expr, records.Literal):
            if isinstance(expr.value, str):
                texts.add(expr.value)
        elif isinstance(expr, records.Template):
            texts.update([part for part in expr.parts if isinstance(part, str)])
    for text in texts:
        found.update(WORD.findall(text))


def _of_record(record: object, found: set[str]) -> None:
    match record:
        case records.Scope():
            found.add(record.name)
            found.update([one.name for one in record.parameters])
        case records.Binding():
            found.add(record.name)
            found.update([part for part in record.path if isinstance(part, str)])
        case records.Write():
            found.update([part for part in record.path if isinstance(part, str)])
        case records.Import():
            found.update((record.name, record.alias, *WORD.findall(record.module)))
