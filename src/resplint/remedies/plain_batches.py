"""How a batch is sent without a transaction, where that is mechanical."""

from __future__ import annotations

from collections.abc import Collection

from resplint.bind.index import FileIndex
from resplint.bind.values import LibraryObject, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.contracts.remedy import CallInstead, Change, DeclareInstead, Remedy, SetOption
from resplint.flow.graph import Graph
from resplint.knowledge.records.batch_records import PlainModel
from resplint.redis.batches import Batch
from resplint.redis.calls.replies import looks_at_errors

TITLE = "Send the batch without MULTI/EXEC"


def remedy(ev: Graph, batch: Batch, others: Collection[Batch]) -> Remedy | None:
    """What makes `batch` one without a transaction. `others` are the batches that must stay what they are."""
    model = batch.model
    if model.parameter:
        return Remedy(TITLE, (SetOption(batch.made, model.parameter, False),))
    if model.plain is None or batch.object.kind != "pipeline":
        return None
    made = _made(ev, batch, model.plain)
    sent = _sent(ev, batch, model.plain, others) if model.plain.execute else []
    if made is None or sent is None or (model.plain.quiet and not _looks_at_errors(ev, batch, model.plain)):
        return None
    return Remedy(TITLE, (*made, *sent))


def _made(ev: Graph, batch: Batch, plain: PlainModel) -> list[Change] | None:
    """What changes where the batch starts."""
    if not plain.method:
        return []
    if _method(ev, batch.made) != batch.model.method:
        return None  # it has another name here
    changes: list[Change] = [CallInstead(batch.made, plain.method)]
    if plain.types:
        if not _stays_receiver(ev, batch):
            return None
        changes.append(DeclareInstead(batch.made, tuple(plain.types.items())))
    return changes


def _sent(ev: Graph, batch: Batch, plain: PlainModel, others: Collection[Batch]) -> list[Change] | None:
    """What changes where the batch is sent; None when it is sent in a way that has no counterpart."""
    shared = {ref for other in others for ref in other.executed}
    changes: list[Change] = []
    for ref in batch.executed:
        call, method = ev.store.expr(ref), _method(ev, ref)
        instead = plain.execute.get(method)
        if instead is None or ref in shared or not isinstance(call, facts.Call):
            return None
        if call.arguments and instead != method:
            return None  # they may mean something else there
        if plain.unread and not _unread(ev.store.files[ref[0]], ref[1]):
            return None
        changes.append(CallInstead(ref, instead))
    return changes or None


def _looks_at_errors(ev: Graph, batch: Batch, plain: PlainModel) -> bool:
    """Whether the code comes to know of a command that failed, by looking at its reply."""
    files = ev.store.files
    if plain.error_index >= 0:
        return bool(batch.executed) and all(
            looks_at_errors(files[file], call, plain.error_index) for file, call in batch.executed
        )
    if batch.executed and not any(_unread(files[file], call) for file, call in batch.executed):
        return True
    return all(_is_kept(files[site.file], site.call) for site in batch.queued)


def _is_kept(index: FileIndex, expr: int) -> bool:
    """Whether code takes what an expression gives. What a lambda gives without saying so may be taken by nobody:
    ``names.forEach(name -> batch.get(name))``.
    """
    jump = index.jump_with.get(expr)
    implied = jump is not None and jump.start == index.facts.exprs[expr].start
    return not implied and not _unread(index, expr)


def _method(ev: Graph, ref: Ref) -> str:
    """Name of the method that a call calls on an object; empty for a bare name."""
    call = ev.store.expr(ref)
    callee = ev.store.files[ref[0]].facts.exprs[call.callee] if isinstance(call, facts.Call) else None
    return callee.name if isinstance(callee, facts.Member) else ""


def _stays_receiver(ev: Graph, batch: Batch) -> bool:
    """Whether code does nothing with the batch but call its methods where it is made, so that its type shows in the
    declaration of one variable at most.
    """
    index = ev.store.files[batch.made[0]]
    scope = index.function_of(index.facts.exprs[batch.made[1]].block)
    if any(site.file != index.number or not index.within(_block(index, site.call), scope) for site in batch.queued):
        return False
    receivers = {expr.object for expr in index.facts.exprs if isinstance(expr, facts.Member)}
    body = index.facts.blocks[index.facts.scopes[scope].block]
    for number, expr in enumerate(index.facts.exprs):
        if isinstance(expr, facts.Name) and number not in receivers and body.start <= expr.start < body.end:
            if any(
                isinstance(one, LibraryObject) and one.made == batch.made for one in ev.values(index.number, number)
            ):
                return False
    return not index.written_to.get(batch.made[1]) and batch.made[1] not in index.argument_of


def _block(index: FileIndex, expr: int) -> int:
    return index.facts.exprs[expr].block


def _unread(index: FileIndex, expr: int) -> bool:
    """Whether nothing takes what an expression gives."""
    return expr not in index.jump_with and index.parents.get(expr, NONE) == NONE and not index.bound_to.get(expr)
