"""What `resplint init` would do: files to write, files that stay as they are, and what is left to the reader."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from resplint.config.keys import KEYS
from resplint.config.loading import Config
from resplint.contracts.errors import UserError
from resplint.contracts.findings import Level, Precision
from resplint.files.regular_files import UnreadableFileError, is_inside, read_regular, shown
from resplint.files.toml_text import TomlError, parse_toml
from resplint.starter import texts
from resplint.starter.survey import Survey

_SIZE_LIMIT = 1_000_000
CONFIG, PROJECT, HOOKS = "resplint.toml", "pyproject.toml", ".pre-commit-config.yaml"
WORKFLOW, GITLAB = ".github/workflows/resplint.yml", ".gitlab-ci.yml"


class Step(msgspec.Struct, frozen=True):
    """One file. `does` is what happens to it: "create", "replace", "extend", "keep" (for the reason `why`), or "paste",
    when the reader is to add `text` to it, at the place `why`. Otherwise `text` is the whole new content and `shown`,
    if it is not empty, the part that is new.
    """

    path: Path
    does: str
    text: str = ""
    shown: str = ""
    why: str = ""

    @property
    def writes(self) -> bool:
        """Whether the file is written."""
        return self.does in ("create", "replace", "extend")


class Plan(msgspec.Struct, frozen=True):
    """Everything, in the order in which to do it."""

    steps: tuple[Step, ...]


def make_plan(found: Survey, *, in_pyproject: bool = False, force: bool = False) -> Plan:
    """What a project needs. Files that exist stay, except those that are resplint's own with `force`.

    Raises `UserError` if `in_pyproject` is asked for and the file cannot take the table.
    """
    config = _project_table(found) if in_pyproject else _config_file(found, force)
    steps = [config, _hooks(found, config.path.name)]
    if GITLAB in found.texts:
        steps.append(_gitlab(found))
    if GITLAB not in found.texts or (found.top / ".github").is_dir():
        steps.append(_workflow(found, force))
    return Plan(tuple(steps))


# -- the configuration ------------------------------------------------------------------------------------------------


def _config_file(found: Survey, force: bool) -> Step:
    path = found.folder / CONFIG
    text = texts.config_text("", tuple(found.libraries), _defaults())
    if os.path.lexists(path):
        if force:
            return _written(path, "replace", text, found)
        return Step(path, "keep", why="it exists; --force replaces it")
    project = found.folder / PROJECT
    if _has_table(project):
        return Step(project, "keep", why="it has a table [tool.resplint], which a resplint.toml would hide")
    return _written(path, "create", text, found)


def _project_table(found: Survey) -> Step:
    path = found.folder / PROJECT
    if os.path.lexists(found.folder / CONFIG):
        raise UserError(f"{shown(str(found.folder / CONFIG))}: exists and would hide a table in pyproject.toml.")
    if not os.path.lexists(path):
        raise UserError(f"{shown(str(path))}: does not exist; without --pyproject, resplint.toml is written.")
    if _has_table(path):
        return Step(path, "keep", why="it has a table [tool.resplint]")
    try:
        before = read_regular(str(path), _SIZE_LIMIT).decode("utf-8")
        line_end = "\r\n" if "\r\n" in before else "\n"
        table = texts.config_text("tool.resplint", tuple(found.libraries), _defaults())
        whole = before + ("" if before.endswith("\n") or not before else line_end)
        whole += (line_end if before else "") + table.replace("\n", line_end)
        parse_toml(whole.encode())
    except (UnreadableFileError, UnicodeDecodeError, TomlError) as error:
        raise UserError(f"{shown(str(path))}: cannot take a table [tool.resplint]: {shown(str(error))}.") from error
    return _written(path, "extend", whole, found, table)


def _has_table(path: Path) -> bool:
    try:
        document, _ = parse_toml(read_regular(str(path), _SIZE_LIMIT))
    except (UnreadableFileError, TomlError):
        return False
    tool = document.get("tool")
    return isinstance(tool, dict) and "resplint" in tool


def _defaults() -> dict[str, str]:
    """For each key that is no table, what holds without it, as it is written in TOML."""
    config = Config(rules={})
    values = {key.name: getattr(config, key.field) for key in KEYS if not key.is_table}
    return {name: in_toml(value) for name, value in values.items() if value is not None}


def in_toml(value: object) -> str:
    """A default of the configuration as it is written in TOML."""
    if isinstance(value, (Level, Precision)):
        return f'"{value.value}"'
    if isinstance(value, tuple):
        return "[" + ", ".join(f'"{each}"' for each in value) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)


# -- the tools around it ----------------------------------------------------------------------------------------------


def _hooks(found: Survey, config: str) -> Step:
    path = found.top / HOOKS
    if found.mentions(HOOKS, texts.REPOSITORY):
        return Step(path, "keep", why="it runs resplint")
    if HOOKS in found.texts:
        return Step(path, "paste", texts.pre_commit_hook(_scanned(found), config), why="below repos:")
    return _written(path, "create", texts.pre_commit_config(_scanned(found), config), found)


def _workflow(found: Survey, force: bool) -> Step:
    path = found.top / WORKFLOW
    text = texts.github_workflow(found.branch, _scanned(found))
    if WORKFLOW in found.texts:
        if force:
            return _written(path, "replace", text, found)
        return Step(path, "keep", why="it exists; --force replaces it")
    for name in found.texts:
        if name.startswith(".github/") and found.mentions(name, texts.REPOSITORY):
            return Step(found.top / name, "keep", why="it runs resplint")
    return _written(path, "create", text, found)


def _gitlab(found: Survey) -> Step:
    path = found.top / GITLAB
    if found.mentions(GITLAB, "resplint scan"):
        return Step(path, "keep", why="it runs resplint")
    return Step(path, "paste", texts.gitlab_job(_scanned(found)))


def _scanned(found: Survey) -> str:
    return found.folder.relative_to(found.top).as_posix()


def _written(path: Path, does: str, text: str, found: Survey, shown_text: str = "") -> Step:
    """The step that writes a file; links must not lead out of the repository."""
    if not is_inside(os.path.realpath(path), str(found.top)):
        raise UserError(f"{shown(str(path))}: a link leads out of the repository {shown(str(found.top))}.")
    return Step(path, does, text, shown_text)
