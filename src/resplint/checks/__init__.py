"""Checks: one module a rule, named like its page in ``rules/book``, with a function ``check(project)`` that yields
findings, and ``decide(project)`` that yields the reasons why there is none besides.

A check sees the linked project and nothing else: no language, no syntax, no output. Modules are found by name, so
there is no list to keep; a test holds the book and this package together.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, cast

from resplint.contracts.findings import Finding

if TYPE_CHECKING:
    from resplint.contracts.decisions import Decision
    from resplint.model.project import Project

Check = Callable[["Project"], Iterator[Finding]]


Decide = Callable[["Project"], Iterator["Decision"]]


def load(name: str) -> Check:
    """The check of the rule with this name ("blocking-timeout"). Raises `ModuleNotFoundError` when there is none."""
    return cast(Check, _module(name).check)


def load_decisions(name: str) -> Decide:
    """All that the check of a rule decides, silence included. Raises `ModuleNotFoundError` when there is none."""
    return cast(Decide, _module(name).decide)


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"resplint.checks.{name.replace('-', '_')}")
