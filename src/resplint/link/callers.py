"""Who calls whom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard

from resplint import facts
from resplint.facts import NONE
from resplint.link import calls
from resplint.link.values import ClassValue, FunctionValue, Instance, LibraryObject, Ref, Value

if TYPE_CHECKING:
    from resplint.link.evaluate import Evaluator
    from resplint.link.index import FileIndex

MAX_CANDIDATES = 1_500
"""Calls by one name that are looked at to find a function's callers."""


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call of a function of the project. `bound` is 1 when the first parameter is filled by the receiver."""

    file: int
    call: int
    bound: int

    @property
    def ref(self) -> Ref:
        """The call expression."""
        return (self.file, self.call)


@dataclass(frozen=True, slots=True)
class Handing:
    """A function written in place is handed to one of the project: `call` hands it to `taker`, which calls it at
    `site`.
    """

    site: CallSite
    taker: FunctionValue
    call: Ref


_Callable = FunctionValue | ClassValue
_Confirmed = dict[tuple[int, int], list[tuple[int, Ref, _Callable]]]
"""(file, scope) of a function or class -> what refers to it: its place in the order of the project, and as which
value.
"""


class _Referring:
    """What refers to the functions and classes of a name: what is known for good, and what is still to be asked."""

    def __init__(self, references: list[Ref]) -> None:
        self.open: dict[int, Ref] = dict(enumerate(references))
        self.final: _Confirmed = {}

    def to(self, target: tuple[int, int], ev: Evaluator, may_be: Callable[[Ref], bool]) -> list[tuple[Ref, _Callable]]:
        """References to a function or class among those that may be some, in the order of the project."""
        passing = self._ask(ev, may_be).get(target, ()) if self.open else ()
        found = {
            at: (reference, value) for known in (passing, self.final.get(target, ())) for at, reference, value in known
        }
        return [found[at] for at in sorted(found)]

    def _ask(self, ev: Evaluator, may_be: Callable[[Ref], bool]) -> _Confirmed:
        """Ask for what is open, and enter what is settled. What is not is returned: one question led to the
        other.
        """
        passing: _Confirmed = {}
        for at, reference in list(self.open.items()):
            if not may_be(reference):
                continue
            values = ev.values(*reference)
            settled = ev.is_settled(*reference)
            if settled and self.open.pop(at, None) is None:
                continue  # a question within this one has entered it
            table = self.final if settled else passing
            for target, value in {(one.file, one.scope): one for one in reversed(values) if _is_callable(one)}.items():
                table.setdefault(target, []).append((at, reference, value))
        return passing


def _is_callable(value: Value) -> TypeGuard[_Callable]:
    return isinstance(value, FunctionValue | ClassValue)


class CallerTable:
    """Calls of each function and class of the project, found by name and then confirmed by value."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._ev = evaluator
        self._sites: dict[tuple[int, int], list[CallSite]] = {}
        self._asked: dict[tuple[int, int], int] = {}
        """Functions and classes whose calls are being looked for -> the depth of the question."""
        self._escapes: dict[tuple[int, int], bool] = {}
        self._exports: dict[int, set[int]] = {}
        self._by_runtime: dict[tuple[str, str, bool], list[Ref]] = {}
        self._confirmed: dict[tuple[tuple[str, ...], str, int], _Referring] = {}
        self.is_cut = False
        """Whether some name was called too often for all of its calls to be looked at."""

    def of(self, file: int, scope: int) -> list[CallSite]:
        """Calls of a function (for a constructor: of its class)."""
        key = (file, scope)
        if key not in self._sites:
            self._escapes.setdefault(key, False)
            self._answer(key, lambda: self._find(file, scope))
        return self._sites.get(key, [])

    def _answer(self, key: tuple[int, int], find: Callable[[], list[CallSite]]) -> None:
        """Find the sites, unless that is being done: then nothing that rests on the answer is settled."""
        if (depth := self._asked.get(key)) is not None:
            self._ev.cut(depth)
            return
        self._asked[key] = self._ev.depth
        try:
            self._sites[key] = find()
        finally:
            del self._asked[key]

    def of_class(self, file: int, scope: int) -> list[CallSite]:
        """Calls that make an object of a class or of a class derived from it."""
        key = (file, scope)
        if key not in self._sites:
            family = [key, *self._ev.classes.subclasses(file, scope)]
            self._answer(key, lambda: [site for one in family for site in self._calls_of_class(*one)])
        return self._sites.get(key, [])

    def escapes(self, file: int, scope: int) -> bool:
        """Whether the function is also handed around as a value, so that it may have callers nobody sees."""
        self.of(file, scope)
        return self._escapes.get((file, scope), False)

    def _find(self, file: int, scope: int) -> list[CallSite]:
        index = self._ev.store.files[file]
        record = index.facts.scopes[scope]
        owner = index.class_of(scope)
        if record.is_constructor and owner != NONE:
            sites: list[CallSite] = []
            for one in [(file, owner), *self._ev.classes.subclasses(file, owner)]:
                makers = self._ev.classes.constructors(*one)
                if FunctionValue(file, scope) in makers:
                    sites.extend(site for site in self._calls_of_class(*one) if self._chosen(site, file, scope, makers))
            return sites + self._by_name(record.name, file, scope)
        if (number := index.function_expr.get(scope)) is not None:
            return self._of_literal(index, number, record.name or self._bound_name(index, scope), scope)
        return self._by_name(record.name, file, scope) if record.name else []

    def _chosen(self, site: CallSite, file: int, scope: int, makers: list[FunctionValue]) -> bool:
        """Whether a call takes this one of several constructors."""
        call = self._ev.store.expr(site.ref)
        assert isinstance(call, facts.Call)
        return FunctionValue(file, scope) in calls.overload(self._ev, tuple(makers), site.file, call)

    def _of_literal(self, index: FileIndex, number: int, name: str, scope: int) -> list[CallSite]:
        """Calls of a function written in place: under the name it is bound to, where it stands, or through the
        parameter of the function of the project that it is handed to.
        """
        found = self._by_name(name, index.number, scope) if name else []
        if number in index.call_of:
            found.append(CallSite(index.number, index.call_of[number], 0))
        return found + [handing.site for handing in self.handings(index.number, scope)]

    def handings(self, file: int, scope: int) -> list[Handing]:
        """The functions of the project that call a function written in place as an argument of theirs, and where."""
        index = self._ev.store.files[file]
        number = index.function_expr.get(scope)
        place = index.argument_of.get(number) if number is not None else None
        if number is None or place is None:
            return []
        call = index.facts.exprs[place[0]]
        assert isinstance(call, facts.Call)
        found: list[Handing] = []
        for value in calls.overload(self._ev, self._ev.values(file, call.callee), file, call):
            makers = [value] if isinstance(value, FunctionValue) else []
            if isinstance(value, ClassValue):
                makers = self._ev.classes.constructors(value.file, value.scope)
            for maker in makers:
                sites = self._through_parameter(maker, index, call, number)
                found += [Handing(site, maker, (file, place[0])) for site in sites]
        return found

    def _through_parameter(
        self, taker: FunctionValue, index: FileIndex, call: facts.Call, number: int
    ) -> list[CallSite]:
        other = self._ev.store.files[taker.file]
        record = other.facts.scopes[taker.scope]
        bound = self._bound(record)
        for position, item in enumerate(record.parameters):
            if calls.argument(index, index.call_number(call), record, position, bound) == number:
                return self.calls_of_parameter(other, taker.scope, item.name)
        return []

    def calls_of_parameter(self, index: FileIndex, scope: int, name: str) -> list[CallSite]:
        """Calls of a parameter inside its function: ``callback(x)``, ``supplier.get()``."""
        words = self._ev.roles(index.number).words
        found = []
        for number in index.by_name.get(name, ()):
            expr = index.facts.exprs[number]
            if not isinstance(expr, facts.Name) or not index.within(expr.block, scope):
                continue
            parent = index.parents.get(number)
            member = index.facts.exprs[parent] if parent is not None else None
            if number in index.call_of:
                found.append(CallSite(index.number, index.call_of[number], 0))
            elif parent in index.call_of and isinstance(member, facts.Member) and member.name in words.function_methods:
                found.append(CallSite(index.number, index.call_of[parent], 0))
        return found

    def _bound(self, record: facts.Scope) -> int:
        """1 when the receiver fills the first parameter."""
        first = record.parameters[0].name if record.parameters else ""
        return 1 if record.receiver and first == record.receiver else 0

    def _bound_name(self, index: FileIndex, scope: int) -> str:
        """The name that a function written in place is bound to."""
        return index.name_of_function.get(scope, "").removeprefix("exports.")

    def _calls_of_class(self, file: int, scope: int) -> list[CallSite]:
        name = self._ev.store.files[file].facts.scopes[scope].name
        found = []
        makers = self._ev.classes.constructors(file, scope)
        bound = self._bound(self._ev.store.files[makers[0].file].facts.scopes[makers[0].scope]) if makers else 1
        made = ClassValue(file, scope)
        for reference in self._candidates(name, file, extra=("cls",), called=True):
            if made in self._ev.values(*reference):
                found.append(CallSite(reference[0], self._ev.store.files[reference[0]].call_of[reference[1]], bound))
        return found

    def _by_name(self, name: str, file: int, scope: int) -> list[CallSite]:
        found = []
        for reference, value in self._referring(name, file, scope):
            assert isinstance(value, FunctionValue)
            index = self._ev.store.files[reference[0]]
            number = index.call_of.get(reference[1])
            if number is None:
                is_place = reference[1] in index.writes_to  # where it is stored, under the name that is looked for
                self._escapes[file, scope] |= not is_place and reference[1] not in self._exported(index)
                continue
            call = index.facts.exprs[number]
            assert isinstance(call, facts.Call)
            if value in calls.overload(self._ev, self._ev.values(*reference), reference[0], call):
                found.append(CallSite(reference[0], number, self._taken(value)))
        return found

    def _exported(self, index: FileIndex) -> set[int]:
        """Names that a module only hands out under a name: importing it is seen where it is imported."""
        if index.number not in self._exports:
            found = {one.value for one in index.facts.bindings if one.scope == 0 and one.name.startswith("exports")}
            for number in list(found):
                expr = index.facts.exprs[number] if number != NONE else None
                if isinstance(expr, facts.Collection):
                    found.update(expr.items)
            self._exports[index.number] = found
        return self._exports[index.number]

    def _taken(self, value: FunctionValue) -> int:
        """1 when a call of a method through an object or class fills the first parameter with it."""
        record = self._ev.store.files[value.file].facts.scopes[value.scope]
        through = isinstance(value.owner, Instance | LibraryObject) or record.belongs == "class"
        return self._bound(record) if through else 0

    def _referring(self, name: str, file: int, scope: int) -> list[tuple[Ref, _Callable]]:
        """What refers to a function by one of the names it may have, in the order of the project.

        What the expressions with these names stand for is looked at once for all functions of the name; only while
        some of it is still being evaluated is it looked at again.
        """
        names, runtime = self._names(name, file)
        # A file that was only loaded still calls its own functions.
        key = (names, runtime, file if file >= self._ev.store.selected else NONE)
        known = self._confirmed.get(key)
        if known is None:
            known = self._confirmed[key] = _Referring(self._candidates(name, file))
        taken = self._numbers_taken(file, scope)
        return known.to((file, scope), self._ev, lambda reference: self._may_call(reference, taken))

    def _numbers_taken(self, file: int, scope: int) -> range | None:
        """How many arguments calls of a function have, the receiver counted or not; None when any number goes: where
        the language minds no missing or further ones, and under a decorator, which may take other ones.
        """
        record = self._ev.store.files[file].facts.scopes[scope]
        if not self._ev.roles(file).words.arity_checked or record.decorators or record.kind != "function":
            return None
        if any(item.kind in ("*", "**") for item in record.parameters):
            return None
        needed = sum(1 for item in record.parameters if item.default == NONE)
        return range(needed - 1, len(record.parameters) + 1)

    def _may_call(self, reference: Ref, taken: range | None) -> bool:
        """Whether a reference may be a call with such a number of arguments; what is no call may be followed by one."""
        number = self._ev.store.files[reference[0]].call_of.get(reference[1])
        call = self._ev.store.files[reference[0]].facts.exprs[number] if number is not None else None
        if taken is None or not isinstance(call, facts.Call):
            return True
        return len(call.arguments) in taken or any(item.name in ("*", "**") for item in call.arguments)

    def _names(self, name: str, file: int, extra: tuple[str, ...] = ()) -> tuple[tuple[str, ...], str]:
        """The names that a function or class of a file may have elsewhere, and what its language runs on."""
        names = self._ev.store.aliases(name) | set(extra)
        words = self._ev.roles(file).words
        if words.explicit_exports:
            names |= self._ev.store.module_aliases(self._ev.store.files[file].facts.path)
        return tuple(sorted(names)), words.runtime

    def _candidates(self, name: str, file: int, extra: tuple[str, ...] = (), *, called: bool = False) -> list[Ref]:
        """The first so many expressions with one of the names that a function or class may have; with `called` those
        that are called there: looking at all else that has the name would ask for what cannot matter.
        """
        names, runtime = self._names(name, file, extra)
        found = [reference for one in names for reference in self._references(one, runtime, called)]
        if file >= self._ev.store.selected:  # a file that was only loaded still calls its own functions
            index = self._ev.store.files[file]
            own = [number for one in names for number in index.by_name.get(one, ())]
            found += [(file, number) for number in own if not called or number in index.call_of]
        self.is_cut = self.is_cut or len(found) > MAX_CANDIDATES
        return found[:MAX_CANDIDATES]

    def _references(self, name: str, runtime: str, called: bool) -> list[Ref]:
        """What has a name, in files whose language has this runtime. Where methods have names of their own,
        a bare name that is not called stands for the variable that has it.
        """
        key = (name, runtime, called)
        if key not in self._by_runtime:
            found = []
            for reference in self._ev.store.named(name):
                words = self._ev.roles(reference[0]).words
                if words.runtime != runtime:
                    continue
                index = self._ev.store.files[reference[0]]
                if reference[1] not in index.call_of:
                    if called or (words.separate_method_names and index.is_variable(reference[1])):
                        continue
                found.append(reference)
            self._by_runtime[key] = found
        return self._by_runtime[key]
