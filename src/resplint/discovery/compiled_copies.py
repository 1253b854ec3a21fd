"""Which files are what a compiler made of others."""

from __future__ import annotations

from collections.abc import Collection

_OUTPUT = frozenset({"dist", "build", "built", "out", "lib"})
"""Folders that compilers of TypeScript usually write to."""
_SOURCES = "src"
_BUILDS = (
    ("build", "generated"), ("build", "tmp"), ("target", "classes"), ("target", "test-classes"),
    ("target", "generated-sources"), ("target", "generated-test-sources"),
)  # fmt: skip
"""Folders that Gradle and Maven write to, beside the sources: stubs of kapt, classes of Dagger, copies of resources."""
_COMPILED = {".js": (".ts", ".tsx"), ".mjs": (".mts",), ".cjs": (".cts",)}


def compiled_copies(paths: Collection[str]) -> set[str]:
    """The files among `paths` that another one was compiled to: ``dist/api/users.js`` beside ``src/api/users.ts``, and
    ``build/tmp/kapt3/stubs/Users.java`` or ``target/classes/Users.java`` beside ``src``.
    """
    known = frozenset(paths)
    copies = {path for path in known if any(source in known for source in _possible_sources(path))}
    generated = {path: before for path in known if (before := _built_project(path)) is not None}
    return copies | {path for path, before in generated.items() if _has_sources(before, known)}


def _built_project(path: str) -> str | None:
    """The folder of the project that a build put a file into, with a slash behind it; None for other files."""
    if not path.endswith((".java", ".kt")):
        return None
    folders = path.split("/")[:-1]
    at = next((one for one in range(len(folders)) if tuple(folders[one : one + 2]) in _BUILDS), None)
    return None if at is None else "".join(f"{one}/" for one in folders[:at])


def _has_sources(folder: str, known: Collection[str]) -> bool:
    return any(path.startswith(f"{folder}{_SOURCES}/") for path in known)


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
