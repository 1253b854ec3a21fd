"""The answers to what an assistant asks about one project: plain JSON values, bounded in size.

The project stays warm from one question to the next, as in the language server: after an edit only what changed is
parsed again, and a question after no edit is answered from what is known. Nothing is ever written or run.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from resplint.assistant.pages import MOST, Object, page, part
from resplint.assistant.workspace import Workspace, is_below
from resplint.config.loading import Config
from resplint.contracts.errors import UserError
from resplint.contracts.findings import Level, LocatedFix, NotificationKind, Report, Result, RuleInfo
from resplint.custom.pages import languages_of
from resplint.fixing import Wanted, plan, unified_diff
from resplint.inventory import why_forms
from resplint.inventory.json_form import client_object
from resplint.inventory.records import ClientEntry
from resplint.knowledge.book import LANGUAGE_TITLES, in_language
from resplint.output.escape import escape
from resplint.output.json import exact_path
from resplint.output.selection import Standing, standing, worst_first
from resplint.scan import FactsMemory, ScanRequest, rule_book
from resplint.scan.request import Progress
from resplint.scan.survey import with_folders
from resplint.warm.linking import LinkedProject
from resplint.warm.rescanning import Rescanner
from resplint.warm.scanning import LoadConfig, repeated, report_of

_REMARKABLE = frozenset(
    {
        NotificationKind.INTERNAL_ERROR, NotificationKind.LIMIT, NotificationKind.MANIFEST, NotificationKind.PARTIAL,
        NotificationKind.SKIPPED,
    }
)  # fmt: skip
_REMARKS = 10
_USERS = 10
"""Files and places named of one client."""


class Answers:
    """Answers questions about the project in a folder, one at a time. Each raises `UserError` for what cannot be
    asked; `progress` may raise to give up.
    """

    def __init__(self, workspace: Workspace, load_config: LoadConfig, config: str | None) -> None:
        self.workspace = workspace
        self._load_config = load_config
        self._explicit = config
        self._memory = FactsMemory()
        self._linked = LinkedProject()

    def forget(self) -> None:
        """Free what only makes the next question about a line or a client quick."""
        self._linked.forget()

    # -- findings ----------------------------------------------------------------------------------------------------

    def scan(
        self, paths: Sequence[str], rules: Sequence[str], level: str, offset: int, limit: int, progress: Progress
    ) -> Object:
        """The findings below some paths (all of them: none are given), worst first."""
        wanted = tuple(self.workspace.relative(path) for path in paths)
        codes = self._codes(rules)
        report, mistake = report_of(self._request(progress))
        chosen = [
            result
            for result in report.results
            if standing(result) is Standing.OPEN
            and result.level.rank >= Level(level).rank
            and (not codes or result.rule in codes)
            and is_below(result.path, wanted)
        ]
        levels = Counter(result.level.value for result in chosen)
        answer = page(worst_first(chosen), _finding, "findings", offset, limit)
        return {
            "counts": {each.value: levels[each.value] for each in reversed(Level)},
            **answer,
            "files": {"discovered": report.files_discovered, "analysed": report.files_analysed},
            "remarks": [*([escape(str(mistake))] if mistake is not None else []), *_remarks(report, wanted)],
        }

    # -- places and clients ------------------------------------------------------------------------------------------

    def why(self, path: str, line: int, column: int | None, offset: int, progress: Progress) -> Object:
        """What stands at a place, where it comes from, and what the rules decided about it."""
        file = self.workspace.file(path)
        found = self._linked.why(self._request(progress), file, line, column)
        return part(why_forms.render_text(found, color=False).decode(), offset, "text")

    def clients(self, paths: Sequence[str], offset: int, limit: int, progress: Progress) -> Object:
        """The clients that are made or used below some paths."""
        wanted = tuple(self.workspace.relative(path) for path in paths)
        found = self._linked.clients(self._request(progress))
        chosen = [entry for entry in found.clients if any(is_below(path, wanted) for path in _paths(entry))]
        return page(chosen, _client, "clients", offset, limit)

    # -- fixes -------------------------------------------------------------------------------------------------------

    def fix(self, paths: Sequence[str], rules: Sequence[str], unsafe: bool, offset: int, progress: Progress) -> Object:
        """The diff that fixes what is found below some paths. Nothing is written."""
        wanted = tuple(self.workspace.relative(path) for path in paths)
        codes = self._codes(rules)
        applied = _Chosen(unsafe=unsafe, notes=True, paths=wanted, rules=codes)
        request = self._request(progress)
        report, _ = report_of(request)
        more = sum(applied.needs_leave(result) for result in report.results)
        if not any(applied.fix_of(result) for result in report.results):
            return {"diff": "", "next_offset": None, "fixed": [], "more_with_unsafe": more, "remarks": []}
        private = dataclasses.replace(request, memory=self._memory.for_reading(), cache=None)
        planned = plan(Rescanner(private, _without_baseline_errors), applied)
        diff = "".join(f"{line}\n" for line in unified_diff(planned, partial(escape, keep_tabs=True)))
        return {
            **part(diff, offset, "diff"),
            "fixed": page(planned.fixed, _fixed, "fixed", 0, MOST)["fixed"],
            "more_with_unsafe": more,
            "remarks": [escape(f"{note.path}: {note.message}") for note in planned.notes[:_REMARKS]],
        }

    # -- rules -------------------------------------------------------------------------------------------------------

    @property
    def book(self) -> dict[str, RuleInfo]:
        """The rules that there are, those of the user's own as far as the configuration can be read."""
        return rule_book(self._own)

    @property
    def _own(self) -> Config:
        root = Path(self.workspace.root)
        try:
            return with_folders(self._load_config(root, self._explicit), root)
        except UserError:  # a scan tells what is wrong with it
            return Config(rules={})

    def rules(self, offset: int, limit: int) -> Object:
        """The rules, a page of them."""
        own = self._own
        languages = languages_of(own.own_rules)
        return page(
            [info for _, info in sorted(rule_book(own).items())],
            lambda info: {
                "code": info.code, "name": info.name, "level": info.level.value, "precision": info.precision.value,
                "status": info.status.value,
                "title": info.title, "summary": info.summary, "languages": list(languages[info.code]),
                "page": page_uri(info),
            },
            "rules", offset, limit,
        )  # fmt: skip

    def explain(self, rule: str, language: str | None) -> str:
        """The page of a rule as Markdown, with the examples of one language only if it is named."""
        info = find_rule(rule, self.book)
        if language is None:
            return info.help_markdown
        if language not in LANGUAGE_TITLES:
            raise UserError(f"{language!r} is no language that is analysed: {', '.join(LANGUAGE_TITLES)}.")
        return in_language(info.help_markdown, language)

    def _codes(self, rules: Sequence[str]) -> frozenset[str]:
        book = self.book if rules else {}
        return frozenset(find_rule(rule, book).code for rule in rules)

    def _request(self, progress: Progress) -> ScanRequest:
        config: Config = self._load_config(Path(self.workspace.root), self._explicit)
        return repeated(self.workspace.root, config, self._memory, progress)


def page_uri(info: RuleInfo) -> str:
    """The URI of a rule's page among the resources."""
    return f"resplint://rules/{info.code}"


def find_rule(rule: str, book: Mapping[str, RuleInfo]) -> RuleInfo:
    """A rule of the book by code or name. Raises `UserError`."""
    for info in book.values():
        if rule.strip().lower() in (info.code.lower(), info.name.lower()):
            return info
    known = ", ".join(f"{info.code} {info.name}" for _, info in sorted(book.items()))
    raise UserError(f"No rule is called {rule!r}. There are: {known}.")


# -- forms ----------------------------------------------------------------------------------------------------------


class _Chosen(Wanted, frozen=True):
    """Fixes of findings below some paths, of some rules; none named: of all."""

    paths: tuple[str, ...] = ()
    rules: frozenset[str] = frozenset()

    def fix_of(self, result: Result) -> LocatedFix | None:
        return super().fix_of(result) if self._admits(result) else None

    def needs_leave(self, result: Result) -> bool:
        return self._admits(result) and super().needs_leave(result)

    def _admits(self, result: Result) -> bool:
        return is_below(result.path, self.paths) and (not self.rules or result.rule in self.rules)


def _without_baseline_errors(request: ScanRequest) -> Report:
    return report_of(request)[0]


def _finding(result: Result) -> Object:
    line = next((line.text for line in result.frame if line.number == result.region.start_line), "")
    fix = result.fix
    return {
        "rule": result.rule,
        "level": result.level.value,
        "precision": result.precision.value,
        "message": escape(result.message),
        **_place(result.path, result.region.start_line, result.region.start_column),
        "symbol": escape(result.symbol),
        "code": escape(line.strip()),
        "trail": [
            {
                "message": escape(step.message),
                **_place(step.path, step.region.start_line),
                "code": escape(step.snippet.strip()),
            }
            for step in result.trail
        ],
        "fix": {"title": escape(fix.title), "safety": fix.safety.value} if fix is not None else None,
    }


def _fixed(result: Result) -> Object:
    assert result.fix is not None
    place = _place(result.path, result.region.start_line)
    return {"rule": result.rule, **place, "title": escape(result.fix.title), "safety": result.fix.safety.value}


def _place(path: str, line: int, column: int | None = None) -> Object:
    place: Object = {"path": exact_path(path), "line": line}
    return place if column is None else {**place, "column": column}


def _client(entry: ClientEntry) -> Object:
    """A client with the first of its users and places only."""
    found = client_object(entry)
    for name in ("users", "sites", "shared_by"):
        left_out = len(found[name]) - _USERS
        found[name] = found[name][:_USERS]
        if left_out > 0:
            found[f"more_{name}"] = left_out
    return found


def _paths(entry: ClientEntry) -> list[str]:
    """The files that a client is made or used in."""
    made = [entry.spot.path] if entry.spot is not None else []
    return [*made, *(user.path for user in entry.use.users)]


def _remarks(report: Report, wanted: tuple[str, ...]) -> list[str]:
    """What was not analysed, or in part only: as much as one needs to know to trust the rest."""
    notes = [note for note in report.notifications if note.kind in _REMARKABLE and is_below(note.path, wanted)]
    said = [escape(f"{note.path}: {note.message}" if note.path else note.message) for note in notes[:_REMARKS]]
    return said if len(notes) <= _REMARKS else [*said, f"… and {len(notes) - _REMARKS:,} more remarks."]
