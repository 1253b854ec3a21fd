"""RL401: the whole of a hash is read whose fields grow with the data."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.values import Ref
from resplint.contracts import facts
from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.findings import Finding, Level, Precision
from resplint.model.project import Project
from resplint.redis.field_growth import BOUNDED, FIXED, GROWING
from resplint.redis.hashes import FieldWrite
from resplint.redis.usage import CommandSite

RULE = "RL401"
_READ = {"HKEYS": "field names ", "HVALS": "values "}
_GROWS, _ONCE, _FEW, _EACH = "grows", "once", "few", "each"
"""How the fields of a hash grow: with all data (which a program may read once before it ends), with hosts and settings,
or with what belongs to one thing.
"""


def check(project: Project) -> Iterator[Finding]:
    """Report whole reads of hashes whose writers use ids, times or input as fields."""
    return findings(decide(project))


def decide(project: Project) -> Iterator[Decision]:
    """The findings, and why other reads of a whole hash are fine."""
    seen: set[Ref] = set()
    for site in project.commands:
        model = project.usage.model(site)
        if model is None or not model.whole_hash or site.ref in seen:
            continue
        writes = project.hashes.of(site)
        place = project.place(site.ref)
        if any(project.hashes.is_parameter(write.field) for write in writes) and project.hashes.of_any_maker(site):
            # Nobody is known to read it as a whole.
            yield Silence(RULE, place, "The class is a dictionary over a key that whoever makes an object of it gives.")
            continue
        growing = [write for write in writes if write.growth == GROWING and _shared(project, write)]
        bounded = [write for write in writes if write.growth == BOUNDED and _shared(project, write)]
        each = [] if _is_record(project, writes) else [one for one in writes if _each(project, one)]
        if growing or bounded or each:
            seen.add(site.ref)
            grows = _ONCE if project.is_one_off(site) else _GROWS
            yield _finding(project, site, growing or bounded or each, grows if growing else _FEW if bounded else _EACH)
        else:
            yield Silence(RULE, place, _why_not(writes))


def _why_not(writes: list[FieldWrite]) -> str:
    if not writes:
        return "No code was found that writes fields of this hash."
    if all(write.growth == FIXED for write in writes):
        return "All fields that are written to this hash have fixed names."
    return "No writer of this hash is known to add a field for each element of the data."


def _shared(project: Project, write: FieldWrite) -> bool:
    """Whether the key gathers the fields of many: it is always the same, or one per stretch of time."""
    if write.shape.fixed or project.hashes.bucket(write.shape) or project.hashes.configured(write.shape):
        return True
    # A class that is itself a dictionary over one key leaves both key and fields to whoever uses it; where the class
    # says what its key is for, callers that are known say what the fields are.
    if not (write.kept or write.shape.of_object) or project.hashes.handed_in(write.field):
        return False
    return write.shape.says_what_for or not project.hashes.is_parameter(write.field)


def _is_record(project: Project, writes: list[FieldWrite]) -> bool:
    """Whether a hash is a record: a writer names its fields, or stores an object as it is. Counters that are named by
    data are no record's fields.
    """
    if any(one.growth == FIXED for one in writes):
        return True
    whole = [one for one in writes if project.hashes.of_record(one.field)]
    counts = [one for one in writes if one.growth == GROWING and one not in whole and _counts(project, one)]
    return bool(whole) and not counts


def _counts(project: Project, write: FieldWrite) -> bool:
    model = project.usage.model(write.site)
    return model is not None and model.couples == "counter"


def _each(project: Project, write: FieldWrite) -> bool:
    """Whether each of many hashes (one for a room, a user) grows with data: the key says what for, and its fields
    are not those of a record that is stored as it is.
    """
    return write.growth == GROWING and write.shape.says_what_for and not project.hashes.of_record(write.field)


def _is_guess(project: Project, write: FieldWrite) -> bool:
    """Whether nothing that is known says that a field is data: callers nobody knows give it."""
    return project.hashes.handed_in(write.field) and not project.hashes.is_named_as_identity(write.field)


def _finding(project: Project, site: CommandSite, writes: list[FieldWrite], how: str) -> Finding:
    write = writes[0]
    key = project.key_text(write.shape).replace("{}", "{…}")
    named = project.store.expr(write.field)
    of = f" of `{named.name}`" if isinstance(named, facts.Name | facts.Member) else ""
    where = f"({write.site.command}{of} at {project.spot(write.site.ref)})"
    reads = f"{site.command} reads all {_READ.get(site.command, '')}of"
    if how == _GROWS:
        message = (
            f"{reads} the hash `{key}`, which gains a field for each item of data {where}. The "
            "reply grows without limit, and Redis serves no other client while it is built."
        )
    elif how == _ONCE:
        message = (
            f"{reads} the hash `{key}`, which gains a field for each item of data {where}. The "
            "program does so once and ends, but Redis serves no other client while the reply is built."
        )
    elif how == _EACH:
        message = (
            f"{reads} a hash `{key}`, which gains a field for each item that belongs to it "
            f"{where}. If one of them has very many, the reply is as large, and Redis serves no other client while "
            "it is built."
        )
    else:
        message = (
            f"{reads} the hash `{key}`, which gains a field for each host, process or setting "
            f"{where}. That is fine as long as they are few."
        )
    fields = {one.field: one.site.command for one in writes}
    trail = [
        project.step(field, f"a field named by data, written by {name}") for field, name in list(fields.items())[:3]
    ]
    trail.append(project.step(site.ref, f"{site.command} reads all fields"))
    level = Level.WARNING if how == _GROWS else Level.NOTE
    place, symbol = project.place(site.ref), project.symbol(site.ref)
    precision = Precision.LOW if how == _EACH and all(_is_guess(project, one) for one in writes) else Precision.MEDIUM
    return Finding(RULE, level, precision, message, place, tuple(trail), symbol, help=_help(project, site))


def _help(project: Project, site: CommandSite) -> str:
    scan = project.catalogue.advice(site.receiver.origin.library).hash_scan
    portions = f"Read it in portions with HSCAN{f' (`{scan}`)' if scan else ''}"
    if site.command == "HGETALL":
        return f"{portions}, or only the fields that you need with HMGET."
    return f"{portions}; if only their number is needed, use HLEN."
