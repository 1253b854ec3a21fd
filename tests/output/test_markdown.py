"""The page that GitHub makes of the Markdown report."""

from __future__ import annotations

import re

import pytest
from lxml import html
from markdown_it import MarkdownIt
from samples import (
    EVIL,
    EVIL_PATH,
    FORGED_MESSAGE,
    RULES,
    fix,
    hostile_report,
    result,
    scan_report,
    settled_report,
)

from resplint.contracts.findings import (
    FixSafety,
    Level,
    LocatedEdit,
    LocatedFix,
    LocatedStep,
    Notification,
    NotificationKind,
    Region,
    Report,
    SourceLine,
)
from resplint.output import FORMATS, SUMMARY_BYTES, OutputOptions
from resplint.output.about import REF
from resplint.output.escape import escape

SOURCE = "https://github.com/acme/shop/blob/0123456/"
BOOK = f"https://github.com/resplint/resplint/blob/{REF}/rules/book/"
# A parser of the same specification as GitHub's: tables, HTML and links of what looks like an address.
PARSER = MarkdownIt("commonmark", {"html": True, "linkify": True}).enable(["table", "strikethrough", "linkify"])
# What GitHub looks for in the text outside of code once the page is made: people, issues, pictures, formulas.
ACTED_ON = re.compile(r"@\w|#\d|\bGH-\d|:[\w+-]+:|\$\S.*\S\$|https?://|\bwww\.\w", re.IGNORECASE)


def source(report: Report, **options: object) -> str:
    return FORMATS["markdown"](report, OutputOptions(**options)).decode()  # type: ignore[arg-type]


def page(text: str) -> html.HtmlElement:
    return html.document_fromstring(f"<html><body>{PARSER.render(text)}</body></html>").body


def table(document: html.HtmlElement) -> list[list[str]]:
    return [["".join(cell.itertext()).strip() for cell in row.iter("td")] for row in document.iter("tr")][1:]


def test_the_headline_and_the_table() -> None:
    document = page(source(scan_report(), source_url=SOURCE, prefix="api/"))
    assert document.findtext(".//h2") == "resplint: 2 findings"
    assert "".join(document.find(".//p").itertext()) == (
        "1 error, 1 warning in 2 files · 14 of 4,012 files use Redis · 1 note is hidden; --level note shows it"
    )
    assert table(document) == [
        [
            "🔴 error", "RL104 blocking-timeout", "api/app/queue.py:3",
            "BLPOP waits up to 30 s, but socket_timeout is 5 s.",
        ],
        ["🟠 warning", "RL102 unbounded-pool", "api/app/redis.py:5", "The pool has no bound."],
    ]  # fmt: skip
    assert [link.get("href") for link in document.find(".//table").iter("a")] == [
        f"{BOOK}RL104-blocking-timeout.md",
        f"{SOURCE}api/app/queue.py#L3",
        f"{BOOK}RL102-unbounded-pool.md",
        f"{SOURCE}api/app/redis.py#L5-L8",
    ]


def test_only_the_first_sentence_stands_in_the_table() -> None:
    document = page(source(Report((result(message="It waits, for 5.5 s. Do something about it."),), (), RULES)))
    assert table(document)[0][3] == "It waits, for 5.5 s."
    assert "Do something about it." in "".join(document.find(".//details").itertext())


def test_names_and_code_in_messages_are_code() -> None:
    message = "This client's 'a_b' waits, 'x' and `f(y)` don't, 'tis said."
    cell = page(source(Report((result(message=message),), (), ()))).findall(".//td")[3]
    assert [code.text for code in cell.iter("code")] == ["a_b", "x", "f(y)"]
    assert "".join(cell.itertext()) == "This client's a_b waits, x and f(y) don't, 'tis said."


def test_details_tell_code_and_trail() -> None:
    first, second = page(source(scan_report(), source_url=SOURCE)).iter("details")
    assert "".join(first.find("summary").itertext()) == "🔴 RL104 blocking-timeout, app/queue.py:3"
    assert first.findtext(".//pre/code").splitlines() == [
        "2 |     def pop(self):",
        "3 |         name = '日本'; item = self.client.blpop('jobs', timeout=30)",
        "  |                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        "4 |         return item",
    ]
    assert ["".join(step.itertext()) for step in first.iter("li")] == [
        "app/redis.py:5: The client is made here.return redis.Redis(",
        "app/redis.py:7: 5 s.socket_timeout=5,",
    ]
    assert [link.get("href") for link in first.iter("a")] == [
        f"{SOURCE}app/redis.py#L5-L8",
        f"{SOURCE}app/redis.py#L7",
    ]
    assert list(second.iter("li")) == []
    assert "Help: Wait less than 5 s." in "".join(first.itertext())
    assert "Help" not in "".join(second.itertext())


def test_without_a_place_to_link_to_there_are_links_to_rules_only() -> None:
    document = page(source(scan_report()))
    assert {link.get("href").removeprefix(BOOK) for link in document.iter("a")} == {
        "RL104-blocking-timeout.md", "RL102-unbounded-pool.md",
    }  # fmt: skip


def test_a_clean_scan_says_so_and_an_incomplete_one_does_not() -> None:
    assert source(Report((), (), RULES, 9, 3, 3)) == "## resplint: no findings\n\n3 of 9 files use Redis\n"
    skipped = Notification(NotificationKind.SKIPPED, "Binary.", "a_*b*.py", 3)
    document = page(source(Report((), (skipped,) * 25, RULES, 9, 3, 3)))
    assert document.findtext(".//h2") == "resplint: no findings in what could be analysed"
    items = ["".join(item.itertext()) for item in document.iter("li")]
    assert items == ["a_*b*.py:3: Binary."] * 20 + ["and 5 more"]


def test_settled_results_are_counted_only() -> None:
    document = page(source(settled_report(), show_notes=True))
    assert [row[0] for row in table(document)] == ["🔴 error", "🟠 warning", "🔵 note"]
    assert "6 findings are in the baseline · 6 findings are suppressed" in "".join(document.itertext())


# -- fixes ------------------------------------------------------------------------------------------------------------


def diff(fixed: LocatedFix, *frame: str, trail: tuple[LocatedStep, ...] = ()) -> list[str]:
    """The lines of the diff in a report on a finding at line 1, with `frame` as its code."""
    lines = tuple(SourceLine(number, text) for number, text in enumerate(frame, 1))
    document = page(source(Report((result(frame=lines, trail=trail, fix=fixed),), (), ())))
    text: str = document.findall(".//pre/code")[-1].text
    return text.splitlines()


def test_a_fix_is_a_diff() -> None:
    fixed = fix(
        FixSafety.SAFE,
        LocatedEdit("app/x.py", Region(1, 8, 1, 9), "5"),
        LocatedEdit("app/x.py", Region(1, 6, 1, 6), "🎉"),
    )
    assert diff(fixed, "wait(x1)", "next()") == ["@@ app/x.py:1 @@", "-wait(x1)", "+wait(🎉x15"]


def test_a_diff_knows_columns_beyond_the_basic_plane_and_several_lines() -> None:
    fixed = fix(FixSafety.UNSAFE, LocatedEdit("app/x.py", Region(1, 3, 3, 2), "b(\n\tc,\n)"))
    assert diff(fixed, "🎉old(", "  1,", ");") == [
        "@@ app/x.py:1 @@", "-🎉old(", "-  1,", "-);", "+🎉b(", "+    c,", "+);",
    ]  # fmt: skip


def test_a_line_that_is_taken_away_leaves_none() -> None:
    fixed = fix(FixSafety.SAFE, LocatedEdit("app/x.py", Region(2, 1, 3, 1), ""))
    assert diff(fixed, "a", "b", "c") == ["@@ app/x.py:2 @@", "-b", "-c", "+c"]


def test_edits_elsewhere_show_what_is_known() -> None:
    edits = (
        LocatedEdit("app/x.py", Region(1, 1, 1, 2), "A"),
        LocatedEdit("app/y.py", Region(5, 1, 5, 4), "new"),
        LocatedEdit("app/z.py", Region(5, 1, 9_000_000, 4), "unseen\nlines"),
    )
    trail = (LocatedStep("app/y.py", Region(5, 1, 5, 4), "here", "old = 1"),)
    assert diff(fix(FixSafety.SAFE, *edits), "a", trail=trail) == [
        "@@ app/x.py:1 @@", "-a", "+A",
        "@@ app/y.py:5 @@", "-old = 1", "+new = 1",
        "@@ app/z.py:5 @@", "+unseen", "+lines",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("safety", "words"), [(FixSafety.SAFE, "--fix"), (FixSafety.UNSAFE, "may change"), (FixSafety.DISPLAY, "by hand")]
)
def test_a_fix_says_how_safe_it_is(safety: FixSafety, words: str) -> None:
    text = "".join(page(source(Report((result(fix=fix(safety)),), (), ()))).itertext())
    assert re.search(rf"Fix: Wait no longer \(.*{words}", text)


# -- hostile text -----------------------------------------------------------------------------------------------------


def test_hostile_text_makes_nothing_but_text() -> None:
    document = page(source(hostile_report(), show_notes=True, show_limits=True, source_url=SOURCE))
    assert {element.tag for element in document.iter() if isinstance(element.tag, str)} == {
        "body", "h2", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "a", "code", "details", "summary",
        "ul", "ol", "li", "br", "pre", "span",
    }  # fmt: skip
    assert all(link.get("href").startswith((BOOK, SOURCE)) for link in document.iter("a"))
    assert {key for element in document.iter() for key in element.attrib} <= {"href", "class"}
    kinds = len({each.kind for each in hostile_report().notifications})
    assert [len(list(document.iter(tag))) for tag in ("h2", "table", "details")] == [1, 1, kinds + 2]
    assert [len(row) for row in table(document)] == [4, 4]
    texts = "".join(document.itertext())
    assert escape(EVIL).split("|")[0] in texts
    assert FORGED_MESSAGE in texts
    assert f"{escape(EVIL_PATH)}:1" in texts


def test_github_finds_nothing_to_act_on() -> None:
    document = page(source(hostile_report(), show_notes=True, source_url=SOURCE))
    assert ACTED_ON.search(EVIL)
    quiet = {"code", "pre"}
    texts = [
        text
        for element in document.iter()
        # Of a comment, only what follows it is text.
        for text, owner in (
            (isinstance(element.tag, str) and element.text, element),
            (element.tail, element.getparent()),
        )
        if text and not quiet & {each.tag for each in (owner, *owner.iterancestors())}
    ]
    assert any("octocat" in text for text in texts)
    assert [text for text in texts if ACTED_ON.search(text)] == []


@pytest.mark.parametrize(
    "text", ["1. a", "- a", "+ a", "# a", "> a", "    a", "=", "---", "a|b", "\\|", "|", "``", "x`|`y"]
)
@pytest.mark.parametrize("quoted", [False, True])
def test_texts_show_as_they_are(text: str, quoted: bool) -> None:
    message = f"'{text}'" if quoted else text
    trail = (LocatedStep("a.py", Region(1, 1, 1, 2), message, text),)
    document = page(source(Report((result(message=message, path=text, symbol=text, trail=trail),), (), ())))
    row = table(document)[0]
    assert len(row) == 4
    assert (row[2], row[3]) == (f"{text.strip()}:1", text.strip())
    assert document.xpath("string(.//details/p[1])").strip() == text.strip()
    assert len(list(document.iter("li"))) == 1


@pytest.mark.parametrize("line", ["```", "````text", "~~~", "</details>", "</code></pre>", "<!--", "::error::x"])
def test_code_cannot_leave_its_block(line: str) -> None:
    report = Report((result(frame=(SourceLine(1, line),), region=Region(1, 1, 1, 2)), result(2, path="z.py")), (), ())
    first, second = page(source(report)).iter("details")
    assert line in first.findtext(".//pre/code")
    assert "z.py:2" in "".join(second.itertext())


# -- size -------------------------------------------------------------------------------------------------------------


def test_a_page_is_never_larger_than_asked_and_says_what_is_missing() -> None:
    evil = hostile_report().results[1]
    many = [result(number, message=f"{'é' * 600} {number}.", frame=evil.frame) for number in range(1, 5001)]
    worst = result(1, level=Level.ERROR, path="worst.py")
    for size in (2_000, 65_000, SUMMARY_BYTES):
        text = source(Report((*many, worst), (), RULES), summary_bytes=size)
        assert len(text.encode()) <= size
        rows = table(page(text))
        assert rows[0][2] == "worst.py:1"
        assert f"{5001 - len(rows):,} more findings, less severe, did not fit into this table." in text
        told = text.count("<details>")
        assert f"For {5001 - told:,} findings, code and trail did not fit into this report." in text
        assert 0 < told <= len(rows)
    assert SUMMARY_BYTES < 2**20
    assert len(rows) > 500


def test_one_enormous_finding_does_not_break_the_page() -> None:
    huge = "x" * 3_000_000
    steps = tuple(LocatedStep("a.py", Region(number, 1, number, 2), huge, huge) for number in range(1, 200))
    enormous = result(message=f"{huge}. Yes.", path=huge, symbol=huge, frame=(SourceLine(1, huge),), trail=steps)
    text = source(Report((enormous, result(2)), (), ()), summary_bytes=65_000)
    assert len(text.encode()) <= 65_000


def test_notifications_without_end_leave_room() -> None:
    message = "w" * 100_000
    notices = tuple(Notification(kind, message, f"{n}.py") for kind in NotificationKind for n in range(2000))
    text = source(Report((result(),), notices, ()), summary_bytes=65_000)
    assert len(text.encode()) <= 65_000
    assert "and 1,980 more" in text
    assert table(page(text)) != []
