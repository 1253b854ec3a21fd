"""RL201: a batch is wrapped in MULTI/EXEC although nothing in it needs to be atomic."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from resplint.bind.values import CollectionValue
from resplint.contracts import facts
from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.facts import NONE
from resplint.contracts.findings import Finding, Level, Precision
from resplint.contracts.remedy import Remedy
from resplint.execution.loops import element_calls
from resplint.model.project import Project
from resplint.redis import batch_rounds, batches_of_callers
from resplint.redis.calls import replies
from resplint.redis.growth import moved_members
from resplint.redis.usage import Batch, CommandSite
from resplint.remedies import plain_batches
from resplint.text.key_templates import HOLE, Shape

RULE = "RL201"
_MANY_KEYS = 3
"""Keys that are read, from which on a cut of another one is a mere side line."""
_ALIKE = 4
"""Characters that keys of one whole have in common at their beginning, at least."""
_SHOWN = 4
_REPEATING = ("for", "while", "comprehension")
_EXPIRING = {"SET", "EXPIRE", "PEXPIRE"}
"""A value, and the life time that it could be given at once."""
_PASSING = ("SETEX", "PSETEX")
_LIVES = ("EX", "PX", "EXAT", "PXAT")
_READS, _READS_FIRST, _INDEPENDENT, _SINGLE = "reads", "reads first", "independent", "single"
_READS_ONCE = "reads once"
_READS_THEN_WRITES = "reads, then independent writes"
_AT_ONCE = "one command reads it"
_OF_ONE_MOMENT = "reads of one moment"
_OF_ITEMS = "writes of many items"
"""Why a batch need not be a transaction."""


def check(project: Project) -> Iterator[Finding]:
    """Report read-only batches and bulk writes of independent items that are sent as a transaction by default."""
    return findings(decide(project))


def decide(project: Project) -> Iterator[Decision]:
    """The findings, and why other batches are fine."""
    batches = [one for batch in project.batches for one in batches_of_callers.by_caller(project.ev, batch)]
    reasons = [(batch, _needless(project, batch)) for batch in batches]
    needed = [batch for batch, why in reasons if why.is_needed]
    for batch, why in reasons:
        if why.is_needed:
            yield Silence(RULE, project.place(batch.made), why.text)
        else:
            watched = batch.watches or any(name in batch.model.watch for name, _ in batch.steered)
            own = why.is_partly or watched or why.text in (_AT_ONCE, _OF_ONE_MOMENT, _OF_ITEMS)
            fix = None if own else plain_batches.remedy(project.ev, batch, needed)
            yield _finding(project, batch, why.text, fix)


@dataclass(frozen=True)
class _Verdict:
    """Why a batch need not be a transaction, or why it may have to be one or is none."""

    text: str
    is_needed: bool
    is_partly: bool = False
    """Whether that is true of only one of the times that the batch is sent."""


def _needless(project: Project, batch: Batch) -> _Verdict:
    if not _transaction_by_default(project, batch) or batch.plain:
        return _Verdict("This batch is no transaction, or the code asks for one.", True)
    if batch.unseen:
        return _Verdict("This batch goes where it cannot be followed, so what it holds is not known.", True)
    if batch.controls & {*batch.model.watch, *batch.model.begin} and not _watches_for_nothing(project, batch):
        return _Verdict("This batch watches keys or begins its transaction itself.", True)
    if not batch.queued:
        return _Verdict("No command was seen that this batch queues.", True)
    if batch.model.execute and batch.model.data_index < 0 and not batch.executed:
        return _Verdict("Nothing was seen that sends this batch.", True)
    needless = _reads_only(project, batch) or _independent_writes(project, batch) or _single(project, batch)
    if needless == _INDEPENDENT and len(batch.executed) > 1 and _begins_with_reads(project, batch):
        needless = _READS_THEN_WRITES
    if needless:
        return _Verdict(needless, False)
    if len(batch.executed) > 1 and (verdict := _by_rounds(project, batch)):
        return verdict
    if of_items := _writes_of_items(project, batch):
        return _Verdict(of_items, False)
    return _Verdict("What this batch writes may belong together.", True)


def _transaction_by_default(project: Project, batch: Batch) -> bool:
    """Whether the batch is a transaction only because nobody said otherwise."""
    if not batch.model.transaction_default:
        return False
    call = project.store.expr(batch.made)
    assert isinstance(call, facts.Call)
    position = 0
    for item in call.arguments:
        if item.name in ("*", "**") or (item.name and item.name == batch.model.parameter):
            return False
        if not item.name:
            if position == batch.model.index:
                return False
            position += 1
    return True


def _access(project: Project, site: CommandSite) -> str:
    model = project.usage.model(site)
    return model.access if model else "write"


def _reads_only(project: Project, batch: Batch) -> str:
    reads = [site for site in batch.queued if _access(project, site) == "read"]
    writes = [site for site in batch.queued if _access(project, site) == "write"]
    if writes and not _only_cuts(project, writes, reads):
        return ""
    if any(_repeats(project, batch, site) for site in reads):
        return _READS
    if len(reads) < 2:
        return ""
    if not any(replies.are_combined(project.index(sent), sent[1]) for sent in batch.executed):
        return _READS
    return _AT_ONCE if _one_does_all(project, reads) else _OF_ONE_MOMENT


def _one_does_all(project: Project, reads: list[CommandSite]) -> str:
    """The command that reads of one key what several do, all at one moment: HMGET for HGETs of one hash."""
    models = [project.usage.model(site) for site in reads]
    first = models[0]
    if first is None or any(model is not first for model in models):
        return ""
    keys = {shape.identity for site in reads for shape in _key(project, site)}
    of_one = len(keys) == 1 and all(_key(project, site) for site in reads)
    return first.batch_items if of_one and not first.batch_since else ""


def _only_cuts(project: Project, writes: list[CommandSite], reads: list[CommandSite]) -> bool:
    """Whether writes cut old elements off a collection on the way to many reads, most of them of other keys."""
    if len(writes) > 1 or not all(_couples(project, site) == "trim" for site in writes):
        return False
    cut = {shape.identity for site in writes for shape in _key(project, site)}
    others = {shape.identity for site in reads for shape in _key(project, site)} - cut
    return len(others) >= _MANY_KEYS


def _by_rounds(project: Project, batch: Batch) -> _Verdict | None:
    """Why a batch that is sent several times need not be a transaction, each of the times or one of them at which it
    only reads.
    """
    rounds, are_all = batch_rounds.rounds(project.ev, batch)
    each = [replace(batch, queued=sites) for sites in rounds]
    reads = [_reads_only(project, one) in (_READS, _AT_ONCE) for one in each]
    if (
        len(each) > 1
        and are_all
        and all(read or _independent_writes(project, one) for read, one in zip(reads, each, strict=True))
    ):
        return _Verdict(_READS_THEN_WRITES if reads[0] else _INDEPENDENT, False)
    if any(reads):
        return _Verdict(_READS_FIRST if reads[0] else _READS_ONCE, False, True)
    return None


def _begins_with_reads(project: Project, batch: Batch) -> bool:
    """Whether a batch that is sent several times only reads before it is sent for the first time."""
    rounds, _ = batch_rounds.rounds(project.ev, batch)
    if len(rounds) < 2:
        return False
    return all(_access(project, site) == "read" for site in rounds[0]) and bool(rounds[0])


def _watches_for_nothing(project: Project, batch: Batch) -> bool:
    """Whether keys are watched for a single command, at once before the transaction begins: nothing was read that may
    have changed.
    """
    if batch.model.begin or not batch.watches or not _single(project, batch):
        return False
    index = project.index(batch.made)
    made = index.facts.exprs[batch.made[1]]
    return all(
        file == batch.made[0]
        and index.facts.exprs[number].block == made.block
        and not any(call.end <= made.start for _, call in index.calls_in(index.facts.exprs[number].end, made.start))
        for file, number in batch.watches
    )


def _single(project: Project, batch: Batch) -> str:
    """One command in an explicit MULTI/EXEC: it is atomic without it. Callers of a function that passes it on send each
    a batch of their own.
    """
    queued = {(site.inner or site.ref): site for site in batch.queued}
    if batch.model.parameter or len(queued) != 1 or not batch.executed:
        return ""
    (file, call), site = queued.popitem()
    site = replace(site, file=file, call=call)
    if _repeats(project, batch, site) or not _same_function(project, batch, site):
        return ""
    return _SINGLE


def _repeats(project: Project, batch: Batch, site: CommandSite) -> bool:
    """Whether a command is queued again and again on one batch: in a loop that does not start the batch anew."""
    index = project.index(site.ref)
    expr = index.facts.exprs[site.call]
    made = project.store.expr(batch.made)
    for number in index.enclosing_blocks(expr.block):
        block = index.facts.blocks[number]
        if block.kind in _REPEATING and not _sent_at_every_turn(project, batch, site, number):
            if site.file != batch.made[0] or not block.start <= made.start < block.end:
                return True
            if _started_again(index.facts, batch, block):
                return True
    if site.file == batch.made[0] and index.function_of(expr.block) == index.function_of(made.block):
        return False
    return _called_in_loop(project, batch, site) or _called_for_each(project, batch, site)


def _sent_at_every_turn(project: Project, batch: Batch, site: CommandSite, loop: int) -> bool:
    """Whether a turn of the loop that queues also executes, so that the batch never holds more than one turn's
    commands.
    """
    index = project.store.files[site.file]
    queued = index.facts.exprs[site.call]
    around = index.enclosing_blocks(queued.block)
    turn = set(around[: around.index(loop) + 1])
    sent = [index.facts.exprs[ref[1]] for ref in batch.executed if ref[0] == site.file]
    return any(expr.block in turn and expr.start > queued.start for expr in sent)


def _started_again(file: facts.FileFacts, batch: Batch, block: facts.Block) -> bool:
    """A batch that a loop over data reopens under a condition (every thousand items) still holds many."""
    made = file.exprs[batch.made[1]]
    inner = file.blocks[made.block]
    while inner is not block and inner.parent != NONE:
        if inner.kind in ("if", "else"):
            return True
        inner = file.blocks[inner.parent]
    return False


def _called_in_loop(project: Project, batch: Batch, site: CommandSite) -> bool:
    """A helper that queues is called in a loop."""
    index = project.index(site.ref)
    scope = index.function_of(index.facts.exprs[site.call].block)
    made = project.store.expr(batch.made)
    for caller in project.ev.callers.of(site.file, scope):
        other = project.store.files[caller.file]
        for number in other.enclosing_blocks(other.facts.exprs[caller.call].block):
            block = other.facts.blocks[number]
            inside = caller.file == batch.made[0] and block.start <= made.start < block.end
            if block.kind in _REPEATING and not inside:
                return True
    return any(_calls_for_each(project, *one) for one in project.ev.callers.handed_out(site.file, scope))


def _called_for_each(project: Project, batch: Batch, site: CommandSite) -> bool:
    """Whether a function around a command is written where something calls it for each element, while the batch is
    started and sent outside.
    """
    index = project.index(site.ref)
    scope = index.function_of(index.facts.exprs[site.call].block)
    outside = [ref for ref in (batch.made, *batch.executed) if ref[0] == site.file]
    while scope > 0 and not any(index.within(index.facts.exprs[number].block, scope) for _, number in outside):
        written = index.function_expr.get(scope)
        if written is not None and _calls_for_each(project, site.file, written):
            return True
        scope = index.facts.scopes[scope].parent
    return False


def _calls_for_each(project: Project, file: int, number: int) -> bool:
    """Whether what is handed a function calls it for each element: ``ids.reduce(queue, client.multi())``,
    ``_.each(ids, queue)``.
    """
    index = project.store.files[file]
    place = index.argument_of.get(number)
    call = index.facts.exprs[place[0]] if place is not None else None
    callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) and call.callee != NONE else None
    if not isinstance(call, facts.Call):
        return False
    words = project.ev.roles(file).words
    return (isinstance(callee, facts.Member) and callee.name in words.element_callbacks) or bool(
        element_calls.ways_of_calling(project.ev, index, call, ("each", "in turn"))
    )


def _independent_writes(project: Project, batch: Batch) -> str:
    """Bulk writes in a loop, none of which belongs to another one."""
    return "" if (bulk := _bulk(project, batch)) is None or _coupled(project, bulk) else _INDEPENDENT


def _writes_of_items(project: Project, batch: Batch) -> str:
    """Bulk writes in a loop of which only those of one turn belong together: a hash and its life time, an index and
    what it points to. Each turn has a key of its own, and nothing is replaced.
    """
    bulk = _bulk(project, batch)
    if not batch.model.parameter or bulk is None or bulk.once:
        return ""  # who begins a transaction by name means it
    if any(_couples(project, site) == "remove" for site in bulk.writes):
        return ""
    turns: dict[tuple[int, int], list[Shape]] = defaultdict(list)
    for site in bulk.repeated:
        turns[site.file, project.store.expr(site.ref).block] += _key(project, site)
    return _OF_ITEMS if all(any(shape.holes for shape in shapes) for shapes in turns.values()) else ""


@dataclass(frozen=True)
class _Bulk:
    """The writes of a batch that a loop over data fills."""

    writes: list[CommandSite]
    repeated: list[CommandSite]
    """Those that it queues at every turn."""
    once: list[CommandSite]


def _bulk(project: Project, batch: Batch) -> _Bulk | None:
    """What a loop queues, if nothing outside of it belongs to that and nothing of it is moved or taken out."""
    writes = everything = [site for site in batch.queued if _access(project, site) == "write"]
    own = [site for site in writes if _same_function(project, batch, site)]
    if any(_repeats(project, batch, site) for site in own):
        writes = own  # what the creator queues in bulk decides; others may add to it
    repeated = [site for site in writes if _repeats(project, batch, site)]
    if len(everything) > 1 and all(_couples(project, site) == "publish" for site in batch.queued):
        return _Bulk([], [], [])  # messages leave nothing behind that could disagree
    if not repeated or any(_fixed_turns(project, batch, site) for site in repeated):
        return None
    once = [site for site in writes if site not in repeated]
    if once and (_is_marker(project, once, repeated) or _all_pass(project, writes)):
        writes, once = repeated, []
    if not _only_tidies(project, once, repeated):
        return None
    if moved_members.any_in(project.usage, project.ev, writes) or _parts_of_one(project, once, repeated):
        return None
    if _takes_out(project, batch, repeated):
        return None
    messages = [site for site in everything if _couples(project, site) == "publish"]
    if len(messages) < len(everything) and any(site in messages for site in writes):
        return None  # a message with its data; messages alone announce nothing of this batch
    others = [site for site in everything if site not in writes]
    if _removes_keys(project, own) and any(_structure(project, site) != "key" for site in others):
        return None  # a helper takes members out of what points to the keys that are deleted here
    return _Bulk(writes, repeated, once)


def _is_marker(project: Project, once: list[CommandSite], repeated: list[CommandSite]) -> bool:
    """Whether what runs once sets a key of its own behind a bulk of keys that are each another one: when the import
    took place. It comes last without a transaction, too. Keys that begin alike may be parts of one whole.
    """
    marker = once[0]
    shapes = _key(project, marker)
    bulk = [shape for site in repeated for shape in _key(project, site)]
    if len(once) > 1 or marker.command != "SET" or not shapes or not bulk or any(shape.holes for shape in shapes):
        return False
    if any(site.file != marker.file or site.call > marker.call for site in repeated):
        return False
    beginnings = {shape.template.partition(HOLE)[0] for shape in bulk}
    alike = any(one and shape.template.startswith(one[:_ALIKE]) for one in beginnings for shape in shapes)
    return not alike and all(shape.holes for shape in bulk)


def _all_pass(project: Project, sites: list[CommandSite]) -> bool:
    """Whether everything is a value of its own that passes by itself, as in a cache: who reads one of them gets along
    without another.
    """
    return all(
        site.command in _PASSING
        or (site.command == "SET" and any(project.command_options.find(site, one).there for one in _LIVES))
        for site in sites
    )


def _same_function(project: Project, batch: Batch, site: CommandSite) -> bool:
    if site.file != batch.made[0]:
        return False
    index = project.index(site.ref)
    blocks = [index.facts.exprs[number].block for number in (site.call, batch.made[1])]
    return index.function_of(blocks[0]) == index.function_of(blocks[1])


def _couples(project: Project, site: CommandSite) -> str:
    model = project.usage.model(site)
    return model.couples if model else ""


def _structure(project: Project, site: CommandSite) -> str:
    model = project.usage.model(site)
    return model.structure if model else ""


def _only_tidies(project: Project, once: list[CommandSite], repeated: list[CommandSite]) -> bool:
    """What runs once beside the bulk only cuts the same collections, or removes as the bulk does."""
    if all(_couples(project, site) == "remove" for site in [*once, *repeated]):
        # Keys that are deleted in bulk; members that are taken out of indexes while their entity is deleted belong
        # together.
        deleted = [site for site in (*once, *repeated) if _structure(project, site) == "key"]
        return not once or (any(site in repeated for site in deleted) and all(site in deleted for site in once))
    keys = {shape.identity for site in repeated for shape in _key(project, site)}
    return all(
        _couples(project, site) == "trim" and any(shape.identity in keys for shape in _key(project, site))
        for site in once
    )


def _parts_of_one(project: Project, once: list[CommandSite], repeated: list[CommandSite]) -> bool:
    """Whether the key of a whole is deleted together with those of its parts: ``order:7`` and ``order:7:line:3``."""
    wholes = {shape.identity for site in once if _removes_keys(project, [site]) for shape in _key(project, site)}
    parts = {shape.identity for site in repeated if _removes_keys(project, [site]) for shape in _key(project, site)}
    return any("{" in whole and part != whole and part.startswith(whole) for whole in wholes for part in parts)


def _takes_out(project: Project, batch: Batch, repeated: list[CommandSite]) -> bool:
    """Whether each turn reads a key and deletes it, so that nothing which is added between the two gets lost."""
    places = {
        (site.file, project.store.expr(site.ref).block, shape.identity)
        for site in repeated
        if _removes_keys(project, [site])
        for shape in _key(project, site)
    }
    return any(
        (site.file, project.store.expr(site.ref).block, shape.identity) in places
        for site in batch.queued
        if _access(project, site) == "read"
        for shape in _key(project, site)
    )


def _removes_keys(project: Project, sites: list[CommandSite]) -> bool:
    return all(_couples(project, site) == "remove" and _structure(project, site) == "key" for site in sites)


def _key(project: Project, site: CommandSite) -> tuple[Shape, ...]:
    return project.shapes.of(project.usage.key_file(site), project.usage.key(site))


def _fixed_turns(project: Project, batch: Batch, site: CommandSite) -> bool:
    """A loop over a few values written out is one entity's writes, not bulk."""
    index = project.index(site.ref)
    expr = index.facts.exprs[site.call]
    made = project.store.expr(batch.made)
    fixed = []
    for number in index.enclosing_blocks(expr.block):
        block = index.facts.blocks[number]
        around = site.file == batch.made[0] and block.start <= made.start < block.end
        if block.kind in _REPEATING and block.head != NONE and not around:
            fixed.append(_written_out(project, site.file, block.head))
    return bool(fixed) and all(fixed)


def _written_out(project: Project, file: int, head: int) -> bool:
    """Whether a loop's data is a collection written out in the code (not one that a caller passes)."""
    index = project.store.files[file]
    expr = index.facts.exprs[head]
    if isinstance(expr, facts.Name):
        owner = index.scope_of(expr.block)
        if (index.function_of(expr.block), expr.name) in index.parameters or (owner, expr.name) in index.parameters:
            return False
    collections = project.ev.values(file, head)
    written = [project.store.expr(value.ref) for value in collections if isinstance(value, CollectionValue)]
    return len(written) == len(collections) > 0 and all(
        isinstance(one, facts.Collection) and one.items and not one.generated for one in written
    )


def _coupled(project: Project, bulk: _Bulk) -> bool:
    """Whether commands of one turn have to agree: a life time with its value, an index with what it points to (two keys
    that are always written together), a new value with the removal of the old one.
    """
    by_key: dict[str, set[str]] = defaultdict(set)
    plain: dict[str, set[str]] = defaultdict(set)
    by_block: dict[tuple[int, int], set[str]] = defaultdict(set)
    for site in bulk.writes:
        model = project.usage.model(site)
        if model is None or model.access != "write":
            continue
        if model.couples == "publish":
            continue
        for shape in _key(project, site):
            by_key[shape.identity].add("delete" if _removes_keys(project, [site]) else model.couples or "plain")
            plain[shape.identity].add(site.command)
            if site in bulk.repeated:
                by_block[site.file, project.store.expr(site.ref).block].add(shape.identity)
    # What is deleted and written anew is replaced: nobody must see it missing. SET can take its life time itself.
    if any(
        kinds & {"expire", "delete"} and len(kinds) > 1 and ("delete" in kinds or not plain[key] <= _EXPIRING)
        for key, kinds in by_key.items()
    ):
        return True
    return any(len(keys) > 1 and not _alternatives(project, bulk.writes, keys) for keys in by_block.values())


def _alternatives(project: Project, sites: list[CommandSite], keys: set[str]) -> bool:
    """Whether one command with several possible keys accounts for all of them."""
    return any(keys <= {shape.identity for shape in _key(project, site)} for site in sites)


def _finding(project: Project, batch: Batch, why: str, fix: Remedy | None) -> Finding:
    names = sorted({site.command for site in batch.queued if site.command})
    trail = [project.step(site.ref, f"{site.command or 'a command'} is queued") for site in batch.queued[:4]]
    parent = batch.object.parent
    if parent is not None and parent.made is not None:
        trail.insert(0, project.step(parent.made, "the client"))
    by_default = "a transaction by default" if batch.model.parameter else "the transaction begins"
    trail.append(project.step(batch.made, by_default))
    message = _message(why, names, any(_access(project, site) == "write" for site in batch.queued))
    level = Level.NOTE if why in (_OF_ONE_MOMENT, _OF_ITEMS) else Level.WARNING
    help_ = _at_once(project, batch) if why == _AT_ONCE else _help(batch, why, names)
    place, symbol = project.place(batch.made), project.symbol(batch.made)
    return Finding(RULE, level, Precision.HIGH, message, place, tuple(trail), symbol, remedy=fix, help=help_)


def _message(why: str, names: list[str], writes: bool) -> str:
    shown = ", ".join(names[:_SHOWN]) + (" …" if len(names) > _SHOWN else "")
    commands = f" of {shown} commands" if shown else ""
    blocks = "Redis serves no other client until all of it is done."
    if why in (_READS, _AT_ONCE, _OF_ONE_MOMENT):
        reads = "only cuts a collection and reads" if writes else "only reads"
        return f"This pipeline{commands} {reads}, but runs as a MULTI/EXEC transaction. {blocks}"
    if why in (_READS_FIRST, _READS_ONCE):
        when = "before it is sent for the first time" if why == _READS_FIRST else "one of the times that it is sent"
        return f"This pipeline{commands} only reads {when}, but that runs as a MULTI/EXEC transaction. {blocks}"
    if why == _READS_THEN_WRITES:
        return (
            f"This pipeline{commands} only reads before it is sent for the first time, and then writes what does not "
            f"depend on each other, but runs as a MULTI/EXEC transaction each time. {blocks}"
        )
    if why == _OF_ITEMS:
        return (
            f"This pipeline{commands} runs as one MULTI/EXEC transaction for all items of the loop, although only the "
            f"writes of one item belong together. {blocks}"
        )
    if why == _SINGLE:
        return f"MULTI/EXEC around a single {shown or 'command'} adds two commands and no safety: it is atomic anyway."
    return (
        f"This pipeline{commands} runs as a MULTI/EXEC transaction although its writes do not depend on each other. "
        f"{blocks}"
    )


def _at_once(project: Project, batch: Batch) -> str:
    command = _one_does_all(project, [site for site in batch.queued if _access(project, site) == "read"])
    return f"Read all of them with one {command}: its replies are of one moment without a transaction."


def _help(batch: Batch, why: str, names: list[str]) -> str:
    if why == _OF_ITEMS:
        return "Send the batch after every few items, so that each transaction is short."
    if why == _SINGLE:
        return f"Send {names[0] if names else 'it'} without MULTI and EXEC."
    plain = f"Use {batch.model.advice} instead" if batch.model.advice else f"Pass `{batch.model.parameter}=False`"
    if why == _OF_ONE_MOMENT:
        plain = f"If its replies need not be of one moment, {plain[0].lower()}{plain[1:]}"
    if why in (_READS_FIRST, _READS_ONCE):
        plain += " for what only reads"
    if "SET" in names and any(name in names for name in ("EXPIRE", "PEXPIRE")):
        plain = f"{plain[0].lower()}{plain[1:]}"
        plain = f"Give the expiry to SET itself (EX), so that no key is left without one. Then {plain}"
    return f"{plain}: the commands are still sent in one round trip."
