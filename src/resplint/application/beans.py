"""Objects that XML describes for a framework to make: ``<bean class="…"><property name="size" value="8"/></bean>``."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from resplint.application.records import BrokenSettingsError
from resplint.files.xml_text import Element, parse_xml

_SHORT = "p:"
"""Begins attributes that stand for properties: ``p:maxTotal="8"``."""
_DOCTYPE = re.compile(rb"<!DOCTYPE[^\[\]<>]*>")
"""The name of a grammar elsewhere, which is not read."""
_REFERRING = ("ref", "bean", "local")
_NAMING = ("id", "name")


class Property(msgspec.Struct, frozen=True):
    """What one property is set to; `line` counts from 1."""

    name: str
    text: str
    line: int


class Bean(msgspec.Struct, frozen=True):
    """One object: its class, the names it is known by, what it is set to, and the names of what it is given.

    `around` is the class of the bean that it stands in, "" for one that stands alone.
    """

    class_name: str
    names: tuple[str, ...]
    parent: str
    properties: tuple[Property, ...]
    takes: tuple[str, ...]
    around: str = ""


def parse_beans(data: bytes) -> list[Bean]:
    """The beans of a file, those that stand in others among them. Raises `BrokenSettingsError`."""
    root = parse_xml(_DOCTYPE.sub(lambda match: b"\n" * match[0].count(b"\n"), data), BrokenSettingsError)
    return list(_beans(root, "")) if root.name == "beans" else []


def _beans(element: Element, around: str) -> Iterator[Bean]:
    for child in element.children:
        if child.name == "bean":
            one = _bean(child, around)
            yield one
            yield from _beans(child, one.class_name)
        else:
            yield from _beans(child, around)


def _bean(element: Element, around: str) -> Bean:
    attributes = element.attributes
    properties = [
        Property(name.removeprefix(_SHORT), text, element.line)
        for name, text in attributes.items()
        if name.startswith(_SHORT) and not name.endswith("-ref")
    ]
    takes = [text for name, text in attributes.items() if name.endswith("-ref")]
    for child in element.children:
        if child.name not in ("property", "constructor-arg"):
            continue
        takes += _references(child)
        name = child.attributes.get("name", "")
        written = child.child("value")
        text = child.attributes.get("value") if written is None else written.text
        if child.name == "property" and name and text is not None:
            properties.append(Property(name, text.strip(), child.line))
    names = [part for key in _NAMING for part in attributes.get(key, "").replace(",", " ").replace(";", " ").split()]
    class_name, parent = attributes.get("class", "").strip(), attributes.get("parent", "")
    return Bean(class_name, tuple(names), parent, tuple(properties), tuple(takes), around)


def _references(element: Element) -> Iterator[str]:
    """The names of the beans that a property or an argument is given, alone or in a list."""
    for child in (element, *element.children):
        if child is element or child.name == "ref":
            yield from (child.attributes[key] for key in _REFERRING if key in child.attributes)
        elif child.name in ("list", "set", "array"):
            yield from _references(child)
