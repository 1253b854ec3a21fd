"""RL105: a client waits for replies without an end, as its code says or because its library has no default."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.values import Const, External, ExternalObject, LibraryObject, Ref, Value
from resplint.contracts import facts
from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.findings import Finding, Level, Place, Precision, Step
from resplint.knowledge.records.client_records import OptionModel
from resplint.model.project import Project
from resplint.redis.options.arguments import Option
from resplint.redis.options.timeouts import as_number, format_duration, limit
from resplint.remedies import read_timeouts

RULE = "RL105"
_KINDS = ("client", "cluster", "pool", "connection")


def check(project: Project) -> Iterator[Finding]:
    """Report clients and pools whose read timeout is none; one that is none by default is a note."""
    return findings(decide(project))


def decide(project: Project) -> Iterator[Decision]:
    """The findings, and which timeout other clients have."""
    for value in project.made:
        constructor = value.origin.constructor
        if value.made is None or value.kind not in _KINDS or constructor is None or value.origin.factory is not None:
            continue
        if constructor.own_pool and not constructor.shared and not project.options.shares_pool(value):
            yield _of_object(project, value, value.made)
    yield from _of_files(project)


def _of_object(project: Project, value: LibraryObject, made: Ref) -> Decision:
    place = project.place(made)
    option = project.options.find(value, "read_timeout")
    if option is None or option.model is None or option.unknown:
        return Silence(RULE, place, "Nothing is known of its read timeout.")
    none = _none(option)
    if not none:
        seconds = limit(option)
        how = "is set" if option.given else "has a default"
        reason = f"'{option.model.name}' {how}{f': {format_duration(seconds)}' if seconds else ''}."
        before = "" if option.given else _before(project, value, option.model)
        if not before or _waits(project, value, made, option.given):
            return Silence(RULE, place, reason)
        return _finding(project, value, made, option, before=before)
    if _waits(project, value, made, option.given):
        return Silence(RULE, place, "It waits for messages or for work, which a read timeout would end.")
    if none == "default" and project.bursts.runs_through(made):
        return Silence(RULE, place, "A program makes it that does one piece of work and ends.")
    return _finding(project, value, made, option, none=none)


def _before(project: Project, value: LibraryObject, model: OptionModel) -> str:
    """The release that brought the default, where the project names a range of versions that allows older ones. Where
    it names none, the newest one is assumed.
    """
    if not project.options.version(value).spec:
        return ""
    return project.options.unbounded_before(value, model, "none")


def _none(option: Option) -> str:
    """ "default", "none" or "zero" where an option sets no timeout; "" where it sets one, or nothing can be said."""
    if option.model is None:
        return ""
    if not option.given:
        return "default" if option.default == "none" else ""
    if not option.values or not all(isinstance(one, Const) for one in option.values):
        return ""
    found = {_none_of(option, one) for one in option.values}
    return found.pop() if len(found) == 1 else ""


def _none_of(option: Option, value: Value) -> str:
    assert option.model is not None
    if not isinstance(value, Const):
        return ""
    if value.value is None:
        return "none" if option.model.none_means == "none" else ""
    return "zero" if as_number(value.value) == 0 and option.model.zero_means == "unbounded" else ""


def _waits(project: Project, value: LibraryObject, made: Ref, given: bool) -> bool:
    """Whether a client waits on purpose: it does nothing but listen to messages; it blocks on lists and streams where a
    read timeout would end that, and was `given` none for it or serves nothing but the files that do so; or it works for
    a queue, whose clients try commands again without end.
    """
    cuts = value.origin.library.library.blocking_uses_read_timeout
    listens, blocking, working = False, set(), set()
    for site in project.usage.sent_from(made):
        model = project.usage.model(site)
        returned = project.catalogue.type(site.method.returns) if site.method.returns else None
        if project.waits.blocks(site):
            listens = True
            if cuts:
                blocking.add(site.file)
        elif (model is not None and model.replies == "stream") or (returned and returned[1].kind == "pubsub"):
            listens = True
        elif site.command and (model is None or model.access != "none"):
            working.add(site.file)
    if listens and (working <= blocking or (given and blocking)):
        return True
    return project.handed_out.blocks(made) or _tries_without_end(project, value)


def _tries_without_end(project: Project, value: LibraryObject) -> bool:
    """Whether a client is set to try each command again until it succeeds."""
    option = project.options.find(value, "retries")
    if option is None or option.model is None or not option.given or option.model.none_means != "unbounded":
        return False
    return bool(option.values) and all(isinstance(one, Const) and one.value is None for one in option.values)


def _from_unknown_url(project: Project, value: LibraryObject, made: Ref) -> bool:
    """Whether a URL that only the environment knows may bring a timeout along."""
    call = project.store.expr(made)
    constructor = value.origin.constructor
    if constructor is None or not constructor.keywords_only or not isinstance(call, facts.Call):
        return False
    first = next((item.value for item in call.arguments if item.name in ("", "url")), None)
    values = project.values(made[0], first) if first is not None else ()
    return not values or any(isinstance(one, External | ExternalObject) or not isinstance(one, Const) for one in values)


def _finding(
    project: Project, value: LibraryObject, made: Ref, option: Option, none: str = "default", before: str = ""
) -> Finding:
    assert option.model is not None
    name = f"`{project.callee_name(made)}`"
    version = project.options.version(value)
    trail = [project.step(option.ref, f"`{option.model.name}` is set here")] if option.ref is not None else []
    trail.append(project.step(made, "the pool" if value.kind == "pool" else "the client"))
    if before:
        why = f"sets no `{option.model.name}`, which is none before {version.library} {before}"
    elif none == "default":
        why = f"sets no `{option.model.name}`, and there is none by default in {version.phrase()}"
    elif none == "zero":
        why = f"sets `{option.model.name}` to 0, which is no timeout"
    else:
        why = f"sets `{option.model.name}` to {project.ev.roles((option.ref or made)[0]).words.nothing}: no timeout"
    message = f"{name} {why}. {_COST}"
    given = none != "default" and not before
    low = not given and _from_unknown_url(project, value, made)
    precision = Precision.LOW if low else Precision.HIGH
    return Finding(
        RULE,
        Level.WARNING if given else Level.NOTE,
        precision,
        message,
        project.place(made),
        tuple(trail),
        project.symbol(made),
        remedy=None if before else read_timeouts.remedy(project.ev, value, option),
        help=_help(option),
    )


_COST = (
    "If the server or the network fails without closing the connection, a command waits 15 minutes or longer for its "
    "reply, and so does the request or thread that sent it."
)


def _help(option: Option) -> str:
    assert option.model is not None
    setter = option.model.setters[0] if option.model.setters else ""
    name = f"Call `{setter}(…)` with" if setter and setter != option.model.name else f"Set `{option.model.name}` to"
    caution = f", {option.model.caution}" if option.model.caution else ""
    longest = f"{name} the longest time that a reply may take{caution}."
    return f"{longest} Use a separate client for blocking commands and subscriptions."


def _of_files(project: Project) -> Iterator[Finding]:
    """What settings files say about the timeout of objects that a framework provides."""
    seen: set[Place] = set()
    for site in project.commands:
        if not site.receiver.origin.type.ambient_options:
            continue
        option = project.options.find(site.receiver, "read_timeout", site.file)
        if option is None or option.model is None:
            continue
        for value, said in zip(option.values, option.said, strict=False):
            if _none_of(option, value) != "zero" or said.place in seen:
                continue
            seen.add(said.place)
            profile = f" for the profile `{said.profile}`" if said.profile else ""
            message = f"This setting{profile} is 0, which is no timeout. {_COST}"
            trail = (
                project.step(site.ref, "a client with this setting"),
                Step(said.place, f"`{said.key}` is set here"),
            )
            help_ = f"Set `{said.key}` to the longest time that a reply may take (a few seconds)."
            yield Finding(RULE, Level.WARNING, Precision.HIGH, message, said.place, trail, help=help_)
