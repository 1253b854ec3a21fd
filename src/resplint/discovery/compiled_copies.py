"""Which files are what a compiler made of others."""

from __future__ import annotations

from collections.abc import Collection

_OUTPUT = frozenset({"dist", "build", "built", "out", "lib"})
"""Folders that compilers of TypeScript usually write to."""
_WRITTEN = "lib"
"""The one of them that people write to as well: only what stands under the same path in `src` is its source."""
_SOURCES = "src"
_BUILDS = (
    ("build", "generated"), ("build", "tmp"), ("target", "classes"), ("target", "test-classes"),
    ("target", "generated-sources"), ("target", "generated-test-sources"),
)  # fmt: skip
"""Folders that Gradle and Maven write to, beside the sources: stubs of kapt, classes of Dagger, copies of resources."""
_COMPILED = {".js": (".ts", ".tsx"), ".mjs": (".mts",), ".cjs": (".cts",)}


def compiled_copies(paths: Collection[str]) -> set[str]:
    """The files among `paths` that another one was compiled to: ``dist/api/users.js`` beside ``src/api/users.ts``, or
    ``dist/users.js`` beside ``worker/users.ts``, and
    ``build/tmp/kapt3/stubs/Users.java`` or ``target/classes/Users.java`` beside ``src``.
    """
    known = frozenset(paths)
    compiled = {path: found for path in known if (found := _possible_sources(path))}
    roots = _below_a_folder(known, {ending for pairs in _COMPILED.values() for ending in pairs}) if compiled else set()
    copies = {
        path
        for path, found in compiled.items()
        if any(
            f"{before}{below}" in known
            or f"{before}{_SOURCES}/{below}" in known
            or (folder != _WRITTEN and (before, below) in roots)
            for folder, before, below in found
        )
    }
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


def _below_a_folder(paths: Collection[str], endings: Collection[str]) -> set[tuple[str, str]]:
    """What stands before a folder and below it, for each folder around a source: ``("api/", "users.ts")`` of
    ``api/worker/users.ts``. A compiler leaves out the folder that holds all sources.
    """
    found: set[tuple[str, str]] = set()
    for path in paths:
        if any(path.endswith(one) for one in endings):
            folders = path.split("/")
            found.update(("".join(f"{one}/" for one in folders[:at]), "/".join(folders[at + 1 :]))
                         for at in range(len(folders) - 1))  # fmt: skip
    return found


def _possible_sources(path: str) -> list[tuple[str, str, str]]:
    """Folders of compilers on a path, each with what stands before it and below it in the sources."""
    stem, dot, suffix = path.rpartition(".")
    endings = _COMPILED.get(f"{dot}{suffix}", ())
    folders = stem.split("/") if endings else []
    return [
        (folder, "".join(f"{one}/" for one in folders[:at]), "/".join(folders[at + 1 :]) + ending)
        for at, folder in enumerate(folders[:-1])
        if folder in _OUTPUT
        for ending in endings
    ]
