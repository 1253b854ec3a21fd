"""The site in a real browser: it asks nobody else for anything, and its search and tabs work."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from tests.docs.site import built
from tests.tooling import chromium, npm_package

_ARGUMENTS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")
_NARROW = 390
_AXE_VERSION = "4.14.1"
_PATIENCE_MS = 30_000


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the site is served."""
    folder = built(tmp_path_factory)
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def page(address: str) -> Iterator[Page]:
    """A page that fails the test if it asks for anything elsewhere, or complains."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(chromium()), args=list(_ARGUMENTS))
        page = browser.new_context(base_url=address, viewport={"width": 1280, "height": 900}).new_page()
        asked: list[str] = []
        complaints: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        yield page
        assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []
        assert complaints == []
        browser.close()


def test_the_search_finds_an_option_and_leads_to_it(page: Page) -> None:
    page.goto("/")
    box = page.get_by_role("textbox", name="Search")
    box.focus()
    # What is typed before the index has been read is lost.
    expect(page.locator(".md-search-result__meta")).to_have_text("Type to start searching", timeout=_PATIENCE_MS)
    box.press_sequentially("socket_timeout")
    found = page.locator(".md-search-result__link")
    expect(found.first).to_be_visible(timeout=_PATIENCE_MS)
    titles = " ".join(found.all_inner_texts())
    assert "redis-py" in titles
    found.first.click()
    expect(page.locator("article")).to_contain_text("socket_timeout")


def test_examples_show_the_language_that_was_chosen(page: Page) -> None:
    page.goto("/rules/RL104-blocking-timeout/")
    bad, good = page.locator(".tabbed-set").all()
    assert "def run(" in bad.inner_text()
    bad.get_by_text("Kotlin", exact=True).click()
    for tabs in (bad, good):
        expect(tabs.locator(".tabbed-block").nth(2)).to_be_visible()
        expect(tabs.locator(".tabbed-block").nth(0)).to_be_hidden()


@pytest.mark.parametrize("path", ["/", "/rules/", "/clients/spring-data-redis/", "/configuration/", "/cli/"])
def test_a_narrow_window_needs_no_scrolling_to_the_side(page: Page, path: str) -> None:
    page.set_viewport_size({"width": _NARROW, "height": 800})
    page.goto(path)
    assert page.evaluate("document.documentElement.scrollWidth") <= _NARROW


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 360)])
def test_axe_finds_no_barriers(page: Page, scheme: Literal["light", "dark"], width: int) -> None:
    source = (npm_package("axe-core", _AXE_VERSION) / "axe-core" / "axe.min.js").read_text("utf-8")
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    for path in ("/", "/rules/RL104-blocking-timeout/", "/clients/redis-py/", "/configuration/"):
        page.goto(path)
        page.wait_for_function("document.querySelector('.md-search')?.hasAttribute('aria-label')")
        page.evaluate(source)
        found = page.evaluate("axe.run()")
        assert [(each["id"], [node["html"][:200] for node in each["nodes"][:3]]) for each in found["violations"]] == []
