"""`resplint scan`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click
import msgspec

from resplint.cli.caching import cache_options, opened_cache
from resplint.cli.completing import rule_selectors
from resplint.cli.emit import demand_targets, emit, standard_input
from resplint.cli.exits import CLEAN, FINDINGS, INTERNAL, failures, with_exit_codes
from resplint.cli.fixing import Fixes, check_reason, fix_options, fixes, is_asked
from resplint.cli.progress import ProgressBar
from resplint.cli.repository import folder_in_repository, in_workflow, repository_top, seen_from_here, source_url
from resplint.config.loading import Config, enclosing_project, load, project_root
from resplint.contracts.errors import UserError
from resplint.contracts.findings import Level, Report
from resplint.contracts.suggestions import nearest
from resplint.discovery.discover import find_root
from resplint.knowledge.load import load_book, load_libraries
from resplint.output import FORMATS, SUMMARY_BYTES, OutputOptions, write
from resplint.output.escape import escape

if TYPE_CHECKING:
    from resplint.scan import ScanRequest

LEVELS = ["note", "warning", "error"]


@click.command(context_settings={"show_default": True})
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--format", "format_", type=click.Choice(sorted(FORMATS)), default="text", help="Form of the report.")
@click.option(
    "--output",
    "-o",
    type=click.Path(),
    help="Write the report to a file (replaced as a whole) instead of the terminal.",
)
@click.option(
    "--report",
    "reports",
    multiple=True,
    metavar="FORMAT=FILE",
    help="Also write the report to a file in another format; may be repeated.",
)
@click.option(
    "--whole-project",
    is_flag=True,
    help="Analyse the whole repository around PATHS, but report only on PATHS, so that it does not matter in how many "
    "runs the files are scanned. The default where files are named in a repository; folders stand for themselves.",
)
@click.option("--isolated", is_flag=True, help="Analyse nothing but PATHS, although files are named.")
@click.option(
    "--select",
    multiple=True,
    metavar="RULES",
    shell_complete=rule_selectors,
    help="Run only these rules: codes, names or prefixes, separated by commas.",
)
@click.option("--ignore", multiple=True, metavar="RULES", shell_complete=rule_selectors, help="Leave these rules out.")
@click.option(
    "--level",
    type=click.Choice(LEVELS),
    help="Report only findings of this level or above. Text shows warnings and above by default.",
)
@click.option(
    "--fail-on",
    type=click.Choice([*LEVELS, "never"]),
    help="Level from which findings make the exit code 1 (default: warning).",
)
@click.option(
    "--min-precision",
    type=click.Choice(["low", "medium", "high", "very-high"]),
    help="Report only findings of this precision or above (default: medium).",
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings.")
@click.option(
    "--strict", is_flag=True, help="Exit with 3 if anything was not analysed, or not to its end, even with --exit-zero."
)
@click.option(
    "--config",
    type=click.Path(),
    help="Configuration file; default: resplint.toml or pyproject.toml, from the scanned folder upwards.",
)
@click.option(
    "--baseline",
    type=click.Path(),
    help="File of accepted findings, written by `resplint baseline` (default: that of the configuration).",
)
@click.option("--no-baseline", is_flag=True, help="Use no baseline, whatever the configuration says.")
@click.option(
    "--diff-base",
    metavar="REF",
    help="Report only what is new since HEAD and this branch, tag or commit went separate ways.",
)
@click.option("--exclude", multiple=True, metavar="GLOB", help="Leave out files that match, as in .gitignore.")
@click.option("--include-tests/--no-include-tests", default=None, help="Also scan test code (default: no).")
@click.option("--max-file-size", type=int, metavar="BYTES", help="Skip larger files (default: 1000000).")
@click.option(
    "--file-timeout",
    type=int,
    metavar="SECONDS",
    help="Skip files that take more processor time to analyse (default: 5).",
)
@click.option(
    "--stdin-filename",
    metavar="PATH",
    default="stdin.py",
    help="Name of the file that is read from standard input when PATH is '-'.",
)
@click.option("--jobs", type=int, metavar="N", help="Processes to use; 0 is one for each processor (default).")
@click.option(
    "--summary-size",
    type=click.IntRange(min=2_000),
    metavar="BYTES",
    default=SUMMARY_BYTES,
    help="Cut a markdown report to this size; the default is what the summary of a step on GitHub may have, "
    "a comment may have 65000.",
)
@cache_options
@click.option(
    "--quiet", "-q", is_flag=True, help="Print findings only, without summary and progress; errors are still shown."
)
@click.option("--verbose", "-v", is_flag=True, help="Also list what the analysis left out because of a limit.")
@click.option(
    "--statistics",
    is_flag=True,
    help="Add counts per rule, the most frequent first, and what each stage took: time by the clock and of processors.",
)
@fix_options
@with_exit_codes
def scan(paths: tuple[str, ...], **options: object) -> int:
    """Scan files and folders (default: the current folder) and report what is wrong."""
    chosen = paths or (".",)
    check_reason(options)
    reports = _reports(options["reports"])
    whole_project = sees_whole_project(chosen, options)
    root = scan_root(chosen, whole_project=whole_project)
    _demand_targets(options["output"], reports)
    config = _config(root, options, whole_project=whole_project)
    stdin = standard_input(config.max_file_size, "raise max-file-size") if "-" in chosen else None
    # The engine (grammar, binding) is loaded only now: help and usage errors stay quick.
    from resplint.scan import ScanRequest as Request  # noqa: PLC0415

    run = _scanner(root, options["diff_base"])

    def analyse(request: ScanRequest) -> Report:
        return _filtered(run(request), options["level"])

    with ProgressBar(sys.stderr, shown=not options["quiet"]) as bar:
        request = Request(
            chosen,
            config,
            root=root,
            stdin=stdin,
            stdin_name=str(options["stdin_filename"]),
            whole_project=whole_project,
            cache=opened_cache(options),
            names_others=True,
            demands_source=not options["whole_project"],
            progress=bar.update,
        )
        fixed = fixes(request, analyse, options, notes=_shows_notes(options, config)) if is_asked(options) else None
        report = fixed.report if fixed is not None else analyse(request)
    for format_, target in reports:
        write(target, FORMATS[format_](report, _output_options(options, config, root)))
    if fixed is not None:
        return _finish_fixes(fixed, options, config, root)
    _emit(report, options, config, root)
    return _exit_code(report, config, options)


def _finish_fixes(fixed: Fixes, options: dict[str, object], config: Config, root: Path) -> int:
    """Show what fixing came to. Fixed standard input goes to standard output, and the report then out of its way."""
    exit_zero = bool(options["exit_zero"])
    if fixed.diff is not None:
        terminal = options["output"] is None and sys.stdout.isatty()
        emit(fixed.diff_bytes(color=_output_options(options, config, root, terminal=terminal).color), _target(options))
        for note in fixed.notes:
            click.echo(f"resplint: {escape(note.path)}{': ' if note.path else ''}{escape(note.message)}", err=True)
        code = fixed.exit_code_of_diff(exit_zero=exit_zero, strict=bool(options["strict"]))
    else:
        if fixed.piped is not None:
            emit(fixed.piped, None)
        _emit(fixed.report, options, config, root, sys.stdout if fixed.piped is None else sys.stderr)
        code = _exit_code(fixed.report, config, options)
    if not options["quiet"]:
        click.echo(fixed.summary, err=True)
    return code


def _scanner(root: Path, ref: object) -> Callable[[ScanRequest], Report]:
    """What scans: all of it, or only what is new since a revision. Raises `UserError` if there is no such revision."""
    if ref is None:
        from resplint.scan import scan as everything  # noqa: PLC0415

        return everything
    from resplint.diff_base import DiffBase  # noqa: PLC0415

    return DiffBase(root, str(ref)).scan


def sees_whole_project(paths: tuple[str, ...], options: Mapping[str, object]) -> bool:
    """Whether the project around some paths is analysed with them: what a file does is seen in its project."""
    if options["whole_project"] and options["isolated"]:
        raise UserError("--whole-project and --isolated exclude each other: give one of them.")
    if options["whole_project"] or options["isolated"]:
        return bool(options["whole_project"])
    real = [path for path in paths if path != "-"]
    if not any(os.path.isfile(path) for path in real):
        return False
    root = find_root(real)
    return repository_top(root, os.environ) is not None or enclosing_project(root) is not None


def scan_root(paths: tuple[str, ...], *, whole_project: bool) -> Path:
    """The folder that paths in a report are relative to."""
    real = [path for path in paths if path != "-"]
    root = find_root(real) if real else Path.cwd()
    return (repository_top(root, os.environ) or project_root(root)) if whole_project else root


def _reports(given: object) -> list[tuple[str, str]]:
    """Format and file of every `--report`."""
    assert isinstance(given, tuple)
    pairs = []
    for each in given:
        format_, equals, target = str(each).partition("=")
        if format_ not in FORMATS or not equals or not target:
            raise UserError(
                f"--report {str(each)!r}: expected FORMAT=FILE, with one of the formats {', '.join(sorted(FORMATS))}."
            )
        pairs.append((format_, target))
    return pairs


def _demand_targets(output: object, reports: Sequence[tuple[str, str]]) -> None:
    demand_targets([*([] if output is None else [str(output)]), *(target for _, target in reports)])


def load_config(root: Path, explicit: str | None, *, whole_project: bool = False) -> Config:
    """The configuration for a scan of `root`: the file `explicit`, or the nearest one. Raises `UserError`.

    With the `whole_project` linked, whose root is far above what is reported on, it is the one nearest to the current
    folder: not to the paths, as these differ from batch to batch.
    """
    rules = {code: info.name for code, info in load_book().items()}
    here = Path.cwd() if whole_project else root
    config = load(root, explicit, rules, nearest_to=here if root in (here, *here.parents) else root)
    _check_clients(config)
    return config


def _config(root: Path, options: dict[str, object], *, whole_project: bool) -> Config:
    explicit = options["config"]
    config = load_config(root, str(explicit) if explicit else None, whole_project=whole_project)
    if options["baseline"] and options["no_baseline"]:
        raise UserError("--baseline and --no-baseline exclude each other: give one of them.")
    if options["no_baseline"]:
        config = msgspec.structs.replace(config, baseline=None)
    said: dict[str, Any] = {
        "baseline": options["baseline"], "select": split(options["select"]), "ignore": split(options["ignore"]),
        "exclude": tuple(options["exclude"]), "include_tests": options["include_tests"],  # type: ignore[arg-type]
        "max_file_size": options["max_file_size"], "file_timeout": options["file_timeout"],
        "fail_on": options["fail_on"], "min_precision": options["min_precision"], "jobs": options["jobs"],
    }  # fmt: skip
    return overridden(config, root, said)


def overridden(config: Config, root: Path, said: dict[str, Any]) -> Config:
    """A configuration changed by options of the command line, which may name rules that only folders below `root` have.
    Raises `UserError`.
    """
    try:
        return config.with_overrides(**said)
    except UserError:
        if not (said.get("select") or said.get("ignore")):
            raise
    from resplint.scan.survey import with_folders  # noqa: PLC0415

    return with_folders(config, root).with_overrides(**said)


def _check_clients(config: Config) -> None:
    """Client names of the configuration that resplint does not know would be without effect: say so."""
    if not (config.client_versions or config.client_factories):
        return
    libraries = load_libraries()
    constructors = {name for library in libraries.values() for one in library.constructor for name in one.names}
    for key, given, known in (
        ("client-versions", config.client_versions, set(libraries)),
        ("client-factories", {one.client: "" for one in config.client_factories.values()}, constructors),
    ):
        for name in given:
            if name not in known:
                close = nearest(name, sorted(known), likeness=0.4)
                hint = f" Did you mean {close!r}?" if close is not None else ""
                raise UserError(
                    f"{config.file}: {key}: {name!r} is no client that resplint knows.{hint}", file=config.file
                )


def split(values: object) -> tuple[str, ...]:
    """The parts of an option that takes several values, separated by commas, and may be repeated."""
    assert isinstance(values, tuple)
    return tuple(part.strip() for value in values for part in str(value).split(",") if part.strip())


def _filtered(report: Report, level: object) -> Report:
    if level is None:
        return report
    lowest = LEVELS.index(str(level))
    kept = tuple(result for result in report.results if result.level.rank >= lowest)
    return msgspec.structs.replace(report, results=kept)


def _shows_notes(options: dict[str, object], config: Config) -> bool:
    return options["level"] == "note" or config.fail_on is Level.NOTE


def _output_options(options: dict[str, object], config: Config, root: Path, *, terminal: bool = False) -> OutputOptions:
    return OutputOptions(
        color=terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
        width=_width() if terminal else None,
        show_notes=_shows_notes(options, config),
        statistics=bool(options["statistics"]),
        show_limits=bool(options["verbose"] or options["strict"]),
        quiet=failures(strict=bool(options["strict"])) if options["quiet"] else None,
        fail_on=config.fail_on or Level.WARNING,
        prefix=folder_in_repository(root, os.environ),
        here=seen_from_here(root),
        in_workflow=in_workflow(os.environ),
        source_url=source_url(os.environ),
        summary_bytes=int(str(options["summary_size"])),
    )


def _emit(report: Report, options: dict[str, object], config: Config, root: Path, stream: TextIO | None = None) -> None:
    stream = stream or sys.stdout
    terminal = options["output"] is None and stream.isatty()
    rendered = FORMATS[str(options["format_"])](report, _output_options(options, config, root, terminal=terminal))
    emit(rendered, _target(options), stream)


def _target(options: dict[str, object]) -> str | None:
    target = options["output"]
    return str(target) if target is not None else None


def _width() -> int:
    import shutil  # noqa: PLC0415

    return shutil.get_terminal_size().columns


def _exit_code(report: Report, config: Config, options: dict[str, object]) -> int:
    if {note.kind for note in report.notifications} & failures(strict=bool(options["strict"])):
        return INTERNAL
    threshold = config.fail_on
    if threshold is None or options["exit_zero"]:
        return CLEAN
    bad = any(result.suppression is None and result.level.rank >= threshold.rank for result in report.results)
    return FINDINGS if bad else CLEAN
