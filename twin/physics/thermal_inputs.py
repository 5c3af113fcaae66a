"""Inputs of the thermal network between two events: powers, flows and the plant's state."""

from dataclasses import dataclass

import numpy as np

from twin.arrays import Floats
from twin.physics.thermal_constants import LEAK_CLIP_C, LEAK_REF_C
from twin.physics.thermal_network import Groups, ThermalNetwork, ThermalState
from twin.physics.thermal_paths import PlantState

FLOW_SETTLED = 2e-4
"""A flow this close to its target has arrived [-]."""
SETTLE_MARGIN_S = 1e-3
"""Added to the computed arrival, so that rounding cannot call a flow settled that still moves [s]."""


@dataclass(frozen=True, slots=True)
class FlowRamp:
    """Flow fraction of each loop: phi(t) = target + (start - target) e^{-(t - t0)/tau}.

    Attributes
    ----------
    start, target : ndarray, shape (L,)
        Flow over design flow [-].
    tau_s, since_s : ndarray, shape (L,)
        Time constant of pumps and water column, and when the ramp began [s].
    """

    start: Floats
    target: Floats
    tau_s: Floats
    since_s: Floats

    @classmethod
    def steady(cls, flow_fraction: Floats) -> "FlowRamp":
        """Flows that do not move."""
        zeros = np.zeros_like(flow_fraction)
        return cls(flow_fraction, flow_fraction, zeros + 1.0, zeros)

    def at(self, t_s: float) -> Floats:
        """Flow fraction of each loop at t_s, shape (L,) [-]."""
        gap = (self.start - self.target) * np.exp(-np.maximum(t_s - self.since_s, 0.0) / self.tau_s)
        flow: Floats = np.where(np.abs(gap) > FLOW_SETTLED, self.target + gap, self.target)
        return flow

    def settled_s(self) -> float:
        """When the last loop has arrived [s]."""
        gap = np.abs(self.start - self.target)
        moving = gap > FLOW_SETTLED
        if not moving.any():
            return -np.inf
        decay_s = self.tau_s[moving] * np.log(gap[moving] / FLOW_SETTLED)
        return float(np.max(self.since_s[moving] + decay_s)) + SETTLE_MARGIN_S

    def towards(self, t_s: float, loop: int, target: float, tau_s: float) -> "FlowRamp":
        """The same, with one loop heading for a new target from where it is at t_s."""
        start, aim = self.at(t_s), self.target.copy()
        tau, since = self.tau_s.copy(), self.since_s.copy()
        others = np.arange(start.size) != loop
        start[others] = self.start[others]
        aim[loop], tau[loop], since[loop] = target, tau_s, t_s
        return FlowRamp(start, aim, tau, since)

    def same_as(self, other: "FlowRamp") -> bool:
        """Whether both give the same flows for ever."""
        return self is other or (
            np.array_equal(self.start, other.start)
            and np.array_equal(self.target, other.target)
            and np.array_equal(self.tau_s, other.tau_s)
            and np.array_equal(self.since_s, other.since_s)
        )


@dataclass(frozen=True, slots=True)
class ThermalInputs:
    """Everything that is constant between two events, or a known function of time.

    Attributes
    ----------
    base_w, dyn_w : ndarray, shape (G,)
        Power per GPU of each group: GPU i draws base + s_i dyn, leakage excluded [W].
    leak_w_k : ndarray, shape (G,)
        Leakage slope, times load fraction [W/K]; taken at the step's start: leak_w_k (clip(T_j) - 60 C).
    loop_heat_w : ndarray, shape (L,)
        Heat into the return side besides GPUs: CPUs, NICs, pumps [W].
    hall_heat_w : ndarray, shape (H,)
        Heat into room air besides GPUs [W].
    flow : FlowRamp
    plant : PlantState
    sink_c, sink_slope_k_s : ndarray, shape (P,)
        Temperature that the plant rejects to, or holds its supply at, at `sink_since_s` [C], and its rate of change
        [K/s].
    sink_since_s : float
        [s].
    error_weight : ndarray, shape (G,), optional
        How much a group's die error counts for the size of a step: less where nobody works on it; none: 1 [-].
    bypass_w : ndarray, shape (L + H,), optional
        Heat that mixing valves keep in the supply of each loop, and in the air of each hall, and take off the return of
        its plant; none: 0 [W].
    """

    base_w: Floats
    dyn_w: Floats
    leak_w_k: Floats
    loop_heat_w: Floats
    hall_heat_w: Floats
    flow: FlowRamp
    plant: PlantState
    sink_c: Floats
    sink_slope_k_s: Floats
    sink_since_s: float
    error_weight: Floats | None = None
    bypass_w: Floats | None = None

    def sink_at(self, t_s: float) -> Floats:
        """Sink temperature at t_s, shape (P,) [C]."""
        result: Floats = self.sink_c + self.sink_slope_k_s * (t_s - self.sink_since_s)
        return result


def healthy_plant(network: ThermalNetwork) -> PlantState:
    """All exchangers, room units, facility pumps and heat rejection on."""
    shape = network.shape
    return PlantState(
        np.ones(shape.n_loops), np.ones(shape.n_halls), np.ones(shape.n_plants), np.ones(shape.n_plants)
    )


def inputs_of(
    network: ThermalNetwork,
    groups: Groups,
    base_w: Floats,
    dyn_w: Floats,
    loop_heat_w: Floats,
    hall_heat_w: Floats,
    sink_c: Floats,
) -> ThermalInputs:
    """Inputs of a healthy site at design flow, without leakage and with a constant sink."""
    return ThermalInputs(
        base_w=np.broadcast_to(np.asarray(base_w, dtype=np.float64), groups.n.shape).copy(),
        dyn_w=np.broadcast_to(np.asarray(dyn_w, dtype=np.float64), groups.n.shape).copy(),
        leak_w_k=np.zeros(groups.size),
        loop_heat_w=np.asarray(loop_heat_w, dtype=np.float64),
        hall_heat_w=np.asarray(hall_heat_w, dtype=np.float64),
        flow=FlowRamp.steady(np.ones(network.shape.n_loops)),
        plant=healthy_plant(network),
        sink_c=np.asarray(sink_c, dtype=np.float64),
        sink_slope_k_s=np.zeros(network.shape.n_plants),
        sink_since_s=0.0,
    )


def leak_w(groups: Groups, state: ThermalState, leak_w_k: Floats) -> tuple[Floats, Floats]:
    """Leakage per GPU of each group, and its rise per unit of spread, shapes (G,) [W].

    It is taken at the groups' mean die temperature, clipped to 20..110 C; outside of that it does not rise.
    """
    low_c, high_c = LEAK_CLIP_C
    die_c = state.die_c(groups.mean_s)
    clipped_c = np.minimum(np.maximum(die_c, low_c), high_c)
    rise: Floats = leak_w_k * state.chain[:, 0, 1] * (clipped_c == die_c)
    return leak_w_k * (clipped_c - LEAK_REF_C), rise
