"""RL202: commands are sent one by one, each waited for, where one could do what they do."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.values import Ref, Reply
from resplint.contracts import facts
from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.facts import NONE
from resplint.contracts.findings import Finding, Level, Precision, Step
from resplint.execution.loops.consecutive_reads import Row
from resplint.execution.loops.round_trips import RoundTrips, Sent
from resplint.model.project import Project
from resplint.redis.growth.field_growth import BOUNDED
from resplint.redis.usage import CommandSite

RULE = "RL202"
_SHOWN = 4
_COUNTS = {2: "Two", 3: "Three", 4: "Four", 5: "Five", 6: "Six", 7: "Seven", 8: "Eight", 9: "Nine"}
_NONE = "No loop is known to send this command for each element, and no other read stands in a row with it."
_DISTINCT = ("set", "zset")
"""Collections that hold an element once, however often it is added."""
_NEAR = 3
"""Calls from the loop to the command, both included, up to which one helper does little else."""


def check(project: Project) -> Iterator[Finding]:
    """Report commands that loops send one by one, and reads in a row that one command could do."""
    return findings(decide(project))


def decide(project: Project) -> Iterator[Decision]:
    """The findings, and for other commands that none of these loops sends them."""
    reported: set[Ref] = set()
    for loop in project.round_trips:
        reported |= {sent.site.ref for sent in loop.sent}
        yield _finding(project, loop)
    for row in project.consecutive_reads:
        if reported.isdisjoint(site.ref for site in row.sites):
            reported |= {site.ref for site in row.sites}
            yield _of_row(project, row)
    for site in project.commands:
        if site.ref not in reported:
            reported.add(site.ref)
            yield Silence(
                RULE,
                project.place(site.ref),
                _NONE,
            )


def _finding(project: Project, loop: RoundTrips) -> Finding:
    first = loop.sent[0]
    first_one, *more = dict.fromkeys(_name(sent) for sent in loop.sent)
    commands = [first_one, *(one.replace("A batch", "a batch") for one in more)]
    few = all(sent.within.few for sent in loop.sent) or _lists_few_names(project, loop)
    picked = not few and all(sent.within.picked for sent in loop.sent)
    at_start = project.one_off.is_only_at_start((loop.file, loop.head))
    once = at_start or all(project.happens_once(sent.site) for sent in loop.sent)
    shown = ", ".join(commands[:_SHOWN]) + (" …" if len(commands) > _SHOWN else "")
    are = "are" if len(commands) > 1 else "is"
    path = first.within.path[1:] if first.within.loop == NONE else first.within.path  # behind what calls it for each
    through = "" if len(path) == 1 else f" in the helper `{project.callee_name(path[0])}()`"
    data = _data(project, loop)
    each = "each of the few values" if few else "each element" if data else "each turn"
    shared = loop.pace == "shared"
    trips = "several round trips" if few else "as many round trips as there are elements"
    sends = f"{shown} {are} sent{through} once for {each} of {data or 'a loop'}"
    if loop.at_once:
        wholes = " and one ".join(dict.fromkeys(_whole(project, sent) for sent in loop.sent))
        message = (
            f"{sends}, all at once: as many commands and replies as there are elements, where one {wholes} would do."
        )
    else:
        message = (
            f"{sends}, and each waits for its reply. "
            f"The loop takes {trips}{', beside the other work that its turns wait for' if shared else ''}."
            if not picked
            else f"{sends} that a test for one value lets through, and each waits for its reply."
        )
    only_done = all(sent.acknowledges for sent in loop.sent)
    level = Level.NOTE if few or picked or once or shared or only_done or loop.at_once else Level.WARNING
    precision = Precision.LOW if _is_doubtful(loop) else Precision.HIGH
    place, symbol = project.place(first.within.call), project.symbol(first.within.call)
    trail = tuple(_trail(project, loop))
    return Finding(RULE, level, precision, message, place, trail, symbol, help=_help(project, first))


def _lists_few_names(project: Project, loop: RoundTrips) -> bool:
    """Whether a loop runs over sets in Redis whose writers add names of hosts, of processes or from the settings."""
    replies = [one for one in project.ev.values(loop.file, loop.head) if isinstance(one, Reply)]
    sites = [site for reply in replies for site in project.usage.by_place.get(reply.ref, ())]
    return bool(sites) and all(_holds_few_names(project, site) for site in sites)


def _holds_few_names(project: Project, site: CommandSite) -> bool:
    model = project.usage.model(site)
    if model is None or model.structure not in _DISTINCT:
        return False
    names = [
        names
        for key, place in project.whole_reads.of(site).items()
        for names, _ in project.hashes.choices(place, key).values()
    ]
    writes = [project.element_writes.of(model.structure, one) for one in names]
    return bool(writes) and all(one and all(write.growth == BOUNDED for write in one) for one in writes)


def _of_row(project: Project, row: Row) -> Finding:
    first, *others = row.sites
    several, command = _COUNTS.get(len(row.sites), str(len(row.sites))), first.command
    what = "fields of one hash" if row.same_key else "keys"
    message = (
        f"{several} {command} in a row read {what}, and each waits for its reply before the next one is sent. "
        f"None needs the reply of another, so one {row.together} could read all of them in one round trip."
    )
    trail = tuple(project.step(site.ref, f"{command} is sent here") for site in (*others[:_SHOWN], first))
    advice = project.catalogue.advice(first.receiver.origin.library).batch
    pipeline = f", or use {advice}" if advice and not row.same_key else ""
    where = "" if row.same_key else " In a cluster that needs keys of one hash slot."
    help_ = f"Read all of them with one {row.together}{pipeline}.{where}"
    place, symbol = project.place(first.ref), project.symbol(first.ref)
    return Finding(RULE, Level.NOTE, Precision.HIGH, message, place, trail, symbol, help=help_)


def _name(sent: Sent) -> str:
    if sent.batch is not None:
        return f"A batch of {sent.site.command}"
    return sent.site.command


def _whole(project: Project, sent: Sent) -> str:
    """The command that does for all elements what a command does for each."""
    model = project.usage.model(sent.site)
    return "" if model is None else model.batch_items if sent.same_key else model.batch_keys


def _is_doubtful(loop: RoundTrips) -> bool:
    """Whether something else sets the pace, or all that lies between loop and command."""
    return loop.pace == "other" or all(len(sent.within.path) > _NEAR or sent.queued for sent in loop.sent)


def _data(project: Project, loop: RoundTrips) -> str:
    """What the loop goes through, as code; "" where no name says it."""
    expr = project.store.files[loop.file].facts.exprs[loop.head]
    name = project.callee_name((loop.file, loop.head))
    if "…" in name or project.index((loop.file, loop.head)).heads.get(loop.head) == "while":
        return ""
    if isinstance(expr, facts.Call):
        given = [project.callee_name((loop.file, one.value)) for one in expr.arguments]
        shown = ", ".join(given) if all("…" not in one for one in given) else "…"
        return f"`{name}({shown})`" if "." in name else ""
    return f"`{name}`" if isinstance(expr, facts.Name | facts.Member) else ""


def _trail(project: Project, loop: RoundTrips) -> Iterator[Step]:
    yield project.step((loop.file, loop.head), "the loop")
    first = loop.sent[0].within.call
    for sent in loop.sent[:_SHOWN]:
        for ref in sent.within.path[::-1]:
            if ref != first:
                yield project.step(
                    ref, f"{_name(sent)} is sent" if ref == sent.within.path[-1] else _called(project, ref)
                )
    sends = loop.sent[0].within.path[-1] == first
    yield project.step(first, f"{_name(loop.sent[0])} is sent" if sends else _called(project, first))


def _called(project: Project, ref: Ref) -> str:
    return f"`{project.callee_name(ref)}` is called for each element"


def _help(project: Project, sent: Sent) -> str:
    model = project.usage.model(sent.site)
    several = model is not None and sent.batch is None
    one_slot = sent.site.receiver.kind != "cluster"
    batch = project.catalogue.advice(sent.site.receiver.origin.library).batch or "a pipeline"
    if model is not None and several and sent.same_key and model.count_since:
        return f"Take all with one {sent.site.command}, which accepts a count (Redis {model.count_since} or newer)."
    if model is not None and several and sent.same_key and model.batch_items:
        since = f" (Redis {model.batch_since} or newer)" if model.batch_since else ""
        return f"Send all of them with one {model.batch_items}{since}, or use {batch}."
    if model is not None and several and one_slot and not sent.same_key and model.batch_keys:
        return f"Send one {model.batch_keys} for all keys (in a cluster: for those of one hash slot), or use {batch}."
    if sent.batch is not None:
        return "Fill one batch for all elements (or for some hundreds at a time), and send it behind the loop."
    return f"Collect the commands in {batch}, some hundreds at a time, and read their replies when all have been sent."
