"""Points 14 and 15: what refers to what refers to what is followed to its end, and a bound that is met is told."""

from __future__ import annotations

import json
import resource
from pathlib import Path
from random import Random

import pytest
from hostile import run as run_apart
from runs import CLIENT_MODULE, FINDING, SECONDS, USE, Outcome, run, write_files

from resplint.bind.values import MAX_VALUES
from resplint.contracts.errors import MemoryLimitError
from resplint.flow import bounds, core, demand, limits
from resplint.flow.limits import (
    MAX_CHAIN,
    MAX_COMBINATIONS,
    MAX_CONSTANTS,
    MAX_OBJECTS,
    MAX_OPERATORS,
    MAX_PARTS,
)
from resplint.scan.doors import MAX_FOLLOWED, MAX_ROUNDS

TAKE = '        return self.queue.blpop("jobs", timeout=30)\n'
ROOT = f"""\
import redis


class C0:
    def __init__(self):
        self.queue = redis.Redis(socket_timeout=5)

    def take(self):
{TAKE}"""


MADE = "        self.client = redis.Redis(socket_timeout=5)\n"
WAITING = "        self.client.blpop('jobs', timeout=30)\n"


def check(folder: Path, files: dict[str, str]) -> Outcome:
    """A scan of the files, whose ordinary finding is there and which takes as long as one hostile file may."""
    write_files(folder, {**files, "ordinary.py": FINDING})
    outcome = run(folder)
    assert ("ordinary.py", "RL104", 7) in outcome.findings
    assert outcome.exit_code == 1
    assert outcome.seconds <= SECONDS
    return outcome


# -- 14 -------------------------------------------------------------------------------------------------------------


def heirs(number: int) -> str:
    return ROOT + "".join(f"\n\nclass C{n}(C{n - 1}):\n    def take_{n}(self):\n{TAKE}" for n in range(1, number))


def test_14_a_chain_of_a_thousand_classes(tmp_path: Path) -> None:
    outcome = check(tmp_path, {"heirs.py": heirs(1_000)})
    assert len(outcome.findings) == 1_000 + 1
    assert outcome.limits == []


def test_14_classes_that_derive_from_each_other(tmp_path: Path) -> None:
    """Each of them from all others, which nobody can run."""
    names = [f"C{number}" for number in range(60)]
    code = "".join(f"\n\nclass {one}({', '.join(names)}):\n    pass\n" for one in names)
    made = "\n".join(f"{one}().take()" for one in names)
    assert check(tmp_path, {"circle.py": f"{CLIENT_MODULE}{code}\n{made}\n"}).limits == []


def test_14_a_thousand_functions_that_hand_on_a_client(tmp_path: Path) -> None:
    code = "".join(f"\n\ndef get_{n}():\n    return get_{n + 1}()\n" for n in range(1_000))
    code += f"\n\ndef get_1000():\n    return client\n{USE.replace('client', 'get_0()')}"
    outcome = check(tmp_path, {"getters.py": CLIENT_MODULE + code})
    assert (len(outcome.findings), outcome.limits) == (2, [])


def test_14_functions_that_all_call_each_other(tmp_path: Path) -> None:
    """The ways that lead to each of them are countless."""
    calls = "; ".join(f"f{n}(client)" for n in range(20))
    body = f'    {calls}\n    client.blpop("jobs", timeout=30)\n    redis.Redis(socket_timeout=5).get("a")\n'
    outcome = check(tmp_path, {"all.py": CLIENT_MODULE + "".join(f"\n\ndef f{n}(client):\n{body}" for n in range(20))})
    assert len(outcome.findings) > 20


def test_14_factories_that_all_call_each_other(tmp_path: Path) -> None:
    body = "".join(f"    if kind == {n}:\n        return f{n}(kind)\n" for n in range(12))
    body += "    return redis.Redis(socket_timeout=5)\n"
    check(tmp_path, {"all.py": "import redis\n" + "".join(f"\n\ndef f{n}(kind):\n{body}" for n in range(12)) + USE})


TEXTS = {
    "module.py": (
        'import redis\n\nqueue = redis.Redis(socket_timeout=5)\ns0 = "0123456789"\nt0 = s0\n',
        "s{n} = s{before} + s{before}\nt{n} = f'{{t{before}}}{{t{before}}}'\n",
        "queue.eval(s40, 0)\nqueue.hgetall(t40)\nqueue.eval(f'{s40}{t40}', 0)\nqueue.blpop('jobs', timeout=30)\n",
    ),
    "worker.js": (
        "const Redis = require('ioredis');\nconst queue = new Redis({ commandTimeout: 5000 });\n"
        "const s0 = '0123456789';\nconst t0 = s0;\n",
        "const s{n} = s{before} + s{before};\nconst t{n} = `${{t{before}}}${{t{before}}}`;\n",
        "queue.eval(s40, 0);\nqueue.hgetall(t40);\nqueue.eval(`${s40}${t40}`, 0);\nqueue.blpop('jobs', 30);\n",
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_14_texts_that_are_twice_the_one_before(tmp_path: Path, name: str) -> None:
    """Forty lines that stand for a text of 10 TB, in as much memory as a scan may take."""
    head, line, uses = TEXTS[name]
    code = head + "".join(line.format(n=n, before=n - 1) for n in range(1, 41)) + uses
    write_files(tmp_path, {name: code})

    def little_memory() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))

    done = run_apart("scan", tmp_path, "--no-cache", "--jobs", "1", "--format", "json", before=little_memory)
    assert done.returncode == 1, done.stderr
    document = json.loads(done.stdout)
    assert ("RL104", code.count("\n")) in {(one["rule"], one["region"]["start_line"]) for one in document["results"]}
    assert document["notifications"] == []


def test_14_too_little_memory_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    """A project that needs more than the process may have ends at once, and not in the middle of a traceback."""
    uses = "".join(f"\n\ndef f{n}(key=None):\n    return [key, {n}, client.get(key)]\n" for n in range(60))
    for number in range(200):
        write_files(tmp_path, {f"m{number}.py": f"{CLIENT_MODULE}from m{(number + 1) % 200} import f1\n{uses}"})

    def little_memory() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (100 << 20, 100 << 20))

    done = run_apart("scan", tmp_path, "--no-cache", "--jobs", "1", "--format", "json", before=little_memory)
    assert (done.returncode, done.stdout) == (3, b"")
    said = done.stderr.decode().splitlines()
    assert said[-1] == f"resplint: {MemoryLimitError()}"
    # Without memory the interpreter cannot always finalize a generator, and says so in a line of its own.
    assert [line for line in said[:-1] if not line.startswith("Exception ignored")] == []


# -- 15 -------------------------------------------------------------------------------------------------------------


def test_15_values_from_far_away_are_found(tmp_path: Path) -> None:
    steps = "".join(f"c{n} = wrap(c{n - 1})\n" for n in range(1, 2_000))
    code = f"{CLIENT_MODULE}\n\ndef wrap(x):\n    return x\n\n\nc0 = client\n{steps}{USE.replace('client', 'c1999')}"
    outcome = check(tmp_path, {"far.py": code})
    assert (len(outcome.findings), outcome.limits) == (2, [])


def test_15_a_constant_from_far_away_is_found(tmp_path: Path) -> None:
    steps = "".join(f"w{n} = w{n - 1}\n" for n in range(1, 2_000))
    use = '\n\ndef take():\n    return client.blpop("jobs", timeout=w1999)\n'
    outcome = check(tmp_path, {"far.py": f"{CLIENT_MODULE}\nw0 = 30\n{steps}{use}"})
    assert (len(outcome.findings), outcome.limits) == (2, [])


@pytest.mark.parametrize(("number", "is_told"), [(MAX_VALUES - 1, False), (MAX_VALUES + 1, True)])
def test_15_more_clients_than_are_kept(tmp_path: Path, number: int, is_told: bool) -> None:
    """Whatever else an expression may be leaves room for them."""
    others = "".join(f"    if mode == {n}:\n        return Other{n}()\n" for n in range(20))
    clients = "".join(
        f"    if mode == -{n}:\n        return redis.Redis(port={n}, socket_timeout=5)\n" for n in range(number)
    )
    classes = "".join(f"class Other{n}:\n    pass\n\n\n" for n in range(20))
    code = f"import redis\n\n\n{classes}def make(mode):\n{others}{clients}\n\nclient = make(MODE)\n{USE}"
    outcome = check(tmp_path, {"many.py": code})
    assert len(outcome.findings) == 2
    assert any(f"may stand for {MAX_VALUES} clients or more" in said for said in outcome.limits) is is_told


@pytest.mark.parametrize(("number", "is_told"), [(MAX_CONSTANTS, False), (MAX_CONSTANTS + 1, True)])
def test_15_more_constants_than_are_kept(tmp_path: Path, number: int, is_told: bool) -> None:
    """The last of them is the one that waits too long."""
    waits = "".join(f"if MODE == {n}:\n    wait = {n % 4 + 0.001 * n}\n" for n in range(1, number))
    code = f"{CLIENT_MODULE}\nwait = 1\n{waits}if MODE == -1:\n    wait = 30\nclient.blpop('jobs', timeout=wait)\n"
    outcome = check(tmp_path, {"many.py": code.replace("wait = 1\n", "", 1)})
    assert len(outcome.findings) == 2 - is_told
    said = [one for one in outcome.limits if f"more than {MAX_CONSTANTS} constants" in one]
    assert len(said) == is_told
    assert all("(first in many.py)" in one and "may be missing: check by hand" in one for one in said)


@pytest.mark.parametrize(
    ("wait", "said"),
    [
        (" + ".join(["1"] * (MAX_OPERATORS - 1)), ""),
        ("(" * 100 + "1" + " + 1)" * 100, f"more than {MAX_OPERATORS} operators in a row"),
        ("(a + b)", f"in more than {MAX_COMBINATIONS} ways"),
    ],
)
def test_15_more_combinations_than_are_computed(tmp_path: Path, wait: str, said: str) -> None:
    given = "".join(
        f"{name} = 3\n" + "".join(f"if MODE == {n}:\n    {name} = {n}\n" for n in range(20)) for name in "ab"
    )
    outcome = check(tmp_path, {"many.py": f"{CLIENT_MODULE}{given}client.blpop('jobs', timeout={wait})\n"})
    assert len(outcome.findings) == 1 + (not said)
    assert [said in one for one in outcome.limits] == [True] * bool(said)


@pytest.mark.parametrize(("number", "is_told"), [(MAX_PARTS - 2, False), (MAX_PARTS + 2, True)])
def test_15_more_parts_of_a_text_than_are_looked_at(tmp_path: Path, number: int, is_told: bool) -> None:
    names = " + ".join(["NAME"] * number)
    code = f"{CLIENT_MODULE}import sys\nNAME = sys.argv[1]\nclient.eval('return ' + {names}, 0)\n"
    outcome = check(tmp_path, {"parts.py": code})
    assert any(f"more than {MAX_PARTS} parts" in one for one in outcome.limits) is is_told


def test_15_objects_that_are_made_from_each_other_in_a_row(tmp_path: Path) -> None:
    made = "".join(f"const c{n} = c{n - 1}.duplicate();\n" for n in range(1, MAX_CHAIN + 5))
    code = f"const Redis = require('ioredis');\nconst c0 = new Redis({{ commandTimeout: 5000 }});\n{made}"
    outcome = check(tmp_path, {"chain.js": f"{code}c{MAX_CHAIN + 4}.blpop('jobs', 30);\n"})
    assert ("chain.js", "RL104") in {(path, rule) for path, rule, _ in outcome.findings}
    assert any(f"more than {MAX_CHAIN} others" in one for one in outcome.limits)


def test_15_objects_that_come_to_more_places_than_are_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules in a ring that hand each other their clients: there are as many ways as the square of their number."""
    monkeypatch.setattr(core, "MAX_ROUTES", 3_000)
    number = 150
    code = "import redis\nfrom m{} import client as other\nclient = other if other else redis.Redis()\nother.get('a')\n"
    outcome = check(tmp_path, {f"m{n}.py": code.format((n + 1) % number) for n in range(number)})
    assert any("were not followed to further ones" in one for one in outcome.limits)


@pytest.mark.parametrize(("most", "is_told"), [(100_000, False), (0, True)])
def test_15_more_objects_than_one_name_may_stand_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, is_told: bool
) -> None:
    """Objects that only lead to a client over others are bounded; those that have one are found among any number."""
    monkeypatch.setattr(bounds, "MAX_CROWDED", most)
    number = MAX_OBJECTS + 2
    code = f"import redis\n\n\nclass Queue:\n    def __init__(self):\n{MADE}\n    def take(self):\n{WAITING}"
    code += "".join(
        f"\n\nclass Worker{n}:\n    def __init__(self):\n        self.queue = Queue()\n\n"
        "    def take(self):\n        self.queue.take()\n"
        for n in range(number)
    )
    code += "\n\ndef work(given):\n    given.take()\n\n\n" + "".join(f"work(Worker{n}())\n" for n in range(number))
    outcome = check(tmp_path, {"work.py": f"{code}work(Queue())\n"})
    assert ("work.py", "RL104") in {(path, rule) for path, rule, _ in outcome.findings}
    assert [f"a place that had {MAX_OBJECTS} of them" in one for one in outcome.limits] == [True] * is_told


@pytest.mark.parametrize(("length", "is_told"), [(40, False), (60, True)])
def test_15_more_expressions_than_a_question_asks_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, length: int, is_told: bool
) -> None:
    """Each question has its own room: what lies in the part that one did not see is found by the next."""
    monkeypatch.setattr(demand, "MAX_ASKED", 50)
    steps = "".join(f"w{n} = w{n - 1}\n" for n in range(1, length))
    code = (
        f"{CLIENT_MODULE}w0 = 30\n{steps}client.blpop('jobs', timeout=w{length - 1})\nclient.blpop('a', timeout=w1)\n"
    )
    outcome = check(tmp_path, {"chain.py": code})
    found = [line for path, rule, line in outcome.findings if (path, rule) == ("chain.py", "RL104")]
    assert len(found) == 2 - is_told
    assert ["more than 20,000 expressions" in one for one in outcome.limits] == [True] * is_told


@pytest.mark.parametrize("callers", [3, 60])
def test_15_a_key_is_that_of_its_call_however_many_others_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, callers: int
) -> None:
    """What one call of a wrapper passes is asked before what all of them may pass."""
    monkeypatch.setattr(demand, "MAX_ASKED", 100)
    store = (
        f"{CLIENT_MODULE}\n\ndef full(key, shared=False):\n    if shared:\n        return f'shared:{{key}}'\n"
        "    return key\n"
        "\n\ndef put(key, field, value):\n    client.hset(full(key), field, value)\n"
        "\n\ndef everything(key):\n    return client.hgetall(full(key))\n"
    )
    others = {
        f"a{n}.py": f"import store\n\n\ndef keep(text):\n    name = 'area:{n}:last'\n    key = name\n"
        "    store.put(key, 'text', text)\n    return store.everything(key)\n"
        for n in range(callers)
    }
    users = (
        "import store\n\n\ndef seen(user_ids):\n    for user_id in user_ids:\n        store.put('users', user_id, 1)\n"
        "\n\ndef users():\n    return store.everything('users')\n"
    )
    outcome = check(tmp_path, {"store.py": store, "a.py": users, **others})
    assert [one for one in outcome.findings if one[1] == "RL401"] == [("a.py", "RL401", 10)]


def test_14_a_variable_that_is_set_and_read_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There are as many pairs of a setting and a reading as the square of their number; edges there are fewer."""
    edges = []
    edge = core.Flow.edge
    monkeypatch.setattr(core.Flow, "edge", lambda *given: (edges.append(given[1:3]), edge(*given)))
    attempt = "    try:\n        wait = work({n})\n    except ValueError:\n        wait = {n}\n"
    use = "    client.blpop('jobs', timeout=wait)\n"
    code = "".join(attempt.format(n=n) + use for n in range(150))
    outcome = check(tmp_path, {"long.py": f"{CLIENT_MODULE}\n\ndef take(work):\n    wait = 1\n{code}"})
    assert len(outcome.findings) > 100
    assert len(edges) < 5_000


def test_15_every_limit_has_its_line_in_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "limits.md").read_text()
    named = {name: value for name, value in vars(limits).items() if name.startswith("MAX_") and isinstance(value, int)}
    assert len(named) >= 6
    assert all(f"{value:,} " in page for value in named.values())


@pytest.mark.parametrize("seed", range(8))
def test_15_clients_of_functions_that_call_each_other_are_found(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    code = "import redis\n"
    for n in range(7):
        code += f"\n\ndef site_{n}(up):\n"
        for other in sorted(random.sample(range(7), 4)):
            code += f"    if {other} in up:\n        return site_{other}(up)\n"
        code += "    return redis.Redis(socket_timeout=5)\n" if n == 6 else "    return None\n"
    code += "".join(f'\nsite_{n}(UP).blpop("jobs", timeout=30)' for n in range(7))
    outcome = check(tmp_path, {"sites.py": code})
    assert (len(outcome.findings), outcome.limits) == (7 + 1, [])


def test_15_thousands_of_calls_of_one_function(tmp_path: Path) -> None:
    """The last of them is the one that waits too long."""
    calls = "take(1)\n" * 5_000 + "take(30)\n"
    code = f'{CLIENT_MODULE}\n\ndef take(wait):\n    return client.blpop("jobs", timeout=wait)\n\n\n{calls}'
    outcome = check(tmp_path, {"calls.py": code})
    assert ("calls.py", "RL104") in {(path, rule) for path, rule, _ in outcome.findings}
    assert outcome.limits == []


def test_15_more_importers_than_are_followed(tmp_path: Path) -> None:
    users = {f"user_{n}.py": f"from queues import client{USE}" for n in range(MAX_FOLLOWED + 5)}
    outcome = check(tmp_path, {"queues.py": CLIENT_MODULE, **users})
    (said,) = outcome.limits
    assert said.startswith("5 files that import modules which use Redis were not analysed, as there are too many")
    assert len(outcome.findings) == MAX_FOLLOWED + 1


@pytest.mark.parametrize(("extra", "is_told"), [(0, False), (1, True)])
def test_15_clients_that_are_made_many_imports_away(tmp_path: Path, extra: int, is_told: bool) -> None:
    length = MAX_ROUNDS + extra
    chain = {f"m{n}.py": f"from m{n - 1} import client\n" for n in range(1, length)}
    outcome = check(tmp_path, {"m0.py": CLIENT_MODULE, **chain, "user.py": f"from m{length - 1} import client{USE}"})
    assert len(outcome.findings) == (1 if is_told else 2)
    assert bool(outcome.limits) is is_told
