"""Which languages there are, and how a file of each becomes facts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import tree_sitter_python

from resplint import facts
from resplint.errors import ResplintError
from resplint.knowledge.files import rules_dir
from resplint.languages import python, python_imports
from resplint.languages.lowering import Lowering
from resplint.languages.python_values import BUILDERS as PYTHON_BUILDERS
from resplint.languages.treesitter import CompiledQuery, Grammar, load_query, matches, parse
from resplint.source import DecodedSource, LineIndex, Undecodable, decode, is_minified

_MAX_ERRORS = 100


@dataclass(frozen=True)
class Language:
    """One language: its grammar, its suffixes, its lowering, and its quick look at imports."""

    name: str
    suffixes: tuple[str, ...]
    grammar: Callable[[], object]
    builders: Mapping[str, object]
    lower: Callable[[Lowering], None]
    named_modules: Callable[[bytes, str], set[str]]
    standard_modules: frozenset[str] = frozenset()
    """Top-level modules that come with the language."""
    quieted: Callable[[bytes], bytes] = bytes
    """Source without what the grammar is slow at; of the same length, so that offsets hold."""


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
def _grammar(name: str) -> Grammar:
    return Grammar.load(name, LANGUAGES[name].grammar())


@cache
def _query(name: str) -> CompiledQuery:
    """All queries of a language as one, so that a file is walked once. Raises `KnowledgeError` naming the file at
    fault.
    """
    grammar = _grammar(name)
    texts = []
    for path in sorted((rules_dir() / name).glob("*.scm")):
        text = path.read_text(encoding="utf-8")
        load_query(grammar, text, f"rules/{name}/{path.name}")
        texts.append(text)
    return load_query(grammar, "\n".join(texts), f"rules/{name}/*.scm")


def lower(path: str, language: str, data: bytes) -> Lowered:
    """Facts of one file from its bytes. Never raises for what the file holds."""
    source = decode(data, language)
    if isinstance(source, Undecodable):
        return Lowered(None, source.reason)
    if is_minified(source.data):
        return Lowered(None, "minified: machine output that no person reads")
    try:
        return Lowered(_facts(path, language, source))
    except ResplintError as error:
        return Lowered(None, str(error))


def _facts(path: str, language: str, source: DecodedSource) -> facts.FileFacts:
    spec = LANGUAGES[language]
    tree = parse(_grammar(language), spec.quieted(source.data))
    found = matches(_query(language), tree)
    low = Lowering(path, language, source.data, dict(spec.builders))  # type: ignore[arg-type]
    low.read(found.matches)
    spec.lower(low)
    errors = tree.error_ranges(_MAX_ERRORS) if tree.has_error else []
    lines = LineIndex(source.data)
    problems = [source.problem] if source.problem else []
    if errors:
        problems.append(f"line {lines.position(errors[0][0])[0]} does not parse")
    if found.truncated:
        problems.append("it is nested too deeply, or matches too often, to be read to the end")
    return low.finish(errors, "; ".join(problems), lines.starts)


def named_modules(data: bytes, path: str, language: str) -> set[str]:
    """Dotted names of the modules that a file's import statements may mean, relative ones resolved against its path."""
    return LANGUAGES[language].named_modules(data, path)
