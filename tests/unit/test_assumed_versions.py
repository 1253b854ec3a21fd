"""Which version is assumed where a project leaves a choice: the newest allowed one that has what the code calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from resplint.config.loading import Config
from resplint.knowledge.load import load_book
from resplint.model.project import Project
from resplint.scan import ScanRequest, link

BATCHED = "const client = require('redis').createClient();\nexports.run = () => client.batch().get('a').exec();\n"
MADE = "const client = require('redis').createClient(6379, 'cache');\nexports.run = () => client.get('a');\n"
PLAIN = "const client = require('redis').createClient();\nexports.run = () => client.get('a');\n"


def linked(folder: Path, code: str, wanted: str | None) -> Project:
    (folder / "app.js").write_text(code)
    if wanted is not None:
        (folder / "package.json").write_text(f'{{"dependencies": {{"redis": "{wanted}"}}}}')
    config = Config(rules={code: info.name for code, info in load_book().items()}, jobs=1)
    return link(ScanRequest([str(folder)], config, root=folder)).project


def phrases(project: Project) -> set[str]:
    calls = [project.ev.version(site.receiver, site.file).phrase() for site in project.commands]
    started = [
        project.ev.version(batch.object, batch.made[0], batch.model.method).phrase() for batch in project.batches
    ]
    return {*calls, *started}


@pytest.mark.parametrize(
    ("code", "wanted", "phrase"),
    [
        (PLAIN, ">=3.0", "redis 6.3.1, the newest known release that `>=3.0` in package.json allows"),
        (PLAIN, "^3.0.0", "redis 3.1.2, the newest known release that `^3.0.0` in package.json allows"),
        (PLAIN, None, "redis 6.3.1, the newest known, as no manifest names a version"),
        (PLAIN, "3.0.2", "redis 3.0.2 (pinned in package.json)"),
        (
            MADE,
            ">=3.0",
            "redis 3.1.2, the newest release that the code fits, of those that `>=3.0` in package.json allows",
        ),
    ],
)
def test_the_phrase_says_what_is_assumed_and_why(tmp_path: Path, code: str, wanted: str | None, phrase: str) -> None:
    assert phrase in phrases(linked(tmp_path, code, wanted))


@pytest.mark.parametrize("wanted", [">=2.8", None])
def test_a_method_that_newer_releases_lack_is_still_known(tmp_path: Path, wanted: str | None) -> None:
    batches = linked(tmp_path, BATCHED, wanted).batches
    assert [batch.model.method for batch in batches] == ["batch"]


def test_a_method_that_a_pinned_release_lacks_is_not(tmp_path: Path) -> None:
    assert linked(tmp_path, BATCHED, "6.0.0").batches == []
