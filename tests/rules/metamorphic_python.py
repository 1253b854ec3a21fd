"""Changes to Python files.

The standard library's `ast` and `tokenize` say where things stand; the text in between, comments and marks too,
stays as it is.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

from tests.rules.metamorphic import Change, Changed, Edit, Setting
from tests.rules.metamorphic_python_names import (
    LIBRARIES,
    Function,
    Names,
    Source,
    exported,
    of_library,
    renamed,
    root_name,
)

_INDENT = "    "
_PATHS = re.compile(
    r"\bdjango\.core\.cache\.backends\.redis\b|\b(?:aioredis|coredis|django_redis|rediscluster|redis|valkey)(?=\.[A-Za-z])"
)


def alias_imports(text: str, setting: Setting) -> Changed:
    """`import redis` becomes `import redis as rds_lib`, `from redis import Redis` names it Client0."""
    source = Source(text)
    names = Names(source)
    keep = setting.foreign | exported(source.tree)
    edits: list[Edit] = []
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
    return renamed(source, edits, renames)


def _imports_library(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.ImportFrom):
        return of_library(statement)
    return isinstance(statement, ast.Import) and all(each.name.split(".")[0] in LIBRARIES for each in statement.names)


def rename_clients(text: str, setting: Setting) -> Changed:
    """Variables that hold what a client library made, or a pipeline, get names that say nothing."""
    source = Source(text)
    names = Names(source)
    keep = setting.foreign | exported(source.tree)
    library = {bound for _, bound, statement, _ in names.imports if _imports_library(statement)}
    wanted = {id(target) for target in _client_targets(source.tree, library)}
    edits: list[Edit] = []
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
    return renamed(source, edits, renames)


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
    return root_name(value) in library or (isinstance(value.func, ast.Attribute) and value.func.attr == "pipeline")


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
    edits: list[Edit] = []
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
    changed = source.reordered(order)
    ast.parse(changed.text)
    return changed


def _runs(tree: ast.Module) -> Iterator[list[tuple[int, Function]]]:
    """Runs of neighbouring functions that can be defined in any order, with each one's first line."""
    run: list[tuple[int, Function]] = []
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


def _needed_at_definition(node: Function) -> set[str]:
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


def another_library(text: str, setting: Setting) -> Changed:
    """Clients come from a package that shares nothing with Redis but names of classes and methods."""
    source = Source(text)
    edits: list[Edit] = []
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom) and of_library(node):
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
