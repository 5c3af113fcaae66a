"""Numbers and times as the window writes them."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from twin.language import tr
from twin.units import spoken
from twin.units.render import MISSING as MISSING
from twin.units.render import significant as significant

_STEPS = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_PREFIXES = ((1e15, "P"), (1e12, "T"), *_STEPS)
_SCALED_UNITS = frozenset({"W", "J", "B/s", "FLOP/s", "B"})

_PER_HOUR = {"USD/s": "USD/h", "kg/s": "kg/h", "L/s": "L/h"}
"""Money, carbon and water by the hour, as bills and meters have them."""


def per_hour(unit: str) -> tuple[float, str]:
    """Return the factor and the unit in which money, carbon and water are shown; 1.0 and the same unit for others."""
    return (3600.0, _PER_HOUR[unit]) if unit in _PER_HOUR else (1.0, unit)


def quantity(value: float, unit: str, digits: int = 3) -> str:
    """Return `value` with its unit and a prefix where the unit takes one.

    Examples
    --------
    >>> quantity(11_840_000.0, "W")
    '11.8 MW'
    >>> quantity(61.27, "°C")
    '61.3 °C'
    >>> quantity(float("nan"), "W")
    '—'
    """
    number, shown = split_quantity(value, unit, digits)
    return f"{number} {shown}".rstrip()


def split_quantity(value: float, unit: str, digits: int = 3) -> tuple[str, str]:
    """Return (number, unit) of `quantity`, to be set in two styles.

    Examples
    --------
    >>> split_quantity(1380.0, "MHz")
    ('1,380', 'MHz')
    >>> split_quantity(0.0125, "USD/s")
    ('45.0', 'USD/h')
    """
    if not math.isfinite(value):
        return MISSING, ""
    if unit in _PER_HOUR:
        factor, shown = per_hour(unit)
        return significant(value * factor, digits), shown
    if unit in _SCALED_UNITS:
        factor, prefix = next((s for s in _STEPS if abs(value) >= s[0] * 0.9995), _STEPS[-1])
        return significant(value / factor, digits), prefix + unit
    return significant(value, digits), unit


def gpus(count: float) -> str:
    """Return a number of GPUs: whole, but for slices of shared ones.

    Examples
    --------
    >>> gpus(64.0), gpus(35.86), gpus(16384.0)
    ('64', '35.9', '16,384')
    """
    whole = math.isfinite(count) and abs(count - round(count)) < 1e-6
    return f"{round(count):,}" if whole else significant(count)


def prefixed(value: float) -> str:
    """Return a number with a prefix and no more digits than it needs.

    Examples
    --------
    >>> prefixed(2e14), prefixed(50.0), prefixed(0.5)
    ('200 T', '50', '0.5')
    """
    factor, prefix = next((step for step in _PREFIXES if abs(value) >= step[0] * 0.9995), (1.0, ""))
    words = significant(value / factor)
    short = words.rstrip("0").rstrip(".") if "." in words else words
    return f"{short} {prefix}".rstrip()


def span(t_s: float) -> str:
    """Return a short time with the prefix that reads best.

    Examples
    --------
    >>> span(6.636), span(0.00506), span(22.4e-6), span(300.0)
    ('6.64 s', '5.06 ms', '22.4 µs', '300 s')
    """
    if not math.isfinite(t_s):
        return MISSING
    factor, unit = next((f for f in ((1.0, "s"), (1e-3, "ms")) if t_s >= 0.9995 * f[0]), (1e-6, "µs"))
    return f"{significant(t_s / factor)} {unit}" if t_s else "0 s"


def elapsed(t_s: float) -> str:
    """Return a duration since the start.

    Examples
    --------
    >>> elapsed(3 * 86400 + 3723)
    '3 d 01:02:03'
    """
    days, rest = divmod(int(t_s), 86400)
    hours, rest = divmod(rest, 3600)
    minutes, seconds = divmod(rest, 60)
    clock = f"{hours:02d}:{minutes:02d}:{seconds:02d}"
    return f"{days} d {clock}" if days else clock


def duration(t_s: float) -> str:
    """Return a length of time in its two largest units.

    Examples
    --------
    >>> duration(54 * 86400), duration(3900), duration(42.27)
    ('54 d', '1 h 5 min', '42.3 s')
    """
    if not math.isfinite(t_s):
        return MISSING
    return spoken(t_s)


def calendar(start: datetime, t_s: float) -> str:
    """Return date and time of day at simulated time `t_s` [s], in the zone of `start`.

    Examples
    --------
    >>> calendar(datetime.fromisoformat("2026-01-05T00:00+01:00"), 37_935)
    'Mon 5 Jan 2026  10:32:15'
    """
    moment = start + timedelta(seconds=int(t_s))
    return f"{moment:%a} {moment.day} {moment:%b %Y}  {moment:%H:%M:%S}"


def speed(ratio: float) -> str:
    """Return a ratio to real time as people say it.

    Examples
    --------
    >>> [speed(s) for s in (1, 600, 3600, 86400, math.inf)]
    ['real time', '10 min/s', '1 h/s', '1 day/s', 'as fast as possible']
    """
    if math.isinf(ratio):
        return tr("as fast as possible")
    if ratio == 1:
        return tr("real time")
    for size, name in ((86400.0, "day"), (3600.0, "h"), (60.0, "min")):
        if ratio >= size:
            number = significant(ratio / size)
            return f"{number.rstrip('0').rstrip('.') if '.' in number else number} {name}/s"
    return f"{ratio:.3g}\N{MULTIPLICATION SIGN}"
