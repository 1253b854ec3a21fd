"""Whether keys fit patterns, for keys of which only a template is known: ``session:{}``."""

from __future__ import annotations

from collections.abc import Iterable

from resplint.text.key_templates import HOLE

_ANY, _ONE = "*", "?"
_FILLED = "\ue000"
"""What stands for a part of a key that is not known: only a star takes it."""
_MOST = 1_000
"""Characters that are compared."""


def surely_fits(template: str, patterns: Iterable[str]) -> bool:
    """Whether every key of a template fits one of the patterns, whatever its parts are that are not known."""
    text = template.replace(HOLE, _FILLED)[:_MOST]
    return any(_covers(pattern, text) for pattern in patterns)


def may_fit(template: str, patterns: Iterable[str]) -> bool:
    """Whether some key of a template fits one of the patterns."""
    text = template.replace(HOLE, _FILLED)[:_MOST]
    return any(_meets(pattern, text) for pattern in patterns)


def _covers(pattern: str, text: str) -> bool:
    reached = [True] + [False] * len(text)
    for sign in pattern[:_MOST]:
        row = [sign == _ANY and reached[0]]
        for at, character in enumerate(text, 1):
            if sign == _ANY:
                row.append(row[-1] or reached[at])
            else:
                fits = sign == character or (sign == _ONE and character != _FILLED)
                row.append(reached[at - 1] and fits)
        reached = row
    return reached[-1]


def _meets(pattern: str, text: str) -> bool:
    """The same, with a part that is not known as another star."""
    reached = [True]
    for character in text:
        reached.append(reached[-1] and character == _FILLED)
    for sign in pattern[:_MOST]:
        row = [sign == _ANY and reached[0]]
        for at, character in enumerate(text, 1):
            if sign == _ANY:
                row.append(row[-1] or reached[at])
            elif character == _FILLED:
                row.append(row[-1] or reached[at - 1] or reached[at])
            else:
                row.append(reached[at - 1] and sign in (character, _ONE))
        reached = row
    return reached[-1]
