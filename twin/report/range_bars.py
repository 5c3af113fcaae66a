"""Ranges as inline SVG: bars with whiskers of one figure of several designs, and dots with whiskers of differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from twin.report.charts import WIDE, plain, value_ticks
from twin.report.markup import Child, Markup, tag

_NAME, _FIGURES, _ROW, _TOP, _BOTTOM = 200.0, 210.0, 34.0, 4.0, 22.0
_BAR = 12.0
_TICKS = 5
_LETTER, _LEAST_FIGURES = 7.2, 140.0
"""Of the words beside dots: the width of a letter, and the least of the column."""


@dataclass(frozen=True)
class RangeBar:
    """One bar: its name, P5, P50 and P95, its words, whether it is the best, and how far from the first one it is.

    With `own_colour` each bar of a picture has a colour of its own.
    """

    title: str
    low: float
    middle: float
    high: float
    text: str
    is_best: bool = False
    apart: str = ""
    own_colour: bool = False


def range_bars(bars: Sequence[RangeBar], label: str, row: float = _ROW) -> Markup:
    """Return bars from zero to P50, with a whisker from P5 to P95; all on one axis, so far below each other [px]."""
    high = _TOP + row * len(bars) + _BOTTOM
    ticks = value_ticks(min(0.0, *(bar.low for bar in bars)), max(bar.high for bar in bars), _TICKS)
    low_value, high_value = ticks[0], ticks[-1]
    room = WIDE - _NAME - _FIGURES

    def x(value: float) -> str:
        return f"{_NAME + room * (value - low_value) / (high_value - low_value):.1f}"

    foot = _TOP + row * len(bars)
    parts: list[Child] = []
    for value in ticks:
        parts.append(tag("line", class_="grid", x1=x(value), x2=x(value), y1=_TOP, y2=foot))
        parts.append(tag("text", plain(value), x=x(value), y=f"{foot + 16:g}", text_anchor="middle"))
    for number, bar in enumerate(bars):
        middle = _TOP + (number + 0.5) * row
        name = f"{bar.title} \N{BLACK STAR}" if bar.is_best else bar.title
        parts.append(
            tag(
                "text",
                name if len(name) <= 30 else f"{name[:28]}\N{HORIZONTAL ELLIPSIS}",
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
                class_=f"f{1 + number % 4}" if len(bars) > 1 and bars[0].own_colour else "f1",
                fill_opacity="0.8",
                x=f"{begin:.1f}",
                y=f"{middle - _BAR / 2:g}",
                width=f"{max(end - begin, 1.0):.1f}",
                height=_BAR,
                rx=2.5,
            )
        )
        if bar.high > bar.low:
            parts.append(tag("line", class_="whisker", x1=x(bar.low), x2=x(bar.high), y1=middle, y2=middle))
            for end_value in (bar.low, bar.high):
                at = x(end_value)
                parts.append(tag("line", class_="whisker", x1=at, x2=at, y1=middle - 5, y2=middle + 5))
        strong = "strong" if bar.is_best else None
        x_text, y_text = WIDE - _FIGURES + 14, middle - 3 if bar.apart else middle + 4
        parts.append(tag("text", bar.text, x=x_text, y=f"{y_text:g}", class_=strong))
        if bar.apart:
            parts.append(tag("text", bar.apart, x=x_text, y=f"{y_text + 15:g}"))
    told = "; ".join(f"{bar.title} {bar.text}" for bar in bars)
    return tag(
        "svg",
        tag("title", f"{label}: {told}"),
        parts,
        role="img",
        viewBox=f"0 0 {WIDE:g} {high:g}",
        aria_label=f"{label}: {told}",
    )


@dataclass(frozen=True)
class RangeDot:
    """One difference: its name, low end, middle and high end of its interval, its words, and whether it is significant.

    Without an interval both ends are the middle.
    """

    title: str
    low: float
    middle: float
    high: float
    text: str
    significant: bool | None


def range_dots(dots: Sequence[RangeDot], label: str) -> Markup:
    """Return differences as dots with whiskers about a line at zero, all on one axis.

    A full dot is significant, a hollow one is not or cannot be told.
    """
    row = 24.0
    high = _TOP + row * len(dots) + _BOTTOM
    ends = [end for dot in dots for end in (dot.low, dot.high)]
    ticks = value_ticks(min(0.0, *ends), max(0.0, *ends), _TICKS)
    low_value, high_value = ticks[0], ticks[-1]
    name = 225.0
    figures = max(_LEAST_FIGURES, _LETTER * max(len(dot.text) for dot in dots) + 18)
    room = WIDE - name - figures

    def x(value: float) -> float:
        return round(name + room * (value - low_value) / (high_value - low_value), 1)

    foot = _TOP + row * len(dots)
    parts: list[Child] = []
    for value in ticks:
        css = "axis" if value == 0.0 else "grid"
        parts.append(tag("line", class_=css, x1=x(value), x2=x(value), y1=_TOP, y2=foot))
        parts.append(tag("text", plain(value), x=x(value), y=f"{foot + 16:g}", text_anchor="middle"))
    for number, dot in enumerate(dots):
        middle = _TOP + (number + 0.5) * row
        strong = "strong" if dot.significant else None
        parts.append(tag("text", dot.title, x=name - 12, y=middle + 4, text_anchor="end", class_=strong))
        if dot.high > dot.low:
            parts.append(tag("line", class_="whisker", x1=x(dot.low), x2=x(dot.high), y1=middle, y2=middle))
            parts += [
                tag("line", class_="whisker", x1=x(end), x2=x(end), y1=middle - 4, y2=middle + 4)
                for end in (dot.low, dot.high)
            ]
        css = "full" if dot.significant else "hollow"
        parts.append(tag("circle", class_=css, cx=x(dot.middle), cy=middle, r=4.5))
        parts.append(tag("text", dot.text, x=WIDE - figures + 14, y=middle + 4, class_=strong))
    told = "; ".join(f"{dot.title} {dot.text}" for dot in dots)
    return tag(
        "svg",
        tag("title", f"{label}: {told}"),
        parts,
        role="img",
        viewBox=f"0 0 {WIDE:g} {high:g}",
        aria_label=f"{label}: {told}",
    )
