"""Edits of the lab that tests of the window make."""

from __future__ import annotations

from twin.commands.edit.command import Given
from twin.scenario import Change, Patch

RACK = "{id: x-1, at: {x: 20 m}, racks: {count: 1, nodes: [{part: DGX-H100, count: 1}]}}"
SERVES = Change("cooling.loops[crah].serves", "[gpu, x-1]")
ADD = Given(Patch((Change("halls[lab].rows[x-1]", RACK), SERVES), "Add rack"))
MOVE = Given(Patch((Change("halls[lab].rows[x-1].at.x", "24 m"),), "Move rack"))
HOT = Given(Patch((Change("halls[lab].rows[x-2]", RACK.replace("x-1", "x-2")),), "Add rack without cooling"))
"""Only a run can tell that this one cannot be: nothing takes its heat away."""
