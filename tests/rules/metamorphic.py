"""Changes to source text whose meaning is known: what they must leave alone, and what they must silence.

Each change takes the text of a Python file and returns the changed text with, for every line, its number
after the change. The standard library's `ast` and `tokenize` say where things stand; the text in between,
comments and marks too, stays as it is.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

LIBRARIES = frozenset({"redis", "valkey", "aioredis", "django_redis", "coredis", "rediscluster"})
"""Modules that the fixtures import a client from."""

_INDENT = "    "
_PATHS = re.compile(
    r"\bdjango\.core\.cache\.backends\.redis\b|\b(?:aioredis|coredis|django_redis|rediscluster|redis|valkey)(?=\.[A-Za-z])"
)

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Owner = ast.AST
_Edit = tuple[int, int, str]
"""Replace the characters from start to end."""


@dataclass(frozen=True)
class Changed:
    """A changed text; `lines[n]` is the number that line n + 1 has now."""

    text: str
    lines: tuple[int, ...]

    def line(self, original: int) -> int:
        return self.lines[original - 1]


@dataclass(frozen=True)
class Setting:
    """What other files of the same fixture mean to a file: the names that they take from it, perhaps."""

    foreign: frozenset[str] = frozenset()


Change = Callable[[str, Setting], Changed]


# -- text ----------------------------------------------------------------------------------------------------


class Source:
    """A text with its tree, and character offsets for the tree's lines and UTF-8 columns."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)
        self.lines = text.splitlines(keepends=True)
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line))

    def offset(self, line: int, column: int) -> int:
        return self._starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def span(self, node: ast.expr | ast.stmt | ast.alias) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def code(self, node: ast.expr | ast.stmt | ast.alias) -> str:
        start, end = self.span(node)
        return self.text[start:end]

    def edited(self, edits: Iterable[_Edit]) -> Changed:
        """The text after edits that leave all line ends where they are."""
        text = self.text
        for start, end, new in sorted(set(edits), reverse=True):
            text = text[:start] + new + text[end:]
        return Changed(text, tuple(range(1, len(self.lines) + 1)))

    def with_lines(self, above: dict[int, list[str]], indents: dict[int, str] | None = None) -> Changed:
        """The text with new lines above some lines and more indentation for some."""
        written: list[str] = []
        numbers = []
        for number, line in enumerate(self.lines, 1):
            written += above.get(number, [])
            indent = (indents or {}).get(number, "")
            written.append(indent + line if line.strip() else line)
            numbers.append(len(written))
        return Changed("".join(written), tuple(numbers))


# -- names ---------------------------------------------------------------------------------------------------


@dataclass
class _Scope:
    """A module, class, function or comprehension: what it binds, and how."""

    node: _Owner
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

    def _function(self, node: _Function | ast.Lambda, scope: _Scope) -> None:
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

    def renaming(self, name: str, owner: _Scope, new: str) -> list[_Edit] | None:
        """Edits that rename a variable everywhere; None if it also is something that must keep its name."""
        if name in owner.fixed or isinstance(owner.node, ast.ClassDef):
            return None
        edits: list[_Edit] = []
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

    def _mention(self, mention: ast.Name, new: str) -> list[_Edit]:
        text = self._holes.get(mention)
        if text is None:
            return [(*self.source.span(mention), new)]
        assert isinstance(text, ast.JoinedStr)
        # Before Python 3.12 names in an f-string do not know where they stand.
        return self._inside(text, mention.id, new)

    def _import(self, alias: ast.alias, statement: ast.stmt, new: str) -> _Edit | None:
        _, end = self.source.span(alias)
        if alias.name == "*" or (isinstance(statement, ast.Import) and not alias.asname and "." in alias.name):
            return None
        if alias.asname:
            return (end - len(alias.asname), end, new)
        return (end, end, f" as {new}")

    def _inside(self, node: ast.expr | ast.stmt, name: str, new: str) -> list[_Edit]:
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
            if isinstance(node, ast.ImportFrom) and not _of_library(node):
                found.update(alias.name for alias in node.names)
                local.update(alias.asname or alias.name for alias in node.names)
            elif isinstance(node, ast.Import):
                names = [alias for alias in node.names if alias.name.split(".")[0] not in LIBRARIES]
                local.update((alias.asname or alias.name).split(".")[0] for alias in names)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and _root(node) in local:
                found.add(node.attr)
    return frozenset(found)


def _of_library(node: ast.ImportFrom) -> bool:
    return not node.level and (node.module or "").split(".")[0] in LIBRARIES


def _root(node: ast.AST) -> str:
    while isinstance(node, (ast.Attribute, ast.Call, ast.Await, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _exported(tree: ast.Module) -> set[str]:
    """Names in `__all__`, which must keep theirs."""
    return {
        part.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and any(isinstance(each, ast.Name) and each.id == "__all__" for each in node.targets)
        for part in ast.walk(node.value)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    }


def _renamed(source: Source, edits: list[_Edit], renames: dict[str, str]) -> Changed:
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


# -- changes that keep every finding -------------------------------------------------------------------------


def alias_imports(text: str, setting: Setting) -> Changed:
    """`import redis` becomes `import redis as rds_lib`, `from redis import Redis` names it Client0."""
    source = Source(text)
    names = Names(source)
    keep = setting.foreign | _exported(source.tree)
    edits: list[_Edit] = []
    renames: dict[str, str] = {}
    seen: set[tuple[str, int]] = set()
    for _, bound, statement, scope in names.imports:
        owner = scope.owner(bound)
        if owner is None or not _imports_library(statement) or (bound, id(owner)) in seen:
            continue
        seen.add((bound, id(owner)))
        if owner is names.module and bound in keep:
            continue
        new = renames.get(bound) or (
            "rds_lib"
            if isinstance(statement, ast.Import) and "rds_lib" not in renames.values()
            else f"Client{len(renames)}"
        )
        more = names.renaming(bound, owner, new)
        if more is not None:
            edits += more
            renames[bound] = new
    return _renamed(source, edits, renames)


def _imports_library(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.ImportFrom):
        return _of_library(statement)
    return isinstance(statement, ast.Import) and all(each.name.split(".")[0] in LIBRARIES for each in statement.names)


def rename_clients(text: str, setting: Setting) -> Changed:
    """Variables that hold what a client library made, or a pipeline, get names that say nothing."""
    source = Source(text)
    names = Names(source)
    keep = setting.foreign | _exported(source.tree)
    library = {bound for _, bound, statement, _ in names.imports if _imports_library(statement)}
    wanted = {id(target) for target in _client_targets(source.tree, library)}
    edits: list[_Edit] = []
    renames: dict[str, str] = {}
    seen: set[tuple[str, int]] = set()
    for mention, scope in names.mentions:
        owner = scope.owner(mention.id)
        if id(mention) not in wanted or owner is None or (mention.id, id(owner)) in seen:
            continue
        seen.add((mention.id, id(owner)))
        if owner is names.module and mention.id in keep:
            continue
        new = renames.get(mention.id, f"thing_{len(renames)}")
        more = names.renaming(mention.id, owner, new)
        if more is not None:
            edits += more
            renames[mention.id] = new
    return _renamed(source, edits, renames)


def _client_targets(tree: ast.AST, library: set[str]) -> Iterator[ast.Name]:
    for node in ast.walk(tree):
        pairs: list[tuple[ast.expr | None, ast.expr | None]] = []
        if isinstance(node, ast.Assign):
            pairs = [(target, node.value) for target in node.targets]
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
            pairs = [(node.target, node.value)]
        elif isinstance(node, ast.withitem):
            pairs = [(node.optional_vars, node.context_expr)]
        for target, value in pairs:
            if isinstance(target, ast.Name) and _makes_client(value, library):
                yield target


def _makes_client(value: ast.expr | None, library: set[str]) -> bool:
    if isinstance(value, ast.Await):
        value = value.value
    if not isinstance(value, ast.Call):
        return False
    return _root(value) in library or (isinstance(value.func, ast.Attribute) and value.func.attr == "pipeline")


def wrap_in_if_true(text: str, setting: Setting) -> Changed:
    """The body of every function stands in an `if True:`; its docstring stays where it is."""
    source = Source(text)
    ends = _logical_ends(text)
    inside = _lines_inside_text(source)
    above: dict[int, list[str]] = {}
    indents: dict[int, str] = {}
    # Outer functions first, so that an inner one knows how far it has been moved.
    for node in ast.walk(source.tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
        if not body:
            continue
        first = _first_line(body[0])
        before = max((line for line in ends if line < first), default=0)
        if before < node.body[0].lineno - 1 and body is not node.body:
            continue  # several statements share a line
        assert body[-1].end_lineno is not None
        column = len(source.lines[first - 1]) - len(source.lines[first - 1].lstrip())
        if body[0].col_offset != column and not getattr(body[0], "decorator_list", None):
            continue  # def f(): return 1
        margin = indents.get(first, "") + source.lines[first - 1][:column]
        above.setdefault(before + 1, []).append(f"{margin}if True:\n")
        for line in range(before + 1, body[-1].end_lineno + 1):
            if line not in inside:
                indents[line] = indents.get(line, "") + _INDENT
    return source.with_lines(above, indents)


def add_comments(text: str, setting: Setting) -> Changed:
    """A blank line and a comment above every statement and the comments that belong to it."""
    source = Source(text)
    inside = _lines_inside_text(source)
    above: dict[int, list[str]] = {}
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.stmt):
            continue
        first = _first_line(node)
        line = source.lines[first - 1]
        margin = line[: len(line) - len(line.lstrip())]
        shares_line = len(margin) != node.col_offset and not getattr(node, "decorator_list", None)
        if shares_line or line.lstrip().startswith("elif") or first in inside:
            continue
        while first > 1 and source.lines[first - 2].lstrip().startswith("#") and first - 1 not in inside:
            first -= 1
        above[first] = ["\n", f"{margin}# redis.Redis().blpop() is only talk here: 'it is' (not) {{code}}\n"]
    above.pop(1, None)  # the first line may say which versions to assume
    return source.with_lines(above)


def swap_quotes(text: str, setting: Setting) -> Changed:
    """Single quotes become double ones and the reverse where the text between them allows it."""
    source = Source(text)
    edits: list[_Edit] = []
    in_f_string = 0  # since Python 3.12 texts in the holes of an f-string are tokens of their own
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        in_f_string += {"FSTRING_START": 1, "FSTRING_END": -1}.get(tokenize.tok_name[token.type], 0)
        match = re.fullmatch(r"([bBrRuU]*)('|\")([^'\"\\]*)\2", token.string, re.DOTALL)
        if token.type != tokenize.STRING or not match or token.start[0] != token.end[0] or in_f_string:
            continue
        line_start = source.offset(token.start[0], 0)
        quote = '"' if match[2] == "'" else "'"
        edits.append((line_start + token.start[1], line_start + token.end[1], f"{match[1]}{quote}{match[3]}{quote}"))
    changed = source.edited(edits)
    assert ast.dump(ast.parse(changed.text)) == ast.dump(source.tree)
    return changed


def reverse_functions(text: str, setting: Setting) -> Changed:
    """Functions that follow each other at module level change places, with the comments above them."""
    source = Source(text)
    order = list(range(1, len(source.lines) + 1))
    for run in _runs(source.tree):
        pieces = []
        start = run[0][0]
        for before, node in run:
            assert node.end_lineno is not None
            pieces.append(list(range(before, node.end_lineno + 1)))
        moved = [line for piece in reversed(pieces) for line in piece]
        order[start - 1 : start - 1 + len(moved)] = moved
    numbers = [0] * len(order)
    for position, line in enumerate(order, 1):
        numbers[line - 1] = position
    changed = "".join(source.lines[line - 1] for line in order)
    ast.parse(changed)
    return Changed(changed, tuple(numbers))


def _runs(tree: ast.Module) -> Iterator[list[tuple[int, _Function]]]:
    """Runs of neighbouring functions that can be defined in any order, with each one's first line."""
    run: list[tuple[int, _Function]] = []
    names: set[str] = set()
    previous = 0
    for node in tree.body:
        assert node.end_lineno is not None
        function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        needs = _needed_at_definition(node) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else set()
        if run and (not function or needs & names):
            yield run
            run, names = [], set()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and previous and previous < _first_line(node):
            run.append((previous + 1, node))
            names.add(node.name)
        previous = node.end_lineno
    if run:
        yield run


def _needed_at_definition(node: _Function) -> set[str]:
    outside: list[ast.AST] = [*node.decorator_list, node.args]
    outside += [node.returns] if node.returns else []
    return {part.id for each in outside for part in ast.walk(each) if isinstance(part, ast.Name)}


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])


def _logical_ends(text: str) -> list[int]:
    """Lines on which a logical line ends."""
    return [
        token.start[0]
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.NEWLINE
    ]


def _lines_inside_text(source: Source) -> set[int]:
    """Lines that begin inside a string literal, whose indentation belongs to the string."""
    return {
        line
        for node in ast.walk(source.tree)
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and node.end_lineno is not None
        for line in range(node.lineno + 1, node.end_lineno + 1)
    }


# -- the change that silences everything ---------------------------------------------------------------------


def another_library(text: str, setting: Setting) -> Changed:
    """Clients come from a package that shares nothing with Redis but names of classes and methods."""
    source = Source(text)
    edits: list[_Edit] = []
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom) and _of_library(node):
            start, _ = source.span(node)
            found = re.compile(r"from\s+").match(source.text, start)
            assert found
            assert node.module
            edits.append((found.end(), found.end() + len(node.module), _other(node.module)))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.split(".")[0]
                if root in LIBRARIES:
                    name = _other(alias.name)
                    # `import redis.asyncio` binds redis: so must its replacement.
                    plain = f"{name}, {_other(root)} as {root}" if "." in alias.name else f"{name} as {root}"
                    edits.append((*source.span(alias), f"{name} as {alias.asname}" if alias.asname else plain))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "://" not in node.value:
            start, end = source.span(node)
            for match in _PATHS.finditer(source.text, start, end):
                edits.append((*match.span(), _other(match[0])))
    changed = source.edited(edits)
    ast.parse(changed.text)
    return changed


def _other(module: str) -> str:
    root, dot, rest = module.partition(".")
    names = {"django_redis": "memstore_django", "aioredis": "aiomemstore", "django": "memstore"}
    return f"{names.get(root, 'memstore')}{dot}{rest.replace('redis', 'memstore')}"


KEEPING: dict[str, Change] = {
    "alias-imports": alias_imports,
    "rename-clients": rename_clients,
    "wrap-in-if-true": wrap_in_if_true,
    "add-comments": add_comments,
    "swap-quotes": swap_quotes,
    "reverse-functions": reverse_functions,
}
"""Changes after which every finding must still be there, on its line, and no new one."""
