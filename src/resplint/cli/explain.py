"""`resplint explain` and `resplint rules`: the rule book in the terminal."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from resplint.cli.completing import rule_names
from resplint.cli.exits import CLEAN, with_exit_codes
from resplint.contracts.errors import UserError
from resplint.contracts.findings import RuleInfo
from resplint.contracts.suggestions import nearest
from resplint.knowledge.book import LANGUAGE_TITLES, in_language
from resplint.knowledge.load import load_book, load_pages

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


@click.command()
@click.argument("rule", shell_complete=rule_names)
@click.option("--language", type=click.Choice(list(LANGUAGE_TITLES)), help="Show the examples of one language only.")
@with_exit_codes
def explain(rule: str, language: str | None) -> int:
    """Show the page of a rule, by code (RL104) or name (blocking-timeout)."""
    info = _find(rule)
    page = in_language(info.help_markdown, language) if language else info.help_markdown
    if not sys.stdout.isatty():
        click.echo(page, nl=not page.endswith("\n"))
        return CLEAN
    from rich.console import Console  # noqa: PLC0415
    from rich.markdown import Markdown  # noqa: PLC0415

    _print(Console(no_color=bool(os.environ.get("NO_COLOR"))), Markdown(page))
    return CLEAN


def _print(console: Console, what: RenderableType) -> None:
    """Print, and leave it to the caller to say what a stream that cannot be written means: rich would just exit."""
    with console.capture() as captured:
        console.print(what)
    click.echo(captured.get(), nl=False, color=True)


def _find(rule: str) -> RuleInfo:
    book = load_book()
    names = {info.name: code for code, info in book.items()}
    code = rule.upper() if rule.upper() in book else names.get(rule.lower(), "")
    if code:
        return book[code]
    several = [each for each in book if each.startswith(rule.upper())]
    if several:
        rules_named = "1 rule: name it," if len(several) == 1 else f"{len(several)} rules: name one of"
        raise UserError(f"{rule!r} stands for {rules_named} {', '.join(sorted(several))}.")
    close = nearest(rule, [*names, *book])
    hint = f" Did you mean {close}?" if close is not None else ""
    raise UserError(f"No rule is called {rule!r}.{hint} `resplint rules` lists them all.")


@click.command()
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the list.",
)
@with_exit_codes
def rules(format_: str) -> int:
    """List the rules with their levels and languages."""
    book, pages = load_book(), load_pages()
    if format_ == "json":
        import msgspec  # noqa: PLC0415

        rows = [
            {
                "code": info.code, "name": info.name, "title": info.title, "summary": info.summary,
                "level": info.level.value, "precision": info.precision.value, "since": info.since, "tags":
                list(info.tags), "references": list(info.references), "languages": list(pages[info.code].languages),
            }
            for _, info in sorted(book.items())
        ]  # fmt: skip
        click.echo(msgspec.json.format(msgspec.json.encode(rows), indent=2).decode())
        return CLEAN
    _table(book, {code: _named(page.languages) for code, page in pages.items()})
    return CLEAN


def _named(languages: tuple[str, ...]) -> str:
    """The languages of a rule, in one word if they are all that there are."""
    return "all" if set(languages) >= set(LANGUAGE_TITLES) else ", ".join(languages)


def _table(book: dict[str, RuleInfo], languages: dict[str, str]) -> None:
    from rich import box  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=box.SIMPLE)
    for title in ("Code", "Name", "Level", "Precision", "Languages", "What it finds"):
        table.add_column(title, no_wrap=title != "What it finds")
    for _, info in sorted(book.items()):
        table.add_row(info.code, info.name, info.level.value, info.precision.value, languages[info.code], info.title)
    width = None if sys.stdout.isatty() else 110
    _print(Console(no_color=bool(os.environ.get("NO_COLOR")), width=width), table)
