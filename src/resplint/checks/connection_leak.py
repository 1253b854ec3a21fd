"""RL106: a connection that a pool lent, or a client opened for one use, is not given back on every way out."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.values import LibraryObject, Ref
from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.findings import Finding, Level, Place, Precision, Step
from resplint.execution.lifetimes.exit_states import Exit
from resplint.execution.lifetimes.fates import Fate
from resplint.model.project import Project

RULE = "RL106"
_SHOWN = 3
"""Ways out that a trail shows."""


def check(project: Project) -> Iterator[Finding]:
    """Report what is borrowed or opened and still held where the function is left."""
    return findings(decide(project))


def decide(project: Project) -> Iterator[Decision]:
    """The findings, and why the others are given back or need not be."""
    fates = project.lifetimes.fates
    leaking = {fate.taken.ref for fate in fates if fate.exits and not _silence(project, fate)}
    for fate in fates:
        place = project.place(fate.taken.ref)
        parent = fate.taken.value.parent
        reason = _silence(project, fate)
        if not reason and parent is not None and parent.made in leaking:
            reason = "What it comes from is left open in the same function, and reported."
        yield Silence(RULE, place, reason) if reason else _finding(project, fate)


def _silence(project: Project, fate: Fate) -> str:
    if fate.excuse:
        return fate.excuse
    if not fate.exits:
        return "It is given back on every way out of the function." if fate.gives else "The function is never left."
    if fate.with_program:
        return "The program ends with the function."
    if fate.taken.value.origin.type.closes_itself and fate.gives:
        return "It is closed as soon as nobody has it any longer."
    repeated = fate.runs.kind == "operation" and fate.runs.certain
    if fate.taken.value.kind == "pubsub" and fate.gives and all(one.way == "raise" for one in fate.exits):
        if not repeated or any(_always_runs(project, one) for one in fate.gives):
            return "It is closed when the listening ends."
    if fate.listens and not repeated and not _is_left_behind(fate):
        return "It listens once, for as long as the program runs."
    if fate.is_dropped:
        return ""
    if not fate.taken.lent and fate.runs.kind != "operation" and not project.lifetimes.is_to_given_address(fate):
        how = "once" if fate.runs.kind == "once" else "nobody knows how often"
        return f"It is opened {how}, and closed when the program ends."
    return ""


def _always_runs(project: Project, ref: Ref) -> bool:
    """Whether a call stands in a block that runs whatever happens."""
    index = project.index(ref)
    around = index.enclosing_blocks(index.facts.exprs[ref[1]].block)
    return any(index.facts.blocks[one].kind == "finally" for one in around)


def _is_left_behind(fate: Fate) -> bool:
    """Whether a function that may run again comes back with what it waited for, and leaves a subscription open."""
    return fate.runs.kind == "unknown" and any(one.way == "return" for one in fate.exits)


def _finding(project: Project, fate: Fate) -> Finding:
    taken = fate.taken
    name = f"`{project.callee_name(taken.ref)}`"
    index = project.index(taken.ref)
    trail = [project.step(ref, text) for ref, text in reversed(fate.runs.steps)]
    if taken.through:
        trail.append(project.step(taken.origin, "taken from the pool" if taken.lent else "opened"))
        trail += [project.step(ref, "handed to the caller") for ref in taken.through[:-1]]
    trail += [project.step(ref, "given back here" if taken.lent else "closed here") for ref in fate.gives[:_SHOWN]]
    taking = index.facts.exprs[taken.ref[1]]
    gives = (index.facts.exprs[number] for file, number in fate.gives if file == taken.ref[0])
    renewed = any(one.end <= taking.start and index.contains(one.block, taking.block) for one in gives)
    exits = [one for one in fate.exits if one.way not in ("raise", "stop")] or list(fate.exits)
    trail += [
        Step(Place(index.facts.path, one.at, one.at), _left(one, renewed)) for one in exits[:_SHOWN] if one.way != "end"
    ]
    trail.append(project.step(taken.ref, f"the {'connection' if taken.lent else taken.value.kind} is taken here"))
    thing = "connection" if taken.lent else {"cluster": "client"}.get(taken.value.kind, taken.value.kind)
    message = f"{name} {_what(fate, thing)} {_cost(project, fate)}"
    place, symbol = project.place(taken.ref), project.symbol(taken.ref)
    advice = project.catalogue.advice(taken.library)
    close = advice.close_async if taken.value.origin.type.is_async else ""
    how = (
        advice.unsubscribe
        if taken.value.kind == "pubsub"
        else advice.give_back
        if taken.lent
        else close or advice.close
    )
    help_ = how or "Close it in `finally`, or where a statement does it."
    if fate.is_dropped:
        help_ = "Keep the client, which connects again by itself, or close it before it is dropped."
    rarely = not taken.lent and (fate.only_fails or fate.is_dropped or fate.runs.kind != "operation")
    rarely = rarely or (fate.held and not fate.runs.certain)
    rarely = rarely or taken.value.origin.type.closes_itself
    level = Level.NOTE if fate.listens or rarely or _is_shared(project, fate) else Level.WARNING
    return Finding(RULE, level, Precision.MEDIUM, message, place, tuple(trail), symbol, help=help_)


def _what(fate: Fate, thing: str) -> str:
    """What is wrong."""
    verb = f"borrows a {thing}" if fate.taken.lent else f"opens a {thing}"
    back = "given back" if fate.taken.lent else "closed"
    if fate.is_dropped:
        if any(one.way == "renewed" for one in fate.exits):
            return f"{verb} in the place of one that connects again by itself, and does not close that one."
        return f"{verb} that is dropped after an error without being closed, and goes on connecting by itself."
    if not fate.gives and all(one.way == "replaced" for one in fate.exits):
        return f"{verb} in the place of one that breaks, and never gives that one back."
    if not fate.gives:
        return f"{verb} that is never {back}."
    if fate.only_fails:
        return f"{verb} that is {back} only if nothing fails before."
    return f"{verb}, and at least one way out of the function is taken before it is {back}."


def _is_left_open(project: Project, client: LibraryObject) -> bool:
    """Whether the client that lends a connection is opened for this use as well, and not closed on every way out."""
    return any(one.taken.ref == client.made and not one.taken.lent and one.exits for one in project.lifetimes.fates)


def _is_shared(project: Project, fate: Fate) -> bool:
    """Whether what is lent shares its connection with all others, and nothing makes it take one of its own."""
    pool, file = fate.taken.value.parent, fate.taken.ref[0]
    if not fate.taken.lent or pool is None or not project.options.ambient.lends_shared(pool, file):
        return False
    called = (project.callee_name(ref).rpartition(".")[2] for ref in fate.uses)
    return not any(name in fate.taken.library.library.dedicated for name in called)


def _cost(project: Project, fate: Fate) -> str:
    if fate.taken.value.origin.type.closes_itself:
        return "It holds a connection of its own until the object is collected, whenever that is."
    if fate.taken.lent:
        parent = fate.taken.value.parent
        if parent is not None and _is_left_open(project, parent):
            return (
                "The client that lends it stays open with it each time that happens, until the server refuses new ones "
                "(`maxclients`) or the process runs out of files."
            )
        if _is_shared(project, fate):
            return (
                "By default the client shares one connection among all of them, so that no pool gets smaller; with a "
                "client that lends from a pool, or without that default, one is lost each time."
            )
        empty = project.catalogue.advice(fate.taken.library).empty_pool
        empty = empty or "until callers wait for a free one and none comes"
        return f"The pool has one less each time that happens, {empty}."
    how = f" on {fate.runs.why}" if fate.runs.why else ""
    return (
        f"One more may stay open{how}, until the server refuses new ones (`maxclients`) or the process runs out of "
        "files."
    )


def _left(one: Exit, renewed: bool) -> str:
    """How the function is left; `renewed`: where the next one is taken, the last one was given back before."""
    if renewed and one.way in ("turn", "replaced"):
        return "the loop may end while it is held"
    return {
        "return": "left here without giving it back",
        "turn": "the next turn of the loop takes another one",
        "replaced": "its variable gets another one here",
        "renewed": "it takes the place of the last one here, which stays open",
        "dropped": "it is dropped here, and goes on connecting",
        "raise": "an error here leaves it behind",
        "stop": "whoever takes the values may stop here",
    }.get(one.way, "the function ends with it")
