"""Tables derived from one file's facts, built once so that every question afterwards is a lookup."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from resplint.bind.source_ranges import ByPlace
from resplint.contracts import facts as records
from resplint.contracts.facts import NONE, FileFacts

_ENDING = ("return", "raise")
_RUN = ("body", "if", "else", "with", "for", "while", "try", "except", "finally")


@dataclass
class FileIndex:
    """One file of the linked project; `number` is its position there."""

    number: int
    facts: FileFacts
    bindings: dict[tuple[int, str], list[records.Binding]] = field(default_factory=lambda: defaultdict(list))
    imports: dict[tuple[int, str], list[records.Import]] = field(default_factory=lambda: defaultdict(list))
    definitions: dict[tuple[int, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    """(scope, name) -> scopes of functions and classes defined there."""
    parameters: dict[tuple[int, str], int] = field(default_factory=dict)
    """(scope, name) -> position of the parameter."""
    constructors: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    """Class scope -> its functions that run when an object is made."""
    stars: dict[int, list[records.Import]] = field(default_factory=lambda: defaultdict(list))
    jumps: dict[int, list[records.Jump]] = field(default_factory=lambda: defaultdict(list))
    """Function scope -> its returns, raises and yields, those in nested comprehensions included."""

    def __post_init__(self) -> None:
        file = self.facts
        for binding in file.bindings:
            self.bindings[binding.scope, binding.name].append(binding)
        for item in file.imports:
            if item.name == "*":
                self.stars[item.scope].append(item)
            else:
                self.imports[item.scope, item.alias].append(item)
        for number, scope in enumerate(file.scopes):
            if scope.kind in ("function", "class") and scope.name:
                self.definitions[scope.parent, scope.name].append(number)
            if scope.is_constructor:
                self.constructors[scope.parent].append(number)
            for position, parameter in enumerate(scope.parameters):
                self.parameters[number, parameter.name] = position
        for jump in file.jumps:
            around = self.scope_of(jump.block)
            own = file.scopes[around].kind == "comprehension" and jump.kind == "return"
            if own:
                self.jumps[around].append(jump)
            if not own or file.blocks[file.scopes[around].block].kind == "for":
                self.jumps[self.function_of(jump.block)].append(jump)

    # -- where things stand --------------------------------------------------------------------------------------------

    def scope_of(self, block: int) -> int:
        """Scope to which a block belongs."""
        return self.facts.blocks[block].scope

    def function_of(self, block: int) -> int:
        """Nearest enclosing scope that is not a comprehension."""
        scope = self.facts.blocks[block].scope
        while self.facts.scopes[scope].kind == "comprehension":
            scope = self.facts.scopes[scope].parent
        return scope

    def enclosing_blocks(self, block: int, scope: int | None = None) -> list[int]:
        """The block and those around it, innermost first; up to the body of `scope` (default: its own function)."""
        stop = self.facts.scopes[self.function_of(block) if scope is None else scope].block
        chain = [block]
        while block not in (stop, NONE) and len(chain) < 1_000:
            block = self.facts.blocks[block].parent
            if block != NONE:
                chain.append(block)
        return chain

    def runs_with_function(self, block: int) -> bool:
        """Whether a block is the body of its function, or entered whenever that is: in `with` or `if True`."""
        *inside, _ = (self.facts.blocks[one] for one in self.enclosing_blocks(block))
        for one in inside:
            head = self.facts.exprs[one.head] if one.kind == "if" and one.head != NONE else None
            if one.kind != "with" and not (isinstance(head, records.Literal) and head.value is True):
                return False
        return True

    def contains(self, outer: int, inner: int) -> bool:
        """Whether one block is the other or lies in it."""
        blocks = self.facts.blocks
        return blocks[outer].start <= blocks[inner].start and blocks[inner].end <= blocks[outer].end

    def class_of(self, scope: int) -> int:
        """The class whose body defines this function directly, or NONE."""
        parent = self.facts.scopes[scope].parent
        if parent != NONE and self.facts.scopes[parent].kind == "class":
            return parent
        return NONE

    def owner(self, name: str, scope: int) -> int:
        """The scope whose variable or parameter a bare name is for code in a scope; NONE when the file has none."""
        first = scope
        while scope != NONE:
            record = self.facts.scopes[scope]
            if record.kind != "class" or record.is_open or scope == first:
                if (scope, name) in self.bindings or (scope, name) in self.parameters:
                    return scope
            scope = record.parent
        return NONE

    def is_variable(self, number: int) -> bool:
        """Whether an expression is a bare name that the file has a variable or parameter for."""
        expr = self.facts.exprs[number]
        return isinstance(expr, records.Name) and self.owner(expr.name, self.scope_of(expr.block)) != NONE

    def field_owner(self, name: str, block: int) -> int:
        """The class whose field a bare name is; 0 when it is none (the module is no class)."""
        owner = self.owner(name, self.scope_of(block))
        return owner if owner > 0 and self.facts.scopes[owner].is_open else 0

    def within(self, block: int, scope: int) -> bool:
        """Whether a block lies in a scope or in one nested in it."""
        current = self.facts.blocks[block].scope
        while current not in (scope, NONE):
            current = self.facts.scopes[current].parent
        return current == scope

    def call_number(self, call: records.Call) -> int:
        """Index of a call's record."""
        return self.call_of[call.callee]

    def qualified_name(self, scope: int) -> str:
        """Dotted name of a scope within its file; "" for the module."""
        names = []
        while scope != NONE:
            record = self.facts.scopes[scope]
            if record.name:
                names.append(record.name)
            scope = record.parent
        return ".".join(reversed(names))

    def callable_names(self, scope: int) -> list[str]:
        """The dotted names within its file that a function goes by: its own, or those it is bound to."""
        if self.facts.scopes[scope].name:
            return [self.qualified_name(scope)]
        return self._bound_functions.get(scope, [])

    @cached_property
    def name_of_function(self) -> dict[int, str]:
        """For functions written in place: the first name they are bound to, or the member that they are stored in."""
        given = [(binding.name, binding.value) for binding in self.facts.bindings]
        given += [(self.target_name(write.target) or "", write.value) for write in self.facts.writes]
        for expr in self.facts.exprs:
            if isinstance(expr, records.Collection):
                given += [(self._text(key), item) for key, item in zip(expr.keys, expr.items, strict=False)]
        values = [(name, self.facts.exprs[number]) for name, number in given if name and number != NONE]
        return {one.scope: name for name, one in reversed(values) if isinstance(one, records.Function)}

    def _text(self, number: int) -> str:
        key = self.facts.exprs[number] if number != NONE else None
        return key.value if isinstance(key, records.Literal) and isinstance(key.value, str) else ""

    @cached_property
    def _bound_functions(self) -> dict[int, list[str]]:
        """For functions written in place: the names they are bound to, or handed out under by the module."""
        found: dict[int, list[str]] = {}
        for binding in self.facts.bindings:
            if binding.value != NONE and not binding.path:
                around = self.qualified_name(binding.scope)
                for name, scope in self._functions_in(binding):
                    found.setdefault(scope, []).append(f"{around}.{name}" if around else name)
        return found

    def _functions_in(self, binding: records.Binding) -> Iterator[tuple[str, int]]:
        """Name and scope of the function that a name is bound to, or of those in the object that a module is."""
        value = self.facts.exprs[binding.value]
        if isinstance(value, records.Function):
            yield binding.name.removeprefix("exports."), value.scope
        elif isinstance(value, records.Collection) and binding.name == "exports":
            for key, item in zip(value.keys, value.items, strict=False):
                if (name := self._text(key)) and isinstance(function := self.facts.exprs[item], records.Function):
                    yield name, function.scope

    def is_passed_on(self, call: records.Call) -> bool:
        """Whether a method calls one of what its object keeps: ``self.other.save(item)``."""
        callee = self.facts.exprs[call.callee]
        kept = self.facts.exprs[callee.object] if isinstance(callee, records.Member) else None
        owner = self.facts.exprs[kept.object] if isinstance(kept, records.Member) else None
        if not isinstance(owner, records.Name):
            return False
        scope = self.function_of(call.block)
        while scope != NONE:
            record = self.facts.scopes[scope]
            if record.receiver and record.belongs == "object":
                return owner.name == record.receiver
            scope = record.parent
        return False

    def own_parameters(self, scope: int) -> tuple[records.Parameter, ...]:
        """Parameters of a function without the receiver."""
        return self._parameters[scope]

    def arity(self, scope: int) -> tuple[int, int, bool]:
        """How many arguments a function takes at most and at least, and whether it collects further ones."""
        return self._arities[scope]

    @cached_property
    def _parameters(self) -> list[tuple[records.Parameter, ...]]:
        return [
            tuple(item for item in scope.parameters if item.name != scope.receiver or not scope.belongs)
            for scope in self.facts.scopes
        ]

    @cached_property
    def _arities(self) -> list[tuple[int, int, bool]]:
        return [
            (len(own), sum(item.default == NONE for item in own), any(item.kind in ("*", "**") for item in own))
            for own in self._parameters
        ]

    # -- what refers to what -------------------------------------------------------------------------------------------

    @cached_property
    def member_names(self) -> frozenset[str]:
        """Names of all methods and fields that its classes declare."""
        classes = {number for number, scope in enumerate(self.facts.scopes) if scope.kind == "class"}
        methods = {scope.name for scope in self.facts.scopes if scope.kind == "function" and scope.parent in classes}
        return frozenset(methods | {binding.name for binding in self.facts.bindings if binding.scope in classes})

    @cached_property
    def calls(self) -> list[int]:
        """All call sites, in source order."""
        found = [number for number, expr in enumerate(self.facts.exprs) if isinstance(expr, records.Call)]
        return sorted(found, key=lambda number: (self.facts.exprs[number].end, number))

    @cached_property
    def _call_starts(self) -> tuple[list[int], list[int]]:
        pairs = sorted((self.facts.exprs[number].start, number) for number in self.calls)
        return [start for start, _ in pairs], [number for _, number in pairs]

    def calls_in(self, start: int, end: int) -> list[tuple[int, records.Call]]:
        """(number, call) of the call sites that start between two offsets, in source order."""
        starts, numbers = self._call_starts
        found = []
        for number in numbers[bisect_left(starts, start) : bisect_left(starts, end)]:
            call = self.facts.exprs[number]
            assert isinstance(call, records.Call)
            found.append((number, call))
        return found

    def blocks_in(self, start: int, end: int) -> range:
        """Numbers of the blocks that start between two offsets (blocks are numbered in source order)."""
        return range(bisect_left(self._block_starts, start), bisect_left(self._block_starts, end))

    @cached_property
    def _block_starts(self) -> list[int]:
        return [block.start for block in self.facts.blocks]

    @cached_property
    def clauses(self) -> dict[tuple[str, int], list[int]]:
        """(kind, statement) -> the blocks of a statement: its try, its else, its handlers."""
        table: dict[tuple[str, int], list[int]] = defaultdict(list)
        for number, block in enumerate(self.facts.blocks):
            table[block.kind, block.group].append(number)
        return table

    @cached_property
    def jumps_in_block(self) -> dict[int, list[records.Jump]]:
        """Block -> the jumps that stand directly in it."""
        table: dict[int, list[records.Jump]] = defaultdict(list)
        for jump in self.facts.jumps:
            table[jump.block].append(jump)
        return table

    @cached_property
    def _left_at(self) -> dict[int, int]:
        """Block of a function -> the end of the first statement in it that always leaves it: a `return`, or an ``if``
        all of whose branches return. The statements of a `switch` need not run one after the other.
        """
        blocks, table = self.facts.blocks, dict[int, int]()
        module = self.function_of(0)
        choosing = defaultdict[int, list[tuple[int, int]]](list)  # `found || return nothing`
        for expr in self.facts.exprs:
            if isinstance(expr, records.Operation) and len(expr.operands) > 1:
                choosing[expr.block].append((expr.start, expr.end))
        for jump in self.facts.jumps:
            if self.function_of(jump.block) == module:
                continue
            if jump.kind in _ENDING and jump.value != NONE and blocks[jump.block].kind in _RUN:
                if any(start < jump.start < end for start, end in choosing[jump.block]):
                    continue
                end = self.facts.exprs[jump.value].end
                table[jump.block] = min(end, table.get(jump.block, end))
        for block in blocks:
            if block.kind != "else" or block.parent == NONE or self.function_of(block.parent) == module:
                continue
            if blocks[block.parent].kind in _RUN:
                branches = [one for kind in ("if", "else") for one in self.clauses.get((kind, block.group), ())]
                if all(any(jump.kind in _ENDING for jump in self.jumps_in_block.get(one, ())) for one in branches):
                    end = max(blocks[one].end for one in branches)
                    table[block.parent] = min(end, table.get(block.parent, end))
        return table

    def never_runs(self, number: int) -> bool:
        """Whether an expression stands behind a statement that always leaves its block."""
        expr = self.facts.exprs[number]
        return any(
            one in self._left_at and self._left_at[one] <= expr.start for one in self.enclosing_blocks(expr.block)
        )

    @cached_property
    def by_name(self) -> dict[str, list[int]]:
        """Last name of a `Name` or `Member` expression -> the expressions."""
        table: dict[str, list[int]] = defaultdict(list)
        for number, expr in enumerate(self.facts.exprs):
            if isinstance(expr, records.Name | records.Member):
                table[expr.name].append(number)
        return table

    @cached_property
    def _names_by_place(self) -> dict[str, tuple[list[int], list[int]]]:
        """Name -> where it stands, in order, and which expressions these are."""
        table: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for name, numbers in self.by_name.items():
            for number in numbers:
                if isinstance(self.facts.exprs[number], records.Name):
                    table[name].append((self.facts.exprs[number].start, number))
        return {
            name: ([at for at, _ in sorted(found)], [one for _, one in sorted(found)]) for name, found in table.items()
        }

    def names_between(self, name: str, start: int, end: int) -> list[int]:
        """Where a stretch of the file mentions a bare name, in order."""
        places, numbers = self._names_by_place.get(name, ([], []))
        return numbers[bisect_left(places, start) : bisect_left(places, end)]

    @cached_property
    def by_place(self) -> ByPlace:
        """Operations, bindings and jumps, to be asked for those of a stretch of the file."""
        return ByPlace(self.facts)

    @cached_property
    def function_expr(self) -> dict[int, int]:
        """Scope of a function (or class) written in place -> its expression."""
        return {
            expr.scope: number for number, expr in enumerate(self.facts.exprs) if isinstance(expr, records.Function)
        }

    @cached_property
    def call_of(self) -> dict[int, int]:
        """Callee expression -> the call."""
        table = {}
        for number in self.calls:
            call = self.facts.exprs[number]
            assert isinstance(call, records.Call)
            table[call.callee] = number
        return table

    @cached_property
    def argument_of(self) -> dict[int, tuple[int, int]]:
        """Argument expression -> (call, position)."""
        table = {}
        for number in self.calls:
            call = self.facts.exprs[number]
            assert isinstance(call, records.Call)
            for position, argument in enumerate(call.arguments):
                table[argument.value] = (number, position)
        return table

    @cached_property
    def guards(self) -> dict[int, list[int]]:
        """Block -> the branches below it, under a condition, that always leave: ``if timeout is None: return``."""
        table: dict[int, list[int]] = defaultdict(list)
        leaving = {jump.block for jump in self.facts.jumps if jump.kind != "yield"}
        for number in sorted(leaving):
            block = self.facts.blocks[number]
            if block.kind == "if" and block.head != NONE:
                table[block.parent].append(number)
        return table

    @cached_property
    def membership_tests(self) -> dict[str, list[int]]:
        """Name -> where it stands on the left of ``in`` or ``not in``."""
        found: dict[str, list[int]] = defaultdict(list)
        for expr in self.facts.exprs:
            if isinstance(expr, records.Operation) and expr.operator in ("in", "not in"):
                tested = self.facts.exprs[expr.operands[0]]
                if isinstance(tested, records.Name):
                    found[tested.name].append(expr.operands[0])
        return found

    def scopes_around(self, offset: int) -> Iterator[int]:
        """The scopes that an offset lies in, innermost first, without that of the file."""
        at = bisect_right(self._by_start, (offset, len(self.facts.scopes)))
        number = self._by_start[at - 1][1] if at else NONE
        while number > 0:
            record = self.facts.scopes[number]
            if record.start <= offset < record.end:
                yield number
            number = record.parent

    @cached_property
    def _by_start(self) -> list[tuple[int, int]]:
        """Scopes in the order in which they begin."""
        return sorted((record.start, number) for number, record in enumerate(self.facts.scopes))

    @cached_property
    def bindings_by_name(self) -> dict[str, list[records.Binding]]:
        """Name -> everything that gives it a value, in any scope."""
        table: dict[str, list[records.Binding]] = defaultdict(list)
        for binding in self.facts.bindings:
            table[binding.name].append(binding)
        return table

    @cached_property
    def bound_to(self) -> dict[int, list[records.Binding]]:
        """Value expression -> the names it is bound to."""
        table: dict[int, list[records.Binding]] = defaultdict(list)
        for binding in self.facts.bindings:
            table[binding.value].append(binding)
        return table

    @cached_property
    def written_to(self) -> dict[int, list[records.Write]]:
        """Value expression -> the members and elements it is stored in."""
        table: dict[int, list[records.Write]] = defaultdict(list)
        for write in self.facts.writes:
            table[write.value].append(write)
        return table

    @cached_property
    def writes_to(self) -> dict[int, list[records.Write]]:
        """Member or element -> what is stored in it."""
        table: dict[int, list[records.Write]] = defaultdict(list)
        for write in self.facts.writes:
            table[write.target].append(write)
        return table

    @cached_property
    def writes_by_name(self) -> dict[str, list[records.Write]]:
        """Member name (or literal key) -> the writes to it."""
        table: dict[str, list[records.Write]] = defaultdict(list)
        for write in self.facts.writes:
            if (name := self.target_name(write.target)) is not None:
                table[name].append(write)
        return table

    def target_name(self, target: int) -> str | None:
        """Name of a member, or the literal text of an element's key."""
        expr = self.facts.exprs[target]
        if isinstance(expr, records.Index):
            return self._text(expr.key) or None
        return expr.name if isinstance(expr, records.Member) else None

    @cached_property
    def heads(self) -> dict[int, str]:
        """Expression -> the kind of the block that it stands at the head of."""
        return {block.head: block.kind for block in self.facts.blocks if block.head != NONE}

    @cached_property
    def conditions(self) -> frozenset[int]:
        """The expressions that decide whether a block runs."""
        return frozenset(head for head, kind in self.heads.items() if kind in ("if", "while"))

    @cached_property
    def branches(self) -> dict[int, list[int]]:
        """Condition -> the blocks that run if it holds."""
        table: dict[int, list[int]] = defaultdict(list)
        for number, block in enumerate(self.facts.blocks):
            if block.kind == "if" and block.head != NONE:
                table[block.head].append(number)
        return table

    @cached_property
    def jump_with(self) -> dict[int, records.Jump]:
        """Expression -> the jump that returns, raises or yields it."""
        return {jump.value: jump for jump in self.facts.jumps if jump.value != NONE}

    def returned_by(self, expr: int) -> int:
        """The function that is left with an expression as its value, NONE if none is."""
        jump = self.jump_with.get(expr)
        function = self.function_of(jump.block) if jump is not None else NONE
        return function if jump is not None and jump in self.jumps[function] else NONE

    @cached_property
    def parents(self) -> dict[int, int]:
        """Expression -> the expression that holds it as a direct part."""
        table: dict[int, int] = {}
        for number, expr in enumerate(self.facts.exprs):
            for child in children(expr):
                table.setdefault(child, number)
        return table


def children(expr: records.Expr) -> tuple[int, ...]:
    """Direct parts of an expression."""
    match expr:
        case records.Template(parts=parts):
            return tuple(part for part in parts if isinstance(part, int))
        case records.Member(object=inner):
            return (inner,)
        case records.Call(callee=callee, arguments=arguments):
            return (callee, *(argument.value for argument in arguments))
        case records.Index(object=inner, key=key):
            return (inner, key)
        case records.Operation(operands=operands):
            return operands
        case records.Collection(items=items, keys=keys):
            return (*items, *(key for key in keys if key != NONE))
        case records.Choice(options=options, condition=condition):
            return options if condition == NONE else (*options, condition)
    return ()


def parts(exprs: Sequence[records.Expr], number: int) -> Iterator[int]:
    """An expression and all that it consists of, each once."""
    pending, seen = [number], {number}
    while pending:
        current = pending.pop()
        yield current
        for one in children(exprs[current]):
            if one not in seen:
                seen.add(one)
                pending.append(one)
