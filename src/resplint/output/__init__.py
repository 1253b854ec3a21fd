"""Reports: one module a format, each a pure function from a report to bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from resplint.contracts.findings import Report
from resplint.output.options import SUMMARY_BYTES, OutputOptions
from resplint.output.writing import write

__all__ = ["FORMATS", "SUMMARY_BYTES", "OutputOptions", "write"]


def _format(name: str, *, in_repository: bool = False) -> Callable[[Report, OutputOptions], bytes]:
    """The format that the module `name` renders, with paths relative to the repository if `in_repository`."""

    def render(report: Report, options: OutputOptions) -> bytes:
        # Formats are imported when asked for: start-up time counts in a pre-commit hook.
        from resplint.output import selection  # noqa: PLC0415

        module = import_module(f"resplint.output.{name}")
        moved = selection.in_repository(report, options.prefix) if in_repository else report
        rendered: bytes = module.render(moved, options)
        return rendered

    return render


FORMATS: Mapping[str, Callable[[Report, OutputOptions], bytes]] = {
    "text": _format("text"),
    "concise": _format("concise"),
    "json": _format("json"),
    "sarif": _format("sarif", in_repository=True),
    "github": _format("github", in_repository=True),
    "gitlab": _format("gitlab", in_repository=True),
    "junit": _format("junit", in_repository=True),
    "sonar": _format("sonar", in_repository=True),
    "markdown": _format("markdown", in_repository=True),
}
"""Every format by the name it has on the command line."""
