"""What the editor at the other end can do, and what its user wants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lsprotocol import types
from pygls.capabilities import get_capability

from resplint.contracts.findings import Level

_DIAGNOSTICS = ("auto", "open", "workspace")


@dataclass(frozen=True)
class Client:
    """Abilities of the editor, as it declared them.

    `pulls` is true only if it can also be asked to pull again: findings of one file change with other files.
    """

    pulls: bool = False
    shows_related: bool = False
    shows_code_pages: bool = False
    keeps_data: bool = False
    fades: bool = False
    reads_markdown: bool = False
    takes_actions: bool = False
    knows_preferred: bool = False
    resolves_edits: bool = False
    versions_edits: bool = False
    watches_files: bool = False
    shows_progress: bool = False
    shows_status: bool = False


def abilities(capabilities: types.ClientCapabilities) -> Client:
    """The abilities that an editor declared in its `initialize` request."""

    def has(name: str) -> bool:
        return bool(get_capability(capabilities, name, False))

    def listed(name: str, wanted: object) -> bool:
        return wanted in (get_capability(capabilities, name, None) or ())

    def shows(name: str) -> bool:
        # Editors of the time before the pull model declare what they show for pushed diagnostics only.
        return has(f"text_document.publish_diagnostics.{name}") or (pulls and has(f"text_document.diagnostic.{name}"))

    pulls = capabilities.text_document is not None and capabilities.text_document.diagnostic is not None
    pulls = pulls and has("workspace.diagnostics.refresh_support")
    return Client(
        pulls=pulls,
        shows_related=shows("related_information"),
        shows_code_pages=shows("code_description_support"),
        keeps_data=shows("data_support"),
        fades=listed("text_document.publish_diagnostics.tag_support.value_set", types.DiagnosticTag.Unnecessary),
        reads_markdown=listed("text_document.hover.content_format", types.MarkupKind.Markdown),
        takes_actions=get_capability(capabilities, "text_document.code_action.code_action_literal_support") is not None,
        knows_preferred=has("text_document.code_action.is_preferred_support"),
        resolves_edits=has("text_document.code_action.data_support")
        and listed("text_document.code_action.resolve_support.properties", "edit"),
        versions_edits=has("workspace.workspace_edit.document_changes"),
        watches_files=has("workspace.did_change_watched_files.dynamic_registration"),
        shows_progress=has("window.work_done_progress"),
        shows_status=_declares(capabilities.experimental, "resplint", "status"),
    )


def _declares(given: Any, *names: str) -> bool:
    """Whether a field of nested objects that pygls made of JSON is true."""
    for name in names:
        table = dict(given) if isinstance(given, Mapping) else _fields(given)
        given = table.get(name) if table is not None else None
    return given is True


@dataclass(frozen=True)
class Options:
    """What the user set in the editor (`initializationOptions`).

    `diagnostics` says of which files findings are shown: "open", "workspace", or "auto": of the open ones, and of the
    whole workspace to an editor that asks for them. `level` is the lowest level that is shown, `config` a
    configuration file to use instead of the nearest one, relative to the workspace folder.
    """

    diagnostics: str = "auto"
    level: Level = Level.NOTE
    config: str = ""


def read_options(given: Any) -> tuple[Options, list[str]]:
    """The options of an `initialize` request, and what is wrong with it (whole sentences)."""
    if given is None:
        return Options(), []
    table = dict(given) if isinstance(given, Mapping) else _fields(given)
    if table is None:
        return Options(), ["initializationOptions: expected an object."]
    diagnostics, level, config = (table.pop(key, None) for key in ("diagnostics", "level", "config"))
    problems = [f"initializationOptions: unknown key {key!r}." for key in sorted(map(str, table))]
    levels = {each.value: each for each in Level}
    for key, value, known in (("diagnostics", diagnostics, _DIAGNOSTICS), ("level", level, tuple(levels))):
        if value is not None and value not in known:
            problems.append(f"initializationOptions: {key}: expected one of {', '.join(known)}, not {value!r}.")
    if config is not None and not isinstance(config, str):
        problems.append(f"initializationOptions: config: expected the path of a file, not {config!r}.")
    return Options(
        diagnostics=diagnostics if diagnostics in _DIAGNOSTICS else "auto",
        level=levels[level] if isinstance(level, str) and level in levels else Level.NOTE,
        config=config if isinstance(config, str) else "",
    ), problems


def _fields(given: Any) -> dict[str, Any] | None:
    """The fields of an object that pygls made of JSON."""
    return given._asdict() if hasattr(given, "_asdict") else None
