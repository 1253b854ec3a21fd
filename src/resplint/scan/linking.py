"""The knowledge of a scan, and its selected files linked to a project."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial

from resplint.application import SettingsIndex
from resplint.bind.modules import ModuleTable
from resplint.config.loading import Config
from resplint.contracts.facts import FileFacts
from resplint.knowledge import load as knowledge
from resplint.knowledge.catalogue import Catalogue, Factory, top_level_modules
from resplint.languages import LANGUAGES
from resplint.model.project import Project
from resplint.scan.assumed_versions import AssumedVersions
from resplint.scan.doors import Doors
from resplint.scan.kept.sought import Question, Sought
from resplint.scan.request import ScanRequest, ScanState
from resplint.scan.selecting import lower

_FOLLOWING = "Looking for files that are handed a client"
_latest: list[Catalogue] = []
"""At most one: for the next scan of this process, which hardly ever has another configuration."""


def load_catalogue(config: Config) -> Catalogue:
    """What is known of libraries, commands and languages, and what the configuration adds. Raises `KnowledgeError`."""
    factories = {dotted: Factory(one.client, one.options) for dotted, one in config.client_factories.items()}
    roles = {name: knowledge.load_roles(name) for name in LANGUAGES}
    libraries, commands = knowledge.load_libraries(), knowledge.load_commands()
    for known in _latest:
        same = known.libraries is libraries and known.commands is commands and known.factories == factories
        if same and all(known.roles[name] is one for name, one in roles.items()):
            known.forget()
            return known
    foreign = frozenset(name for language in LANGUAGES.values() for name in language.standard_modules)
    dotted = [one for one in roles.values() if one.words.resolver == "dotted"]
    modules = frozenset(name for one in dotted for name in top_level_modules(one))
    catalogue = Catalogue(libraries, commands, roles, foreign | modules, factories)
    _latest[:] = [catalogue]
    return catalogue


def _load(state: ScanState, path: str) -> FileFacts | None:
    """Facts of a file that the linker needs although it does not name Redis."""
    if path in state.facts or state.remember(path):
        return state.facts.get(path)
    data = state.source(path)
    if data is None or path in state.failed:
        return None
    state.keep(state.on_demand.lower(path, state.files[path].language, data))
    return state.facts.get(path)


def link_selection(
    state: ScanState,
    request: ScanRequest,
    selected: set[str],
    catalogue: Catalogue,
    versions: AssumedVersions,
    settings: SettingsIndex | None = None,
) -> tuple[Project, set[str]]:
    """Link what was lowered, and what clients lead to from there. Says which files belong to it: those `selected`, and
    those that a client, or what leads to one, comes to.
    """
    modules = state.modules or ModuleTable(state.files, catalogue.foreign, state.aliases)
    known = settings or SettingsIndex(str(state.root), tuple(state.files))
    first = set(state.facts)
    state.sought = Sought(frozenset(first))
    around = _Surroundings(versions, known, state)
    project = _project(state, first, modules, catalogue, versions, around)
    doors = Doors(state, project.ways_out, first, modules, lambda paths: _lower(state, paths, request))
    runtimes = {name: roles.words.runtime for name, roles in catalogue.roles.items()}
    project.ev.grows = True
    reached = _followed(state, doors, runtimes)
    count = len(project.store.loaded)
    if state.deadline.limited(_FOLLOWING, project.ev.all_is_read, False):
        reached = _followed(state, doors, runtimes)
    selected = {path for path in selected | reached if path in state.facts}
    if count == len(project.store.loaded) and state.deadline.limited(_FOLLOWING, project.ev.stands, True):
        project.store.judge(selected)
    else:  # what was read last may speak against what was taken for granted first
        project = _project(state, selected, modules, catalogue, versions, around)
    state.facts.pack(sorted(state.facts.keys() - selected))
    state.at_hand.clear()
    state.room = 0
    return project, selected


def _lower(state: ScanState, paths: list[str], request: ScanRequest) -> None:
    lower(state, paths, request)


def _followed(state: ScanState, doors: Doors, runtimes: Mapping[str, str]) -> set[str]:
    """Files that clients come to; none if it takes too long to tell, even where no deadline is asked for."""
    return state.deadline.limited(_FOLLOWING, partial(doors.follow, runtimes), set())


def _project(
    state: ScanState,
    selected: set[str],
    modules: ModuleTable,
    catalogue: Catalogue,
    versions: AssumedVersions,
    around: _Surroundings,
) -> Project:
    chosen = [state.facts[path] for path in sorted(selected) if path in state.facts]
    return Project(chosen, modules, lambda path: _load(state, path), catalogue, versions, around)


class _Surroundings:
    """The application's settings, the project's dependencies and the time there is, for the linker."""

    def __init__(self, versions: AssumedVersions, settings: SettingsIndex, state: ScanState) -> None:
        self.depends = versions.depends
        self.declared = versions.declared
        self.server_version = versions.server
        self.settings = settings.get
        self.every_setting = settings.every
        self.beans = settings.beans
        self.property_texts = settings.property_texts
        self.is_over = partial(state.deadline.passed, "Following values to their origin")
        self._state = state

    def mentions(self, path: str, texts: tuple[str, ...]) -> bool:
        """Whether one of the texts stands in a file."""
        data, asked = self._state.peek(path), Question(tuple(os.fsencode(text) for text in texts), star=False)
        answer = data is not None and asked.of(data)
        assert self._state.sought is not None
        self._state.sought.questions.setdefault(path, []).append((asked, answer))
        return answer
