"""What leaves the files that are linked, and which files something came to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from resplint.bind.values import ClassValue, FunctionValue, Instance, LibraryMethod, LibraryObject
from resplint.contracts.facts import FileFacts
from resplint.flow import nodes
from resplint.flow.graph import Graph


class WaysOut:
    """The doors through which clients, and what leads to them, leave the files of a graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._exported: set[nodes.Node] = set()
        self._kept: set[tuple[str, str, str]] = set()

    def admit(self, files: Iterable[FileFacts]) -> None:
        """Take in further files."""
        self._graph.admit(files)

    def exported(self, near: bool) -> dict[str, set[str]]:
        """File -> the names under which its module hands out something that matters, as far as they are new: with
        `near` only clients, what gives them and objects that have them in a field of their own.
        """
        self._graph.solve()
        flow, store = self._graph.flow, self._graph.store
        holding = {
            (node[1], node[2])
            for node, tokens in flow.held.items()
            if node[0] == nodes.FIELD and any(map(self._is_client, tokens))
        }
        fresh: dict[str, set[str]] = defaultdict(set)
        for node, tokens in flow.held.items():
            if node[0] != nodes.EXPORT or node in self._exported:
                continue
            matters = (
                any(self._is_near(token, holding) for token in tokens) if near else any(map(flow.is_relevant, tokens))
            )
            if matters:
                self._exported.add(node)
                fresh[store.files[node[1]].facts.path].add(node[2])
        return fresh

    def _is_client(self, token: int) -> bool:
        return isinstance(self._graph.flow.values[token], LibraryObject | LibraryMethod)

    def _is_near(self, token: int, holding: set[tuple[object, object]]) -> bool:
        """Whether a value is a client, gives one, or has one in a field."""
        flow = self._graph.flow
        value = flow.values[token]
        if isinstance(value, FunctionValue):
            return any(map(self._is_client, flow.held.get(nodes.returned(value.file, value.scope), ())))
        if isinstance(value, ClassValue | Instance):
            return any(key in holding for key in self._graph.binder.project_line(value.file, value.scope))
        return flow.is_relevant(token)

    def kept(self) -> list[tuple[str, str, str]]:
        """(runtime, what holds it, name) of what is kept by a name outside the project, as far as it is new."""
        self._graph.solve()
        fresh = sorted(self._graph.edges.named.kept() - self._kept)
        self._kept.update(fresh)
        return fresh

    def reached(self, read: Collection[str]) -> set[str]:
        """Paths of the files that something comes to: anything that matters for those that were `read` on purpose, a
        client for those that were loaded to resolve a name.
        """
        flow, store = self._graph.flow, self._graph.store
        found: set[str] = set()
        for node, tokens in flow.held.items():
            file = node[1]
            if not isinstance(file, int) or node[0] == nodes.OF_OBJECT or not 0 <= file < len(store.files):
                continue
            path = store.files[file].facts.path
            if path in found:
                continue
            if path in read:
                reached = any(map(flow.is_relevant, tokens))
            else:
                reached = any(isinstance(flow.values[token], LibraryObject | LibraryMethod) for token in tokens)
            if reached:
                found.add(path)
        return found
