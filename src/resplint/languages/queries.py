"""The queries of one language, made ready for searching.

Most patterns say no more than "a node of this kind, with children in these fields". To search for all of them costs
more than to parse the file. Such nodes are looked up by their kind instead, when something refers to them; only the
other patterns are searched for, and those that ask for words only where the source contains them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from resplint.contracts.errors import KnowledgeError
from resplint.languages.lowering import WRAPPER, Builder, Part, Plans
from resplint.languages.query_lint import split_patterns
from resplint.languages.treesitter import CompiledQuery, Grammar, ParsedTree, load_query

_PLAIN: Final = re.compile(r"\((\w+)((?: \w+: \(\w+\)\?? @\w+)*)\) @(expr\.\w+)")
_PART: Final = re.compile(r" (\w+): \((\w+)\)(\??) @(\w+)")
_WRAPPER: Final = re.compile(r"\((\w+) \(_\) @inner\) @expr\.same")
_WRAPPERS: Final = ("expr.same", "expr.await")
_MAIN: Final = re.compile(r"([)\]]) @(expr\.\w+)")
_WORD: Final = re.compile(r'\(#[\w-]+\? @[\w.]+ "([^"]*)"\)')
_SPOT: Final = re.compile(r'\(\((\w+)\) @([\w.]+) \(#(eq|match)\? @\2 "([\w:]+)"\)\)')
_ANY_KIND: Final = 0


class Spot(NamedTuple):
    """Nodes of a kind that consist of a word, or contain it."""

    kind: int
    main: str
    word: bytes
    whole: bool


@dataclass(frozen=True)
class LanguageQueries:
    """All queries of a language, for one grammar.

    `files` are their texts, by the names that users know them by. `listed` are the main captures of expressions that
    the adapter asks for wherever they stand. The first use raises `KnowledgeError`, naming the file at fault.
    """

    grammar: Grammar
    files: Mapping[str, str]
    listed: frozenset[str]
    builders: Mapping[str, Builder]
    leaves: frozenset[str]
    """Main captures whose builders ask for no other expression."""

    def asks_for_words(self, source: bytes) -> bool:
        """Whether the source contains a word that patterns ask for, other than those of `spots`."""
        return any(word in source for word in self._words)

    def prepared(self, tree: ParsedTree, *, words: bool) -> tuple[CompiledQuery, Plans]:
        """What to search a tree for, and what to look up; `words` as `asks_for_words` says."""
        if tree.hazard:  # where nothing is searched for, nothing must be found
            return self._whole, {}
        return self._with_words if words else self._usual, self._known[0]

    def spots(self, tree: ParsedTree) -> list[Spot]:
        """What is found where words stand, which is quicker than to compare each node with them."""
        return [spot for spot in self._spots.values() if spot.word in tree.source] if not tree.hazard else []

    def prepare(self) -> None:
        """Do now what the first files would make this do. Raises `KnowledgeError`, naming the file at fault."""
        _ = self._usual

    # -- queries -------------------------------------------------------------------------------------------------------

    @cached_property
    def _patterns(self) -> list[str]:
        return [pattern for text in self.files.values() for pattern in split_patterns(text)]

    @cached_property
    def _words(self) -> frozenset[bytes]:
        patterns = (pattern for pattern in self._patterns if pattern not in self._spots)
        return frozenset(word.encode() for pattern in patterns for word in _WORD.findall(pattern))

    @cached_property
    def _spots(self) -> dict[str, Spot]:
        """By pattern."""
        spots = {}
        for pattern in self._patterns:
            found = _SPOT.fullmatch(pattern)
            kind = self._kind(found[1]) if found else None
            if found and kind is not None:
                spots[pattern] = Spot(kind, found[2], found[4].encode(), found[3] == "eq")
        return spots

    @cached_property
    def _whole(self) -> CompiledQuery:
        return self._compiled(self._patterns)

    @cached_property
    def _with_words(self) -> CompiledQuery:
        known = self._known[1] | self._spots.keys()
        return self._compiled(pattern for pattern in self._patterns if pattern not in known)

    @cached_property
    def _usual(self) -> CompiledQuery:
        known = self._known[1]
        patterns = (pattern for pattern in self._patterns if not _WORD.search(pattern))
        return self._compiled(pattern for pattern in patterns if pattern not in known)

    def _compiled(self, patterns: Iterable[str]) -> CompiledQuery:
        try:
            return load_query(self.grammar, "\n".join(patterns), "queries")
        except KnowledgeError:
            for name, text in self.files.items():
                load_query(self.grammar, text, name)
            raise

    # -- look-ups ------------------------------------------------------------------------------------------------------

    @cached_property
    def _known(self) -> tuple[Plans, set[str]]:
        """What is looked up, for patterns that are plain enough and whose nodes no other pattern means; and these."""
        mains = Counter(
            (_kind_before(pattern, found.start(1)), found[2] in _WRAPPERS)
            for pattern in self._patterns
            for found in _MAIN.finditer(pattern)
        )
        plans: Plans = {}
        patterns: set[str] = set()
        for pattern in self._patterns:
            plain, wrapper = _PLAIN.fullmatch(pattern), _WRAPPER.fullmatch(pattern)
            if wrapper and mains[wrapper[1], True] == 1 and not mains[wrapper[1], False]:
                if (kind := self._kind(wrapper[1])) is not None:
                    plans[kind] = WRAPPER
                    patterns.add(pattern)
            elif plain and mains[plain[1], False] == 1 and self._look_up(plans, *plain.groups()):
                patterns.add(pattern)
        return plans, patterns

    def _look_up(self, plans: Plans, kind: str, parts: str, main: str) -> bool:
        """Have a kind of node looked up, if that can be."""
        number, wanted, builder = self._kind(kind), self._parts(parts), self.builders.get(main)
        if number is None or wanted is None or builder is None or main in self.listed:
            return False
        plans[number] = builder, None if main in self.leaves and not wanted else wanted
        return True

    def _parts(self, text: str) -> tuple[Part, ...] | None:
        parts = []
        for name, kind, optional, capture in _PART.findall(text):
            field = self.grammar.language.field_id_for_name(name)
            number = _ANY_KIND if kind == "_" else self._kind(kind)
            if field is None or number is None:
                return None
            parts.append((capture, field, number, not optional))
        return tuple(parts)

    def _kind(self, name: str) -> int | None:
        """The number of a kind of node; None for those that the grammar does not know or that stand for several."""
        language = self.grammar.language
        number = language.id_for_node_kind(name, True)
        return number if number is not None and language.node_kind_is_visible(number) else None


def _kind_before(pattern: str, close: int) -> str:
    """The kind of the node whose closing bracket stands at `close`; "" for an alternation."""
    depth = 0
    for at in range(close, -1, -1):
        depth += (pattern[at] in ")]") - (pattern[at] in "([")
        if not depth:
            words = re.match(r"\((\w+)", pattern[at:])
            return words[1] if words else ""
    return ""
