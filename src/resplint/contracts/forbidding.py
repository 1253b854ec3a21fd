"""Rules of a user's own: what a project forbids in its use of Redis, in the words of the model."""

from __future__ import annotations

import msgspec

from resplint.contracts.findings import Level

ROLES = ("request", "task", "message", "startup", "test")
"""What code may run for, as `role` of a rule names it."""
KINDS = ("client", "cluster", "sentinel", "pool", "connection")
"""What a project may make, as `make` of a rule names it."""


class Condition(msgspec.Struct, frozen=True):
    """An option of a command or client: that it is there, or that it is `value` (compared as text, without case)."""

    option: str
    value: str | None = None

    def __str__(self) -> str:
        return self.option if self.value is None else f"{self.option}={self.value}"


class Forbidden(msgspec.Struct, frozen=True):
    """One rule. Exactly one of `command`, `method` and `make` says what it is about; all other conditions must hold as
    well, each with one of its values, for something to be reported. What ends in `_not` must not hold.
    """

    code: str
    name: str
    message: str
    level: Level = Level.WARNING
    help: str = ""
    """What to do instead, in Markdown; the first paragraph goes with every finding."""
    url: str = ""
    command: tuple[str, ...] = ()
    """Redis commands, perhaps with `*`: "KEYS", "CONFIG *"."""
    method: tuple[str, ...] = ()
    """Methods of clients: "pipeline", or only those of one type: "redis.Redis.pipeline"."""
    make: tuple[str, ...] = ()
    """What is made: one of `KINDS`, or a constructor or type by its import path."""
    library: tuple[str, ...] = ()
    library_not: tuple[str, ...] = ()
    language: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    key_not: tuple[str, ...] = ()
    options: tuple[Condition, ...] = ()
    without: tuple[Condition, ...] = ()
    unless_also: tuple[str, ...] = ()
    """Commands that excuse it, if the same function sends one of them for the same key."""
    path: tuple[str, ...] = ()
    path_not: tuple[str, ...] = ()
    function: tuple[str, ...] = ()
    function_not: tuple[str, ...] = ()
    role: tuple[str, ...] = ()
    role_not: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The message, with the period that ends it."""
        return self.message if self.message.endswith(".") else self.message + "."

    @property
    def advice(self) -> str:
        """The first paragraph of the help as one sentence or more; "" if there is none."""
        text = " ".join(self.help.strip().partition("\n\n")[0].split())
        return text if not text or text.endswith(".") else text + "."

    @property
    def title(self) -> str:
        """The first sentence of the message, without its period."""
        return self.message.partition(". ")[0].rstrip(".")
