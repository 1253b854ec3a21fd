"""Broken versions of good code. The same seed and number always give the same input."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

_TOKEN = re.compile(rb"[A-Za-z_$][\w$]*|\d+|\s+|[^\w\s]|[^\x00-\x7f]+")
_TRUNCATION_STEP_BYTES = 64
_MAX_REPEATS = 60
_MAX_DEPTH = 400

STRANGE = (
    b"\0", b"\r", b"\x1b[31m", b"\xff\xfe", b"\xc0\xaf", b"\xed\xa0\x80", b"\xef\xbb\xbf", "\u2028".encode(),
    "\u202e".encode(), "e\u0301".encode(), "\U0001f9c2".encode(), b"\f", b"\\", b"\\\n", b"'", b'"', b"`", b"${",
    b'"""', b"/*", b"*/", b"//", b"#", b"{{", b"@", b";", b"...", b"?.", b"=>", b"->", b"::", b"9" * 400, b"_" * 5_000,
)  # fmt: skip
"""What tokenizers and decoders trip over."""

_BRACKETS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"), (b"f(", b")"), (b"[*", b"]"), (b"-", b""), (b"a.b(", b")"))

Mutator = Callable[[random.Random, bytes, Sequence[bytes]], bytes]


def mutated(seed: int, language: str, number: int, corpus: Sequence[bytes]) -> bytes:
    """Input `number` of a campaign: a file of `corpus` after one to three mutations."""
    rng = random.Random(f"{seed}:{language}:{number}")
    data = rng.choice(corpus)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
        data = rng.choice(MUTATORS)(rng, data, corpus)
    return data


def flip_bytes(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """Some bytes are others."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        if changed:
            changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def delete_tokens(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """A run of tokens is gone."""
    tokens = _TOKEN.findall(data)
    start = rng.randrange(len(tokens) + 1)
    return b"".join(tokens[:start] + tokens[start + rng.choice((1, 1, 2, 5, 20)) :])


def repeat_tokens(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """A run of tokens stands there many times."""
    tokens = _TOKEN.findall(data)
    start = rng.randrange(len(tokens) + 1)
    run = tokens[start : start + rng.choice((1, 2, 5, 20, 60))]
    return b"".join([*tokens[:start], *run * rng.choice((2, 2, 3, _MAX_REPEATS)), *tokens[start:]])


def swap_tokens(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """Two tokens change places."""
    tokens = _TOKEN.findall(data)
    if tokens:
        one, other = rng.randrange(len(tokens)), rng.randrange(len(tokens))
        tokens[one], tokens[other] = tokens[other], tokens[one]
    return b"".join(tokens)


def splice(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """The beginning of one file and the end of another."""
    mine, others = _TOKEN.findall(data), _TOKEN.findall(rng.choice(corpus))
    return b"".join(mine[: rng.randrange(len(mine) + 1)] + others[rng.randrange(len(others) + 1) :])


def transplant(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """Lines of another file amid those of this one."""
    mine, others = data.splitlines(keepends=True), rng.choice(corpus).splitlines(keepends=True)
    at, start = rng.randrange(len(mine) + 1), rng.randrange(len(others) + 1)
    return b"".join([*mine[:at], *others[start : start + rng.randint(1, 12)], *mine[at:]])


def truncate(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """Cut off at a multiple of 64 bytes, as an interrupted copy is."""
    return data[: rng.randrange(len(data) // _TRUNCATION_STEP_BYTES + 1) * _TRUNCATION_STEP_BYTES]


def insert_strange(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """Bytes that are no text, ends of comments and strings, endless names."""
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        data = data[:at] + rng.choice(STRANGE) + data[at:]
    return data


def nest(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """A token stands in brackets in brackets; now and then they do not close."""
    tokens = _TOKEN.findall(data)
    if not tokens:
        return data
    at, depth = rng.randrange(len(tokens)), rng.randint(1, _MAX_DEPTH)
    left, right = rng.choice(_BRACKETS)
    tokens[at] = left * depth + tokens[at] + right * (depth if rng.random() < 0.7 else rng.randint(0, depth))
    return b"".join(tokens)


def other_line_ends(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """Lines end otherwise, all of them or some."""
    lines = re.split(rb"\r\n|\r|\n", data)
    ends = rng.choice(((b"\r\n",), (b"\r",), (b"\n", b"\r\n", b"\r"), ("\u2028".encode(), b"\n"), (b"",)))
    return b"".join(line + rng.choice(ends) for line in lines)


MUTATORS: tuple[Mutator, ...] = (
    flip_bytes, delete_tokens, repeat_tokens, swap_tokens, splice, transplant, truncate, insert_strange, nest,
    other_line_ends,
)  # fmt: skip
