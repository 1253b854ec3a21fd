"""What the documents say about rules, configuration and clients is what the code does."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from resplint.config import loading as configuration
from resplint.config.keys import KEYS
from resplint.config.loading import Config
from resplint.config.values import ClientFactory
from resplint.contracts.findings import Level, Precision, Status
from resplint.files.toml_text import parse_toml
from resplint.knowledge import compiling, load
from resplint.knowledge.files import rules_dir
from resplint.knowledge.load import load_book, load_libraries, load_pages
from resplint.languages import EXTENSIONS
from resplint.scan import ScanRequest, scan

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
PACKAGES = (ROOT / "tools" / "packages.txt").read_text("utf-8")
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
RULES = {code: rule.name for code, rule in load_book().items()}


ON = {Status.DEFAULT: "yes", Status.PREVIEW: "preview", Status.OFF: "no"}


def rows(text: str, heading: str) -> list[list[str]]:
    """Cells of the table whose first heading is `heading`."""
    table = re.search(rf"^\| {heading} \|.*\n\|[-:|]+\|\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert table, f"no table begins with {heading}"
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table[1].splitlines()]


def examples(text: str, language: str) -> list[str]:
    """Fenced blocks of one language, without their indentation."""
    found = re.finditer(rf"^( *)```{language}\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
    return [re.sub(rf"^{match[1]}", "", match[2], flags=re.MULTILINE) for match in found]


# -- rules ----------------------------------------------------------------------------------------------------------


def test_the_table_of_rules_is_the_book() -> None:
    expected = [
        [f"[{code}](rules/book/{code}-{page.name}.md)", page.name, page.level.value, ON[page.status], page.title]
        for code, page in sorted(load_pages().items())
    ]
    assert rows(README, "Code") == expected


def test_the_changelog_names_every_rule() -> None:
    text = " ".join((ROOT / "CHANGELOG.md").read_text("utf-8").split())
    assert [code for code, name in RULES.items() if f"{code} {name}" not in text] == []


def test_the_finding_that_is_shown_is_of_a_rule() -> None:
    found = re.search(r"^huey/\S+:\d+:\d+: (?:error|warning|note) (RL\d+) (\S+)$", README, re.MULTILINE)
    assert found
    assert RULES[found[1]] == found[2]
    block = README[found.start() : README.index("```", found.start())]
    assert block in (ROOT / "docs" / "index.md").read_text("utf-8")
    picture = (ROOT / "docs" / "images" / "terminal-finding.svg").read_text("utf-8")
    assert found[0] in " ".join("".join(re.findall(r"<text[^>]*>([^<]*)", picture)).replace("&#160;", " ").split())


# -- configuration --------------------------------------------------------------------------------------------------


def test_the_table_of_keys_is_complete_and_tells_the_defaults() -> None:
    defaults = Config(rules=RULES)
    values = {key.name: getattr(defaults, key.field) for key in KEYS}
    expected = [[f"`{name}`", "none" if value is None else f"`{in_toml(value)}`"] for name, value in values.items()]
    assert sorted(row[:2] for row in rows(README, "Key")) == sorted(expected)


def in_toml(value: object) -> str:
    if isinstance(value, (Level, Precision)):
        return f'"{value.value}"'
    if isinstance(value, tuple):
        return "[" + ", ".join(f'"{each}"' for each in value) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_the_example_is_a_valid_configuration_with_every_key(tmp_path: Path) -> None:
    (example,) = (block for block in examples(README, "toml") if "[tool.resplint]" in block)
    (tmp_path / "pyproject.toml").write_text(example, "utf-8")
    read = configuration.load(tmp_path, None, RULES)
    assert read.level == {"RL102": Level.ERROR, "RL103": None}
    assert read.client_factories["app.queue.connect"] == ClientFactory("redis.asyncio.Redis", {"socket_timeout": 5})
    assert set(read.client_versions) <= set(load_libraries())
    document, _ = parse_toml(example.encode())
    assert set(msgspec.convert(document, dict[str, dict[str, dict[str, object]]])["tool"]["resplint"]) == {
        key.name
        for key in KEYS
        if key.name != "extends"  # names a file, which would have to be there
    }


# -- what is known --------------------------------------------------------------------------------------------------


def test_the_table_of_languages_is_complete() -> None:
    table = rows(README, "Language")
    assert sorted(suffix for row in table for suffix in re.findall(r"`(\.\w+)`", row[1])) == sorted(EXTENSIONS)
    named = " ".join(row[2] for row in table).lower()
    titles = {
        "valkey-glide": "valkey glide",
        "commons-pool2": "commons pool 2",
        "spring-data-redis": "spring data redis",
        "upstash-node": "@upstash/redis",
        "vertx-redis": "vert.x redis client",
    }
    libraries = {re.sub(r"^(valkey-glide)-.*", r"\1", name) for name in load_libraries()}
    assert [name for name in libraries if titles.get(name, name) not in named] == []


def test_the_packages_that_are_scanned_are_named() -> None:
    text = " ".join(README.split())
    packages = [line.split() for line in PACKAGES.splitlines() if line and not line.startswith("#")]
    assert {ecosystem for ecosystem, *_ in packages} == {"pypi", "maven", "npm"}
    assert [name for _, name, *_ in packages if not re.search(rf"\b{name.rpartition(':')[2]}\b", text)] == []


# -- the worked example of a client library -------------------------------------------------------------------------


def test_the_example_of_a_client_library_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One TOML file, and the fixture beside it is found."""
    (library,) = examples(CONTRIBUTING, "toml")
    (fixture,) = examples(CONTRIBUTING, "javascript")
    shutil.copytree(rules_dir() / "clients", tmp_path / "clients")
    (tmp_path / "clients" / "tedis.toml").write_text(library, "utf-8")
    libraries = load_libraries(tmp_path)
    assert set(libraries) == {*load_libraries(), "tedis"}
    monkeypatch.setattr(load, "load_libraries", lambda: libraries)
    monkeypatch.setattr(compiling, "refresh", lambda: None)  # or what later scans read would have the example, too
    project = tmp_path / "project"
    project.mkdir()
    (project / "jobs.js").write_text(fixture, "utf-8")
    report = scan(ScanRequest(paths=[project], root=project, config=Config(rules=RULES)))
    found = [(result.rule, result.level.value, result.region.start_line) for result in report.results]
    above = re.search(r"// expect: (RL\d+) (\w+)\n", fixture)
    assert above
    assert found == [(above[1], above[2], fixture[: above.end()].count("\n") + 1)]
    assert "30 s" in report.results[0].message
    assert "5 s" in report.results[0].message
    assert report.notifications == ()


# -- links ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", document.read_text("utf-8"))
    local = [target for target in targets if "://" not in target]
    assert [target for target in local if not (document.parent / target).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_modules_that_are_named_exist(document: Path) -> None:
    """Paths in code style: `bind/files.py`, `rules/python/profile.toml`; those with placeholders are left out."""
    named = re.findall(r"`([\w./-]+/[\w.-]+\.(?:py|toml|md|json))`", document.read_text("utf-8"))
    planned = ("tedis", "keys_command", "keys-command")
    missing = [
        path
        for path in named
        if not any(word in path for word in planned)
        and not (ROOT / path).exists()
        and not (ROOT / "src" / "resplint" / path).exists()
    ]
    assert missing == []


def test_the_table_of_unseen_code_counts_the_verdicts() -> None:
    lines = (ROOT / "benchmarks" / "unseen-verdicts.jsonl").read_text("utf-8").splitlines()
    counted = Counter[tuple[str, int, str]]()
    for found in map(msgspec.json.decode, lines):
        for rule in (found["rule"], "all"):
            counted[rule, found["sample"], found["verdict"]] += 1
    for rule, *cells in rows(README, "Unseen code"):
        expected = [counted[rule, sample, verdict] for sample in (1, 2, 3) for verdict in ("right", "wrong", "unclear")]
        assert [int(cell) for cell in cells] == expected, rule
    assert {rule for rule, *_ in counted} == {rule for rule, *_ in rows(README, "Unseen code")}


def test_every_target_of_make_that_is_named_anywhere_can_be_made() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    rules = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    listed = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert listed
    assert set(listed[1].split()) == rules
    told = [*DOCUMENTS, *(ROOT / "benchmarks").glob("*.md"), *(ROOT / ".github").rglob("*.yml"), *ROOT.glob(".ci/*")]
    named = {
        name for path in told for name in re.findall(r"(?:`|run: |^|\d )make ([a-z-]+)", path.read_text("utf-8"), re.M)
    }
    assert {"scan", "test", "bench", "fuzz", "wild"} <= named
    assert named <= rules


def test_the_last_round_on_strangers_is_counted_from_its_lines() -> None:
    folder = ROOT / "benchmarks" / "strangers" / "eighteenth"
    seven = {"RL101", "RL102", "RL103", "RL104", "RL201", "RL301", "RL401"}
    labels = [msgspec.json.decode(line) for line in (folder / "labels.jsonl").read_text("utf-8").splitlines()]
    verdicts = [msgspec.json.decode(line) for line in (folder / "verdicts.jsonl").read_text("utf-8").splitlines()]
    positive = [one for one in labels if one["label"] == "positive" and one["rule"] in seven]
    found = [one for one in positive if one["level"] != "-"]
    warned = [one for one in verdicts if one["level"] != "note"]
    right = [one for one in warned if one["verdict"] == "right"]
    (row,) = rows(README, "Round")
    assert row[2] == f"{len(found)} of {len(positive)} ({len(found) / len(positive):.0%})".replace("%", " %")
    assert row[6] == f"{len(right)} of {len(warned)} ({len(right) / len(warned):.0%})".replace("%", " %")
    for group, cell in zip(("python", "java", "javascript"), row[3:6], strict=True):
        of_group = [one for one in positive if one["group"] == group]
        assert cell == f"{sum(one['level'] != '-' for one in of_group) / len(of_group):.0%}".replace("%", " %")
