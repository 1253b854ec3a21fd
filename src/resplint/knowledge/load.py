"""What resplint knows, by name: the one module that the rest of resplint loads knowledge from.

Everything is read once per process. The tables are shared: callers must not change them.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from resplint.knowledge.book import SECTIONS, load_book, load_pages
from resplint.knowledge.compiled import stored
from resplint.knowledge.files import fixtures_dir, read_record, rules_dir
from resplint.knowledge.language_files import joined, load_language
from resplint.knowledge.libraries import load_libraries
from resplint.knowledge.platforms import load_platforms
from resplint.knowledge.ranges import version_in
from resplint.knowledge.records.command_records import CommandModel
from resplint.knowledge.records.role_records import Roles
from resplint.knowledge.records.spelling_records import Spelling

__all__ = [
    "SECTIONS",
    "fixtures_dir",
    "load_book",
    "load_commands",
    "load_libraries",
    "load_pages",
    "load_platforms",
    "load_roles",
    "load_spelling",
    "rules_dir",
    "version_in",
]


@cache
def load_commands(directory: Path | None = None) -> dict[str, CommandModel]:
    """Every Redis command of ``commands.toml``, by its name in upper case ("HGETALL", "SCRIPT LOAD")."""
    known = stored("commands", dict[str, CommandModel]) if directory is None else None
    return known or read_record((directory or rules_dir()) / "commands.toml", dict[str, CommandModel])


@cache
def load_roles(language: str, directory: Path | None = None) -> Roles:
    """What is known of a language, its frameworks and its library, from ``<language>/``."""
    known = stored(f"roles {language}", Roles) if directory is None else None
    if known is not None:
        return known
    roles = load_language((directory or rules_dir()) / language)
    return joined(roles, load_roles(roles.inherits, directory)) if roles.inherits else roles


@cache
def load_spelling(language: str, directory: Path | None = None) -> Spelling:
    """How a language writes down what fixes insert, from ``<language>/spelling.toml``."""
    known = stored(f"spelling {language}", Spelling) if directory is None else None
    if known is not None:
        return known
    spelling = read_record((directory or rules_dir()) / language / "spelling.toml", Spelling)
    return load_spelling(spelling.inherits, directory) if spelling.inherits else spelling
