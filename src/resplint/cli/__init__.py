"""The command line: parse arguments, call, print, exit code."""

from __future__ import annotations

import gc
import os
import sys

_COLLECT_AFTER = (200_000, 50, 100)
"""Objects that are made before Python looks for cycles again (its own default: 700, 10, 10). A scan makes millions of
objects that live as long as it does, and looking through them took a quarter of its time.
"""


def main() -> None:
    """Entry point of the `resplint` command."""
    gc.set_threshold(*_COLLECT_AFTER)
    from resplint.cli.app import cli  # noqa: PLC0415 - the import is the start-up cost; keep it behind the entry point

    try:
        cli.main(prog_name="resplint", standalone_mode=True)
    except BrokenPipeError:
        # The reader went away (`resplint scan | head`): not an error, but Python must not try to flush again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
