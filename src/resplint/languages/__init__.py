"""Languages: each lowers its files to facts. The only package that touches tree-sitter.

`LANGUAGES` names them with their file suffixes; `lower` does the work; `named_modules` is the cheap look at a file's
bytes that decides, before any parsing, whether it can matter. Grammars are loaded when a file is lowered.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from resplint.languages.table import EXTENSIONS, LANGUAGES, Language, named_modules

if TYPE_CHECKING:
    from resplint.languages.registry import Lowered

__all__ = ["EXTENSIONS", "LANGUAGES", "Language", "comment_texts", "lower", "named_modules", "prepare"]


def prepare(files: Iterable[tuple[str, str]]) -> None:
    """Load what lowering files, given as (path, language), will need, so that processes that are forked share it."""
    from resplint.languages import registry  # noqa: PLC0415

    registry.prepare(files)


def lower(path: str, language: str, data: bytes, *, budget_s: float = 5.0, include_minified: bool = False) -> Lowered:
    """Facts of one file from its bytes. Never raises for what the file holds. Parsing may take `budget_s` seconds of
    processor time.
    """
    from resplint.languages import registry  # noqa: PLC0415

    return registry.lower(path, language, data, budget_s, include_minified=include_minified)


def comment_texts(path: str, language: str, data: bytes) -> list[str]:
    """The text of every comment of a file, in order; facts hold only those that speak to resplint. Empty if the file
    cannot be read.
    """
    from resplint.languages import registry  # noqa: PLC0415

    return registry.comment_texts(path, language, data)
