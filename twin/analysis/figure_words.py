"""Figures of a comparison in words, with as many digits as they are accurate to."""

from __future__ import annotations

from twin import units
from twin.analysis.figures import ComparedFigure
from twin.language import tr
from twin.units.render import significant

_UNITS: dict[str, tuple[tuple[float, float, str], ...]] = {
    "energy": ((0.0, 3.6e6, "kWh"), (3.6e9, 3.6e9, "MWh")),
    "power": ((0.0, 1.0, "W"), (1e3, 1e3, "kW"), (1e6, 1e6, "MW")),
    "duration": ((0.0, 1.0, "s"), (600.0, 60.0, "min"), (7200.0, 3600.0, "h")),
}
"""From which size on, what one is, and its name."""


def value_words(figure: ComparedFigure, value: float, like: float | None = None) -> str:
    """Return the value of a figure, in the unit for a value of the size `like`."""
    if figure.unit == "share":
        return f"{100 * value:.3f} %"
    if figure.unit == "ratio":
        return f"{value:.4f}"
    if not figure.unit:
        return f"{value:,.6g}" if abs(value) < 1e5 else f"{value:,.0f}"
    return quantity_words(value, figure.unit, like)


def scale_of(figure: ComparedFigure, like: float) -> tuple[float, str]:
    """Return size and name of the unit in which figures of a size are shown."""
    if figure.unit == "share":
        return 0.01, "%"
    if figure.unit in ("ratio", ""):
        return 1.0, ""
    if figure.unit not in _UNITS:
        dimension = units.DIMENSIONS[figure.unit]
        return 1.0, dimension.si_unit.replace("degC", "°C")
    _, size, name = next(step for step in reversed(_UNITS[figure.unit]) if abs(like) >= step[0])
    return size, name


def apart_words(figure: ComparedFigure, value: float, sign: str = "+", like: float | None = None) -> str:
    """Return a difference, or half a width where `sign` is "-"; "0" for what rounds to nothing.

    The difference of two shares is in percentage points. `like`: the size of the figures that
    differs, so that a row is in one unit.
    """
    text = _apart(figure, value, sign, like)
    if any(letter in "123456789" for letter in text):
        return text
    return f"<{text[:-1]}1" if sign == "-" and value > 0 and figure.unit == "ratio" else "0"


def _apart(figure: ComparedFigure, value: float, sign: str, like: float | None) -> str:
    if figure.unit == "share":
        return tr("{value:{sign}.3f} pp", value=100 * value, sign=sign)
    if figure.unit == "ratio":
        return f"{value:{sign}.4f}"
    if not figure.unit:
        return f"{value:{sign},.4g}" if abs(value) < 1e3 else f"{value:{sign},.0f}"
    plus = "+" if sign == "+" and value >= 0 else ""
    dimension = "temperature_difference" if figure.unit == "temperature" else figure.unit
    return plus + quantity_words(value, dimension, like)


def quantity_words(value: float, dimension: str, like: float | None = None) -> str:
    """Return a quantity in the usual unit for its size, or for the size `like`."""
    if dimension not in _UNITS:
        return units.render(float(f"{value:.4g}"), dimension).replace("degC", "°C")
    size = abs(value if like is None else like)
    _, unit, name = next(step for step in reversed(_UNITS[dimension]) if size >= step[0])
    shown = value / unit
    return f"{shown:,.4g} {name}" if abs(shown) < 9999.5 else f"{shown:,.0f} {name}"


def signed_percent(share: float) -> str:
    """Return a difference in percent, signed, in two digits and no fewer than its whole part.

    >>> signed_percent(0.0604), signed_percent(-2.943)
    ('+6.0 %', '\N{MINUS SIGN}294 %')
    """
    return f"{'+' if share >= 0.0 else chr(0x2212)}{significant(abs(100.0 * share), 2)} %"
