"""Lengths of time as people say them."""

from __future__ import annotations

_SIZES = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def spoken(duration_s: float) -> str:
    """Return a finite length of time in its two largest units.

    Examples
    --------
    >>> spoken(54 * 86400), spoken(3900), spoken(50940), spoken(42.27)
    ('54 d', '1 h 5 min', '14 h 9 min', '42.3 s')
    """
    if duration_s < 60:
        return f"{duration_s:.3g} s"
    parts: list[str] = []
    rest = round(duration_s)
    for size, name in _SIZES:
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count} {name}")
        elif parts:
            break
    return " ".join(parts[:2])
