"""The command line: parse arguments, call, print, exit code."""

from __future__ import annotations

import gc
import os

_COLLECT_AFTER = (200_000, 50, 100)
"""Objects that are made before Python looks for cycles again (its own default: 700, 10, 10). A scan makes millions of
objects that live as long as it does, and looking through them took a quarter of its time.
"""


def main() -> None:
    """Entry point of the `resplint` command."""
    gc.set_threshold(*_COLLECT_AFTER)
    # Imports are the start-up cost; keep them behind the entry point.
    from resplint.cli.process import run, use_utf8  # noqa: PLC0415

    use_utf8()
    run(_program)


def _program() -> None:
    from resplint.cli.app import cli  # noqa: PLC0415

    if "_RESPLINT_COMPLETE" in os.environ:
        from resplint.cli.completing import register  # noqa: PLC0415

        register()
    cli.main(prog_name="resplint")
