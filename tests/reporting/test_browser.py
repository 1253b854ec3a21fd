"""The page in a real browser: what people see, and that nothing else happens."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from resplint.reporting import html
from resplint.reporting.collect import collect
from resplint.reporting.reading import read_files
from tests.reporting.samples import ATTACKS, hostile, log, result, save, scanned
from tests.tooling import chromium, npm_package

_ARGUMENTS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
)  # fmt: skip
_AXE_VERSION = "4.14.1"
_NARROW = 360


class Seen:
    """A page and everything that it did: requests, words on the console, errors, dialogs."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: (self.complaints.append(dialog.message), dialog.dismiss()))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=str(chromium()), args=list(_ARGUMENTS))
        yield started
        started.close()


@pytest.fixture(scope="module")
def scan_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("scan"), scanned())


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("hostile"), hostile())


def written(folder: Path, *contents: Any, names: tuple[str, ...] = ("resplint.sarif",)) -> Path:
    files = [save(folder, content, name) for content, name in zip(contents, names, strict=True)]
    target = folder / "report.html"
    target.write_bytes(html.render(collect(read_files(files))))
    return target


def opened(browser: Browser, path: Path, anchor: str = "", **options: Any) -> Seen:
    seen = Seen(browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options}).new_page())
    seen.page.goto(path.as_uri() + anchor)
    return seen


def results() -> list[dict[str, Any]]:
    return json.loads(scanned())["runs"][0]["results"]  # type: ignore[no-any-return]


def shown(page: Page) -> list[str]:
    """Anchors of the findings that can be seen, in their order."""
    return page.eval_on_selector_all(".finding", "all => all.filter(e => e.checkVisibility()).map(e => e.id)")  # type: ignore[no-any-return]


# -- what it shows --------------------------------------------------------------------------------------------------


def test_the_page_opens_silently_and_asks_for_nothing(browser: Browser, scan_page: Path) -> None:
    seen = opened(browser, scan_page)
    seen.page.click("#open-all")
    assert seen.requests == [scan_page.as_uri()]
    assert seen.complaints == []


def test_the_page_counts_what_the_file_holds(browser: Browser, scan_page: Path) -> None:
    page = opened(browser, scan_page).page
    levels = Counter(each["level"] for each in results())
    for level, number in levels.items():
        tile = page.locator(".figures div", has=page.locator(f"dt.{level}")).locator("dd")
        assert tile.inner_text() == str(number)
    rules = Counter(each["ruleId"] for each in results())
    bars = page.locator(".bars li")
    listed = {bar.locator("code").inner_text(): int(bar.locator(".total").inner_text()) for bar in bars.all()}
    assert listed == rules
    files = {each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in results()}
    assert page.locator("h1").inner_text().endswith(f" in {len(files)} files")
    folders = Counter(
        each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].rpartition("/")[0] for each in results()
    )
    rows = {
        row.locator("th").get_attribute("title") or "": int(row.locator(".total").inner_text())
        for row in page.locator(".heat tbody tr").all()
    }
    listed_folders = {name: number for name, number in rows.items() if "other folders" not in name}
    assert listed_folders.items() <= folders.items()
    assert sum(rows.values()) == len(results())
    cells = page.eval_on_selector_all(".heat td:not(.total)", "all => all.map(e => Number(e.innerText))")
    assert sum(cells) == len(results())
    assert page.locator(".finding").count() == len(shown(page)) == len(results())


def test_a_finding_tells_its_story(browser: Browser, tmp_path: Path) -> None:
    code = "db = Redis(socket_timeout=5)\n\ndef next():\n    return db.blpop('jobs', 30)  # waits\n"
    place = {
        "artifactLocation": {"uri": "app/a%20b.py"},
        "region": {"startLine": 4, "startColumn": 12, "endLine": 4, "endColumn": 32},
        "contextRegion": {"startLine": 1, "endLine": 4, "snippet": {"text": code}},
    }
    made = {**place, "region": {"startLine": 1, "startColumn": 6, "endColumn": 29}}
    change = {"deletedRegion": {"startLine": 4, "startColumn": 29, "endColumn": 31}, "insertedContent": {"text": "3"}}
    finding = result(
        locations=[{"physicalLocation": place, "logicalLocations": [{"fullyQualifiedName": "next"}]}],
        codeFlows=[
            {
                "threadFlows": [
                    {"locations": [{"location": {"physicalLocation": made, "message": {"text": "Made here."}}}]}
                ]
            }
        ],
        fixes=[
            {
                "description": {"text": "Wait less"},
                "artifactChanges": [{"artifactLocation": place["artifactLocation"], "replacements": [change]}],
            }
        ],
    )
    page = opened(browser, written(tmp_path, log(finding, columnKind="utf16CodeUnits"))).page
    card = page.locator(".finding")
    assert card.locator(".msg").inner_text() == "It waits."
    assert card.locator("summary .at").inner_text() == "app/a b.py:4:12"
    frame, step, diff = card.locator(".code").all()
    assert frame.locator("mark").all_inner_texts() == ["db.blpop('jobs', 30)"]
    assert frame.locator(".hit").get_attribute("data-n") == "4"
    assert step.locator("mark").all_inner_texts() == ["Redis(socket_timeout=5)"]
    assert card.locator(".trail li").inner_text().startswith("Made here. line 1")
    assert diff.locator(".del").inner_text() == "-     return db.blpop('jobs', 30)  # waits"
    assert diff.locator(".add").inner_text() == "+     return db.blpop('jobs', 3)  # waits"
    assert "Wait less" in card.inner_text()
    assert "next" in card.locator(".facts").inner_text()


def test_what_was_accepted_is_folded_away_and_counted(browser: Browser, tmp_path: Path) -> None:
    accepted = {"suppressions": [{"kind": "external", "justification": "since ever"}], "baselineState": "unchanged"}
    muted = {"suppressions": [{"kind": "inSource"}]}
    content = log(
        result(line=1, baselineState="new", suppressions=[]), result(line=2, **accepted), result(line=3, **muted)
    )
    page = opened(browser, written(tmp_path, content)).page
    assert page.locator("h1").inner_text() == "1 error in 1 file"
    assert re.findall(r"(\d+)\n+([a-z ]+)", page.locator(".figures").inner_text())[-3:] == [
        ("1", "new"), ("1", "in the baseline"), ("1", "suppressed"),
    ]  # fmt: skip
    assert len(shown(page)) == 1
    page.click("text=1 finding in the baseline")
    page.locator(".closed .finding").first.locator("summary").click()
    assert page.locator("text=In the baseline: since ever").is_visible()


def test_nothing_found_is_said(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, written(tmp_path, log())).page
    assert page.locator("h1").inner_text() == "No findings"
    assert page.locator("text=Nothing was found.").is_visible()
    skipped = {"message": {"text": "Too large."}, "descriptor": {"id": "skipped"}, "level": "warning"}
    partly = log(invocations=[{"toolExecutionNotifications": [skipped]}])
    page = opened(browser, written(tmp_path, partly)).page
    assert page.locator("text=Nothing was found in what could be analysed.").is_visible()
    page.click("text=1 message")
    assert page.locator("#notices li", has_text="Too large.").is_visible()


def test_the_trend_is_drawn(browser: Browser, tmp_path: Path) -> None:
    names = tuple(f"resplint-2026010{day}T080000Z.sarif" for day in (1, 2, 4))
    contents = [log(*(result(line=line) for line in range(1, count + 1))) for count in (9, 5, 2)]
    page = opened(browser, written(tmp_path, *contents, names=names)).page
    assert page.locator("h1").inner_text() == "2 errors in 1 file"
    heights = page.eval_on_selector_all(".trend .point", "all => all.map(e => e.getBoundingClientRect().y)")
    assert len(heights) == 3
    assert heights == sorted(heights), "fewer findings are lower on the page"
    across = page.eval_on_selector_all(".trend .point", "all => all.map(e => e.getBoundingClientRect().x)")
    assert (across[2] - across[1]) / (across[1] - across[0]) == pytest.approx(2, abs=0.05)
    page.click(".trend summary")
    assert page.locator(".trend tbody tr").all_inner_texts() == [
        "2026-01-01 08:00\t9", "2026-01-02 08:00\t5", "2026-01-04 08:00\t2",
    ]  # fmt: skip


# -- what one can do ------------------------------------------------------------------------------------------------


def test_filters_narrow_and_reset_widens(browser: Browser, scan_page: Path) -> None:
    page = opened(browser, scan_page).page
    total = len(results())
    page.uncheck('input[value="warning"]')
    page.uncheck('input[value="note"]')
    errors = sum(each["level"] == "error" for each in results())
    assert len(shown(page)) == errors < total
    assert page.locator("#shown").inner_text() == f"{errors} of {total} findings"
    page.click("#reset")
    assert len(shown(page)) == total
    page.select_option("#pick-rule", label="RL301 unparameterized-eval")
    assert len(shown(page)) == sum(each["ruleId"] == "RL301" for each in results())
    assert page.locator(".rule:visible").count() == 1
    page.click("#reset")
    page.fill("#q", "blpop SOCKET_TIMEOUT")
    expect(page.locator("#shown")).to_contain_text(" of ")
    kept = shown(page)
    assert 0 < len(kept) < total
    for anchor in kept:
        text = (page.locator(f"#{anchor}").text_content() or "").lower()
        assert "blpop" in text
        assert "socket_timeout" in text
    page.fill("#q", "no such text anywhere")
    page.wait_for_selector("#nothing", state="visible")
    assert shown(page) == []


def test_a_cell_of_the_map_shows_its_findings(browser: Browser, scan_page: Path) -> None:
    page = opened(browser, scan_page).page
    cell = page.locator(".heat td a").first
    number = int(cell.inner_text())
    cell.click()
    assert len(shown(page)) == number < len(results())
    assert page.locator("#shown").inner_text().startswith(f"{number} of ")


def test_findings_can_be_arranged(browser: Browser, scan_page: Path) -> None:
    page = opened(browser, scan_page).page
    by_rule = shown(page)
    page.select_option("#arrange", "worst")
    order = {"error": 0, "warning": 1, "note": 2}
    levels = page.eval_on_selector_all(
        ".finding", "all => all.filter(e => e.checkVisibility()).map(e => e.dataset.level)"
    )
    assert levels == sorted(levels, key=lambda level: order[level])
    page.select_option("#arrange", "folder")
    headings = [heading.strip() for heading in page.locator("#rearranged h3 code").all_inner_texts()]
    assert len(headings) == len(set(headings)) > 3
    first = page.locator("#rearranged section").first
    for place in first.locator("summary .at").all_inner_texts():
        assert place.startswith(f"{headings[0]}/")
    page.select_option("#arrange", "rule")
    assert shown(page) == by_rule


def test_the_keyboard_opens_a_finding(browser: Browser, scan_page: Path) -> None:
    page = opened(browser, scan_page).page
    closed = page.locator(".finding details:not([open])").first
    anchor = closed.evaluate("e => e.parentElement.id")
    summary = page.locator(f"#{anchor} summary")
    assert not page.locator(f"#{anchor} .code").first.is_visible()
    summary.focus()
    page.keyboard.press("Enter")
    assert page.locator(f"#{anchor} .code").first.is_visible()
    page.keyboard.press("Enter")
    assert not page.locator(f"#{anchor} .code").first.is_visible()


def test_anchors_lead_to_findings_rules_and_remarks(browser: Browser, scan_page: Path) -> None:
    page = opened(browser, scan_page).page
    anchor = page.locator(".finding details:not([open])").last.evaluate("e => e.parentElement.id")
    page = opened(browser, scan_page, f"#{anchor}", reduced_motion="reduce").page
    assert page.locator(f"#{anchor} .code").first.is_visible()
    assert in_view(page, f"#{anchor}")
    page.click(".bars a >> nth=-1")
    last = page.locator(".rule").last.evaluate("e => e.id")
    assert in_view(page, f"#{last}")
    page.focus(".skip")
    page.keyboard.press("Enter")
    assert in_view(page, "#findings")


def in_view(page: Page, selector: str) -> bool:
    page.wait_for_timeout(50)
    top = page.locator(selector).evaluate("e => e.getBoundingClientRect().top")
    return bool(-5 <= top < 900)


def test_the_theme_can_be_changed_and_is_remembered(browser: Browser, scan_page: Path) -> None:
    page = opened(browser, scan_page, color_scheme="light").page
    light = background(page)
    page.click("#theme")
    dark = background(page)
    assert sum(light) > 600
    assert sum(dark) < 150
    page.reload()
    assert background(page) == dark
    page.click("#theme")
    assert background(page) == light
    assert background(opened(browser, scan_page, color_scheme="dark").page) == dark


def background(page: Page) -> tuple[int, ...]:
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return tuple(map(int, re.findall(r"\d+", colour)))[:3]


def test_it_can_be_read_without_scripts(browser: Browser, scan_page: Path) -> None:
    page = opened(browser, scan_page, java_script_enabled=False).page
    assert page.locator(".finding").count() == len(results())
    assert not page.locator("#toolbar").is_visible()
    assert not page.locator("#theme").is_visible()
    anchor = page.locator(".finding", has=page.locator("details:not([open])")).first.get_attribute("id")
    card = page.locator(f"#{anchor}")
    card.locator("summary").click()
    assert card.locator(".code").first.is_visible()
    page.locator(".help summary").first.click()
    assert page.locator(".help h4", has_text="Why it hurts").first.is_visible()


def test_print_shows_the_code_of_closed_findings_and_no_controls(browser: Browser, scan_page: Path) -> None:
    page = opened(browser, scan_page).page
    page.emulate_media(media="print", color_scheme="light")
    assert not page.locator("#toolbar").is_visible()
    heights = page.eval_on_selector_all(
        ".finding details:not([open]) .code",
        "all => all.map(e => e.checkVisibility({contentVisibilityAuto: true}) ? e.offsetHeight : 0)",
    )
    assert heights
    assert min(heights) > 10


# -- for everybody --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", _NARROW)])
def test_axe_finds_no_barriers(browser: Browser, tmp_path: Path, scheme: str, width: int) -> None:
    given = json.loads(scanned())
    kinds: dict[tuple[str, str], dict[str, Any]] = {}
    for each in results():
        if each["ruleId"] in ("RL104", "RL102"):
            kinds[each["ruleId"], each["level"]] = each
    given["runs"][0]["results"] = list(kinds.values())
    page = opened(browser, written(tmp_path, given), color_scheme=scheme, viewport={"width": width, "height": 900}).page
    page.evaluate("document.querySelector('.help').open = true")
    source = (npm_package("axe-core", _AXE_VERSION) / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    page.evaluate(source)
    found = page.evaluate("axe.run()")
    assert [(each["id"], [node["html"][:200] for node in each["nodes"][:3]]) for each in found["violations"]] == []
    assert len(found["passes"]) > 20


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(browser: Browser, scan_page: Path, scheme: str) -> None:
    """Of every kind of text on its own background, by the formula of WCAG 2.2; AA wants 4.5."""
    page = opened(browser, scan_page, color_scheme=scheme).page
    ratios = page.evaluate(_CONTRASTS)
    assert {"lv error", "lv warning", "lv note", "at", "s", "c", "k"} <= set(ratios)
    assert {name: ratio for name, ratio in ratios.items() if ratio < 4.5} == {}


_CONTRASTS = """() => {
  const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b; };
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const behind = (e) => { for (; e; e = e.parentElement) {
    const c = parse(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3] === 1) return c.slice(0, 3); } return [255, 255, 255]; };
  const worst = {};
  for (const e of document.querySelectorAll('body *')) {
    if (!e.checkVisibility() || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
    const [a, b] = [light(parse(getComputedStyle(e).color).slice(0, 3)), light(behind(e))].sort((x, y) => y - x);
    const name = e.getAttribute('class') || e.tagName; const ratio = (a + .05) / (b + .05);
    worst[name] = Math.min(worst[name] ?? 99, ratio);
  }
  return worst;
}"""


@pytest.mark.parametrize("which", ["scan_page", "hostile_page"])
def test_nothing_scrolls_sideways_on_a_telephone(browser: Browser, which: str, request: pytest.FixtureRequest) -> None:
    page = opened(browser, request.getfixturevalue(which), viewport={"width": _NARROW, "height": 740}).page
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= _NARROW
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= _NARROW


# -- whatever comes -------------------------------------------------------------------------------------------------


def test_hostile_texts_stay_texts(browser: Browser, hostile_page: Path) -> None:
    seen = opened(browser, hostile_page)
    page = seen.page
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    page.fill("#q", "<script>")
    page.wait_for_timeout(200)
    page.select_option("#arrange", "folder")
    page.mouse.move(600, 500)
    assert page.evaluate("window.pwned") is None
    assert seen.requests == [hostile_page.as_uri()]
    assert seen.complaints == []
    assert page.locator("script").count() == page.locator("style").count() == 1
    assert page.locator("img, iframe, object, embed, base, form").count() == 0
    assert (
        page.evaluate(
            "[...document.querySelectorAll('*')]"
            ".filter((e) => [...e.attributes].some((a) => a.name.startsWith('on'))).length"
        )
        == 0
    )
    targets = page.eval_on_selector_all("a", "all => all.map(e => e.getAttribute('href'))")
    assert {target.split(":")[0] for target in targets if not target.startswith("#")} == {"https"}
    assert "https://example.org/fine" in targets
    text = page.locator("body").text_content() or ""
    for attack in ATTACKS[:-1]:
        assert attack in text, "it is shown as it is"
    assert "\\u202egnp.exe\\x07\\x1b[31m\\u2028" in text


def test_the_policy_would_stop_what_got_through(browser: Browser, scan_page: Path) -> None:
    page = opened(browser, scan_page).page
    page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.pwned = 1';"
        " document.body.append(s);"
        " document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.pwned = 1\">'); }"
    )
    page.wait_for_timeout(100)
    assert page.evaluate("window.pwned") is None


def test_a_run_of_5000_findings_opens(browser: Browser, tmp_path: Path) -> None:
    given = json.loads(scanned())
    some = given["runs"][0]["results"]
    given["runs"][0]["results"] = [
        {**some[number % len(some)], "partialFingerprints": {"resplint/v1": str(number)}} for number in range(5000)
    ]
    page = opened(browser, written(tmp_path, given)).page
    assert page.locator("#shown").inner_text() == "5,000 findings"
    page.select_option("#pick-rule", index=1)
    assert page.locator("#shown").inner_text() != "5,000 findings"
