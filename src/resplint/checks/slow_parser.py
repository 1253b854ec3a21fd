"""RL207: replies are parsed in the language itself, as the parser in C is not among the dependencies."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.values import Ref
from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.dependencies import Declared
from resplint.contracts.findings import Finding, Level, Place, Precision, Step
from resplint.knowledge.records.client_records import ClientLibrary
from resplint.model.project import Project

RULE = "RL207"
_WITHOUT = "pypy"
"""What a manifest names that is for an interpreter on which extensions in C are slow."""


def check(project: Project) -> Iterator[Finding]:
    """Report each manifest that asks for the client without its parser in C, at the line that does."""
    return findings(decide(project))


def decide(project: Project) -> Iterator[Decision]:
    """The findings, and why other manifests are fine."""
    seen: set[Place] = set()
    for value in project.made:
        library = project.options.version_owner(value.origin.library)
        if value.made is None or not library.library.fast_parser:
            continue
        path = project.index(value.made).facts.path
        declared = project.declared(library, path)
        if declared is None or declared.place in seen:
            continue
        seen.add(declared.place)
        parser = library.library.fast_parser
        if parser in declared.extras or project.depends(path, parser, library.library.ecosystem):
            yield Silence(RULE, declared.place, f"{parser} is among the dependencies.")
        elif bringing := _bringing(project, path, parser):
            yield Silence(RULE, declared.place, f"{bringing} brings {parser} along.")
        elif _WITHOUT in declared.text.lower():
            yield Silence(RULE, declared.place, "The manifest speaks of PyPy, where a parser in C is slower.")
        else:
            yield _finding(project, library, declared, value.made)


def _bringing(project: Project, path: str, parser: str) -> str:
    """The title of a library among the dependencies of a file that comes with the parser: ``arq`` by itself,
    ``django-redis[hiredis]`` where it is asked for; "" if there is none.
    """
    for library in project.catalogue.libraries.values():
        declared = project.declared(library, path)
        if declared is not None and (parser in library.library.brings or parser in declared.extras):
            return library.library.title
    return ""


def _finding(project: Project, library: ClientLibrary, declared: Declared, made: Ref) -> Finding:
    section = library.library
    parser, name = section.fast_parser, section.distributions[0]
    message = (
        f"`{name}` is required without {parser}, so {section.title} parses replies with its slower parser. AWS "
        f"measured about 10 % more requests per second with {parser}; large replies gain more."
    )
    trail = (project.step(made, "a client whose replies are parsed"), Step(declared.place, "required here"))
    help_ = f"Require `{name}[{parser}]`: the client finds {parser} by itself, and the code stays as it is."
    return Finding(RULE, Level.NOTE, Precision.VERY_HIGH, message, declared.place, trail, help=help_)
