"""YAML as a row of events: nothing is built from it, so that no file decides on types or on how much is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import yaml


def events(text: str, broken: Callable[[str, int], Exception]) -> Iterator[Any]:
    """The events of a text. What is no YAML raises what `broken` makes of the reason and the line (0: unknown)."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        yield from yaml.parse(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        problem = str(error.problem)
        # The scanner reads ahead: newer ones refuse deep YAML before an event shows how deep it is.
        reason = "is nested too deeply" if "nesting depth" in problem else f"is not valid YAML: {problem}"
        raise broken(reason, line) from error
    except yaml.YAMLError as error:
        raise broken("is not valid YAML", 0) from error
