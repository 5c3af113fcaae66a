"""Lines of the bill of a site: how much of what, each with the price it goes by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, get_args

from twin.language import tr

Group = Literal[
    "gpu",
    "chassis",
    "network",
    "cables",
    "storage",
    "power",
    "substation",
    "generation",
    "cooling",
    "building",
    "labour",
    "soft",
]
GROUPS: tuple[Group, ...] = get_args(Group)
GROUP_TITLES: dict[Group, str] = {
    "gpu": tr("GPUs"),
    "chassis": tr("CPUs, chassis and racks"),
    "network": tr("Network"),
    "cables": tr("Optics and cables"),
    "storage": tr("Storage"),
    "power": tr("Power"),
    "substation": tr("Substation and grid"),
    "generation": tr("Own generation"),
    "cooling": tr("Cooling"),
    "building": tr("Land and building"),
    "labour": tr("Labour"),
    "soft": tr("Soft cost and contingency"),
}
Asset = Literal["it", "mep", "shell", "land"]
"""What wears out alike: IT; mechanical and electrical plant; the building; land, which never does."""


@dataclass(frozen=True)
class BillLine:
    """One line of the bill.

    Parameters
    ----------
    group
        Where it is summed up.
    entry
        Id of its price.
    count
        How much of it, in `unit`.
    unit
        "", "kW", "m", ...
    asset
        What it wears out with.
    """

    group: Group
    entry: str
    count: float
    unit: str
    asset: Asset


@dataclass(frozen=True)
class Bill:
    """What a site consists of.

    Parameters
    ----------
    lines
        In the order of the groups; equal ones are one line.
    gpus
        Installed GPUs by part.
    it_w
        Design power of the racks, without those that are their owner's [W].
    grid_w
        Power for which the site is connected to the grid [W]; 0: it is not.
    source_w
        Rated power of the sources on site by kind of stage [W].
    notes
        What is left out, in sentences.
    owned_share
        Share of the nodes' design power that is owned; what rented nodes have of the hall is their owner's [-].
    rented_gpus
        GPUs among the installed ones that are rented, by part.
    rented_w
        Design power of the racks that is their owner's [W].
    """

    lines: tuple[BillLine, ...]
    gpus: dict[str, int]
    it_w: float
    grid_w: float
    source_w: dict[str, float]
    notes: tuple[str, ...] = ()
    owned_share: float = 1.0
    rented_gpus: Mapping[str, int] = field(default_factory=dict)
    rented_w: float = 0.0

    @cached_property
    def gpu_count(self) -> int:
        """Return the number of installed GPUs."""
        return sum(self.gpus.values())

    def counts(self, *groups: Group) -> dict[str, float]:
        """Return how much there is of each entry, of some groups or of all."""
        found: dict[str, float] = {}
        for line in self.lines:
            if not groups or line.group in groups:
                found[line.entry] = found.get(line.entry, 0.0) + line.count
        return found


def gathered(lines: Iterable[BillLine]) -> tuple[BillLine, ...]:
    """Return lines in the order of their groups, equal ones as one, none of nothing."""
    counts: dict[tuple[Group, str, str, Asset], float] = {}
    for line in lines:
        key = (line.group, line.entry, line.unit, line.asset)
        counts[key] = counts.get(key, 0.0) + line.count
    found = [BillLine(group, entry, n, unit, asset) for (group, entry, unit, asset), n in counts.items() if n]
    return tuple(sorted(found, key=lambda line: GROUPS.index(line.group)))
