"""What consumes each expression of a file, looked up once for files that something flows through."""

from __future__ import annotations

from collections import defaultdict

from resplint.bind.names import Names
from resplint.contracts import facts
from resplint.contracts.facts import NONE


class FileTables:
    """Expression -> the places of the same file that take its value."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.index = names.index
        file = self.file = names.index.facts
        self.holders = self._held()
        self.bindings: dict[int, list[int]] = defaultdict(list)
        self.annotated: dict[int, list[tuple[str, int, int]]] = defaultdict(list)
        """Annotation -> what has that type: (binding, number, 0), (write, number, 0), (parameter, scope, position) or
        (returns, scope, 0)."""
        for number, binding in enumerate(file.bindings):
            if binding.value != NONE:
                self.bindings[binding.value].append(number)
            if binding.annotation != NONE:
                self.annotated[binding.annotation].append(("binding", number, 0))
        self.writes: dict[int, list[facts.Write]] = defaultdict(list)
        for number, write in enumerate(file.writes):
            if write.value != NONE:
                self.writes[write.value].append(write)
            if write.annotation != NONE:
                self.annotated[write.annotation].append(("write", number, 0))
        self.jumps: dict[int, list[facts.Jump]] = defaultdict(list)
        for jump in file.jumps:
            if jump.value != NONE and jump.kind in ("return", "yield"):
                self.jumps[jump.value].append(jump)
        self.defaults: dict[int, tuple[int, int]] = {}
        self.decorated: dict[int, list[int]] = defaultdict(list)
        self.based: dict[int, list[int]] = defaultdict(list)
        self.receives: dict[int, list[int]] = defaultdict(list)
        for number, scope in enumerate(file.scopes):
            self._enter_scope(number, scope)
        self.types: dict[int, list[int]] = {}
        """Expression in an annotation -> the annotations around it."""
        for annotation in self.annotated:
            for one in self._parts(annotation):
                self.types.setdefault(one, []).append(annotation)
        self.aliases: dict[int, list[int]] = {}
        """Expression in what may be the alias of a type -> the bindings that give it its name."""
        for number, binding in enumerate(file.bindings):
            if binding.value != NONE and isinstance(file.exprs[binding.value], facts.Index) and not binding.path:
                for one in self._parts(binding.value):
                    self.aliases.setdefault(one, []).append(number)

    def _held(self) -> dict[int, list[int]]:
        """Expression -> those that it is a part of whose value depends on it."""
        holders: dict[int, list[int]] = defaultdict(list)
        for number, expr in enumerate(self.file.exprs):
            match expr:
                case facts.Member():
                    holders[expr.object].append(number)
                case facts.Call():
                    holders[expr.callee].append(number)
                    for item in expr.arguments:
                        holders[item.value].append(number)
                case facts.Index():
                    holders[expr.object].append(number)
                    holders[expr.key].append(number)
                case facts.Operation():
                    for one in expr.operands:
                        holders[one].append(number)
                case facts.Collection():
                    for one in expr.items:
                        holders[one].append(number)
                case facts.Choice():
                    for one in expr.options:
                        holders[one].append(number)
        return holders

    def _enter_scope(self, number: int, scope: facts.Scope) -> None:
        for position, item in enumerate(scope.parameters):
            if item.default != NONE:
                self.defaults[item.default] = (number, position)
            if item.annotation != NONE:
                self.annotated[item.annotation].append(("parameter", number, position))
        if scope.returns != NONE:
            self.annotated[scope.returns].append(("returns", number, 0))
        for decorator in scope.decorators:
            self.decorated[decorator].append(number)
        for base in scope.bases:
            self.based[base].append(number)
        if scope.receiver_value != NONE:
            self.receives[scope.receiver_value].append(number)

    def _parts(self, annotation: int) -> list[int]:
        """The expressions that a type consists of."""
        found: dict[int, None] = {}
        pending = [annotation]
        while pending:
            one = pending.pop()
            if one in found:
                continue
            found[one] = None
            expr = self.file.exprs[one]
            if isinstance(expr, facts.Index):
                pending += [expr.object, expr.key]
            elif isinstance(expr, facts.Operation):
                pending += expr.operands
            elif isinstance(expr, facts.Collection):
                pending += expr.items
        return list(found)
