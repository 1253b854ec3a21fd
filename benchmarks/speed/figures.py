"""Arithmetic of the figures: ratios with their spread, and how cost grows."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

import msgspec


class Spread(msgspec.Struct, frozen=True):
    """The smallest, the middle and the largest of some values."""

    low: float
    middle: float
    high: float


def spread(values: Sequence[float]) -> Spread:
    """Raises `ValueError` when there are none."""
    if not values:
        raise ValueError("no values")
    return Spread(min(values), statistics.median(values), max(values))


def ratios(above: Sequence[float], below: Sequence[float]) -> Spread:
    """How many times `below` fits into `above`, round by round.

    A machine that is slow for a while is so for the whole round; values of different rounds are never compared.
    """
    return spread([each / other for each, other in zip(above, below, strict=True)])


def slope(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """The exponent of the growth of cost with size, by least squares on logarithms: 1 is linear."""
    return statistics.linear_regression([math.log(size) for size in sizes], [math.log(cost) for cost in costs]).slope
