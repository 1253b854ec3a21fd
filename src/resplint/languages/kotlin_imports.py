"""Which names of other files a Kotlin file may use, read from its bytes without parsing.

It decides only which files are worth parsing, so it may name too many (a word in a comment), but not too few. What the
file's own package and packages that are imported whole declare needs no import: any capitalised word may be a class
of theirs, and any word that is called one of their functions.
"""

from __future__ import annotations

import re

_WORD = rb"\w\x80-\xff"
_DOTTED = rb"([" + _WORD + rb"`]+(?:\.[" + _WORD + rb"`]+)*)"
_PACKAGE = re.compile(rb"^[ \t]*package[ \t]+" + _DOTTED, re.MULTILINE)
_IMPORT = re.compile(rb"(?:^|;)[ \t]*import[ \t]+" + _DOTTED + rb"(\.\*)?", re.MULTILINE)
_CLASS = re.compile(rb"(?<![" + _WORD + rb".])[A-Z\x80-\xff][" + _WORD + rb"]*")
_CALLED = re.compile(rb"(?<![" + _WORD + rb".])[a-z_][" + _WORD + rb"]*(?=[ \t]*[({<])")
_QUALIFIED = re.compile(rb"(?<![" + _WORD + rb".])[a-z_]\w*(?:\.[a-z_]\w*)+\.[A-Z]\w*")


def named_modules(data: bytes, path: str) -> set[str]:
    """Dotted names of the classes and functions that a file may use, its imports among them."""
    del path  # a file says which package it belongs to
    package = _PACKAGE.search(data)
    packages = {_text(package[1]) if package else ""}
    found: set[str] = set()
    for match in _IMPORT.finditer(data):
        dotted = _text(match[1])
        if match[2]:
            packages.add(dotted)
        found.update(_classes(dotted))
    words = {_text(match) for pattern in (_CLASS, _CALLED) for match in pattern.findall(data)}
    for name in packages:
        found.update(f"{name}.{word}" if name else word for word in words)
    found.update(map(_text, _QUALIFIED.findall(data)))
    return found


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace").replace("`", "")


def _classes(dotted: str) -> list[str]:
    """The name, and the classes around it: `a.B.C` stands in the file of `a.B`."""
    parts = dotted.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts) + 1) if parts[count - 1][:1].isupper()] + [dotted]
