"""Edits of the lab that tests of the window make."""

from __future__ import annotations

from twin.commands.command import Given
from twin.scenario import Change, Patch

RACK = "{id: x-1, at: {x: 20 m}, racks: {count: 1, nodes: [{part: DGX-H100, count: 1}]}}"
ADD = Given(
    Patch(
        (Change("halls[lab].rows[x-1]", RACK), Change("cooling.loops[crah].serves", "[gpu, x-1]")), "Add rack"
    )
)
MOVE = Given(Patch((Change("halls[lab].rows[x-1].at.x", "24 m"),), "Move rack"))
