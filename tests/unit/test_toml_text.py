"""On which line a key of a TOML text stands, as tomllib would know it."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from resplint.files.toml_text import key_lines, line_of_key, parse_toml

ROOT = Path(__file__).parents[2]
TRICKY = '''\
# A comment with """ and ~~~ and [table] and key = 1
title = "a = b" # [x]
text = """
[fake]
not = "a key"
"""
raw = ~~~
[[fake]]
~~~
list = [
  "in = list", # more = 1
  { inner = 1, "deep er".x = 2 },
]

["quoted.table"."\\u0041bc"]
a . "b" = 1
'lit\\eral' = { x = { y = 1 } }

[server]
host = "h"

  [server.tls]
  cert = "c"

[[rule]]
code = 1
[[rule]]
code = 2
only = true
'''.replace("~~~", "'" * 3)


def leaves(value: object, path: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """The path of every key, as tomllib reads them; elements of lists have no part of their own."""
    if isinstance(value, dict):
        return {path, *(found for key, inner in value.items() for found in leaves(inner, (*path, key)))}
    if isinstance(value, list):
        return {path, *(found for inner in value for found in leaves(inner, path))}
    return {path}


def test_keys_are_where_they_are_written() -> None:
    lines = key_lines(TRICKY)
    assert dict(lines) == {
        (): 1, ("title",): 2, ("text",): 3, ("raw",): 7, ("list",): 10, ("list", "inner"): 12,
        ("list", "deep er", "x"): 12, ("quoted.table", "Abc"): 15, ("quoted.table", "Abc", "a", "b"): 16,
        ("quoted.table", "Abc", "lit\\eral"): 17, ("quoted.table", "Abc", "lit\\eral", "x"): 17,
        ("quoted.table", "Abc", "lit\\eral", "x", "y"): 17, ("server",): 19, ("server", "host"): 20,
        ("server", "tls"): 22, ("server", "tls", "cert"): 23, ("rule",): 25, ("rule", "code"): 26, ("rule", "only"): 29,
    }  # fmt: skip
    assert line_of_key(lines, ("server", "tls", "nothing")) == 22
    assert line_of_key(lines, ("nowhere",)) == 0
    assert [line_of_key(lines, ("rule", f"[{number}]", "code")) for number in range(2)] == [26, 28]
    assert line_of_key(lines, ("rule", "[1]", "nothing")) == 27


@pytest.mark.parametrize(
    "text",
    [TRICKY, TRICKY.replace("\n", "\r\n"), *(p.read_text("utf-8") for p in sorted(ROOT.glob("rules/clients/*.toml")))],
    ids=lambda text: text[:20].strip("# \n"),
)
def test_every_key_that_tomllib_reads_has_a_line_that_holds_it(text: str) -> None:
    document, text = parse_toml(text.encode())
    lines, rows = key_lines(text), text.split("\n")
    for path in leaves(document):
        if path in lines:
            assert not path or path[-1][-2:] in rows[lines[path] - 1]
        else:  # a table of which only the inside is written: [a.b], a.b = 1
            assert any(other[: len(path)] == path for other in lines), path
    assert set(lines) <= leaves(document)


def test_a_large_document_is_quick_and_costs_nothing_unasked() -> None:
    text = "".join(f'[[package]]\nname = "p{n}"\nneeds = [{{ name = "q", at = "1" }}]\n\n' for n in range(10_000))
    started = time.process_time()
    lines = key_lines(text)
    assert lines
    assert time.process_time() - started < 0.05
    assert lines["package", "needs", "at"] == 3
    assert time.process_time() - started < 5
    assert "tree_sitter_toml" in sys.modules


def test_depth_costs_nothing_but_time() -> None:
    deep = "[" * 20_000 + "]" * 20_000
    assert key_lines(f"x = {deep}\ny = 1\n")["y",] == 2
