"""A Java, Kotlin, JavaScript or TypeScript file as a tree of parts, for changes that must know where things stand."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cache, lru_cache

from resplint.languages.registry import LANGUAGES
from resplint.languages.treesitter import Grammar, ParsedTree, parse
from tests.rules.metamorphic import Changed, Setting, Text

COMMENTS = frozenset({"comment", "line_comment", "block_comment"})
_TEXTS = frozenset({"string_literal", "multiline_string_literal", "template_string", "string", "regex"})
_BUDGET = 60.0

FUNCTIONS = {
    "java": frozenset({"method_declaration", "constructor_declaration", "lambda_expression"}),
    "kotlin": frozenset(
        {"function_declaration", "secondary_constructor", "anonymous_function", "lambda_literal", "getter", "setter"}
    ),
    "javascript": frozenset(
        {
            "function_declaration",
            "generator_function_declaration",
            "function_expression",
            "generator_function",
            "arrow_function",
            "method_definition",
        }
    ),
}
FUNCTIONS["typescript"] = FUNCTIONS["javascript"]
"""Parts with parameters and a body."""


@dataclasses.dataclass(eq=False)
class Part:
    """One node of the tree, with the characters that it spans."""

    kind: str
    start: int
    end: int
    named: bool
    field: str
    parent: Part | None
    children: list[Part] = dataclasses.field(default_factory=list, repr=False)

    @property
    def above(self) -> Iterator[Part]:
        """The parts around this one, inner ones first."""
        part = self.parent
        while part is not None:
            yield part
            part = part.parent

    @property
    def walk(self) -> Iterator[Part]:
        """This part and all inside it, in the order of the text."""
        waiting = [self]
        while waiting:
            part = waiting.pop()
            yield part
            waiting.extend(reversed(part.children))

    @property
    def named_children(self) -> list[Part]:
        """The children that are neither tokens nor comments."""
        return [child for child in self.children if child.named and child.kind not in COMMENTS]

    def get(self, name: str) -> Part | None:
        """The first child in a field."""
        return next((child for child in self.children if child.field == name), None)

    def within(self, *kinds: str) -> Part | None:
        """The innermost part around this one that is of one of some kinds."""
        return next((part for part in self.above if part.kind in kinds), None)

    def covers(self, other: Part) -> bool:
        return self.start <= other.start and other.end <= self.end


class Code(Text):
    """A text with its tree."""

    def __init__(self, text: str, language: str, suffix: str) -> None:
        super().__init__(text)
        self.language = language
        tree = _parse(text, language, suffix)
        self.errors = len(tree.error_ranges())
        self.root = _parts(tree, text)
        self.parts = list(self.root.walk)

    def code(self, part: Part) -> str:
        return self.text[part.start : part.end]

    def of_kind(self, *kinds: str) -> Iterator[Part]:
        return (part for part in self.parts if part.kind in kinds)

    @property
    def functions(self) -> Iterator[Part]:
        return self.of_kind(*FUNCTIONS[self.language])

    def first_line(self, part: Part) -> int:
        return self.line_at(part.start)

    def last_line(self, part: Part) -> int:
        return self.line_at(part.end - 1)

    @property
    def lines_inside_text(self) -> set[int]:
        """Lines that begin inside a string or a comment."""
        return {
            line
            for part in self.of_kind(*_TEXTS, *COMMENTS)
            for line in range(self.first_line(part) + 1, self.last_line(part) + 1)
        }


@lru_cache(maxsize=1024)
def code_of(text: str, setting: Setting) -> Code:
    return Code(text, setting.language, setting.suffix)


def is_valid(changed: Changed, text: str, setting: Setting) -> bool:
    """True if a changed file has no more errors of syntax than it had before."""
    tree = _parse(changed.text.removeprefix("\ufeff"), setting.language, changed.suffix or setting.suffix)
    return len(tree.error_ranges()) <= code_of(text, setting).errors


def unchanged(code: Text) -> Changed:
    return code.edited([])


@cache
def _grammar(language: str, suffix: str) -> Grammar:
    spec = LANGUAGES[language]
    return Grammar.load(language + suffix, spec.dialects.get(suffix, spec.grammar)())


def _parse(text: str, language: str, suffix: str) -> ParsedTree:
    data = LANGUAGES[language].preprocess(text.encode())
    return parse(_grammar(language, suffix), data, budget=_BUDGET)


def _parts(tree: ParsedTree, text: str) -> Part:
    """The tree with characters for bytes; a walk without recursion."""
    offsets: list[int] = []
    for index, character in enumerate(text):
        offsets += [index] * len(character.encode())
    offsets.append(len(text))
    cursor = tree.tree.walk()
    top: Part | None = None
    parent: Part | None = None
    while True:
        node = cursor.node
        assert node is not None
        part = Part(
            node.type, offsets[node.start_byte], offsets[node.end_byte], node.is_named, cursor.field_name or "", parent
        )
        if parent is None:
            top = part
        else:
            parent.children.append(part)
        if cursor.goto_first_child():
            parent = part
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                assert top is not None
                return top
            assert parent is not None
            parent = parent.parent
