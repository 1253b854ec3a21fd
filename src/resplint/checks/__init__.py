"""Checks: one module a rule, named like its page in ``rules/book``, with one function ``check(project)`` that yields
findings.

A check sees the linked project and nothing else: no language, no syntax, no output. Modules are found by name, so
there is no list to keep; a test holds the book and this package together.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, cast

from resplint.findings import Finding

if TYPE_CHECKING:
    from resplint.link.project import Project

Check = Callable[["Project"], Iterator[Finding]]


def load(name: str) -> Check:
    """The check of the rule with this name ("blocking-timeout"). Raises `ModuleNotFoundError` when there is none."""
    module = importlib.import_module(f"resplint.checks.{name.replace('-', '_')}")
    return cast(Check, module.check)
