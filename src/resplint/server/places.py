"""Where things are, in the editor's words: paths as URIs, regions as ranges in the encoding that was agreed on."""

from __future__ import annotations

import os
from urllib.parse import quote, unquote_to_bytes, urlsplit

from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import PositionCodec

from resplint.contracts.findings import Region
from resplint.output.uri import path_uri
from resplint.server.texts import Text

_WINDOWS = os.name == "nt"
_UTF16 = PositionCodec(types.PositionEncodingKind.Utf16)


def path_of(uri: str) -> str | None:
    """The path of a file; None for what is no file, such as an untitled document. Bytes of a name that are not UTF-8
    appear as surrogate escapes.
    """
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file":
        return None
    return to_fs_path(uri) if _WINDOWS else os.fsdecode(unquote_to_bytes(parts.path))


def uri_of(path: str) -> str:
    """The URI of an absolute path."""
    return from_fs_path(path) or "" if _WINDOWS else "file://" + quote(os.fsencode(path))


def uri_below(folder: str, path: str) -> str:
    """The URI of a path relative to a folder given as URI, so that it begins as the editor spells the folder."""
    return f"{folder.rstrip('/')}/{path_uri(path)}"


class Positions:
    """Regions as ranges of the protocol. Lines and characters count from 0 there, characters in the units of the
    encoding that was negotiated.
    """

    def __init__(self, codec: PositionCodec) -> None:
        self._codec = codec
        self._is_utf16 = codec.encoding == types.PositionEncodingKind.Utf16

    def range(self, region: Region, text: Text | None) -> types.Range:
        """The range of a region of `text`; without the text, that of a file which has only ASCII characters."""
        return types.Range(
            self.position(region.start_line, region.start_column, text),
            self.position(region.end_line, region.end_column, text),
        )

    def position(self, line: int, column: int, text: Text | None) -> types.Position:
        """The position of a line and a UTF-16 column, both from 1."""
        content = text.line(line) if text is not None else ""
        if self._is_utf16 or content.isascii():
            return types.Position(line - 1, column - 1)
        at = _UTF16.position_from_client_units([content], types.Position(0, column - 1))
        return types.Position(line - 1, self._codec.position_to_client_units([content], at).character)

    def whole_line(self, line: int, text: Text | None) -> types.Range:
        """The range of what stands on a line, without the white space around it."""
        content = text.line(line) if text is not None else ""
        start = len(content) - len(content.lstrip())
        units = self._codec.client_num_units
        return types.Range(
            types.Position(line - 1, units(content[:start])), types.Position(line - 1, units(content.rstrip()))
        )


def touch(one: types.Range, other: types.Range) -> bool:
    """Whether two ranges share a position; the ends of both belong to them, as a cursor stands between characters."""
    first = (one.start.line, one.start.character), (one.end.line, one.end.character)
    second = (other.start.line, other.start.character), (other.end.line, other.end.character)
    return first[0] <= second[1] and second[0] <= first[1]
