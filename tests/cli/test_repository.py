"""Reports for services that show a repository: paths as they know them, links to the commit that was scanned."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from resplint.cli.app import cli
from resplint.cli.repository import source_url

CODE = 'import redis\n\nclient = redis.Redis(socket_timeout=5, max_connections=8)\nclient.blpop("jobs", timeout=30)\n'
ENVIRONMENT = {
    "GITHUB_SERVER_URL": "https://github.example:8443",
    "GITHUB_REPOSITORY": "acme/shop.py",
    "GITHUB_SHA": "0123456789abcdef0123456789abcdef01234567",
}


@pytest.fixture
def service(tmp_path: Path) -> Path:
    """A folder in a repository."""
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "services" / "api é"
    folder.mkdir(parents=True)
    (folder / "jobs.py").write_text(CODE)
    return folder


def report(format_: str, path: Path, *arguments: str, **environment: str) -> str:
    options = ["scan", "--exit-zero", "--format", format_, *arguments, str(path)]
    return CliRunner().invoke(cli, options, env={**ENVIRONMENT, **environment}, catch_exceptions=False).output


def test_paths_are_those_of_the_repository_whatever_was_named(service: Path) -> None:
    for path in (service, service / "jobs.py", service.parents[1]):
        (entry,) = json.loads(report("gitlab", path))
        assert entry["location"]["path"] == "services/api é/jobs.py"
        assert "file=services/api é/jobs.py," in report("github", path, GITHUB_ACTIONS="true")
        assert 'classname="services/api é/jobs.py"' in report("junit", path)
        (run,) = json.loads(report("sarif", path))["runs"]
        uri = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert uri == "services/api%20%C3%A9/jobs.py"


def test_text_is_about_what_was_named_and_json_about_the_repository(service: Path) -> None:
    assert report("text", service).startswith("jobs.py:4:1: error")
    assert json.loads(report("json", service))["results"][0]["path"] == "services/api é/jobs.py"


def test_the_summary_of_a_step_links_to_the_scanned_commit(service: Path) -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    link = f"https://github.example:8443/acme/shop.py/blob/{commit}/services/api%20%C3%A9/jobs.py#L4"
    assert f"[<code>services/api é/jobs.py:4</code>]({link})" in report("markdown", service)


@pytest.mark.parametrize("name", sorted(ENVIRONMENT))
@pytest.mark.parametrize(
    "value", ["", "x) [y](https://e.invalid", "https://e.invalid/?", "a/b/c", "javascript:x", "../.."]
)
def test_what_github_does_not_set_makes_no_links(name: str, value: str) -> None:
    assert source_url(ENVIRONMENT)
    assert source_url({**ENVIRONMENT, name: value}) == ""
    assert source_url({key: value for key, value in ENVIRONMENT.items() if key != name}) == ""


def test_a_page_for_a_comment_is_as_small_as_asked(service: Path) -> None:
    (service / "jobs.py").write_text(CODE + 'client.blpop("jobs", timeout=30)\n' * 50)
    assert len(report("markdown", service).encode()) > 8_000
    assert len(report("markdown", service, "--summary-size", "8000").encode()) <= 8_000
