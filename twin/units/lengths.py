"""Lengths of time as people say them."""

from __future__ import annotations

from itertools import pairwise

_SIZES = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def spoken(duration_s: float) -> str:
    """Return a finite length of time in its two largest units, rounded to the smaller one.

    Examples
    --------
    >>> spoken(54 * 86400), spoken(3900), spoken(50940), spoken(42.27)
    ('54 d', '1 h 5 min', '14 h 9 min', '42.3 s')
    >>> spoken(2 * 3600 + 46 * 60 + 52), spoken(86399), spoken(59.99)
    ('2 h 47 min', '1 d', '1 min')
    """
    if float(f"{duration_s:.3g}") < 60:
        return f"{duration_s:.3g} s"
    for (size, name), (step, smaller) in pairwise(_SIZES):
        count, rest = divmod(round(duration_s / step), size // step)
        if count:
            return f"{count} {name} {rest} {smaller}" if rest else f"{count} {name}"
    raise AssertionError("a minute or more has a unit")
