"""What a handler catches: errors of Redis, anything at all, a lost race, or something else."""

from __future__ import annotations

from resplint.bind.index import FileIndex
from resplint.bind.values import CollectionValue, External, FunctionValue
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph


class Errors:
    """Tells exception types apart."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator

    def caught(self, index: FileIndex, block: facts.Block) -> str:
        """redis, broad, conflict or "" (something else) for what a handler catches."""
        if block.head == NONE:
            return "broad"
        kinds = set()
        for dotted in self.types(index.number, block.head):
            kinds.add(self.kind(index.number, dotted))
        for kind in ("redis", "broad", "conflict"):
            if kind in kinds:
                return kind
        return ""

    def is_of_redis(self, file: int, expr: int) -> bool:
        """Whether one of the exception types that an expression names is one that a lost connection may raise."""
        return any(self.kind(file, dotted) in ("redis", "broad") for dotted in self.types(file, expr))

    def is_of_connection(self, index: FileIndex, block: facts.Block) -> bool:
        """Whether a handler takes what is raised when a server cannot be reached: not timeouts alone, nor what a server
        says while it loads.
        """
        libraries = self._ev.catalogue.libraries.values()
        return block.head != NONE and any(
            dotted in one.errors.any or dotted in one.errors.connection
            for dotted in (each.removesuffix(".class") for each in self.types(index.number, block.head))
            for one in libraries
        )

    def is_any_of_library(self, index: FileIndex, block: facts.Block) -> bool:
        """Whether a handler takes every error that a client library raises: ``except redis.RedisError``."""
        libraries = self._ev.catalogue.libraries.values()
        return block.head != NONE and any(
            dotted.removesuffix(".class") in one.errors.any
            for dotted in self.types(index.number, block.head)
            for one in libraries
        )

    def types(self, file: int, expr: int) -> list[str]:
        """Import paths of the exception types that an expression names."""
        named = self._ev.store.files[file].facts.exprs[expr]
        if isinstance(named, facts.Collection):
            return [one for item in named.items for one in self.types(file, item)]
        found: list[str] = []
        for value in self._ev.binder.static(file, expr) or self._ev.values(file, expr):
            if isinstance(value, CollectionValue):
                collection = self._ev.store.expr(value.ref)
                assert isinstance(collection, facts.Collection)
                for item in collection.items:
                    found.extend(v.dotted for v in self._ev.values(value.ref[0], item) if isinstance(v, External))
            elif isinstance(value, External):
                found.append(value.dotted)
        return found

    def kind(self, file: int, dotted: str) -> str:
        """redis, conflict, broad or "" for an exception type by its import path."""
        dotted = dotted.removesuffix(".class")
        for library in self._ev.catalogue.libraries.values():
            errors = library.errors
            if dotted in errors.connection or dotted in errors.unready or dotted in errors.any:
                return "redis"
            if dotted in errors.conflict:
                return "conflict"
        roles = self._ev.roles(file)
        return "broad" if dotted in roles.network_errors or dotted in roles.broad_errors else ""

    def kind_of_name(self, name: str) -> str:
        """redis, conflict or "" for the bare name of an exception type of a client library, as code has it that
        compares ``type(error).__name__``.
        """
        for library in self._ev.catalogue.libraries.values():
            errors = library.errors
            if any(one.rsplit(".", 1)[-1] == name for one in errors.conflict):
                return "conflict"
            if any(one.rsplit(".", 1)[-1] == name for one in (*errors.connection, *errors.unready, *errors.any)):
                return "redis"
        return ""

    def survived(self, index: FileIndex, number: int, area: facts.Block) -> bool:
        """Whether guarded statements around a block, inside an area, have a handler that goes on after any failure;
        what only tidies up behind them is no work.
        """
        for one in index.enclosing_blocks(number, 0):
            block = index.facts.blocks[one]
            if block == area:
                return False
            if block.kind == "finally":
                return True
            if block.kind == "try" and any(
                self._goes_on(index, one) for one in index.clauses.get(("except", block.group), ())
            ):
                return True
        return False

    def _goes_on(self, index: FileIndex, handler: int) -> bool:
        block = index.facts.blocks[handler]
        if self.caught(index, block) not in ("redis", "broad"):
            return False
        if any(jump.kind == "raise" for jump in index.by_place.jumps.between(block.start, block.end)):
            return False
        return not any(
            isinstance(value, FunctionValue) and self._raises(value)
            for _, call in index.calls_in(block.start, block.end)
            for value in self._ev.callee(index.number, call.callee)
        )

    def _raises(self, function: FunctionValue) -> bool:
        jumps = self._ev.store.files[function.file].jumps.get(function.scope, ())
        return any(jump.kind == "raise" for jump in jumps)
