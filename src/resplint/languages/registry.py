"""Which languages there are, and how a file of each becomes facts."""

from __future__ import annotations

import gc
import posixpath
import sys
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache

import tree_sitter_java
import tree_sitter_javascript
import tree_sitter_kotlin
import tree_sitter_python
import tree_sitter_typescript

from resplint import facts
from resplint.errors import ResplintError
from resplint.knowledge.files import rules_dir
from resplint.languages import (
    java,
    java_imports,
    java_quiet,
    javascript,
    javascript_imports,
    kotlin,
    kotlin_imports,
    kotlin_prefix,
    kotlin_repairs,
    python,
    python_imports,
)
from resplint.languages.lowering import Builder, Lowering
from resplint.languages.python_values import BUILDERS as PYTHON_BUILDERS
from resplint.languages.queries import LanguageQueries
from resplint.languages.treesitter import CompiledQuery, Grammar, load_query, matches, parse
from resplint.source import DecodedSource, Undecodable, decode, is_minified, line_starts

_MAX_ERRORS = 100


@dataclass(frozen=True)
class Language:
    """One language: its grammar, its suffixes, its lowering, and its quick look at imports."""

    name: str
    suffixes: tuple[str, ...]
    grammar: Callable[[], object]
    builders: Mapping[str, Builder]
    lower: Callable[[Lowering], None]
    named_modules: Callable[[bytes, str], set[str]]
    standard_modules: frozenset[str] = frozenset()
    """Top-level modules that come with the language."""
    quieted: Callable[[bytes], bytes] = bytes
    """Source without what the grammar is slow at or does not know; offsets hold, and only a line end is ever added."""
    listed: frozenset[str] = frozenset()
    """Main captures of expressions that the adapter lists wherever they stand; others are found where they are used."""
    settled: Callable[[facts.FileFacts], facts.FileFacts] | None = None
    """Puts right what the grammar reads in another way than the language does."""
    queries: tuple[str, ...] = ()
    """Folders below `rules/` that hold its queries, when it shares those of another language."""
    dialects: Mapping[str, Callable[[], object]] = field(default_factory=dict)
    """Suffix -> grammar, for files that need one of their own."""
    line_comment: str = "//"
    """What opens a comment that ends with its line."""


LANGUAGES: Mapping[str, Language] = {
    "python": Language(
        "python",
        (".py", ".pyi"),
        tree_sitter_python.language,
        PYTHON_BUILDERS,
        python.lower,
        python_imports.named_modules,
        frozenset(sys.stdlib_module_names),
        python_imports.without_comment_runs,
        python.LISTED,
        line_comment="#",
    ),
    "java": Language(
        "java",
        (".java",),
        tree_sitter_java.language,
        java.BUILDERS,
        java.lower,
        java_imports.named_modules,
        frozenset({"java", "javax", "jdk"}),
        java_quiet.without_open_runs,
        java.LISTED,
    ),
    "kotlin": Language(
        "kotlin",
        (".kt", ".kts"),
        tree_sitter_kotlin.language,
        kotlin.BUILDERS,
        kotlin.lower,
        kotlin_imports.named_modules,
        frozenset({"java", "javax", "jdk", "kotlin", "kotlinx"}),
        kotlin_repairs.repaired,
        kotlin.LISTED,
        kotlin_prefix.settled,
    ),
    "javascript": Language(
        "javascript",
        (".js", ".cjs", ".mjs", ".jsx"),
        tree_sitter_javascript.language,
        javascript.BUILDERS,
        javascript.lower,
        javascript_imports.named_modules,
        quieted=javascript_imports.without_comment_runs,
        listed=javascript.LISTED,
    ),
    "typescript": Language(
        "typescript",
        (".ts", ".cts", ".mts", ".tsx"),
        tree_sitter_typescript.language_typescript,
        javascript.BUILDERS,
        javascript.lower,
        javascript_imports.named_modules,
        quieted=javascript_imports.without_comment_runs,
        listed=javascript.LISTED,
        queries=("javascript", "typescript"),
        dialects={".tsx": tree_sitter_typescript.language_tsx},
    ),
}
EXTENSIONS: Mapping[str, str] = {
    suffix: language.name for language in LANGUAGES.values() for suffix in language.suffixes if suffix != ".pyi"
}


@dataclass(frozen=True)
class Lowered:
    """What became of one file: facts, or the reason why there are none."""

    facts: facts.FileFacts | None
    reason: str = ""


@cache
def _grammar(name: str, dialect: str) -> Grammar:
    language = LANGUAGES[name]
    return Grammar.load(name + dialect, language.dialects.get(dialect, language.grammar)())


@cache
def _queries(name: str, dialect: str) -> LanguageQueries:
    """All queries of a language as one, so that a file is walked once."""
    language = LANGUAGES[name]
    paths = [path for folder in language.queries or (name,) for path in sorted((rules_dir() / folder).glob("*.scm"))]
    files = {f"rules/{path.parent.name}/{path.name}": path.read_text(encoding="utf-8") for path in paths}
    return LanguageQueries(_grammar(name, dialect), files, language.listed)


def lower(path: str, language: str, data: bytes) -> Lowered:
    """Facts of one file from its bytes. Never raises for what the file holds."""
    source = decode(data, language)
    if isinstance(source, Undecodable):
        return Lowered(None, source.reason)
    if is_minified(source.data):
        return Lowered(None, "minified: machine output that no person reads")
    was_collecting = gc.isenabled()
    gc.disable()  # nothing here is garbage before the end, and looking for some takes a third of the time
    try:
        return Lowered(_facts(path, language, source))
    except ResplintError as error:
        return Lowered(None, str(error))
    finally:
        if was_collecting:
            gc.enable()


def _facts(path: str, language: str, source: DecodedSource) -> facts.FileFacts:
    spec = LANGUAGES[language]
    dialect = _dialect(path, language)
    queries = _queries(language, dialect)
    words = queries.asks_for_words(source.data)
    tree = parse(_grammar(language, dialect), spec.quieted(source.data), for_predicates=words)
    query, look_ups = queries.prepared(tree, words=words)
    found = matches(query, tree)
    low = Lowering(path, language, source.data, spec.builders, look_ups)
    low.read(found.matches, query.main)
    spec.lower(low)
    errors = _within(tree.error_ranges(_MAX_ERRORS), len(source.data)) if tree.has_error else []
    starts = line_starts(source.data)
    problems = [source.problem] if source.problem else []
    if errors:
        problems.append(f"line {bisect_right(starts, errors[0][0])} does not parse")
    if found.truncated:
        problems.append("it is nested too deeply, or matches too often, to be read to the end")
    file = low.finish(errors, "; ".join(problems), starts)
    return spec.settled(file) if spec.settled is not None else file


def _within(ranges: list[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    """Errors as far as they are in the file: Kotlin's grammar makes some that reach one byte beyond its end."""
    return [(min(start, size), min(end, size)) for start, end in ranges]


_COMMENTS = ("comment", "line_comment", "block_comment")


@cache
def _comment_query(name: str, dialect: str) -> CompiledQuery:
    grammar = _grammar(name, dialect)
    kinds = [kind for kind in _COMMENTS if grammar.language.id_for_node_kind(kind, True)]
    return load_query(grammar, "\n".join(f"({kind}) @comment" for kind in kinds), "comments")


def comment_texts(path: str, language: str, data: bytes) -> list[str]:
    """The text of every comment of a file, in order; facts hold only those that speak to resplint. Empty if the file
    cannot be read.
    """
    source = decode(data, language)
    if isinstance(source, Undecodable):
        return []
    dialect = _dialect(path, language)
    try:
        tree = parse(_grammar(language, dialect), LANGUAGES[language].quieted(source.data))
    except ResplintError:
        return []
    found = [captures["comment"][0] for _, captures in matches(_comment_query(language, dialect), tree).matches]
    return [source.data[node.start_byte : node.end_byte].decode("utf-8") for node in found]


def _dialect(path: str, language: str) -> str:
    suffix = posixpath.splitext(path)[1].lower()
    return suffix if suffix in LANGUAGES[language].dialects else ""


def named_modules(data: bytes, path: str, language: str) -> set[str]:
    """Dotted names of the modules that a file's import statements may mean, relative ones resolved against its path."""
    return LANGUAGES[language].named_modules(data, path)
