"""Pages for those who add rules, libraries and languages: the chapters of CONTRIBUTING.md."""

from __future__ import annotations

import re

from docs_pages.markdown import page
from resplint.output.about import INFORMATION_URI

CHAPTERS = {
    "extending/rule.md": ("Adding a rule", "Fixtures"),
    "extending/client-library.md": ("Adding a client library",),
    "extending/language.md": ("Adding a language",),
}
"""The headings in CONTRIBUTING.md that each page consists of; the rest is `extending/index.md`."""


def extending_pages(contributing: str) -> dict[str, str]:
    """The text of every page, by its path in `docs/`. Raises `KeyError` for a chapter that is not there."""
    head, *parts = re.split(r"^## (.+)\n", _linked(contributing), flags=re.MULTILINE)
    chapters = dict(zip(parts[::2], parts[1::2], strict=True))
    pages = {}
    for path, (first, *others) in CHAPTERS.items():
        text = f"# {first}\n{_promoted(chapters.pop(first))}"
        pages[path] = page(text, *(f"## {heading}\n{chapters.pop(heading)}" for heading in others))
    rest = (f"## {heading}\n{text}" for heading, text in chapters.items())
    return {"extending/index.md": page(head, *rest), **pages}


def _promoted(text: str) -> str:
    return re.sub(r"^###", "##", text, flags=re.MULTILINE)


def _linked(text: str) -> str:
    """Links of a file in the root of the repository, for a page one folder below `docs/`."""
    text = re.sub(r"\]\(docs/", "](../", text)
    return re.sub(r"\]\((?!\w+:|#|\.\./)", f"]({INFORMATION_URI}/blob/main/", text)
