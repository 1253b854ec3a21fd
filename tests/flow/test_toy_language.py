"""A new language needs no new branch in `bind/` or `flow/`: its adapter and its words are all there is of it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import resplint
from resplint.languages import EXTENSIONS, LANGUAGES
from tests.flow import toy_language
from tests.flow.projects import answer, catalogue, linked

BASKETS = {
    "shop/clients.brook": """
package shop.clients
import clear.redis.connect
let cache = connect("localhost", 6379)
fun open(name)
  give connect(name, 6379)
end
""",
    "shop/pricing.brook": """
package shop.baskets
import shop.clients.open
let read = fn(client, name) client.get(name)
let jobs = open("jobs")
let prices = [open("a"), open("b")]
fun total(take)
  give take(jobs)
end
""",
    "shop/baskets.brook": """
package shop.baskets
import shop.clients.cache
fun take(client)
  give client.lpop("takes")
end
fun main()
  let found = read(cache, "basket")
  let count = total(fn(one) one.llen("count"))
  let next = jobs.blpop("jobs", 0)
  prices.each(fn(each) each.hgetall("prices"))
  let take = read
  take(cache, "other")
end
fun unknown(client)
  give client.keys("nothing")
end
""",
}
SITES = {
    ("shop/pricing.brook", "client.get"): "Client(shop/clients.brook:4).get",
    ("shop/baskets.brook", "one.llen"): "Client(shop/clients.brook:6).llen",
    ("shop/baskets.brook", "jobs.blpop"): "Client(shop/clients.brook:6).blpop",
    ("shop/baskets.brook", "each.hgetall"): "Client(shop/clients.brook:6).hgetall",
}
"""Place -> the method of a library that it is, whose object is made at a line of a file. Neither `client.lpop`, as a
variable of that name hides the function where it is called, nor `client.keys`, which nothing is passed to.
"""


def test_clients_are_followed_through_packages_functions_and_variables() -> None:
    files = [toy_language.lower(path, text) for path, text in BASKETS.items()]
    graph = linked(files, toy_language.catalogue(catalogue())).ev
    found = {}
    for (file, number), methods in graph.sites:
        index = graph.store.files[file]
        call = index.facts.exprs[number]
        callee = index.facts.exprs[call.callee]  # type: ignore[union-attr]
        place = (index.facts.path, BASKETS[index.facts.path][callee.start : callee.end])
        found[place] = answer(graph, methods, -1)
    assert found == SITES


def test_constants_come_to_the_calls_that_they_are_passed_to() -> None:
    files = [toy_language.lower(path, text) for path, text in BASKETS.items()]
    graph = linked(files, toy_language.catalogue(catalogue())).ev
    index = graph.store.by_path("shop/pricing.brook")
    assert index is not None
    (name,) = [
        number for number, expr in enumerate(index.facts.exprs)
        if BASKETS["shop/pricing.brook"][expr.start : expr.end] == "name"
    ]  # fmt: skip
    assert (
        answer(graph, graph.values(index.number, name), -1) == "'basket' | 'other' | parameter name"
    )  # `take` is handed out, too


NAMED = {*LANGUAGES, *(suffix.lstrip(".") for suffix in EXTENSIONS)}
MODULES = sorted(
    path
    for folder in ("bind", "flow")
    for path in (Path(resplint.__file__).parent / folder).rglob("*.py")
    if path.name != "modules.py"  # it says which files a path without a suffix may mean
)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_names_no_language(path: Path) -> None:
    told = {
        node.value
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert told & (NAMED | {f".{one}" for one in NAMED}) == set()
