"""The architecture, held by tests: who may import whom, what checks may know, and that nothing is forgotten."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import resplint
from resplint.knowledge.load import load_pages, load_roles
from resplint.languages import LANGUAGES
from tests.unit.import_circles import circles, import_graph

SOURCE = Path(resplint.__file__).parent
MAX_FUNCTION_LINES = 60

# Part of the package -> the parts it may import; every part may import itself. A part is a module or package directly
# below `resplint`. Dependencies point one way: cli -> scan -> (discover, select, languages, link, checks, output).
MAY_IMPORT: dict[str, set[str]] = {
    "__init__": {"_version"},
    "__main__": {"cli"},
    "_version": set(),
    "errors": set(),
    "comments": set(),
    "remedy": set(),
    "findings": {"errors", "remedy"},
    "facts": {"comments"},
    "toml_text": {"errors"},
    "regular_files": {"errors"},
    "project_files": {"errors", "regular_files"},
    "cache": {"_version", "errors"},
    "globs": set(),
    "yaml_events": set(),
    "source": {"findings"},
    "fingerprints": set(),
    "gitignore": {"findings", "globs", "regular_files"},
    "tests_told": set(),
    "verdicts": set(),
    "discover": {"errors", "findings", "gitignore", "globs", "regular_files", "tests_told", "verdicts"},
    "versions": {
        "errors", "findings", "knowledge", "project_files", "regular_files", "toml_text", "yaml_events",
    },
    "config_values": {"errors", "findings", "globs", "regular_files"},
    "config_keys": {"config_values", "findings"},
    "config": {
        "config_keys", "config_values", "errors", "findings", "gitignore", "globs", "regular_files", "toml_text",
    },
    "application": {"errors", "findings", "project_files", "regular_files", "source", "yaml_events"},
    "knowledge": {"errors", "findings", "toml_text"},
    "languages": {"comments", "errors", "facts", "knowledge", "source"},
    "time_limits": set(),
    "workers": set(),
    "lowering_pool": {"facts", "languages", "time_limits", "workers"},
    "module_aliases": {"project_files", "regular_files"},
    "reexports": set(),
    "link": {
        "errors", "facts", "findings", "globs", "knowledge", "module_aliases", "reexports", "remedy", "time_limits",
    },
    "select": {"knowledge", "link"},
    "checks": {"facts", "findings", "knowledge.command_records", "knowledge.records", "link", "remedy"},
    "spelling": {"facts", "findings", "knowledge", "link", "remedy"},
    "editable": {"findings", "source"},
    "locate": {"editable", "errors", "findings", "fingerprints", "source"},
    "baseline": {"errors", "findings", "fingerprints", "regular_files"},
    "suppress": {"comments", "findings"},
    "atomic_files": set(),
    "output": {"_version", "atomic_files", "errors", "findings", "fingerprints"},
    "fixing": {
        "atomic_files", "editable", "errors", "facts", "findings", "fingerprints", "languages", "regular_files",
        "source",
    },
    "scan": {
        "application", "baseline", "cache", "checks", "config", "discover", "errors", "facts", "findings", "knowledge",
        "languages", "link", "locate", "lowering_pool", "module_aliases", "project_files", "regular_files", "select",
        "source", "spelling", "suppress", "time_limits", "verdicts", "versions",
    },
    "inventory": {"facts", "findings", "knowledge.base_records", "knowledge.records", "link", "output", "source"},
    "process_output": set(),
    "git": {"errors", "gitignore", "process_output", "regular_files"},
    "diff_base": {
        "baseline", "discover", "errors", "findings", "git", "gitignore", "languages", "regular_files", "scan",
    },
    "starter": {
        "config", "config_keys", "discover", "errors", "findings", "knowledge", "languages", "output.about",
        "regular_files", "select", "toml_text",
    },
    "reporting": {"_version", "errors", "output.escape", "regular_files"},
    "server": {
        "_version", "comments", "config", "discover", "editable", "errors", "facts", "findings", "fingerprints",
        "fixing", "knowledge.book", "knowledge.load", "languages", "output", "regular_files", "scan", "source",
        "suppress",
    },
    "cli": {
        "_version", "baseline", "cache", "config", "diff_base", "discover", "errors", "findings", "fixing", "gitignore",
        "inventory", "knowledge", "output", "reporting", "scan", "server", "starter",
    },
}  # fmt: skip

MODULES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))
CHECKS = [name for name in MODULES if name.startswith("checks/") and not name.endswith("__init__.py")]


@cache
def parsed(name: str) -> ast.Module:
    return ast.parse((SOURCE / name).read_text(encoding="utf-8"), name)


def part_of(name: str) -> str:
    """`link/store.py` -> link, `scan.py` -> scan."""
    return name.split("/", maxsplit=1)[0].removesuffix(".py")


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and dotted name of everything that is imported anywhere: `from a import b` names both a and a.b."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            yield node.lineno, node.module or ""
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def own_imports(name: str) -> Iterator[tuple[int, str]]:
    """Line and module (without `resplint.`) of the imports from this package."""
    for line, dotted in imported(parsed(name)):
        package, _, rest = dotted.partition(".")
        if package == "resplint" and rest and is_module(rest):
            yield line, rest


@cache
def is_module(dotted: str) -> bool:
    path = SOURCE.joinpath(*dotted.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def allowed(module: str, allowance: set[str]) -> bool:
    return any(module == each or module.startswith(each + ".") for each in allowance)


# -- who may import whom --------------------------------------------------------------------------------------------


def test_every_part_has_its_place() -> None:
    assert {part_of(name) for name in MODULES} == set(MAY_IMPORT)


def test_imports_point_one_way() -> None:
    wrong = []
    for name in MODULES:
        part = part_of(name)
        allowance = MAY_IMPORT[part] | {part}
        wrong += [
            f"src/resplint/{name}:{line} imports resplint.{module}; {part} may import {', '.join(sorted(allowance))}"
            for line, module in own_imports(name)
            # `from resplint.knowledge import records` also names the package, which alone is harmless.
            if not allowed(module, allowance) and not any(each.startswith(module + ".") for each in allowance)
        ]
    assert wrong == []


def test_the_parts_form_no_circle() -> None:
    uses = {part: {each.split(".")[0] for each in allowance} for part, allowance in MAY_IMPORT.items()}
    while free := {part for part, others in uses.items() if not others & set(uses)}:
        uses = {part: others for part, others in uses.items() if part not in free}
    assert uses == {}


KNOWN_CIRCLES = {
    "as modules are loaded": [
        {
            "link.callbacks", "link.calls", "link.elements", "link.members", "link.pooled", "link.readers",
            "link.receivers",
        },
    ],
    "with imports in functions and of types": [
        {
            "link.callbacks", "link.callers", "link.calls", "link.classes", "link.declared", "link.durations",
            "link.elements", "link.evaluate", "link.imports", "link.injected", "link.learned", "link.members",
            "link.operators", "link.overloads", "link.packages", "link.pooled", "link.readers", "link.receivers",
            "link.writes",
        },
        {"link.frequency", "link.handed", "link.memoising"},
        {"link.application", "link.arguments"},
        {"knowledge.compiling", "knowledge.load"},
        {"scan.importing", "scan.known_importers", "scan.request"},
    ],
}  # fmt: skip
"""Circles of imports that are still there. Modules may leave this list; none may enter it."""


@pytest.mark.parametrize("which", sorted(KNOWN_CIRCLES))
def test_no_circle_of_imports_is_new_and_those_that_are_gone_are_struck_off(which: str) -> None:
    found = circles(import_graph(SOURCE, only_when_loaded=which == "as modules are loaded"))
    known = KNOWN_CIRCLES[which]
    new = [circle for circle in found if not any(circle <= each for each in known)]
    assert new == [], f"these modules import each other {which}: put what they share below both"
    gone = [sorted(each - set().union(*found)) for each in known]
    assert [each for each in gone if each] == [], "no longer in a circle: remove them from KNOWN_CIRCLES"


def test_circles_are_seen_through_packages_branches_and_functions(tmp_path: Path) -> None:
    package = tmp_path / "shop"
    (package / "stock").mkdir(parents=True)
    (package / "stock" / "__init__.py").write_text("from shop import prices\n", "utf-8")
    (package / "prices.py").write_text(
        "try:\n    from shop.stock import shelf\nexcept ImportError:\n    pass\n", "utf-8"
    )
    (package / "stock" / "shelf.py").write_text("import shop.stock\n", "utf-8")
    (package / "orders.py").write_text("def order():\n    import shop.bills\n", "utf-8")
    (package / "bills.py").write_text("if TYPE_CHECKING:\n    from shop.orders import order\n", "utf-8")
    stock, orders = {"stock", "stock.shelf", "prices"}, {"orders", "bills"}
    assert circles(import_graph(package, only_when_loaded=True)) == [stock]
    assert circles(import_graph(package, only_when_loaded=False)) == [orders, stock]


def test_only_languages_touches_tree_sitter() -> None:
    found = [
        f"src/resplint/{name}:{line} imports {dotted}"
        for name in MODULES
        if part_of(name) != "languages"
        for line, dotted in imported(parsed(name))
        if dotted.startswith("tree_sitter")
    ]
    assert found == []


def test_checks_use_the_standard_library_and_the_model_only() -> None:
    found = [
        f"src/resplint/{name}:{line} imports {dotted}"
        for name in CHECKS
        for line, dotted in imported(parsed(name))
        if dotted.split(".")[0] not in {*sys.stdlib_module_names, "resplint"}
    ]
    assert found == []


# -- checks ---------------------------------------------------------------------------------------------------------


def test_checks_know_no_language() -> None:
    """A rule is written once for all languages: what differs between them belongs in `languages` or `rules/`."""
    names = "|".join(sorted({*LANGUAGES, "python", "java", "kotlin", "javascript", "typescript"}))
    language = re.compile(rf"(?:^|[^a-z])(?:{names})(?:[^a-z]|$)", re.IGNORECASE)
    found = [
        f"src/resplint/{name}:{line} {word!r}"
        for name in CHECKS
        for line, word in words(parsed(name))
        if language.search(word)
    ]
    assert found == []


def words(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and text of names and strings, docstrings left out."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value
        elif isinstance(node, (ast.Name, ast.Attribute)):
            yield node.lineno, node.id if isinstance(node, ast.Name) else node.attr


def test_every_page_has_a_check_and_every_check_a_page() -> None:
    pages = {page.name.replace("-", "_") for page in load_pages().values()}
    assert {Path(name).stem for name in CHECKS} == pages


def test_a_check_reports_under_the_code_of_its_page() -> None:
    reported = {
        Path(name).stem: {word for _, word in words(parsed(name)) if re.fullmatch(r"RL\d{3}", word)} for name in CHECKS
    }
    assert reported == {page.name.replace("-", "_"): {code} for code, page in load_pages().items()}


METHOD_WORDS = (
    "adders", "advancers", "copiers", "element_callbacks", "element_getters", "exhausted", "folds", "list_adders",
    "listeners", "lookups", "map_setters", "map_views", "membership", "prependers", "queuers", "reorderers", "sizes",
    "takers", "text_adders", "thenables",
)  # fmt: skip


def test_methods_of_languages_are_listed_in_the_rules() -> None:
    known = {
        word for language in LANGUAGES for field in METHOD_WORDS for word in getattr(load_roles(language).words, field)
    }
    found = []
    for name in (each for each in MODULES if each.startswith(("link/", "checks/"))):
        lists = [node for node in ast.walk(parsed(name)) if isinstance(node, (ast.Tuple, ast.List, ast.Set))]
        for node in lists:
            texts = {str(one.value) for one in node.elts if isinstance(one, ast.Constant)}
            if len(texts & known) > 1:
                found.append(f"src/resplint/{name}:{node.lineno} {sorted(texts & known)}")
    assert found == [], "what a language calls its methods is in its profile.toml"


def test_functions_stay_readable() -> None:
    long = [
        f"src/resplint/{name}:{node.lineno} {node.name} has {length} lines"
        for name in MODULES
        for node in ast.walk(parsed(name))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and (length := (node.end_lineno or node.lineno) - node.lineno + 1) > MAX_FUNCTION_LINES
    ]
    assert long == [], "split what does several things"
