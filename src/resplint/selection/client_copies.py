"""Which files are the source of a client library, copied into the project."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from resplint.contracts.facts import FileFacts
from resplint.knowledge.catalogue import Catalogue

_SEVERAL = 2
"""Types of one library that a folder must declare: a class of the project may have the full name of one by chance."""


def client_copies(paths: Collection[str], files: Iterable[FileFacts], catalogue: Catalogue) -> dict[str, str]:
    """The paths below folders that are copies of client libraries, each with the title of its library. What `files`
    declare tells: types of the library by their full names, ``redis.clients.jedis.Jedis`` in the folder
    ``app/redis/clients/jedis``.
    """
    declared: dict[tuple[str, str], set[str]] = {}
    for file in files:
        for above, dotted in _declared(file, catalogue):
            known = catalogue.type(dotted)
            if known is not None and file.language in known[0].library.languages:
                declared.setdefault((above, known[0].library.name), set()).add(known[1].name)
    copied = {key for key, types in declared.items() if len(types) >= _SEVERAL}
    titles = {
        f"{above}{root.replace('.', '/')}/": catalogue.libraries[name].library.title
        for above, name in copied
        for root in catalogue.libraries[name].library.imports
    }
    if not titles:
        return {}
    return {path: title for path in paths for folder, title in titles.items() if path.startswith(folder)}


def _declared(file: FileFacts, catalogue: Catalogue) -> Iterator[tuple[str, str]]:
    """The full names of a file's outermost classes, each with the folder below which it has it. Where a file says of
    which package it is, that must be where it stands.
    """
    if catalogue.roles[file.language].words.resolver == "path":
        return
    classes = [one.name for one in file.scopes if one.kind == "class" and one.parent == 0 and one.name]
    folders = file.path.split("/")
    module = folders.pop().rpartition(".")[0]
    if classes:
        for at in range(len(folders)):
            package = ".".join(folders[at:])
            above = "".join(f"{one}/" for one in folders[:at])
            if file.package in ("", package) and catalogue.is_library(package, file.language):
                inside = package if file.package or module == "__init__" else f"{package}.{module}"
                yield from ((above, f"{inside}.{name}") for name in classes)
