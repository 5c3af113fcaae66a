"""Pumps and fans of loops and plants: what still runs, and the flow that comes of it.

Coolant of a cold-plate loop follows its pumps as a ramp. Elsewhere nodes move their own air or fluid: fans of air
handlers and doors, pumps of tanks and of facility water only bring the heat on. Those act on conductances of the
network, which change in a few stages at timers of their own (each new conductance costs the network a factorisation).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats, IntP
from twin.physics.hydraulics import manifold_flow, parallel_flow_fraction, recovery_speed, restricted_flow
from twin.physics.thermal_inputs import FlowRamp
from twin.sim.core.slot_fields import Column, ColumnGroup, Pairs
from twin.sim.core.state import Fields, Stateful

LEAST_TAU_S = 0.05
STAGE_SHARE = 0.5
"""Stage of a ramp over its time constant."""
ARRIVED = 0.02
"""A ramp this close to its end is there [-]."""
RECOVERY_TAUS = 5.0
"""Drives have the flow back within so many of their time constants."""


class Turning(NamedTuple):
    """Pumps or fans that turn: share of them, speed at design over that of all of them, flow they come to [-]."""

    share: Floats
    speed: Floats
    flow: Floats

    def speed_for(self, asked: Floats) -> Floats:
        """Return the speed over that of all of them at design flow, for a flow that is asked, over design [-].

        Drives of those that are left speed up, to design speed at once.
        """
        return self.speed * asked / np.maximum(np.maximum(self.flow, asked), 1e-9)


class Movers(Stateful):
    """Pumps or fans side by side, of every loop or of every plant; `CoolingSystem` has one of both.

    Parameters
    ----------
    pumps
        How many pumps or fans each loop or plant has.
    coast_s, recover_s
        Decay time of a stopped one, and time until the others make up for it; inf: never.
    """

    def __init__(self, pumps: NDArray[np.int32], coast_s: Floats, recover_s: Floats) -> None:
        count = len(pumps)
        self.pumps = np.maximum(np.asarray(pumps, np.intp), 1)
        self.tau_s, self.recover_s = np.maximum(coast_s, LEAST_TAU_S), recover_s
        self.down = np.zeros(count, np.intp)
        self.live, self.shut = np.ones(count, bool), np.zeros(count, bool)
        self.recovered = np.zeros(count, bool)
        self.branches = np.ones(count)  # flow left by branches that their valves shut
        self.filtered = np.ones(count)  # design flow left by a filter that is clogged
        self.ramp = FlowRamp.steady(np.ones(max(1, count)))

    def running(self) -> IntP:
        """Return how many turn on each."""
        on = self.live & ~self.shut
        return np.where(on, self.pumps - self.down, 0)

    def shares(self) -> Floats:
        """Return the flow that those of each slot come to, over design."""
        left = self.pumps - self.down
        usual = np.where(self.recovered, 1.0, parallel_flow_fraction(left, self.pumps))
        on = self.live & ~self.shut & (left > 0)
        return np.where(on, restricted_flow(usual, self.filtered) * self.branches, 0.0)

    def share(self, slot: int) -> float:
        """Return the flow that those of `slot` come to, over design."""
        return float(self.shares()[slot])

    def head_for(self, t_s: float, slot: int, scale: float = 1.0, tau_s: float | None = None) -> None:
        """Let the flow of `slot` go where its pumps take it; design flow is `scale` of the network's."""
        tau = float(self.tau_s[slot]) if tau_s is None else tau_s
        target = self.share(slot) * scale
        if target != self.ramp.target[slot]:
            self.ramp = self.ramp.towards(t_s, slot, target, tau)

    def turning(self) -> Turning:
        """Return what turns: until some of them stop, start or speed up."""
        left = self.pumps - self.down
        alone = parallel_flow_fraction(left, self.pumps)
        speed = np.where(self.recovered & (left > 0), recovery_speed(alone), 1.0)
        return Turning(self.running() / self.pumps, speed, self.shares())

    def lose(self, slot: int, down: int) -> bool:
        """Note that `down` of `slot` are stopped; return whether the others have a loss to make up for."""
        self.down[slot] = min(down, int(self.pumps[slot]))
        self.recovered[slot] = False
        return 0 < self.down[slot] < self.pumps[slot] and bool(math.isfinite(self.recover_s[slot]))

    def recovery(self, slot: int) -> tuple[float, float]:
        """Return after what time drives speed up [s], and the time constant of the flow then [s]."""
        tau = float(self.recover_s[slot]) / (2 * RECOVERY_TAUS)
        return float(self.recover_s[slot]) / 2, max(tau, LEAST_TAU_S)

    def shut_branches(self, slot: int, shut: int, of: int) -> None:
        """Note that valves have taken `shut` of the `of` branches off the manifold of `slot`."""
        opening = np.ones(max(of, 1))
        opening[:shut] = 0.0
        flows, _ = manifold_flow(opening)
        # This scales the flow of each branch that is open; the network gives none to those that are shut.
        self.branches[slot] = float(flows[-1]) if shut < of else 1.0


def _fields(table: str) -> Fields:
    """Return what movers remember, of each slot of their table."""
    return Fields(
        ColumnGroup("ramp", table, float, load=_ramp_of, save=_ramp_rows),
        Column("down", table, np.intp),
        *Column.each("live", "shut", "recovered", table=table, dtype=bool),
        Column("branches", table, float),
        Pairs("filtered", table, 1.0, missing=[[], []], spare=True),
    )


def _ramp_of(saved: list[list[float]]) -> FlowRamp:
    start, target, tau_s, since_s = (np.array(values, float) for values in saved)
    return FlowRamp(start, target, tau_s, since_s)


def _ramp_rows(ramp: FlowRamp) -> list[list[float]]:
    return [values.tolist() for values in (ramp.start, ramp.target, ramp.tau_s, ramp.since_s)]


class LoopMovers(Movers):
    """Pumps or fans of every loop."""

    STATE = _fields("loops")


class PlantMovers(Movers):
    """Facility pumps of every plant."""

    STATE = _fields("plants")


def staged(ramp: FlowRamp, t_s: float) -> Floats:
    """Return a ramp as it is in the middle of the stage that begins now, shape of its target [-]."""
    ahead = ramp.start - ramp.target
    since = np.maximum(t_s - ramp.since_s, 0.0) + STAGE_SHARE * ramp.tau_s / 2
    gap = ahead * np.exp(-since / ramp.tau_s)
    result: Floats = np.where(np.abs(gap) > ARRIVED, ramp.target + gap, ramp.target)
    return result


def next_stage_s(ramp: FlowRamp, t_s: float, slot: int) -> float | None:
    """Return when the next stage of `slot` begins [s], None once it has arrived."""
    if staged(ramp, t_s)[slot] == ramp.target[slot]:
        return None
    return t_s + STAGE_SHARE * float(ramp.tau_s[slot])
