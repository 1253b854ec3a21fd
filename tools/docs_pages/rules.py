"""Pages of rules, from the rule book: its examples side by side, one tab for each language."""

from __future__ import annotations

import re

from docs_pages.markdown import code, indented, page, table
from resplint.contracts.findings import RuleInfo
from resplint.knowledge.book import LANGUAGE_TITLES
from resplint.knowledge.load import load_book, load_pages
from resplint.output.about import INFORMATION_URI

INTRODUCTION = """\
# Rules

Every rule has a code and a name; both can be used wherever a rule is named. The level is that of the usual case: an
**error** is practically always a bug, a **warning** costs at scale, a **note** is advice or concerns something that is
only a default. Single findings may rank lower or higher than their rule, as its page says. The precision says how
often a finding of the rule is right."""

FOLLOWING = """\
[`select`, `ignore` and `level`](../configuration.md) switch rules on and off and change their level. A comment takes
back a single finding:

```python
client.blpop("jobs", timeout=0)  # resplint: ignore[RL104] the supervisor kills stuck workers
```

`resplint explain RL104` shows a page in the terminal, with `--language java` for one language only."""


def name_of(rule: RuleInfo) -> str:
    """The file of a rule's page."""
    return f"{rule.code}-{rule.name}.md"


def rule_pages() -> dict[str, str]:
    """The text of every page, by its path in `docs/`."""
    rules = [rule for _, rule in sorted(load_book().items())]
    rows = [
        [f"[{rule.code}]({name_of(rule)})", rule.name, rule.level.value, rule.precision.value, rule.title]
        for rule in rules
    ]
    index = page(INTRODUCTION, table(["Code", "Name", "Level", "Precision", "What it finds"], rows), FOLLOWING)
    return {"rules/index.md": index, **{f"rules/{name_of(rule)}": _rule_page(rule) for rule in rules}}


def _rule_page(rule: RuleInfo) -> str:
    languages = [LANGUAGE_TITLES.get(name, name) for name in load_pages()[rule.code].languages]
    facts = table(
        ["Level", "Precision", "Languages", "Since"],
        [[rule.level.value, rule.precision.value, ", ".join(languages), rule.since]],
    )
    source = f"{INFORMATION_URI}/blob/main/rules/book/{name_of(rule)}"
    end = f"In the terminal: {code(f'resplint explain {rule.code}')}. [The source of this page]({source})."
    sections = (f"## {heading}\n\n{_in_tabs(text)}" for heading, text in rule.sections.items())
    return page(f"# {rule.code} {rule.name}", f"{rule.title}. {rule.summary}", facts, *sections, "---", end)


def _in_tabs(text: str) -> str:
    """A section whose parts for languages have become tabs."""
    titles = "|".join(map(re.escape, LANGUAGE_TITLES.values()))
    before, *parts = re.split(rf"^### ({titles})\n", text, flags=re.MULTILINE)
    tabs = [f'=== "{title}"\n\n{indented(part.strip())}' for title, part in zip(parts[::2], parts[1::2], strict=True)]
    return "\n\n".join([before.strip(), *tabs]).strip()
