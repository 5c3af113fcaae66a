"""Availability in words."""

from __future__ import annotations

import math

WITHOUT = "never fail here, as no rate is known"
SYSTEMS = {
    "power": "Power",
    "cooling": "Cooling",
    "network": "Network",
    "site": "Power and cooling",
}
"""Titles of systems."""


def share(available: float) -> str:
    """Return a share of the time with as many digits as its gap to one has meaning.

    >>> share(0.99935), share(0.9999916), share(1.0), share(0.5)
    ('99.935 %', '99.99916 %', '100 %', '50.0 %')
    """
    missing = 1.0 - available
    if missing < 1e-9:
        return "100 %"
    digits = max(1, 1 - math.floor(math.log10(100 * missing)))
    return f"{100 * available:.{min(digits, 7)}f} %"


def figure(value: float) -> str:
    """Return a figure with three digits.

    >>> figure(0.04183), figure(1692.4), figure(5.7)
    ('0.0418', '1,692', '5.7')
    """
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def systems_title(in_runs: bool) -> str:
    """Return what the rates are, and whether runs have them too."""
    rates = "machines failing at the rates of the catalogue"
    return f"{rates}, as in runs" if in_runs else f"{rates} (not in runs: failures.machines is none)"
