"""Reports: one module a format, each a pure function from a report to bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from resplint.contracts.findings import Report
from resplint.output.options import SUMMARY_BYTES, Here, OutputOptions
from resplint.output.writing import write

__all__ = ["FORMATS", "SUMMARY_BYTES", "Here", "OutputOptions", "write"]


def _format(
    name: str, in_repository: Callable[[OutputOptions], bool] = lambda options: True
) -> Callable[[Report, OutputOptions], bytes]:
    """The format that the module `name` renders, with paths relative to the repository, else to the current folder."""

    def render(report: Report, options: OutputOptions) -> bytes:
        # Formats are imported when asked for: start-up time counts in a pre-commit hook.
        from resplint.output import places  # noqa: PLC0415

        module = import_module(f"resplint.output.{name}")
        if in_repository(options):
            moved = places.in_repository(report, options.prefix)
        else:
            moved = places.seen_from(report, options.here)
        rendered: bytes = module.render(moved, options)
        return rendered

    return render


FORMATS: Mapping[str, Callable[[Report, OutputOptions], bytes]] = {
    "text": _format("text", lambda options: False),
    "concise": _format("concise", lambda options: False),
    "json": _format("json"),
    "sarif": _format("sarif"),
    "github": _format("github", lambda options: options.in_workflow),
    "gitlab": _format("gitlab"),
    "junit": _format("junit"),
    "sonar": _format("sonar"),
    "markdown": _format("markdown"),
}
"""Every format by the name it has on the command line."""
