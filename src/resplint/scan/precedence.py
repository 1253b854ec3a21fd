"""One call, one finding: which rule speaks where several have something to say about the same call.

The rule book says which rule yields to which: to a warning or an error, or to a finding of its own level, of a rule
that runs there. A note, which few reports show, takes no warning away. A rule may yield with its notes alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from resplint.config.loading import Config
from resplint.contracts.decisions import Decision, Silence
from resplint.contracts.findings import Finding, Level, Place, RuleInfo


def one_a_call(found: Iterable[Finding], book: Mapping[str, RuleInfo], config: Config) -> list[Finding]:
    """The findings without those that yield to another one at the same call."""
    return [one for one in settled(found, book, config) if isinstance(one, Finding)]


def settled(decisions: Iterable[Decision], book: Mapping[str, RuleInfo], config: Config) -> list[Decision]:
    """The decisions with a reason in the place of each finding that yields to another one."""
    everything = list(decisions)
    stronger = {code for info in book.values() for code in info.yields_to}
    by_path: defaultdict[str, list[Finding]] = defaultdict(list)
    for one in everything:
        if isinstance(one, Finding) and one.rule in stronger and one.rule not in config.ignored_at(one.place.path):
            by_path[one.place.path].append(one)
    return [_settled(one, by_path[one.place.path], book) if by_path else one for one in everything]


def _settled(one: Decision, others: Iterable[Finding], book: Mapping[str, RuleInfo]) -> Decision:
    if not isinstance(one, Finding):
        return one
    info = book[one.rule]
    if one.level.rank > info.yields_up_to.rank:
        return one
    for other in others:
        if (
            other.rule in info.yields_to
            and (other.level.rank >= one.level.rank or other.level is not Level.NOTE)
            and _is_same_call(one.place, other.place)
        ):
            return Silence(one.rule, one.place, f"{other.rule} {book[other.rule].name} reports this call already.")
    return one


def _is_same_call(one: Place, other: Place) -> bool:
    return one.start == other.start or one.end == other.end
