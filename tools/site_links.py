"""A hook of MkDocs: links from `docs/` to other files of the repository lead to them at GitHub.

In the repository such links are relative (`../schemas/…`) and work where people read it; the site does not have those
files.
"""

from __future__ import annotations

import re
from typing import Any

REPOSITORY_FILES = "https://github.com/resplint/resplint/blob/main/"


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The text of a page of `docs/` itself, with links out of the folder made absolute."""
    if "/" in page.file.src_uri:
        return markdown
    return re.sub(r"\]\(\.\./(?=\S)", f"]({REPOSITORY_FILES}", markdown)
