"""What is followed only on demand is followed wherever it matters: with everything followed, no Redis object reaches a
place that it does not reach otherwise.
"""

from __future__ import annotations

import pytest

from resplint.bind.values import ClassValue, FunctionValue, Instance, LibraryMethod, LibraryObject
from resplint.flow import nodes
from resplint.model.project import Project
from tests.flow.examples import facts_of, fixtures, in_order, pages
from tests.flow.projects import Small, describe


def redis_tokens(project: Project) -> dict[object, set[str]]:
    """Node -> the objects of client libraries and methods of them that it holds."""
    graph = project.ev
    found: dict[object, set[str]] = {}
    for node, tokens in graph.flow.held.items():
        key = (node[0], describe(graph, graph.flow.values[node[1]]), node[2]) if node[0] == nodes.OF_OBJECT else node
        values = [graph.flow.values[token] for token in tokens]
        held = {describe(graph, value) for value in values if isinstance(value, LibraryObject | LibraryMethod)}
        if held:
            found[key] = held
    return found


FOLLOWED = {**pages(), **fixtures(4, 1)}
TYPED = "what is kept in something outside goes by its name, and by its declared type once all objects are followed"
HEIRS = "what a method gives that calls one which only heirs write is followed by its declared type alone"
GAPS = {
    "connection-leak/java/bad_lent_in_a_sequence.java": HEIRS,
    "connection-leak/java/bad_own_pool_of_anything": HEIRS,
    "connection-per-command/typescript/bad_helpers_that_keep.ts": TYPED,
}


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(one, id=name, marks=[pytest.mark.xfail(strict=True, reason=GAPS[name])] if name in GAPS else [])
        for name, one in FOLLOWED.items()
    ],
)
def test_following_everything_finds_no_further_redis_object(texts: dict[str, str]) -> None:
    sparse, full = (in_order(facts_of(texts), sorted(texts)) for _ in range(2))
    sparse.ev.solve()
    full.ev.edges.demand.everything = True
    full.ev.solve()
    assert redis_tokens(sparse) == redis_tokens(full)


def places(small: Small, path: str) -> dict[str, set[str]]:
    """Expression -> the objects, functions and classes of the project that it holds by now; nothing is asked."""
    graph, index = small.graph, small.index(path)
    found: dict[str, set[str]] = {}
    for number in range(len(index.facts.exprs)):
        values = graph.flow.at(nodes.expression(index.number, number))
        held = {describe(graph, value) for value in values if isinstance(value, Instance | FunctionValue | ClassValue)}
        if held:
            found.setdefault(small.code(path, number), set()).update(held)
    return found


HANDED_ON = """\
import redis

class Plain:
    def __init__(self, host):
        self.host = host

class Store:
    def __init__(self, host):
        self.client = redis.Redis(host)

def log(value):
    first = value
    second = first
    redis.Redis("b").get("log")
    return second

log(Plain("a"))
log({store})
redis.Redis(Plain("c").host)
"""


def test_objects_that_nobody_asked_for_stay_where_they_are() -> None:
    small = Small({"shop.py": HANDED_ON.format(store='Plain("d")')})
    small.graph.solve()
    small.answer("shop.py", 19, 'Plain("c").host')
    assert places(small, "shop.py").get("Plain"), "the class was asked for"
    assert "first" not in places(small, "shop.py")
    assert small.answer("shop.py", 15, "second") == "Plain(17) | Plain(18)"
    assert places(small, "shop.py")["first"]


def test_objects_that_lead_to_redis_go_everywhere() -> None:
    small = Small({"shop.py": HANDED_ON.format(store='Store("d")')})
    small.graph.solve()
    assert any("Store" in one for one in places(small, "shop.py")["second"])


def test_text_of_a_parameter_is_text_whoever_passes_it() -> None:
    code = """\
import redis

def key(name):
    return name.strip().lower()

redis.Redis().get(key(make()))
"""
    small = Small({"shop.py": code})
    small.graph.solve()
    assert small.answer("shop.py", 6, "key(make())") == "text(4)"
    asked = small.graph.edges.questions
    assert not asked.wants(nodes.expression(*small.expression("shop.py", 6, "make()")))
    assert not asked.wants(nodes.expression(*small.expression("shop.py", 4, "name")))
