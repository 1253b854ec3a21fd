"""The check of all rules of a user's own: what one of them is about, and whether all of its conditions hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

from resplint.bind.values import Const, Ref
from resplint.contracts.decisions import Decision, Silence
from resplint.contracts.findings import Finding, Precision, Step
from resplint.contracts.forbidding import Condition, Forbidden
from resplint.custom import client_options, key_patterns, places, uses
from resplint.custom.uses import Use
from resplint.files.globs import pattern_list
from resplint.model.project import Project
from resplint.redis.calls.command_options import Given
from resplint.redis.usage import CommandSite
from resplint.text.key_templates import Shape


def decide(project: Project, rule: Forbidden, prefix: str = "") -> Iterator[Decision]:
    """What a rule forbids, and why other uses of the same are fine. Its patterns of paths start where `prefix` leads
    from to the root of the scan.
    """
    judge = _Judge(project, rule, prefix)
    decided: dict[Ref, Decision] = {}
    for use in uses.of(project, rule):
        if isinstance(decided.get(use.ref), Finding):
            continue
        decided[use.ref] = judge.decide(use)
    yield from decided.values()


class _Fine(Exception):  # noqa: N818 - it ends the judgement of one use, and is no error
    """A condition does not hold; the message is a sentence that says why."""


class _Judge:
    def __init__(self, project: Project, rule: Forbidden, prefix: str) -> None:
        self._project, self._rule, self._prefix = project, rule, prefix

    def decide(self, use: Use) -> Decision:
        place = self._project.place(use.ref)
        try:
            before, after = self._place(use), self._arguments(use)
        except _Fine as fine:
            return Silence(self._rule.code, place, str(fine))
        trail = (*before, *use.steps, *after, self._project.step(use.ref, use.here))
        return Finding(
            self._rule.code, self._rule.level, Precision.HIGH, self._rule.sentence, place,
            tuple(dict.fromkeys(trail)), self._project.symbol(use.ref), help=self._rule.advice,
        )  # fmt: skip

    # -- where it stands -----------------------------------------------------------------------------------------------

    def _place(self, use: Use) -> tuple[Step, ...]:
        rule, project = self._rule, self._project
        facts = project.index(use.ref).facts
        library = use.object.origin.library.library.name if use.object is not None else ""
        if rule.language and facts.language not in rule.language:
            raise _Fine(f"The rule is not about {facts.language}.")
        if rule.library and library not in rule.library:
            raise _Fine(f"The rule is not about {library or 'an unknown client'}.")
        if rule.library_not and library in ("", *rule.library_not):
            raise _Fine(f"{library or 'This client'} is allowed.")
        path = self._prefix + facts.path
        if rule.path and not pattern_list(rule.path).covers(path):
            raise _Fine(f"The rule is not about {facts.path}.")
        if rule.path_not and pattern_list(rule.path_not).covers(path):
            raise _Fine(f"It is allowed in {facts.path}.")
        if rule.function and not places.is_in(project, use.ref, rule.function):
            raise _Fine("The rule is about other functions.")
        if rule.function_not and places.is_in(project, use.ref, rule.function_not):
            raise _Fine("It is allowed in this function.")
        return self._role(use.ref)

    def _role(self, ref: Ref) -> tuple[Step, ...]:
        rule = self._rule
        if rule.role_not and places.steps_from(self._project, ref, rule.role_not) is not None:
            raise _Fine(f"It is allowed in what runs for: {', '.join(rule.role_not)}.")
        if not rule.role:
            return ()
        steps = places.steps_from(self._project, ref, rule.role)
        if steps is None:
            raise _Fine(f"Nothing that is known runs it for: {', '.join(rule.role)}.")
        return steps

    # -- what it is given ----------------------------------------------------------------------------------------------

    def _arguments(self, use: Use) -> tuple[Step, ...]:
        steps = [*self._key(use)]
        if self._rule.options or self._rule.without:
            self._demand_own_connections(use)
        if self._rule.options:
            steps += self._with(use)
        if self._rule.without:
            self._without(use)
        if self._rule.unless_also and use.site is not None:
            self._also(use.site)
        return tuple(steps)

    def _demand_own_connections(self, use: Use) -> None:
        """What a client that was given a pool is like, the pool says, if the rule is about pools as well."""
        pool = self._project.options.pool_of(use.object) if self._rule.make and use.object is not None else None
        if pool is not None and pool.made is not None and uses.is_named(pool, self._rule.make):
            raise _Fine(f"It takes its connections from the pool that is made in {self._project.spot(pool.made)}.")

    def _key(self, use: Use) -> list[Step]:
        rule = self._rule
        if not rule.key and not rule.key_not:
            return []
        keys = self._keys(use)
        if not keys:
            raise _Fine(f"'{use.what}' has no key that is known here.")
        for template, ref in keys:
            wanted = not rule.key or key_patterns.surely_fits(template, rule.key)
            if wanted and not (rule.key_not and key_patterns.may_fit(template, rule.key_not)):
                return [self._project.step(ref, f"the key is '{template}'")]
        shown = " or ".join(f"'{template}'" for template, _ in keys)
        raise _Fine(f"The key {shown} is allowed, or too little of it is known.")

    def _keys(self, use: Use) -> list[tuple[str, Ref]]:
        """The keys that a command may have, with the places where they are written."""
        project = self._project
        if use.script is not None:
            model = project.catalogue.commands.get(use.script.command)
            words = use.script.words
            key = words[model.key] if model is not None and 0 <= model.key < len(words) else None
            return [(key, use.script.text)] if key is not None else []
        if use.site is None:
            return []
        number, file = project.usage.key(use.site), project.usage.key_file(use.site)
        return [(shape.template, (file, number)) for shape in project.shapes.of(file, number)]

    def _with(self, use: Use) -> list[Step]:
        for condition in self._rule.options:
            given = self._option(use, condition.option)
            if given is not None and given.there and _has(condition, given):
                step = self._project.step(given.ref, f"'{condition}' is set here") if given.ref is not None else None
                return [step] if step is not None else []
        raise _Fine(f"It is not known to have {_listed(self._rule.options)}.")

    def _without(self, use: Use) -> None:
        known = [(one, given) for one in self._rule.without if (given := self._option(use, one.option)) is not None]
        if not known and not self._rule.options:
            raise _Fine(f"This client has no option {_listed(self._rule.without)} that is known.")
        for condition, given in known:
            if given.there is None:
                raise _Fine(f"It may have '{condition}', which is not known.")
            if given.there and (condition.value is None or _may_have(condition, given)):
                raise _Fine(f"It has '{condition}'.")

    def _option(self, use: Use, option: str) -> Given | None:
        """The option of a command or client; None if clients of its library have no such option."""
        if use.script is not None:
            words = use.script.words
            at = next((at for at, word in enumerate(words) if word is not None and word.upper() == option), None)
            return Given(at is not None)
        if use.site is not None:
            return self._project.command_options.find(use.site, option)
        if use.object is None or self._rule.command:
            return Given(None)
        return client_options.find(self._project, use.object, option, self._known_options)

    @cached_property
    def _known_options(self) -> frozenset[str]:
        return client_options.known_names(self._project)

    # -- what goes with it ---------------------------------------------------------------------------------------------

    def _also(self, site: CommandSite) -> None:
        shapes = self._shapes(site)
        for other in self._by_function.get(self._function(site.ref), ()):
            if other.ref != site.ref and uses.fits(other.command, self._rule.unless_also):
                if {shape.identity for shape in shapes} & {shape.identity for shape in self._shapes(other)}:
                    raise _Fine(f"{other.command} is sent for the same key in {self._project.spot(other.ref)}.")

    @cached_property
    def _by_function(self) -> dict[tuple[int, int], list[CommandSite]]:
        table: dict[tuple[int, int], list[CommandSite]] = defaultdict(list)
        for site in self._project.commands:
            table[self._function(site.ref)].append(site)
        return table

    def _function(self, ref: Ref) -> tuple[int, int]:
        index = self._project.index(ref)
        return ref[0], index.function_of(index.facts.exprs[ref[1]].block)

    def _shapes(self, site: CommandSite) -> tuple[Shape, ...]:
        return self._project.shapes.of(self._project.usage.key_file(site), self._project.usage.key(site))


def _has(condition: Condition, given: Given) -> bool:
    return condition.value is None or _spelled(condition.value) in {_spelled(one) for one in _constants(given)}


def _may_have(condition: Condition, given: Given) -> bool:
    unknown = not given.values or any(not isinstance(value, Const) for value in given.values)
    return unknown or _has(condition, given)


def _constants(given: Given) -> list[object]:
    return [value.value for value in given.values if isinstance(value, Const)]


def _spelled(value: object) -> str:
    return str(value).lower()


def _listed(conditions: Sequence[Condition]) -> str:
    return " or ".join(f"'{one}'" for one in conditions)
