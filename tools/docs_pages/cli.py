"""The reference of the command line, from click's own description of it."""

from __future__ import annotations

import inspect
import re

import click

from docs_pages.markdown import code, codes, page, table
from resplint.cli.app import COMMANDS, cli

INTRODUCTION = """\
# Command line

`resplint --help` and `resplint COMMAND --help` show the same in the terminal."""

EXIT_CODES = """\
## Exit codes

| Code | Meaning |
| --- | --- |
| 0 | Nothing at or above `--fail-on` |
| 1 | Findings |
| 2 | Wrong usage or configuration, or the report cannot be written |
| 3 | resplint failed on a file or in a rule, or `--strict` and something was not analysed; the rest is written |

## Completion

`resplint completion` prints a script for bash, zsh, fish or PowerShell that completes commands, options and the names
of rules. For bash:

```sh
echo 'eval "$(resplint completion bash)"' >> ~/.bashrc
```"""


def cli_pages() -> dict[str, str]:
    """The text of the page, by its path in `docs/`."""
    context = click.Context(cli, info_name="resplint", **cli.context_settings)
    commands = [command for name in COMMANDS if (command := cli.get_command(context, name)) is not None]
    sections = (_sections(command, context) for command in commands if not command.hidden)
    return {"cli.md": page(INTRODUCTION, *sections, EXIT_CODES)}


def _sections(command: click.Command, parent: click.Context) -> str:
    """The section of a command, and those of the commands in it."""
    inner = command.commands.values() if isinstance(command, click.Group) else ()
    context = _below(command, parent)
    return "\n\n".join([_section(command, context), *(_section(one, _below(one, context)) for one in inner)])


def _below(command: click.Command, parent: click.Context) -> click.Context:
    return click.Context(command, info_name=command.name, parent=parent, **command.context_settings)


def _section(command: click.Command, context: click.Context) -> str:
    usage = " ".join(command.collect_usage_pieces(context))
    options = [param for param in command.get_params(context) if isinstance(param, click.Option) and not param.hidden]
    parts = [
        f"## {context.command_path}",
        f"```text\n{context.command_path} {usage}\n```",
        _paragraphs(command.help or ""),
        table(["Option", "Meaning"], [[_names(each), _meaning(each, context)] for each in options]),
    ]
    return "\n\n".join(part for part in parts if part)


def _paragraphs(text: str) -> str:
    """The help of a command in Markdown: placeholders in capitals and options as code."""
    return _as_code(inspect.cleandoc(text).replace("\b\n", "").replace("\f", ""))


def _as_code(text: str) -> str:
    """Text with options in code style, where it has no code of its own."""
    return re.sub(r"(?<![\w`-])(--[a-z][a-z-]+)(?![\w`-])", r"`\1`", text)


def _names(option: click.Option) -> str:
    names = codes([*option.opts, *option.secondary_opts])
    if option.is_flag or isinstance(option.type, click.Choice) or option.count:
        return names
    return f"{names} {code(option.metavar or option.type.name.upper())}"


def _meaning(option: click.Option, context: click.Context) -> str:
    text, _, written = (option.help or "").strip().removesuffix("]").partition("[default: ")
    parts = [_as_code(text.strip())]
    if isinstance(option.type, click.Choice):
        parts.append(f"One of {codes(option.type.choices)}.")
    default = written or _shown_default(option, context)
    if default:
        parts.append(f"Default: {code(default)}.")
    return " ".join(parts)


def _shown_default(option: click.Option, context: click.Context) -> str:
    """The default that the help in the terminal shows, "" if it shows none."""
    shown = option.show_default or (option.show_default is None and context.show_default)
    default = option.get_default(context)
    return str(default) if shown and isinstance(default, (str, int)) and not isinstance(default, bool) else ""
