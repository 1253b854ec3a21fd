"""The answers of `resplint why` for people, and for scripts (``docs/why.md``)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from resplint.contracts.findings import Precision
from resplint.inventory.json_form import client_object
from resplint.inventory.records import Explanation, Meaning, Spot
from resplint.inventory.text import add_client
from resplint.output.escape import escape, inert_json
from resplint.output.json import exact_path
from resplint.output.page import Page

FORM_VERSION = "1.0"
_CODE = 100
"""Characters shown of a line of code."""
_SELDOM = " (low precision: a scan shows it with --min-precision low)"


def render_text(explanations: Sequence[Explanation], *, color: bool) -> bytes:
    """The answers as UTF-8 text."""
    page = Page()
    for number, one in enumerate(explanations):
        if number:
            page.add()
        inside = f"  (in {escape(one.symbol)})" if one.symbol else ""
        page.add((f"{_place(one.spot)}  {_short(one.code)}", "strong"), (inside, "faint"))
        if one.command:
            page.add((f"sends {escape(one.command)} through {_short(one.subject)}, which stands for:", ""))
        else:
            page.add(("stands for:", ""))
        for meaning in one.meanings:
            _meaning(page, meaning)
        for client in one.clients:
            page.add()
            add_client(page, client)
        if one.rules:
            page.add()
            page.add(("rules:", "strong"))
        for rule in one.rules:
            style, verdict = ("warning", "reports") if rule.reported else ("faint", "reports nothing")
            where = f" at {_place(rule.spot)}" if rule.spot != one.spot else ""
            shown = _SELDOM if rule.precision == Precision.LOW.value else ""
            page.add((f"  {rule.rule} {verdict}{where}{shown}: ", style), (escape(rule.text), ""))
    return page.render(color=color)


def _meaning(page: Page, meaning: Meaning) -> None:
    page.add((f"  {escape(meaning.text)}", ""))
    for step in meaning.steps:
        said = f"  ({escape(step.text)})" if step.text else ""
        page.add((f"    {_place(step.spot)}  ", "faint"), (_short(step.code), ""), (said, "trail"))


def _short(code: str) -> str:
    line = escape(" ".join(code.split()))
    return line if len(line) <= _CODE else f"{line[: _CODE - 1]}…"


def _place(spot: Spot) -> str:
    shown = escape(spot.path)
    return f"{'./' if shown.startswith(('::', '##[')) else ''}{shown}:{spot.line}"


def render_json(explanations: Sequence[Explanation]) -> bytes:
    """The answers as ASCII JSON; texts of the scanned code come without control characters."""
    document = {"version": FORM_VERSION, "expressions": [_object(one) for one in explanations]}
    text = json.dumps(document, indent=2, ensure_ascii=True, allow_nan=False)
    return (inert_json(text) + "\n").encode("ascii")


def _object(one: Explanation) -> dict[str, Any]:
    return {
        "place": _spot(one.spot),
        "code": escape(one.code),
        "symbol": escape(one.symbol),
        "command": escape(one.command),
        "subject": escape(one.subject),
        "values": [
            {
                "text": escape(meaning.text),
                "steps": [
                    {"place": _spot(step.spot), "text": escape(step.text), "code": escape(step.code)}
                    for step in meaning.steps
                ],
            }
            for meaning in one.meanings
        ],
        "clients": [client_object(client) for client in one.clients],
        "rules": [
            {
                "rule": rule.rule,
                "reported": rule.reported,
                "precision": rule.precision,
                "text": escape(rule.text),
                "place": _spot(rule.spot),
            }
            for rule in one.rules
        ],
    }


def _spot(spot: Spot) -> dict[str, Any]:
    return {"path": exact_path(spot.path), "line": spot.line}
