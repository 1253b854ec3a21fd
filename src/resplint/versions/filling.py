"""Filling in names that stand for other text, such as `${jedis.version}`, without ever running in a circle."""

from __future__ import annotations

import re
from collections.abc import Callable

from resplint.contracts.errors import ResplintError

_ROUNDS = 20
_LONGEST = 500


class CircularNameError(ResplintError):
    """Names stand for each other in a circle, or for far too much text."""


def filled(text: str, holes: re.Pattern[str], value_of: Callable[[re.Match[str]], str | None]) -> str | None:
    """`text` with every hole replaced, also those in what replaces them; None if one stands for nothing known.

    Raises `CircularNameError`.
    """
    for _ in range(_ROUNDS):
        if len(text) > _LONGEST:
            break
        match = holes.search(text)
        if match is None:
            return text
        value = value_of(match)
        if value is None:
            return None
        text = text[: match.start()] + value + text[match.end() :]
    raise CircularNameError("names that stand for each other in a circle, or for too much text")
