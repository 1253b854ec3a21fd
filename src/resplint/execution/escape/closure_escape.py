"""What becomes of a local value that functions and classes written inside use: where these go, it lives on.

``return { get: (key) => client.get(key) }`` keeps `client` as surely as ``return client`` does.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from resplint.bind.index import FileIndex
from resplint.bind.values import Instance, LibraryObject, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.roles import SUBMITTED, RoleTable
from resplint.flow.graph import Graph


@dataclass(slots=True)
class Captured:
    """Where the functions and classes go that use a value."""

    returned_by: int = NONE
    """The function that returns one of them."""
    module: list[facts.Binding] = field(default_factory=list)
    """Names of the module or of a class that they are bound to."""
    stores: list[facts.Write] = field(default_factory=list)
    """Members and elements that they are stored in."""
    handed_over: list[Ref] = field(default_factory=list)
    """Calls that register them, to be called later."""
    objects: list[int] = field(default_factory=list)
    """Calls that make an object which holds them."""


class Captures:
    """Follows functions and classes that use names of the function around them."""

    def __init__(self, evaluator: Graph, roles: RoleTable) -> None:
        self._ev = evaluator
        self._roles = roles

    def of(self, index: FileIndex, binding: facts.Binding, uses: list[int]) -> Captured:
        """What becomes of a local name beyond its function, by way of the definitions inside that use it."""
        found = Captured()
        pending: list[tuple[int, bool]] = []
        using: set[int] = set()
        for number in uses:
            self._used(index, binding, number, using, found, pending)
        seen: set[int] = set()
        while pending:
            number, in_object = pending.pop()
            if number not in seen:
                seen.add(number)
                self._used(index, binding, number, using, found, pending)
                self._follow(index, binding, (number, in_object), found, pending)
        return found

    def _used(
        self,
        index: FileIndex,
        binding: facts.Binding,
        number: int,
        using: set[int],
        found: Captured,
        pending: list[tuple[int, bool]],
    ) -> None:
        """A definition inside uses the value, or a function that does: it goes where the definition goes."""
        scope = self._inside(index, number, binding.scope)
        if scope == NONE or scope in using:
            return
        using.add(scope)
        role = self._roles.of(index.number, scope)
        if role is not None and role.name != SUBMITTED and not self._by_itself(index, binding, role.ref):
            found.handed_over.append(role.ref)
        found.handed_over += [
            (index.number, number)
            for number in index.facts.scopes[scope].decorators
            if self._is_of_local(index, binding, number)
        ]
        pending += [(one, False) for one in self._standing_for(index, scope)]

    def _inside(self, index: FileIndex, number: int, scope: int) -> int:
        """The outermost function or class within a scope in which an expression stands; NONE when it is the scope's."""
        current, outermost = index.scope_of(index.facts.exprs[number].block), NONE
        while current not in (scope, NONE):
            if index.facts.scopes[current].kind in ("function", "class"):
                outermost = current
            current = index.facts.scopes[current].parent
        return outermost

    def _standing_for(self, index: FileIndex, scope: int) -> list[int]:
        """Expressions that are a function or class: the one it is written as, or its name outside of it."""
        found = [index.function_expr[scope]] if scope in index.function_expr else []
        record = index.facts.scopes[scope]
        return found + (self._uses(index, record.name, record.parent, scope) if record.name else [])

    def _uses(self, index: FileIndex, name: str, around: int, without: int = NONE) -> list[int]:
        """Where a name of a scope is read, but for the inside of one scope."""
        return [
            number
            for number in index.by_name.get(name, ())
            if isinstance(index.facts.exprs[number], facts.Name)
            and index.within(index.facts.exprs[number].block, around)
            and (without == NONE or not index.within(index.facts.exprs[number].block, without))
        ]

    def _follow(
        self,
        index: FileIndex,
        binding: facts.Binding,
        at: tuple[int, bool],
        found: Captured,
        pending: list[tuple[int, bool]],
    ) -> None:
        number, in_object = at
        for other in index.bound_to.get(number, ()):
            if index.facts.scopes[other.scope].kind in ("module", "class"):
                found.module.append(other)
            elif other.name:
                pending += [(one, in_object) for one in self._uses(index, other.name, other.scope)]
        found.stores += index.written_to.get(number, ())
        function = index.returned_by(number)
        if function != NONE and index.within(index.facts.scopes[binding.scope].block, function):
            found.returned_by = function
        if number in index.argument_of:
            self._handed(index, binding, at, found)
        if number in index.call_of:
            self._made(index, index.call_of[number], found)
        parent = index.parents.get(number)
        holder = index.facts.exprs[parent] if parent is not None else None
        if parent is not None and isinstance(holder, facts.Collection):
            pending.append((parent, in_object or bool(holder.keys)))
        elif parent is not None and isinstance(holder, facts.Choice | facts.Operation):
            pending.append((parent, in_object))
        elif parent is not None and self._rebound(index, parent):
            pending.append((index.call_of[parent], in_object))

    def _made(self, index: FileIndex, call: int, found: Captured) -> None:
        """The object of a class that uses the value."""
        if any(isinstance(value, Instance | LibraryObject) for value in self._ev.objects(index.number, call)):
            found.objects.append(call)

    def _rebound(self, index: FileIndex, number: int) -> bool:
        """`load.bind(this)` is the same function."""
        member = index.facts.exprs[number]
        words = self._ev.roles(index.number).words
        return isinstance(member, facts.Member) and number in index.call_of and (
            member.name in words.bound_function_methods
        )  # fmt: skip

    def _handed(self, index: FileIndex, binding: facts.Binding, at: tuple[int, bool], found: Captured) -> None:
        """A function as an argument: what registers it keeps it, what calls it at once does not."""
        number, in_object = at
        call_number = index.argument_of[number][0]
        call = index.facts.exprs[call_number]
        assert isinstance(call, facts.Call)
        callee = index.facts.exprs[call.callee]
        words = self._ev.roles(index.number).words
        name = callee.name if isinstance(callee, facts.Name | facts.Member) else ""
        if name in (*words.map_setters, *words.list_adders) and isinstance(callee, facts.Member):
            found.stores.append(facts.Write(call.callee, number, call.block, "assign"))
        elif any(isinstance(value, Instance) for value in self._ev.objects(index.number, call_number)):
            found.objects.append(call_number)
        elif self._is_own(index, binding, callee):
            pass  # client.on('end', () => client.quit()): an object does not keep itself
        elif name in (*words.listeners, *words.function_keepers) or self._registers(index, binding, call_number):
            found.handed_over.append((index.number, call_number))
        elif in_object and not any(self._is_function(index, item.value) for item in call.arguments):
            found.handed_over.append((index.number, call_number))  # new Store({ send: (words) => client.send(words) })

    def _by_itself(self, index: FileIndex, binding: facts.Binding, ref: Ref) -> bool:
        """Whether a method of the value itself gives a function its role."""
        call = self._ev.store.expr(ref) if ref[1] >= 0 else None
        return isinstance(call, facts.Call) and self._is_own(index, binding, index.facts.exprs[call.callee])

    def _registers(self, index: FileIndex, binding: facts.Binding, number: int) -> bool:
        """Whether a call gives a function a name in an object from around, for nothing: ``app.get('/', show)``."""
        call = index.facts.exprs[number]
        used = number in index.parents or number in index.argument_of or number in index.jump_with
        if not isinstance(call, facts.Call) or used or call.awaited or number in index.bound_to:
            return False
        first = index.facts.exprs[call.arguments[0].value]
        named = isinstance(first, facts.Literal | facts.Template | facts.Opaque)
        return named and self._is_of_local(index, binding, call.callee)

    def _is_of_local(self, index: FileIndex, binding: facts.Binding, number: int) -> bool:
        """Whether a method belongs to what another name of the functions around holds: ``app.get``."""
        expr = index.facts.exprs[number]
        if isinstance(expr, facts.Call):
            expr = index.facts.exprs[expr.callee]
        while True:
            if not isinstance(expr, facts.Member):
                return False
            expr = index.facts.exprs[expr.object]
            if isinstance(expr, facts.Name):
                break
        name = expr.name if isinstance(expr, facts.Name) else ""
        owner = index.owner(name, index.scope_of(expr.block)) if name not in ("", binding.name) else NONE
        return owner != NONE and index.facts.scopes[owner].kind != "module"

    def _is_own(self, index: FileIndex, binding: facts.Binding, callee: facts.Expr) -> bool:
        """Whether a method is one of the value itself."""
        while isinstance(callee, facts.Member):  # client.on(…).on(…)
            holder = index.facts.exprs[callee.object]
            if isinstance(holder, facts.Name):
                return holder.name == binding.name
            callee = index.facts.exprs[holder.callee] if isinstance(holder, facts.Call) else holder
        return False

    def _is_function(self, index: FileIndex, number: int) -> bool:
        return isinstance(index.facts.exprs[number], facts.Function)
