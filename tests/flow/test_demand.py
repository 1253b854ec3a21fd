"""What is followed only on demand is followed wherever it matters: with everything followed, no Redis object reaches a
place that it does not reach otherwise.
"""

from __future__ import annotations

import pytest

from resplint.bind.values import LibraryMethod, LibraryObject
from resplint.flow import nodes
from resplint.model.project import Project
from tests.flow.examples import facts_of, fixtures, in_order, pages
from tests.flow.projects import describe


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


@pytest.mark.parametrize("texts", [pytest.param(one, id=name) for name, one in {**pages(), **fixtures(4, 1)}.items()])
def test_following_everything_finds_no_further_redis_object(texts: dict[str, str]) -> None:
    sparse, full = (in_order(facts_of(texts), sorted(texts)) for _ in range(2))
    sparse.ev.solve()
    full.ev.edges.demand.everything = True
    full.ev.solve()
    assert redis_tokens(sparse) == redis_tokens(full)
