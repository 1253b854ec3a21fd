"""Names of one file: which definitions a use of a name may mean."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

from resplint.bind.index import FileIndex
from resplint.bind.reaching import Definition, reaching
from resplint.contracts import facts
from resplint.contracts.facts import NONE

Variable = tuple[int, str]
"""(scope, name)"""
_BY_POSITION = "#"
"""How the names of parameters begin that are taken apart."""


class Names:
    """The definitions and uses of every name of a file. Nothing here depends on another file."""

    def __init__(self, index: FileIndex, methods_apart: bool = False) -> None:
        """With `methods_apart` the language keeps names of methods apart from those of variables."""
        self.index = index
        self.methods_apart = methods_apart
        self._definitions: dict[Variable, tuple[Definition, ...]] = {}
        self._uses: dict[Variable, list[tuple[int, Sequence[Definition]]]] = {}
        self._owners: dict[str, dict[int, int]] = {}

    # -- definitions ---------------------------------------------------------------------------------------------------

    @cached_property
    def _bindings(self) -> dict[Variable, list[int]]:
        table: dict[Variable, list[int]] = defaultdict(list)
        for number, one in enumerate(self.index.facts.bindings):
            table[one.scope, one.name].append(number)
        return table

    @cached_property
    def _imports(self) -> dict[Variable, list[int]]:
        table: dict[Variable, list[int]] = defaultdict(list)
        for number, one in enumerate(self.index.facts.imports):
            if one.name != "*":
                table[one.scope, one.alias].append(number)
        return table

    @cached_property
    def of_module(self) -> set[str]:
        """The names that the module's own scope gives a value."""
        tables = (self._bindings, self._imports, self.index.definitions)
        return {name for table in tables for scope, name in table if scope == 0}

    def definitions(self, scope: int, name: str) -> tuple[Definition, ...]:
        """Everything in one scope that gives a name a value."""
        key = (scope, name)
        known = self._definitions.get(key)
        if known is None:
            known = self._definitions[key] = tuple(self._find(key))
        return known

    def _find(self, key: Variable) -> list[Definition]:
        file, found = self.index.facts, []
        scope = key[0]
        position = self.index.parameters.get(key)
        if position is not None:
            owner = file.scopes[scope]
            found.append(Definition(owner.start, owner.block, "parameter", scope, position))
        for number in self._bindings.get(key, ()):
            one = file.bindings[number]
            # A name has its new value only behind the statement: not yet in `name = f(name)`.
            given = file.exprs[one.value] if one.value != NONE and one.kind != "for" else None
            if isinstance(given, facts.Name) and given.name.startswith(_BY_POSITION):
                given = None  # a part of a parameter, which has its value from the start
            start = max(one.end, given.end) if given is not None else one.start
            found.append(Definition(start, one.block, one.kind, scope, number))
        for number in self._imports.get(key, ()):
            item = file.imports[number]
            found.append(Definition(item.start, item.block, "import", scope, number))
        for number in self.index.definitions.get(key, ()):
            record = file.scopes[number]
            # A class has its name only behind its body: not yet in `class Shelf(Shelf)`.
            start = file.blocks[record.block].end if record.kind == "class" else record.start
            found.append(Definition(start, record.defined_in, "definition", scope, number))
        return found

    # -- uses ----------------------------------------------------------------------------------------------------------

    def at(self, number: int) -> Sequence[Definition]:
        """The definitions that reach a use of a name; () when nothing in the file binds it, or it is no name."""
        expr = self.index.facts.exprs[number]
        if not isinstance(expr, facts.Name):
            return ()
        scope, crossed = self._scope_at(number)
        return self._reaching(scope, crossed, expr.name, expr.block, expr.start)

    def only_value(self, number: int) -> int:
        """The expression that a name is bound to as a whole where it is bound once; another expression itself."""
        if not isinstance(self.index.facts.exprs[number], facts.Name):
            return number
        definitions = self.at(number)
        if len(definitions) != 1 or definitions[0].kind != "assign":
            return number
        binding = self.index.facts.bindings[definitions[0].number]
        return number if binding.value == NONE or binding.path else binding.value

    def visible(self, name: str, block: int, start: int) -> Sequence[Definition]:
        """The definitions of a name that reach a place."""
        return self._reaching(*self.owner(name, block), name, block, start)

    def _reaching(self, scope: int, crossed: bool, name: str, block: int, start: int) -> Sequence[Definition]:
        if scope == NONE:
            return ()
        found = self.definitions(scope, name)
        return found if crossed else reaching(self.index, list(found), block, start)

    def owner(self, name: str, block: int, only_called: bool = False) -> tuple[int, bool]:
        """The scope that binds a bare name for code in a block (NONE: none in this file), and whether a function's
        border lies between, behind which every definition may be current. With `only_called` variables do not count,
        as where methods have names of their own.
        """
        first = scope = self.index.scope_of(block)
        scopes = self.index.facts.scopes
        crossed = False
        while scope != NONE:
            record = scopes[scope]
            if record.kind != "class" or record.is_open or scope == first:
                found = self.definitions(scope, name)
                if found and (not only_called or any(one.kind in ("definition", "import") for one in found)):
                    return scope, crossed
            crossed = crossed or record.kind != "comprehension"
            scope = record.parent
        return NONE, False

    @cached_property
    def by_name(self) -> dict[str, list[int]]:
        """Name -> the expressions that are this bare name."""
        table: dict[str, list[int]] = defaultdict(list)
        for number, expr in enumerate(self.index.facts.exprs):
            if type(expr) is facts.Name:
                table[expr.name].append(number)
        return table

    def owners(self, name: str) -> dict[int, int]:
        """Use of a bare name -> the scope that binds it, NONE where the file does not."""
        known = self._owners.get(name)
        if known is None:
            known = {number: self._scope_at(number)[0] for number in self.by_name.get(name, ())}
            self._owners[name] = known
        return known

    def _scope_at(self, number: int) -> tuple[int, bool]:
        """The scope that binds a use of a name, and whether a function's border lies between."""
        expr = self.index.facts.exprs[number]
        assert isinstance(expr, facts.Name)
        if self.methods_apart and number in self.index.call_of:
            found = self.owner(expr.name, expr.block, only_called=True)
            if found[0] != NONE:
                return found
        return self.owner(expr.name, expr.block)

    def uses(self, scope: int, name: str) -> list[tuple[int, Sequence[Definition]]]:
        """(use, definitions that reach it) for every use of a variable."""
        key = (scope, name)
        known = self._uses.get(key)
        if known is None:
            owned = [number for number, owner in self.owners(name).items() if owner == scope]
            known = self._uses[key] = [(number, self.at(number)) for number in owned]
        return known

    def free(self, name: str) -> list[int]:
        """Uses of a bare name that nothing in the file binds."""
        return [number for number, owner in self.owners(name).items() if owner == NONE]

    def enclosing(self, block: int) -> list[int]:
        """The scopes around a block, innermost first."""
        found = []
        scope = self.index.scope_of(block)
        while scope != NONE:
            found.append(scope)
            scope = self.index.facts.scopes[scope].parent
        return found
