"""Values of expressions in words."""

from __future__ import annotations

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
    Reply,
    Text,
    Value,
)
from resplint.model.project import Project


def in_words(project: Project, value: Value) -> str:
    """What a value is, for a reader of the code."""
    match value:
        case LibraryObject():
            made = (
                f" made in {project.spot(value.made)}" if value.made is not None else ", known by its type or its use"
            )
            return f"{value.kind} {value.origin.type.name}{made}"
        case LibraryMethod():
            return f"method {value.name} of {in_words(project, value.object)}"
        case Const():
            if project.place(value.ref) in project.secret_places:
                return "a password, which is not shown"
            return f"the constant {value.value!r}"
        case Text():
            return "text that is put together"
        case FunctionValue():
            return f"function {_named(project, value.file, value.scope)}"
        case ClassValue():
            return f"class {_named(project, value.file, value.scope)}"
        case Instance():
            made = f" made in {project.spot(value.made)}" if value.made is not None else ""
            return f"object of class {_named(project, value.file, value.scope)}{made}"
        case CollectionValue() | CollectionMethod():
            return "a collection"
        case External() | ExternalObject():
            return f"{value.dotted}, outside the project"
        case Module():
            return f"module {value.dotted}"
        case ParameterValue():
            scope = project.store.files[value.file].facts.scopes[value.scope]
            name = scope.parameters[value.index].name
            return f"parameter {name} of {_named(project, value.file, value.scope)}, for which no caller is known"
        case LoopValue():
            return "an element of the data that a loop runs over"
        case Reply():
            return "what a command answered"
    return "something of which nothing is known"


def _named(project: Project, file: int, scope: int) -> str:
    index = project.store.files[file]
    name = index.qualified_name(scope) or "without a name"
    return f"{name} ({index.facts.path}:{index.facts.line(index.facts.scopes[scope].start)})"
