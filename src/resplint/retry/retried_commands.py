"""Names of what is retried, for messages: the call, and the Redis command that it comes to."""

from __future__ import annotations

from resplint.bind.values import FunctionValue, LibraryMethod, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.redis.usage import CommandSite, Usage
from resplint.retry.delays.policies import Retry
from resplint.retry.work import REACH

_MOST_ARGUMENTS = 3
_UNNAMED = "…."
"""What a call of a chain begins with, where its object has no name."""


class Retried:
    """Names what retries try."""

    def __init__(self, evaluator: Graph, usage: Usage) -> None:
        self._ev = evaluator
        self._usage = usage

    def in_words(self, retry: Retry) -> str:
        """What a retry tries: "BRPOP", "`addWorker()` (ZADD)"."""
        if retry.work is not None:
            site, name = self.command(retry.work), self.name(retry.work)
        else:
            function = self._ev.store.files[retry.place[0]].facts.scopes[retry.scope]
            site = self._in_functions([(retry.place[0], retry.scope)])
            name = f"`{function.name}()`" if function.kind == "function" and function.name else ""
        if retry.work is not None and (queued := self._queued(retry.work)):
            return f"a pipeline ({queued})"
        if (site is None or not site.command) and retry.work is not None and (handed := self._handed(retry.work)):
            return f"{handed} (handed to {name})"
        if site is None or not site.command:
            return name or "work that needs Redis"
        called = name.strip("`()").rpartition(".")[2].replace("_", "").lower()
        if not name or called == site.command.replace(" ", "").lower():
            return site.command
        return f"{name} ({site.command})"

    def policy(self, retry: Retry) -> str:
        """What sets the delay of a policy: its name, with the object that it is called on ("`policy.call()`")."""
        exprs = self._ev.store.files[retry.place[0]].facts.exprs
        for expr in exprs:
            if isinstance(expr, facts.Call) and (expr.start, expr.end) == retry.place[1:]:
                dotted = self._dotted(retry.place[0], expr.callee)
                named = dotted and (retry.work is not None or dotted.endswith(f".{retry.subject}"))
                return f"`{dotted.removeprefix(_UNNAMED)}()`" if named else f"`{retry.subject}`"
        return f"`{retry.subject}`"

    def name(self, ref: Ref) -> str:
        """A call by what it calls: "`store.add_worker()`"."""
        call = self._ev.store.expr(ref)
        dotted = self._dotted(ref[0], call.callee) if isinstance(call, facts.Call) else ""
        return f"`{dotted}()`" if dotted else "this call"

    def call_text(self, ref: Ref) -> str:
        """A call as it is written, as far as its arguments are short: "`time.sleep(2)`", "`setTimeout(…, 500)`"."""
        call = self._ev.store.expr(ref)
        if not isinstance(call, facts.Call):
            return "`…`"
        shown = [self._argument(ref[0], item.value) for item in call.arguments]
        inside = ", ".join(shown) if len(shown) <= _MOST_ARGUMENTS else "…"
        return f"`{self._dotted(ref[0], call.callee) or '…'}({inside})`"

    def command(self, ref: Ref) -> CommandSite | None:
        """The command that a call sends, itself or in functions of the project that it calls."""
        sites = self._usage.by_place.get(ref)
        if sites:
            return next((site for site in sites if site.command), sites[0])
        call = self._ev.store.expr(ref)
        if not isinstance(call, facts.Call):
            return None
        # What a retrying function is handed is what it runs.
        run = [call.callee, *(item.value for item in call.arguments)]
        values = [value for number in run for value in self._ev.carried(ref[0], number)]
        return self._in_functions([(one.file, one.scope) for one in values if isinstance(one, FunctionValue)])

    def _handed(self, ref: Ref) -> str:
        """The command of a method that a call is handed to run: "BLPOP" of ``to_thread(client.blpop, queue)``."""
        call = self._ev.store.expr(ref)
        given = [item.value for item in call.arguments] if isinstance(call, facts.Call) else []
        methods = [one for number in given for one in self._ev.carried(ref[0], number)]
        names = (self._ev.catalogue.command_name(one.name) for one in methods if isinstance(one, LibraryMethod))
        return next((name for name in names if name), "")

    def _queued(self, ref: Ref) -> str:
        """The commands of a batch that a call starts."""
        batch = next((one for one in self._usage.batches if one.made == ref), None)
        names = dict.fromkeys(site.command for site in batch.queued if site.command) if batch is not None else {}
        return ", ".join(list(names)[:_MOST_ARGUMENTS]) + (" …" if len(names) > _MOST_ARGUMENTS else "")

    def _in_functions(self, functions: list[tuple[int, int]]) -> CommandSite | None:
        """The first command that some functions send, themselves or in what they call."""
        seen: set[tuple[int, int]] = set()
        return next((site for one in functions if (site := self._first(*one, REACH, seen)) is not None), None)

    def _first(self, file: int, scope: int, reach: int, seen: set[tuple[int, int]]) -> CommandSite | None:
        if (file, scope) in seen or not reach:
            return None
        seen.add((file, scope))
        index = self._ev.store.files[file]
        block = index.facts.blocks[index.facts.scopes[scope].block]
        for number, call in sorted(index.calls_in(block.start, block.end), key=lambda pair: pair[1].end):
            site = next((one for one in self._usage.by_place.get((file, number), ()) if one.command), None)
            if site is not None:
                return site
            for one in self._ev.carried(file, call.callee):
                found = self._first(one.file, one.scope, reach - 1, seen) if isinstance(one, FunctionValue) else None
                if found is not None:
                    return found
        return None

    def _dotted(self, file: int, number: int) -> str:
        names: list[str] = []
        while number != NONE:
            found = self._ev.store.files[file].facts.exprs[number]
            if isinstance(found, facts.Member):
                names.append(found.name)
                number = found.object
                continue
            if not isinstance(found, facts.Name):
                names.append("…")
            else:
                names.append(found.name)
            break
        return ".".join(reversed(names))

    def _argument(self, file: int, number: int) -> str:
        found = self._ev.store.files[file].facts.exprs[number]
        if isinstance(found, facts.Literal) and isinstance(found.value, int | float) and found.value is not True:
            return str(found.value)
        if isinstance(found, facts.Name | facts.Member):
            return self._dotted(file, number)
        return "…"
