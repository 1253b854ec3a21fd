"""Which modules a JavaScript or TypeScript file loads, read from its bytes without parsing.

It decides only which files are worth parsing, so it may name too many modules (an import in a comment), but not too
few.
"""

from __future__ import annotations

import posixpath
import re
from typing import Final

_NAMED: Final = rb"""\s*(?:/\*[^*]{0,500}\*/\s*)?(['"`])([^'"`\r\n]{1,500})\1"""
_LOADED: Final = {
    b"from": re.compile(rb"\bfrom" + _NAMED),
    b"import": re.compile(rb"\bimport(?:\s*\()?" + _NAMED),
    b"require": re.compile(rb"\brequire\s*\(" + _NAMED),
}
"""How modules are loaded, by the word that it begins with."""
_HERE: Final = re.compile(rb"\brequire\s*\(\s*__dirname\s*\+" + _NAMED)
_CHOSEN: Final = re.compile(rb"\brequire\s*\([^()'\"`?]{1,200}\?" + _NAMED + rb"\s*:" + _NAMED.replace(rb"\1", rb"\3"))
"""Modules that are named from the file's folder, or as one of two."""
_SUFFIXES: Final = (".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx")
_FROM_ROOT: Final = ("@/", "~/", "#/", "/")
_INDEX: Final = "index"
"""File that stands for its folder."""


def named_modules(data: bytes, path: str) -> set[str]:
    """Dotted suffixes of the paths that a file's imports may mean."""
    specifiers = set()
    for word, loaded in _LOADED.items():
        # The expression, tried at every byte, would take ten times as long.
        at = data.find(word)
        while at >= 0:
            if match := loaded.match(data, at):
                specifiers.add(match[2])
            elif word == b"require" and (match := _HERE.match(data, at)):
                specifiers.add(b"./" + match[2].lstrip(b"/"))
            elif word == b"require" and (match := _CHOSEN.match(data, at)):
                specifiers.update((match[2], match[4]))
            at = data.find(word, at + len(word))
    keys = {module_key(specifier.decode("utf-8", "replace"), path) for specifier in specifiers}
    return keys - {""}


def module_key(specifier: str, importer: str) -> str:
    """Dotted form of a module's name: ``./lib/redis.js`` in ``app/x.ts`` is ``app.lib.redis``, ``@/db`` is ``db``.

    Names of packages stay as they are, but for their slashes.
    """
    if specifier.startswith("."):
        joined = posixpath.normpath(posixpath.join(posixpath.dirname(importer), specifier))
        return _dotted([part for part in joined.split("/") if part not in ("", ".", "..")])
    for mark in _FROM_ROOT:
        if specifier.startswith(mark):
            return _dotted([part for part in specifier[len(mark) :].split("/") if part])
    parts = specifier.split("/")
    # `chart.js` is a package, `utils/chart.js` a file
    return _dotted(parts) if len(parts) > 1 else specifier


def _dotted(parts: list[str]) -> str:
    if parts and parts[-1].endswith(_SUFFIXES):
        parts[-1] = parts[-1].rpartition(".")[0]
    if len(parts) > 1 and parts[-1] == _INDEX:
        parts.pop()
    return ".".join(parts)


_COMMENT_RUN: Final = re.compile(rb"(?:^[ \t]*//[^\r\n]*\r?\n){300,}", re.MULTILINE)
_FEW_COMMENTS: Final = 300


def without_comment_runs(data: bytes) -> bytes:
    """The source with long runs of comment lines blanked out: the grammar's scanner can take quadratic time over them.

    The length stays; lines that speak to resplint stay, too.
    """
    if data.count(b"//") < _FEW_COMMENTS:
        return data
    return _COMMENT_RUN.sub(lambda run: b"".join(map(_blanked, run[0].splitlines(keepends=True))), data)


def _blanked(line: bytes) -> bytes:
    return line if b"resplint:" in line else re.sub(rb"[^\r\n]", b" ", line)
