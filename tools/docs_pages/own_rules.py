"""The page about rules of one's own: its text, with the table of what a rule may say."""

from __future__ import annotations

from pathlib import Path

from docs_pages.markdown import code, page, table
from resplint.config.forbidding import MEANINGS

TEXT = Path(__file__).parent / "own-rules.md"
MARK = "<!-- keys -->"


def own_rules_pages() -> dict[str, str]:
    """The text of the page, by its path in `docs/`."""
    keys = table(["Key", "Meaning"], [[code(key), meaning] for key, meaning in MEANINGS.items()])
    return {"own-rules.md": page(TEXT.read_text("utf-8").strip().replace(MARK, keys))}
