"""Which objects differ by how the function that makes them was called, and the tokens that keep them apart."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from resplint.bind.index import children
from resplint.bind.values import Frame, Instance, LibraryObject, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.core import Flow, Token
from resplint.flow.rules.declared import REST
from resplint.knowledge.records.client_records import WHO_AND_WHERE

if TYPE_CHECKING:
    from resplint.flow.nodes import CallEdge

Need = tuple[int, int, int]
"""(file, function, position) of a parameter that decides how an object is configured; for the receiver the position is
NONE, and the scope that of the class.
"""
Needs = frozenset[Need]
MAX_STEPS = 3
"""Calls and objects that a token remembers: the first ones and the last one."""
_KINDS = frozenset({"client", "cluster", "pool", "connection", "sentinel"})


class Heap:
    """Gives one token for each way in which an object leaves its maker, where the way decides how it is configured."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._needs: dict[LibraryObject, Needs] = {}
        self._same: dict[tuple[object, ...], Ref] = {}

    def left(self, token: Token, file: int, scope: int, edge: CallEdge, owner: object) -> Token:
        """The token of an object that a function returns to a call, or stores under a name that the call decides."""
        value = self._flow.values[token]
        if not isinstance(value, LibraryObject) or value.kind not in _KINDS:
            return token
        needs = self.needs(value)
        if not needs:
            return token
        own = {one[2] for one in needs if one[:2] == (file, scope)}
        if own:
            frame, further = self._entered(file, scope, edge, own)
            value = self._with(value, frame, frozenset(one for one in needs if one[:2] != (file, scope)) | further)
        if isinstance(owner, Instance):
            for base in self._flow.binder.project_line(owner.file, owner.scope):
                value = self._of_object(value, *base, owner)
        return self._flow.token(value)

    def kept(self, token: Token, file: int, scope: int, owner: Instance) -> Token:
        """The token of an object that is read from a field that a class gives to an object."""
        value = self._flow.values[token]
        if not isinstance(value, LibraryObject) or value.kind not in _KINDS:
            return token
        return self._flow.token(self._of_object(value, file, scope, owner))

    def _of_object(self, value: LibraryObject, file: int, scope: int, owner: Instance) -> LibraryObject:
        if owner.made is None:
            if (owner.file, owner.scope) == (file, scope):
                return value
            owner = Instance(owner.file, owner.scope)
        functions = self._flow.binder.functions_in(file, scope)
        needs = self.needs(value)
        own = {one for one in needs if one[0] == file and (one[1] == scope or one[1] in functions)}
        return self._with(value, owner, needs - own) if own else value

    def _with(self, value: LibraryObject, frame: Frame, needs: Needs) -> LibraryObject:
        via = value.via if frame in value.via else (*value.via, frame)
        if len(via) > MAX_STEPS:
            via = (*via[: MAX_STEPS - 1], via[-1])
        found = replace(value, via=via)
        if found not in self._needs:
            self._needs[found] = needs
            self._tell_apart(needs)
        return found

    def needs(self, value: LibraryObject) -> Needs:
        """The parameters (and receivers) that decide how an object is configured."""
        known = self._needs.get(value)
        if known is None:
            ref = value.made
            expr = self._flow.store.expr(ref) if ref is not None and ref[1] >= 0 else None
            found: Needs = frozenset()
            if ref is not None and isinstance(expr, facts.Call):
                names, places = self._configuring(
                    value, ref[0], [item.value for item in expr.arguments if not item.name]
                )
                pending = [
                    item.value
                    for place, item in enumerate(expr.arguments)
                    if item.name in names
                    or item.name in ("*", "**")
                    or (not item.name and (place in places or not self._is_plain(ref[0], item.value)))
                ]
                found = self._varying(ref[0], pending, names) | self._by_constructor(ref[0], expr.block)
            known = self._needs[value] = found
            self._tell_apart(found)
        return known

    def _tell_apart(self, needs: Needs) -> None:
        """Objects of the classes that decide how an object is configured are distinguished."""
        for file, scope, position in needs:
            owner = scope if position == NONE else self._flow.store.files[file].class_of(scope)
            if owner != NONE:
                self._flow.edges.objects.tell_apart(file, owner)

    def _by_constructor(self, file: int, block: int) -> Needs:
        """The class whose objects differ by which of its constructors made them."""
        index = self._flow.store.files[file]
        scope = index.function_of(block)
        owner = index.class_of(scope)
        makers = index.constructors.get(owner, ()) if owner != NONE else ()
        return frozenset({(file, owner, NONE)}) if len(makers) > 1 and scope in makers else frozenset()

    def _entered(self, file: int, scope: int, edge: CallEdge, own: set[int]) -> tuple[Ref, Needs]:
        """One call for all those that pass the same constants for these parameters, and what its arguments hang on."""
        flow = self._flow
        call = flow.store.expr(edge.ref)
        assert isinstance(call, facts.Call)
        record = flow.store.files[file].facts.scopes[scope]
        exprs = flow.store.files[edge.file].facts.exprs
        passed: list[object] = [file, scope]
        pending = []
        for argument, position in flow.edges.calls.placed(edge, call, record):
            if position in own or position == NONE:
                pending.append(argument.value)
                given = exprs[argument.value]
                passed += [position, given.type, given.value] if isinstance(given, facts.Literal) else [edge.ref]
        return self._same.setdefault(tuple(passed), edge.ref), self._varying(edge.file, pending, None)

    def _is_plain(self, file: int, number: int) -> bool:
        """Whether an argument is declared as a text or a number: without an option at its place it is an address."""
        return self._flow.edges.declared.argument(file, number) in ("text", "number", "boolean")

    def _configuring(self, value: LibraryObject, file: int, given: list[int]) -> tuple[set[str], set[int]]:
        """Names and positions of the options that a call with these arguments may set: others do not matter."""
        constructor = value.origin.constructor
        groups = value.origin.library.option_set
        chosen = [groups[constructor.options]] if constructor and constructor.options in groups else groups.values()
        options = [one for group in chosen for one in group if one.role and one.role not in WHO_AND_WHERE]
        places = {
            one.index for option in options for one in option.positional if self._may_have(file, given, one.shape)
        }
        return {option.name.split(".")[0] for option in options}, places

    def _may_have(self, file: int, given: list[int], shape: tuple[str, ...]) -> bool:
        if not shape:
            return True
        words = shape[:-1] if shape[-1] == REST else shape
        if len(given) < len(words) or (len(given) > len(words) and shape[-1] != REST):
            return False
        declared = self._flow.edges.declared
        return all(declared.may_be(file, number, word) for number, word in zip(given, words, strict=False))

    def _varying(self, file: int, pending: list[int], names: set[str] | None) -> Needs:
        """The parameters and receivers that expressions of a file hang on; `names` are the keys that matter in maps."""
        index = self._flow.store.files[file]
        known = self._flow.binder.names(file)
        exprs, scopes = index.facts.exprs, index.facts.scopes
        seen: set[int] = set()
        found: set[Need] = set()
        while pending:
            number = pending.pop()
            if number in seen or number == NONE:
                continue
            seen.add(number)
            expr = exprs[number]
            if isinstance(expr, facts.Collection) and expr.keys and names is not None:
                for key, item in zip(expr.keys, expr.items, strict=True):
                    written = exprs[key] if key != NONE else None
                    if not isinstance(written, facts.Literal) or str(written.value) in names:
                        pending.append(item)
                continue
            if not isinstance(expr, facts.Name):
                pending += children(expr)
                continue
            around = known.enclosing(expr.block)
            if any(expr.name == scopes[one].receiver for one in around):
                found.update((file, one, NONE) for one in around if scopes[one].kind == "class")
                continue
            definitions = known.at(number)
            for one in definitions:
                if one.kind == "parameter" and scopes[one.scope].kind != "class":
                    found.add((file, one.scope, one.number))
                elif one.scope and scopes[one.scope].kind == "class":
                    found.add((file, one.scope, NONE))
                elif one.kind not in ("import", "definition"):
                    pending.append(index.facts.bindings[one.number].value)
            if not definitions:  # perhaps a member that a base has
                found.update((file, one, NONE) for one in around if scopes[one].kind == "class" and scopes[one].is_open)
        return frozenset(found)
