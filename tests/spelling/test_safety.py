"""Which fixes are safe: those of delays and of waits."""

from __future__ import annotations

from pathlib import Path

import pytest

from resplint.contracts.findings import FixSafety
from tests.spelling.remedied import findings_of

SAFE, UNSAFE = FixSafety.SAFE, FixSafety.UNSAFE


def safety(folder: Path, name: str, text: str, rule: str) -> FixSafety:
    """The safety of the fix of the one finding in a text."""
    ((_, fix),) = findings_of(folder, name, text, rule)
    assert fix is not None
    return fix.safety


# -- waits ----------------------------------------------------------------------------------------------------------

PYTHON = """\
import redis

client = redis.Redis(socket_timeout=10)


def work(stopping, count):
    while {condition}:
{body}
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("job = client.blpop('a', 30)\nif job:\n    print(job[1])", SAFE, id="under a condition"),
        pytest.param(
            "job = client.blpop('a', 30)\nif job is None:\n    continue\nprint(job[1])", SAFE, id="behind one"
        ),
        pytest.param("job = client.blpop('a', 30)\nprint(job and job[1])", SAFE, id="behind an operator"),
        pytest.param("if job := client.blpop('a', 30):\n    print(job[1])", SAFE, id="as a condition"),
        pytest.param("if job := client.blpop('a', 30):\n    break", UNSAFE, id="the end with the first"),
        pytest.param("job = client.blpop('a', 30)\nprint(job[1] if job else None)", SAFE, id="a choice"),
        pytest.param("for one in client.xread({'a': 0}, block=30000) or []:\n    print(one)", SAFE, id="at once"),
        pytest.param("if count > 5:\n    break\njob = client.blpop('a', 30)\nprint(job or 1)", SAFE, id="left before"),
        pytest.param("job = client.blpop('a', 30)\nprint(job)", UNSAFE, id="no look at all"),
        pytest.param("job = client.blpop('a', 30)\nprint(job[1])\nif job:\n    print(1)", UNSAFE, id="a look too late"),
        pytest.param("key, job = client.blpop('a', 30)", UNSAFE, id="taken apart"),
        pytest.param("client.blpop('a', 30)\nprint(1)", UNSAFE, id="as a pause"),
        pytest.param("job = client.blpop('a', 30)\nif not job:\n    break\nprint(job)", UNSAFE, id="the end when idle"),
        pytest.param(
            "job = client.blpop('a', 30)\nif not job:\n    return\nprint(job)", UNSAFE, id="a return when idle"
        ),
        pytest.param(
            "job = client.blpop('a', 30)\nif job:\n    print(1)\nelse:\n    raise OSError", UNSAFE, id="an error"
        ),
        pytest.param("job = client.blpop('a', 0)\nif job:\n    print(job[1])", UNSAFE, id="without end"),
        pytest.param(
            "for _ in range(3):\n    job = client.blpop('a', 30)\n    if job:\n        print(job)",
            UNSAFE,
            id="three times",
        ),
        pytest.param(
            "count = client.wait(2, 30000)\nif not count:\n    print(count)", UNSAFE, id="a number of replicas"
        ),
        pytest.param("found = client.xread({'a': 0}, block=30000) or []\nprint(found)", SAFE, id="nothing for empty"),
        pytest.param(
            "found = client.xread({'a': 0}, block=30000) or []\nif not found:\n    break",
            UNSAFE,
            id="the end for nothing",
        ),
        pytest.param("job = client.blpop('a', 30) or None\nprint(job[1])", UNSAFE, id="empty for empty"),
    ],
)
def test_waits_of_a_loop(tmp_path: Path, body: str, expected: FixSafety) -> None:
    indented = "\n".join(f"        {line}" for line in body.split("\n"))
    assert safety(tmp_path, "work.py", PYTHON.format(condition="True", body=indented), "RL104") is expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("not stopping.is_set()", SAFE),
        ("stopping.running", SAFE),
        ("count", SAFE),
        ("count < 3", UNSAFE),
        ("stopping.next()", UNSAFE),
    ],
)
def test_conditions_of_a_loop(tmp_path: Path, condition: str, expected: FixSafety) -> None:
    body = "        job = client.blpop('a', 30)\n        if job:\n            print(job)"
    assert safety(tmp_path, "work.py", PYTHON.format(condition=condition, body=body), "RL104") is expected


def test_a_loop_that_ends_with_an_empty_reply(tmp_path: Path) -> None:
    text = PYTHON.format(condition="job := client.blpop('a', 30)", body="        print(job)")
    assert safety(tmp_path, "work.py", text, "RL104") is UNSAFE


def test_a_wait_that_is_made_once(tmp_path: Path) -> None:
    text = PYTHON.replace("    while {condition}:\n{body}", "    job = client.blpop('a', 30)\n    return job or None")
    assert safety(tmp_path, "work.py", text, "RL104") is UNSAFE


KOTLIN = """\
import io.lettuce.core.RedisClient

fun work() {{
    val redis = RedisClient.create("redis://stage").connect().sync()
    while (true) {{
        val job = redis.blpop(90, "jobs") ?: {otherwise}
        println(job.value)
    }}
}}
"""


@pytest.mark.parametrize(("otherwise", "expected"), [("continue", SAFE), ("break", UNSAFE), ("return", UNSAFE)])
def test_what_takes_the_place_of_an_empty_reply(tmp_path: Path, otherwise: str, expected: FixSafety) -> None:
    assert safety(tmp_path, "Work.kt", KOTLIN.format(otherwise=otherwise), "RL104") is expected


# -- delays ---------------------------------------------------------------------------------------------------------

NODE = """\
// versions: node-redis=5.8.0
import {{ createClient }} from 'redis';

export const client = createClient({{ socket: {{ reconnectStrategy: {strategy} }} }});
"""


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("500", SAFE),
        ("() => 1000", SAFE),
        ("() => 0", SAFE),
        ("(retries) => { console.log(retries); return 250; }", SAFE),
        ("3000", UNSAFE),
        ("(retries) => { console.log(retries); return 3000; }", UNSAFE),
        ("(retries) => { if (retries > 20) return new Error('gone'); return 250; }", UNSAFE),
        ("(retries) => { if (retries > 20) throw new Error('gone'); return 250; }", UNSAFE),
        ("(retries) => { if (retries < 20) { return 250; } }", UNSAFE),
    ],
)
def test_delays_of_a_client_that_connects_without_end(tmp_path: Path, strategy: str, expected: FixSafety) -> None:
    assert safety(tmp_path, "client.mjs", NODE.format(strategy=strategy), "RL103") is expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("export const a = new Redis({ retryStrategy: () => 200, maxRetriesPerRequest: null });", SAFE),
        ("export const a = new Redis({ retryStrategy: () => 200 });", UNSAFE),
        ("export const a = new Redis({ retryStrategy: () => 200, maxRetriesPerRequest: 5 });", UNSAFE),
        ("export const a = new Redis({ retryStrategy: () => 200, maxRetriesPerRequest: limit });", UNSAFE),
    ],
)
def test_delays_of_a_client_that_fails_requests_after_some_attempts(
    tmp_path: Path, code: str, expected: FixSafety
) -> None:
    text = f"// versions: ioredis=5.6.0\nimport Redis from 'ioredis';\nimport {{ limit }} from './limit';\n\n{code}\n"
    assert safety(tmp_path, "client.mjs", text, "RL103") is expected


def test_a_delay_that_clients_of_both_kinds_have(tmp_path: Path) -> None:
    text = (
        "// versions: ioredis=5.6.0\nimport Redis from 'ioredis';\n\nconst options = { retryStrategy: () => 200 };\n"
        "export const queue = new Redis({ ...options, maxRetriesPerRequest: null });\n"
        "export const store = new Redis({ ...options });\n"
    )
    assert safety(tmp_path, "client.mjs", text, "RL103") is UNSAFE
    assert safety(tmp_path, "client.mjs", text.replace("{ ...options });", "{});"), "RL103") is SAFE


# -- scripts ----------------------------------------------------------------------------------------------------------

SCRIPT = """\
{above}
import redis

client = redis.Redis(socket_timeout=10)


def add(name):
    return client.eval(f"return redis.call('SADD', KEYS[1], '{{{value}}}')", 1, "names")
"""


@pytest.mark.parametrize(
    ("above", "value", "expected"),
    [
        pytest.param("", "name.lower()", SAFE, id="a method of text"),
        pytest.param("", "str(name)", SAFE, id="a conversion"),
        pytest.param("def str(value):\n    return [value]\n", "str(name)", UNSAFE, id="a function of the project"),
        pytest.param(
            "class Name:\n    def lower(self):\n        return [self]\n",
            "name.lower()",
            UNSAFE,
            id="perhaps a method of the project",
        ),
    ],
)
def test_values_of_a_script(tmp_path: Path, above: str, value: str, expected: FixSafety) -> None:
    assert safety(tmp_path, "names.py", SCRIPT.format(above=above, value=value), "RL301") is expected
