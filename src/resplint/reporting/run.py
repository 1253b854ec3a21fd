"""One run of a SARIF file, with what its results refer to by index or name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from urllib.parse import unquote_to_bytes

from resplint.output.escape import escape
from resplint.reporting.code import Sources, code_lines
from resplint.reporting.messages import clip, is_safe_link, parts, text_of
from resplint.reporting.records import Line, Rule, Spot, Step
from resplint.reporting.sarif import (
    ArtifactLocation,
    Component,
    Content,
    Descriptor,
    DescriptorReference,
    Location,
    Result,
    Run,
)

MAX_HELP = 50_000
_MAX_PATH = 1000
_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+:")
_UNKNOWN = "unknown"


class RunView:
    """What the results of a run need: rules, files, messages. `sources` may know the code that the file leaves out."""

    def __init__(self, run: Run, sources: Sources) -> None:
        self.run = run
        self._sources = sources
        self._rules: dict[str, Rule] = {}

    @property
    def tool(self) -> str:
        return escape(clip(self.run.tool.driver.name, 200))

    @property
    def version(self) -> str:
        driver = self.run.tool.driver
        return escape(clip(driver.version or driver.semantic_version or "", 100))

    @property
    def utf16(self) -> bool:
        """Whether columns count UTF-16 code units, which is what tools mean that say nothing."""
        return self.run.column_kind != "unicodeCodePoints"

    # -- rules ------------------------------------------------------------------------------------------------------

    def descriptor(self, result: Result) -> Descriptor | None:
        """The descriptor of a result's rule, by index or by name, in the driver or in an extension."""
        reference = result.rule or DescriptorReference()
        component = self._component(reference)
        for index in (result.rule_index, reference.index):
            if 0 <= index < len(component.rules):
                return component.rules[index]
        name = result.rule_id or reference.id or ""
        # "CA1000/1" is a special case of CA1000 (3.27.5).
        while name and (component.name, name) not in self._by_name:
            name = name.rpartition("/")[0]
        return self._by_name.get((component.name, name))

    def rule(self, result: Result, descriptor: Descriptor | None) -> Rule:
        """The rule as reports show it; results that name none share one."""
        given = result.rule_id or (result.rule.id if result.rule else None) or (descriptor.id if descriptor else None)
        name = given or _UNKNOWN
        if name not in self._rules:
            self._rules[name] = self._shown_rule(name, descriptor)
        return self._rules[name]

    def strings(self, descriptor: Descriptor | None) -> tuple[Mapping[str, Content], Mapping[str, Content]]:
        """Where messages of a result are looked up."""
        return (descriptor.message_strings if descriptor else {}, self.run.tool.driver.global_message_strings)

    def _shown_rule(self, name: str, descriptor: Descriptor | None) -> Rule:
        shown = escape(clip(name, 200))
        key = f"{self.tool}\n{shown}"
        if descriptor is None:
            return Rule(key, shown)
        about = descriptor.help or Content()
        uri = descriptor.help_uri or ""
        return Rule(
            key,
            shown,
            name=escape(clip(descriptor.name or "", 200)),
            title=_line(descriptor.short_description),
            summary=_line(descriptor.full_description),
            help_markdown=_paragraphs(about.markdown),
            help_text=_paragraphs(about.text),
            uri=uri if is_safe_link(uri) else "",
        )

    def _component(self, reference: DescriptorReference) -> Component:
        tool, wanted = self.run.tool, reference.tool_component
        if wanted is not None:
            if 0 <= wanted.index < len(tool.extensions):
                return tool.extensions[wanted.index]
            named = [each for each in tool.extensions if wanted.name and each.name == wanted.name]
            if named:
                return named[0]
        return tool.driver

    @cached_property
    def _by_name(self) -> Mapping[tuple[str, str], Descriptor]:
        components = (*reversed(self.run.tool.extensions), self.run.tool.driver)
        return {(component.name, rule.id): rule for component in components for rule in component.rules}

    # -- places -----------------------------------------------------------------------------------------------------

    def path(self, location: ArtifactLocation | None) -> str:
        """The path of a file as a person would write it, relative to the root of its run where that can be known."""
        if location is None:
            return ""
        uri = location.uri
        if uri is None and 0 <= location.index < len(self.run.artifacts):
            target = self.run.artifacts[location.index].location
            uri = target.uri if target else None
        return self._sources.relative(_path(uri or "", self._bases))

    def spot(self, location: Location | None) -> Spot:
        physical = location.physical_location if location else None
        if physical is None:
            return Spot()
        path, region = self.path(physical.artifact_location), physical.region
        if region is None:
            return Spot(path)
        numbers = (region.start_line, region.start_column, region.end_line, region.end_column)
        return Spot(path, *(max(0, number or 0) for number in numbers))

    def lines(self, location: Location | None) -> tuple[Line, ...]:
        physical = location.physical_location if location else None
        if physical is None:
            return ()
        return code_lines(physical, self.source(self.path(physical.artifact_location)), utf16=self.utf16)

    def source(self, path: str) -> Mapping[int, str]:
        return self._sources.lines(path)

    def step(self, location: Location | None) -> Step:
        text = text_of(location.message if location else None, self.run.tool.driver.global_message_strings)
        spot, lines = self.spot(location), self.lines(location)
        return Step(parts(text), spot, lines)

    def symbol(self, location: Location | None) -> str:
        """The qualified name of the definition that a place lies in, if the file tells it."""
        for logical in location.logical_locations if location else ():
            indexed = self.run.logical_locations
            known = indexed[logical.index] if 0 <= logical.index < len(indexed) else logical
            name = logical.fully_qualified_name or known.fully_qualified_name or logical.name or known.name
            if name:
                return escape(clip(name, 300))
        return ""

    @cached_property
    def _bases(self) -> tuple[str, ...]:
        given = (location.uri for location in self.run.original_uri_base_ids.values())
        return tuple(sorted({uri for uri in given if uri and _SCHEME.match(uri)}, key=len, reverse=True))


def _path(uri: str, bases: tuple[str, ...]) -> str:
    for base in bases:
        if uri.startswith(base):
            uri = uri[len(base) :].lstrip("/")
            break
    if uri.lower().startswith("file:"):
        uri = uri[len("file:") :]
        uri = "/" + uri.lstrip("/") if uri.startswith(("///", "//localhost/")) else uri
    decoded = unquote_to_bytes(uri).decode("utf-8", "surrogateescape") if "%" in uri else uri
    return escape(clip(decoded.removeprefix("./"), _MAX_PATH))


def _line(content: Content | None) -> str:
    return escape(clip(" ".join((content.text or "").split()), 1000)) if content else ""


def _paragraphs(text: str | None) -> str:
    return "\n".join(escape(line, keep_tabs=True) for line in (text or "")[:MAX_HELP].splitlines())
