"""The architecture, held by tests: who may import whom, what checks may know, and that nothing is forgotten."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import resplint
from resplint.knowledge.load import load_pages, load_roles
from resplint.languages import LANGUAGES
from tests.unit.import_circles import circles, import_graph

SOURCE = Path(resplint.__file__).parent
MAX_FUNCTION_LINES = 60

# Part of the package -> the parts it may import; every part may import itself. A part is a module or package directly
# below `resplint`. Dependencies point one way: cli -> scan -> (discovery, languages, checks, output), and
# checks -> model -> (retry, remedies, execution, redis, text) -> flow -> bind -> knowledge -> contracts.
MAY_IMPORT: dict[str, set[str]] = {
    "_version": set(),
    "__init__": {"_version"},
    "contracts": set(),
    "files": {"contracts"},
    "cache": {"_version", "contracts"},
    "results": {"contracts", "files"},
    "application": {"contracts", "files"},
    "knowledge": {"contracts", "files.toml_text"},
    "versions": {"contracts", "files", "knowledge"},
    "languages": {"contracts", "files.source", "knowledge"},
    "workers": set(),
    "bind": {"contracts", "files.module_aliases", "knowledge"},
    "flow": {"bind", "contracts", "knowledge"},
    "text": {"bind", "contracts", "flow"},
    "redis": {"bind", "contracts", "flow", "knowledge", "text"},
    "execution": {"bind", "contracts", "files.globs", "flow", "knowledge", "redis", "text"},
    "remedies": {"bind", "contracts", "execution", "flow", "knowledge", "redis"},
    "retry": {"bind", "contracts", "execution", "flow", "knowledge", "redis", "remedies", "text"},
    "selection": {"bind", "contracts", "flow", "knowledge"},
    "model": {
        "bind", "contracts", "execution", "flow", "knowledge", "redis", "remedies", "retry", "selection", "text",
    },
    "discovery": {"contracts", "files", "knowledge"},
    "config": {"contracts", "discovery.gitignore", "files", "knowledge"},
    "checks": {
        "bind.values", "contracts", "execution", "knowledge.client_versions", "knowledge.command_records",
        "knowledge.records", "model", "redis", "remedies", "retry", "text",
    },
    "custom": {"bind.values", "contracts", "files", "knowledge", "model", "redis", "text"},
    "spelling": {"bind", "contracts", "flow", "knowledge", "model"},
    "baseline": {"contracts", "files.near_paths", "files.regular_files", "results.fingerprints"},
    "scan": {
        "application", "baseline", "cache", "checks", "config.loading", "contracts", "custom", "discovery", "files",
        "knowledge", "bind", "languages", "model", "results", "selection", "spelling", "versions", "workers",
    },
    "output": {"_version", "contracts", "files.atomic_files", "results.fingerprints"},
    "fixing": {"contracts", "files", "languages", "results.fingerprints", "results.suppress"},
    "inventory": {
        "bind.values", "contracts", "files.source", "flow.nodes", "knowledge.base_records", "knowledge.client_versions",
        "knowledge.records", "model", "output", "redis",
    },
    "diff_base": {"baseline", "contracts", "discovery", "files.regular_files", "languages", "scan"},
    "starter": {"config", "contracts", "discovery", "files", "knowledge", "languages", "output.about"},
    "reporting": {"_version", "contracts", "files.regular_files", "output.about", "output.escape"},
    "warm": {
        "config.loading", "contracts", "discovery.discover", "files", "fixing", "inventory", "knowledge.load", "scan",
    },
    "server": {
        "_version", "config.loading", "contracts", "discovery.discover", "files", "fixing", "inventory",
        "knowledge.book", "knowledge.load", "languages", "output", "results", "scan", "warm",
    },
    "assistant": {
        "config.loading", "contracts", "custom.pages", "files.regular_files", "fixing", "inventory", "knowledge.book",
        "output", "scan", "warm",
    },
    "cli": {
        "_version", "assistant", "baseline", "cache", "config", "contracts", "custom", "diff_base", "discovery",
        "files.near_paths", "files.regular_files", "fixing", "inventory", "knowledge", "languages", "output",
        "reporting", "results.suppress", "scan", "server", "starter", "warm",
    },
    "__main__": {"cli"},
}  # fmt: skip

MODULES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))
CHECKS = [name for name in MODULES if name.startswith("checks/") and not name.endswith("__init__.py")]


@cache
def parsed(name: str) -> ast.Module:
    return ast.parse((SOURCE / name).read_text(encoding="utf-8"), name)


def part_of(name: str) -> str:
    """`bind/files.py` -> bind, `_version.py` -> _version."""
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


def test_no_modules_import_each_other_as_they_are_loaded() -> None:
    found = circles(import_graph(SOURCE, only_when_loaded=True))
    assert found == [], "put what these modules share below both"


def test_only_the_rules_of_the_engine_and_its_core_know_each_other() -> None:
    """The rules of one kind of node call those of others, by way of the core that holds them all."""
    found = circles(import_graph(SOURCE, only_when_loaded=False))
    assert [circle for circle in found if not all(name.startswith("flow.") for name in circle)] == [], (
        "these modules import each other in functions or for types: put what they share below both"
    )


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


def test_no_module_reaches_into_another() -> None:
    """What begins with an underscore is used where it is defined, and nowhere else."""
    own = {name: {word for word in defined(parsed(name)) if is_private(word)} for name in MODULES}
    everywhere = set().union(*own.values())
    found = [
        f"src/resplint/{name}:{node.lineno} uses {ast.unparse(node)}"
        for name in MODULES
        for node in ast.walk(parsed(name))
        if isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr in everywhere
        and ast.unparse(node.value) not in ("self", "cls")
        and (node.attr not in own[name] or isinstance(node.value, ast.Attribute))
    ]  # fmt: skip
    assert found == [], "give it a public name"


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def defined(tree: ast.Module) -> Iterator[str]:
    """Names of functions, classes, and attributes that objects give themselves."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def test_only_languages_touches_tree_sitter() -> None:
    """But for configurations and manifests in TOML, of which the lines of keys are wanted."""
    found = [
        f"src/resplint/{name}:{line} imports {dotted}"
        for name in MODULES
        if part_of(name) != "languages" and name != "files/toml_text.py"
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


LINKING = ("bind/", "flow/", "redis/", "text/", "execution/", "retry/", "remedies/", "selection/", "model/", "checks/")


def test_methods_of_languages_are_listed_in_the_rules() -> None:
    known = {
        word for language in LANGUAGES for field in METHOD_WORDS for word in getattr(load_roles(language).words, field)
    }
    found = []
    for name in (each for each in MODULES if each.startswith(LINKING)):
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
