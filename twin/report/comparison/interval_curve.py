"""What checkpoints and lost work take by the checkpoint interval: the rule as a curve, and A and B on it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from twin.analysis.compare import Comparison
from twin.planning.risk.risk import JobRisk
from twin.report.charts import WIDE, plain, value_ticks
from twin.report.comparison.checkpoints import losses_seen
from twin.report.markup import Child, Markup, tag
from twin.report.words import length, percent

_HIGH, _LEFT, _RIGHT, _TOP, _BOTTOM = 215.0, 62.0, 14.0, 34.0, 40.0
_POINTS = 80
_BESIDE = 2.0
"""The axis goes so many times beyond the shortest and the longest interval."""
_TICKS_S = (
    1,
    2,
    5,
    10,
    20,
    30,
    60,
    120,
    300,
    600,
    1200,
    1800,
    3600,
    7200,
    14400,
    28800,
    86400,
    172800,
    604800,
)
_LETTER_PX = 6.6


def interval_curve(found: Comparison, intervals: tuple[JobRisk, JobRisk]) -> Markup | None:
    """Return the share of the time that checkpoints and lost work take by the interval; None: no rule tells.

    Lines are at the intervals of A and B and at the best one; dots are what the runs lost.
    """
    of_a, of_b = intervals
    best = of_a.rule_intervals
    if best is None or not all(risk.saves for risk in intervals):
        return None
    at_s = {"best": best[0], "A": of_a.interval_s, "B": of_b.interval_s}
    begin, end = math.log(min(at_s.values()) / _BESIDE), math.log(max(at_s.values()) * _BESIDE)
    taus = np.exp(np.linspace(begin, end, _POINTS)).tolist()
    curves = [
        [100.0 * value for value in part]
        for part in zip(
            *((loss.whole, loss.writes, loss.lost) for loss in map(of_a.loss_at, taus)), strict=True
        )
    ]
    seen = losses_seen(found)
    highest = max(curves[0][0], curves[0][-1], *(100.0 * loss for loss in seen))
    ticks = value_ticks(0.0, highest, 4)

    def x(tau_s: float) -> float:
        return round(_LEFT + (math.log(tau_s) - begin) / (end - begin) * (WIDE - _LEFT - _RIGHT), 1)

    def y(share: float) -> float:
        return round(_HIGH - _BOTTOM - share / ticks[-1] * (_HIGH - _TOP - _BOTTOM), 1)

    parts: list[Child] = []
    for value in ticks:
        parts.append(tag("line", class_="grid", x1=_LEFT, x2=WIDE - _RIGHT, y1=y(value), y2=y(value)))
        parts.append(tag("text", plain(value), x=_LEFT - 8, y=y(value) + 4, text_anchor="end"))
    for tick in _ticks(math.exp(begin), math.exp(end)):
        foot = y(0.0)
        parts.append(tag("line", class_="axis", x1=x(tick), x2=x(tick), y1=foot, y2=foot + 4))
        parts.append(tag("text", length(tick), x=x(tick), y=foot + 18, text_anchor="middle"))
    names = ("both", "checkpoint writes", "work done again")
    at = _LEFT
    for number, (name, curve) in enumerate(zip(names, curves, strict=True), start=1):
        points = "L".join(f"{x(tau)} {y(share)}" for tau, share in zip(taus, curve, strict=True))
        parts.append(tag("path", class_=f"line l{number}", d=f"M{points}"))
        parts.append(tag("rect", class_=f"f{number}", x=at, y=_HIGH - 11, width=10, height=10, rx=2))
        parts.append(tag("text", f"{name}, % of the time", x=at + 15, y=_HIGH - 2))
        at += 30.0 + _LETTER_PX * len(f"{name}, % of the time")
    parts += _marks(at_s, x, y(0.0))
    parts += [
        tag("circle", class_="full", cx=x(at_s[side]), cy=y(100.0 * loss), r=4)
        for side, loss in zip("AB", seen, strict=False)
    ]
    label = f"Time that checkpoints and lost work take, by the interval: {_seen_words(found, intervals)}"
    chart = tag(
        "svg",
        tag("title", label),
        parts,
        role="img",
        viewBox=f"0 0 {WIDE:g} {_HIGH:g}",
        aria_label=label,
    )
    dots = " Dots: what the runs lost." if seen else ""
    rule = " Curves: the rule, write / interval and interval / twice the time between stops."
    return tag("figure", chart, tag("figcaption", tag("b", _seen_words(found, intervals)), rule, dots))


def _marks(at_s: Mapping[str, float], x: Callable[[float], float], foot: float) -> list[Child]:
    """Return the lines at the intervals, with their names in two rows, so that none covers another."""
    parts: list[Child] = []
    for row, (name, tau_s) in enumerate(sorted(at_s.items(), key=lambda mark: mark[0] != "best")):
        at, top = x(tau_s), 12 if row else 26
        words = name if row else f"{name}: {length(tau_s)}"
        right = at + 4 + _LETTER_PX * len(words) > WIDE
        parts.append(tag("line", class_="mark" if row else "thread", x1=at, x2=at, y1=top - 8, y2=foot))
        parts.append(
            tag(
                "text",
                words,
                x=at - 4 if right else at + 4,
                y=top,
                text_anchor="end" if right else None,
                class_="strong",
            )
        )
    return parts


def _ticks(least_s: float, most_s: float) -> Sequence[float]:
    return [float(tick) for tick in _TICKS_S if least_s <= tick <= most_s]


def _seen_words(found: Comparison, intervals: tuple[JobRisk, JobRisk]) -> str:
    """Return what the picture shows: what A and B lose by the rule and in the runs, beside the least."""
    of_a = intervals[0]
    best = of_a.rule_intervals
    assert best is not None
    seen = losses_seen(found)
    told = []
    for place, (side, risk) in enumerate(zip("AB", intervals, strict=True)):
        runs = f" ({percent(seen[place])} in the runs)" if seen else ""
        told.append(f"{side} {percent(risk.loss_at(risk.interval_s).whole)}{runs}")
    return (
        f"{told[0]} and {told[1]} of the time are lost; the least is {percent(of_a.loss_at(best[0]).whole)}."
    )
