"""Reading a baseline, which people edit and git merges: every mistake is one line that says where it is."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence

import msgspec

from resplint.baseline.records import HEADER, SCANNED, VERSION, Baseline, Entry
from resplint.contracts.errors import UserError
from resplint.files.near_paths import hint_at
from resplint.files.regular_files import UnreadableFileError, read_regular, shown

SIZE_LIMIT = 200_000_000
"""Largest file that is read, in bytes: some 500,000 entries."""

_CONFLICT = re.compile(rb"(?:<<<<<<<|>>>>>>>|\|\|\|\|\|\|\|)(?: |$)|=======$")
_AGAIN = "or write the file anew with 'resplint baseline'"
_DECODER = msgspec.json.Decoder(Entry)


def load(file: str) -> Baseline:
    """The baseline in a file. Raises `UserError` naming file, line and remedy.

    The order of lines does not matter, nor do blank ones; of equal entries, as a merge may leave them, one that has a
    reason or expires counts.
    """
    try:
        data = read_regular(file, SIZE_LIMIT)
    except UnreadableFileError as error:
        remedy = hint_at(file) or "'resplint baseline' writes a baseline."
        raise UserError(f"{shown(file)}: {error}; {remedy}", file=file) from error
    entries: dict[tuple[str, str, str, str, int], Entry] = {}
    lines: dict[tuple[str, str, str, str, int], int] = {}
    headers: list[Sequence[str]] = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        entry = _entry(file, number, line)
        if not isinstance(entry, Entry):
            headers.append(entry)
            continue
        key = entry.identity()
        known = entries.get(key)
        if known is None or _richness(entry) > _richness(known):
            entries[key], lines[key] = entry, number
    if not headers:
        expected = json.dumps({HEADER: VERSION})
        message = f"{shown(file)}:1: not a baseline: expected {expected} as its first line; {_remedy()}."
        raise UserError(message, file=file, line=1)
    scanned = tuple(sorted({path for header in headers for path in header}))
    return Baseline(os.path.abspath(file), tuple(entries[key] for key in sorted(entries)), scanned, lines)


_HEADER_START = re.compile(rb'\s*\{\s*"' + HEADER.encode() + rb'"')


def _header(file: str, number: int, line: bytes) -> Sequence[str]:
    """The paths that a header names."""
    try:
        header = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _wrong(file, number, line, error) from error
    version = header.get(HEADER)
    if version != VERSION or isinstance(version, bool):
        given = shown(repr(version), 40)
        raise UserError(
            f"{shown(file)}:{number}: a baseline of version {given}, but this resplint reads version {VERSION}: use "
            f"the resplint that wrote it, {_AGAIN}.",
            file=file,
            line=number,
        )
    try:
        return msgspec.convert(header.get(SCANNED, ()), list[str])
    except msgspec.ValidationError as error:
        raise _wrong(file, number, line, error) from error


def _entry(file: str, number: int, line: bytes) -> Entry | Sequence[str]:
    """What a line holds: an entry, or in the header the paths that were scanned."""
    try:
        return _DECODER.decode(line)
    except msgspec.ValidationError as error:
        if _HEADER_START.match(line):
            return _header(file, number, line)
        raise _wrong(file, number, line, error) from error
    except (ValueError, RecursionError) as error:
        # Names of files that are not UTF-8 are written with lone surrogates, which only the slower reader takes.
        if b"\\u" in line:
            try:
                return msgspec.convert(json.loads(line), Entry)
            except msgspec.ValidationError:
                if _HEADER_START.match(line):
                    return _header(file, number, line)
            except (ValueError, RecursionError):
                pass
        raise _wrong(file, number, line, error) from error


def _wrong(file: str, number: int, line: bytes, error: Exception) -> UserError:
    place = f"{shown(file)}:{number}"
    if _CONFLICT.match(line.rstrip()):
        return UserError(
            f"{place}: a merge conflict is not resolved: keep the entries of both sides (too many do no harm) and "
            f"delete the lines with the marks, {_AGAIN}.",
            file=file,
            line=number,
        )
    problem = "nested too deeply" if isinstance(error, RecursionError) else shown(str(error))
    return UserError(f"{place}: not an entry of a baseline: {problem}; {_remedy()}.", file=file, line=number)


def _remedy() -> str:
    return f"correct it, {_AGAIN}"


def _richness(entry: Entry) -> tuple[object, ...]:
    """Greater is the one of two equal entries that counts; total, so that the order of lines does not matter."""
    expires = entry.expires.isoformat() if entry.expires else ""
    # The sooner of two dates: it is safer to look again too early than too late.
    sooner = tuple(-ord(character) for character in expires)
    return (
        bool(entry.reason),
        bool(expires),
        sooner,
        entry.reason,
        -entry.level.rank,
        entry.precision.rank,
        entry.code,
    )
