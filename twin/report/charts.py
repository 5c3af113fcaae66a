"""Charts as inline SVG: curves over time, and the waterfall of the ledger. No script, no fixed colours."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.report.markup import Child, Markup, joined, tag
from twin.report.words import with_minus

WIDE, _HIGH = 820.0, 200.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 14.0, 30.0, 26.0
_TICKS_Y, _TICKS_X = 4, 8
_STEPS_S = (60, 300, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000, 604800, 1209600)


@dataclass(frozen=True)
class ChartLine:
    """A curve: its name, its points, and where each point stands for several samples, their extremes."""

    title: str
    t_s: NDArray[np.float64]
    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


@dataclass(frozen=True)
class ChartLimit:
    """A limit that curves are held against: its name and its value."""

    title: str
    value: float


def curves(
    title: str,
    unit: str,
    lines: Sequence[ChartLine],
    t0_s: float,
    t1_s: float,
    says: Callable[[float], str],
    marks: Sequence[float] = (),
    floor: float | None = None,
    limit: ChartLimit | None = None,
) -> Markup:
    """Return curves over one time axis; nothing where no line has a point.

    Parameters
    ----------
    unit
        Of the values; "" for none.
    t0_s, t1_s
        Ends of the time axis [s].
    says
        Time to words.
    marks
        Times of alarms, as thin lines [s].
    floor
        The value axis begins there at the latest; None: where the values do.
    limit
        Drawn as a broken line with its name.
    """
    lines = [line for line in lines if len(line.t_s) and np.isfinite(line.mean).any()]
    if not lines or t1_s <= t0_s:
        return Markup("")
    low = min(float(np.nanmin(line.low)) for line in lines)
    high = max(float(np.nanmax(line.high)) for line in lines)
    if floor is not None:
        low = min(low, floor)
    if limit is not None:
        low, high = min(low, limit.value), max(high, limit.value)
    ticks = value_ticks(low, high, _TICKS_Y)
    low, high = min(low, ticks[0]), max(high, ticks[-1])

    def x(t_s: float) -> float:
        return _LEFT + (t_s - t0_s) / (t1_s - t0_s) * (WIDE - _LEFT - _RIGHT)

    def y(value: float) -> float:
        return _TOP + (high - value) / (high - low) * (_HIGH - _TOP - _BOTTOM)

    parts: list[Child] = [_heading(title, unit, lines)]
    for value in ticks:
        at = _px(y(value))
        parts.append(tag("line", class_="grid", x1=_LEFT, x2=WIDE - _RIGHT, y1=at, y2=at))
        parts.append(tag("text", plain(value), x=_LEFT - 8, y=_px(y(value) + 4), text_anchor="end"))
    for t_s in time_ticks(t0_s, t1_s):
        at = _px(x(t_s))
        parts.append(tag("line", class_="axis", x1=at, x2=at, y1=_HIGH - _BOTTOM, y2=_HIGH - _BOTTOM + 4))
        near_end = x(t_s) > WIDE - 60
        parts.append(tag("text", says(t_s), x=at, y=_HIGH - 8, text_anchor="end" if near_end else "middle"))
    for at_s in _apart(marks, (t1_s - t0_s) / (WIDE - _LEFT - _RIGHT)):
        at = _px(x(at_s))
        parts.append(tag("line", class_="mark", x1=at, x2=at, y1=_TOP, y2=_HIGH - _BOTTOM))
    for number, line in enumerate(lines, start=1):
        parts += [_band(line, number, x, y), _path(line, number, x, y)]
    if limit is not None:
        at = _px(y(limit.value))
        parts.append(tag("line", class_="limit", x1=_LEFT, x2=WIDE - _RIGHT, y1=at, y2=at))
        named = f"{limit.title} {plain(limit.value)}"
        parts.append(tag("text", named, x=WIDE - _RIGHT, y=_px(y(limit.value) + 12), text_anchor="end"))
    ranges = ", ".join(
        f"{line.title} from {plain(np.nanmin(line.low))} to {plain(np.nanmax(line.high))}" for line in lines
    )
    against = "" if limit is None else f"; {limit.title} at {plain(limit.value)}"
    label = f"{title}{f' in {unit}' if unit else ''}: {ranges}{against}"
    return tag(
        "svg", tag("title", label), parts, role="img", viewBox=f"0 0 {WIDE:g} {_HIGH:g}", aria_label=label
    )


def whole_bins(t_s: NDArray[np.float64], end_s: float, points: int) -> int:
    """Return how many points of a curve stand for a whole bin of samples, so that the last one is no moment alone.

    Parameters
    ----------
    t_s
        Begins of the bins [s].
    end_s
        End of the run, and of the last bin [s].
    points
        Most points that were asked for: a curve of fewer has one for each sample, and all are whole.

    Examples
    --------
    >>> whole_bins(np.array([0.0, 10.0, 20.0, 30.0]), 31.0, 4), whole_bins(np.array([0.0, 10.0, 20.0]), 20.0, 4)
    (3, 3)
    """
    count = len(t_s)
    if count < points or count < 2:
        return count
    return count - int(end_s - t_s[-1] < 0.5 * float(np.median(np.diff(t_s))))


def _heading(title: str, unit: str, lines: Sequence[ChartLine]) -> Markup:
    parts: list[Child] = [
        tag("text", f"{title}{f' [{unit}]' if unit else ''}", x=_LEFT, y=16, class_="title")
    ]
    at = WIDE - _RIGHT
    if len(lines) > 1:
        for number, line in reversed(list(enumerate(lines, start=1))):
            at -= 7.0 * len(line.title)
            parts.append(tag("text", line.title, x=_px(at), y=16, class_="strong"))
            at -= 16
            parts.append(tag("rect", class_=f"f{number}", x=_px(at), y=7, width=10, height=10, rx=2))
            at -= 18
    return joined(parts)


def _path(line: ChartLine, number: int, x: Callable[[float], float], y: Callable[[float], float]) -> Markup:
    words, pen = [], "M"
    for t_s, value in zip(line.t_s.tolist(), line.mean.tolist(), strict=True):
        if math.isfinite(value):
            words.append(f"{pen}{_px(x(t_s))} {_px(y(value))}")
            pen = "L"
        else:
            pen = "M"
    return tag("path", class_=f"line l{number}", d="".join(words))


def _band(line: ChartLine, number: int, x: Callable[[float], float], y: Callable[[float], float]) -> Markup:
    """Return the room between the extremes, where points stand for several samples that differ."""
    known = np.isfinite(line.low) & np.isfinite(line.high)
    if not (line.high[known] > line.low[known]).any():
        return Markup("")
    t_s, low, high = line.t_s[known].tolist(), line.low[known].tolist(), line.high[known].tolist()
    outline = [f"{_px(x(t))} {_px(y(v))}" for t, v in zip(t_s, high, strict=True)]
    back = [f"{_px(x(t))} {_px(y(v))}" for t, v in zip(reversed(t_s), reversed(low), strict=True)]
    return tag("path", class_=f"band f{number}", d=f"M{'L'.join([*outline, *back])}Z")


def value_ticks(low: float, high: float, count: int) -> list[float]:
    """Return round values that enclose a range, about `count` of them.

    >>> value_ticks(0.0, 97.0, 4)
    [0.0, 25.0, 50.0, 75.0, 100.0]
    """
    span = high - low
    if span <= 1e-9 * max(abs(low), abs(high)):
        span = max(abs(high) * 0.1, 1e-6) if high else 1.0
        low, high = (low - span / 2, high + span / 2) if high else (0.0, 1.0)
    rough = span / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * power for unit in (1.0, 2.0, 2.5, 5.0, 10.0) if unit * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{k * step:.12g}") for k in range(first, last + 1)]


def time_ticks(t0_s: float, t1_s: float) -> list[float]:
    """Return round times inside a range [s].

    >>> time_ticks(0.0, 7200.0)
    [0.0, 900.0, 1800.0, 2700.0, 3600.0, 4500.0, 5400.0, 6300.0, 7200.0]
    """
    span = t1_s - t0_s
    step = next((float(s) for s in _STEPS_S if span / s <= _TICKS_X + 0.5), span / _TICKS_X)
    first = math.ceil(t0_s / step - 1e-9)
    return [k * step for k in range(first, math.floor(t1_s / step + 1e-9) + 1)]


@dataclass(frozen=True)
class Bar:
    """One line of a waterfall: its start, its end and its label."""

    title: str
    begin: float
    end: float
    text: str
    kind: str  # whole, loss, left, adds, takes


_COLOUR_OF = {"whole": "fq", "left": "f1", "loss": "f2", "adds": "f1", "takes": "f2"}
_LETTER_PX = 6.6
"""Width of a letter of a title."""
ALONE_BELOW = 0.3
"""Share of the whole below which the steps of a waterfall are drawn alone."""


def waterfall(bars: Sequence[Bar], label: str, legend: Sequence[tuple[str, str]] = ()) -> Markup:
    """Return bars below each other, each from where the one above ends.

    All begin at zero. Where the steps would be too small to see so, they are drawn alone, true to each other, and the
    ends have figures only. `legend`: kinds of bars and what their colours say.
    """
    row, figure_px = 20.0, 140.0
    name_px = max(220.0, 20.0 + _LETTER_PX * max((len(bar.title) for bar in bars), default=0))
    high = row * (len(bars) + bool(legend)) + 6
    least = min(min(bar.begin, bar.end) for bar in bars[1:-1]) if len(bars) > 2 else 0.0
    most = max(max(bar.begin, bar.end) for bar in bars)
    ground = min((min(bar.begin, bar.end) for bar in bars), default=0.0)
    alone = most - least < ALONE_BELOW * (most - ground)
    cut = least if alone else ground
    room = WIDE - name_px - figure_px
    scale = room / ((most - cut) or 1.0)

    def x(value: float) -> float:
        return name_px + (max(value, cut) - cut) * scale

    parts: list[Child] = []
    for number, bar in enumerate(bars):
        top = 3 + number * row
        ends = bar.begin == 0.0 and number in (0, len(bars) - 1)
        left, right = sorted((x(bar.begin), x(bar.end)))
        wide = max(right - left, 1.5)
        css = _COLOUR_OF[bar.kind]
        strong = "strong" if bar.kind in ("whole", "left") or ends else None
        parts.append(
            tag("text", bar.title, x=name_px - 12, y=_px(top + 14), text_anchor="end", class_=strong)
        )
        if not (alone and (bar.kind in ("whole", "left") or ends)):
            parts.append(
                tag(
                    "rect", class_=css, x=_px(left), y=_px(top + 3.5), width=_px(wide), height=row - 7, rx=2.5
                )
            )
        elif number == 0:
            parts.append(tag("text", "the steps alone are drawn", x=name_px, y=_px(top + 14), class_="note"))
        if number + 1 < len(bars):
            at = _px(x(bar.end))
            parts.append(
                tag("line", class_="thread", x1=at, x2=at, y1=_px(top + row - 3.5), y2=_px(top + row + 3.5))
            )
        parts.append(tag("text", bar.text, x=WIDE - 4, y=_px(top + 14), text_anchor="end", class_=strong))
    for number, (kind, words) in enumerate(legend):
        left, top = number * WIDE / len(legend), high - row
        box = tag("rect", class_=_COLOUR_OF[kind], x=_px(left), y=_px(top + 4), width=12, height=12, rx=2)
        parts += [box, tag("text", words, x=_px(left + 18), y=_px(top + 14))]
    return tag(
        "svg", tag("title", label), parts, role="img", viewBox=f"0 0 {WIDE:g} {high:g}", aria_label=label
    )


def plain(value: float) -> str:
    """Return a value of an axis, with the digits it needs.

    >>> plain(-15.0), plain(2500), plain(0.25)
    ('\N{MINUS SIGN}15', '2,500', '0.25')
    """
    value = float(value)
    if value == 0:
        return "0"
    return with_minus(f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}")


def _apart(marks: Sequence[float], least: float) -> list[float]:
    """Return marks far enough apart to be seen singly."""
    kept: list[float] = []
    for at_s in sorted(marks):
        if not kept or at_s - kept[-1] >= least:
            kept.append(at_s)
    return kept


def _px(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
