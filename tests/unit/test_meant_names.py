"""Names that a language reads otherwise than they stand there."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from resplint.languages.meant_names import meant, revealed


@pytest.mark.parametrize(
    ("language", "written", "read"),
    [
        ("python", "\uff52\uff45dis", "redis"),
        ("python", "\U0001d42b\U0001d41edis.\u1d9c\u02e1\u2071ent", "redis.client"),
        ("python", "größe", "größe"),
        ("python", "# \uff52", "# \uff52"),
        ("python", r"r\u0065dis", r"r\u0065dis"),
        ("javascript", r"bl\u0070op", "blpop"),
        ("typescript", r"#bl\u{70}op", "#blpop"),
        ("typescript", r"\u002b", r"\u002b"),
        ("java", r"bl\u0070op", r"bl\u0070op"),
    ],
)
def test_a_name_as_it_is_read(language: str, written: str, read: str) -> None:
    assert meant(written, language) == read


@pytest.mark.parametrize(
    ("language", "written", "read"),
    [
        ("python", "import \uff52edis  # 天安门，", "import redis  # 天安门,"),
        ("python", "# 天安门，", ""),
        ("javascript", r"require('io\x72edis'); '\u{1f600}\u{ffffff}'", "require('ioredis'); '\U0001f600?'"),
        ("typescript", r"import R from 'ior\u0065dis'", "import R from 'ioredis'"),
        ("javascript", r"'\n\ux'", ""),
        ("java", r"import \uuu0072edis.clients", "import redis.clients"),
        ("kotlin", r"import \u0072edis.clients", ""),
    ],
)
def test_source_as_it_is_read(language: str, written: str, read: str) -> None:
    assert revealed(written.encode(), language).decode() == read


def test_every_character_that_stands_for_a_letter_is_known() -> None:
    for code in range(128, sys.maxunicode + 1):
        plain = unicodedata.normalize("NFKC", chr(code))
        if ("a" + chr(code)).isidentifier() and any(
            each.isascii() and (each.isalpha() or each == "_") for each in plain
        ):
            assert revealed(chr(code).encode(), "python"), hex(code)
