"""One test for each known trap of the tree-sitter binding: the trap, and what keeps it from us.

The `raw` parts use the binding directly. One that fails after an upgrade says that upstream has fixed the
trap and that a defence may go. Whatever can crash a process runs in one of its own.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import inspect
import itertools
import random
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
import tree_sitter
import tree_sitter_python
from packaging.requirements import Requirement

from resplint.contracts.errors import InternalError, KnowledgeError
from resplint.files.source import DecodedSource, LineIndex, Undecodable, decode
from resplint.languages import treesitter
from resplint.languages.treesitter import (
    Grammar,
    ParseTimeout,
    lint_query,
    load_query,
    matches,
    parse,
)

ROOT = Path(__file__).resolve().parents[2]
PYTHON = Grammar.load("python", tree_sitter_python.language())
UNLIMITED = 0xFFFFFFFF

RAW = """
import gc, sys, tree_sitter, tree_sitter_python
language = tree_sitter.Language(tree_sitter_python.language())
"""


def raw_tree(source: bytes) -> tree_sitter.Tree:
    return tree_sitter.Parser(PYTHON.language).parse(source)


_KEPT: list[tree_sitter.Query] = []


def raw_query(text: str) -> tree_sitter.Query:
    query: tree_sitter.Query = tree_sitter.Query(PYTHON.language, text)
    _KEPT.append(query)
    return query


def raw_matches(text: str, source: bytes) -> list[treesitter.Match]:
    return tree_sitter.QueryCursor(raw_query(text)).matches(raw_tree(source).root_node)


def in_own_process(code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", RAW + code]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def found(text: str, source: bytes) -> list[bytes]:
    """Texts of the `@it` captures, through our wrapper."""
    tree = parse(PYTHON, source)
    result = matches(load_query(PYTHON, text, "test.scm"), tree)
    return [tree.text(captures["it"][0]) for _, captures in result.matches]


def problems(text: str) -> list[str]:
    return [problem.message for problem in lint_query(text, "test.scm")]


def code_of_resplint() -> Iterator[tuple[Path, ast.AST]]:
    for path in sorted((ROOT / "src" / "resplint").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            yield path, node


# --- the seventeen traps ------------------------------------------------------------------------------------


def test_trap_01_unknown_predicate_is_rejected() -> None:
    query = '((identifier) @it (#eqq? @it "a"))'
    assert len(raw_matches(query, b"a\nb\n")) == 2  # raw: a misspelt predicate is true

    with pytest.raises(KnowledgeError, match=r"^rules/x\.scm:1:20: unknown predicate #eqq\?"):
        load_query(PYTHON, query, "rules/x.scm")
    assert found('((identifier) @it (#eq? @it "a"))', b"a\nb\n") == [b"a"]


@pytest.mark.parametrize("name", ["lua-match?", "has-ancestor?", "strip!", "offset!", "is?", "is-not?", "EQ?", "e?"])
def test_trap_01_predicates_of_other_tools_are_rejected(name: str) -> None:
    assert problems(f'((identifier) @it (#{name} @it "a"))')


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        ('#eq? @it "ab"', [b"ab"]),
        ('#not-eq? @it "ab"', [b"b"]),
        ('#any-eq? @it "ab"', [b"ab"]),
        ('#any-not-eq? @it "ab"', [b"b"]),
        ('#match? @it "^a"', [b"ab"]),
        ('#not-match? @it "^a"', [b"b"]),
        ('#any-match? @it "^a"', [b"ab"]),
        ('#any-not-match? @it "^a"', [b"b"]),
        ('#any-of? @it "x" "ab"', [b"ab"]),
        ('#set! "key" "value"', [b"ab", b"b"]),
    ],
)
@pytest.mark.parametrize("source", [b"ab\nb\n", b"ab\nb\n(("])
def test_trap_01_every_allowed_predicate_is_evaluated(predicate: str, expected: list[bytes], source: bytes) -> None:
    # the second source is broken, so that predicates read it through the callback
    assert found(f"((identifier) @it ({predicate}))", source) == expected


def test_trap_02_not_any_of_is_rejected() -> None:
    query = '((identifier) @it (#not-any-of? @it "a" "b"))'
    assert len(raw_matches(query, b"a\nb\nc\n")) == 3  # raw: it does nothing

    assert problems(query) == [
        "#not-any-of? is refused: with two values or more it does nothing; write one #not-eq? for each value"
    ]
    instead = '((identifier) @it (#not-eq? @it "a") (#not-eq? @it "b"))'
    assert found(instead, b"a\nb\nc\n") == [b"c"]


def test_trap_03_invalid_utf8_never_reaches_a_regular_expression() -> None:
    query = '((string) @it (#match? @it "b"))'
    source = b"x = 'a\xffb'\ny = 'ab'\n"
    with pytest.raises(UnicodeDecodeError):
        raw_matches(query, source)  # raw: one bad byte loses every match of the file

    decoded = decode(source, "python")
    assert isinstance(decoded, DecodedSource)
    assert decoded.problem
    assert found(query, decoded.data) == ["'a\N{REPLACEMENT CHARACTER}b'".encode(), b"'ab'"]


def test_trap_04_files_with_nul_are_binary() -> None:
    query = '((string) @it (#match? @it "b"))'
    assert raw_matches('((module) @it (#match? @it "b"))', b"x = 'a\0b'\n") == []  # raw: a string ends at NUL
    assert found(query, b"x = 'ab'\n") == [b"'ab'"]

    for source in (b"x = 'a\0b'\n", b"\0", b"x = 1\n" * 10_000 + b"\0"):
        assert isinstance(decode(source, "python"), Undecodable)


def test_trap_05_no_predicate_is_a_callback() -> None:
    outcome = in_own_process("""
tree = tree_sitter.Parser(language).parse(b"a = b")
query = tree_sitter.Query(language, '((identifier) @it (#custom? @it "a"))')
def fail(*_): raise RuntimeError("ours")
try:
    tree_sitter.QueryCursor(query).matches(tree.root_node, fail)
except BaseException as error:
    print(type(error).__name__)
""")
    assert outcome.stdout.strip() == "SystemError"  # raw: our RuntimeError is lost

    # The wrapper gives the library a node and nothing else, and nothing goes past the wrapper.
    calls = [
        (path.name, node)
        for path, node in code_of_resplint()
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and "cursor" in node.func.value.id
        and node.func.attr in {"matches", "captures"}
    ]
    assert [name for name, _ in calls] == ["treesitter.py"]
    assert [len(call.args) + len(call.keywords) for _, call in calls] == [1]
    assert "predicate" not in inspect.signature(matches).parameters


def test_trap_06_matches_are_in_document_order() -> None:
    source = b"".join(b"name%d = %d\n" % (i, i) for i in range(2_000))
    captured = tree_sitter.QueryCursor(raw_query("(identifier) @it")).captures(raw_tree(source).root_node)["it"]
    starts = [node.start_byte for node in captured]
    assert starts != sorted(starts)  # raw: captures() goes through a set

    query = load_query(PYTHON, "(integer) @i (assignment) @a (assignment left: (_) @l) (identifier) @n", "test.scm")
    tree = parse(PYTHON, source)
    places = []
    for pattern, captures in matches(query, tree).matches:
        (node,) = next(iter(captures.values()))
        places.append((node.start_byte, -node.end_byte, pattern))
    assert len(places) == 8_000
    assert places == sorted(places)


def test_trap_06_the_main_capture_is_the_outermost_one() -> None:
    text = "((call function: (_) @callee arguments: (_) @arguments) @call)"
    query = load_query(PYTHON, text, "test.scm")
    assert query.main == (("call", "callee", "arguments"),)
    tree = parse(PYTHON, b"a(b(c)).d(e)\n")
    calls = [tree.text(captures["call"][0]) for _, captures in matches(query, tree).matches]
    assert calls == [b"a(b(c)).d(e)", b"a(b(c))", b"b(c)"]


def test_trap_07_columns_are_converted_to_utf16() -> None:
    source = "x = '\N{GRINNING FACE}é', name\n".encode()
    tree = parse(PYTHON, source)
    ((_, captures),) = matches(load_query(PYTHON, '((identifier) @it (#eq? @it "name"))', "t"), tree).matches
    node = captures["it"][0]
    assert node.start_point.column == 14  # raw: bytes

    # x, space, =, space, quote, two units of the emoji, é, quote, comma, space; then from 1
    assert LineIndex(source).position(node.start_byte) == (1, 12)


def test_trap_08_a_cancelled_parse_leaves_nothing_behind() -> None:
    first, second = b"first = 1\n" * 20_000, b"second = 2\n"
    parser = tree_sitter.Parser(PYTHON.language)
    with pytest.warns(UserWarning, match="progress_callback is ignored"):
        # raw: with bytes, the callback is not called; the stub does not even offer it
        parser.parse(second, progress_callback=lambda _offset, _error: True)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="Parsing failed"):
        parser.parse(
            lambda offset, _: first[offset : offset + 4096],
            progress_callback=lambda offset, _: offset > 50_000,
        )
    stale = parser.parse(second)
    assert stale.root_node.child_count > 1_000  # raw: the statements of the first file

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            with pytest.raises(ParseTimeout, match="longer than 0 s"):
                parse(PYTHON, first, budget=0.0)
            tree = parse(PYTHON, second)
            assert tree.root.end_byte == len(second)
            assert [tree.text(child) for child in tree.root.children] == [b"second = 2"]
            assert not tree.has_error


def test_trap_08_the_budget_holds_for_hostile_input() -> None:
    randomizer = random.Random(8)
    tokens = [
        b"def ",
        b"(",
        b")",
        b"[",
        b"{",
        b":",
        b"\n",
        b"  ",
        b"x",
        b"'",
        b'"""',
        b"f'",
        b",",
        b"lambda ",
    ]
    hostile = [
        b"x = [" + b"1 2, " * 200_000,
        b"x = (1\n" * 100_000,
        bytes(randomizer.randrange(1, 128) for _ in range(1_000_000)),
        b"".join(randomizer.choices(tokens, k=300_000)),
    ]
    for source in hostile:
        started = time.monotonic()
        with contextlib.suppress(ParseTimeout):
            parse(PYTHON, source, budget=0.2)
        assert time.monotonic() - started < 2.0


def requirement() -> Requirement:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (found_one,) = [Requirement(text) for text in project["dependencies"] if re.match(r"tree-sitter\b(?!-)", text)]
    return found_one


def test_trap_09_versions_whose_progress_callback_crashes_are_excluded() -> None:
    assert "0.25.2" not in requirement().specifier
    assert "0.26.1" in requirement().specifier
    assert version("tree-sitter") in requirement().specifier


def test_trap_10_queries_are_bounded_without_a_progress_callback() -> None:
    tree = raw_tree(b"a\n" * 50_000)
    calls: list[int] = []

    def count_call(offset: int) -> bool:
        calls.append(offset)
        return False

    raw = tree_sitter.QueryCursor(raw_query("(identifier) @it"))
    count = len(raw.matches(tree.root_node, lambda *_: True, count_call))
    assert (count, calls) == (50_000, [])  # raw: 50,000 matches, and not one chance to cancel

    # So nothing relies on it: one progress callback in all, that of the parser.
    users = [
        (path.name, node)
        for path, node in code_of_resplint()
        if isinstance(node, ast.Call) and any(k.arg == "progress_callback" for k in node.keywords)
    ]
    assert [(name, getattr(call.func, "attr", "")) for name, call in users] == [("treesitter.py", "parse")]
    query = load_query(PYTHON, "(parenthesized_expression (_) @inner) @outer", "test.scm")
    started = time.monotonic()
    result = matches(query, parse(PYTHON, b"(" * 50_000 + b"1" + b")" * 50_000))
    assert time.monotonic() - started < 5.0  # without the cap on depth: a minute
    assert result.truncated


def test_trap_11_a_match_limit_is_reported() -> None:
    pairs, source = "(module (_) @a (_) @b)", b"a\n" * 400
    raw = tree_sitter.QueryCursor(raw_query(pairs), match_limit=64)
    kept = len(raw.matches(raw_tree(source).root_node))
    everything = tree_sitter.QueryCursor(raw_query(pairs)).matches(raw_tree(source).root_node)
    assert kept < len(everything) == 400 * 399 // 2  # raw: no exception and no warning

    tree = parse(PYTHON, b"(" * 200 + b"1" + b")" * 200)
    query = load_query(PYTHON, "(parenthesized_expression (_) @inner) @outer", "test.scm")
    limited = matches(query, tree, match_limit=16)
    assert limited.truncated
    unlimited = matches(query, tree, match_limit=UNLIMITED)
    assert (unlimited.truncated, len(unlimited.matches)) == (False, 200)
    assert matches(query, tree) == unlimited


@pytest.mark.parametrize(
    "pattern",
    [
        "(module (_) @a (_) @b)",
        "(module _ @a _ @b)",
        "(module (comment) @a (comment) @b)",
        "(module (comment) @a (_) @b)",
        "(module . (_) @a (_) @b .)",
        "(module (_) @a . (_) @b (_) @c)",
        "(module [(comment) (class_definition)] @a (comment) @b)",
        "(module [(comment) @a (class_definition) @b] (comment) @c)",
        "((comment) @a (function_definition) @b)",
        "(module ((comment) @a (function_definition) @b))",
        "(import_statement name: (_) @a name: (_) @b)",
    ],
)
def test_trap_11_unanchored_sibling_pairs_are_rejected(pattern: str) -> None:
    raw_query(pattern)  # a query that tree-sitter accepts
    assert problems(pattern) == ["two captured siblings without an anchor (.) between them match in every pair"]


@pytest.mark.parametrize(
    "pattern",
    [
        "(module (_) @a . (_) @b)",
        "((comment) @a . (function_definition) @b)",
        "(binary_operator left: (_) @a right: (_) @b)",
        "(call function: (_) @a arguments: (_) @b) @c",
        "(class_definition (identifier) @a (block) @b)",
        "(module (_)* @a)",
        "(module [(comment) @a (class_definition) @b])",
        '((comment) @a (#eq? @a "b"))',
        "(generic_type . (identifier) @a (type_parameter) @b)",
    ],
)
def test_trap_11_patterns_without_pairs_are_accepted(pattern: str) -> None:
    assert problems(pattern) == []
    load_query(PYTHON, pattern, "test.scm")


def test_trap_12_directives_come_first_and_queries_live_for_ever() -> None:
    outcome = in_own_process("""
for _ in range(500):
    tree_sitter.Query(language, '((identifier) @c (#eq? @c "a") (#set! key "value") (#match? @c "a"))')
    gc.collect()
""")
    assert outcome.returncode != 0  # raw: freeing it corrupts memory

    late = '((identifier) @it (#eq? @it "a")\n (#set! key "value"))'
    assert [str(p) for p in lint_query(late, "x.scm")] == [
        "x.scm:2:3: #set! must come before the predicates of its pattern"
    ]
    with pytest.raises(KnowledgeError):
        load_query(PYTHON, late, "x.scm")
    first = '((identifier) @it (#set! key "value") (#eq? @it "a"))'
    before = len(treesitter._IMMORTAL)
    load_query(PYTHON, first, "x.scm")
    gc.collect()
    assert len(treesitter._IMMORTAL) == before + 1


def test_trap_12_one_pattern_does_not_answer_for_the_next() -> None:
    assert problems('((identifier) @a (#eq? @a "a")) ((string) @b (#set! k "v") (#eq? @b "b"))') == []


def test_trap_13_versions_with_use_after_free_are_excluded() -> None:
    assert "0.26.0" not in requirement().specifier
    assert tuple(int(part) for part in version("tree-sitter").split(".")[:3]) >= (0, 26, 1)


@pytest.mark.parametrize("name", ["eq?", "not-eq?", "any-eq?", "any-not-eq?"])
def test_trap_14_comparisons_of_two_captures_are_rejected(name: str) -> None:
    query = f"((assignment left: (_) @l right: (_)? @r) (#{name} @l @r))"
    assert problems(query) == [f"#{name} with two captures crashes when one is absent; compare them in Python"]


def test_trap_14_an_absent_capture_satisfies_every_comparison() -> None:
    # raw: `c: int` has no right side, and still "equals"
    query = '((assignment right: (_)? @it) @a (#eq? @it "b"))'
    assert len(raw_matches(query, b"a = 1\nb = b\nc: int\n")) == 2


NODE_NAMES = re.compile(r"node|root|child|sibling", re.IGNORECASE)


def names_a_node(expression: ast.expr) -> bool:
    """True for `node`, `self.root`, `child_node`: how the code calls its syntax nodes."""
    name = expression.id if isinstance(expression, ast.Name) else getattr(expression, "attr", "")
    return bool(NODE_NAMES.search(name))


def node_misuses(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        on_cursor = isinstance(node.value, ast.Name) and "cursor" in node.value.id
        return (
            node.attr == "sexp"
            or (node.attr == "parent" and names_a_node(node.value))
            or (node.attr == "depth" and on_cursor)
        )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"str", "repr", "format"}:
        return any(names_a_node(argument) for argument in node.args)
    return isinstance(node, ast.FormattedValue) and names_a_node(node.value)


@pytest.mark.parametrize(
    "misuse",
    [
        "node.parent",
        "self.root.parent",
        "str(node)",
        "repr(child)",
        "f'{node}'",
        "node.sexp()",
        "cursor.depth",
    ],
)
def test_trap_15_and_16_the_scan_sees_misuses(misuse: str) -> None:
    assert any(node_misuses(node) for node in ast.walk(ast.parse(misuse)))


DEEP = 200_000


def test_trap_15_nodes_are_never_turned_into_strings() -> None:
    outcome = in_own_process("""
tree = tree_sitter.Parser(language).parse(b"(" * 200_000 + b"1" + b")" * 200_000)
str(tree.root_node)
""")
    assert outcome.returncode != 0  # raw: the stack overflows

    # Nodes live in `languages` only (see below); elsewhere a root or a parent is that of a path.
    misuses = [
        f"{path.name}:{getattr(node, 'lineno', '?')}"
        for path, node in code_of_resplint()
        if path.parent.name == "languages" and node_misuses(node)
    ]
    assert misuses == []


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(b"(" * DEEP + b"1" + b")" * DEEP, id="parentheses"),
        pytest.param(b"(" * DEEP, id="never closed"),
        pytest.param(b"a" + b".b()" * DEEP, id="chain of calls"),
        pytest.param(b"x = " + b"not " * DEEP + b"1", id="operators"),
        pytest.param(b"x = 1" + b" + 1" * DEEP, id="sum"),
        pytest.param(b"a" + b"[0]" * DEEP, id="subscripts"),
    ],
)
def test_trap_15_and_16_deep_input_takes_seconds_at_most(source: bytes) -> None:
    query = load_query(
        PYTHON,
        """
        (parenthesized_expression (_) @inner) @outer
        (call function: (_) @callee arguments: (argument_list) @arguments) @call
        (call arguments: (argument_list (_) @argument))
        (attribute object: (_) @object) @member
        (binary_operator left: (_) @left) @sum
        [(identifier) @name (integer) @number]
        """,
        "test.scm",
    )
    started = time.monotonic()
    tree = parse(PYTHON, source)
    errors = tree.error_ranges()
    result = matches(query, tree)
    assert time.monotonic() - started < 5.0
    assert tree.hazard
    assert result.truncated
    assert bool(errors) == tree.has_error


def test_trap_16_ancestors_are_not_walked() -> None:
    tree = raw_tree(b"(" * 6_000 + b"1" + b")" * 6_000)
    leaf = tree.root_node.descendant_for_byte_range(6_000, 6_001)
    assert leaf is not None

    def climb(node: tree_sitter.Node | None, steps: int) -> float:
        started = time.perf_counter()
        for _ in range(steps):
            assert node is not None
            node = node.parent
        return time.perf_counter() - started

    near_the_leaf = climb(leaf, 100)
    near_the_root = climb(tree.root_node.descendant_for_byte_range(0, 12_001 - 1), 1) + climb(
        tree.root_node.descendant_for_byte_range(150, 12_001 - 150), 100
    )
    assert near_the_leaf > 3 * near_the_root  # raw: a step up costs the whole way down

    # The downward walk of the same depth is linear.
    started = time.perf_counter()
    assert parse(PYTHON, b"(" * 6_000 + b"1" + b")" * 6_000).error_ranges() == []
    assert time.perf_counter() - started < 1.0


def test_trap_17_only_queries_of_our_own_are_loaded() -> None:
    with pytest.raises(TypeError):
        tree_sitter.Query(PYTHON.language, None)  # type: ignore[arg-type]

    constants = {"HIGHLIGHTS_QUERY", "TAGS_QUERY", "LOCALS_QUERY", "INJECTIONS_QUERY"}
    uses = [
        path
        for path, node in code_of_resplint()
        if isinstance(node, ast.Attribute | ast.Name)
        and (getattr(node, "attr", "") or getattr(node, "id", "")) in constants
    ]
    assert uses == []


# --- more of the kind, found while writing the wrapper ------------------------------------------------------


def test_a_predicate_beside_its_pattern_is_rejected() -> None:
    query = '(identifier) @it (#eq? @it "a")'
    assert raw_query(query).pattern_count == 2  # raw: a pattern of its own, which matches every node
    assert len(raw_matches(query, b"a\nb\n")) > 2
    assert problems(query) == ["#eq? stands outside the parentheses of its pattern"]


def test_a_pattern_that_may_be_absent_is_rejected() -> None:
    assert any(not captures for _, captures in raw_matches("(identifier)* @it", b"a\n"))  # raw: empty matches
    assert problems("(identifier)* @it") == ["a pattern that may be absent (*) matches anywhere"]
    assert problems("(identifier)? @it") == ["a pattern that may be absent (?) matches anywhere"]
    assert problems("(comment)+ @it") == []


def test_captures_of_another_pattern_are_rejected() -> None:
    query = '(string) @s ((identifier) @it (#eq? @s "a"))'
    assert len(raw_matches(query, b"a\nb\n")) == 2  # raw: an absent capture satisfies the comparison
    assert problems(query) == ["@s is not captured in this pattern"]


def test_texts_are_read_without_a_crash() -> None:
    outcome = in_own_process("""
view = memoryview(b"name")
tree = tree_sitter.Parser(language).parse(lambda offset, _: view[offset:])
tree.root_node.text
""")
    assert outcome.returncode != 0  # raw: the buffer of a read callback that is no bytes object

    for source in (b"name", b"name ((", b"name" * 2_000):
        tree = parse(PYTHON, source)
        assert tree.text(tree.root) == tree.root.text == source


def test_an_end_of_zero_is_no_open_end() -> None:
    query = load_query(PYTHON, "(identifier) @it", "test.scm")
    tree = parse(PYTHON, b"a\nb\nc\n")
    raw = tree_sitter.QueryCursor(raw_query("(identifier) @it"))
    raw.set_byte_range(0, 0)
    assert len(raw.matches(tree.root)) == 3  # raw: 0 stands for "no end"

    assert matches(query, tree, byte_range=(0, 0)).matches == []
    assert [c["it"][0].start_byte for _, c in matches(query, tree, byte_range=(2, 3)).matches] == [2]
    assert [c["it"][0].start_byte for _, c in matches(query, tree, byte_range=(1, 5)).matches] == [2, 4]


def test_private_captures_are_left_out() -> None:
    text = '(call function: (identifier) @_name arguments: (_) @it (#eq? @_name "f"))'
    tree = parse(PYTHON, b"f(1)\ng(2)\n")
    ((_, captures),) = matches(load_query(PYTHON, text, "test.scm"), tree).matches
    assert captures.keys() == {"it"}
    assert problems("(call function: (_) @_name) @it") == ["@_name is private (leading _) but no predicate uses it"]
    assert problems("(call)") == ["this pattern captures nothing for its caller"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("(call) @a\n\n\n  (nope) @b", "4:4: Invalid node type: nope"),
        ("(call nope: (_) @a)", "1:7: Invalid field name: nope"),
        ("; é\n(call", "2:1: this bracket is never closed"),
        ("(call) @a)", "1:10: ) without an opening bracket"),
        ("(call] @a", "1:6: ] closes a bracket of the other kind"),
        ("(call % ) @a", "1:7: unexpected character '%'"),
        ("@a (call)", "1:1: @a follows no node"),
        ('(call #eq? @a "b") @a', "1:7: #eq? must be the first word inside parentheses"),
        ('((call) @a (.eq? @a "b"))', "1:13: write #eq?, not .eq?"),
        ('((call) @a (#match? @a "("))', "1:1: Invalid predicate in pattern: regular expression error"),
        ("(module (module) @a)", "1:9: Impossible pattern"),
    ],
)
def test_faults_of_a_query_name_their_place(text: str, place: str) -> None:
    with pytest.raises(KnowledgeError) as caught:
        load_query(PYTHON, text, "rules/python/x.scm")
    assert str(caught.value).splitlines()[0].startswith(f"rules/python/x.scm:{place}")


def test_strings_and_comments_hide_their_brackets() -> None:
    text = '; ( [ @x #y\n((string) @it (#match? @it "[(;@\\"]")) ; )'
    assert found(text, b"x = '('\ny = 'a'\n") == [b"'('"]


def test_lint_never_raises() -> None:
    randomizer = random.Random(1)
    pieces = [
        "(",
        ")",
        "[",
        "]",
        "@a",
        "@_b",
        "#eq?",
        "(#eq? @a",
        '"x"',
        '"',
        ";",
        "\n",
        ".",
        "_",
        "name",
        "f:",
        "!g",
        "*",
        "?",
        "é",
    ]
    for _ in range(3_000):
        lint_query(" ".join(randomizer.choices(pieces, k=12)), "test.scm")
    assert lint_query("(" * 200_000, "test.scm")


def test_error_ranges_are_the_outermost_ones_in_order() -> None:
    tree = parse(PYTHON, b"x = 1\ndef (:\n  pass\ny = 2\nfoo(1, \n")
    ranges = tree.error_ranges()
    assert ranges
    assert ranges == sorted(ranges)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(ranges))
    assert tree.error_ranges(limit=1) == ranges[:1]
    assert parse(PYTHON, b"x = 1\n").error_ranges() == []


def test_missing_nodes_have_empty_ranges() -> None:
    tree = parse(PYTHON, b"for x in : pass\n")
    assert tree.has_error
    assert tree.error_ranges() == [(8, 8)]


def test_reparsing_gives_the_same_tree() -> None:
    """A clean tree is parsed twice, the second time over itself; both must agree with a plain parse."""
    for path in sorted((ROOT / "src" / "resplint").rglob("*.py"))[:60]:
        source = path.read_bytes()
        assert str(parse(PYTHON, source).root) == str(raw_tree(source).root_node), path


def test_only_a_grammar_is_loaded() -> None:
    with pytest.raises(InternalError, match="grammar nothing cannot be loaded"):
        Grammar.load("nothing", object())


def test_only_the_languages_package_knows_the_binding() -> None:
    offenders = set()
    for path, node in code_of_resplint():
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or ""]
        else:
            continue
        if any(module.split(".")[0].startswith("tree_sitter") for module in modules):
            offenders.add(path.relative_to(ROOT / "src" / "resplint").parts[0])
    assert offenders <= {"languages", "files"}, "of source; that of TOML is asked for the lines of keys only"
