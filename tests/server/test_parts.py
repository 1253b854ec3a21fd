"""Parts of the language server that need no editor: where lines went, which files count, what is kept between scans."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import re
import time
from pathlib import Path

import pytest

from resplint.config.loading import Config
from resplint.contracts.findings import Level, LocatedEdit, Region, Report
from resplint.files.source import DecodedSource, decode, encode
from resplint.files.toml_text import parse_toml
from resplint.knowledge.load import load_book
from resplint.languages import EXTENSIONS, LANGUAGES
from resplint.scan import FactsMemory, ScanRequest, scan
from resplint.server.actions import KINDS
from resplint.server.client import Options, read_options
from resplint.server.places import path_of, uri_below, uri_of
from resplint.server.texts import LineMap, Text
from resplint.server.watching import matters
from resplint.versions import manifests
from tests.server.samples import CLIENTS, USERS

# -- texts ----------------------------------------------------------------------------------------------------------


def test_lines_end_where_the_protocol_says() -> None:
    text = Text("a\r\nb\rc\nd\x0ce\u2028f\x85g")
    assert text.lines == ("a", "b", "c", "d\x0ce\u2028f\x85g")
    assert (text.line_end, text.line(4), text.line(5)) == ("\r\n", text.lines[3], "")


def test_edits_count_utf16_units() -> None:
    text = Text("one\n\t'🙂é' two\n")
    edits = [LocatedEdit("", Region(2, 7, 2, 10), "2"), LocatedEdit("", Region(1, 1, 1, 1), "# ")]
    assert text.replaced(edits) == "# one\n\t'🙂é'2o\n"


def test_regions_move_with_their_lines() -> None:
    """Whatever is typed in one go, lines that are still there are found. Where lines are alike none may be found, but
    never another text.
    """
    chance = random.Random(7)
    for words in ("abc", "abcdefghijklmnopqrstuvwxyz") * 200:
        old = chance.sample(words * 3, 8) if len(words) < 8 else chance.sample(words, 8)
        start = chance.randint(0, 8)
        stop = chance.randint(start, 8)
        new = [*old[:start], *chance.sample("ABCab", chance.randint(0, 3)), *old[stop:]]
        lines = LineMap(old, new)
        for line in range(1, 9):
            moved = lines.region(Region(line, 1, line, 2))
            assert moved is None or new[moved.start_line - 1] == old[line - 1]
            if len(set(new)) == len(new) and len(set(old)) == 8 and not start < line <= stop:
                assert moved is not None, (old, new, line)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain\n",
        "# coding: latin-1\nname = 'é'\n",
        "# coding: latin-1\nname = '€🙂'\n",
        "# coding: utf-8\nname = '🙂'\n",
        "# coding: no-such-codec\nname = 'é'\n",
        "# coding: utf-16\nname = 'é'\n",
    ],
)
def test_bytes_of_a_document_are_read_as_its_text(text: str) -> None:
    source = decode(encode(text, "python"), "python")
    assert isinstance(source, DecodedSource)
    assert source.data.decode() == text


# -- places ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/a/b c/#1?.py", "/ü/🙂%20.py", "/odd\udcff.py"])
def test_paths_survive_as_uris(path: str) -> None:
    assert path_of(uri_of(path)) == path
    assert path_of(uri_below("file:///", path[1:])) == path


@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "git:/a/b.py?ref", "file", "http://[", ""])
def test_other_uris_are_no_paths(uri: str) -> None:
    assert path_of(uri) is None


# -- files to watch -------------------------------------------------------------------------------------------------

SAMPLES = (
    "src/app.py", "a/b/Main.java", "Main.kt", "build.gradle.kts", "web/app.mjs", "view.tsx", "requirements.txt",
    "requirements-dev.in", "requirements/base.txt", "constraints.txt", "pyproject.toml", "Pipfile", "Pipfile.lock",
    "setup.cfg", "setup.py", "environment.yml", "uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "pylock.dev.toml",
    "pom.xml", "build.gradle", "settings.gradle", "gradle/libs.versions.toml", "gradle.properties", "gradle.lockfile",
    "gradle/dependency-locks/main.lockfile", "package.json", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock",
    "pnpm-lock.yaml", "pnpm-workspace.yaml", ".yarnrc.yml", "tsconfig.json", "tsconfig.base.json", "jsconfig.json",
    "src/main/resources/application.yml", "application-prod.properties", "bootstrap.yaml",
    "META-INF/microprofile-config.properties", "resplint.toml", ".gitignore", "resplint-baseline.jsonl",
)  # fmt: skip


@pytest.mark.parametrize("path", SAMPLES)
def test_files_that_scans_read_are_watched(path: str) -> None:
    assert matters(path)
    assert matters(f"services/api/{path}")
    assert not matters(f"node_modules/lib/{path}")


@pytest.mark.parametrize("path", ["README.md", "data.json", "notes.txt", "values.yaml", "image.png", "Cargo.lock"])
def test_other_files_are_not(path: str) -> None:
    assert not matters(path)


def test_no_manifest_was_forgotten() -> None:
    """Every form of manifest that is read has a sample above."""
    single = (
        manifests.POM, manifests.GRADLE, manifests.CATALOGUE, manifests.GRADLE_PROPERTIES, manifests.GRADLE_LOCK,
        manifests.PACKAGE_JSON, manifests.NPM_CATALOGUES,
    )  # fmt: skip
    names = [path.rsplit("/", 1)[-1] for path in SAMPLES]
    for form in (*manifests.FORMATS, *manifests.NPM_LOCKS, *single):
        assert any(form.pattern.fullmatch(name) for name in names), form.pattern.pattern


# -- options --------------------------------------------------------------------------------------------------------


def test_options() -> None:
    assert read_options(None) == (Options(), [])
    given = {"diagnostics": "workspace", "level": "error", "config": "ci/resplint.toml"}
    assert read_options(given) == (Options("workspace", Level.ERROR, "ci/resplint.toml"), [])


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ([], "initializationOptions: expected an object."),
        ({"colour": 1}, "initializationOptions: unknown key 'colour'."),
        ({"level": "info"}, "initializationOptions: level: expected one of note, warning, error, not 'info'."),
        ({"diagnostics": []}, "initializationOptions: diagnostics: expected one of auto, open, workspace, not []."),
        ({"config": 7}, "initializationOptions: config: expected the path of a file, not 7."),
    ],
)
def test_wrong_options_are_told_and_left_out(given: object, problem: str) -> None:
    assert read_options(given) == (Options(), [problem])


# -- memory ---------------------------------------------------------------------------------------------------------


def test_a_memory_changes_no_report(tmp_path: Path) -> None:
    """Files come, change, go and are overlaid: a scan that remembers the ones before says what a fresh one says."""
    chance = random.Random(0)
    memory = FactsMemory()
    config = Config(rules={code: info.name for code, info in load_book().items()}, jobs=1)
    kinds = {"db1.py": CLIENTS, "db2.py": CLIENTS, "worker.py": USERS, "other.py": USERS}

    def content(name: str) -> str:
        return chance.choice(kinds[name] if chance.random() < 0.9 else (*CLIENTS, *USERS))

    reports = set()
    for _ in range(30):
        name = chance.choice(list(kinds))
        path = tmp_path / name
        if chance.random() < 0.1:
            path.unlink(missing_ok=True)
        else:
            path.write_text(content(name))
            age_s = chance.choice([0, 1000, 2000])
            os.utime(path, (time.time() - age_s - chance.random(),) * 2)
        overlay = {each: content(each).encode() for each in kinds if chance.random() < 0.2}
        fresh, remembered = (
            scan(ScanRequest([str(tmp_path)], config, root=tmp_path, overlay=overlay, memory=each))
            for each in (None, memory)
        )
        assert without_times(remembered) == without_times(fresh)
        reports.add(tuple((result.path, result.message) for result in fresh.results))
    assert len(reports) > 5


def test_a_file_that_keeps_its_time_stamp_is_read_while_it_is_fresh(tmp_path: Path) -> None:
    path = tmp_path / "app.py"
    memory = FactsMemory()
    path.write_text(CLIENTS[0] + "client.blpop('jobs', timeout=30)\n")
    config = Config(rules={code: info.name for code, info in load_book().items()}, jobs=1)
    request = ScanRequest([str(tmp_path)], config, root=tmp_path, memory=memory)
    assert [each.rule for each in scan(request).results] == ["RL104"]
    status = path.stat()
    path.write_text(" " * status.st_size)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert scan(request).files_analysed == 0


def without_times(report: Report) -> tuple[object, ...]:
    return report.results, report.notifications, report.files_discovered, report.files_analysed


# -- documentation --------------------------------------------------------------------------------------------------


def test_what_the_page_tells_to_write_is_right() -> None:
    """Settings for editors are whole documents, and name every kind of file that resplint reads."""
    page = (Path(__file__).parents[2] / "docs" / "editor.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(json|toml)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert [kind for kind, _ in blocks] == ["json", "json", "toml", "json"]
    saving, code, helix, idea = (
        json.loads(text) if kind == "json" else parse_toml(text.encode())[0] for kind, text in blocks
    )
    assert [code["glspc.server.command"], *code["glspc.server.commandArguments"]] == ["resplint", "server"]
    assert set(saving["editor.codeActionsOnSave"]) <= set(KINDS)
    assert {language["name"] for language in helix["language"]} == set(LANGUAGES)
    patterns = [pattern for each in idea["fileTypeMappings"] for pattern in each["fileType"]["patterns"]]
    assert sorted(patterns) == sorted(f"*{suffix}" for suffix in EXTENSIONS)
    options = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert options == [field.name for field in dataclasses.fields(Options)]
