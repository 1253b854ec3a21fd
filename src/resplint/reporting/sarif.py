"""The part of SARIF 2.1.0 that reports are made of; whatever else a file holds is passed over.

Names and meanings are those of the standard. Everything that it makes optional is optional here.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Level = Literal["none", "note", "warning", "error"]


class _Object(msgspec.Struct, frozen=True, rename="camel"):
    pass


class Message(_Object, frozen=True):
    text: str | None = None
    markdown: str | None = None
    id: str | None = None
    arguments: tuple[str, ...] = ()


class Content(_Object, frozen=True):
    """artifactContent, multiformatMessageString: what has a text."""

    text: str | None = None
    markdown: str | None = None


class Region(_Object, frozen=True):
    start_line: int | None = None
    start_column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    snippet: Content | None = None


class ArtifactLocation(_Object, frozen=True):
    uri: str | None = None
    uri_base_id: str | None = None
    index: int = -1


class PhysicalLocation(_Object, frozen=True):
    artifact_location: ArtifactLocation | None = None
    region: Region | None = None
    context_region: Region | None = None
    properties: dict[str, Any] = {}


class LogicalLocation(_Object, frozen=True):
    name: str | None = None
    fully_qualified_name: str | None = None
    index: int = -1


class Location(_Object, frozen=True):
    id: int = -1
    physical_location: PhysicalLocation | None = None
    logical_locations: tuple[LogicalLocation, ...] = ()
    message: Message | None = None


class ThreadFlowLocation(_Object, frozen=True):
    index: int = -1
    location: Location | None = None


class ThreadFlow(_Object, frozen=True):
    locations: tuple[ThreadFlowLocation, ...] = ()


class CodeFlow(_Object, frozen=True):
    thread_flows: tuple[ThreadFlow, ...] = ()


class Replacement(_Object, frozen=True):
    deleted_region: Region
    inserted_content: Content | None = None


class ArtifactChange(_Object, frozen=True):
    artifact_location: ArtifactLocation
    replacements: tuple[Replacement, ...] = ()


class Fix(_Object, frozen=True):
    description: Message | None = None
    artifact_changes: tuple[ArtifactChange, ...] = ()


class Suppression(_Object, frozen=True):
    kind: str
    status: str | None = None
    justification: str | None = None


class ComponentReference(_Object, frozen=True):
    name: str | None = None
    index: int = -1


class DescriptorReference(_Object, frozen=True):
    id: str | None = None
    index: int = -1
    tool_component: ComponentReference | None = None


class Configuration(_Object, frozen=True):
    level: Level = "warning"


class Descriptor(_Object, frozen=True):
    """A rule, or a kind of notification."""

    id: str
    name: str | None = None
    short_description: Content | None = None
    full_description: Content | None = None
    help: Content | None = None
    help_uri: str | None = None
    message_strings: dict[str, Content] = {}
    default_configuration: Configuration | None = None
    properties: dict[str, Any] = {}


class Component(_Object, frozen=True):
    name: str
    version: str | None = None
    semantic_version: str | None = None
    rules: tuple[Descriptor, ...] = ()
    global_message_strings: dict[str, Content] = {}


class Tool(_Object, frozen=True):
    driver: Component
    extensions: tuple[Component, ...] = ()


class Notification(_Object, frozen=True):
    message: Message
    level: Level = "warning"
    descriptor: DescriptorReference | None = None
    locations: tuple[Location, ...] = ()


class Invocation(_Object, frozen=True):
    execution_successful: bool = True
    tool_execution_notifications: tuple[Notification, ...] = ()
    tool_configuration_notifications: tuple[Notification, ...] = ()


class Result(_Object, frozen=True):
    message: Message
    rule_id: str | None = None
    rule_index: int = -1
    rule: DescriptorReference | None = None
    kind: str = "fail"
    level: Level | None = None
    locations: tuple[Location, ...] = ()
    related_locations: tuple[Location, ...] = ()
    code_flows: tuple[CodeFlow, ...] = ()
    fixes: tuple[Fix, ...] = ()
    suppressions: tuple[Suppression, ...] | None = None
    baseline_state: str | None = None
    fingerprints: dict[str, str] = {}
    partial_fingerprints: dict[str, str] = {}
    rank: float = -1.0
    properties: dict[str, Any] = {}


class Artifact(_Object, frozen=True):
    location: ArtifactLocation | None = None


class RunDetails(_Object, frozen=True):
    id: str | None = None


class Run(_Object, frozen=True):
    tool: Tool
    results: tuple[Result, ...] | None = None
    """None (also `null` in the file): the tool did not get as far as looking."""
    invocations: tuple[Invocation, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    logical_locations: tuple[LogicalLocation, ...] = ()
    thread_flow_locations: tuple[ThreadFlowLocation, ...] = ()
    original_uri_base_ids: dict[str, ArtifactLocation] = {}
    automation_details: RunDetails | None = None
    column_kind: str | None = None
    external_property_file_references: dict[str, Any] = {}


class Log(_Object, frozen=True):
    version: Literal["2.1.0"]
    runs: tuple[Run, ...]
