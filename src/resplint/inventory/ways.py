"""The way that a value takes through a project to an expression, in places."""

from __future__ import annotations

from resplint.bind.values import Ref, Value
from resplint.contracts.findings import Place
from resplint.flow import nodes
from resplint.flow.nodes import Node
from resplint.inventory.records import Spot, Step
from resplint.inventory.settings import Code
from resplint.model.project import Project


class Ways:
    """Reads them from the value flow."""

    def __init__(self, project: Project, code: Code) -> None:
        self._project = project
        self._code = code

    def to(self, ref: Ref, value: Value) -> tuple[Step, ...]:
        """From where a value begins to the expression `ref`; steps on one line are one."""
        found: list[Step] = []
        for node in self._project.ev.path(nodes.expression(*ref), value):
            step = self._step(node)
            if step is not None and (not found or found[-1].spot != step.spot):
                found.append(step)
        return tuple(found)

    def _step(self, node: Node) -> Step | None:
        files = self._project.store.files
        kind = node[0]
        if kind == nodes.EXPRESSION and node[2] >= 0:
            return self._at(node[1], files[node[1]].facts.exprs[node[2]].start, "")
        if kind == nodes.BINDING:
            one = files[node[1]].facts.bindings[node[2]]
            return self._at(node[1], one.start, "")
        if kind == nodes.IMPORT:
            return self._at(node[1], files[node[1]].facts.imports[node[2]].start, "imported")
        if kind == nodes.PARAMETER:
            scope = files[node[1]].facts.scopes[node[2]]
            name = scope.parameters[node[3]].name
            said = "an argument" if name.startswith("#") else f"parameter {name}"
            return self._at(node[1], scope.start, f"{said} of {scope.name or 'a function'}")
        if kind == nodes.RETURN:
            scope = files[node[1]].facts.scopes[node[2]]
            return self._at(node[1], scope.start, f"returned by {scope.name or 'a function'}")
        if kind == nodes.FIELD:
            scope = files[node[1]].facts.scopes[node[2]]
            return self._at(node[1], scope.start, f"field {node[3]} of {scope.name or 'a class'}")
        return None

    def _at(self, file: int, start: int, text: str) -> Step:
        index = self._project.store.files[file]
        line = index.facts.line(start)
        starts = index.facts.line_starts
        end = starts[line] if line < len(starts) else starts[line - 1] + 200
        code = self._code(Place(index.facts.path, starts[line - 1], end)).strip()
        return Step(Spot(index.facts.path, line), text, code)
