"""Fingerprints: GitHub's to the bit, and ours where code only moves or is reformatted."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resplint.results.fingerprints import code_fingerprint, line_hashes, normalise_code, own_fingerprint
from tests.unit.random_texts import COUNT, random_text

EMPTY = "c129715d7a2bc9a3:1"
GREETING = [
    "e9496ae3ebfced30:1",
    "fb7c023a8b9ccb3f:1",
    "ce8ba1a563dcdaca:1",
    "e20e36e16fcb0cc8:1",
    "b3edc88f2938467e:1",
    "c8e28b0b4002a3a0:1",
    EMPTY,
]


@pytest.mark.parametrize(
    ("text", "hashes"),
    [
        ("", [EMPTY]),
        (
            " a\nb\n  \t\tc\n d",
            ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"],
        ),
        (
            " hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End",
            [
                "8b7cf3e952e7aeb2:1",
                "b1ae1287ec4718d9:1",
                "bff680108adb0fcc:1",
                "c6805c5e1288b612:1",
                "b86d3392aea1be30:1",
                "e6ceba753e1a442:1",
            ],
        ),
        (" hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n", GREETING),
        (" hello; \t\nworld!!!\r\r\r  \t\tGreetings\r End\r", GREETING),
        (" hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n", GREETING),
        (" hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n", GREETING),
        (
            "Lorem ipsum dolor sit amet.\n" * 10,
            [
                "a7f2ff13bc495cf2:1",
                "a7f2ff13bc495cf2:2",
                "a7f2ff13bc495cf2:3",
                "a7f2ff13bc495cf2:4",
                "a7f2ff13bc495cf2:5",
                "a7f2ff13bc495cf2:6",
                "a7f2ff1481e87703:1",
                "a9cf91f7bbf1862b:1",
                "55ec222b86bcae53:1",
                "cc97dc7b1d7d8f7b:1",
                EMPTY,
            ],
        ),
    ],
)
def test_published_vectors(text: str, hashes: list[str]) -> None:
    """The values in the tests of GitHub's codeql-action (src/fingerprints.test.ts)."""
    assert line_hashes(text) == hashes


def test_published_file() -> None:
    """The file of codeql-action's end-to-end test, `testFile1.js`."""
    assert line_hashes("var a = 0;\nvar b = 0;\nvar c = 0;\nvar d = 0;\n")[0] == "5e4d5a9cf1294ad9:1"


def test_28_hashes_are_those_of_the_upload_action() -> None:
    """Of 1,000 random files; what the action itself computes for them is stored, see `tests/data/README.md`."""
    stored = (Path(__file__).parents[1] / "data" / "github-line-hashes.txt").read_text().split()
    assert len(stored) == COUNT
    ours = [hashlib.sha256("\n".join(line_hashes(random_text(number))).encode()) for number in range(COUNT)]
    assert [digest.hexdigest()[:16] for digest in ours] == stored


def by_definition(text: str) -> list[str]:
    """The hash as its documentation defines it, each line on its own."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    seen: dict[int, int] = {}
    hashes = []
    for number in range(len(lines)):
        rest = "\n".join(lines[number:]).replace(" ", "").replace("\t", "")
        raw = rest.encode("utf-16-le")
        units = [int.from_bytes(raw[i : i + 2], "little") for i in range(0, len(raw), 2)] + [0xFFFF] + [0] * 100
        value = 0
        for unit in units[:100]:
            value = (value * 37 + unit) % 2**64
        seen[value] = seen.get(value, 0) + 1
        hashes.append(f"{value:x}:{seen[value]}")
    return hashes


@given(st.text(st.sampled_from("ab \t\n\r\ufeff日🎉\uffff\u2028"), max_size=300))
def test_hashes_follow_the_definition(text: str) -> None:
    assert line_hashes(text) == by_definition(text)


def test_the_byte_order_mark_counts() -> None:
    assert line_hashes("\ufeffx\n")[0] != line_hashes("x\n")[0]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(a,b)", "f(a, b)"),
        ("f( a, b )", "f(\n    a,\n    b,\n)"),
        ("f('a', \"b\")", 'f("a", "b")'),
        (r"f('it\'s')", 'f("it\'s")'),
        ("f(a)", "f(a)\r\n"),
        ("f([1,2], {'a':1})", 'f(\r\n\t[1, 2],\r\n\t{"a": 1},\r\n)'),
        ("await c.get(k);", "await c.get(k)"),
        ("xs.map(x => c.get(x))", "xs.map((x) => c.get(x))"),
        ("t => (t > 9 ? null : 5 * (t + 1))", "(t) =>\n  t > 9 ? null : 5 * (t + 1)"),
        ("{ a: t => (t || 1), b: 2 }", "{ a: (t) => t || 1, b: 2 }"),
        ("return'a'", 'return "a"'),
        ("x = 1 + \\\n  2", "x = 1 + 2"),
        ("f() { let n = g(); return n; }", "f() {\n  let n = g()\n  return n\n}"),
    ],
)
def test_formatters_do_not_change_the_code(before: str, after: str) -> None:
    assert normalise_code(before) == normalise_code(after)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("f(a)", "f(b)"),
        ("f(a, b)", "f(b, a)"),
        ("return x", "returnx"),
        ("f(1)", "f(11)"),
        ("not a", "nota"),
        ("t => (t + 1) * 2", "t => t + 1 * 2"),
    ],
)
def test_other_code_is_other_code(one: str, other: str) -> None:
    assert normalise_code(one) != normalise_code(other)


def test_every_component_counts() -> None:
    base = ("RL104", "a.py", "f", "g()", 0)
    variants = [base, ("RL105", *base[1:]), ("RL104", "b.py", *base[2:]), ("RL104", "a.py", "h", "g()", 0)]
    variants += [("RL104", "a.py", "f", "g(1)", 0), ("RL104", "a.py", "f", "g()", 1)]
    values = {own_fingerprint(*variant) for variant in variants}
    assert len(values) == len(variants)
    assert all(len(value) == 32 and set(value) <= set("0123456789abcdef") for value in values)


def test_components_do_not_run_into_each_other() -> None:
    assert own_fingerprint("RL104", "a", "bc", "d", 0) != own_fingerprint("RL104", "ab", "c", "d", 0)


def test_names_that_are_not_utf8_have_fingerprints_too() -> None:
    assert own_fingerprint("R", "\udce9.py", "", "", 0) != own_fingerprint("R", "\udcea.py", "", "", 0)
    assert own_fingerprint("R", "\ud800.py", "", "", 0) != own_fingerprint("R", "\ud801.py", "", "", 0)


def test_other_rules_and_other_code_have_other_values() -> None:
    assert len({code_fingerprint(*parts) for parts in (("RL104", "f()"), ("RL105", "f()"), ("RL104", "g()"))}) == 3


def test_the_value_is_the_one_in_baselines() -> None:
    """Baselines in the wild hold these values: another one needs another key than ``resplint/code/v1``."""
    assert code_fingerprint("RL104", "c.blpop(jobs,30)") == "01545ea1ca46f5f26aff5c4512d4f3f0"


def test_the_value_is_the_one_that_other_tools_have_stored() -> None:
    """Another one needs another key than ``resplint/v1``."""
    assert own_fingerprint("RL104", "app/q.py", "W.pop", "c.blpop(jobs,30)", 0) == "aa76bc1cc7bf3261894abae4d146c686"
