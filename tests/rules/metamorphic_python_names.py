"""Which mentions of a name in a Python file mean the same variable: what a renaming must change together."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.rules.metamorphic import Changed, Edit, Text

LIBRARIES = frozenset(
    {
        "redis",
        "valkey",
        "aioredis",
        "arq",
        "django_redis",
        "flask_redis",
        "coredis",
        "rediscluster",
        "upstash_redis",
        "scrapy_redis",
    }
)
"""Modules that the fixtures import a client from."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Source(Text):
    """A Python text with its tree, and character offsets for the tree's lines and UTF-8 columns."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.tree = ast.parse(text)

    def offset(self, line: int, column: int) -> int:
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def span(self, node: ast.expr | ast.stmt | ast.alias) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def code(self, node: ast.expr | ast.stmt | ast.alias) -> str:
        start, end = self.span(node)
        return self.text[start:end]


@dataclass
class _Scope:
    """A module, class, function or comprehension: what it binds, and how."""

    node: ast.AST
    parent: _Scope | None
    bound: set[str] = field(default_factory=set)
    fixed: set[str] = field(default_factory=set)
    """Bound by something other than an import or an assignment, or declared to belong elsewhere."""
    declared: dict[str, str] = field(default_factory=dict)

    @property
    def module(self) -> _Scope:
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def owner(self, name: str) -> _Scope | None:
        """The scope in which a name that is used here lives."""
        scope: _Scope | None = self
        if self.declared.get(name) == "global":
            return self.module if name in self.module.bound else None
        while scope is not None:
            hidden = isinstance(scope.node, ast.ClassDef) and scope is not self
            if not hidden and name in scope.bound and name not in scope.declared:
                return scope
            scope = scope.parent
        return None


class Names:
    """Which mentions of a name in a file mean the same variable."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.mentions: list[tuple[ast.Name, _Scope]] = []
        self.imports: list[tuple[ast.alias, str, ast.stmt, _Scope]] = []
        self.declarations: list[tuple[ast.Global | ast.Nonlocal, _Scope]] = []
        self.quoted: list[tuple[ast.Constant, _Scope]] = []
        """Annotations in quotes."""
        self._holes: dict[ast.AST, ast.AST] = {}
        self.module = _Scope(source.tree, None)
        for child in ast.iter_child_nodes(source.tree):
            self._visit(child, self.module)
        for declaration, _ in self.declarations:
            if isinstance(declaration, ast.Global):
                self.module.bound.update(declaration.names)

    def _visit(self, node: ast.AST, scope: _Scope) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            self._function(node, scope)
        elif isinstance(node, ast.ClassDef):
            scope.bound.add(node.name)
            scope.fixed.add(node.name)
            for outside in (*node.decorator_list, *node.bases, *node.keywords):
                self._visit(outside, scope)
            inner = _Scope(node, scope)
            for statement in node.body:
                self._visit(statement, inner)
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            inner = _Scope(node, scope)
            for child in ast.iter_child_nodes(node):
                self._visit(child, inner)
        else:
            self._note(node, scope)
            for name in ("annotation", "returns"):
                self._annotation(getattr(node, name, None), scope)
            for child in ast.iter_child_nodes(node):
                self._visit(child, scope)

    def _function(self, node: Function | ast.Lambda, scope: _Scope) -> None:
        inner = _Scope(node, scope)
        arguments = node.args
        parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        parameters += [each for each in (arguments.vararg, arguments.kwarg) if each]
        for parameter in parameters:
            inner.bound.add(parameter.arg)
            inner.fixed.add(parameter.arg)
            self._annotation(parameter.annotation, scope)
            if parameter.annotation:
                self._visit(parameter.annotation, scope)
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self._visit(default, scope)
        if isinstance(node, ast.Lambda):
            self._visit(node.body, inner)
            return
        scope.bound.add(node.name)
        scope.fixed.add(node.name)
        self._annotation(node.returns, scope)
        for outside in (*node.decorator_list, *([node.returns] if node.returns else [])):
            self._visit(outside, scope)
        for statement in node.body:
            self._visit(statement, inner)

    def _annotation(self, node: ast.AST | None, scope: _Scope) -> None:
        for part in ast.walk(node) if node is not None else ():
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                self.quoted.append((part, scope))

    def _note(self, node: ast.AST, scope: _Scope) -> None:
        if isinstance(node, ast.Name):
            self.mentions.append((node, scope))
            if isinstance(node.ctx, ast.Store):
                scope.bound.add(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                name = alias.asname or alias.name.split(".")[0]
                scope.bound.add(name)
                self.imports.append((alias, name, node, scope))
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            self.declarations.append((node, scope))
            for name in node.names:
                scope.declared[name] = "global" if isinstance(node, ast.Global) else "nonlocal"
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs)) and node.name:
            scope.bound.add(node.name)
            scope.fixed.add(node.name)
        elif isinstance(node, ast.JoinedStr):
            for part in ast.walk(node):
                self._holes.setdefault(part, node)

    def renaming(self, name: str, owner: _Scope, new: str) -> list[Edit] | None:
        """Edits that rename a variable everywhere; None if it also is something that must keep its name."""
        if name in owner.fixed or isinstance(owner.node, ast.ClassDef):
            return None
        edits: list[Edit] = []
        for mention, scope in self.mentions:
            if mention.id == name and scope.owner(name) is owner:
                edits += self._mention(mention, new)
        for alias, bound, statement, scope in self.imports:
            if bound == name and (scope.owner(name) is owner):
                edit = self._import(alias, statement, new)
                if edit is None:
                    return None
                edits.append(edit)
        for declaration, scope in self.declarations:
            if name in declaration.names and self._declared(scope, name) is owner:
                edits += self._inside(declaration, name, new)
        for constant, scope in self.quoted:
            if scope.owner(name) is owner:
                edits += self._inside(constant, name, new)
        return edits

    def _declared(self, scope: _Scope, name: str) -> _Scope | None:
        if scope.declared[name] == "global":
            return self.module
        return scope.parent.owner(name) if scope.parent else None

    def _mention(self, mention: ast.Name, new: str) -> list[Edit]:
        text = self._holes.get(mention)
        if text is None:
            return [(*self.source.span(mention), new)]
        assert isinstance(text, ast.JoinedStr)
        # Before Python 3.12 names in an f-string do not know where they stand.
        return self._inside(text, mention.id, new)

    def _import(self, alias: ast.alias, statement: ast.stmt, new: str) -> Edit | None:
        _, end = self.source.span(alias)
        if alias.name == "*" or (isinstance(statement, ast.Import) and not alias.asname and "." in alias.name):
            return None
        if alias.asname:
            return (end - len(alias.asname), end, new)
        return (end, end, f" as {new}")

    def _inside(self, node: ast.expr | ast.stmt, name: str, new: str) -> list[Edit]:
        start, end = self.source.span(node)
        pattern = rf"(?<![\w.]){re.escape(name)}(?!\w)"
        if isinstance(node, ast.JoinedStr):
            pattern = rf"(?<=\{{){re.escape(name)}(?!\w)"
        return [
            (start + found.start(), start + found.end(), new)
            for found in re.finditer(pattern, self.source.text[start:end])
        ]


def foreign_names(texts: Iterable[str]) -> frozenset[str]:
    """Names that files may take from a neighbour: imported ones, and members of modules of their own."""
    found: set[str] = set()
    for text in texts:
        tree = ast.parse(text)
        local: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and not of_library(node):
                found.update(alias.name for alias in node.names)
                if any(alias.name == "*" for alias in node.names):
                    found.update(name.id for name in ast.walk(tree) if isinstance(name, ast.Name))
                local.update(alias.asname or alias.name for alias in node.names)
            elif isinstance(node, ast.Import):
                names = [alias for alias in node.names if alias.name.split(".")[0] not in LIBRARIES]
                local.update((alias.asname or alias.name).split(".")[0] for alias in names)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and root_name(node) in local:
                found.add(node.attr)
    return frozenset(found)


def of_library(node: ast.ImportFrom) -> bool:
    return not node.level and (node.module or "").split(".")[0] in LIBRARIES


def root_name(node: ast.AST) -> str:
    while isinstance(node, (ast.Attribute, ast.Call, ast.Await, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def exported(tree: ast.Module) -> set[str]:
    """Names in `__all__`, which must keep theirs."""
    return {
        part.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and any(isinstance(each, ast.Name) and each.id == "__all__" for each in node.targets)
        for part in ast.walk(node.value)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    }


def renamed(source: Source, edits: list[Edit], renames: dict[str, str]) -> Changed:
    """The edited text, after a look whether nothing but names changed."""
    changed = source.edited(edits)
    old, new = (_shape(ast.parse(text), renames) for text in (source.text, changed.text))
    assert old == new, "the renaming changed more than names"
    return changed


def _shape(tree: ast.AST, renames: dict[str, str]) -> str:
    back = {new: old for old, new in renames.items()}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = back.get(node.id, node.id)
        elif isinstance(node, ast.alias):
            node.asname = None
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            node.names = [back.get(name, name) for name in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = re.sub("|".join(map(re.escape, back)) or r"(?!)", lambda found: back[found[0]], node.value)
    return ast.dump(tree)
