"""What identifies a finding across commits.

Three values, for three readers. `primaryLocationLineHash` is the one GitHub code scanning matches alerts by; it
must be exactly what GitHub's own upload action computes, or absent. ``resplint/v1`` is ours: it survives
reformatting and code that moves within its file, and is unique within a report. ``resplint/code/v1`` stands for
rule and code alone: with it a baseline finds code again that went to another function or file.
"""

from __future__ import annotations

import hashlib
import re
import sys
from array import array
from itertools import accumulate

GITHUB_KEY = "primaryLocationLineHash"
OWN_KEY = "resplint/v1"
CODE_KEY = "resplint/code/v1"

_WINDOW = 100
_BASE = 37
_MASK = (1 << 64) - 1
_END_OF_FILE = 0xFFFF
_SHIFTED_OUT = pow(_BASE, _WINDOW, 1 << 64)
_BLANKS = {ord(" "): None, ord("\t"): None}

# Where a semicolon goes, a line end or a closing brace is enough in JavaScript.
_GAP = re.compile(r"(?:\\\r?\n|[\s;])+")
_NEEDLESS_BLANK = re.compile(r"(?<![\w$]) | (?![\w$])")
_TRAILING_COMMA = re.compile(r",(?=[)\]}])")
_LONE_PARAMETER = re.compile(r"\(([\w$]+)\)=>")
_QUOTE = re.compile(r"\\?[\"'`]")
_BODY_ENDS = ("", ",", ")", "]", "}", ";")


def line_hashes(text: str) -> list[str]:
    """GitHub's hash of every line of a file; index 0 is line 1.

    `text` is the whole file, byte-order mark included, without lone surrogates.

    The hash of a line covers 100 UTF-16 units from the line's start on. Blanks and tabs do not count, every
    line end counts as LF, and behind the text follow a marker and zeros. With the polynomial hashes of all
    prefixes at hand, the hash of a window is one subtraction, so only line starts cost more than one step a
    unit.
    """
    kept = text.replace("\r\n", "\n") if "\r" in text else text
    # CR and LF that only blanks separate are two line ends, hence the blanks go last.
    units = array("H", kept.replace("\r", "\n").translate(_BLANKS).encode("utf-16-le"))
    if sys.byteorder == "big":
        units.byteswap()
    starts = [0, *(index + 1 for index, unit in enumerate(units) if unit == 0x0A)]
    units.append(_END_OF_FILE)
    units.extend([0] * _WINDOW)
    prefixes = array("Q", accumulate(units, lambda value, unit: (value * _BASE + unit) & _MASK, initial=0))
    seen: dict[int, int] = {}
    hashes = []
    for start in starts:
        value = (prefixes[start + _WINDOW] - prefixes[start] * _SHIFTED_OUT) & _MASK
        seen[value] = seen.get(value, 0) + 1
        hashes.append(f"{value:x}:{seen[value]}")
    return hashes


def normalise_code(code: str) -> str:
    """What a formatter leaves alone: `code` without layout, quotes, trailing commas, semicolons.

    The result is for comparing only. It is coarse on purpose (``get("a")`` equals ``get(a)``): the ordinal
    of the fingerprint keeps equal codes apart, while a formatter may not make one code two.
    """
    text = _NEEDLESS_BLANK.sub("", _GAP.sub(" ", code))
    text = _TRAILING_COMMA.sub("", text)
    return _QUOTE.sub("", _without_wrapped_bodies(_LONE_PARAMETER.sub(r"\1=>", text)))


def _without_wrapped_bodies(text: str) -> str:
    """Bodies of arrow functions without the brackets around all of them, which depend on where the line breaks."""
    if "=>(" not in text:
        return text
    kept = list(text)
    opened: list[int] = []
    for position, character in enumerate(text):
        if character == "(":
            opened.append(position)
        elif character == ")" and opened:
            start = opened.pop()
            if text[start - 2 : start] == "=>" and text[position + 1 : position + 2] in _BODY_ENDS:
                kept[start] = kept[position] = ""
    return "".join(kept)


def own_fingerprint(rule: str, path: str, symbol: str, code: str, ordinal: int) -> str:
    """The value of ``resplint/v1``: 32 hexadecimal digits.

    `path` is relative to the root: the same code in two files is two findings, at the price that a renamed
    file's findings are new ones. `code` is `normalise_code` of the finding's region; `ordinal` counts from
    0 the findings of the file that agree in everything else, in their order in the file. No line number and
    no message goes in.
    """
    return _digest("1", rule, path, symbol, code, str(ordinal))


def code_fingerprint(rule: str, code: str) -> str:
    """The value of ``resplint/code/v1``: 32 hexadecimal digits, the same wherever the code stands."""
    return _digest("code/1", rule, code)


def _digest(*parts: str) -> str:
    # Lengths make the joined form unambiguous; names of files that are not UTF-8 hold lone surrogates.
    joined = b"".join(b"%d:%b" % (len(part), part) for part in (p.encode("utf-8", "surrogatepass") for p in parts))
    return hashlib.sha256(joined).hexdigest()[:32]
