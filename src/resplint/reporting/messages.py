"""Messages of SARIF as text: looked up, filled in, cut into sentences and links."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from resplint.output.escape import escape
from resplint.reporting.records import Part
from resplint.reporting.sarif import Content, Message

MAX_TEXT = 4000

_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(\d{1,3})\}")
# SARIF 2.1.0, 3.11.6: [text](target), with \[ and \] inside the text.
_LINK = re.compile(r"(?<!\\)\[((?:\\[\[\]\\]|[^\[\]\\]){1,300})\]\(([^()\s]{1,2000})\)")
_SENTENCE = re.compile(r"(?<=[^.\s][.!?])\s+(?=[A-Z'\"“(`\[])")
_SAFE = ("https://", "http://")


def text_of(message: Message | None, *strings: Mapping[str, Content]) -> str:
    """The text of a message on one line, looked up by its id in the first of `strings` that has it; may be empty."""
    if message is None:
        return ""
    text = message.text
    if text is None and message.id is not None:
        found = next((each[message.id] for each in strings if message.id in each), None)
        # A message that cannot be looked up still says its name.
        text = (found.text if found else None) or message.id
        return _one_line(_filled(text, message.arguments))
    if text is None:
        return _one_line(message.markdown or "")
    return _one_line(_filled(text, message.arguments) if message.arguments else text)


def parts(text: str) -> tuple[Part, ...]:
    """`text` with the links that SARIF allows in messages.

    Only `https:` and `http:` addresses become links. A number points at a related location, which the page shows
    anyway, so that its text remains; whatever else looks like a link is text.
    """
    found: list[Part] = []
    at = 0
    for link in _LINK.finditer(text):
        label, target = re.sub(r"\\([\[\]\\])", r"\1", link[1]), link[2]
        if is_safe_link(target):
            shown = Part(label, target)
        elif target.isdecimal() and not label.isdecimal():
            shown = Part(label)
        else:
            continue
        found += [Part(text[at : link.start()]), shown]
        at = link.end()
    return tuple(part for part in (*found, Part(text[at:])) if part.text)


def split(text: str) -> tuple[str, str]:
    """The first sentence, which stands alone, and the rest."""
    cut = _SENTENCE.search(text)
    return (text[: cut.start()], text[cut.end() :]) if cut else (text, "")


def is_safe_link(target: str) -> bool:
    """Whether `target` may be followed from a page: an absolute web address without characters that hide it."""
    return target.lower().startswith(_SAFE) and escape(target) == target


def clip(text: str, limit: int = MAX_TEXT) -> str:
    """`text`, or as much of it as fits into `limit` characters together with an ellipsis."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _one_line(text: str) -> str:
    return escape(clip(" ".join(text.split()) if "\n" in text or "\r" in text else text.strip()))


def _filled(text: str, arguments: Sequence[str]) -> str:
    def value(found: re.Match[str]) -> str:
        if found[1] is None:
            return found[0][0]
        index = int(found[1])
        return arguments[index] if index < len(arguments) else found[0]

    return _PLACEHOLDER.sub(value, text)
