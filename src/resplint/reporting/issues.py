"""Results of SARIF as issues of a report."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from resplint.output.escape import escape
from resplint.reporting.code import context
from resplint.reporting.fixes import file_diff
from resplint.reporting.messages import clip, parts, split, text_of
from resplint.reporting.records import Issue, Notice, Remedy, Spot, State, Step
from resplint.reporting.run import RunView
from resplint.reporting.sarif import (
    CodeFlow,
    Descriptor,
    Fix,
    Location,
    Notification,
    PhysicalLocation,
    Result,
    Suppression,
)

MAX_STEPS = 100
MAX_FIXES = 10
_PRECISIONS = {"very-high": 80.0, "high": 60.0, "medium": 40.0, "low": 20.0}
_OWN_FINGERPRINTS = ("resplint/v1", "primaryLocationLineHash")


def issue(view: RunView, result: Result, source: str) -> Issue:
    """`result` as a report shows it."""
    descriptor = view.descriptor(result)
    rule = view.rule(result, descriptor)
    message = text_of(result.message, *view.strings(descriptor)) or rule.title or rule.id
    headline, rest = split(message)
    place = result.locations[0] if result.locations else None
    steps, further = _trail(view, result.code_flows)
    suppression = _in_force(result)
    properties = {**(descriptor.properties if descriptor else {}), **result.properties}
    fingerprint = _fingerprint(result)
    spot = view.spot(place)
    return Issue(
        anchor=_anchor(source, rule.key, fingerprint or f"{spot.label} {message}"),
        source=source,
        tool=view.tool,
        rule=rule,
        level=level_of(result, descriptor),
        state=_state(result, suppression),
        headline=parts(headline),
        rest=parts(rest),
        message=message,
        spot=spot,
        symbol=view.symbol(place),
        precision=_word(properties.get("precision")),
        rank=_rank(result.rank, properties),
        lines=view.lines(place),
        steps=steps,
        further_trails=further,
        related=_related(view, (*result.locations[1:], *result.related_locations)),
        remedies=tuple(_remedy(view, result, fix) for fix in result.fixes[:MAX_FIXES] if fix.artifact_changes),
        suppression=_word(suppression.kind) if suppression else "",
        justification=escape(clip(suppression.justification or "")) if suppression else "",
        fingerprint=escape(fingerprint),
    )


def notices(view: RunView, source: str) -> Iterator[Notice]:
    """What the tool said about its own work in this run, and what can be seen of it."""
    for invocation in view.run.invocations:
        said = (*invocation.tool_execution_notifications, *invocation.tool_configuration_notifications)
        yield from (_notice(view, each, source) for each in said)
        if not invocation.execution_successful:
            yield _own(view, source, "error", "The tool did not finish: its results may be incomplete.")
    if view.run.results is None and "results" not in view.run.external_property_file_references:
        yield _own(view, source, "error", "The run holds no list of results: the tool did not get as far as looking.")
    if view.run.external_property_file_references:
        text = "Parts of the run are in other files, which are not read: inline them to see everything."
        yield _own(view, source, "warning", text)


def _notice(view: RunView, given: Notification, source: str) -> Notice:
    kind = (given.descriptor.id if given.descriptor else None) or ""
    text = text_of(given.message, view.run.tool.driver.global_message_strings) or "No details are known."
    place = given.locations[0] if given.locations else None
    return Notice(given.level, escape(clip(kind, 100)), text, view.spot(place), source, view.tool)


def _own(view: RunView, source: str, level: str, text: str) -> Notice:
    return Notice(level, "", text, Spot(), source, view.tool)


def _trail(view: RunView, flows: tuple[CodeFlow, ...]) -> tuple[tuple[Step, ...], int]:
    """The steps of the first code flow, its threads one after the other, and how many more flows there are."""
    if not flows:
        return (), 0
    stations = [each for thread in flows[0].thread_flows for each in thread.locations]
    if len(stations) > MAX_STEPS:
        # Where it began and where it ended say more than the middle.
        stations = [*stations[: MAX_STEPS - 1], stations[-1]]
    shared = view.run.thread_flow_locations
    steps = []
    for station in stations:
        known = shared[station.index].location if 0 <= station.index < len(shared) else None
        steps.append(view.step(station.location or known))
    return tuple(steps), len(flows) - 1


def _related(view: RunView, locations: Iterable[Location]) -> tuple[Step, ...]:
    steps = (view.step(location) for location in itertools.islice(locations, MAX_STEPS))
    return tuple(step for step in steps if step.message or step.spot.path)


def _remedy(view: RunView, result: Result, fix: Fix) -> Remedy:
    nearby = _nearby(view, result)

    def known(path: str) -> Mapping[int, str]:
        return view.source(path) or nearby.get(path, {})

    diffs = (
        file_diff(change, view.path(change.artifact_location), known, utf16=view.utf16)
        for change in fix.artifact_changes[:MAX_FIXES]
    )
    title = text_of(fix.description, view.run.tool.driver.global_message_strings)
    return Remedy(title or "Suggested change", tuple(diff for diff in diffs if diff.rows))


def _nearby(view: RunView, result: Result) -> Mapping[str, Mapping[int, str]]:
    """Lines that the result itself carries, by path and number."""
    known: dict[str, dict[int, str]] = {}
    for physical in _places(result):
        known.setdefault(view.path(physical.artifact_location), {}).update(context(physical))
    return known


def _places(result: Result) -> Iterator[PhysicalLocation]:
    flows = (each for flow in result.code_flows for thread in flow.thread_flows for each in thread.locations)
    places = (*result.locations, *result.related_locations, *(each.location for each in flows if each.location))
    yield from (place.physical_location for place in places if place.physical_location)


def level_of(result: Result, descriptor: Descriptor | None) -> str:
    """The level of a result with the defaults of the standard (3.27.10)."""
    if result.level is not None:
        return result.level
    if result.kind != "fail":
        return "none"
    configuration = descriptor.default_configuration if descriptor else None
    return configuration.level if configuration else "warning"


def state_of(result: Result) -> State | None:
    """Whether a result is to be acted on; None for one that the baseline had and that is gone."""
    return None if result.baseline_state == "absent" else _state(result, _in_force(result))


def _in_force(result: Result) -> Suppression | None:
    """The suppression that counts; where one waits for a review or was rejected, none does (3.35.3)."""
    given = result.suppressions or ()
    if any(each.status in ("underReview", "rejected") for each in given):
        return None
    return given[0] if given else None


def _state(result: Result, suppression: Suppression | None) -> State:
    is_known = result.baseline_state in ("unchanged", "updated")
    if suppression is not None:
        # A baseline says so in both ways.
        return State.ACCEPTED if is_known and suppression.kind == "external" else State.SUPPRESSED
    if result.baseline_state == "new":
        return State.NEW
    return State.KNOWN if is_known else State.OPEN


def _rank(rank: float, properties: Mapping[str, Any]) -> float:
    """How much a result matters among those of its level, from 0 to 100."""
    if rank >= 0:
        return min(rank, 100.0)
    try:
        severity = float(properties.get("security-severity", ""))
    except (TypeError, ValueError):
        severity = math.nan
    if math.isnan(severity):
        return _PRECISIONS.get(str(properties.get("precision")), -1.0)
    return 10 * min(max(severity, 0.0), 10.0)


def _word(value: object) -> str:
    return escape(clip(value, 40)) if isinstance(value, str) else ""


def _fingerprint(result: Result) -> str:
    given = {**result.partial_fingerprints, **result.fingerprints}
    named = next((given[name] for name in _OWN_FINGERPRINTS if name in given), "")
    return clip(named or next((given[name] for name in sorted(given)), ""), 200)


def _anchor(*what: str) -> str:
    return "f-" + hashlib.sha256("\0".join(what).encode("utf-8", "surrogatepass")).hexdigest()[:12]
