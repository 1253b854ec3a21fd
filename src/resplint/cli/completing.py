"""What a shell offers after the Tab key, and the script that makes it ask."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem, ShellComplete, get_completion_class

from resplint.cli.exits import CLEAN, with_exit_codes

_PROGRAM = "resplint"
_INSTALL = {
    "bash": "echo 'eval \"$(resplint completion bash)\"' >> ~/.bashrc",
    "zsh": "echo 'eval \"$(resplint completion zsh)\"' >> ~/.zshrc",
    "fish": "resplint completion fish > ~/.config/fish/completions/resplint.fish",
}


def rule_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Codes and names of rules that begin with what is typed."""
    return _beginning_with(incomplete, _rules())


def rule_selectors(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The same for the last one of a list with commas; "all" stands for every rule."""
    before, comma, last = incomplete.rpartition(",")
    offered = _beginning_with(last, {"all": "Every rule", **_rules()})
    return [CompletionItem(before + comma + str(item.value), help=item.help) for item in offered]


def _rules() -> dict[str, str]:
    """The title of every rule by its code and by its name."""
    from resplint.knowledge.load import load_book  # noqa: PLC0415

    book = load_book()
    return {code: rule.title for code, rule in book.items()} | {rule.name: rule.title for rule in book.values()}


def _beginning_with(typed: str, titles: dict[str, str]) -> list[CompletionItem]:
    found = {name: title for name, title in titles.items() if name.lower().startswith(typed.lower())}
    return [CompletionItem(name, help=title) for name, title in found.items()]


@click.command()
@click.argument("shell", type=click.Choice(list(_INSTALL)))
@click.pass_context
@with_exit_codes
def completion(context: click.Context, shell: str) -> int:
    """Print the script that completes commands, options and rules in a shell.

    Its first lines say how to install it.
    """
    kind = get_completion_class(shell)
    assert kind is not None
    program = kind(context.find_root().command, {}, _PROGRAM, f"_{_PROGRAM.upper()}_COMPLETE")
    # Not the method of the subclass: that of bash runs bash only to learn its version.
    script = ShellComplete.source(program)
    click.echo(f"# Completion of resplint in {shell}. To install it:\n#   {_INSTALL[shell]}\n{script}")
    return CLEAN
