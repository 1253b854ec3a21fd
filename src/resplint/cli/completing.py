"""What a shell offers after the Tab key, and the script that makes it ask."""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.shell_completion import CompletionItem, ShellComplete, add_completion_class, get_completion_class

from resplint.cli.exits import CLEAN, with_exit_codes

_PROGRAM = "resplint"
_INSTALL = {
    "bash": "echo 'eval \"$(resplint completion bash)\"' >> ~/.bashrc",
    "zsh": "echo 'eval \"$(resplint completion zsh)\"' >> ~/.zshrc",
    "fish": "resplint completion fish > ~/.config/fish/completions/resplint.fish",
    "powershell": "Add-Content $PROFILE 'resplint completion powershell | Out-String | Invoke-Expression'",
}
# The word under the cursor goes in a variable of its own: PowerShell before 7.3 drops empty arguments of programs.
_POWERSHELL = """\
Register-ArgumentCompleter -Native -CommandName %(prog_name)s -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $typed = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition })
    $variables = @{
        %(complete_var)s = "powershell_complete"
        COMP_WORDS = ($typed | ForEach-Object { $_.Extent.Text }) -join "`n"
        COMP_CWORD = $wordToComplete
    }
    foreach ($name in $variables.Keys) { [Environment]::SetEnvironmentVariable($name, $variables[$name]) }
    try {
        & %(prog_name)s | ForEach-Object {
            $kind, $value, $help = $_ -split "`t", 3
            if ($kind -eq "plain") {
                if (-not $help) { $help = $value }
                [System.Management.Automation.CompletionResult]::new($value, $value, "ParameterValue", $help)
            } else {
                $paths = [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
                if ($kind -eq "dir") { $paths | Where-Object { $_.ResultType -eq "ProviderContainer" } } else { $paths }
            }
        }
    } finally {
        foreach ($name in $variables.Keys) { [Environment]::SetEnvironmentVariable($name, $null) }
    }
}
"""


class PowerShellComplete(ShellComplete):
    """Completion in PowerShell, which click lacks: words come one a line, answers go out one a line."""

    name = "powershell"
    source_template = _POWERSHELL

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one under the cursor, without the program, and that one."""
        words = os.environ.get("COMP_WORDS", "").split("\n")
        return [word.strip("\"'") for word in words[1:]], os.environ.get("COMP_CWORD", "").strip("\"'")

    def format_completion(self, item: CompletionItem) -> str:
        """Kind, value and help, with tabs between them."""
        return f"{item.type}\t{item.value}\t{item.help or ''}"


def register() -> None:
    """Teach click the shells that it lacks; needed before a shell asks."""
    add_completion_class(PowerShellComplete)


def rule_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Codes and names of rules that begin with what is typed."""
    return _beginning_with(incomplete, _rules())


def rule_selectors(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The same for the last one of a list with commas; "default" and "all" stand for several."""
    before, comma, last = incomplete.rpartition(",")
    offered = _beginning_with(last, {"default": "The rules that are on by default", "all": "Every rule", **_rules()})
    return [CompletionItem(before + comma + str(item.value), help=item.help) for item in offered]


def _rules() -> dict[str, str]:
    """The title of every rule by its code and by its name."""
    from resplint.config.loading import load  # noqa: PLC0415
    from resplint.contracts.errors import UserError  # noqa: PLC0415
    from resplint.knowledge.load import load_book  # noqa: PLC0415
    from resplint.scan import rule_book  # noqa: PLC0415

    try:
        book = rule_book(load(Path.cwd(), None, {code: rule.name for code, rule in load_book().items()}))
    except UserError:  # a configuration that cannot be read is for a command to complain of
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
    register()
    kind = get_completion_class(shell)
    assert kind is not None
    program = kind(context.find_root().command, {}, _PROGRAM, f"_{_PROGRAM.upper()}_COMPLETE")
    # Not the method of the subclass: that of bash runs bash only to learn its version.
    script = ShellComplete.source(program)
    click.echo(f"# Completion of resplint in {shell}. To install it:\n#   {_INSTALL[shell]}\n{script}")
    return CLEAN
