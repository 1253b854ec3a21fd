"""The shape of a Redis key (or field): its constant text, and what fills the holes."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from resplint.bind.index import FileIndex
from resplint.bind.values import Const, External, ExternalObject, FunctionValue, Instance, Ref, Text, Unknown, Value
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.text import arguments as calls
from resplint.text import collections as elements
from resplint.text import constant_objects, put_together, text_forms

_DEPTH = 12
_MOST_FILLED = 8
_WITH_DEFAULT = 2
"""Arguments of a look-up: the name, and what it gives otherwise."""
_WORD = 3
"""Letters from which on a text is a word."""
_PAIR = 2
"""Parts of a key from which on it belongs to several things."""
_OF_ARGUMENT = "argument"
"""What functions give another form of: the text that they are passed."""
HOLE = "{}"
_PERCENT = re.compile("%[sdr]")
_NAMED = re.compile(r"%\(\w+\)[sdr]")


@dataclass(frozen=True, slots=True)
class Shape:
    """`template` has ``{}`` for each hole; `identity` tells two keys apart that only differ in what fills them."""

    template: str
    identity: str
    holes: tuple[tuple[int, int], ...] = ()
    """The expressions that fill the holes."""
    family: str = ""
    """What keys have in common that are put together of nothing but parts that vary, in one class and of parts that are
    called the same: ``sender + ":" + receiver``.
    """

    @property
    def fixed(self) -> bool:
        """Whether the key is always the same."""
        return not self.holes

    @property
    def only_hole(self) -> bool:
        """Whether nothing of the key's text is known."""
        return not self.template.replace(HOLE, "").strip(":_-./ ")

    @property
    def says_what_for(self) -> bool:
        """Whether the constant text is more than a mark of the type of its values."""
        return sum(character.isalpha() for character in self.template.replace(HOLE, "")) >= _WORD

    @property
    def of_object(self) -> bool:
        """Whether the key is kept in one field of an object: methods of its class mean the same key by it; a setting
        is one, too.
        """
        return self.only_hole and self.identity.startswith("{<") and self.identity.count("{") == 1

    @property
    def setting(self) -> str:
        """The name of the setting that the key is, or ""."""
        return self.identity[3:-2] if self.of_object and self.identity.startswith("{<$") else ""

    @property
    def known(self) -> bool:
        """Whether two uses of the key are known to mean the same."""
        return not self.only_hole or self.of_object or bool(self.family)

    @property
    def name(self) -> str:
        """What uses of the same key (or family of keys) have in common."""
        return self.identity if self.of_object else self.family or self.template


_COMPARED: dict[str, Callable[[int, int], bool]] = {
    ">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le,
    "==": operator.eq, "===": operator.eq, "!=": operator.ne, "!==": operator.ne,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Helper:
    """One call of a function that returns a text: `given` are the arguments by the position of the parameter, None
    where they are not known; the call stands in `around`, if that is a helper too.
    """

    file: int
    scope: int
    text: int
    given: dict[int, list[int] | None]
    call: tuple[int, int]
    around: _Helper | None

    def single(self, index: FileIndex) -> set[int]:
        """Positions of the parameters that take one argument."""
        parameters = index.facts.scopes[self.scope].parameters
        return {position for position, item in enumerate(parameters) if not item.kind}


class Shapes:
    """Computes shapes; several possible values of an expression give several shapes."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator

    def of(self, file: int, expr: int) -> tuple[Shape, ...]:
        """The shapes that an expression may have."""
        shapes = tuple(replace(one, family=self._family(one)) for one in self._of(file, expr))
        text = text_forms.text_of(self._ev, self._ev.store.files[file], expr)
        if text != expr and not any(one.known for one in shapes):
            behind = self.of(file, text)
            return behind if all(_is_said(one) for one in behind) else shapes
        return shapes

    def _family(self, shape: Shape) -> str:
        """The name of the keys that one is among which has nothing but parts that vary and separators; "" where other
        keys may look the same, as parts are constants or belong to an object beside others that do not.
        """
        if shape.template.count(HOLE) != len(shape.holes) or len(shape.holes) < _PAIR or not shape.only_hole:
            return ""
        if HOLE + HOLE in shape.template or shape.of_object:
            return ""
        owners = {self._class_around(*hole) for hole in shape.holes}
        names = sorted(self._part_name(*hole) for hole in shape.holes)
        kept = sum(self.identity(*hole).startswith("<") for hole in shape.holes)
        if (
            len(owners) > 1
            or not all(names)
            or 0 < kept < len(names)
            or (not kept and any(self._is_given(*one) for one in shape.holes))
        ):
            return ""
        file, scope = owners.pop()
        return f"{{<{file}.{scope}>.{','.join(names)}}}{shape.template}"

    def _class_around(self, file: int, number: int) -> tuple[int, int]:
        """The class that an expression stands in; NONE for the module."""
        index = self._ev.store.files[file]
        scope = index.scope_of(index.facts.exprs[number].block)
        while scope != NONE and index.facts.scopes[scope].kind != "class":
            scope = index.facts.scopes[scope].parent
        return file, scope

    def _part_name(self, file: int, number: int) -> str:
        """What a part of a key is called: ``sender`` of ``message.getSender()`` and ``str(sender)``."""
        exprs = self._ev.store.files[file].facts.exprs
        expr = exprs[number]
        while isinstance(expr, facts.Call) and len(expr.arguments) <= 1:
            expr = exprs[expr.arguments[0].value if expr.arguments else expr.callee]
        name = expr.name if isinstance(expr, facts.Name | facts.Member) else ""
        plain = name.replace("_", "").lower()
        return plain.removeprefix("get") or plain

    def _is_given(self, file: int, number: int) -> bool:
        """Whether a constant may stand in an expression."""
        values = self._ev.values(file, number)
        return any(isinstance(one, Const) and one.value not in (None, "") for one in values)

    def _of(self, file: int, expr: int) -> tuple[Shape, ...]:
        if expr == NONE:
            return ()
        shapes: dict[Shape, None] = {}
        helped = self._of_constant(file, expr) or self.by_helper(file, expr)
        if helped is not None:
            return (helped,)
        for value in self._ev.values(file, expr):
            if isinstance(value, Const):
                if value.value in (None, "", b""):  # to be filled in
                    continue
                shapes.setdefault(Shape(str(value.value), str(value.value)))
            elif isinstance(value, Text):
                if shapes_of_each := self._of_templates(value.ref):
                    shapes.update(dict.fromkeys(shapes_of_each))
                    continue
                shape = self._built(value.ref, 0)
                # Of a text that nothing is known of, the field that keeps it still says which one it is.
                nameless = shape.only_hole and (self._is_handed(file, expr, value) or not self._family(shape))
                kept = self._hole(file, expr) if nameless else shape
                shapes.setdefault(kept if kept.of_object else shape)
            elif (built := self._of_builder(value, 0)) is not None:
                shapes.setdefault(built)
        set_to = self.by_helper(*self._set_to(file, expr)) if len(shapes) > 1 else None
        if set_to is not None and set_to.fixed:
            return (set_to,)
        if not shapes:
            shapes = dict.fromkeys(self._looked_up(file, expr))
        if not shapes and len(calls_kept := elements.calls_kept(self._ev, file, expr)) == 1:
            if (put := self._put_together((file, calls_kept[0]), 0)) is not None:
                shapes.setdefault(put)
        if not shapes:
            shapes.setdefault(self._built((file, expr), 0) if self._joins(file, expr) else self._hole(file, expr))
        return tuple(shapes)

    def _of_templates(self, ref: Ref) -> list[Shape]:
        """The shapes of a text that is printed into one of a few templates: ``kind % name`` where callers choose the
        kind.
        """
        match self._ev.store.expr(ref):
            case facts.Operation(operator="%", operands=(left, right)):
                values = self._ev.values(ref[0], left)
                bases = [one.value for one in values if isinstance(one, Const) and isinstance(one.value, str)]
                if 1 < len(bases) <= _MOST_FILLED and len(bases) == len(values):
                    return [self._formatted(ref[0], Shape(one, one), right, 0) for one in bases]
        return []

    def _of_builder(self, value: Value, depth: int) -> Shape | None:
        """The shape of what a builder of the language has put together: ``builder.append(id).toString()``."""
        if not isinstance(value, ExternalObject) or value.ref is None or depth >= _DEPTH:
            return None
        if value.dotted.partition("()")[0] not in self._ev.roles(value.ref[0]).text_builders:
            return None
        return self._put_together(value.ref, depth + 1)

    def _put_together(self, ref: tuple[int, int], depth: int) -> Shape | None:
        """The shape of the text that a call puts together of parts; None where that is not known."""
        pieces = put_together.pieces(self._ev, *ref) if depth < _DEPTH else None
        if pieces is None:
            return None
        return _concatenated([Shape(one, one) if isinstance(one, str) else self._said(*one, depth) for one in pieces])

    def _looked_up(self, file: int, expr: int) -> list[Shape]:
        """The shapes of a key that is a setting: wherever that is looked up under its name, the same is found; and what
        it is where nobody sets it.
        """
        values = self._ev.values(file, expr)
        names = [self._setting(file, value) for value in values]
        if not all(names):
            return []
        usual = [text for value in values for text in self._unless_set(value)]
        found = [Shape(HOLE, f"{{<${name}>}}", ((file, expr),)) for name in names]
        return found + [Shape(text, text) for text in dict.fromkeys(usual)]

    def _unless_set(self, value: Value) -> list[str]:
        """The text that a look-up of a setting gives where it is not set: ``os.getenv("QUEUE", "jobs")``."""
        ref = value.ref if isinstance(value, ExternalObject) else None
        look_up = self._ev.store.expr(ref) if ref is not None else None
        if ref is None or not isinstance(look_up, facts.Call) or len(look_up.arguments) != _WITH_DEFAULT:
            return []
        given = self._ev.values(ref[0], look_up.arguments[1].value)
        return [one.value for one in given if isinstance(one, Const) and isinstance(one.value, str) and one.value]

    def _setting(self, file: int, value: Value) -> str:
        """The name of a setting: ``process.env.QUEUE``, ``os.environ["QUEUE"]``, ``System.getenv("QUEUE")``."""
        if isinstance(value, External):
            holder, _, name = value.dotted.rpartition(".")
            return name if holder in self._ev.roles(file).configuration else ""
        if not isinstance(value, ExternalObject) or value.ref is None:
            return ""
        if value.dotted.removesuffix("()").removesuffix("[]") not in self._ev.roles(value.ref[0]).configuration:
            return ""
        look_up = self._ev.store.expr(value.ref)
        if isinstance(look_up, facts.Call):
            number = look_up.arguments[0].value if look_up.arguments else NONE
        else:
            number = look_up.key if isinstance(look_up, facts.Index) else NONE
        asked = self._ev.values(value.ref[0], number) if number != NONE else ()
        texts = [one.value for one in asked if isinstance(one, Const) and isinstance(one.value, str)]
        return texts[0] if len(texts) == len(asked) == 1 else ""

    def _is_handed(self, file: int, expr: int, text: Text) -> bool:
        """Whether a field keeps a text that the object's own class does not put together."""
        found = self._ev.store.files[file].facts.exprs[expr]
        index = self._ev.store.files[text.ref[0]]
        owner = index.class_of(index.function_of(self._ev.store.expr(text.ref).block))
        if not isinstance(found, facts.Member) or owner == NONE:
            return isinstance(found, facts.Member)
        return not any(
            (index.number, owner) in self._ev.binder.project_line(one.file, one.scope)
            for one in self._ev.values(file, found.object)
            if isinstance(one, Instance)
        )

    def _joins(self, file: int, expr: int) -> bool:
        """Whether an object that says what it is as a text is joined to something of which nothing is known."""
        found = self._ev.store.files[file].facts.exprs[expr]
        if not isinstance(found, facts.Operation) or found.operator != "+":
            return False
        return any(constant_objects.parts_in_text(self._ev, file, one) is not None for one in found.operands)

    def as_written(self, file: int, expr: int) -> Shape | None:
        """The shape of a text as it is put together where it stands, whatever its parts may be; None for anything else:
        ``votes:${round}`` although all that call the function around it leave the round out.
        """
        index = self._ev.store.files[file]
        number = self._written(index, expr)
        found = index.facts.exprs[number]
        if isinstance(found, facts.Template):
            parts: list[str | int] = list(found.parts)
        elif isinstance(found, facts.Operation) and found.operator == "+":
            parts = list(found.operands)
        else:
            return None
        return _concatenated([Shape(one, one) if isinstance(one, str) else self._as_part(file, one) for one in parts])

    def _as_part(self, file: int, number: int) -> Shape:
        found = self._ev.store.files[file].facts.exprs[number]
        if isinstance(found, facts.Literal) and isinstance(found.value, str):
            return Shape(found.value, found.value)
        return Shape(HOLE, HOLE, ((file, number),))

    def known(self, shape: Shape) -> tuple[Shape, ...]:
        """A shape and those that it stands for, as far as uses of the same key know each other by them."""
        return tuple(one for one in (shape, *self.filled(shape)) if one.known)

    def filled(self, shape: Shape) -> tuple[Shape, ...]:
        """The shapes that one stands for whose holes are all filled that take one of a few constants; a hole that may
        take other values as well stays one beside them.
        """
        if len(shape.holes) != shape.template.count(HOLE):
            return ()
        pieces = shape.template.split(HOLE)
        found = [Shape(pieces[0], shape.identity)]
        for hole, after in zip(shape.holes, pieces[1:], strict=True):
            values = self._ev.values(*hole)
            texts = [value.value for value in values if isinstance(value, Const) and isinstance(value.value, str)]
            few = len(set(texts)) <= _MOST_FILLED
            known = few and len(texts) == len(values) > 1
            fillings = [*sorted(set(texts)), *([] if known else [HOLE])] if few else [HOLE]
            found = [
                Shape(one.template + text + after, one.identity, one.holes if known else (*one.holes, hole))
                for one in found for text in fillings
            ]  # fmt: skip
            if len(found) > _MOST_FILLED:
                return ()
        return tuple(one for one in found if one.template != shape.template) if len(found) > 1 else ()

    def _of_constant(self, file: int, expr: int, depth: int = 0) -> Shape | None:
        """The shape of ``Key.USERS.toString()``: what this one member of an enumeration was made with."""
        parts = constant_objects.parts_of_text(self._ev, file, expr) if depth < _DEPTH else None
        if parts is None:
            return None
        return _concatenated([Shape(one, one) if isinstance(one, str) else self._one(*one, depth) for one in parts])

    def by_helper(self, file: int, expr: int) -> Shape | None:
        """The shape of ``keyOf(id)`` where functions of the project put their parameters into a text, one perhaps
        through another.
        """
        for ref in self._handed(file, expr):
            file, expr = ref
        if expr == NONE:
            return None
        helper = self._helper(file, self._written(self._ev.store.files[file], expr), None)
        if helper is None:
            return None
        inner = None if helper.given else self._helper(helper.file, helper.text, helper)
        if not helper.given and (inner is None or not inner.given):
            return None  # whoever calls it gets the same
        shape = self._within(helper, 0)
        return shape if shape.template != HOLE else None

    def _set_to(self, file: int, expr: int) -> Ref:
        """What a field is set to at the one place in its class that sets it: ``this.key = names.full(ORDERS)``; NONE
        where there is none, or where there are several.
        """
        index = self._ev.store.files[file]
        found = index.facts.exprs[expr]
        if isinstance(found, facts.Name):
            owners = {(file, owner)} if (owner := index.field_owner(found.name, found.block)) else set()
            name = found.name
        elif isinstance(found, facts.Member):
            values = self._ev.values(file, found.object)
            owners = {(one.file, one.scope) for one in values if isinstance(one, Instance)}
            name = found.name
        else:
            return file, NONE
        if len(owners) != 1:
            return file, NONE
        here, scope = owners.pop()
        other = self._ev.store.files[here]
        bound = [one.value for one in other.bindings.get((scope, name), ()) if one.value != NONE]
        bound += [one.value for one in other.writes_by_name.get(name, ()) if other.within(one.block, scope)]
        return (here, bound[0]) if len(bound) == 1 else (file, NONE)

    def _written(self, index: FileIndex, expr: int) -> int:
        """What a local name stands for, when it is bound once; an expression of another kind itself."""
        value = self._ev.binder.names(index.number).only_value(expr)
        blocks = [index.facts.exprs[one].block for one in (expr, value)]
        return value if index.function_of(blocks[0]) == index.function_of(blocks[1]) else expr

    def _helper(self, file: int, expr: int, around: _Helper | None) -> _Helper | None:
        """The one function of the project that a call runs, if all it does is to return something."""
        call = self._ev.store.files[file].facts.exprs[expr]
        if not isinstance(call, facts.Call):
            return None
        functions = {
            (one.file, one.scope) for one in self._ev.values(file, call.callee) if isinstance(one, FunctionValue)
        }
        if len(functions) != 1:
            return None
        key = functions.pop()
        other = self._ev.store.files[key[0]]
        returns = [jump.value for jump in other.jumps.get(key[1], ()) if jump.kind == "return"]
        if len(returns) != 1 or returns[0] == NONE:
            return None
        record = other.facts.scopes[key[1]]
        bound = 1 if record.belongs and record.parameters and record.parameters[0].name == record.receiver else 0
        given: dict[int, list[int] | None] = {}
        for position, item in enumerate(record.parameters):
            if item.kind == "*":
                rest = [one for one in call.arguments if not one.name][max(position - bound, 0) :]
                given[position] = (
                    None if any(one.name == "*" for one in call.arguments) else [one.value for one in rest]
                )
            elif not item.kind:
                one = calls.argument(self._ev.store.files[file], expr, record, position, bound)
                given[position] = None if one == NONE else [] if one is None else [one]
        return _Helper(key[0], key[1], returns[0], given, (file, expr), around)

    def _within(self, helper: _Helper, depth: int) -> Shape:
        """What a helper returns."""
        return self._part(helper.file, helper.text, helper, depth)

    def _part(self, file: int, number: int, helper: _Helper | None, depth: int) -> Shape:
        """The shape of an expression inside a helper, with what one call passes in the place of parameters."""
        if helper is None or helper.file != file or depth > _DEPTH:
            return self._one(file, number, depth)
        found = self._ev.store.files[file].facts.exprs[number]
        match found:
            case facts.Template(parts=parts):
                return _concatenated(
                    [Shape(p, p) if isinstance(p, str) else self._part(file, p, helper, depth + 1) for p in parts]
                )
            case facts.Operation(operator="+", operands=operands):
                return _concatenated([self._part(file, one, helper, depth + 1) for one in operands])
            case facts.Choice(condition=condition, options=(first, second)) if condition != NONE:
                holds = self._holds(file, condition, helper)
                if holds is not None:
                    return self._part(file, first if holds else second, helper, depth + 1)
                shapes = [self._part(file, one, helper, depth + 1) for one in (first, second)]
                if len({one.template.replace(HOLE, "") for one in shapes}) == 1 and not shapes[0].only_hole:
                    return min(shapes, key=lambda one: len(one.holes))  # with or without a part that is a setting
            case facts.Name():
                shape = self._given(file, found, helper, depth)
                if shape is not None:
                    return shape
            case facts.Call():
                shape = self._joined(file, found, helper, depth)
                if shape is not None:
                    return shape
                inner = self._helper(file, number, helper)
                if inner is not None:
                    shape = self._within(inner, depth + 1)
                    if shape.template != HOLE:
                        return shape
                pieces = put_together.pieces(self._ev, file, number)
                if pieces is not None and all(isinstance(one, str) or one[0] == file for one in pieces):
                    return _concatenated(
                        [
                            Shape(one, one) if isinstance(one, str) else self._part(*one, helper, depth + 1)
                            for one in pieces
                        ]
                    )
                text = text_forms.text_of(self._ev, self._ev.store.files[file], number)
                if text != number:
                    return self._part(file, text, helper, depth + 1)
        shape = self._one(file, number, depth)
        return shape if shape.fixed else self._apart(shape, helper)

    def _given(self, file: int, name: facts.Name, helper: _Helper, depth: int) -> Shape | None:
        """What a call passes for a parameter, or a local variable is set to."""
        index = self._ev.store.files[file]
        position = index.parameters.get((helper.scope, name.name))
        bindings = index.bindings.get((helper.scope, name.name), ())
        if position is not None and not bindings:
            arguments = helper.given.get(position)
            default = index.facts.scopes[helper.scope].parameters[position].default
            if arguments is not None and len(arguments) == 1 and position in helper.single(index):
                return self._part(helper.call[0], arguments[0], helper.around, depth + 1)
            if arguments == [] and default != NONE:
                return self._part(file, default, helper, depth + 1)
        elif len(bindings) == 1 and bindings[0].kind == "assign" and not bindings[0].path and bindings[0].value != NONE:
            return self._part(file, bindings[0].value, helper, depth + 1)
        return None

    def _joined(self, file: int, call: facts.Call, helper: _Helper, depth: int) -> Shape | None:
        """`parts.join(":")` of the parameter that gathers the arguments of a call, and of a list that takes them in:
        ``['app', ...parts].join(':')``.
        """
        callee = self._ev.store.files[file].facts.exprs[call.callee]
        if not isinstance(callee, facts.Member) or len(call.arguments) != 1:
            return None
        if callee.name not in self._ev.roles(file).words.text_joiners:
            return None
        holder, change = self._behind_calls(file, callee.object)
        listed = self._ev.store.files[file].facts.exprs[holder]
        written = isinstance(listed, facts.Collection) and listed.kind != "map" and not listed.generated
        items = listed.items if isinstance(listed, facts.Collection) and written else (holder,)
        between = self._part(file, call.arguments[0].value, helper, depth + 1)
        pieces = []
        for item in items:
            arguments = self._gathered(file, item, helper)
            if arguments is None and not written:
                return None
            given = [(helper.call[0], one, helper.around) for one in arguments or ()]
            for at, one, around in given if arguments is not None else [(file, item, helper)]:
                pieces += [self._changed((at, one), around, (file, change), helper, depth + 1), between]
        return _concatenated(pieces[:-1])

    def _behind_calls(self, file: int, number: int) -> tuple[int, int]:
        """The list some elements of which a call gives, each of them changed by a function perhaps, and that function:
        ``parts.filter(Boolean).map((part) => String(part))``.
        """
        words = self._ev.roles(file).words
        change = NONE
        while isinstance(call := self._ev.store.expr((file, number)), facts.Call) and call.arguments:
            callee = self._ev.store.expr((file, call.callee))
            if not isinstance(callee, facts.Member):
                break
            if callee.name in words.element_callbacks and callee.name not in (*words.folds, *words.map_keepers):
                if change != NONE:
                    break
                change = call.arguments[0].value
            elif callee.name not in words.map_keepers:
                break
            number = callee.object
        return number, change

    def _changed(self, element: Ref, around: _Helper | None, change: Ref, helper: _Helper, depth: int) -> Shape:
        """The shape of an element of a list that a function changes, if there is one."""
        file, number = change
        forms = self._ev.roles(file).text_forms
        if number == NONE or forms.get(self._ev.binder.dotted(file, number)) == _OF_ARGUMENT:  # ``map(String)``
            return self._part(*element, around, depth)
        made = [one for one in self._ev.values(file, number) if isinstance(one, FunctionValue)]
        jumps = self._ev.store.files[made[0].file].jumps.get(made[0].scope, ()) if len(made) == 1 else ()
        returned = [jump.value for jump in jumps if jump.kind == "return"]
        if len(returned) != 1 or returned[0] == NONE or element[0] != helper.call[0]:
            return self._hole(*element)
        inner = _Helper(made[0].file, made[0].scope, returned[0], {0: [element[1]]}, helper.call, around)
        return self._within(inner, depth)

    def _gathered(self, file: int, number: int, helper: _Helper) -> list[int] | None:
        """The arguments that a parameter like ``...parts`` gathers."""
        index = self._ev.store.files[file]
        name = index.facts.exprs[number]
        position = index.parameters.get((helper.scope, name.name)) if isinstance(name, facts.Name) else None
        if position is None or index.facts.scopes[helper.scope].parameters[position].kind != "*":
            return None
        return helper.given.get(position)

    def _holds(self, file: int, condition: int, helper: _Helper) -> bool | None:
        """Whether a condition over the arguments of one call holds; None if that is not known."""
        index = self._ev.store.files[file]
        expr = index.facts.exprs[condition]
        sizes = self._ev.roles(file).words.sizes
        if isinstance(expr, facts.Operation) and len(expr.operands) == 2:
            left, right = index.facts.exprs[expr.operands[0]], index.facts.exprs[expr.operands[1]]
            if isinstance(left, facts.Member) and left.name in sizes and isinstance(right, facts.Literal):
                gathered = self._gathered(file, left.object, helper)
                compare = _COMPARED.get(expr.operator)
                if gathered is not None and compare is not None and isinstance(right.value, int):
                    return compare(len(gathered), right.value)
        elif isinstance(expr, facts.Member) and expr.name in sizes:
            gathered = self._gathered(file, expr.object, helper)
            return bool(gathered) if gathered is not None else None
        elif isinstance(expr, facts.Name):
            position = index.parameters.get((helper.scope, expr.name))
            if position in helper.single(index) and helper.given.get(position) == []:
                default = index.facts.scopes[helper.scope].parameters[position].default
                return False if default == NONE else None
        return None

    def _apart(self, shape: Shape, helper: _Helper) -> Shape:
        """A shape of which only another call of the helper with the same arguments has the same identity."""
        file, number = helper.call
        call = self._ev.store.files[file].facts.exprs[number]
        assert isinstance(call, facts.Call)
        inside = ",".join(self.identity(file, item.value) for item in call.arguments[:8])
        return Shape(shape.template, f"{shape.identity}({inside})", shape.holes)

    def _one(self, file: int, expr: int, depth: int) -> Shape:
        if self._differs(file, expr):
            return self._hole(file, expr)
        values = self._ev.values(file, expr)
        if len(values) == 1 and isinstance(values[0], Const) and values[0].value is not None:
            return Shape(str(values[0].value), str(values[0].value))
        known = [value for value in values if not isinstance(value, Unknown)]
        if len(known) == 1 and isinstance(known[0], Text) and depth < _DEPTH:
            # What is not known of a template's parts is not known of the template.
            if len(known) == len(values) or any(isinstance(one, Unknown) for one in self._ev.values(*known[0].ref)):
                return self._built(known[0].ref, depth + 1)
        if len(known) == 1 and (built := self._of_builder(known[0], depth + 1)) is not None:
            return built
        return self._hole(file, expr)

    def _differs(self, file: int, expr: int) -> bool:
        """Whether an expression reads what a loop over data comes to: something else in each turn."""
        index = self._ev.store.files[file]
        found = index.facts.exprs[expr]
        while isinstance(found, facts.Member | facts.Index):
            expr = found.object
            found = index.facts.exprs[expr]
        definitions = self._ev.binder.names(file).at(expr) if isinstance(found, facts.Name) else ()
        return bool(definitions) and all(
            one.kind == "for" and self._is_data(index, index.facts.bindings[one.number].value) for one in definitions
        )

    def _is_data(self, index: FileIndex, iterable: int) -> bool:
        """Whether what a loop runs over is what a function was passed."""
        found = index.facts.exprs[iterable] if iterable != NONE else None
        definitions = self._ev.binder.names(index.number).at(iterable) if isinstance(found, facts.Name) else ()
        return bool(definitions) and all(one.kind == "parameter" for one in definitions)

    def _built(self, ref: tuple[int, int], depth: int) -> Shape:
        file = ref[0]
        expr = self._ev.store.expr(ref)
        match expr:
            case facts.Template(parts=parts):
                pieces = [Shape(p, p) if isinstance(p, str) else self._said(file, p, depth) for p in parts]
                return _concatenated(pieces)
            case facts.Operation(operator="+", operands=operands):
                return _concatenated([self._said(file, operand, depth) for operand in operands])
            case facts.Operation(operator="%", operands=(left, right)):
                return self._formatted(file, self._one(file, left, depth), right, depth)
            case facts.Call():
                return self._called(ref, expr, depth)
        return self._hole(*ref)

    def _said(self, file: int, expr: int, depth: int) -> Shape:
        """The shape of what is joined to a text: of an object of the project what it says of itself."""
        parts = constant_objects.parts_in_text(self._ev, file, expr)
        if parts is None:
            return self._of_constant(file, expr, depth + 1) or self._one(file, expr, depth)
        return _concatenated([Shape(one, one) if isinstance(one, str) else self._one(*one, depth) for one in parts])

    def _formatted(self, file: int, base: Shape, right: int, depth: int) -> Shape:
        inner = self._ev.store.files[file].facts.exprs[right]
        items = inner.items if isinstance(inner, facts.Collection) else (right,)
        if isinstance(inner, facts.Collection) and inner.kind == "map":  # placeholders with names
            return Shape(
                _NAMED.sub(HOLE, base.template), f"{base.identity}%{self.identity(file, right)}", ((file, right),)
            )
        holes = [self._one(file, item, depth) for item in items]
        template = _printed(base.template, holes)
        identity = base.identity + "%" + ",".join(hole.identity for hole in holes)
        filled = [(file, item) for item, hole in zip(items, holes, strict=True) if not hole.fixed]
        each = len(filled) == template.count(HOLE)
        return Shape(template, identity, tuple(filled) if each else ((file, right),) if HOLE in template else ())

    def _called(self, ref: tuple[int, int], expr: facts.Call, depth: int) -> Shape:
        file = ref[0]
        if (put := self._put_together(ref, depth)) is not None:
            return put
        text = text_forms.text_of(self._ev, self._ev.store.files[file], ref[1])
        if text != ref[1] and depth < _DEPTH and _is_said(said := self._one(file, text, depth + 1)):
            return said
        callee = self._ev.store.files[file].facts.exprs[expr.callee]
        functions = self._ev.roles(file).text_functions
        for value in self._ev.values(file, expr.callee):
            how = functions.get(value.dotted, "") if isinstance(value, External) else ""
            if how and expr.arguments:
                return self._by_function(file, how, [item.value for item in expr.arguments], depth)
        if not isinstance(callee, facts.Member):
            return self._hole(*ref)
        base = self._one(file, callee.object, depth)
        if callee.name == "format":
            given = [(item.name, self._one(file, item.value, depth)) for item in expr.arguments]
            holes = ",".join(shape.identity for _, shape in given)
            template = _braces(base.template, given)
            open_ = [
                (file, item.value) for item, (_, shape) in zip(expr.arguments, given, strict=True) if not shape.fixed
            ]
            each = len(open_) == template.count(HOLE)
            return Shape(
                template, f"{base.identity}%{holes}", tuple(open_) if each else (ref,) if HOLE in template else ()
            )
        if callee.name in ("encode", "decode", "strip", "lower", "upper"):
            return base
        if callee.name == "join" and expr.arguments:
            inner = self._ev.store.files[file].facts.exprs[expr.arguments[0].value]
            if isinstance(inner, facts.Collection) and not inner.generated:
                pieces = []
                for item in inner.items:
                    pieces += [self._one(file, item, depth), base]
                return _concatenated(pieces[:-1])
        return self._hole(*ref)

    def _by_function(self, file: int, how: str, arguments: list[int], depth: int) -> Shape:
        """`String.format("user:%s", id)`."""
        pieces = [self._said(file, argument, depth) for argument in arguments]
        if how != "format":
            return pieces[0] if how == "same" else _concatenated(pieces)
        template = _printed(pieces[0].template, pieces[1:])
        identity = pieces[0].identity + "%" + ",".join(piece.identity for piece in pieces[1:])
        given = zip(arguments[1:], pieces[1:], strict=True)
        holes = tuple((file, argument) for argument, piece in given if not piece.fixed)
        return Shape(_braces(template), identity, holes)

    def _hole(self, file: int, expr: int) -> Shape:
        file, expr = self._passed(file, expr)
        return Shape(HOLE, "{" + self.identity(file, expr) + "}", ((file, expr),))

    def _passed(self, file: int, expr: int) -> tuple[int, int]:
        """The field of an object that the one call of the context passes for a parameter, or the expression itself."""
        for here, number in self._handed(file, expr):
            found = self._ev.store.files[here].facts.exprs[number]
            if isinstance(found, facts.Member):
                owned = any(isinstance(one, Instance) for one in self._ev.values(here, found.object))
                return (here, number) if owned else (file, expr)
        return file, expr

    def _handed(self, file: int, number: int) -> Iterator[Ref]:
        """An expression; if it is a parameter, what the one call of the context passes for it, and so on."""
        for _ in range(_DEPTH):
            if number == NONE:
                return
            yield file, number
            index = self._ev.store.files[file]
            found = index.facts.exprs[number]
            definitions = self._ev.binder.names(file).at(number) if isinstance(found, facts.Name) else ()
            if len(definitions) != 1 or definitions[0].kind != "parameter":
                return
            scope, position = definitions[0].scope, definitions[0].number
            edges = self._ev.calls_here(file, scope)
            if len(edges) != 1 or not isinstance(self._ev.store.expr(edges[0].ref), facts.Call):
                return
            record = index.facts.scopes[scope]
            given = calls.argument(self._ev.store.files[edges[0].file], edges[0].call, record, position, edges[0].bound)
            file, number = edges[0].file, given if given is not None else NONE

    def identity(self, file: int, expr: int, depth: int = 0) -> str:
        """A text that is equal for two expressions of one function that read the same thing."""
        index = self._ev.store.files[file]
        found = index.facts.exprs[expr] if expr != NONE else None
        if depth > _DEPTH:
            return f"{file}.{expr}"
        match found:
            case facts.Name(name=name, block=block):
                if owner_of := index.field_owner(name, block):
                    return f"<{file}.{owner_of}>.{name}"
                return f"{file}.{index.function_of(block)}.{name}"
            case facts.Member(object=inner, name=name):
                owners = {value for value in self._ev.values(file, inner) if isinstance(value, Instance)}
                if len(owners) == 1:
                    owner = owners.pop()
                    return f"<{owner.file}.{owner.scope}>.{name}"
                return f"{self.identity(file, inner, depth + 1)}.{name}"
            case facts.Literal(value=value):
                return repr(value)
            case facts.Index(object=inner, key=key):
                return f"{self.identity(file, inner, depth + 1)}[{self.identity(file, key, depth + 1)}]"
            case facts.Call(callee=callee, arguments=arguments):
                inside = ",".join(self.identity(file, item.value, depth + 1) for item in arguments[:8])
                said = "" if arguments or depth else self._inherited(index, callee)
                return f"{said or self.identity(file, callee, depth + 1)}({inside})"
        return f"{file}.{expr}"

    def _inherited(self, index: FileIndex, callee: int) -> str:
        """What a method is called of which nothing is known but that the object has it from a class somewhere above."""
        name = index.facts.exprs[callee]
        if not isinstance(name, facts.Name) or self._ev.binder.names(index.number).at(callee):
            return ""
        around: list[int] = []
        scope = index.scope_of(name.block)
        while scope != NONE:
            record = index.facts.scopes[scope]
            if record.kind == "class" and record.is_open:
                around.append(scope)
            scope = record.parent
        return f"<{index.number}.{around[-1]}>.{name.name}" if around else ""


def _is_said(shape: Shape) -> bool:
    """Whether the key's text is known, or it is a setting; not merely which object keeps it."""
    return not shape.only_hole or bool(shape.setting)


def _concatenated(pieces: list[Shape]) -> Shape:
    return Shape(
        "".join(piece.template for piece in pieces),
        "".join(piece.identity for piece in pieces),
        tuple(hole for piece in pieces for hole in piece.holes),
    )


def _printed(template: str, given: Sequence[Shape]) -> str:
    """`user:%s` with what is given: constants as they are, the rest as holes."""
    values = iter(given)

    def value(found: re.Match[str]) -> str:
        shape = next(values, None)
        return shape.template if shape is not None and shape.fixed else HOLE

    return _PERCENT.sub(value, template)


def _braces(template: str, given: Sequence[tuple[str, Shape]] = ()) -> str:
    """`user:{id}` and `user:{0}` as written for `str.format` -> `user:{}`, or `user:7` where that is given."""
    by_name = {name: shape for name, shape in given if name.strip("*")}
    by_position = [shape for name, shape in given if not name]
    out, depth, field, count = [], 0, "", 0
    for char in template:
        if char == "{":
            depth, field = depth + 1, "" if depth == 0 else field
        elif char == "}":
            depth = max(0, depth - 1)
            if depth == 0:
                position = int(field) if field.isdecimal() and len(field) < _DEPTH else count
                plain = by_position[position] if position < len(by_position) and not field.strip("0123456789") else None
                shape = by_name.get(field, plain)
                out.append(shape.template if shape is not None and shape.fixed else HOLE)
                count += 1
        elif depth == 0:
            out.append(char)
        else:
            field += char
    return "".join(out)
