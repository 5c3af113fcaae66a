"""Bars with whiskers as inline SVG: one figure of several designs, the best of them marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from twin.report.charts import plain, value_ticks
from twin.report.markup import Child, Markup, tag

_WIDE, _NAME, _FIGURES, _ROW, _TOP, _BOTTOM = 1040.0, 250.0, 330.0, 38.0, 8.0, 22.0
_TICKS = 5


@dataclass(frozen=True)
class RangeBar:
    """One bar: its name, P5, P50 and P95, its words, whether it is the best, and how far from the first one it is."""

    title: str
    low: float
    middle: float
    high: float
    text: str
    is_best: bool = False
    apart: str = ""


def range_bars(bars: Sequence[RangeBar], label: str) -> Markup:
    """Return bars from zero to P50, with a whisker from P5 to P95; all on one axis."""
    high = _TOP + _ROW * len(bars) + _BOTTOM
    ticks = value_ticks(min(0.0, *(bar.low for bar in bars)), max(bar.high for bar in bars), _TICKS)
    low_value, high_value = ticks[0], ticks[-1]
    room = _WIDE - _NAME - _FIGURES

    def x(value: float) -> str:
        return f"{_NAME + room * (value - low_value) / (high_value - low_value):.1f}"

    foot = _TOP + _ROW * len(bars)
    parts: list[Child] = []
    for value in ticks:
        parts.append(tag("line", class_="grid", x1=x(value), x2=x(value), y1=_TOP, y2=foot))
        parts.append(tag("text", plain(value), x=x(value), y=f"{foot + 16:g}", text_anchor="middle"))
    for number, bar in enumerate(bars):
        top, middle = _TOP + number * _ROW, _TOP + (number + 0.5) * _ROW
        name = f"{bar.title} \N{BLACK STAR}" if bar.is_best else bar.title
        parts.append(
            tag(
                "text",
                name if len(name) <= 36 else f"{name[:34]}\N{HORIZONTAL ELLIPSIS}",
                x=_NAME - 12,
                y=f"{middle + 4:g}",
                text_anchor="end",
                class_="strong" if bar.is_best else None,
            )
        )
        begin, end = sorted((float(x(0.0)), float(x(bar.middle))))
        parts.append(
            tag(
                "rect",
                class_="fgood" if bar.is_best else "f1",
                fill_opacity="0.8",
                x=f"{begin:.1f}",
                y=f"{top + 10:g}",
                width=f"{max(end - begin, 1.0):.1f}",
                height=_ROW - 20,
                rx=2.5,
            )
        )
        if bar.high > bar.low:
            parts.append(tag("line", class_="whisker", x1=x(bar.low), x2=x(bar.high), y1=middle, y2=middle))
            for end_value in (bar.low, bar.high):
                at = x(end_value)
                parts.append(tag("line", class_="whisker", x1=at, x2=at, y1=middle - 5, y2=middle + 5))
        strong = "strong" if bar.is_best else None
        x_text, y_text = _WIDE - _FIGURES + 14, middle - 3 if bar.apart else middle + 4
        parts.append(tag("text", bar.text, x=x_text, y=f"{y_text:g}", class_=strong))
        if bar.apart:
            parts.append(tag("text", bar.apart, x=x_text, y=f"{y_text + 15:g}"))
    told = "; ".join(f"{bar.title} {bar.text}" for bar in bars)
    return tag(
        "svg",
        tag("title", f"{label}: {told}"),
        parts,
        role="img",
        viewBox=f"0 0 {_WIDE:g} {high:g}",
        aria_label=f"{label}: {told}",
    )
