"""Write the skeleton of a new rule: its page, check, fixtures, and rules for the tools that it is compared with.

What is written says what belongs there; the tests fail until it does. Nothing that exists is replaced.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from resplint.contracts.suggestions import nearest
from resplint.files.toml_text import parse_toml
from resplint.knowledge.book import LANGUAGE_TITLES, SECTIONS

ROOT = Path(__file__).parents[1]
SUFFIXES = {"python": ".py", "java": ".java", "kotlin": ".kt", "javascript": ".js", "typescript": ".ts"}
FIXTURES = {"bad": "expect", "ok": "ok"}
PEERS = {"python": "Python", "java": "Java", "kotlin": "Kotlin", "javascript": "JavaScript", "typescript": "TypeScript"}

CHECK = '''"""{code}: TODO what is wrong, in a few words."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.findings import Finding, Level, Precision
from resplint.model.project import Project
from resplint.redis.usage import CommandSite

RULE = "{code}"


def check(project: Project) -> Iterator[Finding]:
    """Report TODO."""
    return findings(decide(project))


def decide(project: Project) -> Iterator[Decision]:
    """The findings, and why other calls are fine."""
    for site in project.commands:
        if site.command != "TODO":
            yield Silence(RULE, project.place(site.ref), "TODO why this call is fine.")
            continue
        yield _finding(project, site)


def _finding(project: Project, site: CommandSite) -> Finding:
    message = f"`{{site.command}}` TODO what is wrong, with the number and the name, and what it costs."
    trail = (project.step(site.ref, "TODO what happens here"),)
    return Finding(
        RULE, Level.WARNING, Precision.MEDIUM, message, project.place(site.ref), trail, project.symbol(site.ref),
        help="TODO what to do instead, for this library.",
    )  # fmt: skip
'''


def codes() -> Mapping[str, str]:
    """The code of every rule, those to come among them, by its name."""
    table, _ = parse_toml((ROOT / "rules" / "codes.toml").read_bytes())
    return {str(name): code for code, name in table.items()}


def files(name: str, code: str, languages: tuple[str, ...]) -> dict[str, str]:
    """The text of every file of the skeleton, by its path."""
    comment = {"python": "#"}
    texts = {
        f"rules/book/{code}-{name}.md": _page(name, code, languages),
        f"src/resplint/checks/{name.replace('-', '_')}.py": CHECK.format(code=code),
    }
    for language in languages:
        for kind, mark in FIXTURES.items():
            for number in ("one", "two"):
                path = f"fixtures/{name}/{language}/{kind}_{number}{SUFFIXES[language]}"
                texts[path] = f"{comment.get(language, '//')} {mark}: {code}\nTODO\n"
    texts[f"benchmarks/rules/semgrep/{name}.yml"] = "# TODO what these rules cannot say.\nrules:\n" + "".join(
        f"  - id: {name}-{language}\n    languages: [{language}]\n    severity: WARNING\n    message: TODO\n"
        "    pattern: TODO\n"
        for language in languages
    )
    texts[f"benchmarks/rules/ast-grep/rules/{name}.yml"] = "# TODO what these rules cannot say.\n" + "---\n".join(
        f"id: {name}-{language}\nlanguage: {PEERS[language]}\nseverity: warning\nmessage: TODO\n"
        "rule:\n  pattern: TODO\n"
        for language in languages
    )
    return texts


def _page(name: str, code: str, languages: tuple[str, ...]) -> str:
    shown = {
        heading: "\n\n".join(
            f"### {LANGUAGE_TITLES[language]}\n\n<!-- include: {name}/{language}/{kind}_one{SUFFIXES[language]} -->"
            for language in languages
        )
        for heading, kind in (("Bad", "bad"), ("Good", "ok"))
    }
    body = "\n\n".join(f"## {heading}\n\n{shown.get(heading, 'TODO')}" for heading in SECTIONS)
    listed = ", ".join(f'"{language}"' for language in languages)
    return (
        f'+++\ncode = "{code}"\nname = "{name}"\ntitle = "TODO"\nsummary = "TODO."\nlevel = "warning"\n'
        'precision = "medium"\nstatus = "preview"\nsince = "TODO"\ntags = ["redis"]\nreferences = []\n'
        f"languages = [{listed}]\n+++\n\n{body}\n"
    )


def main() -> int:
    """Write the skeleton and print what was written."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", help="name of the rule, as rules/codes.toml has it: keys-command")
    parser.add_argument("--languages", default=",".join(SUFFIXES), help="languages of the rule, with commas")
    options = parser.parse_args()
    known = codes()
    if options.name not in known:
        close = nearest(options.name, known)
        print(
            f"rules/codes.toml: has no rule {options.name!r}; "
            f"{f'did you mean {close}?' if close else 'add its code and name there first.'}",
            file=sys.stderr,
        )
        return 2
    languages = tuple(each.strip() for each in options.languages.split(","))
    if unknown := [each for each in languages if each not in SUFFIXES]:
        print(f"--languages: unknown: {', '.join(unknown)}; expected some of {', '.join(SUFFIXES)}.", file=sys.stderr)
        return 2
    texts = files(options.name, known[options.name], languages)
    if there := [path for path in texts if (ROOT / path).exists()]:
        print(f"{there[0]} exists: nothing was written.", file=sys.stderr)
        return 2
    for path, text in texts.items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text, encoding="utf-8")
        print(path)
    print("Then: a row in README.md and a line in CHANGELOG.md; CONTRIBUTING.md says what belongs where.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
