"""Fixes of batches that need no transaction."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.spelling.remedied import findings_of, fixed

PYTHON = """\
import redis

r = redis.Redis()


def names(users):
    pipe = r.pipeline({arguments})
    for user in users:
        pipe.hget(user, "name")
    return pipe.execute()
"""

NODE = """\
import {{ createClient }} from 'redis';

const client = await createClient().connect();

export async function names(users) {{
  const batch = client.multi();
  for (const user of users) batch.hGet(user, 'name');
  return {sent};
}}
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "transaction=False"),
        ("shard_hint='a'", "shard_hint='a', transaction=False"),
        ("shard_hint='a',", "shard_hint='a', transaction=False,"),
        ("\n        shard_hint='a',\n    ", "\n        shard_hint='a',\n        transaction=False,\n    "),
        ("\n        shard_hint='a'\n    ", "\n        shard_hint='a',\n        transaction=False\n    "),
        (
            "\n        shard_hint='a'  # left, right)\n    ",
            "\n        shard_hint='a',  # left, right)\n        transaction=False\n    ",
        ),
        (
            "\n        shard_hint='a',  # why\n        # more\n    ",
            "\n        shard_hint='a',  # why\n        transaction=False,\n        # more\n    ",
        ),
        ("\r\n\tshard_hint='a',\r\n", "\r\n\tshard_hint='a',\r\n\ttransaction=False,\r\n"),
        ("shard_hint=(\n        'a'\n    )", "shard_hint=(\n        'a'\n    ), transaction=False"),
        ("shard_hint=('ä')", "shard_hint=('ä'), transaction=False"),
    ],
)
def test_an_argument_more_keeps_the_layout_of_the_call(tmp_path: Path, before: str, after: str) -> None:
    text = PYTHON.replace("{arguments}", before)
    assert fixed(tmp_path, "names.py", text, "RL201") == PYTHON.replace("{arguments}", after)


def test_sent_by_another_method(tmp_path: Path) -> None:
    after = fixed(tmp_path, "names.mjs", NODE.format(sent="batch.exec()"), "RL201")
    assert after == NODE.format(sent="batch.execAsPipeline()")


def test_a_batch_that_shares_its_end_with_a_transaction_is_left_alone(tmp_path: Path) -> None:
    text = NODE.format(sent="batch.exec()").replace(
        "const batch = client.multi();",
        "let batch = client.multi();\n  if (!users.length) {\n    batch = client.multi();\n"
        "    batch.set('empty', 1).expire('empty', 60);\n  }",
    )
    ((_, fix),) = findings_of(tmp_path, "names.mjs", text, "RL201")
    assert fix is None


@pytest.mark.parametrize("sent", ["batch[end]()", "finish(batch)", "batch.exec(false)"])
def test_a_batch_that_is_sent_in_another_way_is_left_alone(tmp_path: Path, sent: str) -> None:
    text = "const end = 'exec';\nconst finish = (one) => one.exec.call(one);\n" + NODE.format(sent=sent)
    assert all(fix is None for _, fix in findings_of(tmp_path, "names.mjs", text, "RL201"))


JAVA = """\
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Transaction;

class Names {
    private final Jedis jedis = new Jedis("names", 6379);

    Object all(Iterable<String> users) {
        DECLARED batch = jedis.multi();
        for (String user : users) {
            batch.hget(user, "name");
        }
        return batch.exec();
    }
}
"""


def test_a_declared_type_and_its_import_change_along(tmp_path: Path) -> None:
    after = fixed(tmp_path, "Names.java", JAVA.replace("DECLARED", "Transaction"), "RL201")
    assert "import redis.clients.jedis.Pipeline;" in after
    assert "Pipeline batch = jedis.pipelined();" in after
    assert "return batch.syncAndReturnAll();" in after
    assert "Transaction" not in after


@pytest.mark.parametrize(
    ("imports", "after"),
    [
        ("Jedis Response Transaction", "Jedis Pipeline Response Transaction"),
        ("Jedis Transaction Response", "Jedis Transaction Response Pipeline"),  # never sorted
    ],
)
def test_imports_stay_sorted(tmp_path: Path, imports: str, after: str) -> None:
    text = JAVA.replace("DECLARED", "Transaction")
    body = text[text.index("\nclass") :].replace(
        "final Jedis jedis", "Transaction other;\n    private final Jedis jedis"
    )
    before, wanted = (
        "".join(f"import redis.clients.jedis.{name};\n" for name in names.split()) for names in (imports, after)
    )
    assert fixed(tmp_path, "Names.java", before + body, "RL201").startswith(wanted + "\nclass")


def test_an_inferred_type_needs_no_import(tmp_path: Path) -> None:
    after = fixed(tmp_path, "Names.java", JAVA.replace("DECLARED", "var"), "RL201")
    assert "var batch = jedis.pipelined();" in after
    assert "jedis.Pipeline;" not in after


def test_a_batch_that_is_handed_on_keeps_its_type(tmp_path: Path) -> None:
    text = JAVA.replace("DECLARED", "Transaction").replace(
        'batch.hget(user, "name");\n        }\n        return batch.exec();\n    }',
        "queue(batch, user);\n        }\n        return batch.exec();\n    }\n\n"
        '    private void queue(Transaction batch, String user) {\n        batch.hget(user, "name");\n    }',
    )
    ((_, fix),) = findings_of(tmp_path, "Names.java", text, "RL201")
    assert fix is None


QUIET = """\
import Redis from 'ioredis';

const redis = new Redis();

export async function read(user) {{
  {code}
}}
"""


@pytest.mark.parametrize(
    "code",
    [
        "const [[, name], [, age]] = await redis.multi().get(user).ttl(user).exec(); return [name, age];",
        "const [[failure, name], [, age]] = await redis.multi().get(user).ttl(user).exec(); use(failure, name, age);",
        "const [[bad, name], [other, age]] = await redis.multi().get(user).ttl(user).exec(); use(bad, name, age);",
        "const [first, [other]] = await redis.multi().get(user).ttl(user).exec(); use(first[1], other);",
        "const replies = await redis.multi().get(user).ttl(user).exec(); return replies[0][1];",
        "return redis.multi().get(user).ttl(user).exec();",
        "await redis.multi().get(user).ttl(user).exec();",
        "redis.multi().get(user).ttl(user).exec((error, replies) => use(error, replies));",
    ],
)
def test_errors_that_would_hide_among_the_replies_keep_the_transaction(tmp_path: Path, code: str) -> None:
    ((_, fix),) = findings_of(tmp_path, "read.mjs", QUIET.format(code=code), "RL201")
    assert fix is None


def test_errors_that_are_looked_at_one_by_one_need_no_transaction(tmp_path: Path) -> None:
    code = (
        "const [[failure, name], [other, age]] = await redis.multi().get(user).ttl(user).exec();\n"
        "  if (failure || other) throw failure || other;\n  return [name, age];"
    )
    after = fixed(tmp_path, "read.mjs", QUIET.format(code=code), "RL201")
    assert after == QUIET.format(code=code.replace("multi()", "pipeline()"))


@pytest.mark.parametrize("declared", ["Transaction", "var"])
def test_writes_whose_errors_nobody_would_see_keep_the_transaction(tmp_path: Path, declared: str) -> None:
    text = JAVA.replace("DECLARED", declared).replace("return batch.exec();", "batch.exec();\n        return users;")
    ((_, fix),) = findings_of(tmp_path, "Names.java", text.replace("batch.hget(user", "batch.hdel(user"), "RL201")
    assert fix is None


def test_what_a_lambda_gives_is_not_kept(tmp_path: Path) -> None:
    text = JAVA.replace("DECLARED", "Transaction").replace(
        "return batch.exec();", "batch.exec();\n        return users;"
    )
    loop = text[text.index("        for (") : text.index("        batch.exec")]
    text = text.replace(loop, '        users.forEach(user -> batch.hdel(user, "name"));\n')
    ((_, fix),) = findings_of(tmp_path, "Names.java", text, "RL201")
    assert fix is None


def test_replies_that_are_kept_raise_their_errors(tmp_path: Path) -> None:
    text = JAVA.replace("DECLARED", "Transaction").replace("return batch.exec();", "batch.exec();\n        return all;")
    text = text.replace('batch.hget(user, "name");', 'all.add(batch.hget(user, "name"));')
    text = text.replace(
        "        Transaction", "        var all = new java.util.ArrayList<Object>();\n        Transaction"
    )
    assert "batch.syncAndReturnAll();\n        return all;" in fixed(tmp_path, "Names.java", text, "RL201")
