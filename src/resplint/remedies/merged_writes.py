"""How a write sets the life time itself that a command behind it sets, where that is mechanical."""

from __future__ import annotations

from resplint.bind.index import FileIndex, parts
from resplint.bind.values import Const
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.contracts.remedy import CallInstead, Drop, Given, Remedy
from resplint.flow.graph import Graph
from resplint.knowledge.ranges import version_in
from resplint.knowledge.records.client_records import MergedWriteModel
from resplint.redis.calls.separate_expiries import ABSENT, VALUE, SeparateExpiry, Step
from resplint.redis.usage import CommandSite

TITLE = "Set the life time together with the value"


def remedy(ev: Graph, pair: SeparateExpiry) -> Remedy | None:
    """One command for both; None where code between them, or the reply that is looked at, leaves that open."""
    created, expires = pair.created, pair.expires
    if not (_is_direct(created) and _is_direct(expires)) or created.file != expires.file:
        return None
    model = _model(ev, created.site, expires.site)
    index = ev.store.files[created.file]
    write, life = index.facts.exprs[created.call], index.facts.exprs[expires.call]
    if model is None or not isinstance(write, facts.Call) or not isinstance(life, facts.Call):
        return None
    if any(item.name for item in (*write.arguments, *life.arguments)) or write.awaited != life.awaited:
        return None
    if len(write.arguments) != model.count or len(life.arguments) != model.life_count:
        return None
    if pair.kind == ABSENT:
        if not _begins_branch(index, created.call, write, life):
            return None
        if not model.equal and created.call not in index.conditions:
            return None
    elif pair.kind != VALUE or not _follows(index, write, life):
        return None
    if not (model.equal or model.true_alike):
        return None
    if any(isinstance(index.facts.exprs[part], facts.Call) and _awaits(index, part) for part in _given(index, life)):
        return None
    kept = tuple(Given(kept=(created.file, item.value)) for item in write.arguments)
    lives = [item.value for item in life.arguments]
    more = tuple(
        Given(one.name, one.value, (created.file, lives[one.life]) if one.life >= 0 else None) for one in model.more
    )
    callee = index.facts.exprs[write.callee]
    name = model.method or (callee.name if isinstance(callee, facts.Member) else "")
    if not name:
        return None
    return Remedy(
        TITLE,
        (CallInstead(created.ref, name, (*kept, *more)), Drop(expires.ref)),
        _is_positive(ev, created.file, lives[1]),
    )


def _is_direct(step: Step) -> bool:
    """Whether the command itself is called, by position and on no object that is bound to a key."""
    return step.ref == step.site.ref and step.site.method.raw_index < 0 and step.site.method.key != -1


def _model(ev: Graph, created: CommandSite, expires: CommandSite) -> MergedWriteModel | None:
    library = created.receiver.origin.library
    version = ev.version(created.receiver, created.file).version
    count = len(getattr(ev.store.expr(expires.ref), "arguments", ()))
    for one in library.merged_write:
        if created.command in one.commands and expires.command in one.expiring and one.life_count == count:
            if not one.versions or version_in(version, one.versions):
                return one
    return None


def _given(index: FileIndex, call: facts.Call) -> list[int]:
    return [part for item in call.arguments for part in parts(index.facts.exprs, item.value)]


def _awaits(index: FileIndex, number: int) -> bool:
    expr = index.facts.exprs[number]
    return isinstance(expr, facts.Call) and expr.awaited


def _follows(index: FileIndex, write: facts.Call, life: facts.Call) -> bool:
    """Whether the second command is the next statement behind the first one."""
    return write.block == life.block and _is_next(index, write, life)


def _is_next(index: FileIndex, write: facts.Call, life: facts.Call) -> bool:
    """Whether no code stands between two calls: no other expression ends or begins there."""
    return not any(
        write.end <= one.start and one.end <= life.start and not _is_around(write, one) for one in index.facts.exprs
    )


def _is_around(inner: facts.Expr, outer: facts.Expr) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _begins_branch(index: FileIndex, call: int, write: facts.Call, life: facts.Call) -> bool:
    """Whether the second command is the first statement of what runs when the first one has succeeded."""
    block = index.facts.blocks[life.block]
    if block.kind != "if" or block.parent != write.block or block.head == NONE:
        return False
    if block.head != call and not _says(index, block.head, {one.name for one in index.bound_to.get(call, ())}):
        return False
    head = index.facts.exprs[block.head]
    return not any(
        write.end <= one.start and one.end <= life.start and not _is_around(head, one) and not _is_around(one, head)
        for one in index.facts.exprs
    )


def _says(index: FileIndex, number: int, names: set[str]) -> bool:
    """Whether a condition is that one of the variables is true."""
    expr = index.facts.exprs[number]
    return isinstance(expr, facts.Name) and expr.name in names


def _is_positive(ev: Graph, file: int, number: int) -> bool:
    """Whether a time is known to be none that EXPIRE would take for "at once"."""
    expr = ev.store.files[file].facts.exprs[number]
    if isinstance(expr, facts.Call) and len(expr.arguments) == 1:
        number = expr.arguments[0].value
    values = ev.values(file, number)
    return bool(values) and all(
        isinstance(one, Const) and isinstance(one.value, int | float) and one.value > 0 for one in values
    )
