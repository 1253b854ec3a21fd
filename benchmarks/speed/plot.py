"""The plots, as SVG that can be read on light and on dark ground."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib import pyplot

from speed.figures import ratios
from speed.goals import fastest, growth_slope, middle, walls
from speed.records import Contest, Size
from speed.tools import AST_GREP, COLD, PARSING, RG, SEMGREP, WARM

GREY = "#7d8590"
COLOURS = {COLD: "#2f81f7", WARM: "#3fb27f", SEMGREP: "#d9822b", AST_GREP: "#c2569b", RG: "#8f98a3", PARSING: "#9a6fe0"}
_LINES = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color", "grid.color")
_STYLE: dict[Any, Any] = {
    **dict.fromkeys(_LINES, GREY),
    **dict.fromkeys(("axes.spines.top", "axes.spines.right"), False),
    "axes.grid": True,
    "grid.alpha": 0.25,
    "font.size": 10,
    "svg.hashsalt": "resplint",
}
MARKS = {WARM: "v", SEMGREP: "s", AST_GREP: "D", RG: "|", PARSING: "x"}


def speed(contests: Sequence[Contest], path: Path) -> None:
    """Each group a line: how many times as long as resplint each contestant takes."""
    figure, axes = _figure(1, height=0.42 * len(contests) + 1.4)
    axis = axes[0]
    names = [each.group.name for each in contests]
    for name, mark in MARKS.items():
        found = [ratios(walls(each.samples[name]), walls(each.samples[COLD])) for each in contests]
        middles = [each.middle for each in found]
        spans = [[each.middle - each.low for each in found], [each.high - each.middle for each in found]]
        axis.errorbar(
            middles,
            range(len(names)),
            xerr=spans,
            fmt=mark,
            color=COLOURS[name],
            label=name,
            markersize=7,
            elinewidth=1,
        )
    axis.axvline(1, color=COLOURS[COLD], linewidth=1.5)
    axis.set_xscale("log")
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.set_yticks(range(len(names)), names)
    axis.set_ylim(len(names) - 0.5, -0.5)
    axis.set_xlabel("times as long as resplint with a cold cache (blue line)")
    _legend(figure, axis)
    _save(figure, path)


def growth(sizes: Sequence[Size], path: Path) -> None:
    """Time and memory over the number of files."""
    figure, (time, memory) = _figure(2, height=3.6)
    files = [each.files for each in sizes]
    times = [fastest(each.cold) for each in sizes]
    label = f"cold, slope {growth_slope(list(sizes)):.2f}" if len(sizes) > 1 else "cold"
    time.plot(files, times, "o-", color=COLOURS[COLD], label=label)
    time.plot(files, [fastest(each.warm) for each in sizes], "v-", color=COLOURS[WARM], label="warm")
    time.plot(files, [times[-1] * each / files[-1] for each in files], ":", color=GREY, label="slope 1")
    memory.plot(files, [_peak(each.cold) for each in sizes], "o-", color=COLOURS[COLD])
    memory.plot(files, [_peak(each.warm) for each in sizes], "v-", color=COLOURS[WARM])
    memory.axhline(300, color=GREY, linestyle="--", linewidth=1)
    memory.set_ylim(bottom=0)
    time.set_yscale("log")
    time.yaxis.set_major_formatter(lambda value, _: f"{value:g} s")
    memory.yaxis.set_major_formatter(lambda value, _: f"{value:.0f} MB")
    for axis, title in ((time, "time"), (memory, "peak memory of a process; goal at 100,000: 300 MB")):
        axis.set_xscale("log")
        axis.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axis.set_xlabel("files")
        axis.set_title(title, color=GREY, fontsize=10)
    _legend(figure, time)
    _save(figure, path)


def _figure(columns: int, height: float) -> tuple[Any, Any]:
    """A figure without ground, whose lines and letters are grey: so it fits on any page."""
    pyplot.rcParams.update(_STYLE)
    pyplot.switch_backend("svg")
    figure, axes = pyplot.subplots(1, columns, figsize=(9, height), layout="constrained", squeeze=False)
    return figure, axes[0]


def _legend(figure: Any, axis: Any) -> None:
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)


def _save(figure: Any, path: Path) -> None:
    """The same figures give the same bytes."""
    figure.savefig(path, transparent=True, metadata={"Date": None})
    pyplot.close(figure)


def _peak(samples: Sequence[Any]) -> float:
    return middle(list(samples), lambda each: each.peak_mb)
