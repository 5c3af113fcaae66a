"""Why a sound node has no way to the others of its fabric. No widgets."""

from __future__ import annotations

import numpy as np

from twin.app.world.rows import FactRow, World
from twin.language import tr
from twin.plant.tables import SwitchRole
from twin.record.channels import State

_LABEL = tr("Disconnected")


def cut_off_rows(world: World, node: int) -> list[FactRow]:
    """Return a row for what cuts a node off, the nearest fault first; none while it is not cut off.

    A leaf that it is cabled to, else cables of it, else a switch further up, as far as the frame shows.
    """
    plant, frame = world.plant, world.frame
    gpu = int(plant.nodes.gpu_first[node])
    if frame is None or not plant.nodes.gpu_count[node]:
        return []
    if int(frame.values["gpu.state"][gpu]) != State.CUT_OFF:
        return []
    down = plant.node_links
    cables_down = np.flatnonzero(down.node == node)
    dead = np.asarray(frame.values["switch.state"]) == State.FAILED
    leaves = np.unique(down.leaf[cables_down])
    if len(leaves) and dead[leaves].any():
        return [_switch(world, slot) for slot in leaves[dead[leaves]].tolist()]
    cables = np.asarray(frame.values["bundle.down"])[plant.bundles.of_link[cables_down]]
    if (cables > 0).any():
        return [FactRow(_LABEL, tr("a cable is down"))]
    above = np.flatnonzero(dead & np.isin(plant.switches.fabric, np.unique(down.fabric[cables_down])))
    return [_switch(world, slot) for slot in above.tolist()] or [
        FactRow(_LABEL, tr("its cables connect to no other node"))
    ]


def _switch(world: World, slot: int) -> FactRow:
    id_ = world.plant.switches.ids[slot]
    role = SwitchRole(int(world.plant.switches.role[slot])).words
    return FactRow(_LABEL, tr("{role} {id} is down", role=role, id=id_), id_)
