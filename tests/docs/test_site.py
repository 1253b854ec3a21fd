"""The documentation: generated pages are up to date, the site builds without a warning, and it loads nothing from
elsewhere.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import click
import pytest
from docs_pages import generated
from docs_pages.navigation import MARK

from resplint.cli.app import COMMANDS, cli
from resplint.config.keys import KEYS
from resplint.knowledge.book import LANGUAGE_TITLES
from resplint.knowledge.load import load_libraries, load_pages
from tests.docs.site import ROOT, build, built

DOCS = ROOT / "docs"
LOADING = {
    "link": ("href",),
    "script": ("src",),
    "img": ("src", "srcset"),
    "iframe": ("src",),
    "source": ("src", "srcset"),
    "object": ("data",),
    "form": ("action",),
}
"""Attributes whose address a browser asks for without being told to, by element."""
OWN_ADDRESSES = {"canonical", "next", "prev", "edit"}
"""Kinds of <link> that are not loaded."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory)


def text_of(site: Path, page: str) -> str:
    """A page without its markup."""
    return re.sub(r"<[^>]+>", "", (site / page / "index.html").read_text("utf-8"))


# -- what is generated ----------------------------------------------------------------------------------------------


def test_generated_files_are_up_to_date() -> None:
    different = [
        path
        for path, text in generated.files(ROOT).items()
        if not (ROOT / path).is_file() or (ROOT / path).read_text("utf-8") != text
    ]
    assert [*different, *generated.stale(ROOT)] == [], "run `make docs` and commit what it changes"


def test_every_rule_has_bad_and_good_code_in_each_of_its_languages() -> None:
    for code, page in load_pages().items():
        text = (DOCS / "rules" / f"{code}-{page.name}.md").read_text("utf-8")
        bad, good = text.index("\n## Bad\n"), text.index("\n## Good\n")
        for part in (text[bad:good], text[good : text.index("\n## Fix ")]):
            tabs = re.findall(r'^=== "(.+)"\n\n    (?:.*\n\n    )*?```', part, re.MULTILINE)
            assert tabs == [LANGUAGE_TITLES[name] for name in page.languages], code


@pytest.mark.parametrize(
    ("page", "row"),
    [
        ("redis-py", "| `socket_timeout` | read timeout | s | none | before 8.0.0 |"),
        ("redis-py", "|  | read timeout | s | 5 s | from 8.0.0 |"),
        ("jedis", "| `maxTotal` | bound of the pool | connections | 8; below zero means unbounded |"),
        ("node-redis", "| [client](#client) |"),
        ("spring-data-redis", "`spring.data.redis.timeout`"),
        ("ioredis", "| `pipeline()` of"),
    ],
)
def test_defaults_stand_beside_the_versions_they_hold_in(page: str, row: str) -> None:
    assert row in (DOCS / "clients" / f"{page}.md").read_text("utf-8")


def test_every_option_of_every_library_is_listed() -> None:
    for name, library in load_libraries().items():
        text = (DOCS / "clients" / f"{name}.md").read_text("utf-8")
        names = {option.name for options in library.option_set.values() for option in options}
        assert [each for each in sorted(names) if f"`{each}`" not in text] == []


def test_every_command_and_key_is_described(site: Path) -> None:
    commands, keys = text_of(site, "cli"), text_of(site, "configuration")
    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        options = [name for param in command.params for name in param.opts if name.startswith("--")]
        assert [each for each in (f"resplint {name}", *options) if each not in commands] == []
    assert [key.name for key in KEYS if key.name not in keys] == []


# -- the site -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("link", "warning"),
    [
        ("[x](missing.md)", "missing.md"),
        ("[x](cli.md#no-such-part)", "no-such-part"),
        ("[x](assets)", "assets"),
    ],
)
def test_a_link_that_leads_nowhere_fails_the_build(tmp_path: Path, link: str, warning: str) -> None:
    (tmp_path / "docs").mkdir()
    settings = (ROOT / "mkdocs.yml").read_text("utf-8").partition(MARK)[0]
    settings = settings.replace("- tools/", f"- {ROOT}/tools/")
    (tmp_path / "mkdocs.yml").write_text(settings, "utf-8")
    (tmp_path / "docs" / "index.md").write_text("# Start\n", "utf-8")
    (tmp_path / "docs" / "cli.md").write_text("# Command line\n", "utf-8")
    shutil.copytree(DOCS / "assets", tmp_path / "docs" / "assets")
    assert build(tmp_path / "site", tmp_path / "mkdocs.yml").returncode == 0
    (tmp_path / "docs" / "index.md").write_text(f"# Start\n\n{link}\n", "utf-8")
    done = build(tmp_path / "site", tmp_path / "mkdocs.yml")
    assert done.returncode == 1
    assert warning in done.stderr


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 30
    loaded = {address for page in pages for address in _Loaded(page).addresses}
    assert {"assets/site.css"} <= {re.sub(r"^(\.\./)*", "", address) for address in loaded}
    assert [address for address in sorted(loaded) if re.match(r"(?:[a-z]+:)?//", address)] == []
    for sheet in site.rglob("*.css"):
        assert re.findall(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//[^)]*", sheet.read_text("utf-8")) == [], sheet


def test_links_to_files_of_the_repository_lead_to_it(site: Path) -> None:
    page = (site / "json-report" / "index.html").read_text("utf-8")
    assert 'href="https://github.com/resplint/resplint/blob/main/schemas/report-1.1.schema.json"' in page


def test_the_search_index_knows_rules_and_options(site: Path) -> None:
    index = (site / "search" / "search_index.json").read_text("utf-8")
    assert [word for word in ("blocking-timeout", "socket_timeout", "client-factories") if word not in index] == []


class _Loaded(HTMLParser):
    """Addresses that a page makes a browser load."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.addresses: set[str] = set()
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "link" and values.get("rel") in OWN_ADDRESSES:
            return
        self.addresses.update(self._of(tag, values))

    @staticmethod
    def _of(tag: str, values: dict[str, str]) -> Iterator[str]:
        yield from (values[name] for name in LOADING.get(tag, ()) if values.get(name))
        yield from re.findall(r"url\(['\"]?([^'\")]+)", values.get("style", ""))
