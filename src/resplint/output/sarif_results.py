"""Results of a SARIF file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from resplint.contracts.findings import BaselineState, LocatedStep, Result
from resplint.output.escape import escape
from resplint.output.sarif_code import context_region, step_context
from resplint.output.sarif_fixes import fixes
from resplint.output.sarif_limits import MAX_BYTES, Cuts
from resplint.output.sarif_places import physical, snippet_of

_Object = dict[str, Any]


class Manner(msgspec.Struct, frozen=True):
    """How results of a run are written: `indexes` of rules by code; whether suppressions and states of the baseline are
    stated, which the standard wants on all results of a run or on none; whether code is quoted.
    """

    indexes: Mapping[str, int]
    suppressing: bool
    comparing: bool
    quoting: bool = True


def manner_of(results: Sequence[Result], indexes: Mapping[str, int]) -> Manner:
    """How `results` have to be written."""
    return Manner(
        indexes,
        suppressing=any(result.suppression is not None for result in results),
        comparing=any(result.baseline is not None for result in results),
    )


def encoded(results: Sequence[Result], manner: Manner, cuts: Cuts) -> list[str]:
    """Results as JSON texts of one line, as many as fit into `MAX_BYTES` together."""
    texts: list[str] = []
    left = MAX_BYTES
    for result in results:
        # Indented, they would take ten times as long to write.
        text = json.dumps(_result(result, manner, cuts), ensure_ascii=True, allow_nan=False)
        left -= len(text)
        if left < 0:
            break
        texts.append(text)
    return texts


def _result(result: Result, manner: Manner, cuts: Cuts) -> _Object:
    where = physical(result.path, result.region, snippet_of(result) if manner.quoting else "")
    if manner.quoting and (context := context_region(result.region, result.frame)) is not None:
        where["contextRegion"] = context
    location: _Object = {"physicalLocation": where}
    if result.symbol:
        location["logicalLocations"] = [{"fullyQualifiedName": cuts.text(result.symbol)}]
    built: _Object = {
        **rule_reference(result.rule, manner.indexes, "ruleId", "ruleIndex"),
        "level": result.level.value,
        "message": {"text": cuts.sentence(result.text)},
        "locations": [location],
        "partialFingerprints": dict(sorted(result.fingerprints.items())),
        "properties": {"precision": result.precision.value},
    }
    if manner.comparing:
        built["baselineState"] = (result.baseline or BaselineState.NEW).value
    if result.trail:
        built["codeFlows"] = [{"threadFlows": [{"locations": _flow(result.trail, manner, cuts)}]}]
    if manner.suppressing:
        built["suppressions"] = [] if result.suppression is None else [_suppression(result, cuts)]
    if result.fix is not None and (built_fixes := fixes(result.fix, cuts)):
        built["fixes"] = built_fixes
    return built


def rule_reference(rule: str, indexes: Mapping[str, int], id_key: str, index_key: str) -> _Object:
    """Properties that refer to a rule, by its index too if the run describes it."""
    reference: _Object = {id_key: escape(rule)}
    if rule in indexes:
        reference[index_key] = indexes[rule]
    return reference


def _suppression(result: Result, cuts: Cuts) -> _Object:
    assert result.suppression is not None
    justification = cuts.text(result.suppression.justification)
    return {"kind": result.suppression.kind} | ({"justification": justification} if justification else {})


def _flow(trail: Sequence[LocatedStep], manner: Manner, cuts: Cuts) -> list[_Object]:
    return [
        {
            "location": {
                "physicalLocation": physical(step.path, step.region) | (step_context(step) if manner.quoting else {}),
                "message": {"text": cuts.sentence(step.message or "The trail passes here")},
            }
        }
        for step in cuts.trail(trail)
    ]
