"""Constant keys come to where they are used, however many ways lead there."""

from __future__ import annotations

from resplint.workers.time_limits import within
from tests.flow.projects import Small

MANY = 14


def handed_on(ways: int) -> str:
    """Functions each of which hands a key on to all of them; each takes the client under it."""
    lines = ["import redis", "", "near = {'a': redis.Redis(), 'b': redis.Redis()}"]
    for number in range(ways):
        others = " or ".join(f"take{other}(name)" for other in range(ways))
        lines += [f"def take{number}(name):", f"    return near[name] or {others}"]
    lines += ["take0('a').get('x')"]
    return "\n".join(lines) + "\n"


def test_a_key_is_followed_once_to_each_function_that_hands_it_on() -> None:
    text = handed_on(MANY)
    last = text.count("\n")
    assert within(60, lambda: Small({"main.py": text}).answer("main.py", last, "take0('a').get")) == "Redis(3).get"


def test_names_of_a_loop_over_what_is_written_out_are_keys() -> None:
    text = (
        "import redis\nnear = {'a': redis.Redis(), 'b': redis.Redis()}\nfor name in ('b',):\n    near[name].get('x')\n"
    )
    assert Small({"main.py": text}).answer("main.py", 4, "near[name].get") == "Redis(2).get"


def test_modules_that_import_a_name_from_each_other_give_no_key() -> None:
    main = "import redis\nfrom other import NAME\nnear = {'a': redis.Redis()}\nnear[NAME].get('x')\n"
    found = Small({"main.py": main, "other.py": "from main import NAME\n"}).answer("main.py", 4, "near[NAME].get")
    assert found == "Redis(3).get"


def test_a_loop_over_its_own_name_gives_no_key() -> None:
    text = "import redis\nnear = {'a': redis.Redis()}\nfor name in name.items():\n    near[name].get('x')\n"
    assert Small({"main.py": text}).answer("main.py", 4, "near[name].get") == "Redis(2).get"
