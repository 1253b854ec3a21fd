"""Read SARIF files: bytes to typed records, with errors that name file and JSON place."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import PurePath

import msgspec

from resplint.contracts.errors import UserError
from resplint.files.regular_files import UnreadableFileError, read_regular
from resplint.output.escape import escape
from resplint.reporting.sarif import Log

MAX_BYTES = 1_000_000_000
_BOM = b"\xef\xbb\xbf"
_BYTE = re.compile(r"\(byte (\d+)\)")
_PLACE = re.compile(r"^(?P<what>.*?)(?: - at `(?P<place>.*)`)?$", re.DOTALL)


class SarifFile(msgspec.Struct, frozen=True):
    """A file as it was given, with what it says."""

    path: str
    log: Log

    @property
    def name(self) -> str:
        """The last part of the path, as a reader sees it; "standard input" for `-`."""
        return "standard input" if self.path == "-" else escape(PurePath(self.path).name)


def read_files(paths: Sequence[str], stdin: bytes | None = None) -> tuple[SarifFile, ...]:
    """The files at `paths`, each once, in their order; `-` stands for `stdin`.

    Raises UserError for one that cannot be read or is no SARIF 2.1.0.
    """
    return tuple(SarifFile(path, _parse(path, _bytes(path, stdin))) for path in dict.fromkeys(paths))


def _bytes(path: str, stdin: bytes | None) -> bytes:
    if path == "-":
        return stdin or b""
    try:
        return read_regular(path, MAX_BYTES)
    except UnreadableFileError as error:
        raise UserError(f"{path} {error}.") from error


def _parse(path: str, data: bytes) -> Log:
    text = data.removeprefix(_BOM)
    name = "standard input" if path == "-" else path
    try:
        # Not strict: 1.0 is an integer of JSON Schema too.
        return msgspec.json.decode(text, type=Log, strict=False)
    except msgspec.ValidationError as error:
        raise UserError(f"{name}: {_misfit(str(error), text)}") from error
    except msgspec.DecodeError as error:
        raise UserError(f"{name}: {_broken(str(error), text)}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{name}: is not UTF-8, which SARIF must be.") from error
    except RecursionError as error:
        raise UserError(f"{name}: is nested too deeply for a SARIF file.") from error


def _misfit(message: str, text: bytes) -> str:
    found = _PLACE.match(message)
    assert found
    place = found["place"] or "$"
    if place == "$.version" or "required field `version`" in message or "required field `runs`" in message:
        return f"{place}: is no SARIF 2.1.0 ({_lower(found['what'])}){_version(text)}."
    return f"{place}: {_lower(found['what'])}; the file is no valid SARIF 2.1.0."


def _version(text: bytes) -> str:
    """What the file says its version is, for the one mistake that people make."""
    try:
        given = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    version = given.get("version") if isinstance(given, dict) else None
    return f": its version is {json.dumps(version)[:40]}" if version is not None else ""


def _broken(message: str, text: bytes) -> str:
    if not text.strip():
        return "is empty."
    found = _BYTE.search(message)
    if found is None:
        return f"is no JSON: {_lower(message)}."
    offset = int(found[1])
    line = text.count(b"\n", 0, offset) + 1
    column = offset - (text.rfind(b"\n", 0, offset) + 1) + 1
    reason = _BYTE.sub("", message).removeprefix("JSON is malformed:").strip()
    return f"line {line}, column {column}: is no JSON: {reason}."


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
