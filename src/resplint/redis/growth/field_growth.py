"""Whether the fields of a hash grow with the data: where their names come from."""

from __future__ import annotations

from resplint.bind.index import FileIndex
from resplint.bind.values import (
    ClassValue,
    CollectionValue,
    Const,
    External,
    ExternalObject,
    Instance,
    LoopValue,
    ParameterValue,
    Ref,
    Reply,
    Text,
    Unknown,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.redis.growth.chosen_names import is_one_of_a_few
from resplint.text.fresh_values import named, walk
from resplint.text.texts import CONFIGURED, CONSTANT, RUNTIME, UNKNOWN, Texts

FIXED, GROWING, BOUNDED, UNCLEAR = "fixed", "growing", "bounded", "unclear"


class FieldGrowth:
    """Judges expressions that name fields."""

    def __init__(self, evaluator: Graph, texts: Texts) -> None:
        self._ev = evaluator
        self._texts = texts

    def of(self, file: int, field: int) -> str:
        """Whether a field name is one of a fixed set, or comes from data without bound."""
        if self._names_a_definition(file, field):
            return FIXED
        parts = self._texts.parts(file, field)
        if parts and all(part.kind == CONSTANT for part in parts):
            return FIXED
        if self._bounded_source(file, field) or self._in_settings(file, field):
            return BOUNDED
        others = [part for part in parts if part.kind != CONSTANT]
        if others and all(self._comes_again(*part.ref) for part in others):
            return FIXED
        if others and all(self._is_counted(*part.ref) for part in others):
            return FIXED
        if self._is_put_together_of_few(file, field):
            return FIXED
        if named(self._ev, file, field):  # never the same twice
            return GROWING
        kinds = {part.kind for part in parts if part.kind != CONSTANT or not part.text}
        if RUNTIME in kinds:
            return GROWING
        if UNKNOWN in kinds:
            unclear = [part.ref for part in parts if part.kind == UNKNOWN]
            if self._from_data(file, field) or not all(self._foreign_constant(*ref) for ref in unclear):
                return GROWING  # it is no constant, setting, host, process or member of an enumeration
            return UNCLEAR
        if CONFIGURED in kinds:
            return BOUNDED
        return FIXED

    def _names_a_definition(self, file: int, field: int) -> bool:
        """The name of a class, or a member of an enumeration or of a class's constants: as many as the code has."""
        for number, one in walk(self._ev, file, field):
            if isinstance(one, facts.Member) and self._names_class(file, one):
                return True
            values = self._ev.kinds(file, number)
            if any(self._of_enumeration(value) for value in values):
                return True
        return False

    def _names_class(self, file: int, member: facts.Member) -> bool:
        """``value.getClass().getName()``, ``Job.class.getName()``; not ``user.getName()``."""
        words = self._ev.roles(file).words
        if member.name == words.class_of_object:
            return True
        if member.name not in words.class_name:
            return False
        if member.name not in words.common_name:
            return True
        if any(isinstance(value, ClassValue | External) for value in self._ev.values(file, member.object)):
            return True
        parts = self._texts.parts(file, member.object)
        return bool(parts) and all(part.kind == CONSTANT for part in parts)

    def _of_enumeration(self, value: object) -> bool:
        """A loop over an enumeration, or an object of one."""
        if isinstance(value, LoopValue):
            return any(self._is_enumeration(one) for one in self._ev.values(*value.ref))
        scope = getattr(value, "scope", None)
        return scope is not None and self._is_enumeration(value)

    def _is_enumeration(self, value: object) -> bool:
        file, scope = getattr(value, "file", None), getattr(value, "scope", None)
        if file is None or scope is None or self._ev.store.files[file].facts.scopes[scope].kind != "class":
            return False
        return self._ev.classes.is_enumeration(file, scope)

    def _bounded_source(self, file: int, field: int) -> bool:
        """Hosts, processes and workers: as many as machines run the code. What an object keeps may be put together of
        them elsewhere: ``this.node = `${os.hostname()}-${process.pid}```.
        """
        pending, seen = [(file, field)], set[Ref]()
        while pending:
            ref = pending.pop()
            if ref in seen:
                continue
            seen.add(ref)
            names = self._ev.roles(ref[0]).deployment
            for number, one in walk(self._ev, *ref):
                for value in self._ev.kinds(ref[0], number):
                    if (isinstance(value, Text) and isinstance(one, facts.Member)) or (
                        isinstance(value, CollectionValue) and self._is_handed_record(ref[0], one, value)
                    ):
                        pending.append(value.ref)
                    elif isinstance(value, External | ExternalObject) and value.dotted.replace("()", "") in names:
                        return True
        return False

    def _is_handed_record(self, file: int, expr: facts.Expr, value: CollectionValue) -> bool:
        """Whether a parameter is a map that its caller writes out, and no entry of it is data: ``{ host: hostname(),
        port: 80 }`` of ``JSON.stringify(node)``.
        """
        index = self._ev.store.files[file]
        written = self._ev.store.expr(value.ref)
        if not isinstance(expr, facts.Name) or not isinstance(written, facts.Collection) or written.kind != "map":
            return False
        if written.generated or (index.owner(expr.name, index.scope_of(expr.block)), expr.name) not in index.parameters:
            return False
        return not any(self._from_data(value.ref[0], item) for item in written.items)

    def _comes_again(self, file: int, number: int, seen: frozenset[int] = frozenset()) -> bool:
        """Whether an expression is a part of a point in time that comes round again: ``now.hour``, ``now.getDay()``,
        ``now.strftime("%H")``.
        """
        index = self._ev.store.files[file]
        expr = index.facts.exprs[number]
        if isinstance(expr, facts.Name):
            owner = index.owner(expr.name, index.scope_of(expr.block))
            bound = [one.value for one in index.bindings.get((owner, expr.name), ())]
            return any(one not in seen for one in bound) and all(
                one != NONE and (one in seen or self._comes_again(file, one, seen | {one})) for one in bound
            )
        roles = self._ev.roles(file)
        if isinstance(expr, facts.Call) and self._is_made_of(file, expr, seen):
            return True
        member = index.facts.exprs[expr.callee] if isinstance(expr, facts.Call) else expr
        if not isinstance(member, facts.Member):
            return False
        if not self.is_time(file, member.object):
            return member.name in roles.clock_members and self._is_foreign(file, member.object)
        if member.name in roles.clock_parts:
            return True
        if not isinstance(expr, facts.Call) or member.name not in roles.clock_formatters or not expr.arguments:
            return False
        written = self._texts.parts(file, expr.arguments[0].value)
        if not written or any(part.kind != CONSTANT for part in written):
            return False
        text = "".join(part.text for part in written)
        for code in roles.clock_codes:
            text = text.replace(code, "")
        return "%" not in text

    def _is_put_together_of_few(self, file: int, number: int, seen: frozenset[int] = frozenset()) -> bool:
        """Whether a text has no holes but names that a test has shown to be among a few: ``f"won:{arm}"``."""
        index = self._ev.store.files[file]
        expr = index.facts.exprs[number] if number != NONE and number not in seen else None
        seen |= {number}
        match expr:
            case facts.Literal():
                return True
            case facts.Template():
                inner = [one for one in expr.parts if isinstance(one, int)]
            case facts.Choice():
                inner = list(expr.options)
            case facts.Operation() if expr.operator == "+":
                inner = list(expr.operands)
            case facts.Name():
                if is_one_of_a_few(self._ev, file, number):
                    return True
                scope = index.owner(expr.name, index.scope_of(expr.block))
                if (scope, expr.name) in index.parameters:
                    return False
                inner = [one.value for one in index.bindings.get((scope, expr.name), ())]
                return bool(inner) and all(self._is_put_together_of_few(file, one, seen) for one in inner)
            case _:
                return False
        return all(self._is_put_together_of_few(file, one, seen) for one in inner)

    def _is_counted(self, file: int, number: int) -> bool:
        """Whether an expression is a number of a loop that counts to a constant or a setting: ``for i in range(16)``,
        also as a text: ``str(i)``.
        """
        index = self._ev.store.files[file]
        expr = index.facts.exprs[number]
        if isinstance(expr, facts.Call) and len(expr.arguments) == 1:
            callees = self._ev.values(file, expr.callee)
            converts = bool(callees) and all(isinstance(one, External) for one in callees)
            return converts and self._is_counted(file, expr.arguments[0].value)
        if not isinstance(expr, facts.Name):
            return False
        owner = index.owner(expr.name, index.scope_of(expr.block))
        bound = index.bindings.get((owner, expr.name), ())
        around = set(index.enclosing_blocks(expr.block))
        bound = [one for one in bound if one.kind == "for" and one.block in around] or bound
        return bool(bound) and all(
            one.kind == "for" and not one.path and self._counts_to_what_is_set(file, one.value) for one in bound
        )

    def _counts_to_what_is_set(self, file: int, number: int) -> bool:
        """Whether a call gives numbers up to a constant or a setting: ``range(16)``, ``range(self.slots)``."""
        call = self._ev.store.files[file].facts.exprs[number] if number != NONE else None
        if not isinstance(call, facts.Call) or not call.arguments:
            return False
        callee = self._ev.store.files[file].facts.exprs[call.callee]
        if not isinstance(callee, facts.Name) or callee.name not in self._ev.roles(file).counters:
            return False
        for item in call.arguments:
            kinds = {part.kind for part in self._texts.parts(file, item.value)}
            if not kinds or not kinds <= {CONSTANT, CONFIGURED}:
                return False
        return True

    def _is_made_of(self, file: int, call: facts.Call, seen: frozenset[int]) -> bool:
        """Whether a function outside the project makes something of such a part and of constants: ``str(now.hour)``,
        ``max(0, min(23, hour))``.
        """
        callees = self._ev.values(file, call.callee)
        if not callees or not all(isinstance(one, External) for one in callees):
            return False
        given = [item.value for item in call.arguments]
        parts = [one for one in given if self._comes_again(file, one, seen)]
        return bool(parts) and all(
            one in parts or all(isinstance(value, Const) for value in self._ev.values(file, one) or (None,))
            for one in given
        )

    def _is_foreign(self, file: int, number: int) -> bool:
        """Whether nothing that the project makes is known to stand there."""
        own = Instance | ClassValue | CollectionValue | Text | Const
        return not any(isinstance(one, own) for one in self._ev.values(file, number))

    def _from_data(self, file: int, field: int) -> bool:
        """A part that is read from an element of a loop, from a parameter or from a reply."""
        for number, one in walk(self._ev, file, field):
            if self._identity(file, one) or self._unclear_parameter(file, number, one):
                return True
            if isinstance(one, facts.Name | facts.Member | facts.Index | facts.Call):
                for value in self._ev.kinds(file, number):
                    if isinstance(value, ParameterValue | LoopValue | Reply | Instance):
                        return not isinstance(value, LoopValue) or not self._constant_loop(value)
        return False

    def _foreign_constant(self, file: int, number: int) -> bool:
        """Whether an expression may be a constant of a package: what is imported, or hangs on a name in capitals."""
        values = self._ev.values(file, number)
        return bool(values) and all(
            isinstance(value, External)
            or (isinstance(value, ExternalObject) and any(part.isupper() for part in value.dotted.split(".")))
            for value in values
        )

    def _identity(self, file: int, expr: facts.Expr) -> bool:
        """`record.id` of something that is not known."""
        if not isinstance(expr, facts.Member) or expr.name not in self._ev.roles(file).identity_members:
            return False
        return any(isinstance(value, Unknown | ExternalObject) for value in self._ev.values(file, expr.object))

    def _unclear_parameter(self, file: int, number: int, expr: facts.Expr) -> bool:
        """A parameter whose callers pass something that cannot be followed is data all the same."""
        index = self._ev.store.files[file]
        if not isinstance(expr, facts.Name) or (index.function_of(expr.block), expr.name) not in index.parameters:
            return False
        return any(isinstance(value, Unknown) for value in self._ev.values(file, number))

    def _constant_loop(self, value: LoopValue) -> bool:
        values = self._ev.values(*value.ref)
        return bool(values) and all(isinstance(one, CollectionValue | ClassValue | Const) for one in values)

    def is_time(self, file: int, number: int) -> bool:
        """Whether an expression is a point in time, or made of one."""
        names = self._ev.roles(file).clock
        return any(
            isinstance(value, External | ExternalObject)
            and any(value.dotted.replace("()", "").startswith(name) for name in names)
            for inner, _ in walk(self._ev, file, number)
            for value in self._ev.kinds(file, inner)
        )

    # -- settings ------------------------------------------------------------------------------------------------------

    def _in_settings(self, file: int, field: int) -> bool:
        """Whether a field is a part of the settings, whatever it is picked by: ``settings.pools[name].algorithm``."""
        pending, seen = [(file, field)], set[tuple[int, int]]()
        while pending:
            ref = pending.pop()
            if ref in seen or ref[1] == NONE:
                continue
            seen.add(ref)
            if len(seen) > 1 and {part.kind for part in self._texts.parts(*ref)} == {CONFIGURED}:
                return True
            pending += self._holders(self._ev.store.files[ref[0]], ref[1])
        return False

    def _holders(self, index: FileIndex, number: int) -> list[tuple[int, int]]:
        """What an expression is a part of."""
        expr = index.facts.exprs[number]
        if isinstance(expr, facts.Member | facts.Index):
            return [(index.number, expr.object)]
        if isinstance(expr, facts.Call):
            callee = index.facts.exprs[expr.callee]
            if not isinstance(callee, facts.Member) or callee.name not in self._ev.roles(index.number).words.map_views:
                return []
            return [(index.number, callee.object), *((index.number, item.value) for item in expr.arguments[:1])]
        if not isinstance(expr, facts.Name):
            return []
        found = [value.ref for value in self._ev.values(index.number, number) if isinstance(value, LoopValue)]
        owner = index.owner(expr.name, index.scope_of(expr.block))
        bindings = index.bindings.get((owner, expr.name), ())
        return found + [(index.number, one.value) for one in bindings if len(bindings) == 1]
