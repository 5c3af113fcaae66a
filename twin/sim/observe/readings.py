"""What a channel shows: functions of the run, each its own, of what stands until the run changes or moves with time.

A new channel has its function here, and its entry in `twin.record.channels`. Channels that share their arithmetic with
others are written together, in the other modules of this room.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from twin.sim.core.nodes import AWAY, CUT, DARK, DOWN, FREE, NOBODY, OFF, SHARED
from twin.sim.core.weather import Outdoor

if TYPE_CHECKING:
    from twin.sim.run.parts import RunParts


_UNFIT = np.isin(np.arange(AWAY + 1), (DOWN, OFF, CUT, DARK, AWAY))
"""By condition, whether a node is fit for nothing."""


def _nodes_down(engine: RunParts) -> int:
    """Return how many nodes are fit for nothing, whatever it is that they lack."""
    unfit = _UNFIT.take(engine.nodes.condition)
    return int(np.count_nonzero(engine.plant.nodes.present & unfit))


def _spares(engine: RunParts) -> int:
    nodes = engine.nodes
    free = (nodes.condition == FREE) & (nodes.job == NOBODY) & nodes.wanted
    return int(np.count_nonzero(engine.plant.nodes.present & free))


def _allocated(engine: RunParts) -> float:
    installed = engine.nodes.installed()
    return 100 * float(engine.nodes.held.sum()) / installed if installed else 0.0


def _fragmented(engine: RunParts) -> float:
    """Return how many GPUs are free on nodes that others share."""
    nodes = engine.nodes
    shared = (nodes.condition == FREE) & (nodes.job == SHARED)
    return float((nodes.gpus - nodes.held)[shared].sum())


STANDING: dict[str, Callable[[RunParts], ArrayLike]] = {
    "store.read_bytes_s": lambda engine: [use.read for use in engine.stores.tally],
    "store.write_bytes_s": lambda engine: [use.write for use in engine.stores.tally],
    "store.iops": lambda engine: [use.operations for use in engine.stores.tally],
    "store.load": lambda engine: [100 * use.load for use in engine.stores.tally],
    "power.charge": lambda engine: 100 * engine.power.charge,
    "rack.power_w": lambda engine: engine.meter.rack_input_w(engine.heat, engine.traces, engine.clocks),
    "site.it_w": lambda engine: engine.meter.it_w,
    "site.facility_w": lambda engine: engine.meter.facility_w,
    "site.cooling_w": lambda engine: engine.meter.cooling_w,
    "site.grid_w": lambda engine: engine.power.grid_w,
    "site.on_site_w": lambda engine: engine.power.on_site_w,
    "site.battery_w": lambda engine: engine.power.battery_w,
    "site.loss_w": lambda engine: engine.power.loss_w,
    "site.carbon_kg_s": lambda engine: engine.power.carbon_kg_s,
    "site.cost_usd_s": lambda engine: engine.power.cost_usd_s,
    "site.swing_w": lambda engine: engine.swing.site_w,
    "site.throttled": lambda engine: engine.clocks.throttled_gpus(),
    "site.braked": lambda engine: engine.limits.braked_gpus(),
    "site.unpowered": lambda engine: np.count_nonzero(engine.nodes.dark),
    "site.nodes_down": _nodes_down,
    "site.spares": _spares,
    "site.allocated": _allocated,
    "site.fragmented": _fragmented,
    "site.repair_queue": lambda engine: len(engine.repairs.queue),
    "site.parts_missing": lambda engine: sum(len(queue) for queue in engine.repairs.parts.waiting),
    "site.interruptions": lambda engine: sum(engine.incidents.unexpected.values()),
}
"""Value of each entity, or one of the site, from a change of the run until the next."""


class Instant(NamedTuple):
    """A run at a time [s], and the air outdoors then."""

    engine: RunParts
    now_s: float
    outdoor: Outdoor


MOVING: dict[str, Callable[[Instant], ArrayLike]] = {
    "site.outdoor_c": lambda instant: instant.outdoor.dry_c,
    "site.wet_bulb_c": lambda instant: instant.outdoor.wet_c,
}
"""The same of what moves between two changes of the run; it is read at every look, so it has to be quick."""
