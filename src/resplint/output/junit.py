"""JUnit's XML, which most servers for continuous integration show: a suite for each rule, a failed test for a finding.

A rule without findings is a test that passes, so that a clean scan is a valid report of tests that all passed. Names of
tests hold no line numbers and differ within their suite: GitLab tells tests apart by name alone, and keeps only one of
those that have the same. Attributes are those that the schema of Jenkins knows; places stand in the text, for that
schema has none for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape as xml_escape
from xml.sax.saxutils import quoteattr

import msgspec

from resplint.contracts.findings import Level, Notification, NotificationKind, Report, Result
from resplint.output.about import NAME
from resplint.output.escape import escape
from resplint.output.finding import add_finding, shown_path
from resplint.output.options import OutputOptions
from resplint.output.page import Page
from resplint.output.selection import HEADINGS, Standing, grouped, listed, standing

_FILES = "Files"


class _Test(msgspec.Struct, frozen=True):
    """One test. `outcome` is the element that says it did not pass (failure, error, skipped), or system-out."""

    name: str
    class_name: str
    outcome: str = ""
    kind: str = ""
    message: str = ""
    text: str = ""


class _Suite(msgspec.Struct, frozen=True):
    name: str
    tests: tuple[_Test, ...]

    def number(self, outcome: str) -> int:
        return sum(test.outcome == outcome for test in self.tests)


def render(report: Report, options: OutputOptions) -> bytes:
    """UTF-8 XML; results from `options.fail_on` up fail, lesser ones pass and say what they are."""
    names = {rule.code: rule.name for rule in report.rules}
    suites = [
        _Suite(f"{code} {names.get(code, '')}".rstrip(), _tests(report, code, names.get(code, ""), options.fail_on))
        for code in sorted({*names, *(result.rule for result in report.results)})
    ]
    if remarks := listed(report, options):
        suites.append(_Suite(_FILES, _numbered(map(_notification, _sorted(remarks)))))
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    totals = {"name": NAME, "tests": sum(len(suite.tests) for suite in suites)}
    totals |= {f"{outcome}s": sum(suite.number(outcome) for suite in suites) for outcome in ("failure", "error")}
    lines.append(f"<testsuites{_attributes(totals)}>")
    for suite in suites:
        lines += _suite(suite)
    return "\n".join([*lines, "</testsuites>\n"]).encode("utf-8")


def _tests(report: Report, code: str, name: str, fail_on: Level) -> tuple[_Test, ...]:
    found = [_finding(result, name, fail_on) for result in report.results if result.rule == code]
    return _numbered(found) if found else (_Test("no findings", NAME),)


def _finding(result: Result, name: str, fail_on: Level) -> _Test:
    page = Page()
    add_finding(page, result, name, None)
    settled = _settled(result)
    outcome = "skipped" if settled else "failure" if result.level.rank >= fail_on.rank else "system-out"
    return _Test(
        name=f"{result.rule} in {result.symbol}" if result.symbol else result.rule,
        class_name=shown_path(result.path),
        outcome=outcome,
        kind=result.level.value,
        message=settled or result.message,
        text=(f"{escape(settled)}\n" if settled else "") + page.render(color=False).decode("utf-8"),
    )


def _settled(result: Result) -> str:
    """Why nobody has to act on a result; empty for one that is open."""
    where = standing(result)
    if where is Standing.OPEN:
        return ""
    word = "In the baseline" if where is Standing.KNOWN else "Suppressed"
    reason = result.suppression.justification if result.suppression is not None else ""
    return f"{word}: {reason}" if reason else word


def _sorted(notifications: Sequence[Notification]) -> Iterable[Notification]:
    return (each for _, group in grouped(notifications) for each in group)


def _notification(notification: Notification) -> _Test:
    heading, _ = HEADINGS[notification.kind]
    where = shown_path(notification.path) if notification.path else NAME
    line = f":{notification.line}" if notification.line else ""
    return _Test(
        name=heading,
        class_name=where,
        outcome="error" if notification.kind is NotificationKind.INTERNAL_ERROR else "skipped",
        kind=notification.kind.value,
        message=notification.message,
        text=f"{where}{line}: {escape(notification.message)}\n",
    )


def _numbered(tests: Iterable[_Test]) -> tuple[_Test, ...]:
    """`tests` with a number behind the names of those that have the name and class of an earlier one."""
    seen: dict[tuple[str, str], int] = {}
    numbered = []
    for test in tests:
        key = (test.class_name, test.name)
        seen[key] = number = seen.get(key, 0) + 1
        numbered.append(msgspec.structs.replace(test, name=f"{test.name} #{number}") if number > 1 else test)
    return tuple(numbered)


def _suite(suite: _Suite) -> Iterable[str]:
    counts = {"tests": len(suite.tests), "failures": suite.number("failure"), "errors": suite.number("error")}
    yield f"<testsuite{_attributes({'name': suite.name, **counts, 'skipped': suite.number('skipped'), 'time': 0})}>"
    for test in suite.tests:
        head = f"<testcase{_attributes({'name': test.name, 'classname': test.class_name, 'time': 0})}"
        if test.outcome:
            why = {} if test.outcome == "system-out" else {"type": test.kind, "message": test.message}
            yield f"{head}>"
            yield f"<{test.outcome}{_attributes(why)}>{_text(test.text)}</{test.outcome}>"
            yield "</testcase>"
        else:
            yield f"{head}/>"
    yield "</testsuite>"


def _attributes(values: dict[str, object] | dict[str, str] | dict[str, str | int]) -> str:
    return "".join(f" {name}={quoteattr(_permitted(escape(str(value))))}" for name, value in values.items())


def _text(text: str) -> str:
    return xml_escape(_permitted(text))


def _permitted(text: str) -> str:
    """`text` without the two characters that are neither control characters nor allowed in XML."""
    return text.replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")
