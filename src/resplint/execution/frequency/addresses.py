"""Whether one client could serve all operations for which it is made anew: not if each connects to another place."""

from __future__ import annotations

from resplint.bind.index import FileIndex, children
from resplint.bind.values import External, ExternalObject, FunctionValue, LibraryObject, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.call_paths import Call, Chain, Chains
from resplint.execution.roles import PER_OPERATION, SUBMITTED, RoleTable
from resplint.flow.graph import Graph
from resplint.knowledge.records.client_records import WHO_AND_WHERE
from resplint.text.sources import SourceFinder, Sources


class Addresses:
    """Follows what a client is made of up the calls through which it is made."""

    def __init__(self, evaluator: Graph, roles: RoleTable) -> None:
        self._ev = evaluator
        self._roles = roles
        self._chains = Chains(evaluator)
        self._sources = SourceFinder(evaluator)

    def loops(self, file: int, made: int) -> set[int]:
        """The loops around a call that makes a client whose elements go into it: one client for each host."""
        index = self._ev.store.files[file]
        return self._sources.of(index, self._address(index, made, databases=True)).loops

    def vary(self, chain: Chain, certain: bool) -> bool:
        """Whether the place that a client connects to comes with the operation: from a request, an element of the
        data, or (where it is not `certain` who calls) a caller that nobody sees.
        """
        index = self._ev.store.files[chain.made[0]]
        names = frozenset(self._manners(index, chain.made[1], databases=False))
        found = self._sources.of(index, self._address(index, chain.made[1], databases=False), names)
        requested = found.requested
        aside: dict[int, set[tuple[int, int]]] = {}
        """File -> parameters around a function that another file calls, which the chain comes back to."""
        for call in chain.calls:
            if call.site.file != index.number:
                aside.setdefault(index.number, set()).update(one for one in found.parameters if one[0] != call.scope)
            found = self._passed(chain, index, found, call.site.ref)
            requested = requested or found.requested
            index = self._ev.store.files[call.site.file]
            found.parameters |= aside.pop(index.number, set())
        last = chain.calls[-1].site.ref if chain.calls else chain.made
        if chain.origin is not None and (loops := self._loops_over(index, chain.origin)):
            return bool(found.loops & loops)
        if chain.origin is not None and (submitted := self._submitted(index, last, chain.origin, found)) is not None:
            return submitted
        around = set(index.enclosing_blocks(index.facts.exprs[last[1]].block))
        if not certain and found.loops & around:
            return True
        return requested or any(
            index.within(index.facts.exprs[last[1]].block, scope) and self._is_data(index, scope, position, certain)
            for scope, position in found.parameters
        )

    def chosen(self, made: Ref) -> bool:
        """Whether whoever asks for an operation says to which server a client connects, and no caller that is known
        gives it a fixed one: the address comes with a request, or in a parameter of what handles requests, messages or
        jobs, or it is looked up by what stands there.
        """
        index = self._ev.store.files[made[0]]
        pending = [(index, self._address(index, made[1], databases=False), True)]
        names = frozenset(self._manners(index, made[1], databases=False))
        seen: set[tuple[int, int, int, bool]] = set()
        is_chosen = False
        while pending:
            index, numbers, is_address = pending.pop()
            found = self._sources.of(index, numbers, names if index.number == made[0] else frozenset())
            is_chosen = is_chosen or found.requested
            plain = {one for number in numbers if is_address for one in self._plain(index, number)}
            for scope, position in found.parameters:
                is_plain = (scope, position) in plain
                if (index.number, scope, position, is_plain) in seen:
                    continue
                seen.add((index.number, scope, position, is_plain))
                role = self._roles.of(index.number, scope)
                if role is not None and role.name in PER_OPERATION:
                    is_chosen = is_chosen or self._is_data(index, scope, position, certain=True)
                    continue
                for call in self._calls(index.number, scope):
                    other = self._ev.store.files[call.site.file]
                    given = list(self._chains.arguments(call, position))
                    fixed = [number for number in given if self._sources.is_fixed(other, number)]
                    if is_plain and fixed and len(fixed) == len(given):
                        return False
                    pending.append((other, given, is_plain))
        return is_chosen

    def _plain(self, index: FileIndex, number: int) -> set[tuple[int, int]]:
        """The parameters that are part of an expression as they are: nothing is looked up by them."""
        found: set[tuple[int, int]] = set()
        pending = [number]
        while pending:
            expr = index.facts.exprs[pending.pop()]
            if isinstance(expr, facts.Name):
                scope = index.owner(expr.name, index.scope_of(expr.block))
                if (scope, expr.name) in index.parameters:
                    found.add((scope, index.parameters[scope, expr.name]))
            elif not isinstance(expr, facts.Call | facts.Member | facts.Index):
                pending += [one for one in children(expr) if one != NONE]
        return found

    def _calls(self, file: int, scope: int) -> list[Call]:
        """The calls of a function, or that make an object by a constructor, but for those of tests."""
        index = self._ev.store.files[file]
        owner = index.class_of(scope)
        sites = self._ev.callers.of(file, scope)
        if not sites and owner != NONE and index.facts.scopes[scope].is_constructor:
            sites = self._ev.callers.of_class(file, owner)
        found: list[Call] = []
        for site in sites:
            other = self._ev.store.files[site.file]
            role = self._roles.of(site.file, other.function_of(other.facts.exprs[site.call].block))
            if role is None or role.name != "test":
                found.append(Call(site, file, scope))
        return found

    def _passed(self, chain: Chain, index: FileIndex, found: Sources, site: Ref) -> Sources:
        """The sources of the arguments that a call passes for parameters, with what is still open around it."""
        call = next(one for one in chain.calls if one.site.ref == site)
        caller = self._ev.store.files[site[0]]
        wanted = [position for scope, position in found.parameters if index.number == call.file and scope == call.scope]
        above = self._sources.of(
            caller, [number for position in sorted(wanted) for number in self._chains.arguments(call, position)]
        )
        if caller.number == index.number:
            above.parameters |= {one for one in found.parameters if one[0] != call.scope}
        return above

    def _submitted(self, index: FileIndex, last: Ref, origin: Ref, found: Sources) -> bool | None:
        """Whether a function that is submitted again and again gets its address from a loop around; None for others."""
        scope = index.function_of(index.facts.exprs[last[1]].block)
        role = self._roles.of(index.number, scope)
        call = self._ev.store.expr(origin) if origin[1] >= 0 else None
        if role is None or role.name != SUBMITTED or not isinstance(call, facts.Call):
            return None
        other = self._ev.store.files[origin[0]]
        place = next((n for n, one in enumerate(call.arguments) if self._is(other, one.value, index, scope)), None)
        if place is None:
            return None
        given = facts.Call(call.start, call.end, call.block, call.callee, call.arguments[place + 1 :])
        record = index.facts.scopes[scope]
        positional = [item.value for item in given.arguments if not item.name]
        wanted: list[int] = []
        for inner, position in found.parameters:
            name = record.parameters[position].name if inner == scope else ""
            wanted += [item.value for item in given.arguments if name and item.name == name]
            wanted += positional[position : position + 1] if inner == scope else []
        sources = self._sources.of(other, wanted)
        around = set(other.enclosing_blocks(call.block))
        open_loops = found.loops if other.number == index.number else set()
        return bool((sources.loops | open_loops) & around)

    def _is(self, index: FileIndex, number: int, other: FileIndex, scope: int) -> bool:
        values = self._ev.values(index.number, number)
        return any(isinstance(one, FunctionValue) and (one.file, one.scope) == (other.number, scope) for one in values)

    def _loops_over(self, index: FileIndex, origin: Ref) -> set[int]:
        """The blocks of the loop whose data a place is."""
        if origin[0] != index.number or origin[1] < 0:
            return set()
        return {
            number
            for number, block in enumerate(index.facts.blocks)
            if block.head == origin[1] and block.kind in ("for", "while", "comprehension")
        }

    def _is_data(self, index: FileIndex, scope: int, position: int, certain: bool) -> bool:
        """Whether a parameter brings something that another call may bring otherwise."""
        record = index.facts.scopes[scope]
        parameter = record.parameters[position]
        if parameter.name == record.receiver:
            return False
        role = self._roles.of(index.number, scope)
        if role is not None and role.name == "task" and role.pattern is not None and role.pattern.bases:
            return False  # the program makes an object for each job: nothing says that they have several servers
        if parameter.default == NONE:
            return not self._is_injected(index, parameter)
        return certain and not self._is_injected(index, parameter)

    def _is_injected(self, index: FileIndex, parameter: facts.Parameter) -> bool:
        """``settings: Settings = Depends(get_settings)``: from the application, not from the request."""
        roles = self._ev.roles(index.number)
        pending = [
            number for number in (parameter.default, parameter.annotation, *parameter.decorators) if number != NONE
        ]
        for _ in range(20):
            if not pending:
                break
            number = pending.pop()
            expr = index.facts.exprs[number]
            if isinstance(expr, facts.Call):
                pending.append(expr.callee)
            elif isinstance(expr, facts.Index):
                pending.append(expr.key)
            elif isinstance(expr, facts.Collection):
                pending += [item for item in expr.items if item != NONE]
            elif isinstance(expr, facts.Name | facts.Member):
                values = self._ev.values(index.number, number)
                paths = {one.dotted for one in values if isinstance(one, External | ExternalObject)}
                if paths & {*roles.injectors, *roles.injected, *roles.settings_values}:
                    return True
        return False

    # -- what names the place ------------------------------------------------------------------------------------------

    def _address(self, index: FileIndex, made: int, *, databases: bool) -> list[int]:
        """Arguments of a call that makes a client, but for those that say how to connect and not where; then those of
        the calls that made what it is made from. `databases` says whether a database is another place.
        """
        found: list[int] = []
        pending, seen = [made], {made}
        while pending:
            call = index.facts.exprs[pending.pop()]
            if not isinstance(call, facts.Call):
                continue
            number = index.call_number(call)
            names = self._manners(index, number, databases=databases)
            for item in call.arguments:
                if item.name not in names:
                    found += self._without(index, item.value, names)
            for value in self._ev.values(index.number, number):
                parent = value.parent.made if isinstance(value, LibraryObject) and value.parent is not None else None
                if parent is not None and parent[0] == index.number and parent[1] not in seen:
                    seen.add(parent[1])
                    pending.append(parent[1])
        return found

    def _without(self, index: FileIndex, number: int, names: set[str]) -> list[int]:
        """The entries of an object written out, without those of some names; dotted ones are those of inner objects."""
        found: list[int] = []
        pending = [(number, "")]
        while pending:
            one, path = pending.pop()
            expr = index.facts.exprs[one]
            if not isinstance(expr, facts.Collection) or not expr.keys:
                found.append(one)
                continue
            for key, item in zip(expr.keys, expr.items, strict=False):
                name = f"{path}{getattr(index.facts.exprs[key], 'value', '')}" if key != NONE else ""
                if name not in names and item != NONE:
                    pending.append((item, f"{name}."))
        return found

    def _manners(self, index: FileIndex, made: int, *, databases: bool) -> set[str]:
        """Names of the options that resplint knows of what a call makes and that are not the place: timeouts, bounds,
        retries, who connects.
        """
        found: set[str] = set()
        for value in self._ev.values(index.number, made):
            if isinstance(value, LibraryObject):
                constructor, method = value.origin.constructor, value.origin.method
                option_set = constructor.options if constructor else method.options if method else ""
                version = self._ev.version(value, index.number).version
                models = self._ev.catalogue.options(value.origin.library, option_set, version) if option_set else ()
                library = value.origin.library.library
                found |= {model.name for model in models if model.role not in WHO_AND_WHERE} | {*library.titles}
                found |= set() if databases else {*library.databases}
        return found
