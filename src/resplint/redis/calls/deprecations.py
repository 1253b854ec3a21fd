"""Deprecated commands that code chose itself, and methods that client libraries give up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from resplint.bind.index import parts
from resplint.bind.values import LibraryMethod, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.knowledge.client_versions import AssumedVersion
from resplint.knowledge.ranges import version_in
from resplint.knowledge.records.client_records import DeprecatedModel, ReplacementModel
from resplint.redis.usage import CommandSite

_WITH_PARENTS = "maven"
"""Where a dependency without a version has that of a parent or a platform."""


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A call of a method that its library gives up, in the version that is in use."""

    ref: Ref
    method: LibraryMethod
    model: DeprecatedModel
    version: AssumedVersion


class Deprecations:
    """Looks them up in what is known of commands and libraries."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator

    def replacement(self, site: CommandSite, file: int) -> ReplacementModel | None:
        """How the library that sends a command writes what took its place; None if it has nothing else."""
        version = self._ev.version(site.receiver, file).version
        call = self._ev.store.expr(site.ref)
        given = len(call.arguments) if isinstance(call, facts.Call) else -1
        for one in site.receiver.origin.library.replacement:
            if site.command in one.commands and version_in(version, one.versions):
                if (not one.names or site.name in one.names) and one.given in (-1, given):
                    return one
        return None

    def is_named_after(self, site: CommandSite) -> bool:
        """Whether the method that sends a command has its name, so that whoever calls it means that command."""
        return self.is_named(site) or _plain(site.name).startswith(_plain(site.command))

    def is_named(self, site: CommandSite) -> bool:
        """Whether the code names a command as a word, and calls no method of its own for it."""
        return site.method.raw_index >= 0 or not isinstance(self._ev.store.expr(site.ref), facts.Call)

    def is_since(self, server: str, version: str) -> bool:
        """Whether a version of the server is this one or a later one."""
        return version_in(server, f">={version}")

    def methods(self) -> Iterator[GivenUp]:
        """Calls of methods that are given up, by place."""
        names = {
            name
            for library in self._ev.catalogue.libraries.values()
            for one in library.deprecated
            for name in one.names
        }
        for ref in self._ev.touching():
            for token in self._ev.edges.calls.sites.get(ref, ()):
                method = self._ev.flow.values[token]
                if isinstance(method, LibraryMethod) and method.name in names:
                    version = self._ev.version(method.object, ref[0])
                    model = self._model(method, version.version)
                    if model is None or _is_settled_elsewhere(method, model, version):
                        continue
                    if not model.method or not self._is_fallback(ref, model.method):
                        yield GivenUp(ref, method, model, version)

    def _is_fallback(self, ref: Ref, successor: str) -> bool:
        """Whether a call is for objects only that have no method of another name: ``else: client.close()`` behind ``if
        hasattr(client, "aclose")``, or behind a test of what ``getattr(client, "aclose", None)`` gave.
        """
        index = self._ev.store.files[ref[0]]
        for number in index.enclosing_blocks(index.facts.exprs[ref[1]].block):
            block = index.facts.blocks[number]
            tests = index.clauses.get(("if", block.group), ()) if block.kind == "else" else ()
            asked = [one for test in tests for one in parts(index.facts.exprs, index.facts.blocks[test].head)]
            for one in tuple(asked):
                name = index.facts.exprs[one]
                if isinstance(name, facts.Name):
                    bound = index.bindings.get((index.owner(name.name, index.scope_of(name.block)), name.name), ())
                    asked += [
                        part for each in bound if each.value != NONE for part in parts(index.facts.exprs, each.value)
                    ]
            said = [index.facts.exprs[one] for one in asked]
            if any(isinstance(one, facts.Literal) and one.value == successor for one in said):
                return True
        return False

    def _model(self, method: LibraryMethod, version: str) -> DeprecatedModel | None:
        origin = method.object.origin
        owners = {*self._ev.catalogue.line(origin.library.library.name, origin.type), *origin.type.also}
        for one in origin.library.deprecated:
            if method.name in one.names and (not one.of or not owners.isdisjoint(one.of)):
                if version_in(version, one.versions):
                    return one
        return None


def _is_settled_elsewhere(method: LibraryMethod, model: DeprecatedModel, version: AssumedVersion) -> bool:
    """Whether a version that nobody named need not be the newest: Maven and Gradle take none by themselves, so that a
    parent, a platform or a file beside the code settles it; and what is gone in the newest works in the one in use.
    """
    if version.is_named:
        return False
    return model.removed or method.object.origin.library.library.ecosystem == _WITH_PARENTS


def _plain(name: str) -> str:
    return name.replace("_", "").replace(" ", "").lower()
