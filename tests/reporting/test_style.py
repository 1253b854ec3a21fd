"""Colours of the page: levels can be told apart by people who see colours differently."""

from __future__ import annotations

import itertools
import re

import pytest

from resplint.reporting.html import asset

# Machado, Oliveira and Fernandes 2009, severity 1.0, on linear RGB.
_SIGHTS = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}
_LEAST_DISTANCE = 20
"""In CIELAB; 2.3 is what people just notice."""


def themes() -> list[dict[str, str]]:
    blocks = re.findall(r"\{([^{}]*--error: [^{}]*)\}", asset("page.css"))
    return [dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", block)) for block in blocks]


def lab(colour: str, sight: str) -> tuple[float, float, float]:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    r, g, b = (min(1.0, max(0.0, sum(m * c for m, c in zip(row, linear, strict=True)))) for row in _SIGHTS[sight])
    x, y, z = (
        (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047,
        0.2126 * r + 0.7152 * g + 0.0722 * b,
        (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883,
    )
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@pytest.mark.parametrize("sight", _SIGHTS)
def test_levels_differ_to_every_eye(sight: str) -> None:
    light, dark, chosen = themes()
    assert dark == chosen, "the dark theme is the same whether the system or the reader chose it"
    assert light["page"] != dark["page"]
    for theme in (light, dark):
        for one, other in itertools.combinations(("error", "warning", "note"), 2):
            pairs = zip(lab(theme[one], sight), lab(theme[other], sight), strict=True)
            assert sum((a - b) ** 2 for a, b in pairs) ** 0.5 > _LEAST_DISTANCE, (one, other, theme[one], theme[other])
