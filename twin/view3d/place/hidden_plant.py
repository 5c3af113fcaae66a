"""What is drawn of a plant while some of it is hidden: the same plant, with what is hidden as if it were not there.

Slots stay as they are, so that frames fit; nothing else than the picture ever sees such a plant.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from twin.arrays import Bools
from twin.plant.tables import Plant

Ids = frozenset[str]


def seen(plant: Plant, hidden: Ids, only: Ids) -> Plant:
    """Return a plant without what is hidden.

    Parameters
    ----------
    hidden
        Ids of halls, generators, rows, racks, nodes, switches, loops, facility loops and power items.
    only
        Where it is not empty, racks, machines and power items that are not of these are hidden too.
    """
    if not hidden and not only:
        return plant
    racks, nodes, switches, loops, power = plant.racks, plant.nodes, plant.switches, plant.loops, plant.power
    halls = plant.halls.ids
    in_hall = [halls[k] for k in racks.hall.tolist()]
    rack_shown = racks.present & ~_any_of(racks.ids, hidden, in_hall)
    node_hidden = _any_of(nodes.ids, hidden) | ~rack_shown[nodes.rack]
    if only:
        homes = _homes(plant, only)
        rack_shown &= _any_of(racks.ids, only | homes, in_hall)
        chosen = _any_of(racks.ids, only, in_hall)
        node_hidden |= ~rack_shown[nodes.rack] | ~(chosen[nodes.rack] | _any_of(nodes.ids, only))
    node_shown = nodes.present & ~node_hidden
    switch_shown = switches.present & rack_shown[switches.rack] & ~_any_of(switches.ids, hidden)
    loop_shown = loops.present & ~_any_of(loops.ids, hidden, [halls[k] for k in loops.hall.tolist()])
    power_shown = power.present & ~_any_of(power.ids, hidden)
    plant_shown = plant.plants.present & ~_any_of(plant.plants.ids, hidden)
    if only:
        loop_shown &= _any_of(loops.ids, only, [halls[k] for k in loops.hall.tolist()])
        power_shown &= _any_of(power.ids, only)
        plant_shown &= _any_of(plant.plants.ids, only)
    rows = np.bincount(racks.row[rack_shown], minlength=len(plant.rows.ids)) > 0
    ends = rack_shown[plant.bundles.rack_a] & rack_shown[plant.bundles.rack_b]
    fixtures, machines = plant.fixtures, plant.machines
    held, stood = rack_shown[fixtures.rack], loop_shown[machines.loop]
    return replace(
        plant,
        rows=replace(plant.rows, present=plant.rows.present & rows),
        racks=replace(
            racks,
            present=rack_shown,
            loop=_on(racks.loop, loop_shown),
            air_loop=_on(racks.air_loop, loop_shown),
        ),
        nodes=replace(nodes, present=node_shown),
        gpus=replace(plant.gpus, present=plant.gpus.present & node_shown[plant.gpus.node]),
        switches=replace(switches, present=switch_shown),
        loops=replace(loops, present=loop_shown),
        plants=replace(plant.plants, present=plant_shown),
        power=replace(power, present=power_shown),
        # Cables that stay within a rack run in no tray.
        bundles=replace(plant.bundles, rack_b=np.where(ends, plant.bundles.rack_b, plant.bundles.rack_a)),
        fixtures=replace(
            fixtures,
            rack=fixtures.rack[held],
            u=fixtures.u[held],
            height_u=fixtures.height_u[held],
            kind=fixtures.kind[held],
        ),
        machines=replace(
            machines,
            loop=machines.loop[stood],
            x_m=machines.x_m[stood],
            y_m=machines.y_m[stood],
            width_m=machines.width_m[stood],
            depth_m=machines.depth_m[stood],
            height_m=machines.height_m[stood],
        ),
    )


def _on(loop: np.ndarray, shown: Bools) -> np.ndarray:
    """Return the loops of racks, -1 where they are hidden: no pipes lead there."""
    if not len(shown):
        return loop
    return np.where((loop >= 0) & shown[np.maximum(loop, 0)], loop, -1).astype(np.int32)


def _any_of(ids: Sequence[str], wanted: Collection[str], halls: Sequence[str] = ()) -> Bools:
    """Return which of some ids, or what they are made by or stand in, are wanted."""
    found = np.zeros(len(ids), np.bool_)
    if not wanted:
        return found
    for place, id in enumerate(ids):
        if id in wanted or (halls and halls[place] in wanted):
            found[place] = True
            continue
        end = id.find("/")
        while end > 0:
            if id[:end] in wanted:
                found[place] = True
                break
            end = id.find("/", end + 1)
    return found


def _homes(plant: Plant, only: Ids) -> Ids:
    """Return the racks that hold nodes and switches that are to be seen."""
    homes = set()
    for id in only:
        kind, slot = plant.slots.get(id, ("", -1))
        if kind == "node":
            homes.add(plant.racks.ids[int(plant.nodes.rack[slot])])
        elif kind == "switch":
            homes.add(plant.racks.ids[int(plant.switches.rack[slot])])
    return frozenset(homes)
