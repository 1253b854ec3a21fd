"""The page that says which rule finds what others look for, and the list of all codes."""

from __future__ import annotations

import re
from pathlib import Path

from docs_pages.markdown import page, table
from docs_pages.rules import name_of
from resplint.files.toml_text import parse_toml
from resplint.knowledge.book import family_of
from resplint.knowledge.files import rules_dir
from resplint.knowledge.load import load_book

TEXT = Path(__file__).parent / "kinds.md"
_CODE = re.compile(r"\bRL\d{3}\b")


def kinds_pages() -> dict[str, str]:
    """The text of the page, by its path in `docs/`. Raises `KeyError` where it names a code that is not in the list."""
    listed, _ = parse_toml((rules_dir() / "codes.toml").read_bytes())
    names = {code: str(name) for code, name in listed.items()}
    text = _CODE.sub(lambda match: _shown(match[0], names), TEXT.read_text("utf-8").strip())
    rows = [[family_of(code), _listed(code), name] for code, name in sorted(names.items())]
    return {"rules/kinds.md": page(text.replace("{codes}", table(["Family", "Code", "Name"], rows)))}


def _shown(code: str, names: dict[str, str]) -> str:
    """A code with a link to its page, or its name if there is none yet."""
    return _listed(code) if code in load_book() else f"{code} {names[code]} (*planned*)"


def _listed(code: str) -> str:
    rule = load_book().get(code)
    return f"[{code}]({name_of(rule)})" if rule else f"{code} (*planned*)"
