"""The page: one file that needs nothing else, from records to bytes.

Templates escape every text by themselves. Style and script stand in the page and are allowed by their hash, so that no
other script would run even if a text got through; there are no inline styles and no event attributes for the same
reason.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

import msgspec

from resplint._version import __version__
from resplint.contracts.errors import UserError
from resplint.output.about import install
from resplint.reporting.overview import Figures, RuleRow, figures, folder_labels, folder_of, heat_map, rule_rows
from resplint.reporting.records import LEVELS, Collection, Notice, State

MAX_NOTICES = 200
MAX_COLOURED = 2000
MAX_DETAILED = 5000
"""Findings whose code is coloured, and that have any at all: a page of 15,000 with everything takes a browser 20 s."""
_FEW = 25
"""So many findings are all shown open; of more, the first of each rule."""

_TITLES = {
    "internal-error": "Internal errors: results are incomplete",
    "skipped": "Not analysed",
    "partial": "Analysed in part",
    "limit": "Left out",
    "manifest": "Manifests or settings not read: versions and options may be less exact",
    "unused-suppression": "Suppressions without effect",
    "unused-baseline": "Entries of the baseline whose findings are gone",
    "lapsed-baseline": "Entries of the baseline that no longer hold",
}
_CLOSED = {State.ACCEPTED: "in the baseline", State.SUPPRESSED: "suppressed"}


class NoticeGroup(msgspec.Struct, frozen=True):
    """Notices of one kind."""

    title: str
    level: str
    items: tuple[Notice, ...]


def render(collection: Collection) -> bytes:
    """The page as UTF-8, the same for the same collection. Raises UserError if Jinja2 is not installed."""
    try:
        from jinja2 import Environment, StrictUndefined  # noqa: PLC0415
        from markupsafe import Markup  # noqa: PLC0415
    except ImportError as error:
        raise UserError(f"--html needs Jinja2: {install('report')}.") from error
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    style, script = asset("page.css"), asset("page.js")
    page = environment.from_string(asset("page.html")).render(
        **_content(collection),
        **_helpers(),
        style=Markup(style),
        script=Markup(script),
        policy=_policy(style, script),
        version=__version__,
    )
    return (page + "\n").encode("utf-8", "backslashreplace")


def _helpers() -> dict[str, Any]:
    # Imported here because they need what the extra installs.
    from resplint.reporting.chart import chart  # noqa: PLC0415
    from resplint.reporting.highlight import Painter, diff_html  # noqa: PLC0415
    from resplint.reporting.markdown import Help  # noqa: PLC0415

    painter = Painter()
    return {
        "chart": chart,
        "code": painter.code,
        "diff_code": diff_html,
        "help": Help(painter).html,
        "folder_of": folder_of,
        "has_links": lambda parts: any(part.href for part in parts),
        "shortened": shortened,
        "text_only": lambda parts: "".join(part.text for part in parts),
    }


def _content(collection: Collection) -> dict[str, Any]:
    found, shut = collection.open, collection.closed
    rules = rule_rows(found)
    folders = folder_labels(collection.issues)
    ordered = (*found, *shut)
    keys = dict.fromkeys([*(row.rule.key for row in rules), *(issue.rule.key for issue in shut)])
    numbers = figures(collection)
    said = _groups(collection.notices)
    return {
        "anchors": _anchors(rules),
        "closed": [
            (title, [issue for issue in shut if issue.state is state])
            for state, title in _CLOSED.items()
            if any(issue.state is state for issue in shut)
        ],
        "few": len(found) <= _FEW,
        "figures": numbers,
        "folder_numbers": {key: number for number, key in enumerate(folders)},
        "folders": folders,
        "headline": headline(numbers),
        "heat": heat_map(found, rules, folders),
        "incomplete": sum(len(group.items) for group in said if group.level in ("error", "warning")),
        "max_coloured": MAX_COLOURED,
        "max_detailed": MAX_DETAILED,
        "max_notices": MAX_NOTICES,
        "most": max((len(row.issues) for row in rules), default=1),
        "notices": said,
        "ranks": {issue.anchor: number for number, issue in enumerate(ordered)},
        "rule_numbers": {key: number for number, key in enumerate(keys)},
        "rules": rules,
        "several_tools": len({issue.tool for issue in found}) > 1,
        "sources": collection.sources,
        "trends": collection.trends,
    }


def headline(numbers: Figures) -> str:
    """The whole in one line: "12 errors and 3 warnings in 9 files"."""
    parts = [
        f"{count:,} {level if level != 'none' else 'remark'}{'' if count == 1 else 's'}"
        for level, count in numbers.levels
        if count
    ]
    if not parts:
        return "No findings"
    *first, last = parts
    found = f"{', '.join(first)} and {last}" if first else last
    return f"{found} in {numbers.files:,} file{'' if numbers.files == 1 else 's'}" if numbers.files else found


def shortened(text: str, limit: int) -> str:
    """`text` in at most `limit` characters: its beginning and its end, which tells more than the middle."""
    if len(text) <= limit:
        return text
    head = limit // 3
    return f"{text[:head]}…{text[head + 1 - limit :]}"


def _groups(notices: Iterable[Notice]) -> list[NoticeGroup]:
    groups: dict[tuple[str, str], list[Notice]] = {}
    for notice in notices:
        groups.setdefault((notice.level, notice.kind), []).append(notice)
    ordered = sorted(groups.items(), key=lambda item: (LEVELS.index(item[0][0]), item[0][1]))
    return [
        NoticeGroup(_TITLES.get(kind, kind) or "About the run", level, tuple(items)) for (level, kind), items in ordered
    ]


def _anchors(rules: Sequence[RuleRow]) -> Mapping[str, str]:
    """A readable anchor for each rule: `rule-RL104`, with a number where two would be the same."""
    taken: Counter[str] = Counter()
    anchors = {}
    for row in sorted(rules, key=lambda row: row.rule.key):
        name = "rule-" + re.sub(r"[^A-Za-z0-9_.-]+", "-", row.rule.id)[:80]
        taken[name] += 1
        anchors[row.rule.key] = name if taken[name] == 1 else f"{name}-{taken[name]}"
    return anchors


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def asset(name: str) -> str:
    """The text of a file beside this module that pages are made of."""
    return files("resplint.reporting").joinpath("assets").joinpath(name).read_text(encoding="utf-8").strip()
