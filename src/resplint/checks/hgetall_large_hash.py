"""RL401: the whole of a hash is read whose fields grow with the data."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.values import Ref
from resplint.contracts import facts
from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.findings import Finding, Level, Precision
from resplint.model.project import Project
from resplint.redis.growth.field_growth import FIXED
from resplint.redis.growth.gathering import EACH, GROWS
from resplint.redis.growth.hashes import FieldWrite
from resplint.redis.growth.partial_use import PartialUse
from resplint.redis.usage import CommandSite
from resplint.text.key_templates import Shape

RULE = "RL401"
_READ = {"HKEYS": "field names ", "HVALS": "values "}
_ONCE = "once"
"""A hash that grows with all data, which a program reads once: when it starts, or before it ends."""
_WHOLE = "whole"
"""A hash that holds what there is of some data, and is written anew as a whole."""
_KEPT = "kept"
"""A hash to which fields are only added up to a number."""
_IDLE = "idle"
"""A hash that grows with all data where code adds fields that nothing calls."""


def check(project: Project) -> Iterator[Finding]:
    """Report whole reads of hashes whose writers use ids, times or input as fields."""
    return findings(decide(project))


def decide(project: Project) -> Iterator[Decision]:
    """The findings, and why other reads of a whole hash are fine."""
    seen: set[Ref] = set()
    for site in project.commands:
        model = project.usage.model(site)
        if model is None or not model.whole_hash:
            continue
        chosen = project.hashes.by_choice(site)
        writes = list(dict.fromkeys(write for found in chosen.values() for write in found))
        place = project.place(site.ref)
        if any(project.hashes.is_parameter(write.field) for write in writes) and project.hashes.of_any_maker(site):
            # Nobody is known to read it as a whole.
            yield Silence(RULE, place, "The class is a dictionary over a key that whoever makes an object of it gives.")
            continue
        part = None if project.happens_once(site) else project.partial_uses.of(site)
        if part is not None and (not writes or any(write.growth != FIXED for write in writes)):
            hows = {project.gathering.of(found)[0] for found in chosen.values()}
            if site.ref not in seen and not any(hows):
                seen.add(site.ref)
                yield _needless(project, site, part)
                continue
        if not writes and not project.happens_once(site) and site.ref not in seen:
            if (shown := project.unfilled.fields_shown_by(site)) is not None:
                seen.add(site.ref)
                yield _unfilled(project, site, *shown)
                continue
        judged = {at: project.gathering.of(found) for at, found in chosen.items()}
        keys = {at: frozenset(one.shape.template for one in growing) for at, (how, growing) in judged.items() if how}
        if len(keys) == len(judged) and len(set(keys.values())) == 1:  # whoever calls it reads the same hash
            judged = {site.ref: next(iter(judged.values()))}
            keys = {site.ref: next(iter(keys.values()))}
        reported: set[tuple[int, int, frozenset[str]]] = set()
        for at, (how, growing) in judged.items():
            if not how:
                yield Silence(RULE, project.place(at), _why_not(chosen[at]))
            elif at not in seen and (*_function(project, at), keys[at]) not in reported:
                seen.add(at)
                reported.add((*_function(project, at), keys[at]))
                once = how == GROWS and project.happens_once_at(site, at)
                yield _finding(project, site, at, growing, _ONCE if once else _limited(project, how, growing))


def _limited(project: Project, how: str, writes: list[FieldWrite]) -> str:
    """How a hash grows, where commands that add fields for each element of the data may add no more than some."""
    if how != GROWS:
        return how
    if project.is_run and all(project.unused.has(one.site.ref) for one in writes):
        return _IDLE
    if all(project.element_writes.is_written_anew(one) or project.gathering.fills_empty(one) for one in writes):
        return _WHOLE
    kept = project.element_writes.trimmed_at([one.shape.name for one in writes]) is not None
    return _KEPT if kept else GROWS


def _function(project: Project, at: Ref) -> tuple[int, int]:
    """The function around a read: each that reads a hash is a place of its own to change."""
    index = project.store.files[at[0]]
    return at[0], index.function_of(index.facts.exprs[at[1]].block)


def _why_not(writes: list[FieldWrite]) -> str:
    if not writes:
        return "No code was found that writes fields of this hash."
    if all(write.growth == FIXED for write in writes):
        return "All fields that are written to this hash have fixed names."
    return "No writer of this hash is known to add a field for each element of the data."


def _needless(project: Project, site: CommandSite, part: PartialUse) -> Finding:
    """A note on a read of which the code needs little, however the hash grows."""
    shapes = [
        shape for shape in project.shapes.of(project.usage.key_file(site), project.usage.key(site)) if shape.known
    ]
    name = f" `{project.key_text(shapes[0]).replace('{}', '{…}')}`" if shapes else ""
    message = (
        f"{site.command} reads all {_READ.get(site.command, '')}of a hash{name}, and the code {part.consequence()} "
        f"({project.spot(part.ref)}). If it has very many fields, the reply is as large, and Redis serves no other "
        "client while it is built."
    )
    instead = part.instead("hash")
    help_ = f"Ask for just that with {instead}." if instead else _help(project, site)
    trail = (
        project.step(part.ref, "what is needed of them"),
        project.step(site.ref, f"{site.command} reads all fields"),
    )
    place, symbol = project.place(site.ref), project.symbol(site.ref)
    return Finding(RULE, Level.NOTE, Precision.MEDIUM, message, place, trail, symbol, help=help_)


def _unfilled(project: Project, site: CommandSite, shape: Shape, shown: list[Ref], sure: bool) -> Finding:
    """A note on a hash that other programs fill; `shown`: code that shows what its fields are."""
    one = shape.fixed or project.hashes.configured(shape)
    key = project.key_text(shape).replace("{}", "{…}")
    message = (
        f"{site.command} reads all {_READ.get(site.command, '')}of {'the' if one else 'a'} hash `{key}`, whose fields "
        "are named by data. If it has very many, the reply is as large, and Redis serves no other client while it is "
        "built."
    )
    said = "a field that is data, as this command shows" if sure else "a loop goes through all of it"
    trail = [project.step(ref, said) for ref in shown[:3]]
    trail.append(project.step(site.ref, f"{site.command} reads all fields"))
    place, symbol = project.place(site.ref), project.symbol(site.ref)
    precision = Precision.MEDIUM if sure else Precision.LOW
    return Finding(RULE, Level.NOTE, precision, message, place, tuple(trail), symbol, help=_help(project, site))


def _finding(project: Project, site: CommandSite, at: Ref, writes: list[FieldWrite], how: str) -> Finding:
    message = _message(project, site, at, writes[0], how)
    fields = {one.field: one.site.command for one in writes}
    trail = [
        project.step(field, f"a field named by data, written by {name}") for field, name in list(fields.items())[:3]
    ]
    trail.append(project.step(site.ref, f"{site.command} reads all fields"))
    if at != site.ref:
        trail.append(project.step(at, "of the key that this call says"))
    level = Level.WARNING if how == GROWS else Level.NOTE
    place, symbol = project.place(at), project.symbol(at)
    precision = (
        Precision.LOW if how == EACH and all(project.gathering.is_guess(one) for one in writes) else Precision.MEDIUM
    )
    return Finding(RULE, level, precision, message, place, tuple(trail), symbol, help=_help(project, site))


def _message(project: Project, site: CommandSite, at: Ref, write: FieldWrite, how: str) -> str:
    names, key = _keys(project, site, at, write)
    named = project.store.expr(write.field)
    of = f" of `{named.name}`" if isinstance(named, facts.Name | facts.Member) else ""
    where = f"({write.site.command}{of} at {project.spot(write.site.ref)})"
    sends = project.symbol(site.ref) if at != site.ref else ""
    who = f"The {site.command} in `{sends}`" if sends else site.command
    reads = f"{who} reads all {_READ.get(site.command, '')}of"
    if how == GROWS:
        gone = project.gathering.removal(names)
        at_a_time = f"with the items there are at a time ({gone.command} at {project.spot(gone.ref)})" if gone else ""
        grows = at_a_time or "without limit"
        return (
            f"{reads} the hash `{key}`, which gains a field for each item of data {where}. The "
            f"reply grows {grows}, and Redis serves no other client while it is built."
        )
    if how == _ONCE:
        return (
            f"{reads} the hash `{key}`, which gains a field for each item of data {where}. The "
            "program does so once, but Redis serves no other client while the reply is built."
        )
    if how == _IDLE:
        return (
            f"{reads} the hash `{key}`, which gains a field for each item of data {where}. Nothing in the project "
            "calls the code that adds them, tests aside; if something does, the reply grows with them, and Redis "
            "serves no other client while it is built."
        )
    if how == _WHOLE:
        return (
            f"{reads} the hash `{key}`, which is written as a whole, with a field for each item of data {where}. If "
            "there are very many, the reply is as large, and Redis serves no other client while it is built."
        )
    if how == _KEPT:
        return (
            f"{reads} the hash `{key}`, which gains a field for each item of data {where} until it has some number of "
            "them. That is fine as long as they are few."
        )
    if how == EACH:
        return (
            f"{reads} a hash `{key}`, which gains a field for each item that belongs to it "
            f"{where}. If one of them has very many, the reply is as large, and Redis serves no other client while "
            "it is built."
        )
    return (
        f"{reads} the hash `{key}`, which gains a field for each host, process or setting "
        f"{where}. That is fine as long as they are few."
    )


def _keys(project: Project, site: CommandSite, at: Ref, write: FieldWrite) -> tuple[list[str], str]:
    """The names of what is read that grows as one write says, and how a message shows it: what differs is left open."""
    found = project.hashes.choices(site.ref, (project.usage.key_file(site), project.usage.key(site)))
    shapes = [shape for one, (_, shapes) in found.items() if one == at or at not in found for shape in shapes]
    growing = [
        shape
        for shape in dict.fromkeys(shapes)
        if any(one.growth == write.growth for one in project.hashes.writers.get(shape.name, ()))
    ]
    text = project.key_text(write.shape)
    if growing and all(shape.says_what_for for shape in growing):
        text = _common(list(dict.fromkeys(project.key_text(shape) for shape in growing))) or text
    return list(dict.fromkeys([*(shape.name for shape in growing), write.shape.name])), text.replace("{}", "{…}")


def _common(keys: list[str]) -> str:
    """Several keys as one, with a hole for each part that differs: `conns:{}`; "" where they have nothing in common."""
    parts = [key.split(":") for key in keys]
    if len({len(one) for one in parts}) > 1:
        return ""
    same = [one[0] if len(set(one)) == 1 else "{}" for one in zip(*parts, strict=True)]
    return ":".join(same) if any(part != "{}" for part in same) else ""


def _help(project: Project, site: CommandSite) -> str:
    scan = project.advice(site).hash_scan
    portions = f"Read it in portions with HSCAN{f' (`{scan}`)' if scan else ''}"
    if site.command != "HKEYS":
        return f"{portions}, or only the fields that you need with HMGET."
    return f"{portions}; HEXISTS answers whether a field is there, and HLEN how many there are."
