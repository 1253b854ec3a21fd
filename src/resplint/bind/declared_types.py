"""Which type an expression has by what is declared: annotations, constructors that are called, results of methods.

Like all of `bind`, this rests on names alone: it costs next to nothing, and says nothing where the code does not.
"""

from __future__ import annotations

from resplint.bind.binder import Binder
from resplint.bind.index import FileIndex
from resplint.bind.reaching import Definition
from resplint.bind.values import ClassValue, External, FunctionValue
from resplint.contracts import facts
from resplint.contracts.facts import NONE

Type = ClassValue | External


class DeclaredTypes:
    """The declared types of expressions, and which functions their methods are."""

    def __init__(self, binder: Binder) -> None:
        self._binder = binder
        self._known: dict[tuple[int, int], tuple[Type, ...]] = {}

    def forget(self) -> None:
        """Forget what rests on which files there are: there are more now."""
        self._known.clear()

    def methods(self, file: int, callee: int) -> tuple[FunctionValue, ...] | tuple[External, ...]:
        """What a call of a method runs: functions of the project, or the path of a method of a type outside. Empty
        unless the type of the object is declared and known.
        """
        expr = self._binder.store.files[file].facts.exprs[callee]
        types = self.of(file, expr.object) if isinstance(expr, facts.Member) else ()
        if not isinstance(expr, facts.Member) or len(types) != 1:
            return ()
        (owner,) = types
        if isinstance(owner, External):
            return (External(f"{owner.dotted}.{expr.name}"),)
        found = self._binder.methods(owner.file, owner.scope, expr.name)
        for key in self._binder.subclasses(owner.file, owner.scope) if found else ():
            found = [*found, *self._binder.own_methods(*key, expr.name)]
        return tuple(dict.fromkeys(found))

    def of(self, file: int, number: int) -> tuple[Type, ...]:
        """The types that an expression is declared to have, () where nothing is."""
        if number == NONE:
            return ()
        known = self._known.get((file, number))
        if known is None:
            self._known[file, number] = ()  # what is declared by itself says nothing
            known = self._known[file, number] = self._of(file, number)
        return known

    def _of(self, file: int, number: int) -> tuple[Type, ...]:
        index = self._binder.store.files[file]
        expr = index.facts.exprs[number]
        match expr:
            case facts.Name():
                return self._of_name(file, number, expr)
            case facts.Member():
                return self._of_field(file, expr)
            case facts.Index():
                return tuple(one for one in self.of(file, expr.object) if isinstance(one, External))
            case facts.Call():
                return self._of_call(file, expr)
        return ()

    def _of_call(self, file: int, expr: facts.Call) -> tuple[Type, ...]:
        """What a call makes, or its function is declared to return."""
        found: dict[Type, None] = {}
        for one in self._binder.static(file, expr.callee) or self.methods(file, expr.callee):
            match one:
                case ClassValue():
                    found[one] = None
                case FunctionValue():
                    record = self._binder.store.files[one.file].facts.scopes[one.scope]
                    found.update(dict.fromkeys(self._annotated(one.file, record.returns)))
                case External() if not self._binder.catalogue.leads_to_client(one.dotted):
                    found.update((External(path), None) for path in self._binder.chains(file).given(one.dotted))
                case _:
                    return ()
        return tuple(found)

    def _of_name(self, file: int, number: int, expr: facts.Name) -> tuple[Type, ...]:
        names = self._binder.names(file)
        scopes = self._binder.store.files[file].facts.scopes
        definitions = names.at(number)
        if not definitions:
            for scope in names.enclosing(expr.block):
                if scopes[scope].receiver == expr.name:
                    owner = self._binder.store.files[file].class_of(scope)
                    return (ClassValue(file, owner),) if owner != NONE else ()
            for scope in names.enclosing(expr.block):
                if scopes[scope].kind == "class" and scopes[scope].is_open:
                    return self._of_member(ClassValue(file, scope), expr.name)
        found: dict[Type, None] = {}
        for one in definitions:
            types = self._of_definition(file, one)
            if not types:
                return ()
            found.update(dict.fromkeys(types))
        return tuple(found)

    def _of_definition(self, file: int, one: Definition) -> tuple[Type, ...]:
        record = self._binder.store.files[file].facts
        if one.kind == "parameter":
            item = record.scopes[one.scope].parameters[one.number]
            if item.kind:
                return ()
            if item.annotation == NONE and item.name == record.scopes[one.scope].receiver:
                owner = self._binder.store.files[file].class_of(one.scope)
                return (ClassValue(file, owner),) if owner != NONE else ()
            return self._annotated(file, item.annotation)
        if one.kind in ("import", "definition"):
            return ()
        binding = record.bindings[one.number]
        if binding.annotation != NONE and not binding.path:
            return self._annotated(file, binding.annotation)
        return self.of(file, binding.value) if binding.kind == "assign" and not binding.path else ()

    def _of_field(self, file: int, expr: facts.Member) -> tuple[Type, ...]:
        types = self.of(file, expr.object)
        if len(types) != 1 or not isinstance(types[0], ClassValue):
            return ()
        return self._of_member(types[0], expr.name)

    def _of_member(self, owner: ClassValue, name: str) -> tuple[Type, ...]:
        """The declared type of a field of a class."""
        for file, scope in self._binder.project_line(owner.file, owner.scope):
            index = self._binder.store.files[file]
            bindings = [one for one in index.bindings.get((scope, name), ()) if not one.path]
            for binding in bindings:
                if binding.annotation != NONE:
                    return self._annotated(file, binding.annotation)
            written = [(file, one.value) for one in bindings if one.kind == "assign" and one.value != NONE]
            written += [(file, one.value) for one in self._writes(index, scope, name)]
            if written:
                types = [self.of(*one) for one in written]
                return tuple(dict.fromkeys(each for one in types for each in one)) if all(types) else ()
        return ()

    def _writes(self, index: FileIndex, scope: int, name: str) -> list[facts.Write]:
        """What the methods of a class store in a field of their object."""
        found = []
        for write in index.writes_by_name.get(name, ()):
            target = index.facts.exprs[write.target]
            held = index.facts.exprs[target.object] if isinstance(target, facts.Member) else None
            function = index.function_of(write.block)
            if isinstance(held, facts.Name) and held.name == index.facts.scopes[function].receiver:
                if index.class_of(function) == scope and write.value != NONE:
                    found.append(write)
        return found

    def _annotated(self, file: int, annotation: int) -> tuple[Type, ...]:
        """The type that an annotation names; of one with arguments the type itself."""
        if annotation == NONE:
            return ()
        found = self._binder.static(file, annotation)
        return tuple(one for one in found if isinstance(one, ClassValue | External))
