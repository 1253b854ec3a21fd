"""What leaves the files that are linked, and which files something came to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from resplint.bind.values import ClassValue, FunctionValue, Instance, LibraryMethod, LibraryObject, Module
from resplint.contracts.facts import FileFacts
from resplint.flow import nodes
from resplint.flow.graph import Graph
from resplint.selection import deciding_callers


class WaysOut:
    """The doors through which clients, and what leads to them, leave the files of a graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._exported: set[nodes.Node] = set()
        self._leading: set[int] = set()
        """Files that hand out something that matters."""
        self._kept: set[tuple[str, str, str, bool]] = set()

    def admit(self, files: Iterable[FileFacts]) -> None:
        """Take in further files."""
        self._graph.admit(files)

    def exported(self, near: bool) -> dict[str, set[str]]:
        """File -> the names under which its module hands out something that matters, as far as they are new: with
        `near` only clients, what gives or takes them and objects that have them in a field of their own; otherwise
        what has functions whose callers decide something, too.
        """
        self._graph.solve()
        deciding = set() if near else deciding_callers.functions(self._graph)
        flow, store = self._graph.flow, self._graph.store
        fresh: dict[str, set[str]] = defaultdict(set)
        left = [node for node in flow.exports if node not in self._exported]
        every: set[int] = set().union(*(flow.held[node] for node in left))
        modules = {token: one.file for token in every if isinstance(one := flow.values[token], Module)}
        mattering = {token for token in every if token not in modules and self._matters(token, deciding)}
        mattering.update(token for token, file in modules.items() if file in self._leading)
        waiting = [node for node in left if not mattering.isdisjoint(flow.held[node])]
        handing_on: dict[int, list[nodes.Node]] = defaultdict(list)
        """Module -> what others hand out of it as a whole."""
        for node in left:
            for token in flow.held[node].keys() & modules.keys():
                handing_on[modules[token]].append(node)
        while waiting:  # a module matters once it hands out something that does
            node = waiting.pop()
            if node not in self._exported:
                self._exported.add(node)
                fresh[store.files[node[1]].facts.path].add(node[2])
                if node[1] not in self._leading:
                    self._leading.add(node[1])
                    waiting += handing_on.get(node[1], ())
        return fresh

    def _matters(self, token: int, deciding: set[tuple[int, int]]) -> bool:
        """Whether what is handed out, and is no module, matters to those that import it."""
        return self._is_near(token) or self._decides(token, deciding)

    def _decides(self, token: int, deciding: set[tuple[int, int]]) -> bool:
        """Whether a value is, or has, a function whose callers decide something."""
        flow = self._graph.flow
        value = flow.values[token]
        if not deciding:
            return False
        if isinstance(value, FunctionValue):
            return (value.file, value.scope) in deciding
        if isinstance(value, ClassValue | Instance):
            binder = self._graph.binder
            lines = binder.project_line(value.file, value.scope)
            return any((key[0], one) in deciding for key in lines for one in binder.functions_in(*key))
        return False

    def _families(self, value: ClassValue | Instance) -> list[list[tuple[tuple[int, int], ...]]]:
        """A class with its bases, and all that are known to be derived from it with theirs: whoever imports an
        interface is handed what implements it. Where some of those have nothing to do with what is asked, the
        interface is that of many things, and says nothing about whoever imports it.
        """
        binder = self._graph.binder
        own = [binder.project_line(value.file, value.scope)]
        heirs = [binder.project_line(*one) for one in binder.subclasses(value.file, value.scope)]
        return [own, heirs] if heirs else [own]

    def _is_client(self, token: int) -> bool:
        return isinstance(self._graph.flow.values[token], LibraryObject | LibraryMethod)

    def _is_near(self, token: int) -> bool:
        """Whether a value is a client, gives one, or has one in a field."""
        flow = self._graph.flow
        value = flow.values[token]
        if isinstance(value, FunctionValue):
            if (value.file, value.scope) in flow.edges.annotations.taking:
                return True
            return any(map(self._is_client, flow.held.get(nodes.returned(value.file, value.scope), ())))
        if isinstance(value, ClassValue | Instance):
            holding, taking = flow.holding, flow.edges.annotations.taking
            return any(
                all(any(key in holding or key in taking for key in line) for line in lines)
                for lines in self._families(value)
            )
        return flow.is_relevant(token)

    def kept(self) -> list[tuple[str, str, str, bool]]:
        """(runtime, what holds it, name, whether it is a client or has one) of what is kept by a name outside the
        project or provided under a token, as far as it is new.
        """
        self._graph.solve()
        edges = self._graph.edges
        fresh = sorted((edges.named.kept() | edges.injection.kept()) - self._kept)
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
            if not isinstance(file, int) or node[0] == nodes.OF_OBJECT or file not in store.files:
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
