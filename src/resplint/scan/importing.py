"""Who imports whom, told from the bytes of files that have not been parsed."""

from __future__ import annotations

from collections.abc import Iterable

from resplint.languages import named_modules
from resplint.link.modules import ModuleTable, dotted_path
from resplint.module_aliases import Aliases
from resplint.scan.request import ScanState
from resplint.select import Importers


def names_of(aliases: Aliases) -> frozenset[str]:
    """What imports through aliases begin with."""
    return frozenset(prefix.rstrip("/*") for prefix, _ in aliases)


def importers(state: ScanState, aliases: Aliases, paths: Iterable[str], table: ModuleTable | None = None) -> Importers:
    """Those of the files at `paths` that import something, by what that may be. `table` is that of all files with these
    aliases.
    """
    names = names_of(aliases)
    modules: dict[str, set[str]] = {}
    for path in paths:
        glance = state.glance(path)
        if path in state.failed or not looked_for_imports(state, path, state.files[path].language, names):
            continue
        modules[path] = set(glance.modules or ())
        if glance.mentioned and table is None:
            table = ModuleTable(state.files, aliases=aliases)
        for name in sorted(glance.mentioned):
            assert table is not None
            modules[path] |= _behind(table, name, modules[path], path)
    return Importers(modules)


def looked_for_imports(state: ScanState, path: str, language: str, names: frozenset[str]) -> bool:
    """Whether the glance at a file knows its imports and which of `names` stand in it (packages of the project, paths
    of its tsconfig); it does unless the file is gone.
    """
    glance = state.glance(path)
    if glance.modules is None or glance.sought != names:
        data = state.peek(path)
        if data is None:
            return False
        glance.modules = frozenset(named_modules(data, path, language))
        glance.sought, glance.mentioned = names, frozenset(name for name in names if name.encode() in data)
    return True


def _behind(table: ModuleTable, name: str, found: set[str], importer: str) -> set[str]:
    """The modules that an alias means, for those of a file's imports that begin with it."""
    dotted = name.replace("/", ".")
    behind = set()
    for module in found:
        if module == dotted or module.startswith(dotted + "."):
            path = table.resolve(name + module[len(dotted) :].replace(".", "/"), importer)
            if path is not None:
                behind.add(dotted_path(path))
    return behind
