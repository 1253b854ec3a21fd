"""The texts of the files that a project needs to use resplint."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

import yaml

from resplint.config.keys import KEYS, Key
from resplint.knowledge.load import load_libraries
from resplint.output.about import INFORMATION_URI, REF, REQUIREMENT, VERSION

REPOSITORY = INFORMATION_URI.removeprefix("https://github.com/")
"""Owner and name at GitHub."""
ACTION = f"{REPOSITORY}@{REF}"
CHECKOUT = "actions/checkout@v7"
SCHEMA = f"https://raw.githubusercontent.com/{REPOSITORY}/{REF}/schemas/config.schema.json"
KEYS_PAGE = f"{INFORMATION_URI}/blob/{REF}/docs/configuration.md"


def config_text(table: str, libraries: Sequence[str], defaults: Mapping[str, str]) -> str:
    """A configuration that changes nothing: every key with what it means, as a comment.

    `table` is "" for `resplint.toml` or the table that holds the keys ("tool.resplint"); `libraries` are those that the
    project uses, for the example of their versions; `defaults` maps keys that are no tables to what holds without them,
    as it is written in TOML.
    """
    lines = [f"#:schema {SCHEMA}"] if not table else [f"[{table}]"]
    lines += [f"# Configuration of resplint {VERSION}; every key is optional: {KEYS_PAGE}", ""]
    for key in KEYS:
        if not key.is_table:
            lines += [f"# {key.summary}", f"# {key.name} = {defaults.get(key.name, key.example)}", ""]
    for key in KEYS:
        if key.is_table:
            header = key.header(f"{table}.{key.name}" if table else key.name)
            lines += [f"# {key.summary}", f"# {header}", *(f"# {line}" for line in _example(key, libraries)), ""]
    return "\n".join(lines)


def _example(key: Key, libraries: Sequence[str]) -> list[str]:
    if key.name != "client-versions" or not libraries:
        return key.example.splitlines()
    known = load_libraries()
    return [f'{name} = "{known[name].library.versions[-1]}"' for name in libraries]


def pre_commit_hook(folder: str, config: str) -> str:
    """The entry of `.pre-commit-config.yaml`; `folder` is the one to scan, "." for the repository, `config` names the
    configuration in it.
    """
    entry = f"  - repo: {INFORMATION_URI}\n    rev: {REF}\n    hooks:\n      - id: resplint\n"
    if folder != ".":
        # Not `files`, which would take the place of what the hook itself says about suffixes.
        pattern, argument = f"^(?!{re.escape(folder)}/)", f"--config={folder}/{config}"
        entry += f"        exclude: {_yaml(pattern)}\n        args: [{_yaml(argument)}, --]\n"
    return entry


def pre_commit_config(folder: str, config: str) -> str:
    """A `.pre-commit-config.yaml` with that entry alone."""
    return f"repos:\n{pre_commit_hook(folder, config)}"


def github_workflow(branch: str, folder: str) -> str:
    """`.github/workflows/resplint.yml`; `folder` is the one to scan, "." for the repository."""
    scanned = "" if folder == "." else f"        with:\n          working-directory: {_yaml(folder)}\n"
    return f"""\
name: resplint
on:
  push:
    branches: [{_yaml(branch)}]
  pull_request:
permissions: {{}}
jobs:
  resplint:
    runs-on: ubuntu-latest
    permissions:
      contents: read
      security-events: write # to upload to code scanning
      actions: read # wanted in private repositories
    steps:
      - uses: {CHECKOUT}
        with:
          persist-credentials: false
      - uses: {ACTION}
{scanned}"""


def gitlab_job(folder: str) -> str:
    """A job for `.gitlab-ci.yml`."""
    scanned = "" if folder == "." else f" -- {shlex.quote(folder)}"
    scan = f"resplint scan --report gitlab=gl-code-quality-report.json --report junit=resplint.xml{scanned}"
    return f"""\
resplint:
  image: python:3.13
  script:
    - pip install --quiet {REQUIREMENT}
    - {_yaml(scan)}
  artifacts:
    when: always
    reports:
      codequality: gl-code-quality-report.json
      junit: resplint.xml
"""


def _yaml(text: str) -> str:
    """Text as a scalar in YAML, in quotes where it needs them."""
    listed = yaml.safe_dump([text], default_flow_style=True, allow_unicode=True, width=10_000)
    return listed.strip().removeprefix("[").removesuffix("]")
