"""Languages: each lowers its files to facts. The only package that touches tree-sitter.

`LANGUAGES` names them with their file suffixes; `lower` does the work; `named_imports` is the cheap look at a file's
bytes that decides, before any parsing, whether it can matter.
"""

from __future__ import annotations

from resplint.languages.registry import EXTENSIONS, LANGUAGES, Lowered, comment_texts, lower, named_modules

__all__ = ["EXTENSIONS", "LANGUAGES", "Lowered", "comment_texts", "lower", "named_modules"]
