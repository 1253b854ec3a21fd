"""Languages that are not analysed: their files are only searched for the name of Redis, so that a report can say what
it is silent about.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

SUFFIXES: Mapping[str, str] = {
    ".php": "PHP", ".phtml": "PHP",
    ".go": "Go",
    ".cs": "C#", ".fs": "F#", ".vb": "Visual Basic",
    ".rb": "Ruby", ".rake": "Ruby",
    ".rs": "Rust",
    ".scala": "Scala", ".groovy": "Groovy", ".clj": "Clojure", ".cljs": "Clojure",
    ".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".cxx": "C++", ".hpp": "C++", ".hh": "C++",
    ".swift": "Swift", ".m": "Objective-C", ".mm": "Objective-C",
    ".dart": "Dart",
    ".ex": "Elixir", ".exs": "Elixir", ".erl": "Erlang",
    ".hs": "Haskell", ".ml": "OCaml", ".jl": "Julia", ".r": "R", ".nim": "Nim", ".cr": "Crystal", ".zig": "Zig",
    ".pl": "Perl", ".pm": "Perl",
    ".coffee": "CoffeeScript",
    ".pyx": "Cython",
    ".vue": "Vue", ".svelte": "Svelte", ".astro": "Astro",
    ".ipynb": "Jupyter",
}  # fmt: skip
"""The language of files that are not analysed, by suffix. Lua is none of them: mostly it is what Redis itself runs."""

_NAMES = (b"redis", b"Redis", b"REDIS", b"valkey", b"Valkey", b"VALKEY")
_NAMED = re.compile(rb"redis(?!tri|til|cov|cou|cus|cre|pla|pat|pos|sol)|valkey", re.IGNORECASE)
"""The same, but for the English words that begin like it: licences speak of redistribution."""


def language_by_suffix(name: str, suffixes: Mapping[str, str]) -> str | None:
    """The language that the suffix of a file's name stands for; None if it stands for none."""
    dot = name.rfind(".")
    return suffixes.get(name[dot:].lower()) if dot > 0 else None


def mentions_redis(path: str, limit: int) -> bool:
    """Whether the first `limit` bytes of a file name Redis or Valkey; False for one that cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        try:
            data = os.read(descriptor, limit)
        finally:
            os.close(descriptor)
    except OSError:
        return False
    return any(name in data for name in _NAMES) and _NAMED.search(data) is not None
