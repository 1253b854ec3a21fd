"""Which languages there are, and what can be known of them without a grammar.

Adapters and grammars are loaded when a file of their language is lowered: a project has one or two of them, and most
files are never parsed.
"""

from __future__ import annotations

import codecs
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from resplint.contracts.facts import FileFacts
    from resplint.languages.lowering import Builder, Lowering


@dataclass(frozen=True)
class Language:
    """One language: its suffixes, its grammar, its lowering, and its quick look at imports.

    Code is named as "module:attribute", modules of this package without it, and loaded when first asked for.
    """

    name: str
    suffixes: tuple[str, ...]
    grammar_at: str
    adapter: str
    """Module with `BUILDERS`, `LISTED`, `LEAVES` and `lower`."""
    named_modules_at: str
    standard_modules: frozenset[str] = frozenset()
    """Top-level modules that come with the language."""
    preprocess_at: str = ""
    postprocess_at: str = ""
    queries: tuple[str, ...] = ()
    """Folders below `rules/` that hold its queries, when it shares those of another language."""
    dialects_at: Mapping[str, str] = field(default_factory=dict)
    queries_without: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By suffix, names of files of queries that its grammar does not understand."""
    quick_imports: bool = False
    """Whether its imports are found about as fast as a dozen words."""
    line_comment: str = "//"
    """What opens a comment that ends with its line."""

    @cached_property
    def grammar(self) -> Callable[[], object]:
        """Makes the grammar."""
        made: Callable[[], object] = _loaded(self.grammar_at)
        return made

    @cached_property
    def dialects(self) -> Mapping[str, Callable[[], object]]:
        """The same by suffix, for files that need a grammar of their own."""
        return {suffix: _loaded(place) for suffix, place in self.dialects_at.items()}

    @cached_property
    def builders(self) -> Mapping[str, Builder]:
        """What makes the record of an expression, by its main capture."""
        table: Mapping[str, Builder] = _loaded(f"{self.adapter}:BUILDERS")
        return table

    @cached_property
    def listed(self) -> frozenset[str]:
        """Main captures of expressions that the adapter lists wherever they stand; others are found where they are
        used.
        """
        captures: frozenset[str] = _loaded(f"{self.adapter}:LISTED")
        return captures

    @cached_property
    def leaves(self) -> frozenset[str]:
        """Main captures of expressions that have no others in them."""
        captures: frozenset[str] = _loaded(f"{self.adapter}:LEAVES")
        return captures

    @cached_property
    def lower(self) -> Callable[[Lowering], None]:
        """Lowers what is not an expression."""
        lower: Callable[[Lowering], None] = _loaded(f"{self.adapter}:lower")
        return lower

    @cached_property
    def named_modules(self) -> Callable[[bytes, str], set[str]]:
        """Names what the imports of a file, with its path, may mean."""
        look: Callable[[bytes, str], set[str]] = _loaded(self.named_modules_at)
        return look

    @cached_property
    def preprocess(self) -> Callable[[bytes], bytes]:
        """Source without what the grammar is slow at or does not know; offsets hold, and only a line end is ever
        added.
        """
        quiet: Callable[[bytes], bytes] = _loaded(self.preprocess_at) if self.preprocess_at else bytes
        return quiet

    @cached_property
    def postprocess(self) -> Callable[[FileFacts], FileFacts] | None:
        """Puts right what the grammar reads in another way than the language does."""
        settle: Callable[[FileFacts], FileFacts] | None = _loaded(self.postprocess_at) if self.postprocess_at else None
        return settle


def _loaded(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module if module.startswith("tree_sitter") else f"{__package__}.{module}"), name)


LANGUAGES: Mapping[str, Language] = {
    "python": Language(
        "python",
        (".py", ".pyi"),
        "tree_sitter_python:language",
        "python",
        "python_imports:named_modules",
        frozenset(sys.stdlib_module_names),
        "python_imports:without_comment_runs",
        line_comment="#",
        quick_imports=True,
    ),
    "java": Language(
        "java",
        (".java",),
        "tree_sitter_java:language",
        "java",
        "java_imports:named_modules",
        frozenset({"java", "javax", "jdk"}),
        "java_quiet:without_open_runs",
    ),
    "kotlin": Language(
        "kotlin",
        (".kt", ".kts"),
        "tree_sitter_kotlin:language",
        "kotlin",
        "kotlin_imports:named_modules",
        frozenset({"java", "javax", "jdk", "kotlin", "kotlinx"}),
        "kotlin_repairs:repaired",
        "kotlin_prefix:postprocess",
    ),
    "javascript": Language(
        "javascript",
        (".js", ".cjs", ".mjs", ".jsx"),
        "tree_sitter_javascript:language",
        "javascript",
        "javascript_imports:named_modules",
        preprocess_at="javascript_imports:without_comment_runs",
    ),
    "typescript": Language(
        "typescript",
        (".ts", ".cts", ".mts", ".tsx"),
        "tree_sitter_typescript:language_typescript",
        "javascript",
        "javascript_imports:named_modules",
        preprocess_at="typescript_repairs:repaired",
        queries=("javascript", "typescript"),
        dialects_at={".tsx": "tree_sitter_typescript:language_tsx"},
        queries_without={".tsx": frozenset({"assertions.scm"})},
    ),
}
EXTENSIONS: Mapping[str, str] = {
    suffix: language.name for language in LANGUAGES.values() for suffix in language.suffixes if suffix != ".pyi"
}


def named_modules(data: bytes, path: str, language: str) -> set[str]:
    """Dotted names of the modules that a file's import statements may mean, relative ones resolved against its path."""
    return LANGUAGES[language].named_modules(data.removeprefix(codecs.BOM_UTF8), path)
