"""Fixes that put other numbers and policies in place: pools, waits, delays."""

from __future__ import annotations

from pathlib import Path

import pytest

from resplint.remedies.shorter_waits import below
from tests.spelling.remedied import findings_of, fixed

RETRY = """\
# versions: redis-py={version}
{imports}

client = redis.Redis(retry=Retry({policy}, 3))
"""


@pytest.mark.parametrize(
    ("version", "imports", "policy", "after_imports", "after_policy"),
    [
        (
            "6.0.0",
            "import redis\nfrom redis.backoff import NoBackoff\nfrom redis.retry import Retry",
            "NoBackoff()",
            "import redis\nfrom redis.backoff import ExponentialWithJitterBackoff\nfrom redis.retry import Retry",
            "ExponentialWithJitterBackoff(cap=10, base=1)",
        ),
        (
            "5.0.8",
            "import redis\nfrom redis.backoff import (\n    ConstantBackoff,\n    NoBackoff,\n)\n"
            "from redis.retry import Retry\n\nLAZY = NoBackoff",
            "NoBackoff()",
            "import redis\nfrom redis.backoff import (\n    ConstantBackoff,\n"
            "    EqualJitterBackoff,\n    NoBackoff,\n)\nfrom redis.retry import Retry\n\nLAZY = NoBackoff",
            "EqualJitterBackoff(cap=10, base=1)",
        ),
        (
            "5.0.8",
            "import redis\nfrom redis.backoff import NoBackoff, default_backoff\nfrom redis.retry import Retry\n\n"
            "LAZY = NoBackoff",
            "NoBackoff()",
            "import redis\nfrom redis.backoff import EqualJitterBackoff, NoBackoff, default_backoff\n"
            "from redis.retry import Retry\n\nLAZY = NoBackoff",
            "EqualJitterBackoff(cap=10, base=1)",
        ),
        (
            "6.0.0",
            "import redis\nfrom redis import backoff\nfrom redis.retry import Retry",
            "backoff.ConstantBackoff(backoff=0.5)",
            "import redis\nfrom redis import backoff\nfrom redis.retry import Retry",
            "backoff.ExponentialWithJitterBackoff(cap=5, base=0.5)",
        ),
    ],
)
def test_a_policy_and_its_import(
    tmp_path: Path, version: str, imports: str, policy: str, after_imports: str, after_policy: str
) -> None:
    before = RETRY.format(version=version, imports=imports, policy=policy)
    after = RETRY.format(version=version, imports=after_imports, policy=after_policy)
    assert fixed(tmp_path, "client.py", before, "RL103") == after


@pytest.mark.parametrize(
    ("imports", "policy"),
    [
        ("from redis.backoff import NoBackoff\n\nPOLICY = NoBackoff()", "POLICY"),
        ("from redis.backoff import ConstantBackoff\n\nPAUSE = 2", "ConstantBackoff(PAUSE)"),
        ("from redis.backoff import ConstantBackoff", "ConstantBackoff(2  # s\n)"),
        # Ten times as long would be minutes.
        ("from redis.backoff import ConstantBackoff", "ConstantBackoff(5)"),
        ("from redis.backoff import NoBackoff\n\nExponentialWithJitterBackoff = None", "NoBackoff()"),
    ],
)
def test_a_policy_that_is_written_in_another_way_stays(tmp_path: Path, imports: str, policy: str) -> None:
    head = f"import redis\nfrom redis.retry import Retry\n{imports}"
    text = RETRY.format(version="6.0.0", imports=head, policy=policy)
    ((_, fix),) = findings_of(tmp_path, "client.py", text, "RL103")
    assert fix is None


@pytest.mark.parametrize(
    ("timeout_s", "unit_s", "expected"),
    [
        (5.0, 1.0, 4),
        (2.0, 1.0, 1),
        (1.5, 1.0, 1),
        (1.0, 1.0, 0),
        (0.5, 1.0, 0),
        (60.0, 60.0, 0),
        (5.0, 0.001, 4000),
        (1.0, 0.001, 500),
        (0.3, 0.001, 150),
    ],
)
def test_a_wait_leaves_time_for_the_reply(timeout_s: float, unit_s: float, expected: int) -> None:
    assert below(timeout_s, unit_s) == expected
    assert expected * unit_s < timeout_s


POOL = "# versions: redis-py=5.0.8\nimport redis\n\n{before}pool = redis.ConnectionPool({arguments})\n"


@pytest.mark.parametrize(
    ("arguments", "after"),
    [
        ("", "max_connections=100"),
        ("max_connections=None", "max_connections=100"),
        ("max_connections=2**31", "max_connections=100"),
        ("max_connections=-(-(2**31))", "max_connections=100"),
        ("max_connections=2**31  # noqa: WPS432\n", "max_connections=100  # noqa: WPS432\n"),
    ],
)
def test_a_bound(tmp_path: Path, arguments: str, after: str) -> None:
    text = POOL.format(before="", arguments=arguments)
    assert fixed(tmp_path, "pool.py", text, "RL102") == POOL.format(before="", arguments=after)


@pytest.mark.parametrize("number", ["10_000", "65535", "-(-100_000)"])
def test_a_number_that_somebody_chose_stays(tmp_path: Path, number: str) -> None:
    text = POOL.format(before="", arguments=f"max_connections={number}")
    ((_, fix),) = findings_of(tmp_path, "pool.py", text, "RL102")
    assert fix is None


@pytest.mark.parametrize(
    ("before", "arguments"),
    [
        ("", "\n    max_connections=2**31,  # as many as it takes\n"),
        ("", "max_connections=2**31  # no bound\n"),
        ("# 2**31 is the default of the library\n", "max_connections=2**31"),
        ("# 2**31 is the default\n# of the library\n", "max_connections=2**31"),
    ],
)
def test_a_comment_on_the_value_would_be_wrong(tmp_path: Path, before: str, arguments: str) -> None:
    ((_, fix),) = findings_of(tmp_path, "pool.py", POOL.format(before=before, arguments=arguments), "RL102")
    assert fix is None


@pytest.mark.parametrize("before", ["# 2**310 is another number\n", "# 2**31\n\n", "print()  # 2**31\n"])
def test_comments_on_something_else_do_not_matter(tmp_path: Path, before: str) -> None:
    text = POOL.format(before=before, arguments="max_connections=2**31")
    assert fixed(tmp_path, "pool.py", text, "RL102") == text.replace("connections=2**31", "connections=100")


@pytest.mark.parametrize(
    ("before", "arguments"),
    [
        ("SIZE = 100_000\n", "max_connections=SIZE"),
        ("import os\n\n", "max_connections=int(os.environ.get('SIZE', '100000'))"),
        ("OPTIONS = {'max_connections': 100_000}\nMORE = OPTIONS\n", "**OPTIONS, host='a'"),
    ],
)
def test_a_bound_with_a_name_belongs_to_others(tmp_path: Path, before: str, arguments: str) -> None:
    text = POOL.format(before=before, arguments=arguments)
    found = findings_of(tmp_path, "pool.py", text, "RL102")
    assert found
    assert all(fix is None or "**OPTIONS" in arguments for _, fix in found)


def test_a_pool_that_keeps_more_open_gets_no_bound_below(tmp_path: Path) -> None:
    text = (
        "// versions: node-redis=5.8.0\nimport { createClientPool } from 'redis';\n\n"
        "export const pool = createClientPool({}, { minimum: 200, maximum: Infinity });\n"
    )
    ((_, fix),) = findings_of(tmp_path, "pool.mjs", text, "RL102")
    assert fix is None


def test_a_long_number_stays_one(tmp_path: Path) -> None:
    text = (
        "import io.lettuce.core.RedisClient;\n\nclass Jobs {\n"
        '    Object next() {\n        return RedisClient.create("redis://jobs").connect().sync().blpop(90L, "jobs");\n'
        "    }\n}\n"
    )
    assert 'blpop(59L, "jobs")' in fixed(tmp_path, "Jobs.java", text, "RL104")


WORKER = """\
import redis

client = redis.Redis(socket_timeout=10)


def work():
    while True:
        {body}
"""


@pytest.mark.parametrize(
    "body",
    [
        'key, job = client.blpop("jobs", timeout=0)\n        print(key, job)',
        'print(client.blpop("jobs")[1])',
        'job = client.blpop("jobs")\n        print(job[1])',
    ],
)
def test_a_wait_without_end_stays_where_an_empty_reply_would_fail(tmp_path: Path, body: str) -> None:
    ((_, fix),) = findings_of(tmp_path, "worker.py", WORKER.format(body=body), "RL104")
    assert fix is None


@pytest.mark.parametrize(
    ("body", "after"),
    [
        (
            'job = client.blpop("jobs")\n        if job:\n            print(job[1])',
            'job = client.blpop("jobs", timeout=9)\n        if job:\n            print(job[1])',
        ),
        (
            'job = client.blpop("jobs", 0)\n        print(job and job[1])',
            'job = client.blpop("jobs", 9)\n        print(job and job[1])',
        ),
        # An empty reply was possible before.
        ('key, job = client.blpop("jobs", 30)', 'key, job = client.blpop("jobs", 9)'),
    ],
)
def test_a_wait_is_cut_where_an_empty_reply_is_expected(tmp_path: Path, body: str, after: str) -> None:
    assert fixed(tmp_path, "worker.py", WORKER.format(body=body), "RL104") == WORKER.format(body=after)
