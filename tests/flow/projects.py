"""Small projects whose files are texts in memory, linked, and what their expressions stand for, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from resplint.bind.index import FileIndex
from resplint.bind.modules import ModuleTable
from resplint.bind.values import (
    ClassValue,
    CollectionMethod,
    CollectionValue,
    Const,
    External,
    ExternalObject,
    FunctionValue,
    Instance,
    LibraryMethod,
    LibraryObject,
    LoopValue,
    Module,
    ParameterValue,
    Ref,
    Reply,
    Text,
    Value,
)
from resplint.config.loading import Config
from resplint.contracts import facts
from resplint.contracts.facts import NONE, FileFacts
from resplint.flow.graph import Graph
from resplint.knowledge.catalogue import Catalogue
from resplint.knowledge.client_versions import AssumedVersion
from resplint.knowledge.load import load_book
from resplint.knowledge.records.client_records import ClientLibrary
from resplint.languages import lower
from resplint.model.project import Project
from resplint.scan.linking import load_catalogue

SUFFIXES = {
    "py": "python", "java": "java", "kt": "kotlin", "js": "javascript", "mjs": "javascript", "cjs": "javascript",
    "ts": "typescript", "tsx": "typescript",
}  # fmt: skip


@cache
def catalogue() -> Catalogue:
    """All knowledge of the rules folder."""
    return load_catalogue(Config(rules={code: info.name for code, info in load_book().items()}))


def newest(library: ClientLibrary, path: str) -> AssumedVersion:
    """The newest known version of a library, wherever it is used."""
    return AssumedVersion(library.library.name, library.library.versions[-1], "none")


def lowered(path: str, text: str) -> FileFacts:
    """The facts of a text."""
    found = lower(path, SUFFIXES[path.rsplit(".", 1)[-1]], text.encode(), budget_s=60)
    assert found.facts is not None, f"{path}: {found.reason}"
    return found.facts


def linked(files: Iterable[FileFacts], known: Catalogue | None = None) -> Project:
    """A project of these files, all of them selected."""
    known = known or catalogue()
    chosen = list(files)
    return Project(chosen, ModuleTable([file.path for file in chosen], known.foreign), lambda path: None, known, newest)


class Small:
    """A project of a few texts, by path."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = dict(texts)
        self.project = linked(lowered(path, text) for path, text in texts.items())

    @property
    def graph(self) -> Graph:
        """The value flow of the project."""
        return self.project.ev

    def index(self, path: str) -> FileIndex:
        """The file at a path."""
        found = self.graph.store.by_path(path)
        assert found is not None, path
        return found

    def code(self, path: str, number: int) -> str:
        """The source of an expression."""
        expr = self.index(path).facts.exprs[number]
        return self.texts[path].encode()[expr.start : expr.end].decode()

    def expression(self, path: str, line: int, code: str) -> Ref:
        """The first expression on a line with this source."""
        index = self.index(path)
        found = [
            (expr.start, number)
            for number, expr in enumerate(index.facts.exprs)
            if index.facts.line(expr.start) == line and self.code(path, number) == code
        ]
        assert found, f"no expression {code!r} on line {line} of {path}"
        return (index.number, min(found)[1])

    def answer(self, path: str, line: int, code: str) -> str:
        """What an expression stands for, in words, sorted."""
        ref = self.expression(path, line, code)
        return answer(self.graph, self.graph.values(*ref), ref[0])


def answer(graph: Graph, values: Iterable[Value], file: int) -> str:
    """Values in words, sorted."""
    return " | ".join(sorted({describe(graph, value, file) for value in values}))


def describe(graph: Graph, value: Value, file: int = NONE) -> str:
    """A value in words: what it is, and in brackets the line that makes it, with the path if that is another file."""
    match value:
        case LibraryObject():
            return _last(value.origin.type.name) + _place(graph, value.made, file)
        case LibraryMethod():
            return f"{describe(graph, value.object, file)}.{value.name}"
        case Const():
            return repr(value.value)
        case Text():
            return "text" + _place(graph, value.ref, file)
        case FunctionValue():
            return f"{_name(graph, value.file, value.scope)}()"
        case ClassValue():
            return f"class {_name(graph, value.file, value.scope)}"
        case Instance():
            return _name(graph, value.file, value.scope) + _place(graph, value.made, file)
        case CollectionValue():
            expr = graph.store.expr(value.ref) if value.ref[1] >= 0 else None
            kind = expr.kind if isinstance(expr, facts.Collection) else "collection"
            return kind + _place(graph, value.ref, file)
        case CollectionMethod():
            return f"{describe(graph, value.collection, file)}.{value.name}"
        case External() | ExternalObject():
            return value.dotted
        case Module():
            return f"module {value.dotted}"
        case ParameterValue():
            record = graph.store.files[value.file].facts.scopes[value.scope]
            return f"parameter {record.parameters[value.index].name}"
        case LoopValue():
            return "element" + _place(graph, value.ref, file)
        case Reply():
            return "reply" + _place(graph, value.ref, file)
    return "?"


def _last(dotted: str) -> str:
    return dotted.replace("/", ".").rsplit(".", 1)[-1]


def _name(graph: Graph, file: int, scope: int) -> str:
    return graph.store.files[file].facts.scopes[scope].name or "function"


def _place(graph: Graph, ref: Ref | None, file: int) -> str:
    if ref is None:
        return ""
    index = graph.store.files[ref[0]]
    number = ref[1]
    if number < NONE - len(index.facts.scopes):
        return ""  # what a function collects of its arguments
    start = index.facts.exprs[number].start if number >= 0 else index.facts.scopes[-2 - number].start
    line = index.facts.line(start)
    return f"({line})" if ref[0] == file else f"({index.facts.path}:{line})"
