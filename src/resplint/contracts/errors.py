"""Errors, typed by who must act.

ResplintError
├── UserError         the person who runs the tool: arguments, configuration, output path (exit 2)
├── MemoryLimitError  whoever runs the tool where memory is short (exit 3)
├── KnowledgeError    whoever edits ``rules/``: a query, a client model, a page of the rule book (exit 2)
└── InternalError     the developers of resplint: a bug in a rule or in the engine (exit 3)
"""

from __future__ import annotations


class ResplintError(Exception):
    """Base of every error that resplint raises on purpose."""


class UserError(ResplintError):
    """Something the user gave cannot be used; the message names file, place and remedy in one line.

    `file` and `line` (from 1) say for programs where to look; "" and 0 when the message is not about a file or line.
    """

    def __init__(self, message: str, *, file: str = "", line: int = 0) -> None:
        super().__init__(message)
        self.file = file
        self.line = line


class KnowledgeError(ResplintError):
    """A file below ``rules/`` is wrong; the message names the file, the place and what is expected there."""


class InternalError(ResplintError):
    """A defect of resplint itself; the scan goes on without the part that failed."""


class MemoryLimitError(ResplintError):
    """The process may not have the memory that the analysis needs."""

    def __init__(self) -> None:
        super().__init__("there is not enough memory; scan parts of the project one by one, or allow more.")
