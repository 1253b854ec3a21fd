"""XML with lines, read without entities, without external parts and to a limited depth."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax import ContentHandler, ErrorHandler, SAXException, SAXParseException

from defusedxml import DefusedXmlException

from resplint.versions.records import BrokenManifestError

_DEPTH_LIMIT = 60


class Element:
    """An element with its text and children; `line` is that of its start tag."""

    __slots__ = ("children", "line", "name", "pieces")

    def __init__(self, name: str, line: int) -> None:
        self.name = name
        self.line = line
        self.children: list[Element] = []
        self.pieces: list[str] = []

    @property
    def text(self) -> str:
        """Its own text, without that of its children."""
        return "".join(self.pieces).strip()

    def child(self, name: str) -> Element | None:
        """The last child of this name: where one is doubled, the later counts."""
        return next((each for each in reversed(self.children) if each.name == name), None)

    def text_of(self, name: str) -> str:
        """The text of a child, "" if there is none."""
        found = self.child(name)
        return found.text if found else ""

    def at(self, *names: str) -> Iterator[Element]:
        """Everything that a path of names leads to."""
        found = [self]
        for name in names:
            found = [child for each in found for child in each.children if child.name == name]
        return iter(found)


def parse_xml(data: bytes) -> Element:
    """The root element. Raises `BrokenManifestError`."""
    # It brings code for the network along, which a project without such files need not load.
    from defusedxml.sax import parseString  # noqa: PLC0415

    handler = _Builder()
    try:
        parseString(data, handler, errorHandler=ErrorHandler())
    except SAXParseException as error:
        raise BrokenManifestError(f"is not valid XML: {error.getMessage()}", error.getLineNumber() or 0) from error
    except DefusedXmlException as error:
        raise BrokenManifestError(
            "declares entities or names a further file, neither of which is read", handler.line
        ) from error
    except (SAXException, ValueError, LookupError) as error:
        raise BrokenManifestError("is not XML that can be read", handler.line) from error
    if handler.root is None:
        raise BrokenManifestError("holds no element")
    return handler.root


class _Builder(ContentHandler):
    def __init__(self) -> None:
        super().__init__()
        self.root: Element | None = None
        self._open: list[Element] = []

    @property
    def line(self) -> int:
        locator = self._locator  # type: ignore[attr-defined]
        return int(locator.getLineNumber() or 0) if locator else 0

    def startElement(self, name: str, attrs: object) -> None:  # noqa: N802
        element = Element(name.rpartition(":")[2], self.line)
        if self._open:
            self._open[-1].children.append(element)
        elif self.root is None:
            self.root = element
        self._open.append(element)
        if len(self._open) > _DEPTH_LIMIT:
            raise BrokenManifestError("is nested too deeply", self.line)

    def endElement(self, name: str) -> None:  # noqa: N802
        self._open.pop()

    def characters(self, content: str) -> None:
        if self._open:
            self._open[-1].pieces.append(content)
