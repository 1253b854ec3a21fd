"""How a file of each language becomes facts."""

from __future__ import annotations

import gc
import posixpath
import re
from bisect import bisect_right
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from resplint.contracts import facts
from resplint.contracts.errors import ResplintError
from resplint.files.source import DecodedSource, Undecodable, decode, is_minified, line_starts
from resplint.knowledge.files import rules_dir
from resplint.languages.lowering import Entry, Lowering
from resplint.languages.queries import LanguageQueries, Spot
from resplint.languages.table import LANGUAGES
from resplint.languages.treesitter import (
    CompiledQuery,
    Grammar,
    ParsedTree,
    ParseTimeout,
    load_query,
    matches,
    nodes_at,
    parse,
)

_MAX_ERRORS = 100


@dataclass(frozen=True)
class Lowered:
    """What became of one file: facts, or the reason why there are none."""

    facts: facts.FileFacts | None
    reason: str = ""
    timed_out: bool = False


@cache
def _grammar(name: str, dialect: str) -> Grammar:
    language = LANGUAGES[name]
    return Grammar.load(name + dialect, language.dialects.get(dialect, language.grammar)())


@cache
def _queries(name: str, dialect: str) -> LanguageQueries:
    """All queries of a language as one, so that a file is walked once."""
    language = LANGUAGES[name]
    paths = [path for folder in language.queries or (name,) for path in sorted((rules_dir() / folder).glob("*.scm"))]
    unknown = language.queries_without.get(dialect, frozenset())
    known = [path for path in paths if path.name not in unknown]
    files = {f"rules/{path.parent.name}/{path.name}": path.read_text(encoding="utf-8") for path in known}
    return LanguageQueries(_grammar(name, dialect), files, language.listed, language.builders, language.leaves)


def prepare(files: Iterable[tuple[str, str]]) -> None:
    """Load what lowering files, given as (path, language), will need, so that processes that are forked share it."""
    for language, dialect in {(language, _dialect(path, language)) for path, language in files}:
        with suppress(ResplintError):  # it is reported with each file
            _queries(language, dialect).prepare()


def lower(path: str, language: str, data: bytes, budget_s: float, *, include_minified: bool = False) -> Lowered:
    """Facts of one file from its bytes. Never raises for what the file holds. Parsing may take `budget_s` seconds of
    processor time.
    """
    source = decode(data, language)
    if isinstance(source, Undecodable):
        return Lowered(None, source.reason)
    if not include_minified and is_minified(source.data):
        return Lowered(None, "minified: machine output that no person reads (include-minified)")
    was_collecting = gc.isenabled()
    gc.disable()  # nothing here is garbage before the end, and looking for some takes a third of the time
    try:
        return Lowered(_facts(path, language, source, budget_s))
    except ParseTimeout as error:
        return Lowered(None, str(error), timed_out=True)
    except ResplintError as error:
        return Lowered(None, str(error))
    finally:
        if was_collecting:
            gc.enable()


def _facts(path: str, language: str, source: DecodedSource, budget_s: float) -> facts.FileFacts:
    spec = LANGUAGES[language]
    dialect = _dialect(path, language)
    queries = _queries(language, dialect)
    words = queries.asks_for_words(source.data)
    tree = parse(_grammar(language, dialect), spec.preprocess(source.data), budget=budget_s, for_predicates=words)
    query, plans = queries.prepared(tree, words=words)
    found = matches(query, tree)
    low = Lowering(path, language, source.data, spec.builders, plans)
    low.read(found.matches, query.main)
    if spots := queries.spots(tree):
        _spot(low, tree, spots)
    spec.lower(low)
    errors = _within(tree.error_ranges(_MAX_ERRORS), len(source.data)) if tree.has_error else []
    starts = line_starts(source.data)
    problems = [source.problem] if source.problem else []
    if errors:
        problems.append(f"line {bisect_right(starts, errors[0][0])} does not parse")
    if found.truncated:
        problems.append("it is nested too deeply, or matches too often, to be read to the end")
    file = low.finish(errors, "; ".join(problems), starts)
    return spec.postprocess(file) if spec.postprocess is not None else file


def _spot(low: Lowering, tree: ParsedTree, spots: list[Spot]) -> None:
    """Add what is found where words stand."""
    words = re.compile(b"(?=%b)" % b"|".join(sorted({re.escape(spot.word) for spot in spots})))
    offsets = [match.start() for match in words.finditer(tree.source)]
    for node in nodes_at(tree, offsets):
        kind = node.kind_id
        for spot in spots:
            if spot.kind == kind:
                text = tree.text(node)
                if text == spot.word if spot.whole else spot.word in text:
                    low.by_main.setdefault(spot.main, []).append(Entry(spot.main, node, {spot.main: [node]}))
    for main in {spot.main for spot in spots}:
        low.each(main).sort(key=lambda entry: (entry.node.start_byte, -entry.node.end_byte))


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
        tree = parse(_grammar(language, dialect), LANGUAGES[language].preprocess(source.data))
    except ResplintError:
        return []
    found = [captures["comment"][0] for _, captures in matches(_comment_query(language, dialect), tree).matches]
    return [source.data[node.start_byte : node.end_byte].decode("utf-8") for node in found]


def _dialect(path: str, language: str) -> str:
    suffix = posixpath.splitext(path)[1].lower()
    return suffix if suffix in LANGUAGES[language].dialects_at else ""
