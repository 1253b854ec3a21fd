"""The solver: sets of tokens at nodes, one worklist, a least fixpoint.

Rules only ever add, so the result does not depend on the order in which files, facts or tokens come. A rule is a
consumer of a node: a function that is called once with every token that the node ever holds, whenever it was
registered.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from resplint.bind.binder import Binder
from resplint.bind.values import (
    FunctionValue,
    LibraryObject,
    Many,
    Origin,
    Ref,
    Value,
)
from resplint.flow.bounds import MOST, Bounds
from resplint.flow.limits import MAX_ROUTES, OBJECTS, ROUTES, Limits
from resplint.flow.nodes import EXPORT, EXPRESSION, FIELD, Node
from resplint.flow.relevance import REDIS, Family, Relevance
from resplint.knowledge.catalogue import Catalogue

if TYPE_CHECKING:
    from resplint.flow.rules.build import Edges

Token = int
Consumer = Callable[[Token], None]
Copy = tuple[Node, Node]
"""An edge over which tokens go as they are, among the consumers of the node where it begins. Most consumers are such:
they are no functions, as calling them took a third of the time.
"""
Give = Callable[[Token], Token | None]
"""What an edge makes of a token; None for nothing."""
_SEVERAL = 2
"""Objects of libraries that every node may hold, however many come to all nodes together."""
_ASKED_AFTER = 0x3F
"""Steps after which the time is looked at, as a mask."""


def _itself(token: Token) -> Token:
    return token


_COPIED: tuple[Give, ...] = (_itself,)
"""What most edges give, once."""


class _Once:
    """An action that waits for something that leads to Redis."""

    __slots__ = ("_action", "_flow")

    def __init__(self, flow: Flow, action: Callable[[], None]) -> None:
        self._flow = flow
        self._action: Callable[[], None] | None = action

    def consume(self, token: Token) -> None:
        """Run the action once the values of a token's family lead to Redis."""
        if self._action is not None:
            self._flow.relevance.when(self._flow.family(token), self._run)

    def _run(self) -> None:
        action, self._action = self._action, None
        if action is not None:
            action()


class Flow:
    """Nodes, the tokens at them, and who consumes them."""

    def __init__(self, binder: Binder, catalogue: Catalogue) -> None:
        self.binder = binder
        self.store = binder.store
        self.catalogue = catalogue
        self.values: list[Value] = []
        self._numbers: dict[Value, Token] = {}
        self.held: dict[Node, dict[Token, None]] = {}
        self.exports: list[Node] = []
        """What modules hand out that holds something."""
        self._done: dict[Node, int] = {}
        """How many of the tokens that a node holds, in the order in which they came, its consumers have had."""
        self._consumers: dict[Node, list[Consumer | Copy]] = {}
        self._work: deque[tuple[Node, Token]] = deque()
        self._sources: dict[Node, Node | dict[Node, None]] = {}
        """Node -> the node that its tokens came from, or those: mostly it is one."""
        self.feeders: dict[Node, dict[Node, tuple[Give, ...]]] = defaultdict(dict)
        """Node -> the nodes that its tokens may come from, and what of each token each edge gives."""
        self._wanted: set[Node] = set()
        """Nodes whose data somebody asked for: it flows to these alone."""
        self._asked: set[Node] = set()
        """Nodes that somebody asked for at all: objects that nobody follows flow to these alone."""
        self._families: list[Family | None] = []
        self._origins: dict[tuple[int, ...], Origin] = {}
        self.edges: Edges
        self.relevance = Relevance(binder, catalogue)
        self._followed = self.relevance.followed
        self._near = self.relevance.near
        self.version: Callable[[LibraryObject, int, str], str] = lambda value, file, method: ""
        self.factory: Callable[[FunctionValue], Origin | None] = lambda function: None
        self.configured: Callable[[str], Origin | None] = lambda dotted: None
        self.application: Callable[[str, str], Sequence[str | None]] = lambda path, key: ()
        self.where: dict[tuple[int, int], dict[Node, None]] = defaultdict(dict)
        """Function of the project -> the nodes that hold it."""
        self._watching: dict[tuple[int, int], list[Callable[[Node], None]]] = defaultdict(list)
        self.object_places: dict[Ref, dict[Node, None]] = defaultdict(dict)
        """Call that makes an object of a library -> the expressions that stand for it."""
        self.holding: set[tuple[int, int]] = set()
        """Classes of the project that have an object of a client library in a field of their own."""
        self.handed: set[Node] = set()
        """Parameters that something outside the project fills: a client library, a promise, a collection."""
        self.is_over: Callable[[], bool] = lambda: False
        """Whether the time is up: what waits then stays where it is, and answers are what has come so far."""
        self._pass_on = self._pass  # one object, as there are many edges
        self.bounds = Bounds(binder.store)
        self.limits = Limits(binder.store)
        self._routes = 0
        """How often an object or function came to a node that holds several others already."""
        self.steps = 0
        self.watched: set[Node] = set()
        self.seen = 0
        """How often something came to one of the nodes that are watched."""

    @property
    def waiting(self) -> bool:
        """Whether something is still to be propagated."""
        return bool(self._work)

    # -- tokens --------------------------------------------------------------------------------------------------------

    def token(self, value: Value) -> Token:
        """The number of a value."""
        known = self._numbers.get(value)
        if known is None:
            known = self._numbers[value] = len(self.values)
            self.values.append(value)
            self._families.append(self.relevance.family(value))
        return known

    def origin(self, library: object, type_: object, constructor: object = None, method: object = None,
               callback: object = None, factory: object = None) -> Origin:  # fmt: skip
        """The one record for these pieces of knowledge, which are compared by identity."""
        key = (id(library), id(type_), id(constructor), id(method), id(callback), id(factory))
        known = self._origins.get(key)
        if known is None:
            known = self._origins[key] = Origin(library, type_, constructor, method, factory, callback)  # type: ignore[arg-type]
        return known

    def at(self, node: Node) -> list[Value]:
        """The values that a node holds."""
        return [self.values[token] for token in self.held.get(node, ())]

    def sources(self, node: Node) -> tuple[Node, ...]:
        """The nodes that a node's tokens came from."""
        found = self._sources.get(node)
        return () if found is None else tuple(found) if isinstance(found, dict) else (found,)

    def came(self, node: Node, source: Node) -> None:
        """A node's tokens may come from another one."""
        known = self._sources.get(node)
        if known is None:
            self._sources[node] = source
        elif isinstance(known, dict):
            known[source] = None
        elif known != source:
            self._sources[node] = {known: None, source: None}

    # -- edges ---------------------------------------------------------------------------------------------------------

    def add(self, node: Node, token: Token, source: Node | None = None) -> None:
        """A node holds a token, which came from `source`."""
        held = self.held.get(node)
        if held is None:
            held = self.held[node] = {}
            if node[0] == FIELD:
                self.edges.members.field_appears(node)
            elif node[0] == EXPORT:
                self.exports.append(node)
        if source is not None:
            if self._sources.get(node) is not source:
                self.came(node, source)
        if token not in held:
            value = self.values[token]
            family = self._families[token]
            if family is None:
                if type(value) in MOST and not self._has_room(node, value):
                    return
            elif family not in self._near:
                if not self.bounds.admits_object(node):
                    self.limits.met(OBJECTS)
                    self.relevance.when_near(family, partial(self.add, node, token, source))
                    return
            elif len(held) >= _SEVERAL and family is REDIS:
                self._routes += 1
                if self._routes > MAX_ROUTES:
                    self.limits.met(ROUTES)
                    return
            held[token] = None
            self._work.append((node, token))
            if node in self.watched:
                self.seen += 1
            if type(value) is LibraryObject:
                if node[0] == FIELD:
                    self._holds(node[1], node[2])
                elif value.made is not None and node[0] == EXPRESSION:
                    self.object_places[value.made][node] = None
            elif type(value) is FunctionValue:
                key = (value.file, value.scope)
                if node not in self.where[key]:
                    self.where[key][node] = None
                    for watching in tuple(self._watching.get(key, ())):
                        watching(node)

    def _holds(self, file: int, scope: int) -> None:
        """Objects of a class have a client in a field of their own."""
        if (file, scope) not in self.holding:
            self.holding.add((file, scope))
            self.relevance.holds_client(file, scope)

    def _has_room(self, node: Node, value: Value) -> bool:
        """Whether a node takes one more token of a kind of data; what is beyond the bound is one that is not known."""
        admitted, is_first_beyond = self.bounds.admits(node, value)
        if is_first_beyond:
            self.put(node, Many())
        return admitted

    def family(self, token: Token) -> Family | None:
        """What a token leads to Redis together with; None for data."""
        return self._families[token]

    def is_object(self, token: Token) -> bool:
        """Whether a token is an object, a function or a module of the project or of a client library: no mere data."""
        return self._families[token] is not None

    def is_relevant(self, token: Token) -> bool:
        """Whether a token is an object of a client library, or leads to one as far as is known yet."""
        return self.relevance.holds(self._families[token])

    def once(self, node: Node, action: Callable[[], None]) -> None:
        """Call `action` when something that leads to Redis reaches a node."""
        self.each(node, _Once(self, action).consume)

    def put(self, node: Node, value: Value, source: Node | None = None) -> None:
        """A node holds a value."""
        self.add(node, self.token(value), source)

    def copy(self, source: Node, target: Node) -> None:
        """Whatever `source` holds, `target` holds."""
        if source == target:
            return
        feeders = self.feeders.get(target)
        if feeders is None or _itself not in feeders.get(source, ()):
            self.edge(source, target, _itself)

    def edge(self, source: Node, target: Node, give: Give) -> None:
        """Of whatever `source` holds, `target` holds what `give` makes of it. Data, and objects that nobody follows,
        flow only where somebody asked for them: who asks for `target` asks for `source`.
        """
        if target[0] == FIELD and target not in self.feeders:
            self.edges.members.field_appears(target)
        feeders = self.feeders[target]
        gives = feeders.get(source, ())
        feeders[source] = (*gives, give) if gives or give is not _itself else _COPIED
        if not gives:
            for demand in self.edges.demands:
                demand.fed(source, target)
        if give is _itself:
            self._consume(source, (source, target))
            for token in self._had(source):
                self._pass(source, target, give, token)
        else:
            self.each(source, partial(self._pass_on, source, target, give))

    def rests(self, target: Node, source: Node) -> None:
        """What `target` holds is made of what `source` holds, by rules of their own: who asks for the one asks for the
        other.
        """
        feeders = self.feeders[target]
        if source not in feeders:
            feeders[source] = ()
            for demand in self.edges.demands:
                demand.fed(source, target)

    def _pass(self, source: Node, target: Node, give: Give, token: Token) -> None:
        family = self._families[token]
        if family in self._followed or target in (self._wanted if family is None else self._asked):
            given = give(token)
            if given is not None:
                self.add(target, given, source)
        elif family is not None:
            self.relevance.when_followed(family, partial(self._pass_on, source, target, give, token))

    def want(self, node: Node, data: bool) -> None:
        """Somebody asks what a node holds: what feeds it flows in, its data only if that is asked for."""
        families = self._families
        is_new = node not in self._asked
        self._asked.add(node)
        data = data and node not in self._wanted
        if data:
            self._wanted.add(node)
        if not is_new and not data:
            return
        for source, gives in tuple(self.feeders.get(node, {}).items()):
            for token in self._had(source):
                family = families[token]
                if data if family is None else is_new and family not in self._followed:
                    for give in gives:
                        if (given := give(token)) is not None:
                            self.add(node, given, source)

    def each(self, node: Node, consumer: Consumer) -> None:
        """Call `consumer` with every token that a node holds now or later."""
        self._consume(node, consumer)
        for token in self._had(node):
            consumer(token)

    def _consume(self, node: Node, consumer: Consumer | Copy) -> None:
        consumers = self._consumers.get(node)
        if consumers is None:
            self._consumers[node] = [consumer]  # mostly the only one: a list of one takes less than one that grew
        else:
            consumers.append(consumer)

    def _had(self, node: Node) -> list[Token]:
        """The tokens that the consumers of a node have had."""
        count = self._done.get(node, 0)
        return list(islice(self.held[node], count)) if count else []

    def each_place(self, function: tuple[int, int], consumer: Callable[[Node], None]) -> None:
        """Call `consumer` with every node that holds a function of the project, now or later."""
        self._watching[function].append(consumer)
        for node in tuple(self.where.get(function, ())):
            consumer(node)

    def run(self) -> None:
        """Propagate until nothing changes, or the time is up."""
        work, families, followed = self._work, self._families, self._followed
        first = self.steps
        while work:
            if not (self.steps - first) & _ASKED_AFTER and self.is_over():
                return
            node, token = work.popleft()
            done = self._done.get(node, 0)
            if not done:
                self.edges.expand(node)
            self._done[node] = done + 1
            self.steps += 1
            family = families[token]
            for consumer in tuple(self._consumers.get(node, ())):
                if type(consumer) is not tuple:
                    consumer(token)  # type: ignore[operator]
                    continue
                source, target = consumer
                if family in followed or target in (self._wanted if family is None else self._asked):
                    held = self.held.get(target)
                    if held is None or token not in held:
                        self.add(target, token, source)
                    elif self._sources.get(target) is not source:
                        self.came(target, source)
                elif family is not None:
                    self.relevance.when_followed(family, partial(self._pass_on, source, target, _itself, token))
