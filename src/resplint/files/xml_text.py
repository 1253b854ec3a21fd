"""XML with lines, read without entities, without external parts and to a limited depth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING
from xml.sax import ContentHandler, ErrorHandler, SAXException, SAXParseException

from defusedxml import DefusedXmlException

if TYPE_CHECKING:
    from xml.sax.xmlreader import AttributesImpl

_DEPTH_LIMIT = 60


class Element:
    """An element with its text, attributes and children; `line` is that of its start tag."""

    __slots__ = ("attributes", "children", "line", "name", "pieces")

    def __init__(self, name: str, line: int, attributes: Mapping[str, str] | None = None) -> None:
        self.name = name
        self.line = line
        self.attributes = attributes or {}
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


def parse_xml(data: bytes, broken: Callable[[str, int], Exception]) -> Element:
    """The root element. What is no XML raises what `broken` makes of the reason and the line (0: unknown)."""
    # It brings code for the network along, which a project without such files need not load.
    from defusedxml.sax import parseString  # noqa: PLC0415

    handler = _Builder(broken)
    try:
        parseString(data, handler, errorHandler=ErrorHandler())
    except SAXParseException as error:
        raise broken(f"is not valid XML: {error.getMessage()}", error.getLineNumber() or 0) from error
    except DefusedXmlException as error:
        raise broken("declares entities or names a further file, neither of which is read", handler.line) from error
    except (SAXException, ValueError, LookupError) as error:
        raise broken("is not XML that can be read", handler.line) from error
    if handler.root is None:
        raise broken("holds no element", 0)
    return handler.root


class _Builder(ContentHandler):
    def __init__(self, broken: Callable[[str, int], Exception]) -> None:
        super().__init__()
        self._broken = broken
        self.root: Element | None = None
        self._open: list[Element] = []

    @property
    def line(self) -> int:
        locator = self._locator  # type: ignore[attr-defined]
        return int(locator.getLineNumber() or 0) if locator else 0

    def startElement(self, name: str, attrs: AttributesImpl[str]) -> None:  # noqa: N802
        element = Element(name.rpartition(":")[2], self.line, dict(attrs.items()))
        if self._open:
            self._open[-1].children.append(element)
        elif self.root is None:
            self.root = element
        self._open.append(element)
        if len(self._open) > _DEPTH_LIMIT:
            raise self._broken("is nested too deeply", self.line)

    def endElement(self, name: str) -> None:  # noqa: N802
        self._open.pop()

    def characters(self, content: str) -> None:
        if self._open:
            self._open[-1].pieces.append(content)
