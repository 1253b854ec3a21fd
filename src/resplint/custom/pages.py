"""The page of a rule of a user's own, as the rule book has one of each of resplint's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from resplint.contracts.findings import Precision, RuleInfo
from resplint.contracts.forbidding import Forbidden
from resplint.knowledge.book import LANGUAGE_TITLES
from resplint.knowledge.load import load_pages

TAG = "own-rule"
"""The tag of all of them in reports."""


def with_own(book: Mapping[str, RuleInfo], rules: Sequence[Forbidden]) -> dict[str, RuleInfo]:
    """The rule book together with a user's own rules, by code."""
    return {**book, **{rule.code: info(rule) for rule in reversed(rules)}}


def languages_of(rules: Sequence[Forbidden]) -> dict[str, tuple[str, ...]]:
    """The languages that each rule is about, by code."""
    own = {rule.code: rule.language or tuple(LANGUAGE_TITLES) for rule in rules}
    return {**{code: page.languages for code, page in load_pages().items()}, **own}


def info(rule: Forbidden) -> RuleInfo:
    """What reports say of a rule."""
    sections = {"What it finds": description(rule), "Why": rule.sentence}
    if rule.help:
        sections["What to do instead"] = rule.help
    parts = [f"# {rule.code} {rule.name}", rule.sentence]
    parts += [f"## {heading}\n\n{text}" for heading, text in sections.items() if heading != "Why"]
    return RuleInfo(
        code=rule.code,
        name=rule.name,
        title=rule.title,
        summary=rule.sentence,
        level=rule.level,
        precision=Precision.HIGH,
        since="",
        tags=(TAG,),
        references=(rule.url,) if rule.url else (),
        sections=sections,
        help_markdown="\n\n".join(parts) + "\n",
        url=rule.url,
    )


def description(rule: Forbidden) -> str:
    """What a rule reports, as a list in Markdown made from its conditions."""
    return "\n".join(f"- {line}" for line in _lines(rule))


def _lines(rule: Forbidden) -> Iterator[str]:
    if rule.command:
        yield f"The command {_any(rule.command)}, through whatever client, wrapper or script it is sent."
    elif rule.method:
        yield f"Calls of {_any(rule.method)} of a client."
    else:
        yield f"Making {_any(rule.make)}."
    for words, values in (
        ("Only with a key that fits", rule.key),
        ("Not with a key that may fit", rule.key_not),
        ("Only with", [str(one) for one in rule.options]),
        ("Not with", [str(one) for one in rule.without]),
        ("Not if the same function, for the same key, sends", rule.unless_also),
        ("Only with the client", rule.library),
        ("Not with the client", rule.library_not),
        ("Only in", rule.language),
        ("Only in files that fit", rule.path),
        ("Not in files that fit", rule.path_not),
        ("Only in", rule.function),
        ("Not in", rule.function_not),
        ("Only in what runs for a", rule.role),
        ("Not in what runs for a", rule.role_not),
    ):
        if values:
            yield f"{words} {_any(values)}."


def _any(values: Sequence[str]) -> str:
    coded = [f"`{value}`" for value in values]
    return " or ".join([", ".join(coded[:-1]), coded[-1]] if len(coded) > 1 else coded)
