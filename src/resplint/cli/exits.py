"""Exit codes, and how errors become them."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, ParamSpec

import click

from resplint.cli.process import is_ending, silence
from resplint.contracts.errors import KnowledgeError, MemoryLimitError, UserError
from resplint.contracts.findings import NotificationKind
from resplint.output.escape import escape
from resplint.output.selection import INCOMPLETE

CLEAN, FINDINGS, USAGE, INTERNAL, INTERRUPTED, READER_GONE = 0, 1, 2, 3, 130, 141

_UNWRITABLE = {errno.ENOSPC, errno.EFBIG, errno.EIO, errno.EBADF, getattr(errno, "EDQUOT", errno.ENOSPC)}
"""How writing to a standard stream fails."""


def failures(*, strict: bool) -> frozenset[NotificationKind]:
    """Kinds of notifications that make the exit code 3."""
    return INCOMPLETE if strict else frozenset({NotificationKind.INTERNAL_ERROR})


P = ParamSpec("P")
_NO_MEMORY = f"resplint: {MemoryLimitError()}\n".encode()
"""Made beforehand, as nothing can be made any more when it is needed."""


class _ReaderGoneError(Exception):
    """The reader of our output went away. Not a `BrokenPipeError`, of which click would make exit code 1: findings."""


def with_exit_codes(command: Callable[P, int]) -> Callable[P, None]:
    """Turn what a command returns or raises into the exit code of the process."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            code = command(*args, **kwargs)
        except (UserError, KnowledgeError) as error:
            complain(f"resplint: {escape(str(error))}")
            code = USAGE
        except KeyboardInterrupt:
            code = INTERRUPTED
        except (BrokenPipeError, _ReaderGoneError):
            # `resplint scan | head`: not an error, but nothing more can be said.
            silence(sys.stdout, sys.stderr)
            code = READER_GONE
        except OSError as error:
            code = _unwritable(error) if _is_of_a_stream(error) else _internal(error)
        except MemoryLimitError as error:
            complain(f"resplint: {error}")
            code = INTERNAL
        except MemoryError:
            _end_without_memory()
        except Exception as error:  # a bug of ours must not look like findings
            code = _internal(error)
        sys.exit(code)

    return run


def _end_without_memory() -> NoReturn:
    """End at once: whatever else would be done, to say more or to tidy up, needs memory, too."""
    os.write(2, _NO_MEMORY)
    os._exit(INTERNAL)


def complain(text: str) -> None:
    """Say something on standard error, if anybody listens there."""
    try:
        click.echo(text, err=True)
    except OSError:
        silence(sys.stderr)


class Program(click.Group):
    """A group of commands whose own output and errors (help, wrong usage) keep to the exit codes as well."""

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        """Run the program, and exit unless not in `standalone_mode`."""
        main: Callable[..., object] = super().main
        run = functools.partial(main, *args, standalone_mode=False, **extra)
        return with_exit_codes(_without_click)(run) if standalone_mode else run()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Show the help where no command is given, whatever the version of click: wrong usage, as nothing was done."""
        if not args and self.no_args_is_help and not ctx.resilient_parsing:
            complain(ctx.get_help())
            ctx.exit(USAGE)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if not error.possibilities and (hint := self.meant_by(error.option_name)):
                ctx.fail(f"No such option {error.option_name!r}. {hint}")
            raise

    def meant_by(self, name: str) -> str:
        """What to type instead of `name`, which is neither command nor option; empty if nobody knows."""
        return ""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments begin with. Raises `click.UsageError` with a suggestion."""
        name = str(args[0])
        if not ctx.resilient_parsing and not name.startswith("-") and self.get_command(ctx, name) is None:
            ctx.fail(f"No such command {name!r}. {self.meant_by(name)}".rstrip())
        return super().resolve_command(ctx, args)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """The context of a run; options such as `--help` answer here."""
        with _past_click():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was chosen."""
        with _past_click():
            return super().invoke(ctx)


def _without_click(run: Callable[[], object]) -> int:
    """Run, and show wrong usage as click does, except that arguments cannot steer a terminal or forge a line."""
    try:
        code = run()
    except click.Abort as error:
        raise KeyboardInterrupt from error
    except click.MissingParameter as error:  # lists on several lines what we expect, and nothing that was given
        error.show()
        return error.exit_code
    except click.ClickException as error:
        context = error.ctx if isinstance(error, click.UsageError) else None
        if context is not None:
            complain(f"{context.get_usage()}\nTry '{context.command_path} --help' for help.\n")
        complain(f"Error: {escape(error.format_message())}")
        return error.exit_code
    return code if isinstance(code, int) else CLEAN


@contextlib.contextmanager
def _past_click() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        raise _ReaderGoneError from error


def _is_of_a_stream(error: OSError) -> bool:
    # Files of ours are written by functions that raise `UserError`, and their errors have a name.
    return error.filename is None and error.errno in _UNWRITABLE


def _unwritable(error: OSError) -> int:
    silence(sys.stdout)
    complain(f"resplint: standard output cannot be written: {escape(error.strerror or str(error))}.")
    return USAGE


def _internal(error: Exception) -> int:
    if is_ending():  # Python makes a `RuntimeError` of whatever is raised while a class is made
        return INTERRUPTED
    complain(f"resplint: internal error, please report it: {escape(f'{type(error).__name__}: {error}')}")
    return INTERNAL
