"""The figures of a run for the terminal, for benchmarks/WILD.md and for the README."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from wild.precision import Matched, Tally, tallies
from wild.records import Remark, Row, Summary

BEGIN, END = (
    "<!-- precision on real code: begin (make wild RECORD=1 writes this) -->",
    "<!-- precision on real code: end -->",
)
_CLASSES = ("very-high", "high", "medium", "low")
_LEVELS = ("error", "warning", "note")


def figures(summary: Summary, rows: Sequence[Row]) -> Iterator[str]:
    """A run in lines of text."""
    registries = ", ".join(f"{number} of {registry}" for registry, number in sorted(summary.packages.items()))
    total = sum(summary.packages.values())
    yield f"{total} of {summary.listed} packages scanned ({registries}); {summary.without_redis} show no use of Redis"
    yield (
        f"{summary.files:,} of {summary.files_found:,} files analysed: {summary.lines:,} lines; "
        f"{summary.skipped} skipped"
    )
    for remark in summary.missing:
        yield f"  missing: {_remark(remark)}"
    yield f"Without a crash: {_share(total - len(summary.crashes), total)} packages (goal 100 %)"
    for remark in summary.crashes:
        yield f"  {_remark(remark)}"
    yield f"Parsed in part: {_share(len(summary.partial), summary.files)} analysed files (goal < 0.5 %)"
    for remark in summary.partial:
        yield f"  {_remark(remark)}"
    yield (
        f"CPU: {_pace(summary):.0f} ms per 1,000 lines over all, {summary.cpu_ms_per_kloc_median:.0f} ms in the median "
        "package (start-up counts), "
        f"{summary.cpu_s_median:.2f} s a package (median), "
        f"at most {summary.cpu_s_max:.1f} s ({summary.slowest}), {summary.cpu_s_total:.0f} s in all"
    )
    yield (
        f"Peak memory of a process: {summary.peak_mb_median:.0f} MB (median), at most {summary.peak_mb_max:.0f} MB "
        f"({summary.largest})"
    )
    yield "Findings by rule, level and precision class, and per 1,000 analysed lines:"
    yield from _aligned(_table(summary, rows))


def _pace(summary: Summary) -> float:
    """Milliseconds of CPU time per 1,000 analysed lines, start-up included."""
    return 1e6 * summary.cpu_s_total / summary.lines if summary.lines else 0.0


def _remark(remark: Remark) -> str:
    return " ".join(word for word in (remark.package, remark.path, remark.message) if word)


def _share(part: int, total: int) -> str:
    return f"{100 * part / total if total else 0:.2f} % ({part:,} of {total:,})"


def _table(summary: Summary, rows: Sequence[Row]) -> list[tuple[str, ...]]:
    lines: list[tuple[str, ...]] = [("Rule", "Findings", *_LEVELS, *_CLASSES, "Packages", "Per 1,000 lines")]
    for rule in [*sorted({row.rule for row in rows}), "all"]:
        group = [row for row in rows if rule in {row.rule, "all"}]
        levels, classes = Counter(row.level for row in group), Counter(row.precision for row in group)
        lines.append(
            (
                rule, f"{len(group):,}", *(str(levels[level]) for level in _LEVELS),
                *(str(classes[each]) for each in _CLASSES), str(len({row.package for row in group})),
                f"{1000 * len(group) / summary.lines if summary.lines else 0:.2f}",
            )
        )  # fmt: skip
    return lines


def read(matched: Matched) -> Iterator[str]:
    """Precision from the verdicts, in lines of text."""
    yield f"Precision from {len(matched.pairs)} verdicts; {len(matched.lost)} are lost, as their finding is gone:"
    yield from _aligned(_precision(matched))


def _precision(matched: Matched) -> list[tuple[str, ...]]:
    lines: list[tuple[str, ...]] = [("Findings", "Right", "Wrong", "Unclear", "Precision", "95 % interval")]
    groups = [
        *tallies(matched, lambda row: row.rule).items(),
        *((f"{each} precision", _class(matched, each)) for each in _CLASSES),
        *((f"level {each}", tallies(matched, lambda row: row.level).get(each, Tally())) for each in _LEVELS),
        ("all", tallies(matched, lambda row: "all").get("all", Tally())),
    ]
    for name, tally in groups:
        if tally.judged or tally.unclear:
            lines.append(
                (
                    name,
                    str(tally.right),
                    str(tally.wrong),
                    str(tally.unclear),
                    _percent(tally.precision),
                    _interval(tally),
                )
            )
    return lines


def _class(matched: Matched, name: str) -> Tally:
    return tallies(matched, lambda row: row.precision).get(name, Tally())


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"


def _interval(tally: Tally) -> str:
    bounds = tally.interval
    return "–" if bounds is None else f"{100 * bounds[0]:.0f} to {100 * bounds[1]:.0f} %"


def _aligned(table: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    for row in table:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        yield ("  " + "  ".join(cells)).rstrip()


def _markdown(table: Sequence[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(table[0]) + " |"
    yield "|---|" + "---:|" * (len(table[0]) - 1)
    for row in table[1:]:
        yield "| " + " | ".join(row) + " |"


def page(summary: Summary, rows: Sequence[Row], matched: Matched) -> str:
    """benchmarks/WILD.md."""
    registries = ", ".join(f"{number} from {registry}" for registry, number in sorted(summary.packages.items()))
    total = sum(summary.packages.values())
    parts = [
        "# Real code",
        "Written by `make wild RECORD=1`; [wild.toml](wild.toml) lists the packages, "
        "[wild-findings.jsonl](wild-findings.jsonl) has the findings and [wild-verdicts.jsonl](wild-verdicts.jsonl) "
        "what reading a sample of them said.",
        f"Run of {summary.date} with resplint at `{summary.commit}`, all levels and precision classes.",
        "\n".join(
            _markdown(
                [
                    ("", "Figure"),
                    ("Packages scanned", f"{total} of {summary.listed} ({registries})"),
                    ("Packages in which nothing uses Redis", str(summary.without_redis)),
                    ("Packages that could not be fetched", str(len(summary.missing))),
                    ("Files analysed", f"{summary.files:,} of {summary.files_found:,}, {summary.lines:,} lines"),
                    ("Crash-free", _share(total - len(summary.crashes), total)),
                    ("Files parsed in part", _share(len(summary.partial), summary.files)),
                    ("Files skipped", str(summary.skipped)),
                    ("CPU time per 1,000 analysed lines, over all", f"{_pace(summary):.0f} ms"),
                    ("The same in the median package, with start-up", f"{summary.cpu_ms_per_kloc_median:.0f} ms"),
                    ("CPU time of a package, median", f"{summary.cpu_s_median:.2f} s"),
                    ("CPU time of a package, maximum", f"{summary.cpu_s_max:.1f} s ({summary.slowest})"),
                    ("CPU time in all", f"{summary.cpu_s_total:.0f} s"),
                    ("Peak memory of a process, median", f"{summary.peak_mb_median:.0f} MB"),
                    ("Peak memory of a process, maximum", f"{summary.peak_mb_max:.0f} MB ({summary.largest})"),
                ]
            )
        ),
        *_listed("Crashes", summary.crashes),
        *_listed("Parsed in part", summary.partial),
        *_listed("Could not be fetched", summary.missing),
        "## Findings",
        "\n".join(_markdown(_table(summary, rows))),
        "## Precision",
        _how_read(matched),
        "\n".join(_markdown(_precision(matched))),
        "### Wrong",
        "\n".join(f"- {verdict.rule}, {verdict.package} {verdict.version}, `{row.path}:{row.line}`: {verdict.reason}"
                  for verdict, row in matched.pairs if verdict.verdict == "wrong") or "None of those read.",
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _listed(title: str, remarks: Iterable[Remark]) -> list[str]:
    items = [f"- {remark.package} {f'`{remark.path}`: ' if remark.path else ''}{remark.message}" for remark in remarks]
    return [f"## {title}", "\n".join(items)] if items else []


def _how_read(matched: Matched) -> str:
    return (
        "Each finding of a random sample, stratified by rule and level and with at most two of one rule in a package, "
        "and each that was new in a later run, "
        "was read with the code around it: right is one whose statement is true and which the project's maintainer "
        "would act on or knowingly accept; wrong is anything else; unclear is what the package alone does not tell, "
        f"and is not counted. {len(matched.pairs)} verdicts match a finding of this run, {len(matched.lost)} do not: "
        f"their findings went, {sum(each.verdict == 'wrong' for each in matched.lost)} wrong ones among them. So "
        "the share rises as causes are fixed, until another sample is read."
    )


def section(summary: Summary, matched: Matched) -> str:
    """The part of the README between the markers, with them."""
    total = sum(summary.packages.values())
    return "\n".join(
        [
            BEGIN,
            "",
            f"{total} packages of PyPI, npm and Maven Central that use Redis ({summary.lines:,} analysed lines)",
            f"were scanned on {summary.date} with resplint at `{summary.commit}`:",
            f"{_share(total - len(summary.crashes), total)} without a crash.",
            f"{len(matched.pairs)} findings, chosen at random within each rule or new in a later run, "
            "were read with the code around them",
            f"({len(matched.lost)} more that were read have gone since):",
            "",
            *_markdown(_precision(matched)),
            "",
            "[benchmarks/WILD.md](benchmarks/WILD.md) says how, and which were wrong; `make wild` repeats the scan.",
            "",
            END,
        ]
    )


def with_section(readme: str, text: str) -> str:
    """The README with the part between the markers replaced."""
    before, _, rest = readme.partition(BEGIN)
    _, _, behind = rest.partition(END)
    return before + text + behind
