"""Which files are what a compiler made of others."""

from __future__ import annotations

from collections.abc import Collection

_OUTPUT = frozenset({"dist", "build", "built", "out", "lib"})
"""Folders that compilers of TypeScript usually write to."""
_SOURCES = "src"
_COMPILED = {".js": (".ts", ".tsx"), ".mjs": (".mts",), ".cjs": (".cts",)}


def compiled_copies(paths: Collection[str]) -> set[str]:
    """The files among `paths` that another one was compiled to: ``dist/api/users.js`` beside ``src/api/users.ts``."""
    known = frozenset(paths)
    return {path for path in known if any(source in known for source in _possible_sources(path))}


def _possible_sources(path: str) -> list[str]:
    stem, dot, suffix = path.rpartition(".")
    endings = _COMPILED.get(f"{dot}{suffix}", ())
    if not endings:
        return []
    folders = stem.split("/")
    found = []
    for at, folder in enumerate(folders[:-1]):
        if folder in _OUTPUT:
            before, after = folders[:at], folders[at + 1 :]
            found += ["/".join((*before, *middle, *after)) for middle in ((_SOURCES,), ())]
    return [f"{one}{ending}" for one in found for ending in endings]
