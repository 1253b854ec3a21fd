"""The language server for editors.

Everything below speaks the protocol through `pygls`, which is an extra: import nothing but this module without it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from resplint.config.loading import Config
from resplint.contracts.errors import UserError
from resplint.output.about import install

__all__ = ["run"]


def run(load_config: Callable[[Path, str | None], Config]) -> bool:
    """Serve the editor at standard input and output until it ends the session; whether it ended it properly.

    `load_config` gives the configuration for a root and an explicit file. Raises `UserError` if the extra is missing.
    """
    try:
        from pygls.lsp.server import LanguageServer  # noqa: F401, PLC0415
    except ImportError as error:
        raise UserError(f"the language server needs pygls, which is not installed: {install('server')}.") from error
    from resplint.server.handlers import serve  # noqa: PLC0415

    protocol, sys.stdout = sys.stdout.buffer, sys.stderr  # whoever prints must not break the protocol
    return serve(load_config, sys.stdin.buffer, protocol)
