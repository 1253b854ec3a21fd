"""The parts of rules of one's own: patterns of keys, calls in Lua texts."""

from __future__ import annotations

import pytest

from resplint.custom.key_patterns import may_fit, surely_fits
from resplint.redis.calls.script_commands import calls


@pytest.mark.parametrize(
    ("template", "pattern", "surely", "maybe"),
    [
        ("shop:cart", "shop:*", True, True),
        ("shop:{}", "shop:*", True, True),
        ("{}:shop", "shop:*", False, True),
        ("{}", "shop:*", False, True),
        ("{}", "*", True, True),
        ("cart:{}", "shop:*", False, False),
        ("cart:{}:shop:", "shop:*", False, False),
        ("sh{}", "shop:*", False, True),
        ("shop:{}:7", "shop:?:7", False, True),
        ("shop:1:7", "shop:?:7", True, True),
        ("shop:12:7", "shop:?:7", False, False),
        ("shop:{}:cart:{}", "*:cart:*", True, True),
        ("", "*", True, True),
        ("", "?", False, False),
        ("a{}b", "ab", False, True),
        ("a{}b", "a*c", False, False),
    ],
)
def test_keys_fit_patterns_as_far_as_they_are_known(template: str, pattern: str, surely: bool, maybe: bool) -> None:
    assert surely_fits(template, (pattern,)) == surely
    assert may_fit(template, (pattern,)) == maybe


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("return redis.call('KEYS', ARGV[1])", [(("KEYS", None), 1)]),
        ("\nredis.pcall(\n  'SET', KEYS[1], 'a', 'EX', 3)", [(("SET", None, "a", "EX", None), 2)]),
        ("server.call('PING')", [(("PING",), 1)]),
        ("local call = redis.call\ncall('GET', 'a' .. 'b')", [(("GET", None), 2)]),
        ("-- redis.call('KEYS')\n--[[ redis.call('KEYS') ]] --[==[\nredis.call('KEYS')]==]", []),
        ("local s = \"redis.call('KEYS')\" .. [[redis.call('KEYS')]]", []),
        ("other.redis.call('KEYS') redis.log('KEYS') call('KEYS') redis.call(name)", []),
        ("redis.call('DEL', unpack(redis.call('KEYS', '*')))", [(("DEL", None), 1), (("KEYS", "*"), 1)]),
        ("redis.call('SET', cjson.encode({1, 2}), 'x')", [(("SET", None, "x"), 1)]),
        ("redis.call('GET', 'a", [(("GET",), 1)]),
    ],
)
def test_calls_of_scripts(text: str, expected: list[tuple[tuple[str | None, ...], int]]) -> None:
    assert list(calls(text)) == expected


def test_a_hostile_script_takes_little_time() -> None:
    assert list(calls("redis.call(" * 20_000)) == []
    assert list(calls("redis.call('GET', " * 5_000)) != []
