"""Which modules a Python file imports, read from its bytes without parsing.

It decides only which files are worth parsing, so it may name too many modules (an import in a docstring), but not too
few.
"""

from __future__ import annotations

import posixpath
import re

_IMPORT = re.compile(
    rb"[\n\r;:][ \t\f]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n\r#;]*(?:\\\r?\n[^\n\r#;]*)*)"
    rb"|import[ \t]+([^\n\r#;]+))"
)
"""Anchored at a character, as a search for that is several times as fast as one for the beginning of a line."""
_NAME = re.compile(r"(\w+)(?:\s+as\s+\w+)?")
_DOTTED = re.compile(r"[\w.]+")
_COMMENT = re.compile(r"#[^\n]*")


def named_modules(data: bytes, path: str) -> set[str]:
    """`from a.b import c` names a.b and a.b.c, for c may be a module; relative imports start at the file's folder."""
    found: set[str] = set()
    for relative, listed, plain in _IMPORT.findall(b"\n" + data):
        if plain:
            for part in plain.decode("utf-8", "replace").split(","):
                if dotted := _DOTTED.search(part):
                    found.add(dotted[0])
            continue
        module = _absolute(relative.decode("utf-8", "replace"), path)
        names = _COMMENT.sub("", listed.decode("utf-8", "replace"))
        found.add(module)
        found.update(f"{module}.{name}" if module else name for name in _NAME.findall(names))
    return found


def _absolute(module: str, path: str) -> str:
    level = len(module) - len(module.lstrip("."))
    if not level:
        return module
    folder = posixpath.dirname(path)
    for _ in range(level - 1):
        folder = posixpath.dirname(folder)
    return ".".join(part for part in (folder.replace("/", "."), module[level:]) if part)


_COMMENT_RUN = re.compile(rb"(?:^[ \t]*#[^\r\n]*\r?\n){300,}", re.MULTILINE)


def without_comment_runs(data: bytes) -> bytes:
    """The source with long runs of comment lines blanked out: the grammar's scanner takes quadratic time over them.

    The length stays; lines that speak to resplint stay, too.
    """
    if data.count(b"\n#") + data.count(b" #") < _FEW_COMMENTS:
        return data
    return _COMMENT_RUN.sub(lambda run: b"".join(map(_blanked, run[0].splitlines(keepends=True))), data)


_FEW_COMMENTS = 300


def _blanked(line: bytes) -> bytes:
    return line if b"resplint:" in line else re.sub(rb"[^\r\n]", b" ", line)
