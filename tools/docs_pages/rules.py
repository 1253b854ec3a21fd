"""Pages of rules, from the rule book: its examples side by side, one tab for each language."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docs_pages.markdown import code, indented, page, table
from resplint.contracts.findings import RuleInfo, Status
from resplint.knowledge.book import LANGUAGE_TITLES, family_of, status_note
from resplint.knowledge.load import load_book, load_pages
from resplint.output.about import INFORMATION_URI

INTRODUCTION = """\
# Rules

Every rule has a code and a name; both can be used wherever a rule is named. The level is that of the usual case: an
**error** is practically always a bug, a **warning** costs at scale, a **note** is advice or concerns something that is
only a default. Single findings may rank lower or higher than their rule, as its page says. The precision says how
often a finding of the rule is right."""

ON = {Status.DEFAULT: "yes", Status.PREVIEW: "preview", Status.OFF: "no"}
"""Whether a rule runs unless somebody says otherwise."""

ORDER = """\
## One call, one finding

Where several rules have something to say about a call, one of them does, as long as it is switched on there. A note
takes no warning away:"""

FOLLOWING = """\
## Selecting rules

How often findings of the rules that are on by default were right in code that nobody here had seen before stands in
the [README](https://github.com/resplint/resplint#precision-and-recall). Those in **preview** are new: fewer than 20 of
their findings have been read, or fewer than nine in ten were right. Those that are off were wrong too often, as their
pages say.
`select = ["default", "RL4"]` adds rules to those that are on, `select = ["all"]` takes every rule.

[`select`, `ignore` and `level`](../configuration.md) switch rules on and off and change their level. A comment takes
back a single finding:

```python
client.blpop("jobs", timeout=0)  # resplint: ignore[RL104] the supervisor kills stuck workers
```

[What others look for](kinds.md) compares the rules with lists that others keep, and lists the codes of rules to come.
`resplint explain RL104` shows a page in the terminal, with `--language java` for one language only."""


def name_of(rule: RuleInfo) -> str:
    """The file of a rule's page."""
    return f"{rule.code}-{rule.name}.md"


def rule_pages() -> dict[str, str]:
    """The text of every page, by its path in `docs/`."""
    rules = [rule for _, rule in sorted(load_book().items())]
    families = [
        f"## {title}\n\n{_family([rule for rule in rules if family_of(rule.code) == title])}"
        for title in dict.fromkeys(family_of(rule.code) for rule in rules)
    ]
    index = page(INTRODUCTION, *families, *_order(rules), FOLLOWING)
    return {"rules/index.md": index, **{f"rules/{name_of(rule)}": _rule_page(rule) for rule in rules}}


def _family(rules: Sequence[RuleInfo]) -> str:
    rows = [
        [
            f"[{rule.code}]({name_of(rule)})",
            rule.name,
            rule.level.value,
            rule.precision.value,
            ON[rule.status],
            rule.title,
        ]
        for rule in rules
    ]
    return table(["Code", "Name", "Level", "Precision", "On", "What it finds"], rows)


def _order(rules: Sequence[RuleInfo]) -> list[str]:
    """The section on rules that yield to others, if there are any."""
    rows = [[rule.code, ", ".join(rule.yields_to)] for rule in rules if rule.yields_to]
    return [f"{ORDER}\n\n{table(['Not reported', 'where this one reports the same call'], rows)}"] if rows else []


def _rule_page(rule: RuleInfo) -> str:
    languages = [LANGUAGE_TITLES.get(name, name) for name in load_pages()[rule.code].languages]
    facts = table(
        ["Level", "Precision", "Languages", "On by default", "Since"],
        [[rule.level.value, rule.precision.value, ", ".join(languages), ON[rule.status], rule.since]],
    )
    source = f"{INFORMATION_URI}/blob/main/rules/book/{name_of(rule)}"
    end = f"In the terminal: {code(f'resplint explain {rule.code}')}. [The source of this page]({source})."
    sections = (f"## {heading}\n\n{_in_tabs(text)}" for heading, text in rule.sections.items())
    note = status_note(rule.code, rule.status)
    return page(f"# {rule.code} {rule.name}", f"{rule.title}. {rule.summary}", facts, *note, *sections, "---", end)


def _in_tabs(text: str) -> str:
    """A section whose parts for languages have become tabs."""
    titles = "|".join(map(re.escape, LANGUAGE_TITLES.values()))
    before, *parts = re.split(rf"^### ({titles})\n", text, flags=re.MULTILINE)
    tabs = [f'=== "{title}"\n\n{indented(part.strip())}' for title, part in zip(parts[::2], parts[1::2], strict=True)]
    return "\n\n".join([before.strip(), *tabs]).strip()
