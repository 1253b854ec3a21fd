"""Fixes of Lua texts that are put together from values."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.spelling.remedied import findings_of, fixed

PYTHON = """\
import redis

r = redis.Redis()


def run(name: str, count: int, amount, items):
{body}
"""

NODE = """\
import {{ createClient }} from 'redis';

const client = await createClient().connect();

export async function run(name: string, count: number, rest: any) {{
{body}
}}
"""


def indented(body: str, width: int) -> str:
    return "\n".join(f"{' ' * width}{line}" for line in body.split("\n"))


def python(folder: Path, body: str) -> str:
    """The body of a function with its script made constant; "" when there is no fix."""
    text = PYTHON.format(body=indented(body, 4))
    after = fixed(folder, "run.py", text, "RL301")
    return after and "\n".join(line[4:] for line in after.splitlines()[6:])


def node(folder: Path, body: str) -> str:
    text = "// versions: node-redis=5.8.0\n" + NODE.format(body=indented(body, 2))
    after = fixed(folder, "run.ts", text, "RL301")
    return after and "\n".join(line[2:] for line in after.splitlines()[6:-1])


IN_PYTHON = [
    pytest.param(
        """return r.eval(f"return redis.call('GET', '{name}')", 0)""",
        """return r.eval("return redis.call('GET', KEYS[1])", 1, name)""",
        id="key",
    ),
    pytest.param(
        """return r.eval(f"return redis.call('GET', 'user:{name}')", 0, 5)""",
        """return r.eval("return redis.call('GET', KEYS[1])", 1, f"user:{name}", 5)""",
        id="part of a key, in front of arguments",
    ),
    pytest.param(
        """return r.eval(f"return redis.call('SET', KEYS[1], '{name}', 'EX', {count})", 1, "a", name)""",
        """return r.eval("return redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])", 1, "a", name, name, count)""",
        id="arguments behind others",
    ),
    pytest.param(
        """return r.eval(f"if tonumber(redis.call('GET', KEYS[1])) < {count} then return 1 end", 1, name)""",
        "return r.eval(\"if tonumber(redis.call('GET', KEYS[1])) < tonumber(ARGV[1]) then return 1 end\", "
        "1, name, count)",
        id="a number that is compared",
    ),
    pytest.param(
        """return r.eval(f"local t = {{}} t[1] = '{amount}' return t", 0)""",
        """return r.eval("local t = {} t[1] = ARGV[1] return t", 0, f"{amount}")""",
        id="braces, and a value of an unknown type",
    ),
    pytest.param(
        """return r.eval("return redis.call('GET', '" + name + "')", 0)""",
        """return r.eval("return redis.call('GET', KEYS[1])", 1, name)""",
        id="joined",
    ),
    pytest.param(
        """return r.eval("return redis.call('INCRBY', '%s', %d) + 100%%7" % (name, amount), 0)""",
        """return r.eval("return redis.call('INCRBY', KEYS[1], ARGV[1]) + 100%7", 1, name, int(amount))""",
        id="percent",
    ),
    pytest.param(
        """return r.eval("return {{redis.call('GET', '{}'), '{n}'}}".format(name, n=count), 0)""",
        """return r.eval("return {redis.call('GET', KEYS[1]), ARGV[1]}", 1, name, count)""",
        id="format",
    ),
    pytest.param(
        """return r.eval(f"local k = 'a:{name}' return redis.call('DEL', k)", 0)""",
        """return r.eval("local k = KEYS[1] return redis.call('DEL', k)", 1, f"a:{name}")""",
        id="a key by a local name",
    ),
    pytest.param(
        """return r.eval(f"return {{'{next(items)}', '{next(items)}'}}", 0)""",
        """return r.eval("return {ARGV[1], ARGV[2]}", 0, f"{next(items)}", f"{next(items)}")""",
        id="calls that may give something else the second time",
    ),
    pytest.param(
        """return r.eval(f"return redis.call('GET', 'a:{name}') or redis.call('GET', 'a:{name}')", 0)""",
        """return r.eval("return redis.call('GET', KEYS[1]) or redis.call('GET', KEYS[1])", 1, f"a:{name}")""",
        id="the same value twice",
    ),
    pytest.param(
        "return r.eval(\n    f\"return redis.call('SET', KEYS[1], '{name}')\",  # why\n    1,\n    'a',  # the key\n)",
        "return r.eval(\n    \"return redis.call('SET', KEYS[1], ARGV[1])\",  # why\n    1,\n    'a',  # the key\n"
        "    name,\n)",
        id="one on each line",
    ),
    pytest.param(
        """return r.execute_command("EVAL", f"return redis.call('GET', '{name}')", "0")""",
        """return r.execute_command("EVAL", "return redis.call('GET', KEYS[1])", "1", name)""",
        id="words",
    ),
    pytest.param(
        'lua = f"""\n  -- it\'s fine\n  return redis.call(\'GET\', \'{name}\')\n"""\nreturn r.eval(lua, 0)',
        'lua = """\n  -- it\'s fine\n  return redis.call(\'GET\', KEYS[1])\n"""\nreturn r.eval(lua, 1, name)',
        id="through a local name",
    ),
]


@pytest.mark.parametrize(("before", "after"), IN_PYTHON)
def test_values_become_keys_and_arguments(tmp_path: Path, before: str, after: str) -> None:
    assert python(tmp_path, before) == after


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("""return r.eval(f"return {amount}", 0)""", id="code"),
        pytest.param("""return r.eval(f"return redis.call('{name}', KEYS[1])", 1, "a")""", id="the name of a command"),
        pytest.param("""return r.eval(f"local v{count} = 1 return v{count}", 0)""", id="part of a name"),
        pytest.param("""return r.eval(f"return 1 -- {name}", 0)""", id="a comment"),
        pytest.param("""return r.eval(f"return [[{name}]]", 0)""", id="a long text"),
        pytest.param("""return r.eval(f"return ('{name}'):rep(2) .. '{name}':len()", 0)""", id="a method of a text"),
        pytest.param("""return r.eval(f"return '{count:05d}'", 0)""", id="a format"),
        pytest.param("""return r.eval(f"return '{name!r}'", 0)""", id="a conversion"),
        pytest.param("""return r.eval(f"return '\\\\n{name}'", 0)""", id="escapes beside the value"),
        pytest.param("""return r.eval(f"return redis.call('DEL', 'a', '{name}')", 0)""", id="a second key"),
        pytest.param("""return r.eval(f"return redis.call('NOVEL', '{name}')", 0)""", id="an unknown command"),
        pytest.param("""return r.eval(f"return '{name}' .. #ARGV", 0)""", id="counted arguments"),
        pytest.param("""return r.eval(f"return '{name}'", 0, *items)""", id="spread arguments"),
        pytest.param("""return r.eval(f"return '{name}'", len(items))""", id="a computed number of keys"),
        pytest.param("""return r.eval(f"return '{name}'".replace("a", "b"), 0)""", id="text that is changed"),
        pytest.param(
            """lua = f"return '{name}'"\nr.eval(lua, 0)\nreturn r.eval(lua, 0)""", id="a text that is used twice"
        ),
        pytest.param(
            """lua = f"return '{name}'"\nname = "other"\nreturn r.eval(lua, 0)""", id="a value that changes in between"
        ),
        pytest.param(
            """lua = f"return '{name + items.pop()}'"\nitems.clear()\nreturn r.eval(lua, 0)""",
            id="a value that is computed",
        ),
        pytest.param(
            """lua = "return 1"\nif count:\n    lua = f"return '{name}'"\nreturn r.eval(lua, 0)""",
            id="one of two texts",
        ),
        pytest.param("""return r.script_load(f"return '{name}'")""", id="a text that is only loaded"),
        pytest.param("""return r.eval("return '" + f"{name}" + "'" + name, 0)""", id="values side by side"),
        pytest.param("""return r.eval("return '" + name + '\\'', 0)""", id="different quotes"),
        pytest.param(
            """return r.eval(f"return {count}^2", 0)""", id="the power of a number, which its sign is not part of"
        ),
        pytest.param(
            """return r.eval(f"return '{name}' .. (ARGV[2] or '')", 0, "a")""", id="an argument that may be missing"
        ),
        pytest.param(
            """return r.eval(f"local i = 1 while ARGV[i] do i = i + 1 end return '{name}'", 0)""",
            id="arguments by a computed number",
        ),
        pytest.param(
            """clean = name.replace("'", "\\\\'")\nreturn r.eval(f"return '{clean}'", 0)""",
            id="a value whose quotes are escaped",
        ),
    ],
)
def test_what_is_no_plain_value_stays_as_it_is(tmp_path: Path, body: str) -> None:
    text = PYTHON.format(body=indented(body, 4))
    found = findings_of(tmp_path, "run.py", text, "RL301")
    assert found
    assert all(fix is None for _, fix in found)


IN_NODE = [
    (
        "return client.eval(`return redis.call('GET', 'user:${name}')`, { keys: [], arguments: [] });",
        "return client.eval(`return redis.call('GET', KEYS[1])`, { keys: [`user:${name}`], arguments: [] });",
    ),
    (
        "return client.eval(`return redis.call('INCRBY', KEYS[1], ${count})`, { keys: [name] });",
        "return client.eval(`return redis.call('INCRBY', KEYS[1], ARGV[1])`, "
        "{ keys: [name], arguments: [String(count)] });",
    ),
    (
        "return client.eval(`return redis.call('SET', '${name}', '${rest.value}')`);",
        "return client.eval(`return redis.call('SET', KEYS[1], ARGV[1])`, "
        "{ keys: [name], arguments: [String(rest.value)] });",
    ),
    (
        "return client.eval(\"return redis.call('SET', KEYS[1], '\" + name + \"')\", {\n  keys: [name],\n"
        "  arguments: [\n    'a', // first\n  ],\n});",
        "return client.eval(\"return redis.call('SET', KEYS[1], ARGV[2])\", {\n  keys: [name],\n"
        "  arguments: [\n    'a', // first\n    name,\n  ],\n});",
    ),
]


@pytest.mark.parametrize(("before", "after"), IN_NODE)
def test_values_become_entries(tmp_path: Path, before: str, after: str) -> None:
    assert node(tmp_path, before) == after


@pytest.mark.parametrize(
    "options", ["rest", "{ ...rest }", "{ keys: rest }", "{ keys: [...rest], arguments: [] }", "{ keys: [] }, rest"]
)
def test_entries_that_stand_elsewhere_stay_as_they_are(tmp_path: Path, options: str) -> None:
    body = f"return client.eval(`return redis.call('SET', 'a:${{name}}', '${{name}}')`, {options});"
    text = "// versions: node-redis=5.8.0\n" + NODE.format(body=body)
    ((_, fix),) = findings_of(tmp_path, "run.ts", text, "RL301")
    assert fix is None
