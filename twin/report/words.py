"""Quantities and times of reports as people read them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import timedelta

from twin import units
from twin.analysis.figure_words import scale_of, value_words
from twin.analysis.figures import ComparedFigure
from twin.analysis.money_words import spread_of
from twin.arrays import Floats
from twin.scenario.schema.document import Scenario
from twin.units.render import significant

UNKNOWN = "unknown"


DIGITS = 4
"""Significant digits of a figure in a report."""
_SCALES: dict[str, tuple[tuple[float, float, str], ...]] = {
    "energy": ((0.0, 3.6e6, "kWh"), (3.6e9, 3.6e9, "MWh"), (3.6e12, 3.6e12, "GWh")),
    "power": ((0.0, 1.0, "W"), (1e3, 1e3, "kW"), (1e6, 1e6, "MW"), (1e9, 1e9, "GW")),
    "water": ((0.0, 1.0, "L"), (1e3, 1e3, "m³")),
    "mass": ((0.0, 1e-3, "g"), (1.0, 1.0, "kg"), (1e3, 1e3, "t")),
    "usd": (
        (0.0, 1.0, "USD"),
        (1e5, 1e3, "thousand USD"),
        (1e6, 1e6, "million USD"),
        (1e9, 1e9, "billion USD"),
    ),
    "gpu_hours": ((0.0, 1.0, "GPU-h"), (1e7, 1e6, "million GPU-h")),
    "tokens": (
        (0.0, 1.0, "tokens"),
        (1e7, 1e6, "million tokens"),
        (1e9, 1e9, "billion tokens"),
        (1e12, 1e12, "trillion tokens"),
    ),
}
"""From which size on, what one is, and its name."""
_REPORTED: dict[str, tuple[str, str, float]] = {
    "productive_gpu_h": ("Productive GPU time", "gpu_hours", 1.0),
    "lost_gpu_h": ("Lost work", "gpu_hours", 1.0),
    "energy_j": ("Facility energy", "energy", 1.0),
    "it_j": ("IT energy", "energy", 1.0),
    "energy_per_gpu_h": ("Energy per productive GPU-h", "energy", 1.0),
    "power_max_w": ("Peak facility power", "power", 1.0),
    "power_mean_w": ("Mean facility power", "power", 1.0),
    "throttle_gpu_s": ("GPU time in thermal throttling", "gpu_hours", 1.0 / 3600.0),
    "water_l": ("Make-up water", "water", 1.0),
    "carbon_kg": ("Carbon", "mass", 1.0),
    "cost_usd": ("Energy cost", "usd", 1.0),
    "carbon_per_gpu_h": ("Carbon per productive GPU-h", "mass", 1.0),
    "cost_per_gpu_h": ("Energy cost per productive GPU-h", "usd", 1.0),
}
"""Figures of comparisons that reports give in units of their size: title, kind, and what one of them is."""


def amount(value: float | None, kind: str, digits: int = DIGITS, like: float | None = None) -> str:
    """Return an amount in the unit for its size, or for the size `like`; None: unknown.

    >>> amount(38101725.65, "water"), amount(71515685102836.69, "energy"), amount(0.0, "mass")
    ('38,100 m³', '19.87 GWh', '0 kg')
    """
    if value is None:
        return UNKNOWN
    scale, name = _scale(kind, abs(value if like is None else like))
    return f"{rounded(value / scale, digits)} {name}"


def _scale(kind: str, size: float) -> tuple[float, str]:
    if kind == "mass" and size == 0.0:
        return 1.0, "kg"
    _, scale, name = next(step for step in reversed(_SCALES[kind]) if size >= step[0])
    return scale, name


def rounded(value: float, digits: int = DIGITS) -> str:
    """Return a number rounded to significant digits, grouped by thousands.

    >>> rounded(38101.7), rounded(0.12345), rounded(92.9435, 3)
    ('38,100', '0.1235', '92.9')
    """
    return significant(float(f"{value:.{digits}g}"), digits)


def with_minus(text: str) -> str:
    """Return a number with a minus sign where it has a hyphen.

    >>> with_minus("-371") == "\N{MINUS SIGN}371"
    True
    """
    return text.replace("-", "\N{MINUS SIGN}")


def parts_in(whole: float, parts: Sequence[float], decimals: int) -> list[str]:
    """Return the parts of a whole as numbers that add up to it as it is printed: the largest remainders are rounded up.

    >>> parts_in(1.0, [1 / 3, 1 / 3, 1 / 3], 2)
    ['0.34', '0.33', '0.33']
    """
    size = 10.0**decimals
    steps = [math.floor(part * size + 1e-6) for part in parts]
    left = round(whole * size) - sum(steps)
    order = sorted(range(len(parts)), key=lambda place: steps[place] - parts[place] * size)
    for place in order[: max(left, 0)]:
        steps[place] += 1
    return [f"{count / size:,.{decimals}f}" for count in steps]


def usd_range(usd: Floats, digits: int = 3) -> str:
    """Return an amount of money with its range, all in one unit.

    >>> import numpy as np
    >>> usd_range(np.full(2, 2e6))
    '2.00 million USD'
    """
    middle, spread = usd_middle_and_range(usd, digits)
    return f"{middle} (P5 to P95: {spread})" if spread else middle


def usd_middle_and_range(usd: Floats, digits: int = 3) -> tuple[str, str]:
    """Return the median of an amount of money and its range from P5 to P95 in the same unit; "": it has none.

    >>> import numpy as np
    >>> usd_middle_and_range(np.linspace(1e6, 3e6, 101))
    ('2.00 million USD', '1.10 to 2.90')
    """
    low, middle, high = spread_of(usd)
    scale, name = _scale("usd", abs(middle))
    below, above = (rounded(value / scale, digits) for value in (low, high))
    return f"{rounded(middle / scale, digits)} {name}", "" if low == high else f"{below} to {above}"


def usd_amount(usd: float) -> str:
    """Return an amount of money without a range.

    >>> usd_amount(206_349.0)
    '206 thousand USD'
    """
    return amount(usd, "usd", 3)


def usd_scale(usd: float) -> tuple[float, str]:
    """Return the unit for an amount of money: what one is [USD], and its name."""
    return _scale("usd", abs(usd))


def power_scale(power_w: float) -> tuple[float, str]:
    """Return the unit for a power: what one is [W], and its name."""
    return _scale("power", abs(power_w))


def figure_title(figure: ComparedFigure) -> str:
    """Return the title of a figure of comparisons, without the unit that `figure_text` writes."""
    title = _REPORTED[figure.key][0] if figure.key in _REPORTED else figure.title
    return title[:1].upper() + title[1:]


def figure_text(figure: ComparedFigure, value: float, like: float | None = None) -> str:
    """Return a figure of comparisons in at most four significant digits, in the unit for the size `like`."""
    if figure.key in _REPORTED:
        _, kind, one = _REPORTED[figure.key]
        return amount(value * one, kind, like=None if like is None else like * one)
    if figure.unit == "share":
        return percent(value)
    if figure.unit == "ratio":
        return rounded(value)
    if figure.unit == "temperature":
        return f"{value:.1f} °C"
    if not figure.unit:
        return f"{value:,.0f}" if float(value).is_integer() else rounded(value)
    return value_words(figure, value, like)


def apart_text(figure: ComparedFigure, value: float, half: float | None, like: float) -> tuple[str, str]:
    """Return a difference of two figures of the size `like`, signed, and half its interval; "" where there is none.

    The interval decides the digits: of its half two, and never more than three; of the difference three, and
    before the point four, as of any other figure.
    """
    scale, name = _apart_scale(figure, like)
    size, width = abs(value) / scale, None if half is None else half / scale
    digits = _decimals(size, 3)
    if width:
        digits = min(digits, _decimals(width, 2)) if size else _decimals(width, 2)
    if figure.unit == "" and figure.key not in _REPORTED and width is None and float(size).is_integer():
        digits = 0
    if width:
        size, width = _at_most(size, 4), _at_most(width, 3)
    text = f"{size:,.{digits}f}"
    if not any(digit in "123456789" for digit in text):
        text = "0"
    sign = "" if text == "0" else "+" if value > 0 else "\N{MINUS SIGN}"
    return f"{sign}{text}{name}", "" if width is None else f"{_half_text(width, digits)}{name}"


def _at_most(value: float, digits: int) -> float:
    """Return a number without the digits before the point that are not among its first ones.

    >>> _at_most(162_474.0, 4), _at_most(57.14, 3)
    (162500.0, 57.14)
    """
    return float(f"{value:.{digits}g}") if value >= 1000.0 else value


def _half_text(width: float, digits: int) -> str:
    text = f"{width:,.{digits}f}"
    return (
        f"<{10.0**-digits:.{digits}f}" if width and not any(digit in "123456789" for digit in text) else text
    )


def _decimals(value: float, digits: int) -> int:
    """Return after how many decimals a number has so many significant digits, at most eight."""
    return 0 if not value else min(8, max(0, digits - 1 - math.floor(math.log10(value))))


def _apart_scale(figure: ComparedFigure, like: float) -> tuple[float, str]:
    """Return what the unit of a difference is, and its name after a space."""
    if figure.key in _REPORTED:
        _, kind, one = _REPORTED[figure.key]
        scale, name = _scale(kind, abs(like) * one)
        return scale / one, f" {name}"
    if figure.unit == "share":
        return 0.01, " pp"
    if figure.unit == "temperature":
        return 1.0, " K"
    scale, name = scale_of(figure, like)
    return scale, f" {name}" if name else ""


def quantity(value: float | None, dimension: str, digits: int = 4) -> str:
    """Return a quantity with its unit; None: unknown."""
    return UNKNOWN if value is None else units.render(value, dimension, digits=digits).replace("degC", "°C")


def percent(share: float | None, digits: int = 1) -> str:
    """Return a share in percent; None: unknown."""
    return UNKNOWN if share is None else f"{100 * share:.{digits}f} %"


def length(seconds: float | None) -> str:
    """Return a length of time in its two largest units; None: unknown."""
    if seconds is None:
        return UNKNOWN
    return units.spoken(seconds) if seconds else "0 s"


def gpu_hours(gpu_s: float) -> str:
    """Return GPU-seconds as GPU-hours, in four digits.

    >>> gpu_hours(3600.0 * 13856966.2), gpu_hours(3600.0 * 1.234)
    ('13,860,000', '1.234')
    """
    return rounded(gpu_s / 3600.0)


def axis_words(scenario: Scenario, t0_s: float, t1_s: float) -> Callable[[float], str]:
    """Return a formatter of times below a time axis, as short as the range allows."""
    start, span_s = scenario.start, t1_s - t0_s
    dated = (start + timedelta(seconds=t0_s)).date() != (
        start + timedelta(seconds=max(t1_s - 1.0, t0_s))
    ).date()

    def tick_words(t_s: float) -> str:
        at = start + timedelta(seconds=round(t_s))
        if span_s > 6 * 86400:
            return f"{at.day} {at:%b}"
        return f"{at.day} {at:%b} {at:%H:%M}" if dated else f"{at:%H:%M}"

    return tick_words
