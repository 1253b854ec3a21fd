"""`resplint explain`: the rule book in the terminal."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from resplint.cli.completing import rule_names
from resplint.cli.exits import CLEAN, with_exit_codes
from resplint.cli.printing import print_rich, without_color
from resplint.contracts.errors import UserError
from resplint.contracts.findings import RuleInfo
from resplint.contracts.suggestions import nearest
from resplint.knowledge.book import LANGUAGE_TITLES, in_language
from resplint.knowledge.load import load_book


@click.command()
@click.argument("rule", shell_complete=rule_names)
@click.option("--language", type=click.Choice(list(LANGUAGE_TITLES)), help="Show the examples of one language only.")
@click.option(
    "--config",
    type=click.Path(),
    help="Configuration file with rules of one's own; default: the nearest, from the current folder upwards.",
)
@with_exit_codes
def explain(rule: str, language: str | None, config: str | None) -> int:
    """Show the page of a rule, by code (RL104) or name (blocking-timeout)."""
    info = _find(rule, config)
    page = in_language(info.help_markdown, language) if language else info.help_markdown
    if not sys.stdout.isatty():
        click.echo(page, nl=not page.endswith("\n"))
        return CLEAN
    from rich.console import Console  # noqa: PLC0415
    from rich.markdown import Markdown  # noqa: PLC0415

    print_rich(Console(no_color=without_color()), Markdown(page))
    return CLEAN


def _find(rule: str, config: str | None) -> RuleInfo:
    book = load_book()
    found = _named(book, rule)
    if found is not None:
        return found
    from resplint.cli.scan import load_config  # noqa: PLC0415 - only rules of one's own stand in a configuration
    from resplint.scan import rule_book  # noqa: PLC0415

    settings = load_config(Path.cwd(), config)
    book = rule_book(settings)
    found = _named(book, rule)
    if found is not None:
        return found
    from resplint.scan.survey import with_folders  # noqa: PLC0415 - it looks at every folder

    book = rule_book(with_folders(settings, Path.cwd()))
    found = _named(book, rule)
    if found is not None:
        return found
    several = [each for each in book if each.startswith(rule.upper())]
    if several:
        rules_named = "1 rule: name it," if len(several) == 1 else f"{len(several)} rules: name one of"
        raise UserError(f"{rule!r} stands for {rules_named} {', '.join(sorted(several))}.")
    close = nearest(rule, [*(info.name for info in book.values()), *book])
    hint = f" Did you mean {close}?" if close is not None else ""
    raise UserError(f"No rule is called {rule!r}.{hint} `resplint rules` lists them all.")


def _named(book: dict[str, RuleInfo], rule: str) -> RuleInfo | None:
    names = {info.name: code for code, info in book.items()}
    code = rule.upper() if rule.upper() in book else names.get(rule.lower(), "")
    return book[code] if code else None
