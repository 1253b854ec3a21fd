"""`${REDIS_TIMEOUT:2s}` in settings and annotations."""

from __future__ import annotations

import re
from collections.abc import Callable

_INNERMOST = re.compile(r"[$#@]\{([^${}@#]*)\}|(?<![\w.])@([\w.\-]+)@")
_ROUNDS = 20
_LONGEST = 4_000


_WHOLE = re.compile(r"\$\{([^${}:]+)(?::([^${}]*))?\}")


def whole_placeholder(text: str) -> tuple[str, str | None]:
    """The key and the default of a text that is nothing but a placeholder; "" for any other text."""
    match = _WHOLE.fullmatch(text.strip())
    return (match[1].strip(), match[2]) if match is not None else ("", None)


def filled(text: str, setting: Callable[[str], str | None]) -> str | None:
    """`text` with its placeholders filled from the settings, else from their own defaults; None when one cannot be, or
    the text is an expression of another kind.
    """
    for _ in range(_ROUNDS):
        match = _INNERMOST.search(text)
        if match is None:
            return text if "${" not in text and "#{" not in text else None
        if match[1] is None or not match[0].startswith("$"):
            return None
        name, colon, default = match[1].partition(":")
        known = setting(name.strip())
        if known is None and not colon:
            return None
        text = f"{text[: match.start()]}{known if known is not None else default}{text[match.end() :]}"
        if len(text) > _LONGEST:
            return None
    return None
