"""Two plants of one site, before and after a change: which cables and switches stay, move, come and go."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from twin.plant.tables import Plant, SwitchRole

End = str
"""Id of a node (with the number of its card) or of a switch."""

Cables = Counter[tuple[End, End]]
"""Cables between two ends, the lower end first."""


@dataclass(frozen=True)
class Recabling:
    """The differences in fabric between two plants.

    Attributes
    ----------
    cables_before, cables_after
        Cables that lie in each.
    kept
        Cables between the same two ends in both.
    moved
        Unplugged at the upper end and plugged in elsewhere.
    removed, new
        Cables that only the plant before, or only the one after, has.
    switches_kept, switches_new, switches_removed
        A switch is kept when its id has the same part in both, wherever it stands.
    laid_m
        Length of the new and moved cables [m].
    tiers
        Tiers of switches that only the plant after has: "spine", "core".
    """

    cables_before: int
    cables_after: int
    kept: int
    moved: int
    removed: int
    new: int
    switches_kept: int
    switches_new: int
    switches_removed: int
    laid_m: float
    tiers: tuple[str, ...]

    @property
    def touched(self) -> int:
        """Cables that lie there now and do not stay as they are."""
        return self.moved + self.removed


def recabling(before: Plant, after: Plant) -> Recabling:
    """Return the changes that turn one plant's fabrics into the other's.

    Racks of switches do not count: what stands keeps standing where it is.
    """
    old, new = cables_of(before), cables_of(after)
    kept = old & new
    unplugged, wanted = old - kept, new - kept
    free, needed = _by_lower(unplugged), _by_lower(wanted)
    moved = sum((free & needed).values())
    kept_switches = _switches(before) & _switches(after)
    length_m = _lengths_m(after)
    return Recabling(
        cables_before=old.total(),
        cables_after=new.total(),
        kept=kept.total(),
        moved=moved,
        removed=unplugged.total() - moved,
        new=wanted.total() - moved,
        switches_kept=len(kept_switches),
        switches_new=len(_switches(after)) - len(kept_switches),
        switches_removed=len(_switches(before)) - len(kept_switches),
        laid_m=float(sum(number * length_m[ends] for ends, number in wanted.items())),
        tiers=_tiers(before, after),
    )


def cables_of(plant: Plant) -> Cables:
    """Return how many cables lie between each two ends."""
    found: Cables = Counter()
    for ends, number, _ in _ends(plant):
        found[ends] += number
    return found


def _ends(plant: Plant) -> list[tuple[tuple[End, End], int, float]]:
    """Return (ends, cables, length of one [m]) of every link, in the order of link numbers."""
    nodes, switches = plant.nodes.ids, plant.switches.ids
    down, up, peers = plant.node_links, plant.switch_links, plant.peer_links
    ends = [
        (f"{nodes[n]}~{nic}.{plane}", switches[s])
        for n, nic, plane, s in zip(
            down.node.tolist(), down.nic.tolist(), down.plane.tolist(), down.leaf.tolist(), strict=True
        )
    ]
    ends += [(switches[a], switches[b]) for a, b in zip(up.lower.tolist(), up.upper.tolist(), strict=True)]
    ends += [(nodes[a], nodes[b]) for a, b in zip(peers.a.tolist(), peers.b.tolist(), strict=True)]
    cables = [1] * len(down.node) + up.cables.tolist() + peers.cables.tolist()
    length_m = plant.bundles.length_m[plant.bundles.of_link].tolist()
    return list(zip(ends, cables, length_m, strict=True))


def _lengths_m(plant: Plant) -> dict[tuple[End, End], float]:
    return {ends: length_m for ends, _, length_m in _ends(plant)}


def _by_lower(cables: Cables) -> Counter[End]:
    """Return the cables of each lower end, which stays plugged in when a cable moves."""
    found: Counter[End] = Counter()
    for (lower, _), number in cables.items():
        found[lower] += number
    return found


def _switches(plant: Plant) -> set[tuple[str, str]]:
    present = np.flatnonzero(plant.switches.present).tolist()
    return {(plant.switches.ids[slot], plant.switches.part[slot]) for slot in present}


def _tiers(before: Plant, after: Plant) -> tuple[str, ...]:
    had, has = (set(plant.switches.role[plant.switches.present].tolist()) for plant in (before, after))
    return tuple(SwitchRole(role).name.lower() for role in sorted(has - had))
