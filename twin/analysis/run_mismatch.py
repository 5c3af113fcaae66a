"""Mismatch of two runs in simulated time and hall size."""

from __future__ import annotations

from twin.language import tr
from twin.units import spoken

LARGER = 2.0
"""Times as many GPUs that make another hall of it, and no variant of the same."""


def lengths_apart(a_s: float, b_s: float, a: str = "A", b: str = "B") -> str:
    """Return in a sentence that two runs were not simulated for the same time [s]; "": they were.

    Examples
    --------
    >>> print(lengths_apart(10800.0, 43200.0))
    A was simulated for 3 h, B for 12 h: counts, energies and GPU-hours of the longer run are larger for that reason.
    >>> lengths_apart(10800.0, 10800.2)
    ''
    """
    first, second = spoken(a_s), spoken(b_s)
    if first == second:
        return ""
    return tr(
        "{a} was simulated for {first}, {b} for {second}: counts, energies and GPU-hours of "
        "the longer one are larger for that alone.",
        a=a,
        first=first,
        b=b,
        second=second,
    )


def sizes_apart(a_gpus: float, b_gpus: float) -> str:
    """Return in a sentence that two halls are of very different size; "": they are not.

    Examples
    --------
    >>> print(sizes_apart(16, 576))
    A has 16 GPUs, B 576: what grows with a hall, as energy, power and interruptions do, differs for that alone.
    """
    least, most = sorted((a_gpus, b_gpus))
    if most < LARGER * least or not most:
        return ""
    return tr(
        "A has {a_gpus:,.0f} GPUs, B {b_gpus:,.0f}: what grows with a hall, as energy, power "
        "and interruptions do, differs for that alone.",
        a_gpus=a_gpus,
        b_gpus=b_gpus,
    )
