"""RL101: a client is made again and again instead of being reused."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.values import Const, Instance, LibraryMethod, LibraryObject, Ref
from resplint.contracts import facts
from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.findings import Finding, Level, Precision
from resplint.execution.frequency.run_sites import Runs
from resplint.knowledge.records.command_records import CommandModel
from resplint.model.project import Project
from resplint.redis.clients.connecting import Connecting
from resplint.redis.clients.streams import serves_stream
from resplint.redis.clients.unused import is_closed_unused
from resplint.redis.usage import CommandSite

RULE = "RL101"
_SELDOM = 300
"""Seconds between the runs of a job from which on a connection for each of them costs little."""


def check(project: Project) -> Iterator[Finding]:
    """Report every call that opens connections of its own on a path that runs once per operation."""
    return findings(decide(project))


def decide(project: Project) -> Iterator[Decision]:
    """The findings, and why other calls that make clients are fine."""
    for value in project.made:
        if value.made is None:
            continue
        place = project.place(value.made)
        if not _opens_connections(project, value):
            yield Silence(RULE, place, "What is made here has no connections of its own.")
            continue
        runs = project.frequency.made_at(*value.made)
        if runs.kind != "operation":
            how = "once" if runs.kind == "once" else "nobody knows how often"
            yield Silence(RULE, place, f"It is made {how}{': ' + runs.why if runs.why else ''}.")
        elif not runs.certain and _only_pings(project, value):
            yield Silence(RULE, place, "It only asks whether the server is there, on a path that may run once.")
        elif _only_listens(project, value, runs.certain):
            yield Silence(RULE, place, "It only listens, so that it needs a connection for as long as that goes on.")
        else:
            yield _finding(project, value, runs)
    for one in project.connections:
        yield _connecting(project, one)


def _connecting(project: Project, one: Connecting) -> Decision:
    """A client that is shared, but connected and closed around each use of it."""
    runs = project.frequency.connected_at(*one.opened, one.taken)
    place = project.place(one.opened)
    if runs.kind != "operation":
        return Silence(RULE, place, "It is not connected once for each operation, as far as is known.")
    if one.ends and not (runs.certain or one.taken):
        return Silence(RULE, place, "What closes it may be what runs when nobody needs it any longer.")
    if one.opened == one.closed and not _is_shared(project, one.client):
        return Silence(RULE, place, "What is closed here is not known to be shared.")
    if one.client.made is not None and project.frequency.made_at(*one.client.made).kind == "operation":
        return Silence(RULE, place, "What is connected here is made anew for each operation, which is said there.")
    is_call = isinstance(project.store.expr(one.opened), facts.Call)
    name = f"`{project.callee_name(one.opened)}{'()' if is_call else ''}`"
    costs = (
        "Each time costs a TCP connect and a handshake, and one call may close the connection while another uses it."
    )
    trail = [project.step(ref, text) for ref, text in reversed(runs.steps)]
    if one.opened == one.closed:
        does = "closes a shared client" if one.ends else "is a shared client, which is closed here"
        message = f"{name} {does} on {runs.why}; the next command connects anew. {costs}"
        if one.client.made is not None:
            trail.append(project.step(one.client.made, "made once, and shared"))
        trail.append(project.step(one.closed, "closed here" if one.ends else "closed at the end of these statements"))
    else:
        message = f"{name} connects a shared client on {runs.why}, and closes it again. {costs}"
        trail.append(project.step(one.closed, "closed again"))
        trail.append(project.step(one.opened, "connected"))
    level = Level.NOTE if one.probes else Level.WARNING
    help_ = "Connect when the process starts, and stay connected."
    if one.client.kind == "connection":
        help_ = project.catalogue.advice(one.client.origin.library).reuse or help_
    return Finding(RULE, level, Precision.MEDIUM, message, place, tuple(trail), project.symbol(one.opened), help=help_)


def _is_shared(project: Project, client: LibraryObject) -> bool:
    """Whether a client with connections of its own is made once and kept in a field or a module's name."""
    if client.made is None or not _opens_connections(project, client):
        return False
    index = project.store.files[client.made[0]]
    kept = project.frequency.keeper.of(*client.made)
    home = index.facts.scopes[index.function_of(index.facts.exprs[client.made[1]].block)].kind
    stored = bool(kept.module or kept.members) or home in ("module", "class")
    runs = project.frequency.made_at(*client.made)
    function = index.facts.scopes[index.function_of(index.facts.exprs[client.made[1]].block)]
    if not stored and not function.decorators and _hands_out(project, client.made):
        return False  # each call of the function makes one for its caller
    return runs.kind == "once" or (stored and runs.kind != "operation")


def _hands_out(project: Project, ref: Ref) -> bool:
    """Whether a function returns what it makes: ``return Redis(host)``."""
    index, made = project.store.files[ref[0]], ref[1]
    scope = index.function_of(index.facts.exprs[made].block)
    names = {one.name for one in index.facts.bindings if one.value == made}
    for jump in index.jumps.get(scope, ()):
        value = index.facts.exprs[jump.value] if jump.kind == "return" and jump.value != facts.NONE else None
        if jump.value == made or (isinstance(value, facts.Name) and value.name in names):
            return True
    return False


def _opens_connections(project: Project, value: LibraryObject) -> bool:
    constructor, method = value.origin.constructor, value.origin.method
    if value.origin.factory is not None:
        return False  # whether it makes or shares is up to the factory, whose own code is checked
    own = constructor.own_pool if constructor else bool(method and method.own_pool)
    return own and not project.options.shares_pool(value)


def _finding(project: Project, value: LibraryObject, runs: Runs) -> Finding:
    assert value.made is not None
    name = project.callee_name(value.made)
    noun = "pool" if value.kind == "pool" else "connection" if _opened_by(project, value) is not None else "client"
    message = (
        f"`{name}` makes a new {noun} on {runs.why}. Each time costs a TCP connect and a handshake, for connections "
        "that are dropped again."
    )
    trail = [project.step(ref, text) for ref, text in reversed(runs.steps)]
    trail.append(
        project.step(value.made, f"new {noun}{', with connections of its own' if noun != 'connection' else ''}")
    )
    apart = (
        _only_probes(project, value, runs)
        or serves_stream(project.ev, project.usage, value)
        or _lasts(project, value.made, runs)
        or _seldom(project, runs)
    )
    level = Level.NOTE if apart or not runs.called else Level.WARNING
    place = project.place(value.made)
    symbol, help_ = project.symbol(value.made), _help(project, value, noun)
    return Finding(RULE, level, Precision.MEDIUM, message, place, tuple(trail), symbol, help=help_)


def _help(project: Project, value: LibraryObject, noun: str) -> str:
    advice = project.catalogue.advice(value.origin.library)
    client = _opened_by(project, value)
    if client is not None and advice.reuse_connection:
        return advice.reuse_connection.format(client=client.origin.type.name.rpartition(".")[2])
    own = advice.reuse_async if value.origin.type.is_async else ""
    return own or advice.reuse or f"Make one {noun} when the process starts and share it."


def _opened_by(project: Project, value: LibraryObject) -> LibraryObject | None:
    """The client that opens a connection again and again, and is not made as often itself; None for others."""
    client = value.parent if value.kind == "connection" and value.origin.method is not None else None
    if client is None or client.made is None:
        return client
    return None if project.frequency.made_at(*client.made).kind == "operation" else client


def _only_probes(project: Project, value: LibraryObject, runs: Runs) -> bool:
    """A health check that asks a fresh connection for a sign of life does so on purpose, or only connects and closes
    it again.
    """
    sites = [site for site in project.usage.sent_through(value.made) if site.command] if value.made is not None else []
    if not sites:
        handed = project.usage.sent_from(value.made) if value.made is not None else []
        return not any(one.command for one in handed) and is_closed_unused(project.ev, project.usage, value)
    here = _on_the_way(project, value, runs, sites)
    models = [project.usage.model(site) for site in here or sites]
    return all(model is not None and model.access == "none" for model in models)


def _on_the_way(project: Project, value: LibraryObject, runs: Runs, sites: list[CommandSite]) -> list[CommandSite]:
    """The commands of the functions that lead to a factory; none where others ask it for clients as often."""
    assert value.made is not None
    factory = _function(project, value.made)
    calls = project.ev.callers.of(*factory)
    way = {ref for ref, _ in runs.steps}
    others = [site for site in calls if site.ref not in way]
    if not others or any(project.frequency.made_at(*site.ref).kind == "operation" for site in others):
        return []
    functions = {_function(project, ref) for ref in way if ref[1] >= 0}
    return [site for site in sites if _function(project, site.ref) in functions]


def _function(project: Project, ref: Ref) -> tuple[int, int]:
    index = project.store.files[ref[0]]
    return ref[0], index.function_of(index.facts.exprs[ref[1]].block)


def _lasts(project: Project, made: Ref, runs: Runs) -> bool:
    """Whether a client is made by what runs once for each connection from outside, as the handler of a web socket does,
    or once in a process of its own; not for each turn of a loop in that.
    """
    start = runs.steps[-1][0] if runs.steps else None
    for ref in (made, *(ref for ref, _ in runs.steps if ref[1] >= 0)):
        file, scope = _function(project, ref)
        role = project.frequency.roles.of(file, scope)
        if role is None or start not in (role.ref, (file, -2 - scope)):
            continue
        index = project.store.files[file]
        around = [index.facts.blocks[one] for one in index.enclosing_blocks(index.facts.exprs[ref[1]].block)]
        if any(one.kind in ("for", "while") and one.scope == scope for one in around):
            continue
        words = project.ev.roles(file)
        method = f"{role.by}.{index.facts.scopes[scope].name}"
        if {role.by, method} & {*words.stream_handlers, *words.forked_tasks}:
            return True
    return False


def _seldom(project: Project, runs: Runs) -> bool:
    """Whether it is made by a job that the code starts every few minutes at most: ``add_job(clean, minutes=30)``."""
    seconds = project.schedules.seconds_between(runs.steps[-1][0]) if runs.steps else None
    return seconds is not None and seconds >= _SELDOM


def _only_listens(project: Project, value: LibraryObject, certain: bool) -> bool:
    """Whether nothing is asked of a client but messages: a subscription, perhaps through an object of its own. Where
    nobody sees that it is made again and again (`certain`), one that listens to the same each time may be the only one.
    """
    sites = project.usage.sent_from(value.made) if value.made is not None else []
    models = [project.usage.model(site) for site in sites if site.command]
    listens = any(model is not None and model.replies == "stream" for model in models)
    listens = listens or any(_gives_subscription(project, site) for site in sites)
    if not listens or any(model is None or model.access != "none" for model in models):
        return False
    return not certain or not _same_channel(project, value)


def _same_channel(project: Project, value: LibraryObject) -> bool:
    """Whether all that a client listens to goes by fixed names, so that one of them could do it for everybody."""
    channels = []
    for ref, tokens in project.ev.edges.calls.sites.items():
        call = project.store.expr(ref)
        for method in (project.ev.flow.values[token] for token in tokens):
            if isinstance(method, LibraryMethod) and value in (method.object, method.object.parent):
                command = project.catalogue.commands.get(project.catalogue.command_name(method.name))
                if command is not None and command.replies == "stream" and isinstance(call, facts.Call):
                    channels += _channel(project, ref[0], call)
    known = [project.values(*one) for one in channels]
    return bool(known) and all(isinstance(one, Const) for values in known for one in values)


def _channel(project: Project, file: int, call: facts.Call) -> list[Ref]:
    """The first channel that is listened to, which some clients want behind the listener."""
    for one in call.arguments:
        if not any(isinstance(value, Instance | LibraryObject) for value in project.values(file, one.value)):
            return [(file, one.value)]
    return []


def _gives_subscription(project: Project, site: CommandSite) -> bool:
    known = project.catalogue.type(site.method.returns) if site.method.returns else None
    return known is not None and known[1].kind == "pubsub"


def _only_pings(project: Project, value: LibraryObject) -> bool:
    """Nothing but the connection itself is asked for."""
    models = _models(project, value)
    return bool(models) and all(model is not None and model.structure == "connection" for model in models)


def _models(project: Project, value: LibraryObject) -> list[CommandModel | None]:
    """What is known of the commands that a client sends."""
    sites = project.usage.sent_through(value.made) if value.made is not None else []
    return [project.usage.model(site) for site in sites if site.command]
