"""The server for coding assistants (Model Context Protocol).

`serving` speaks the protocol through the package `mcp`, which is an extra: nothing else here imports it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from resplint.config.loading import Config
from resplint.contracts.errors import UserError
from resplint.output.about import install

__all__ = ["run"]


def run(folder: Path, load_config: Callable[[Path, str | None], Config], config: str | None = None) -> None:
    """Serve the assistant at standard input and output, about the project in a folder, until it closes the input.

    `load_config` gives the configuration for a root and the explicit file `config`. Raises `UserError` if the extra is
    missing.
    """
    try:
        from mcp.server.mcpserver import MCPServer  # noqa: F401, PLC0415
    except ImportError as error:
        message = f"the server for assistants needs the package mcp, which is not installed: {install('mcp')}."
        raise UserError(message) from error
    from resplint.assistant.serving import serve  # noqa: PLC0415

    serve(folder, load_config, config)
