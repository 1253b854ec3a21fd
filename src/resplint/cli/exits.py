"""Exit codes, and how errors become them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import ParamSpec

import click

from resplint.errors import KnowledgeError, UserError
from resplint.output.escape import escape

CLEAN, FINDINGS, USAGE, INTERNAL = 0, 1, 2, 3

P = ParamSpec("P")


def with_exit_codes(command: Callable[P, int]) -> Callable[P, None]:
    """Turn what a command returns or raises into the exit code of the process."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            code = command(*args, **kwargs)
        except (UserError, KnowledgeError) as error:
            click.echo(f"resplint: {escape(str(error))}", err=True)
            sys.exit(USAGE)
        except KeyboardInterrupt:
            sys.exit(130)
        except BrokenPipeError:
            raise
        except Exception as error:  # a bug of ours must not look like findings
            text = escape(f"{type(error).__name__}: {error}")
            click.echo(f"resplint: internal error, please report it: {text}", err=True)
            sys.exit(INTERNAL)
        sys.exit(code)

    return run
