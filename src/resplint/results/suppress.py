"""Inline suppressions: comments that say why a finding is not to be acted on.

``resplint: ignore[RL104, keys-command] reason`` in a comment of any language covers the findings that begin
or end on its line and, if nothing else stands on that line, those that begin on the line below it; such
comments stack. ``resplint: ignore-file[RL104] reason`` covers the file. Without brackets every rule is
meant. A suppressed finding stays in the report and carries the reason; a suppression that did nothing is
reported.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from resplint.contracts.comments import Comment
from resplint.contracts.findings import Notification, NotificationKind, Result, Suppression

# A directive opens a line of a comment or follows a second leader in it ("# type  # resplint: ignore"), so
# that prose which merely mentions the syntax is none. Its reason ends where the next leader begins. No part
# can match the same text in two ways, so that hostile comments take linear time; lines come stripped.
_DIRECTIVE = re.compile(
    r"(?:^(?:#+!?|/\*+!?|//[/!]*|--|<!--|\*+|;+)?|[ \t](?:#|//|/\*|--))[ \t]*resplint:[ \t]*"
    r"(?P<verb>ignore-file|ignore)(?![\w-])[ \t]*(?:\[(?P<rules>[^\]#]{0,1000})\])?"
    r"(?P<reason>.*?)(?=[ \t](?:#|//)[ \t]|$)",
    re.IGNORECASE,
)
_IN_SETTINGS = re.compile(r"(?:^|(?<=\s))(?:#|//|;|<!--)[ \t]*resplint:.*$", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n|\n|\r")
_SEPARATORS = re.compile(r"[,\s]+")


class _Directive(msgspec.Struct, frozen=True):
    """A parsed suppression. `rules` holds codes; None stands for every rule."""

    line: int
    whole_file: bool
    rules: tuple[str, ...] | None
    reason: str

    def covers(self, rule: str) -> bool:
        return self.rules is None or rule in self.rules


class _FileDirectives:
    """All suppressions of one file, by where they take effect, and what each was used for."""

    def __init__(self, directives: Iterable[_Directive], own_lines: Collection[int]) -> None:
        self.all = list(directives)
        self.used: dict[_Directive, set[str]] = {directive: set() for directive in self.all}
        self._own_lines = own_lines
        self._by_line: dict[int, list[_Directive]] = {}
        for directive in self.all:
            if not directive.whole_file:
                self._by_line.setdefault(directive.line, []).append(directive)
        self._whole_file = [directive for directive in self.all if directive.whole_file]

    def candidates(self, result: Result) -> list[_Directive]:
        """Suppressions in reach of a result, nearest first."""
        region = result.region
        # A formatter moves the comment of a call to its last line when it breaks the call.
        found = list(self._by_line.get(region.start_line, ()))
        if region.end_line != region.start_line:
            found += self._by_line.get(region.end_line, ())
        line = region.start_line - 1
        while line in self._own_lines:
            found += self._by_line.get(line, ())
            line -= 1
        return [directive for directive in (*found, *self._whole_file) if directive.covers(result.rule)]


def apply(
    results: Iterable[Result],
    comments_by_path: Mapping[str, Sequence[Comment]],
    known_rules: Mapping[str, str],
    active_rules: Collection[str],
) -> tuple[list[Result], list[Notification]]:
    """Mark suppressed results and report suppressions that are unused or name unknown rules.

    `comments_by_path` holds the comments of the files that were analysed to the end (of others "unused"
    would be a guess); `known_rules` maps codes to names; `active_rules` are the codes of this run: what is
    suppressed for another rule is never called unused. Results come back in the order given, notifications
    sorted.
    """
    notifications: list[Notification] = []
    files: dict[str, _FileDirectives] = {}
    for path, comments in comments_by_path.items():
        directives, problems = _parse_file(path, comments, known_rules)
        notifications += problems
        if directives:
            own_lines = {line for c in comments if c.own_line for line in range(c.line, c.last_line + 1)}
            files[path] = _FileDirectives(directives, own_lines)
    marked = [_mark(result, files.get(result.path)) for result in results]
    for path, file in files.items():
        for directive in file.all:
            notice = _unused(path, directive, file.used[directive], known_rules, active_rules)
            if notice is not None:
                notifications.append(notice)
    return marked, sorted(notifications, key=Notification.sort_key)


def comments_of_settings(text: str) -> tuple[Comment, ...]:
    """The suppressions, one a line, of a file that is no source: a manifest, YAML, properties, XML."""
    return tuple(
        Comment(0, 0, number, found[0], line[: found.start()].strip() == "")
        for number, line in enumerate(_LINE_END.split(text), 1)
        if (found := _IN_SETTINGS.search(line))
    )


def is_readable(reason: str) -> bool:
    """Whether a reason is read as it is when it is written behind a suppression."""
    found = _DIRECTIVE.match(f"resplint: ignore[x] {reason}")
    return found is not None and bool(reason) and reason.isprintable() and _reason(found["reason"]) == reason


def _mark(result: Result, file: _FileDirectives | None) -> Result:
    if file is None:
        return result
    reaching = file.candidates(result)
    for directive in reaching:
        # Every one in reach counts as used: which of two is superfluous is for the author to say.
        file.used[directive].add(result.rule)
    if not reaching or result.suppression is not None:
        return result
    return msgspec.structs.replace(result, suppression=Suppression("inSource", reaching[0].reason))


def _parse_file(
    path: str, comments: Sequence[Comment], known_rules: Mapping[str, str]
) -> tuple[list[_Directive], list[Notification]]:
    directives: list[_Directive] = []
    problems: list[Notification] = []
    for comment in comments:
        # A cheap test first: most comments of most files are prose.
        if "resplint" not in comment.text.lower():
            continue
        for number, text in enumerate(_LINE_END.split(comment.text), comment.line):
            for found in _DIRECTIVE.finditer(text.strip()):
                directive, unknown = _parse(found, number, known_rules)
                if directive is not None:
                    directives.append(directive)
                problems += (_unusable(path, number, message) for message in unknown)
    return list(dict.fromkeys(directives)), list(dict.fromkeys(problems))


def _parse(found: re.Match[str], line: int, known_rules: Mapping[str, str]) -> tuple[_Directive | None, list[str]]:
    """The directive, None if it names no rule we know; and what is wrong with it."""
    whole_file = found["verb"].lower() == "ignore-file"
    reason = _reason(found["reason"])
    if found["rules"] is None:
        if reason.startswith("["):
            return None, ["The suppression has an opening bracket without a closing one, so it suppresses nothing."]
        return _Directive(line, whole_file, None, reason), []
    codes: list[str] = []
    problems: list[str] = []
    for name in filter(None, _SEPARATORS.split(found["rules"])):
        code = _code(name, known_rules)
        if code is None:
            problems.append(_unknown_rule(name, known_rules))
        elif code not in codes:
            codes.append(code)
    if not codes and not problems:
        problems.append("The suppression names no rule between its brackets, so it suppresses nothing.")
    return (_Directive(line, whole_file, tuple(codes), reason) if codes else None), problems


def _reason(text: str) -> str:
    text = text.strip().removesuffix("*/").removesuffix("-->")
    return text.strip().removeprefix(":").removeprefix("--").strip()


def _code(name: str, known_rules: Mapping[str, str]) -> str | None:
    if name.upper() in known_rules:
        return name.upper()
    return next((code for code, slug in known_rules.items() if slug == name.lower()), None)


def _unknown_rule(name: str, known_rules: Mapping[str, str]) -> str:
    # Only names resemble one another in a telling way; of codes, any two do.
    close = difflib.get_close_matches(name.lower(), sorted(known_rules.values()), n=1)
    hint = f"; did you mean '{close[0]}'?" if close else "."
    return f"The suppression names an unknown rule '{name}'{hint}"


def _unusable(path: str, line: int, message: str) -> Notification:
    return Notification(NotificationKind.UNUSED_SUPPRESSION, message, path, line)


def _unused(
    path: str,
    directive: _Directive,
    used: Collection[str],
    known_rules: Mapping[str, str],
    active_rules: Collection[str],
) -> Notification | None:
    where = "in this file" if directive.whole_file else "here"
    if directive.rules is None:
        # Any rule that was off might have been the one meant.
        if used or any(code not in active_rules for code in known_rules):
            return None
        return _unusable(path, directive.line, f"Unused suppression: no rule reports anything {where}.")
    idle = [code for code in directive.rules if code in active_rules and code not in used]
    if not idle:
        return None
    names = " and ".join([", ".join(idle[:-1]), idle[-1]] if len(idle) > 1 else idle)
    verb = "report" if len(idle) > 1 else "reports"
    message = f"Unused suppression: {names} {verb} nothing {where}."
    rule = idle[0] if len(idle) == 1 else ""
    return Notification(NotificationKind.UNUSED_SUPPRESSION, message, path, directive.line, rule)
