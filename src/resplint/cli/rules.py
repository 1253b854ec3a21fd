"""`resplint rules`: the list of rules, and the examples of one's own."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from resplint.cli.exits import CLEAN, FINDINGS, INTERNAL, Program, with_exit_codes
from resplint.cli.printing import print_rich, without_color
from resplint.cli.scan import load_config
from resplint.config.loading import Config
from resplint.contracts.findings import RuleInfo, Status
from resplint.custom.pages import languages_of
from resplint.discovery.discover import find_root
from resplint.knowledge.book import LANGUAGE_TITLES, family_of
from resplint.output.escape import escape
from resplint.scan import rule_book
from resplint.scan.survey import with_folders

_CONFIG = click.option(
    "--config",
    type=click.Path(),
    help="Configuration file; default: resplint.toml or pyproject.toml, from the folder upwards.",
)


@click.group(cls=Program, invoke_without_command=True)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the list.",
)
@_CONFIG
@click.pass_context
def rules(context: click.Context, format_: str, config: str | None) -> None:
    """List the rules with their levels and languages, also one's own, which may hold in some folders only."""
    if context.invoked_subcommand is None:
        with_exit_codes(_list)(format_, config)


def _list(format_: str, config: str | None) -> int:
    settings = with_folders(load_config(Path.cwd(), config), Path.cwd())
    book = rule_book(settings)
    languages, folders = languages_of(settings.own_rules), _folders(settings)
    if format_ == "json":
        import msgspec  # noqa: PLC0415

        rows = [
            {
                "code": info.code, "name": info.name, "title": info.title, "summary": info.summary,
                "level": info.level.value, "precision": info.precision.value, "status": info.status.value, "since":
                info.since, "tags": list(info.tags), "references": list(info.references),
                "languages": list(languages[info.code]), "folders": folders.get(info.code),
            }
            for _, info in sorted(book.items())
        ]  # fmt: skip
        click.echo(msgspec.json.format(msgspec.json.encode(rows), indent=2).decode())
        return CLEAN
    _table(book, {code: _named(names) for code, names in languages.items()})
    if settings.nested:
        for code, places in sorted(folders.items()):
            click.echo(f"{code} holds in {', '.join(map(escape, places))}.")
    return CLEAN


def _folders(config: Config) -> dict[str, list[str]]:
    """The folders in whose configuration each rule of one's own is, by code; "." is the one that the list is about."""
    places = {".": config, **{place or ".": config.nested[place] for place in sorted(config.nested)}}
    return {
        rule.code: [place for place, each in places.items() if any(one.code == rule.code for one in each.forbid)]
        for rule in config.own_rules
    }


def _named(languages: tuple[str, ...]) -> str:
    """The languages of a rule, in one word if they are all that there are."""
    return "all" if set(languages) >= set(LANGUAGE_TITLES) else ", ".join(languages)


def _table(book: Mapping[str, RuleInfo], languages: Mapping[str, str]) -> None:
    from rich import box  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=box.SIMPLE)
    for title in ("Code", "Name", "Level", "Precision", "Languages", "On", "What it finds"):
        table.add_column(title, no_wrap=title != "What it finds")
    family = ""
    for code, info in sorted(book.items()):
        if (now := family_of(code)) != family:
            family = now
            table.add_section()
            table.add_row("", Text(family, style="bold"))
        on = "yes" if info.status is Status.DEFAULT else info.status.value
        row = (code, info.name, info.level.value, info.precision.value, languages[code], on, info.title)
        table.add_row(*map(Text, row))
    width = None if sys.stdout.isatty() else 110
    print_rich(Console(no_color=without_color(), width=width), table)


@rules.command()
@click.argument("folder", type=click.Path())
@_CONFIG
@with_exit_codes
def test(folder: str, config: str | None) -> int:
    """Check rules of one's own on examples: code in FOLDER with comments such as `# expect: SHOP001`.

    The rules are those in the `.toml` files of FOLDER; if there are none, those of the configuration.
    """
    from resplint.cli.own_rules import test_examples  # noqa: PLC0415 - it brings the engine along

    outcome = test_examples(find_root((folder,)), config)
    click.echo("\n".join([*outcome.problems, outcome.summary]))
    return INTERNAL if outcome.failed else FINDINGS if outcome.problems else CLEAN
