"""Plots of validation as SVG, for the help: the error of every case by table, and of one table over its GPUs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def plotted(tables: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the tables that get a plot of their own: those of step times with five cases or more."""
    return [one for one in tables if len(one["cases"]) >= 5 and one["cases"][0]["gpus"] is not None]


def table_plot(one: Mapping[str, Any]) -> str:
    """Return a plot of a table as SVG: error of each case over its GPUs, with the 90 % interval of each."""
    left, wide, high, most = 44, 420, 150, _largest_pct([one], 30)
    counts = [math.log2(case["gpus"]) for case in one["cases"]]
    first, last = min(counts) - 0.5, max(counts) + 0.5
    mark = "fitted to these rows" if one["fitted"] else "no fit has seen these rows"

    def place(gpus: float, error_pct: float) -> tuple[float, float]:
        x = left + (math.log2(gpus) - first) / (last - first) * wide
        return x, 20 + high / 2 - error_pct / most * high / 2

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + wide + 10} {high + 40}" '
        'font-family="sans-serif" font-size="10">',
        f"<title>{one['table']}: error over number of GPUs</title>",
        f'<rect width="{left + wide + 10}" height="{high + 40}" fill="#ffffff"/>',
        f'<text x="{left}" y="13" fill="#333">{one["table"]}, {mark}: mean {one["mape_pct"]:.1f} %</text>',
    ]
    for percent in _marks(most):
        y = place(2**first, percent)[1]
        stroke = "#444" if percent == 0 else "#ddd"
        lines.append(f'<path d="M{left} {y:.1f}H{left + wide}" stroke="{stroke}"/>')
        lines.append(
            f'<text x="{left - 4}" y="{y + 3:.1f}" text-anchor="end" fill="#333">{_signed(percent)} %</text>'
        )
    for power in range(math.ceil(first), math.floor(last) + 1, 2):
        x = place(2**power, 0)[0]
        lines.append(
            f'<text x="{x:.1f}" y="{high + 33}" text-anchor="middle" fill="#333">{2**power:,}</text>'
        )
    dots = []
    for case in one["cases"]:
        x, y = place(case["gpus"], case["error_pct"])
        up = place(case["gpus"], min(most, case["interval_pct"]))[1]
        least = -100 * case["interval_pct"] / (100 + case["interval_pct"])
        down = place(case["gpus"], max(-most, least))[1]
        lines.append(f'<path d="M{x:.1f} {up:.1f}V{down:.1f}" stroke="#9ecbff" stroke-width="3"/>')
        dots.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="#1f6feb" fill-opacity="0.6"/>')
    return "\n".join([*lines, *dots, "</svg>"]) + "\n"


def errors_plot(tables: Sequence[Mapping[str, Any]]) -> str:
    """Return a plot of the error of every case as SVG: a line for each table, a dot for each case."""
    shown = [one for one in tables if one["cases"] and one["table"] != "reliability-llama3"]
    left, wide, step, most = 190, 480, 18, _largest_pct(shown, 40)
    high = step * (len(shown) + 2)
    zero = left + wide / 2
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + wide + 20} {high + 20}" '
        'font-family="sans-serif" font-size="11">',
        "<title>Error of every published case by table</title>",
        f'<rect width="{left + wide + 20}" height="{high + 20}" fill="#ffffff"/>',
    ]
    for percent in _marks(most):
        x = zero + percent / most * wide / 2
        lines.append(f'<path d="M{x:g} {step}V{high}" stroke="{"#444" if percent == 0 else "#ddd"}"/>')
        lines.append(
            f'<text x="{x:g}" y="{high + 14}" text-anchor="middle" fill="#333">{_signed(percent)} %</text>'
        )
    for number, one in enumerate(shown):
        y = step * (number + 1.5)
        lines.append(
            f'<text x="{left - 8}" y="{y + 4:g}" text-anchor="end" fill="#333">{one["table"]}</text>'
        )
        for case in one["cases"]:
            x = zero + case["error_pct"] / most * wide / 2
            lines.append(f'<circle cx="{x:.1f}" cy="{y:g}" r="2.5" fill="#1f6feb" fill-opacity="0.55"/>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def _largest_pct(tables: Sequence[Mapping[str, Any]], least: int) -> int:
    """Return the end of an axis that holds every error, in steps of 10 [%]."""
    errors = [abs(case["error_pct"]) for one in tables for case in one["cases"]]
    return max(least, 10 * math.ceil(max(errors, default=0.0) / 10))


def _marks(most: int) -> range:
    """Return where an axis from -most to most has marks, zero among them [%]."""
    step = 10 if most <= 50 else 20
    return range(-(most // step) * step, most + 1, step)


def _signed(percent: int) -> str:
    return f"{percent:+d}" if percent else "0"
