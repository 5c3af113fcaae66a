"""Snapping a node or switch to units of a rack: its free units, and the nearest place where it fits."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from twin.arrays import Bools
from twin.commands.place.snap import PlacementProblem
from twin.language import tr
from twin.plant.tables import Plant


@dataclass(frozen=True, eq=False)
class UnitSnap:
    """A place in a rack.

    Attributes
    ----------
    rack
        Its slot.
    u, height_u
        Lowest unit (1: the bottom) and how many it takes.
    taken
        Whether each unit of the rack is taken, from unit 1.
    fits
        Lowest units of all places where it would fit.
    problems
        Problems of the place.
    """

    rack: int
    u: int
    height_u: int
    taken: Bools
    fits: tuple[int, ...]
    problems: tuple[PlacementProblem, ...] = ()

    @property
    def ok(self) -> bool:
        """Return whether the item can be put there."""
        return not self.problems

    @property
    def reason(self) -> str:
        """Return the first problem; "" without any."""
        return self.problems[0].sentence if self.problems else ""


def taken_units(plant: Plant, rack: int, without: Collection[str] = ()) -> Bools:
    """Return whether each unit of a rack is taken, from unit 1; ids in `without` do not count."""
    taken = np.zeros(int(plant.racks.units_u[rack]), np.bool_)
    gone = set(without)
    nodes, switches, fixtures = plant.nodes, plant.switches, plant.fixtures
    held = np.flatnonzero((nodes.rack == rack) & nodes.present).tolist()
    stands = [(nodes.u[n], nodes.height_u[n]) for n in held if nodes.ids[n] not in gone]
    in_rack = np.flatnonzero((switches.rack == rack) & switches.present)
    stands += [(switches.u[s], switches.height_u[s]) for s in in_rack.tolist() if switches.ids[s] not in gone]
    stands += [(fixtures.u[f], fixtures.height_u[f]) for f in np.flatnonzero(fixtures.rack == rack).tolist()]
    for u, height in stands:
        taken[max(int(u) - 1, 0) : int(u) - 1 + int(height)] = True
    return taken


def snap_units(
    plant: Plant,
    rack: int,
    height_u: int,
    wished_u: float,
    *,
    free: bool = False,
    without: Collection[str] = (),
    subject: str = "it",
) -> UnitSnap:
    """Return the units where an item lands in a rack when the pointer is at unit `wished_u` (its middle).

    Parameters
    ----------
    free
        Take the unit under the pointer even if it is taken.
    without
        Ids of the moved items, which are no obstacles.
    """
    taken = taken_units(plant, rack, without)
    units, name = len(taken), plant.racks.ids[rack]
    used = np.concatenate([[0], np.cumsum(taken)])
    lowest = np.arange(units - height_u + 1) if height_u <= units else np.zeros(0, np.int64)
    fits = lowest[used[lowest + height_u] == used[lowest]] + 1 if len(lowest) else lowest
    wish = float(np.clip(wished_u - height_u / 2 + 0.5, 1, max(units - height_u + 1, 1)))
    if height_u > units:
        problem = PlacementProblem(
            tr(
                "{subject} needs {height_u} U, and rack {name} has {units}",
                subject=subject,
                height_u=height_u,
                name=name,
                units=units,
            ),
            (name,),
        )
        return UnitSnap(rack, 1, height_u, taken, (), (problem,))
    if free or not len(fits):
        u = round(wish)
        if used[u - 1 + height_u] == used[u - 1]:
            return UnitSnap(rack, u, height_u, taken, tuple(fits.tolist()))
        if len(fits):
            sentence = tr("units {u} to {u_2} of rack {name} are taken", u=u, u_2=u + height_u - 1, name=name)
        else:
            sentence = tr(
                "rack {name} has no {height_u} U free in one piece: {value} of {units} U are",
                name=name,
                height_u=height_u,
                value=int((~taken).sum()),
                units=units,
            )
        return UnitSnap(
            rack, u, height_u, taken, tuple(fits.tolist()), (PlacementProblem(sentence, (name,)),)
        )
    u = int(fits[np.abs(fits - wish).argmin()])
    return UnitSnap(rack, u, height_u, taken, tuple(fits.tolist()))
