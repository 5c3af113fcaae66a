"""Cable lengths along the trays, and cable parts that are long and fast enough."""

from __future__ import annotations

import numpy as np

from twin.arrays import Floats, Ints32
from twin.catalog import Catalog
from twin.commands.edit.command import CommandError, EditedScene
from twin.language import tr
from twin.plant.bundles import lengths_m
from twin.plant.tray_paths import cross_tray_x_m


def between_m(scene: EditedScene, a: Ints32, b: Ints32) -> Floats:
    """Return the lengths of cables between the racks in slots a and b [m]."""
    plant = scene.plant
    cross_x_m = cross_tray_x_m(plant.racks, len(plant.halls.ids))
    return np.asarray(lengths_m(plant.racks, plant.rows, a, b, cross_x_m), np.float64)


def rack_of(scene: EditedScene, id: str) -> int:
    """Return the slot of the rack that a node or switch stands in; raises CommandError when there is none."""
    kind, slot = scene.plant.slots.get(id, ("", -1))
    if kind == "node":
        return int(scene.plant.nodes.rack[slot])
    if kind == "switch":
        return int(scene.plant.switches.rack[slot])
    raise CommandError(tr("{id} is not in a rack", id=id))


def must_reach(scene: EditedScene, a: str, b: str, cable: str) -> None:
    """Raise CommandError when a cable part is too short between two items."""
    rack_a, rack_b = rack_of(scene, a), rack_of(scene, b)
    if rack_a < 0 or rack_b < 0:
        return
    length_m = float(between_m(scene, np.array([rack_a]), np.array([rack_b]))[0])
    reach_m = scene.catalog.cable(cable).max_reach_m
    if length_m > reach_m:
        longer = [
            name for name in scene.catalog.ids("cable") if scene.catalog.cable(name).max_reach_m >= length_m
        ]
        hint = (
            tr("{longer} reaches that far", longer=longer[0])
            if longer
            else tr("no cable reaches that far: move them nearer")
        )
        raise CommandError(
            tr(
                "{cable} reaches {reach_m:g} m, but {a} is {length_m:.1f} m of tray from {b}",
                cable=cable,
                reach_m=reach_m,
                a=a,
                length_m=length_m,
                b=b,
            ),
            hint,
        )


def cable_for(catalog: Catalog, length_m: float, bytes_s: float) -> str:
    """Return the cheapest cable part that is long and fast enough.

    Raises
    ------
    CommandError
        When no part is.
    """
    parts = [catalog.cable(name) for name in catalog.ids("cable")]
    fit = [
        part
        for part in parts
        if part.max_reach_m >= length_m
        and part.bandwidth_bytes_s >= bytes_s * 0.999
        and part.price_usd is not None
    ]
    if not fit:
        fast = max(
            (part.max_reach_m for part in parts if part.bandwidth_bytes_s >= bytes_s * 0.999), default=0.0
        )
        reason = tr(
            "no cable of {bytes_s:.0f} Gb/s reaches {length_m:.0f} m",
            bytes_s=bytes_s * 8e-09,
            length_m=length_m,
        )
        raise CommandError(
            reason, tr("the longest has {fast:.0f} m: move the switches nearer", fast=fast) if fast else ""
        )
    return min(fit, key=lambda part: (part.bandwidth_bytes_s, part.price_usd or 0.0)).id
