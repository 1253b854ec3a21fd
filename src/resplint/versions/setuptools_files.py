"""`setup.cfg`, `setup.py` (read, never run) and conda's `environment.yml`."""

from __future__ import annotations

import ast
import configparser
import re
import warnings
from collections.abc import Iterator, Mapping

from resplint.versions.records import BrokenManifestError, Group, Parsed, Requirement, decoded, is_development
from resplint.versions.requirements import parse_requirement

_CONDA_ITEM = re.compile(r"^(\s*)-\s*[\"']?([^\"'#]+?)[\"']?\s*(?:#.*)?$")
_CONDA_PIN = re.compile(r"^(?:[\w.-]+::)?redis-py\s*(?:=(?!=)\s*([\d.]+)(?:\.\*)?|([<>=!~].*))?(?:=\S*)?$")


def parse_setup_cfg(data: bytes) -> Parsed:
    """`install_requires` and extras of a `setup.cfg`."""
    text = decoded(data)
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error as error:
        line = getattr(error, "lineno", 0) or 0
        raise BrokenManifestError("is not a valid INI file", line) from error
    found: list[tuple[str, Group]] = []
    if parser.has_option("options", "install_requires"):
        found.extend((each, "main") for each in parser.get("options", "install_requires").splitlines())
    if parser.has_section("options.extras_require"):
        for name, value in parser.items("options.extras_require"):
            group: Group = "dev" if is_development(name) else "extra"
            found.extend((each, group) for each in value.splitlines())
    lines: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        lines.setdefault(line.partition("=")[2].strip() if line[:1].strip() else line.strip(), number)
        lines.setdefault(line.strip(), number)
    return _parsed((each.strip(), lines.get(each.strip(), 0), group) for each, group in found)


def parse_setup_py(data: bytes) -> Parsed:
    """The literal lists that a `setup.py` gives to `setup()`, directly or by a name of the module."""
    try:
        with warnings.catch_warnings():
            # Other people's invalid escapes are nothing to warn our users of.
            warnings.simplefilter("ignore")
            tree = ast.parse(decoded(data).encode("utf-8", "replace"))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = (error.lineno or 0) if isinstance(error, SyntaxError) else 0
        raise BrokenManifestError("is not Python 3 that can be parsed", line) from error
    names: dict[str, ast.expr] = {}
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            names.update({each.id: statement.value for each in statement.targets if isinstance(each, ast.Name)})
        elif isinstance(statement, ast.AnnAssign) and statement.value and isinstance(statement.target, ast.Name):
            names[statement.target.id] = statement.value
    found: list[tuple[str, int, Group]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _is_setup(node.func):
            keywords = {each.arg: each.value for each in node.keywords if each.arg}
            found.extend(_of_keywords(keywords, names))
    return _parsed(found)


def parse_environment_yml(data: bytes) -> Parsed:
    """Conda's environment: its package `redis-py` is `redis` elsewhere; the list under `pip:` is pip's."""
    found: list[tuple[str, int, Group]] = []
    pip_indent = -1
    for number, line in enumerate(decoded(data).splitlines(), 1):
        match = _CONDA_ITEM.match(line)
        if match is None:
            continue
        indent, item = len(match[1]), match[2].strip()
        if item == "pip:":
            pip_indent = indent
        elif 0 <= pip_indent < indent:
            if not item.startswith(("-", "git+", "http", ".")):
                found.append((item, number, "main"))
        else:
            pip_indent = -1
            if pin := _CONDA_PIN.match(item):
                # In conda one "=" means "begins with", which three parts make exact.
                exact = f"=={pin[1]}" + ("" if pin[1].count(".") >= 2 else ".*") if pin[1] else ""
                found.append((f"redis{exact or pin[2] or ''}", number, "main"))
    return _parsed(found)


def _of_keywords(keywords: Mapping[str, ast.expr], names: Mapping[str, ast.expr]) -> Iterator[tuple[str, int, Group]]:
    for keyword in ("install_requires", "requires"):
        yield from ((*each, "main") for each in _strings(keywords.get(keyword), names))
    for keyword in ("tests_require", "setup_requires"):
        yield from ((*each, "dev") for each in _strings(keywords.get(keyword), names))
    extras = keywords.get("extras_require")
    if isinstance(extras, ast.Name):
        extras = names.get(extras.id)
    if isinstance(extras, ast.Dict):
        for key, value in zip(extras.keys, extras.values, strict=True):
            name = key.value if isinstance(key, ast.Constant) else ""
            group: Group = "dev" if is_development(str(name)) else "extra"
            yield from ((*each, group) for each in _strings(value, names))


def _strings(node: ast.expr | None, names: Mapping[str, ast.expr]) -> list[tuple[str, int]]:
    """The literal strings of a list with their lines; through names of the module, `+` and `*`."""
    found: list[tuple[str, int]] = []
    stack = [node] if node is not None else []
    used: set[str] = set()
    while stack:
        current = stack.pop()
        if isinstance(current, ast.Name):
            if current.id in names and current.id not in used:
                used.add(current.id)
                stack.append(names[current.id])
        elif isinstance(current, (ast.List, ast.Tuple, ast.Set)):
            stack.extend(current.elts)
        elif isinstance(current, ast.Starred):
            stack.append(current.value)
        elif isinstance(current, ast.BinOp) and isinstance(current.op, ast.Add):
            stack.extend((current.left, current.right))
        elif isinstance(current, ast.Constant) and isinstance(current.value, str):
            found.extend((each, current.lineno) for each in current.value.splitlines())
    return sorted(found, key=lambda each: each[1])


def _is_setup(function: ast.expr) -> bool:
    if isinstance(function, ast.Attribute):
        return function.attr == "setup"
    return isinstance(function, ast.Name) and function.id == "setup"


def _parsed(found: Iterator[tuple[str, int, Group]] | list[tuple[str, int, Group]]) -> Parsed:
    requirements: list[Requirement] = []
    problems: list[tuple[int, str]] = []
    for text, line, group in found:
        stripped = text.partition(" #")[0].strip()
        if not stripped or stripped.startswith(("#", "file:")):
            continue
        try:
            requirement = parse_requirement(stripped, line, group)
        except ValueError as error:
            problems.append((line, f"a requirement {error}"))
            continue
        if requirement is not None:
            requirements.append(requirement)
    return Parsed(tuple(requirements), (), tuple(problems))
