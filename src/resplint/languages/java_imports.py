"""Which modules a Java file may use, read from its bytes without parsing.

It decides only which files are worth parsing, so it may name too many modules (a word in a comment), but not too few.
Classes of the file's own package and of packages that are imported whole need no import: any capitalised word may be
one.
"""

from __future__ import annotations

import re

_WORD = rb"\w$\x80-\xff"
_PACKAGE = re.compile(rb"(?<![" + _WORD + rb".])package\s+([" + _WORD + rb".\s]{1,300});")
_IMPORT = re.compile(rb"(?<![" + _WORD + rb".])import\s+(static\s+)?([" + _WORD + rb".*\s]{1,300});")
_CLASS = re.compile(rb"(?<![" + _WORD + rb".])[A-Z\x80-\xff][" + _WORD + rb"]*")
_QUALIFIED = re.compile(rb"(?<![" + _WORD + rb".])[a-z_]\w*(?:\.[a-z_]\w*)+\.[A-Z]\w*")


def named_modules(data: bytes, path: str) -> set[str]:
    """Dotted names of the classes that a file may use, its imports among them."""
    del path  # a file says which package it belongs to
    package = _PACKAGE.search(data)
    packages = {_dotted(package[1]) if package else ""}
    found: set[str] = set()
    for match in _IMPORT.finditer(data):
        dotted = _dotted(match[2])
        if dotted.endswith(".*"):
            packages.add(dotted[:-2])
        elif match[1]:
            found.add(dotted.rpartition(".")[0])
        found.update(_classes(dotted.removesuffix(".*")))
    words = {match.decode("utf-8", "replace") for match in _CLASS.findall(data)}
    for name in packages:
        found.update(f"{name}.{word}" if name else word for word in words)
    for qualified in set(_QUALIFIED.findall(data)):
        found.add(qualified.decode("utf-8", "replace"))
    return found


def _dotted(raw: bytes) -> str:
    return b"".join(raw.split()).decode("utf-8", "replace")


def _classes(dotted: str) -> list[str]:
    """The name, and the classes around it: `a.B.C` stands in the file of `a.B`."""
    parts = dotted.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts) + 1) if parts[count - 1][:1].isupper()] + [dotted]
