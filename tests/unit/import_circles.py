"""Which modules import each other in a circle."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

Graph = dict[str, set[str]]


def import_graph(package: Path, *, only_when_loaded: bool) -> Graph:
    """Module -> modules of the package that it imports, without the package's own name in front.

    With `only_when_loaded`, imports inside functions and below `TYPE_CHECKING` do not count.
    """
    modules = {_name(package, path): path for path in sorted(package.rglob("*.py"))}
    graph: Graph = {}
    for name, path in modules.items():
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
        nodes = _when_loaded(tree.body) if only_when_loaded else ast.walk(tree)
        found = {each for node in nodes for each in _imported(node, package.name)}
        # `from a import b` names a module b of a, or something that a holds.
        graph[name] = {longest for each in found if (longest := _module(each, modules))} - {name}
    return graph


def circles(graph: Graph) -> list[set[str]]:
    """The largest sets of modules in which each imports, over whatever way, every other one."""
    found: list[set[str]] = []
    for module in sorted(graph):
        if not any(module in circle for circle in found):
            circle = {each for each in _reached(graph, module) if module in _reached(graph, each)}
            if circle:
                found.append(circle)
    return found


def _reached(graph: Graph, start: str) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for each in graph[waiting.pop()] - seen:
            seen.add(each)
            waiting.append(each)
    return seen


def _name(package: Path, path: Path) -> str:
    return ".".join(path.relative_to(package).with_suffix("").parts).removesuffix(".__init__")


def _when_loaded(body: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    """Statements that run when a module is loaded, those of branches included."""
    for node in body:
        yield node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from _when_loaded(node.orelse)
            continue
        for field in ("body", "orelse", "finalbody"):
            yield from _when_loaded(getattr(node, field, ()))
        for handler in getattr(node, "handlers", ()):
            yield from _when_loaded(handler.body)


def _imported(node: ast.AST, package: str) -> Iterator[str]:
    """Dotted names below the package that an import statement names."""
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        names = [f"{node.module}.{alias.name}" for alias in node.names]
    for name in names:
        first, _, rest = name.partition(".")
        if first == package and rest:
            yield rest


def _module(dotted: str, modules: dict[str, Path]) -> str:
    """The module that a dotted name means; "" if it is something of the package itself."""
    if dotted in modules:
        return dotted
    parent = dotted.rpartition(".")[0]
    return parent if parent in modules else ""
