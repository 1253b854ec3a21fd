"""Documents that are open in the editor."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from resplint.files.source import encode
from resplint.languages import EXTENSIONS
from resplint.server.places import path_of
from resplint.server.texts import Text


@dataclass(frozen=True)
class Document:
    """An open document at one moment. `path` is absolute and resolved, as scans name files."""

    uri: str
    path: str
    language: str
    version: int | None
    text: str

    @cached_property
    def content(self) -> Text:
        """The text by lines."""
        return Text(self.text)

    @cached_property
    def data(self) -> bytes:
        """The bytes that would be on disk if the document were saved."""
        return encode(self.text, self.language)


class Documents:
    """The open documents that are source files. Others, such as untitled ones, are passed over."""

    def __init__(self) -> None:
        self._by_uri: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(list(self._by_uri.values()))

    def get(self, uri: str) -> Document | None:
        """The open document with a URI, spelt as the editor spelt it when it opened it."""
        return self._by_uri.get(uri)

    def at(self, path: str) -> Document | None:
        """The open document of a resolved path, the one opened last if there are two."""
        found = [document for document in self._by_uri.values() if document.path == path]
        return found[-1] if found else None

    def put(self, uri: str, version: int | None, text: str) -> Document | None:
        """Take in a document that was opened or changed; None if it is none of ours."""
        path = path_of(uri)
        language = EXTENSIONS.get(os.path.splitext(path)[1].lower()) if path is not None else None
        if path is None or language is None:
            return None
        document = Document(uri, os.path.realpath(path), language, version, text)
        self._by_uri[uri] = document
        return document

    def remove(self, uri: str) -> Document | None:
        """Forget a document; None if it was not there."""
        return self._by_uri.pop(uri, None)
