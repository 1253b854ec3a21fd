"""What is shown when the user points at a finding: what is wrong, the trail that led there, the page of the rule."""

from __future__ import annotations

import re

from lsprotocol import types

from resplint.contracts.findings import LocatedStep, Result
from resplint.knowledge.book import in_language
from resplint.output.about import rule_uri
from resplint.output.escape import escape
from resplint.server.documents import Document
from resplint.server.locations import Locations
from resplint.server.places import touch
from resplint.server.projects import OpenProject
from resplint.server.scanning import Scanned

_MARKUP = re.compile(r"[\\`*\[\]<|~&#]|(?<!\w)_|_(?!\w)")


def hover(
    locations: Locations, project: OpenProject, document: Document, at: types.Position, *, markdown: bool
) -> types.Hover | None:
    """The findings at a position of a document."""
    scanned = project.scanned
    point = types.Range(at, at)
    found: list[tuple[Result, types.Range]] = []
    for result, region in locations.results(project, document):
        place = locations.positions.range(region, document.content)
        if touch(place, point):
            found.append((result, place))
    if not found or scanned is None:
        return None
    write = _Page(locations, project, scanned, markdown=markdown)
    parts = [write.finding(result) for result, _ in found]
    parts += [write.page(rule, document.language) for rule in dict.fromkeys(result.rule for result, _ in found)]
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    return types.Hover(types.MarkupContent(kind, "\n\n---\n\n".join(filter(None, parts))), found[0][1])


class _Page:
    """Writes Markdown, or the same words without markup."""

    def __init__(self, locations: Locations, project: OpenProject, scanned: Scanned, *, markdown: bool) -> None:
        self._locations = locations
        self._project = project
        self._scanned = scanned
        self._markdown = markdown

    def finding(self, result: Result) -> str:
        rule = self._scanned.rules.get(result.rule)
        title = f"{result.rule} {rule.name}" if rule is not None else result.rule
        if self._markdown and rule is not None:
            title = f"[{title}]({rule_uri(rule)})"
        head = f"**{result.level.value}** {title}" if self._markdown else f"{result.level.value} {title}"
        steps = [f"{number}. {self._step(step)}" for number, step in enumerate(result.steps, 1)]
        remedy = f"Fix ({result.fix.safety.value}): {self._plain(result.fix.title)}." if result.fix is not None else ""
        help_ = f"{'**Help**' if self._markdown else 'Help'}: {self._plain(result.help)}" if result.help else ""
        return "\n\n".join(filter(None, [head, self._plain(result.message), help_, remedy, "\n".join(steps)]))

    def page(self, code: str, language: str) -> str:
        rule = self._scanned.rules.get(code)
        return in_language(rule.help_markdown, language).strip() if rule is not None else ""

    def _step(self, step: LocatedStep) -> str:
        place = f"{step.path.rsplit('/', 1)[-1]}:{step.region.start_line}"
        if not self._markdown:
            return f"{escape(place)}: {escape(step.message)}"
        uri = self._locations.uri(self._project, step.path)
        return f"[{self._plain(place)}]({uri}#L{step.region.start_line}): {self._plain(step.message)}"

    def _plain(self, text: str) -> str:
        """Text that must not be taken for markup."""
        shown = escape(text)
        return _MARKUP.sub(lambda found: "\\" + found.group(), shown) if self._markdown else shown
