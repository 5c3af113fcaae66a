"""Plot of what a run costs over its size as SVG, for the help: CPU time and memory of two series of halls."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import linear_regression

SERIES = {"one": ("one job over all GPUs", "#1f6feb"), "jobs": ("jobs of 512 GPUs", "#d1570b")}
FITTED_GPUS = 16_384
LEFT, WIDE, HIGH, GAP = 52, 250, 190, 70

Rows = Sequence[Sequence[float]]
"""GPUs, CPU time [s], memory [MB] and failures of each hall."""


def growth_plot(found: Mapping[str, Rows]) -> str:
    """Return the plot of what ``python -m twin.cli.bench.growth`` printed, both axes logarithmic."""
    width, height = 2 * (LEFT + WIDE) + GAP - 20, HIGH + 100
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="11">',
        "<title>CPU time and memory of a day over the number of GPUs</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for number, (column, title) in enumerate(((1, "CPU time of a day [s]"), (2, "memory of the run [MB]"))):
        lines += _panel(found, LEFT + number * (WIDE + GAP), column, title)
    return "\n".join([*lines, "</svg>"]) + "\n"


def slope(rows: Rows, column: int) -> float:
    """Return by which power of the number of GPUs a figure grows, from 16,384 GPUs on."""
    fitted = [row for row in rows if row[0] >= FITTED_GPUS]
    return linear_regression(
        [math.log(row[0]) for row in fitted], [math.log(row[column]) for row in fitted]
    ).slope


def _panel(found: Mapping[str, Rows], left: float, column: int, title: str) -> list[str]:
    gpus = sorted({row[0] for rows in found.values() for row in rows})
    costs = [row[column] for rows in found.values() for row in rows]
    least, most = math.floor(math.log10(min(costs))), math.ceil(math.log10(max(costs)))
    first, last = math.log2(gpus[0]), math.log2(gpus[-1])

    def place(count: float, cost: float) -> tuple[float, float]:
        across = (math.log2(count) - first) / (last - first)
        return left + across * WIDE, 24 + HIGH - (math.log10(cost) - least) / (most - least) * HIGH

    lines = [f'<text x="{left}" y="14" fill="#333">{title}</text>']
    for power in range(least, most + 1):
        y = place(gpus[0], 10.0**power)[1]
        lines.append(f'<path d="M{left} {y:.1f}h{WIDE}" stroke="#ddd"/>')
        lines.append(
            f'<text x="{left - 5}" y="{y + 4:.1f}" text-anchor="end" fill="#333">{10.0**power:g}</text>'
        )
    for count in gpus:
        x = place(count, 10.0**least)[0]
        lines.append(
            f'<text x="{x:.1f}" y="{24 + HIGH + 15}" text-anchor="middle" fill="#333">{count / 1024:g}k</text>'
        )
    for number, (kind, (name, colour)) in enumerate(SERIES.items()):
        spots = [place(row[0], row[column]) for row in found[kind]]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in spots)
        lines.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in spots]
        text = f"{name}: grows by power {slope(found[kind], column):.2f}"
        lines.append(f'<text x="{left}" y="{24 + HIGH + 36 + 16 * number}" fill="{colour}">{text}</text>')
    return lines
