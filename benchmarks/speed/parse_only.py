"""Parse the files of a list, and nothing else: `parse_only.py LIST` prints the processor time of that, in seconds.

The floor of what needs syntax trees: a plain loop in one process, with the grammars that resplint uses.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tree_sitter import Language, Parser

GRAMMARS = {
    ".py": ("tree_sitter_python", "language"),
    ".java": ("tree_sitter_java", "language"),
    ".kt": ("tree_sitter_kotlin", "language"),
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), ("tree_sitter_javascript", "language")),
    **dict.fromkeys((".ts", ".mts", ".cts"), ("tree_sitter_typescript", "language_typescript")),
    ".tsx": ("tree_sitter_typescript", "language_tsx"),
}


def main() -> None:
    parsers: dict[tuple[str, str], Parser] = {}
    spent_s = 0.0
    for name in Path(sys.argv[1]).read_text("utf-8").splitlines():
        path = Path(name)
        grammar = GRAMMARS[path.suffix]
        if grammar not in parsers:
            language: Callable[[], object] = getattr(importlib.import_module(grammar[0]), grammar[1])
            parsers[grammar] = Parser(Language(language()))
        data, started = path.read_bytes(), time.process_time()
        parsers[grammar].parse(data)
        spent_s += time.process_time() - started
    print(f"{spent_s:.4f}")


if __name__ == "__main__":
    main()
