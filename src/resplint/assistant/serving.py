"""The protocol: how each tool is described to the assistant, and how its calls come to be answered."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resources import FunctionResource
from mcp.types import ToolAnnotations
from pydantic import Field

from resplint.assistant import answers
from resplint.assistant.answers import Answers
from resplint.assistant.pages import MOST, Object
from resplint.assistant.workspace import Workspace
from resplint.contracts.errors import ResplintError
from resplint.output.about import INFORMATION_URI, NAME, VERSION
from resplint.scan.request import Progress
from resplint.warm.scanning import LoadConfig
from resplint.warm.threads import WorkThread

T = TypeVar("T")

_INSTRUCTIONS = " ".join(
    (
        "resplint finds Redis and Valkey usage that will be slow, leak, hang or overload the server, by reading source",
        "code (Python, Java, Kotlin, JavaScript, TypeScript). Call `scan` after you wrote or changed code that uses",
        "Redis: it sees files as they are on disk, and the whole project, so a finding may begin in another file;",
        "follow its `trail`. `explain` gives the page of a rule with examples of good code; `why` says which client",
        "stands behind a line and how it is configured; `clients` lists all clients; `fix` proposes a diff, which you",
        "apply yourself. Nothing is written or run. Long answers come in pages: pass `next_offset` as `offset`.",
    )
)
_READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
_TICK_S = 1.0
"""How often the assistant hears how far a scan is."""
_IDLE_S = 600.0
"""After so long without a question, what only makes answers quick is forgotten."""

Paths = Annotated[
    list[str] | None,
    Field(
        description="Files or folders in the workspace, relative to it, that are asked about; none: all of it. "
        "The whole project is analysed in any case."
    ),
]
Rules = Annotated[list[str] | None, Field(description="Codes or names of rules, such as RL104; none: all.")]
Offset = Annotated[int, Field(ge=0, description="Where to begin: `next_offset` of the page before.")]
Limit = Annotated[int, Field(ge=1, le=MOST, description="Entries of a page, at most.")]
Lowest = Annotated[Literal["note", "warning", "error"], Field(description="Lowest level that is reported.")]


class GivenUpError(Exception):
    """Nobody waits for the answer any more."""


class Tools:
    """The tools, as methods whose signature and first line describe it to the assistant."""

    def __init__(self, found: Answers) -> None:
        self._answers = found
        self._thread = WorkThread()
        self._idle: asyncio.TimerHandle | None = None

    async def scan(
        self, context: Context, paths: Paths = None, rules: Rules = None, level: Lowest = "note", offset: Offset = 0,
        limit: Limit = 20,
    ) -> Object:  # fmt: skip
        """Find Redis and Valkey usage that will be slow, leak, hang or overload the server.

        Findings come worst first, each with the trail that leads to it through the project.
        """
        return await self._ask(
            context, lambda step: self._answers.scan(paths or (), rules or (), level, offset, limit, step)
        )

    async def why(
        self,
        context: Context,
        path: Annotated[str, Field(description="A file in the workspace.")],
        line: Annotated[int, Field(ge=1, description="The line, from 1.")],
        column: Annotated[
            int | None, Field(ge=1, description="The column, from 1; none: the calls of the line.")
        ] = None,
        offset: Offset = 0,
    ) -> Object:
        """Say which Redis client stands behind a line of code, and why rules report the line or do not.

        Also where the client is made, and how it is configured there.
        """
        return await self._ask(context, lambda step: self._answers.why(path, line, column, offset, step))

    async def clients(self, context: Context, paths: Paths = None, offset: Offset = 0, limit: Limit = 20) -> Object:
        """List the Redis clients of the project.

        Where each is made, its version, pool, timeouts and retries, and who uses it for which commands.
        """
        return await self._ask(context, lambda step: self._answers.clients(paths or (), offset, limit, step))

    async def fix(
        self,
        context: Context,
        paths: Paths = None,
        rules: Rules = None,
        unsafe: Annotated[bool, Field(description="Also fixes that may change what the program does.")] = False,
        offset: Offset = 0,
    ) -> Object:
        """Propose a unified diff that fixes what can be fixed mechanically.

        Nothing is written: review the diff and apply it yourself.
        """
        return await self._ask(context, lambda step: self._answers.fix(paths or (), rules or (), unsafe, offset, step))

    async def rules(self, offset: Offset = 0, limit: Limit = 50) -> Object:
        """List the rules: code, name, level, what it is about, and the URI of its page."""
        return self._answers.rules(offset, limit)

    async def explain(
        self,
        rule: Annotated[str, Field(description="Code or name, such as RL104 or blocking-timeout.")],
        language: Annotated[str | None, Field(description="Show the examples of this language only.")] = None,
    ) -> str:
        """Show the page of a rule: why it matters, bad and good code, how to configure it."""
        with _said():
            return self._answers.explain(rule, language)

    async def _ask(self, context: Context, question: Callable[[Progress], T]) -> T:
        """The answer to a question, worked out beside; meanwhile the assistant hears how far that is."""
        given_up = threading.Event()
        reached = ("", 0, 0)

        def step(stage: str, done: int, total: int) -> None:
            nonlocal reached
            if given_up.is_set():
                raise GivenUpError
            reached = (stage, done, total)

        work = asyncio.ensure_future(self._thread.run(lambda: question(step)))
        try:
            with _said():
                number = 0
                while not (await asyncio.wait([work], timeout=_TICK_S))[0]:
                    number += 1
                    stage, done, total = reached
                    message = f"{stage} ({done:,} of {total:,})" if total > 1 else stage
                    await context.report_progress(number, message=message or "waiting")
                return work.result()
        finally:
            given_up.set()
            self._rest_later()

    def _rest_later(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        forget = self._answers.forget
        self._idle = asyncio.get_running_loop().call_later(
            _IDLE_S, lambda: asyncio.ensure_future(self._thread.run(forget))
        )


@contextlib.contextmanager
def _said() -> Iterator[None]:
    """Errors that the user or the assistant can do something about reach it; others do not, and are logged."""
    try:
        yield
    except ResplintError as error:
        raise ToolError(str(error)) from error


def server_of(folder: Path, load_config: LoadConfig, config: str | None) -> MCPServer[Any]:
    """The server about the project in a folder. Raises `UserError` if that is none."""
    asked = Answers(Workspace(folder), load_config, config)
    tools = Tools(asked)
    server: MCPServer[Any] = MCPServer(
        NAME, version=VERSION, website_url=INFORMATION_URI, instructions=_INSTRUCTIONS, log_level="WARNING"
    )
    server.add_tool(tools.explain, annotations=_READS, structured_output=False)
    for tool in (tools.scan, tools.why, tools.clients, tools.rules, tools.fix):
        server.add_tool(tool, description=inspect.getdoc(tool), annotations=_READS)
    for info in asked.book.values():
        server.add_resource(
            FunctionResource(
                uri=answers.page_uri(info), name=f"{info.code} {info.name}", description=info.title,
                mime_type="text/markdown", fn=partial(str, info.help_markdown),
            )
        )  # fmt: skip
    return server


def serve(folder: Path, load_config: LoadConfig, config: str | None) -> None:
    """Serve until standard input is closed."""
    anyio.run(server_of(folder, load_config, config).run_stdio_async)
