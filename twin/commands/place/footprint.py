"""Space of items: floor under racks and machines, units inside a rack."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.arrays import Bools, Floats, Ints32
from twin.catalog import Catalog, NodePart, RackPart
from twin.commands.edit.command import CommandError
from twin.language import tr
from twin.plant.cabinet import CABINET_DEPTH_M, CABINET_WIDTH_M
from twin.plant.cooling import USUAL_SIZE_M
from twin.plant.tables import LoopKind, Plant

TOUCH_M = 0.01
"""So much two footprints may overlap: racks of a row stand side to side."""


@dataclass(frozen=True)
class FloorFootprints:
    """Footprints on the floor of the site, one entry each; (x, y) is the middle [m]."""

    ids: list[str]
    hall: Ints32
    x_m: Floats
    y_m: Floats
    width_m: Floats
    depth_m: Floats

    def moved(self, chosen: Bools, x_m: float, y_m: float) -> FloorFootprints:
        """Return the chosen boxes, moved."""
        ids = [self.ids[k] for k in np.flatnonzero(chosen).tolist()]
        rest = (self.width_m[chosen], self.depth_m[chosen])
        return FloorFootprints(ids, self.hall[chosen], self.x_m[chosen] + x_m, self.y_m[chosen] + y_m, *rest)

    def but(self, chosen: Bools) -> FloorFootprints:
        """Return the boxes that are not chosen."""
        return self.moved(~chosen, 0.0, 0.0)


def standing(plant: Plant, *, settled: bool = False) -> FloorFootprints:
    """Return the footprints of all racks and machines; machines go by the id of their loop.

    Parameters
    ----------
    settled
        Leave out machines without a place of their own: they keep clear of racks by themselves.
    """
    racks, machines, loops = plant.racks, plant.machines, plant.loops
    rack = np.flatnonzero(racks.present)
    machine = rack[:0]
    if len(machines.loop):
        on_floor = loops.kind != LoopKind.REAR_DOOR
        machine = np.flatnonzero((on_floor & loops.placed if settled else on_floor)[machines.loop])

    def joined(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return np.concatenate([first[rack], second[machine]])

    return FloorFootprints(
        ids=[racks.ids[k] for k in rack.tolist()] + [loops.ids[k] for k in machines.loop[machine].tolist()],
        hall=joined(racks.hall, loops.hall[machines.loop]).astype(np.int32),
        x_m=joined(racks.x_m, machines.x_m),
        y_m=joined(racks.y_m, machines.y_m),
        width_m=joined(racks.width_m, machines.width_m),
        depth_m=joined(racks.depth_m, machines.depth_m),
    )


def struck(moved: FloorFootprints, fixed: FloorFootprints) -> tuple[str, str] | None:
    """Return the ids of the first overlapping pair of `moved` and `fixed`; None when all fit."""
    if not len(moved.ids) or not len(fixed.ids):
        return None
    order = np.argsort(fixed.x_m, kind="stable")
    x_m = fixed.x_m[order]
    reach_m = float(fixed.width_m.max()) / 2
    low = np.searchsorted(x_m, moved.x_m - moved.width_m / 2 - reach_m)
    high = np.searchsorted(x_m, moved.x_m + moved.width_m / 2 + reach_m)
    for k, (first, last) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        near = order[first:last]
        gap_x_m = np.abs(fixed.x_m[near] - moved.x_m[k]) - (fixed.width_m[near] + moved.width_m[k]) / 2
        gap_y_m = np.abs(fixed.y_m[near] - moved.y_m[k]) - (fixed.depth_m[near] + moved.depth_m[k]) / 2
        hit = (gap_x_m < -TOUCH_M) & (gap_y_m < -TOUCH_M) & (fixed.hall[near] == moved.hall[k])
        if hit.any():
            return moved.ids[k], fixed.ids[int(near[np.argmax(hit)])]
    return None


def must_fit(moved: FloorFootprints, fixed: FloorFootprints) -> None:
    """Raise CommandError when footprints would overlap."""
    hit = struck(moved, fixed)
    if hit is not None:
        subject = tr("{hit} would overlap", hit=hit[0]) if hit[0] else tr("it would overlap")
        raise CommandError(f"{subject} {hit[1]}", tr("choose a free place on the floor"))


def rack_size_m(catalog: Catalog, part: str | None, pitch_m: float | None = None) -> tuple[float, float]:
    """Return width and depth of a rack part, of a plain cabinet without one [m]."""
    width_m, depth_m = CABINET_WIDTH_M, CABINET_DEPTH_M
    if part is not None:
        kind = catalog.rack(part)
        width_m, depth_m = kind.width_m, kind.depth_m
    return min(width_m, pitch_m or width_m), depth_m


def machine_size_m(catalog: Catalog, part: str, kind: LoopKind) -> tuple[float, float]:
    """Return width and depth of one CDU or air handler [m]."""
    found, usual = catalog.part(part), USUAL_SIZE_M[kind]
    if found.height_m is None:
        return usual[0], usual[1]
    return found.width_m or usual[0], found.depth_m or usual[1]


# -- inside a rack ----


def node_height_u(part: NodePart) -> int:
    """Return the units that a node takes."""
    return max(1, round(part.height_u))


def taken_units(plant: Plant, rack: int, leaving: frozenset[int] = frozenset()) -> dict[int, str]:
    """Return unit, from 1 up -> the part in it; nodes in the slots `leaving` do not count."""
    found: dict[int, str] = {}
    nodes, switches, fixtures = plant.nodes, plant.switches, plant.fixtures
    for slot in np.flatnonzero(fixtures.rack == rack).tolist():
        for u in range(int(fixtures.u[slot]), int(fixtures.u[slot] + fixtures.height_u[slot])):
            found[u] = tr("a fixture of the rack")
    for slot in np.flatnonzero((switches.rack == rack) & switches.present).tolist():
        for u in range(int(switches.u[slot]), int(switches.u[slot] + switches.height_u[slot])):
            found[u] = tr("switch {switch}", switch=switches.ids[slot])
    for slot in np.flatnonzero((nodes.rack == rack) & nodes.present).tolist():
        if slot not in leaving:
            for u in range(int(nodes.u[slot]), int(nodes.u[slot] + nodes.height_u[slot])):
                found[u] = tr("node {node}", node=nodes.ids[slot])
    return found


def unit_for(plant: Plant, rack: int, height_u: int, wanted_u: int, taken: dict[int, str], part: str) -> int:
    """Return the lowest unit for a part of some height: the wanted one, or with 0 the first free one.

    Raises
    ------
    CommandError
        When the part does not fit.
    """
    units = int(plant.racks.units_u[rack])
    name = plant.racks.ids[rack]
    if wanted_u:
        if wanted_u + height_u - 1 > units:
            hint = (
                tr("begin at unit {units} or below", units=units - height_u + 1) if height_u <= units else ""
            )
            raise CommandError(
                tr(
                    "{part} of {height_u} U from unit {wanted_u} ends above the {units} U of {name}",
                    part=part,
                    height_u=height_u,
                    wanted_u=wanted_u,
                    units=units,
                    name=name,
                ),
                hint,
            )
        hit = next((u for u in range(wanted_u, wanted_u + height_u) if u in taken), 0)
        if hit:
            free = first_free(taken, units, height_u)
            hint = (
                tr("unit {free} is free", free=free) if free else tr("there is no room for it in this rack")
            )
            raise CommandError(
                tr("unit {hit} of rack {name} holds {taken}", hit=hit, name=name, taken=taken[hit]), hint
            )
        return wanted_u
    free = first_free(taken, units, height_u)
    if not free:
        left = units - sum(1 for u in taken if u <= units)
        raise CommandError(
            tr(
                "rack {name} is full: {left} U are free in all and {part} needs {height_u} together",
                name=name,
                left=left,
                part=part,
                height_u=height_u,
            )
        )
    return free


def first_free(taken: dict[int, str], units: int, height_u: int) -> int:
    """Return the lowest of `height_u` free units in a row; 0 without any."""
    run = 0
    for u in range(1, units + 1):
        run = 0 if u in taken else run + 1
        if run == height_u:
            return u - height_u + 1
    return 0


def whole_rack(catalog: Catalog, part: str) -> RackPart:
    """Return a rack part; raises CommandError when it is none."""
    found = catalog.part(part)
    if not isinstance(found, RackPart):
        raise CommandError(tr("{part} is a {kind}, not a rack", part=part, kind=found.KIND))
    return found
