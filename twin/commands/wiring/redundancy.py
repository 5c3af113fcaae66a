"""What a redundancy target comes to: paths, feeds, and machines beyond those needed; one for rooms and wiring."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from twin.catalog import Catalog, ChillerPart, GeneratorPart, PowerStagePart
from twin.plant.facility import fit_machines
from twin.scenario.schema.site import RedundancyLevel

MOST_MACHINES = 4
"""Needed side by side, from which a larger part is looked for."""
RECOVER = "20 s"
"""Until the drives of the other pumps or fans make up for one that is lost [est]."""
MOST_PUMPS = 8


@dataclass(frozen=True)
class PowerMeans:
    """How a power chain is laid out.

    Attributes
    ----------
    paths
        1: one chain; 2: two chains from the utility on, each for all.
    feeds
        1: one feed; 2: PDUs A and B, on one chain or two.
    spare
        Machines beyond those needed in each group.
    generators
        Whether diesels stand behind the utility.
    """

    paths: int = 1
    feeds: int = 1
    spare: int = 0
    generators: bool = True

    @classmethod
    def of(
        cls,
        level: RedundancyLevel,
        feeds: int | None = None,
        spare: bool | None = None,
        generators: bool | None = None,
    ) -> PowerMeans:
        """Return what a target comes to, but for what is said otherwise.

        N: one chain. N+1: a spare machine in each group, PDUs A and B. 2N: two chains from two utilities.
        """
        each = feeds or (1 if level == "N" else 2)
        more = level == "N+1" if spare is None else spare
        return cls(2 if level == "2N" and each == 2 else 1, each, int(more), generators is not False)

    @property
    def chains(self) -> tuple[str, ...]:
        """Return the endings of the names of chains."""
        return ("-a", "-b") if self.paths == 2 else ("",)

    def sides(self, chain: str) -> tuple[str, ...]:
        """Return the endings of the names of PDUs on a chain."""
        return (chain,) if chain or self.feeds == 1 else ("-a", "-b")


def installed(needed: int, level: RedundancyLevel, spare: bool | None = None) -> int:
    """Return how many machines of cooling stand where some are needed.

    `spare`: whether one more is wanted, or none at all; None: as the target asks.

    >>> [installed(3, level) for level in ("N", "N+1", "2N")]
    [3, 4, 6]
    """
    times = 2 if level == "2N" and spare is not False else 1
    return times * needed + int(level == "N+1" if spare is None else spare)


def fitting(
    catalog: Catalog, parts: Iterable[str], load_w: float, spare: int = 0, times: int = 1
) -> tuple[str, int]:
    """Return the part and the number needed for a load [W], with which least is installed; of those the fewest.

    All of them stand so many `times`, and `spare` more.
    """
    choices = []
    for name in parts:
        each_w = _capacity_w(catalog, name)
        needed = fit_machines(load_w, each_w)
        choices.append((needed > MOST_MACHINES, (needed * times + spare) * each_w, needed, name))
    if all(many for many, *_ in choices):
        choices.sort(key=lambda choice: choice[2])
        return choices[0][3], choices[0][2]
    _, _, needed, name = min(choices)
    return name, needed


def _capacity_w(catalog: Catalog, part: str) -> float:
    found = catalog.part(part)
    assert isinstance(found, PowerStagePart | GeneratorPart | ChillerPart)
    return found.capacity_w


def spared(needed: int, units: int) -> dict[str, int]:
    """Return the keys for machines side by side, and how many of them are needed.

    >>> spared(2, 3), spared(2, 2), spared(1, 1)
    ({'units': 3, 'needed': 2}, {'units': 2}, {})
    """
    if units > needed:
        return {"units": units, "needed": needed}
    return {"units": units} if units > 1 else {}


def drives(needed: int, units: int) -> dict[str, object]:
    """Return the keys for the pumps or fans of a loop of some machines: with spares they make up for a lost one."""
    if units <= needed:
        return {}
    pumps = min(MOST_PUMPS, units)
    return ({"pumps": pumps} if pumps != 2 else {}) | {"recover": RECOVER}


def facility(
    catalog: Catalog, id: str, heat_w: float, level: RedundancyLevel, supply: str, spare: bool | None = None
) -> dict[str, object]:
    """Return a facility loop with the chillers for some heat [W], as a file holds it."""
    parts = chillers_for(heat_w)
    times = installed(2, level, spare) - installed(1, level, spare)
    part, needed = fitting(catalog, parts, heat_w, installed(1, level, spare) - times, times)
    units = installed(needed, level, spare)
    entry: dict[str, object] = {"id": id, "kind": "chiller", "part": part, "units": units}
    entry |= {"needed": needed} if units > needed else {}
    pumps = 2 if units == needed else 4 if units >= 2 * needed and level == "2N" else 3
    return entry | ({"pumps": pumps} if pumps != 2 else {}) | {"supply": supply}


def chillers_for(heat_w: float) -> tuple[str, ...]:
    """Return the chillers that a hall of some heat is built with [W]."""
    if heat_w <= SMALL_WATER_W:
        return SMALL_CHILLERS
    return LARGE_CHILLERS if heat_w > LARGE_WATER_W else CHILLERS


SMALL_WATER_W = 2.0e5 / 3.0
"""Heat up to which chillers are the small ones: a third of the next larger one, and more is oversized [est]."""
SMALL_CHILLERS = ("chiller-air-cooled-30",)
LARGE_WATER_W = 3.0e6
"""Heat from which chillers are water-cooled."""
CHILLERS = ("chiller-air-cooled-200", "chiller-air-cooled-500", "chiller-air-cooled")
LARGE_CHILLERS = ("chiller-water-cooled",)
