"""RL403: all elements are read of a list, set, sorted set or stream that grows with the data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from resplint.bind.values import Ref
from resplint.contracts import facts
from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.findings import Finding, Level, Precision, Step
from resplint.model.project import Project
from resplint.redis.growth.field_growth import FIXED
from resplint.redis.growth.gathering import EACH, GROWS
from resplint.redis.growth.hashes import FieldWrite
from resplint.redis.growth.partial_use import PartialUse
from resplint.redis.usage import CommandSite
from resplint.text.key_templates import Shape

RULE = "RL403"
_ONCE = "once"
"""A collection that grows with all data, which a program reads once: when it starts, or before it ends."""
_HELD = "held"
"""A collection of what is being worked on, which gets its elements from another one."""
_WHOLE = "whole"
"""A collection that holds what there is of some data, and is written anew as a whole."""
_LEAVING = "leaving"
"""A collection that grows with all data, and is cut to what was not read yet or is not old."""
_TITLES = {"list": "list", "set": "set", "zset": "sorted set", "stream": "stream"}
_DISTINCT = ("set", "sorted set")
"""Collections that hold an element once, however often it is added."""
_HELP = {
    "list": "Read a page of it with LRANGE and bounds, take elements out with LPOP and a count, or keep it short "
    "with LTRIM.",
    "set": "Read it in portions with SSCAN{scan}; SISMEMBER and SCARD answer whether an element is there and how many "
    "there are.",
    "zset": "Read a page of it (with a start and a stop), all of it in portions and in no order with ZSCAN, or keep it "
    "short with ZREMRANGEBYRANK.",
    "stream": "Read it in portions with COUNT, from the last id on, or keep it short with XADD and MAXLEN.",
}


def check(project: Project) -> Iterator[Finding]:
    """Report whole reads of collections whose writers add elements with the data."""
    return findings(decide(project))


def decide(project: Project) -> Iterator[Decision]:
    """The findings, and why other reads of a whole collection are fine."""
    seen: set[Ref] = set()
    for site in project.commands:
        reads = project.whole_reads.of(site)
        judged = [
            _Read(site, at, *found)
            for key, place in reads.items()
            for at, found in project.hashes.choices(place, key).items()
        ]
        in_place = len(reads) > 1 or site.ref in reads.values()
        if in_place and len({frozenset(one.names) for one in judged}) == 1:  # whoever calls it reads the same one
            judged = [_Read(site, site.ref, judged[0].names, judged[0].shapes)]
        for read in judged:
            if read.at not in seen:
                decision = _decision(project, read)
                yield decision
                if isinstance(decision, Finding):
                    seen.add(read.at)


@dataclass(frozen=True, slots=True)
class _Read:
    """A command that reads a whole collection, where the key is chosen, and what is known of the key."""

    site: CommandSite
    at: Ref
    names: list[str]
    shapes: list[Shape]


def _decision(project: Project, read: _Read) -> Decision:
    site, every = read.site, read.names
    model = project.usage.model(site)
    assert model is not None
    names = [name for name in every if project.element_writes.trimmed_at([name]) is None]
    writes = project.element_writes.of(model.structure, names)
    place, title = project.place(read.at), _TITLES[model.structure]
    if not writes and (trimmed := project.element_writes.trimmed_at(every)) is not None:
        return Silence(RULE, place, f"The {title} is kept short ({project.spot(trimmed)}).")
    if project.element_writes.is_asked_before(site):
        return Silence(RULE, place, f"The {title} is only read where it is known to be short.")
    if not any(write.growth != FIXED for write in writes):
        writes = [*writes, *project.element_writes.fitting(model.structure, names)]
    once = project.happens_once_at(site, read.at)
    part = None if once or read.at != site.ref else project.partial_uses.of(site)
    if part is not None and not writes:
        return _needless(project, read, part)
    if not writes and not once and (shown := project.unfilled.shown_by(site, every, read.shapes)) is not None:
        return _unfilled(project, read, *shown)
    how, growing = project.gathering.of_elements(writes)
    if how == EACH and all(project.element_writes.is_replaced(one) for one in growing):
        return Silence(RULE, place, f"The {title} of each is written as a whole.")
    if how == EACH and (brief := project.element_writes.lives_briefly(names)) is not None:
        return Silence(RULE, place, f"The {title} of each lives for minutes at most ({project.spot(brief)}).")
    if how == EACH and project.element_writes.is_pruned(site, names):
        return Silence(RULE, place, f"Whoever reads the {title} of each takes out what is of no use any more.")
    if not how and part is not None and any(write.growth != FIXED for write in writes):
        return _needless(project, read, part)
    if not how:
        return Silence(RULE, place, _why_not(writes))
    if how == GROWS and project.element_writes.holds_work(writes, names):
        how = _HELD
    elif how == GROWS and project.element_writes.taken_out_at(names) is not None:
        how = _LEAVING
    elif how == GROWS and once:
        how = _ONCE
    elif how == GROWS and all(
        project.element_writes.is_written_anew(one) or project.gathering.fills_empty(one) for one in growing
    ):
        how = _WHOLE
    return _finding(project, read, growing, (title, how))


def _why_not(writes: list[FieldWrite]) -> str:
    if not writes:
        return "No code was found that adds elements to this collection."
    if all(write.growth == FIXED for write in writes):
        return "All elements that are added to this collection are constants."
    return "No writer of this collection is known to add an element for each item of data."


def _needless(project: Project, read: _Read, part: PartialUse) -> Finding:
    """A note on a read of which the code needs little, however the collection grows."""
    site = read.site
    model = project.usage.model(site)
    assert model is not None
    shapes = [shape for shape in read.shapes if shape.fixed or shape.says_what_for]
    name = f" `{project.key_text(shapes[0]).replace('{}', '{…}')}`" if shapes else ""
    message = (
        f"{site.command} reads all elements of a {_TITLES[model.structure]}{name}, and the code {part.consequence()} "
        f"({project.spot(part.ref)}). If there are very many, the reply is as large, and Redis serves no other client "
        "while it is built."
    )
    instead = part.instead(model.structure)
    help_ = f"Ask for just that with {instead}." if instead else _help(project, site)
    trail = (
        project.step(part.ref, "what is needed of them"),
        project.step(site.ref, f"{site.command} reads all elements"),
    )
    place, symbol = project.place(site.ref), project.symbol(site.ref)
    return Finding(RULE, Level.NOTE, Precision.MEDIUM, message, place, trail, symbol, help=help_)


def _unfilled(project: Project, read: _Read, shape: Shape, shown: list[Ref]) -> Finding:
    """A note on a collection that other programs fill; `shown`: commands that show what its elements are."""
    site = read.site
    model = project.usage.model(site)
    assert model is not None
    one = shape.fixed or project.hashes.configured(shape)
    title, key = _TITLES[model.structure], project.key_text(shape).replace("{}", "{…}")
    named = "" if shape.only_hole and not one else f" `{key}`"
    message = (
        f"{_who(project, read)} reads all elements of {'the' if one else 'a'} {title}{named}, which no code that was "
        "seen keeps short. If it has very many elements, the reply is as large, and Redis serves no other client while "
        "it is built."
    )
    trail = [project.step(ref, "its elements are data, as this command shows") for ref in shown[:3]]
    trail += _steps(project, read)
    place, symbol = project.place(read.at), project.symbol(read.at)
    return Finding(RULE, Level.NOTE, Precision.MEDIUM, message, place, tuple(trail), symbol, help=_help(project, site))


def _finding(project: Project, read: _Read, writes: list[FieldWrite], kind: tuple[str, str]) -> Finding:
    """`kind` says what is read and how it grows."""
    site, (title, how) = read.site, kind
    write = writes[0]
    key = project.key_text(write.shape).replace("{}", "{…}")
    named = project.store.expr(write.field)
    of = f" of `{named.name}`" if isinstance(named, facts.Name | facts.Member) else ""
    spot = project.spot(write.site.ref if write.field[0] == write.site.file else write.field)
    where = f"({write.site.command}{of} at {spot})"
    which = "with one score of" if project.whole_reads.of_one_score(site) else "of"
    reads = f"{_who(project, read)} reads all elements {which}"
    if how == GROWS:
        message = (
            f"{reads} the {title} `{key}`, which gains an element for each item of data {where}. The reply grows "
            "without limit, and Redis serves no other client while it is built."
        )
    elif how == _ONCE:
        message = (
            f"{reads} the {title} `{key}`, which gains an element for each item of data {where}. The program does so "
            "once, but Redis serves no other client while the reply is built."
        )
    elif how == _LEAVING:
        message = (
            f"{reads} the {title} `{key}`, which gains an element for each item of data {where}. Elements are taken "
            "out again, but nothing limits how many there are at a time, and Redis serves no other client while the "
            "reply is built."
        )
    elif how == _WHOLE:
        message = (
            f"{reads} the {title} `{key}`, which is written as a whole, with an element for each item of data {where}. "
            "If there are very many, the reply is as large, and Redis serves no other client while it is built."
        )
    elif how == _HELD:
        message = (
            f"{reads} the {title} `{key}`, which holds what is taken from another one to be worked on {where}. That is "
            "fine as long as a worker takes out what it is done with."
        )
    elif how == EACH:
        message = (
            f"{reads} a {title} `{key}`, which gains an element for each item that belongs to it {where}. If one of "
            "them has very many elements, the reply is as large, and Redis serves no other client while it is built."
        )
    else:
        message = (
            f"{reads} the {title} `{key}`, which gains an element for each host, process or setting {where}. That is "
            "fine as long as they are few."
        )
    added = {one.field: one.site.command for one in writes}
    trail = [project.step(ref, f"an element that is data, added by {name}") for ref, name in list(added.items())[:3]]
    trail += _steps(project, read)
    level = Level.WARNING if how == GROWS else Level.NOTE
    guess = title in _DISTINCT and all(project.gathering.is_guess(one) for one in writes)
    precision = Precision.LOW if guess else Precision.MEDIUM
    place, symbol = project.place(read.at), project.symbol(read.at)
    return Finding(RULE, level, precision, message, place, tuple(trail), symbol, help=_help(project, site))


def _who(project: Project, read: _Read) -> str:
    sends = project.symbol(read.site.ref) if read.at != read.site.ref else ""
    return f"The {read.site.command} in `{sends}`" if sends else read.site.command


def _steps(project: Project, read: _Read) -> list[Step]:
    asked = project.whole_reads.asked_at(read.site)
    reads = project.step(read.site.ref, f"{read.site.command} reads all elements")
    if read.at == read.site.ref:
        return [*(project.step(ref, "all elements are asked for here") for ref in asked[:3]), reads]
    said = "all elements are asked for here" if read.at in asked else "of the key that this call says"
    return [reads, project.step(read.at, said)]


def _help(project: Project, site: CommandSite) -> str:
    model = project.usage.model(site)
    scan = project.advice(site).set_scan
    return _HELP[model.structure if model is not None else ""].format(scan=f" (`{scan}`)" if scan else "")
