"""How often a site that is not drawn yet loses power or cooling: a block diagram with repair, by redundancy target.

Utility with diesels behind it, transformer, UPS and PDUs in series, chillers, pumps and CDUs or air handlers beside
them; groups are k of n, of which a share of the failures takes all (`COMMON_CAUSE`). Two paths are down together at
U1 U2 + beta U. What a scene of it comes to is worked out by its own cut sets (`twin.planning.risk.availability`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from twin.catalog import Catalog
from twin.commands.wiring.redundancy import installed
from twin.physics.availability import (
    COMMON_CAUSE,
    OutageRate,
    fails_to_start,
    k_of_n,
    machine,
    series,
    with_common_cause,
)
from twin.scenario.schema.site import RedundancyLevel

HOUR_S, YEAR_S = 3600.0, 31_536_000.0
EACH_W = {
    "generator_start": 3.0e6,
    "ups_module": 1.2e6,
    "transformer": 3.0e6,
    "chiller": 1.5e6,
    "cdu": 2.6e6,
    "crah": 0.5e6,
}
"""Power of one machine of a group, about [W] [est]."""
UPS_RIDE_S = 300.0
"""That a battery carries the racks [s]."""


@dataclass(frozen=True)
class SiteOutages:
    """Interruptions of a whole site.

    Attributes
    ----------
    frequency_s, mean_s
        How often [1/s], and for how long each time [s].
    """

    frequency_s: float
    mean_s: float

    @property
    def available(self) -> float:
        """Return the share of the time with power and cooling [-]."""
        return 1.0 - self.frequency_s * self.mean_s

    @property
    def per_year(self) -> float:
        """Return interruptions a year."""
        return self.frequency_s * YEAR_S


def site_outages(
    catalog: Catalog,
    level: RedundancyLevel,
    load_w: float,
    liquid: bool,
    cooling: RedundancyLevel | None = None,
) -> SiteOutages:
    """Return the interruptions of a site.

    Parameters
    ----------
    catalog
        With the rates of machines.
    level
        Redundancy of power, and of cooling where that has none of its own.
    load_w
        Power of the racks [W].
    liquid
        Whether its heat leaves by CDUs, else by air handlers.
    cooling
        Redundancy of cooling; None: as of power.
    """
    rates = catalog.machine_failures
    paths = 2 if level == "2N" else 1

    def group(name: str, of: RedundancyLevel) -> OutageRate:
        rate = rates[name].rate_per_s or 0.0
        needed = max(1, math.ceil(load_w / EACH_W[name]))
        units = installed(needed, of)
        found = k_of_n(rate, rates[name].repair_s, units, needed)
        return with_common_cause(found, rate, rates[name].repair_s) if units > needed else found

    def chain(of: RedundancyLevel, *names: str) -> OutageRate:
        found = [group(name, of) for name in names]
        return series([float(outage.frequency) for outage in found], [float(outage.mean) for outage in found])

    grid = rates["utility" if paths == 1 else "utility_both"]
    engines = max(1, math.ceil(load_w / EACH_W["generator_start"]))
    start = rates["generator_start"].fails_to_start or 0.0
    start += (rates["generator_run"].rate_per_s or 0.0) * grid.repair_s
    fails = fails_to_start(start, installed(engines, level), engines, COMMON_CAUSE)
    off = machine((grid.rate_per_s or 0.0) * fails * math.exp(-UPS_RIDE_S / grid.repair_s), grid.repair_s)
    power = chain(level, "transformer", "ups_module")
    both = [off, power, chain(cooling or level, "chiller", "cdu" if liquid else "crah")]
    total = series([float(outage.frequency) for outage in both], [float(outage.mean) for outage in both])
    mean = float(np.asarray(total.mean))
    return SiteOutages(float(np.asarray(total.frequency)), mean)
