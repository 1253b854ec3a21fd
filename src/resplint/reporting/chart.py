"""A small chart of a trend: one line a level, drawn as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec
from markupsafe import Markup
from markupsafe import escape as html

from resplint.reporting.records import LEVELS, Trend

_WIDTH, _HEIGHT = 960, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 12, 14, 26
_FORMAT = "%Y%m%dT%H%M%SZ"
# The same as beside the words: diamond, triangle, circle, bar; drawn around the point.
_SHAPES = {
    "error": "m0-5.5l5.5 5.5l-5.5 5.5l-5.5-5.5z",
    "warning": "m0-5.5l5.5 9.5h-11z",
    "note": "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "none": "m-5-1.5h10v3h-10z",
}


class ChartRow(msgspec.Struct, frozen=True):
    """The figures behind one point."""

    label: str
    counts: tuple[int, ...]


class Chart(msgspec.Struct, frozen=True):
    """What the page shows of a trend: the drawing, and its figures as a table for those who cannot see it."""

    series: str
    levels: tuple[str, ...]
    rows: tuple[ChartRow, ...]
    svg: Markup


def chart(trend: Trend) -> Chart:
    """A chart of the levels that occur; times are to scale."""
    used = [index for index, _ in enumerate(LEVELS) if any(point.counts[index] for point in trend.points)] or [0]
    levels = tuple(LEVELS[index] for index in used)
    times = [datetime.strptime(point.stamp, _FORMAT) for point in trend.points]
    rows = tuple(
        ChartRow(f"{time:%Y-%m-%d %H:%M}", tuple(point.counts[index] for index in used))
        for time, point in zip(times, trend.points, strict=True)
    )
    return Chart(trend.series, levels, rows, _draw(trend.series, levels, times, rows))


def _draw(series: str, levels: Sequence[str], times: Sequence[datetime], rows: Sequence[ChartRow]) -> Markup:
    top = _ceiling(max(count for row in rows for count in row.counts))
    span = max((times[-1] - times[0]).total_seconds(), 1)
    across = [_LEFT + (_WIDTH - _LEFT - _RIGHT) * (time - times[0]).total_seconds() / span for time in times]

    def height(count: int) -> float:
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * count / top

    drawn = []
    for count in (0, top // 2, top) if top > 1 else (0, top):
        at = height(count)
        drawn.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
        drawn.append(f'<text x="{_LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{count:,}</text>')
    for anchor, at, time in (("start", across[0], times[0]), ("end", across[-1], times[-1])):
        drawn.append(f'<text x="{at:.1f}" y="{_HEIGHT - 6}" text-anchor="{anchor}">{time:%Y-%m-%d}</text>')
    for position, level in enumerate(levels):
        points = [(x, height(row.counts[position])) for x, row in zip(across, rows, strict=True)]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        drawn.append(f'<polyline class="line s-{level}" points="{line}"/>')
        for (x, y), row in zip(points, rows, strict=True):
            title = f"{row.label}: {row.counts[position]:,} {level}"
            drawn.append(
                f'<path class="point f-{level}" d="M{x:.1f} {y:.1f}{_SHAPES[level]}"><title>{title}</title></path>'
            )
    label = html(f"Findings of {series} from {rows[0].label} to {rows[-1].label}, by level")
    return Markup(f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">{"".join(drawn)}</svg>')


def _ceiling(most: int) -> int:
    """A round number at or above `most` that can be halved."""
    scale = 1
    while most > 8 * scale:
        scale *= 10
    return next(step * scale for step in (1, 2, 4, 6, 8) if most <= step * scale)
