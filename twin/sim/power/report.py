"""What people are told of the power tree: states of its items, and events when parts go dark or come back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twin import units
from twin.arrays import Bools
from twin.record.channels import PowerState
from twin.record.events import Severity
from twin.sim.core.log import Log
from twin.sim.power.breakers import Breakers
from twin.sim.power.circuit import Circuit
from twin.sim.power.item_state import Condition, GeneratorPhase
from twin.sim.power.loads import PowerLoads
from twin.sim.power.sources import STALL_S, Sources

MOST = 12
"""Events of one kind at one moment; more are summed up in the last."""


def item_states(
    circuit: Circuit, condition: Condition, sources: Sources, breakers: Breakers
) -> NDArray[np.int64]:
    """Return how each item stands now, as `PowerState`."""
    c, k = circuit, condition
    state = np.full(c.count, PowerState.LIVE, np.int64)
    state[k.charging_w > 0] = PowerState.CHARGING
    state[k.on_spare & k.fed] = PowerState.ON_SPARE
    state[k.overloaded] = PowerState.OVERLOAD
    state[k.on_battery] = PowerState.ON_BATTERY
    state[~k.live] = PowerState.DEAD
    gives = sources.output_w > 0
    state[c.is_source] = np.where(gives, PowerState.RUNNING, PowerState.STANDBY)[c.is_source]
    state[c.is_source & (k.phase == GeneratorPhase.STARTING)] = PowerState.STARTING
    state[c.is_generator & (k.phase == GeneratorPhase.RUNNING)] = PowerState.RUNNING
    state[c.is_source & (k.phase == GeneratorPhase.FAILED)] = PowerState.FAILED
    state[c.is_battery & (k.battery_w > 0)] = PowerState.DISCHARGING
    state[c.is_battery & (k.battery_w < 0)] = PowerState.CHARGING
    state[k.open()] = PowerState.TRIPPED
    state[k.lost >= c.units] = PowerState.FAILED
    return state


class Reporter:
    """Says which outputs have gone dark or come back, and what that takes along."""

    def __init__(self, circuit: Circuit, condition: Condition, log: Log) -> None:
        self.circuit, self.condition, self.log = circuit, condition, log

    def outages(self, t_s: float, was_live: Bools, was_dark: Bools, loads: PowerLoads) -> None:
        """Log one event for the uppermost item of each part that changed."""
        live = self.condition.live
        for turned, kind, severity in (
            (was_live & ~live, "power_lost", Severity.ALARM),
            (~was_live & live, "power_back", Severity.NOTICE),
        ):
            if turned.any():
                self._say(t_s, turned, kind, severity, was_dark, loads)

    def _say(
        self, t_s: float, turned: Bools, kind: str, severity: Severity, was_dark: Bools, loads: PowerLoads
    ) -> None:
        c = self.circuit
        over = np.full(c.count + 1, -1, np.intp)  # uppermost turned item that each item hangs under
        parent, spare = c.parent, c.spare
        for i in c.tree:
            if turned[i]:
                above = over[parent[i]] if parent[i] >= 0 else -1
                if above < 0 and spare[i] >= 0:
                    above = over[spare[i]]
                over[i] = above if above >= 0 else i
        tops = np.unique(over[over >= 0]).tolist()
        racks = loads.racks
        label = over[loads.feed_a[:racks]]
        label = np.where(label >= 0, label, over[loads.feed_b[:racks]])
        dark = loads.supplies.rack_dark
        changed = (dark & ~was_dark) if kind == "power_lost" else (was_dark & ~dark)
        for top in tops[:MOST]:
            below = label == top
            hit, thinned = int((changed & below).sum()), int((~changed & below).sum())
            lost = kind == "power_lost"
            racks_hit, racks_thinned = (f"{n} rack{'s' * (n != 1)}" for n in (hit, thinned))
            parts = [f"{racks_hit} lost power" if lost else f"power restored to {racks_hit}"] if hit else []
            if thinned:
                parts.append(
                    f"{racks_thinned} on one feed (redundancy lost)"
                    if lost
                    else f"{racks_thinned} on both feeds"
                )
            if len(tops) > MOST and top == tops[MOST - 1]:
                parts.append(f"and {len(tops) - MOST} more items")
            level = severity if hit or kind == "power_back" else Severity.WARNING
            text = ", ".join(parts) or ("de-energised" if lost else "energised")
            self.log.add(t_s, kind, c.items.ids[top], text, level, racks=hit, thinned_racks=thinned)

    def short(self, t_s: float, bus: int, asked_w: float, most_w: float) -> None:
        """Say that an island is asked for more than the most it can give, and when it breaks down."""
        self.condition.short_s[bus] = t_s + STALL_S
        asked, most = (units.render(power_w, "power", digits=3) for power_w in (asked_w, most_w))
        text = f"overload: {asked} demand on {most} of on-site sources; they trip in {STALL_S:.0f} s"
        bus_id, asked_w = self.circuit.items.ids[bus], float(asked_w)
        self.log.add(
            t_s,
            "overload",
            bus_id,
            text,
            Severity.ALARM,
            asked_w=asked_w,
            given_w=float(most_w),
            stalls_in_s=STALL_S,
        )
