"""The parts that a sum of prices leaves out, in words."""

from __future__ import annotations

from collections.abc import Mapping

from twin.language import tr

_MOST_NAMED = 3


def left_out(unpriced: Mapping[str, int]) -> str:
    """Return the parts without a price in a sum; "": nothing.

    Parameters
    ----------
    unpriced
        Parts without a price, and how many there are.

    Examples
    --------
    >>> left_out({"QM-TOY": 3, "DGX-TOY": 2_144})
    '2,144 DGX-TOY, 3 QM-TOY'
    """
    ordered = sorted(unpriced.items(), key=lambda entry: (-entry[1], entry[0]))
    named = [f"{count:,} {name}" for name, count in ordered[:_MOST_NAMED]]
    more = len(ordered) - len(named)
    return ", ".join(named) + (
        tr(" and {more} kinds more", more=more) if more > 1 else tr(" and one kind more") if more else ""
    )
