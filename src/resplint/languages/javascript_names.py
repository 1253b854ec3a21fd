"""How names and texts are spelt in JavaScript: property names, escapes, and the names of modules and exports."""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

from resplint.languages.common import MAX_TEXT, named
from resplint.languages.lowering import Lowering

_KEY: Final = rb"""\[\s*(?:'([\w$]+)'|"([\w$]+)")\s*\]"""
_EXPORTED: Final = re.compile(
    rb"""(?:module\s*(?:\.\s*exports|\[\s*(?:'exports'|"exports")\s*\])|exports)(?:\s*\.\s*([\w$]+)|\s*"""
    + _KEY
    + rb")?"
)
_MAX_EXPORTED: Final = 200
_ESCAPE: Final = re.compile(
    r"\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([0-7]{1,3})|(\r\n|.))", re.DOTALL
)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}
_CONTINUED: Final = ("\n", "\r", "\r\n", "\u2028", "\u2029")
_ADDRESS: Final = re.compile(
    r"(?:npm:/?|https://(?:esm\.sh|cdn\.skypack\.dev|(?P<host>deno\.land/x/))/?)"
    r"(?P<name>(?:@[\w.-]+/)?[\w.-]+)(?:@[^/?#]*)?(?P<path>/[^?#]*?)?(?:/?mod\.ts)?(?:[?#].*)?$"
)
"""The address of a package at a registry, with a version that is left out."""


def unescape(raw: str) -> str:
    """Text behind its escapes; pairs of surrogates become one character."""
    if "\\" not in raw:
        return raw
    text = _ESCAPE.sub(_character, raw)
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _character(match: re.Match[str]) -> str:
    braced, wide, narrow, octal, plain = match.groups()
    if plain is not None:
        return "" if plain in _CONTINUED else _ESCAPES.get(plain, plain)
    code = int(octal, 8) if octal else int(braced or wide or narrow, 16)
    return chr(code) if code < 0x110000 else "\ufffd"


def string_text(low: Lowering, node: Node) -> str:
    """What a string literal says, or a template literal without holes."""
    start, end = node.start_byte + 1, node.end_byte - 1
    return unescape(low.source[start : min(end, start + MAX_TEXT)].decode("utf-8", "replace"))


def property_name(low: Lowering, node: Node) -> str | None:
    """Name of a property as it stands in a class, object or pattern; None for a computed one."""
    if node.type == "string":
        return string_text(low, node)
    if node.type == "computed_property_name":
        inner = named(node)
        return string_text(low, inner[0]) if inner and inner[0].type == "string" else None
    return low.text(node).removeprefix("#")


def exported_name(low: Lowering, node: Node) -> str:
    """`exports` for ``module.exports``, `exports.x` for ``exports.x``; "" for anything else."""
    if node.end_byte - node.start_byte > _MAX_EXPORTED:
        return ""
    match = _EXPORTED.fullmatch(low.source, node.start_byte, node.end_byte)
    if match is None:
        return ""
    name = next((group for group in match.groups() if group), b"")
    return f"exports.{name.decode()}" if name else "exports"


def required_name(module: str) -> str:
    """Name that a module has where it is loaded without being given one."""
    return f"require:{module}"


HERE: Final = "__dirname"
"""Name of the folder of a file, as modules of the old notation have it."""


def module_text(low: Lowering, literal: Node) -> str:
    """The name of a module that a literal spells: a path from the file's folder where that stands in front of it."""
    text = string_text(low, literal)
    around = literal.parent
    if around is not None and around.type == "binary_expression":
        return f".{text}" if text.startswith("/") else f"./{text}"
    return _package(text) if ":" in text else text


def _package(text: str) -> str:
    """A package that is imported by its address: ``npm:ioredis@5`` and ``https://esm.sh/ioredis@5`` are ioredis."""
    found = _ADDRESS.match(text)
    return f"{found['host'] or ''}{found['name']}{found['path'] or ''}".rstrip("/") if found else text
