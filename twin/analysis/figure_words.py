"""Figures of a comparison as people read them, with as many digits as they deserve."""

from __future__ import annotations

from twin import units
from twin.analysis.figures import Figure


def value_words(figure: Figure, value: float) -> str:
    """Return the value of a figure."""
    if figure.unit == "share":
        return f"{100 * value:.3f} %"
    if figure.unit == "ratio":
        return f"{value:.4f}"
    if not figure.unit:
        return f"{value:,.6g}" if abs(value) < 1e5 else f"{value:,.0f}"
    return quantity_words(value, figure.unit)


def apart_words(figure: Figure, value: float, sign: str = "+") -> str:
    """Return a difference, or half a width where `sign` is "-"; "0" for what rounds to nothing.

    That of two shares is in points: one in percent would be read as a part of the first.
    """
    text = _apart(figure, value, sign)
    if any(letter in "123456789" for letter in text):
        return text
    return f"<{text[:-1]}1" if sign == "-" and value > 0 and figure.unit == "ratio" else "0"


def _apart(figure: Figure, value: float, sign: str) -> str:
    if figure.unit == "share":
        return f"{100 * value:{sign}.3f} points"
    if figure.unit == "ratio":
        return f"{value:{sign}.4f}"
    if not figure.unit:
        return f"{value:{sign},.4g}" if abs(value) < 1e3 else f"{value:{sign},.0f}"
    plus = "+" if sign == "+" and value >= 0 else ""
    return plus + quantity_words(
        value, "temperature_difference" if figure.unit == "temperature" else figure.unit
    )


def quantity_words(value: float, dimension: str) -> str:
    """Return a quantity in the unit that people use for its size."""
    if dimension == "duration":
        return f"{value:,.0f} s" if abs(value) < 1e5 else f"{value / 3600:,.1f} h"
    if dimension == "energy":
        if abs(value) < 3.6e9:
            return f"{value / 3.6e6:,.4g} kWh"
        return f"{value / 3.6e9:,.4g} MWh" if abs(value) < 3.6e12 else f"{value / 3.6e9:,.0f} MWh"
    return units.render(float(f"{value:.4g}"), dimension).replace("degC", "°C")
