"""Texts of Lua scripts: what EVAL and its kin are given, what script objects are made of, what defines a command."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from resplint.bind.values import External, LibraryMethod, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.contracts.remedy import Parameterise, Remedy
from resplint.flow.graph import Graph
from resplint.flow.rules import overloads
from resplint.knowledge.records.client_records import ConstructorModel, MethodModel, OptionModel, ScriptValues
from resplint.redis.options.options import Options
from resplint.redis.usage import CommandSite, Usage
from resplint.text import arguments as calls
from resplint.text.fresh_values import named
from resplint.text.texts import UNKNOWN, Part


@dataclass(frozen=True, slots=True)
class ScriptText:
    """The text of a script and the call that takes it; `name` is what it is sent to, or becomes."""

    call: Ref
    text: Ref
    name: str
    site: CommandSite | None = None
    """The command that sends it, where the text is its own argument."""


class Scripts:
    """Finds them in the selected files."""

    def __init__(self, evaluator: Graph, usage: Usage, options: Options) -> None:
        self._ev = evaluator
        self._usage = usage
        self._options = options

    def all(self) -> Iterator[ScriptText]:
        """Every text of a script that can be located: where it is put together, if a function only hands it on."""
        for script in self._written():
            yield from self._lifted(script)

    def _written(self) -> Iterator[ScriptText]:
        for site in self._usage.commands:
            number = self._of_command(site)
            if number != NONE:
                yield ScriptText(site.ref, (site.file, number), site.command or "SCRIPT LOAD", site)
        for index in self._ev.store.judged:
            for number in index.calls:
                yield from self._made(index.number, number)

    def _lifted(self, script: ScriptText) -> Iterator[ScriptText]:
        """The texts that the callers of a function pass which sends the text of its parameter."""
        pending, seen = [script], {script.text}
        while pending:
            one = pending.pop()
            file, number = one.text
            index = self._ev.store.files[file]
            expr = index.facts.exprs[number]
            scope = index.function_of(expr.block)
            position = index.parameters.get((scope, expr.name)) if isinstance(expr, facts.Name) else None
            sites = self._ev.callers.of(file, scope) if position is not None else []
            if position is None or not sites or (scope, getattr(expr, "name", "")) in index.bindings:
                yield one
                continue
            record = index.facts.scopes[scope]
            for site in reversed(sites):
                given = calls.argument(self._ev.store.files[site.file], site.call, record, position, site.bound)
                if given is None or given == NONE:
                    yield one
                elif (site.file, given) not in seen:
                    seen.add((site.file, given))
                    pending.append(ScriptText(site.ref, (site.file, given), script.name))

    def remedy(self, script: ScriptText) -> Remedy | None:
        """What makes the text constant; None where the call takes no values, or in a way that is not known."""
        site = script.site
        if site is None or site.file != script.text[0] or self._ev.catalogue.command(site.command).script != "run":
            return None
        form = ScriptValues() if site.raw else site.method.script_values
        words = self._usage.positional(site)
        if form is None or script.text[1] not in words or self._usage.spreads(site):
            return None
        may_call_back = site.receiver.origin.library.library.callbacks and not form.entries
        if may_call_back and not self._plain_end(site.file, words[-1]):
            return None
        change = Parameterise(
            script.call, script.text, tuple(words[words.index(script.text[1]) :]), form.entries, form.text_only
        )
        # The script does the same where its values arrive as they were: whether they do shows when they are spelled.
        return Remedy("Pass the values as KEYS and ARGV", (change,), safe=True)

    def fresh_part(self, part: Part) -> str:
        """What a part of a text is that is another one whenever a function runs, like the time; "" for others."""
        return named(self._ev, *part.ref, once_is_old=True) if part.kind == UNKNOWN else ""

    def _plain_end(self, file: int, number: int) -> bool:
        """Whether the last word is surely no function that receives the reply."""
        return isinstance(self._ev.store.files[file].facts.exprs[number], facts.Literal | facts.Template)

    def _of_command(self, site: CommandSite) -> int:
        if site.raw and self._ev.catalogue.command(site.command).script:
            return self._usage.argument(site, 0)
        if site.raw or site.method.script_index < 0:
            return NONE
        return self._usage.argument(site, site.method.script_index, site.method.script_parameter)

    def _made(self, file: int, number: int) -> Iterator[ScriptText]:
        """Script objects, and commands defined by a text in an object literal."""
        call = self._ev.store.files[file].facts.exprs[number]
        assert isinstance(call, facts.Call)
        callee = self._ev.store.files[file].facts.exprs[call.callee]
        if not isinstance(callee, facts.Name | facts.Member) or not call.arguments:
            return
        if not self._ev.catalogue.carries_script(callee.name) and not isinstance(callee, facts.Name):
            return
        for value in self._ev.carried(file, call.callee):
            if isinstance(value, External):
                models: list[ConstructorModel] = self._ev.catalogue.constructors(value.dotted)
                made = overloads.choose(self._ev, models, file, call)
                if made is not None:
                    yield from self._texts(file, number, call, made, value.dotted.rsplit(".", 1)[-1])
            elif isinstance(value, LibraryMethod):
                version = self._ev.version(value.object, file, value.name).version
                methods = self._ev.catalogue.overloads(value.object.origin, value.name, version)
                method = overloads.choose(self._ev, methods, file, call)
                if method is not None and method.script_path:
                    yield from self._texts(file, number, call, method, value.name)

    def _texts(
        self, file: int, number: int, call: facts.Call, model: ConstructorModel | MethodModel, name: str
    ) -> Iterator[ScriptText]:
        if model.script_path:
            option = OptionModel(name=model.script_path.replace("*.", ""))
            found = self._options.arguments.argument(file, call, option, True)
            if found.given and found.ref is not None:
                yield ScriptText((file, number), found.ref, name)
        elif model.script_index >= 0 and isinstance(model, ConstructorModel):
            positional = [item.value for item in call.arguments if not item.name]
            named = [item.value for item in call.arguments if item.name and item.name == model.script_parameter]
            text = named or positional[model.script_index : model.script_index + 1]
            if text:
                yield ScriptText((file, number), (file, text[0]), name)
