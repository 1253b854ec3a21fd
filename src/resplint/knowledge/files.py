"""Where the files of ``rules/`` and ``fixtures/`` are, and how one of them is read into a record."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TypeVar

import msgspec

from resplint.contracts.errors import KnowledgeError
from resplint.files.toml_text import TomlError, parse_toml

T = TypeVar("T")

PACKAGE = Path(__file__).resolve().parent.parent
"""The folder of the package `resplint`."""
_AT = re.compile(r"^(?P<reason>.*?)(?: - at `\$\.?(?P<place>.*)`)?$", re.DOTALL)


@cache
def rules_dir() -> Path:
    """The folder ``rules``: inside an installed wheel, or beside ``src`` in a source checkout."""
    return _find("rules")


@cache
def fixtures_dir() -> Path:
    """The folder ``fixtures``: inside an installed wheel, or beside ``src`` in a source checkout."""
    return _find("fixtures")


def _find(name: str) -> Path:
    installed = PACKAGE / f"_{name}"
    if installed.is_dir():
        return installed
    checkout = PACKAGE.parent.parent / name
    if checkout.is_dir():
        return checkout
    raise KnowledgeError(f"{name}: not found beside the package ({installed}): the installation is incomplete")


def read_bytes(path: Path) -> bytes:
    """The bytes of a file below ``rules/`` or ``fixtures/``."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise KnowledgeError(f"{path}: cannot be read: {error.strerror or error}") from error


def read_text(path: Path) -> str:
    """The text of such a file, with LF line ends."""
    try:
        return read_bytes(path).decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise KnowledgeError(f"{path}: is not UTF-8") from error


def read_record(path: Path, record: type[T]) -> T:
    """A TOML file as a record."""
    return to_record(read_document(path), record, path)


def read_document(path: Path) -> dict[str, object]:
    """A TOML file as it is written."""
    return parse_document(read_bytes(path), path)


def parse_document(data: bytes, path: Path, lines_before: int = 0) -> dict[str, object]:
    """TOML as it is written. `path` and `lines_before` (of the same file) only serve the message."""
    try:
        return parse_toml(data)[0]
    except TomlError as error:
        place = f":{error.line + lines_before}:{error.column}" if error.line else ""
        raise KnowledgeError(f"{path}{place}: {error}") from error


def to_record(document: object, record: type[T], path: Path) -> T:
    """A TOML document as a record; `path` only serves the message."""
    try:
        return msgspec.convert(document, record, strict=True)
    except msgspec.ValidationError as error:
        raise KnowledgeError(f"{path}: {_reason(str(error), document)}") from error


def _reason(message: str, document: object) -> str:
    """The message of msgspec with the place first; an entry of an array is named if it has a name."""
    match = _AT.match(message)
    if match is None or not match["place"]:
        return message
    place = match["place"]
    hint = _entry_name(place, document)
    return f"{place}{f' ({hint})' if hint else ''}: {match['reason']}"


def _entry_name(place: str, document: object) -> str:
    """The first name found in the entry that a path such as ``method[3].wait`` leads into."""
    found = ""
    value = document
    for key, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", place):
        if index and isinstance(value, list) and int(index) < len(value):
            value = value[int(index)]
        elif key and isinstance(value, dict):
            value = value.get(key)
        else:
            break
        if isinstance(value, dict):
            found = _name_of(value) or found
    return found


def _name_of(entry: dict[str, object]) -> str:
    names = entry.get("names")
    name = names[0] if isinstance(names, list) and names else entry.get("name") or entry.get("method")
    return name if isinstance(name, str) else ""
