"""One SDIRK2 step of the thermal network, with its error estimate and exact energy booking.

S1 = solve(gamma dt, T0); S2 = solve(gamma dt, T0 + (1-gamma)/gamma (S1 - T0)), gamma = 1 - 1/sqrt 2; S2 is
the result and err = 0.25 max |S2 - backward Euler| over dies, and four times that of loop supplies and hall air.
PHYSICS.md section 3.
"""

import math
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats, highest
from twin.physics.thermal_foresight import Foresight
from twin.physics.thermal_inputs import ThermalInputs, leak_w
from twin.physics.thermal_network import Groups, ThermalNetwork, ThermalState, uniform_state
from twin.physics.thermal_paths import HeatPaths, water_paths_w_k
from twin.physics.thermal_solve import GroupIndex, Operator
from twin.physics.thermal_stages import GAMMA, StepFactors, step_end

ERROR_SHARE = 0.25
AIR_WEIGHT = 4.0
"""Errors of loop supplies and hall air count so much more than those of dies: they last, and limits of air are slow."""
FLOW_DT_SHARE = 0.5
"""While a loop's flow moves, dt is at most this share of the fastest moving time constant."""
ODD_STEPS = 32
"""Factors kept for steps off the ladder."""
KNOWN_FLOWS = 16
"""Flows and plant states whose factors are kept."""
STEADY_H_S = 1e9
"""Step of the backward Euler sweeps that find the steady state [s]."""


class EnergyTerms(NamedTuple):
    """Energy of one step [J]: in_j = out_j + stored_j up to rounding.

    Attributes
    ----------
    in_j : float
        GPU power, leakage, node and room heat.
    out_j : float
        To the sinks of all plants.
    stored_j : float
        Change of heat stored in GPUs, loops, halls and plants.
    """

    in_j: float
    out_j: float
    stored_j: float

    @property
    def residual(self) -> float:
        """|in - out - stored| over the largest of them [-]."""
        scale = max(abs(self.in_j), abs(self.out_j), abs(self.stored_j), 1e-300)
        return abs(self.in_j - self.out_j - self.stored_j) / scale


@dataclass
class Factors:
    """What is worked out for one plant state and flows that stand, by step; steps off the ladder, the oldest first."""

    operators: dict[float, Operator] = field(default_factory=dict)
    odd: dict[float, Operator] = field(default_factory=dict)
    steps: dict[float, StepFactors] = field(default_factory=dict)
    paths: HeatPaths | None = None
    foresight: Foresight | None = None


class ThermalStepper:
    """Single steps of given size for one network, set of groups and inputs; owns the cached factors.

    Parameters
    ----------
    network : Network
    groups : Groups
    inputs : ThermalInputs
        ValueError when arrays do not fit the groups, or the groups do not add up to the network's GPUs.
    """

    def __init__(self, network: ThermalNetwork, groups: Groups, inputs: ThermalInputs) -> None:
        self.network, self.inputs = network, inputs
        self._known: dict[bytes, Factors] = {}  # by flows and plant state, the latest last
        self._steady_sink: tuple[Floats, Floats] | None = None
        # Heat into all nodes, valves aside, and with them; none: not asked for since it changed [W].
        self._unmixed: Floats | None
        self._besides: tuple[Floats, Floats, float] | None = None  # heat besides GPUs, and the sum of it [W]
        self._source: Floats | None
        self._leak: tuple[ThermalState, Floats, Floats, float] | None = None  # of the state last asked for
        self._leaking: tuple[Floats, ThermalState, Floats] | None = (
            None  # the same with the sources it came on top of
        )
        self.apart_k = np.zeros(0)  # the latest estimated step less backward Euler, above the groups [K]
        self._set_plant(inputs)
        self._set_groups(groups)
        self._set_inputs(inputs)

    def change(self, inputs: ThermalInputs, groups: Groups | None = None) -> None:
        """New inputs, and new groups where they were split or merged; keeps the factors that still hold."""
        same_plant = inputs.flow.same_as(self.inputs.flow) and inputs.plant.same_as(self.inputs.plant)
        if not same_plant:
            self._set_plant(inputs)
        if groups is not None and groups is not self.groups:
            self._set_groups(groups)
        self._set_inputs(inputs)

    def follow(
        self, sink_c: Floats, slope_k_s: Floats, since_s: float, bypass_w: Floats | None = None
    ) -> None:
        """Let the sink, and the valves' bypass where given, be others from since_s on; all else holds."""
        self.inputs = replace(self.inputs, sink_c=sink_c, sink_slope_k_s=slope_k_s, sink_since_s=since_s)
        self._drifts = np.count_nonzero(slope_k_s) > 0
        if bypass_w is not None:
            self.inputs = replace(self.inputs, bypass_w=bypass_w)
            self._source = None
        self._steady_sink = None

    def _diverted(self, unmixed_w: Floats, bypass_w: Floats) -> Floats:
        """Return the sources with heat kept in loops and halls: it never reaches the return of their plants."""
        shape, source = self.network.shape, unmixed_w.copy()
        upper = source[8 * self.groups.size :]
        upper[shape.n_loops : 2 * shape.n_loops + shape.n_halls] += bypass_w
        upper[-2 * shape.n_plants : -shape.n_plants] -= shape.valves_on_plant @ bypass_w
        return source

    def step(
        self, state: ThermalState, t_s: float, dt_s: float, on_ladder: bool, estimate: bool = True
    ) -> tuple[ThermalState, float, EnergyTerms]:
        """One SDIRK2 step.

        Parameters
        ----------
        state : State
            Temperatures at t_s.
        t_s, dt_s : float
            Start and length [s].
        on_ladder : bool
            Whether this dt comes again, so that its factors are worth keeping.
        estimate : bool
            Whether the error is asked for; of a part of a step that was good it is not.

        Returns
        -------
        State, float, EnergyTerms
            Temperatures at t_s + dt_s, error estimate [K], energy booked.
        """
        first_s, end_s = t_s + GAMMA * dt_s, t_s + dt_s
        moving = first_s < self.settled_s
        sink_1, source_1 = self.sink_and_source(first_s)
        sink_2, source_2 = self.sink_and_source(end_s)
        n_groups, leak_total_w = self.groups.size, 0.0
        if self.leaks:
            leak_total_w = self._leakage(state)[3]
            alike = source_1 is source_2
            source_1 = self._with_leak(source_1, state)
            source_2 = source_1 if alike else self._with_leak(source_2, state)

        start, whole = state.flat(), None
        if estimate and on_ladder and not moving:
            whole = self._step_factors(dt_s)
        if whole is not None:
            end, stage_c, die_k, self.apart_k = whole.step_end(self._index, state, source_1, source_2)
        else:
            stage = self._operator(GAMMA * dt_s, first_s, on_ladder and not moving)
            second = self._operator(GAMMA * dt_s, end_s, on_ladder) if moving else stage
            euler = self._operator(dt_s, end_s, on_ladder) if estimate else None
            end, stage_c, die_k, self.apart_k = step_end(
                stage, second, euler, self._index, start, source_1, source_2
            )
        error = self._error_k(die_k, self.apart_k) if estimate else 0.0
        out_w = self._rejected_w(stage_c, sink_1, end, sink_2)
        energy = EnergyTerms(
            in_j=dt_s * (self._input_w + leak_total_w),
            out_j=dt_s * out_w,
            stored_j=float((end - start).dot(self._stored_j_k)),
        )
        return ThermalState.of(end, n_groups), error, energy

    def error_above_k(self, which: NDArray[np.bool_]) -> float:
        """Largest error, in the latest estimated step, of some of the unknowns above the groups [K]."""
        return ERROR_SHARE * highest(np.abs(self.apart_k[which]))

    def leak_w(self, state: ThermalState) -> Floats:
        """Leakage per GPU of each group in a step that begins in this state, shape (G,) [W]."""
        return self._leakage(state)[1]

    def _leakage(self, state: ThermalState) -> tuple[ThermalState, Floats, Floats, float]:
        """Return leakage per GPU of each group, its rise per unit of spread, and that of all GPUs [W], of a state."""
        known = self._leak
        if known is None or known[0] is not state:
            leak, rise = leak_w(self.groups, state, self.inputs.leak_w_k)
            self._leak = known = state, leak, rise, float(self.groups.n.dot(leak))
        return known

    def _with_leak(self, source_w: Floats, state: ThermalState) -> Floats:
        """Sources with the leakage of a step that begins in this state added to every group's die [W].

        Leakage goes with each die's own temperature, so it has a spread part too; both are those at the mean die.
        """
        known = self._leaking
        if known is None or known[0] is not source_w or known[1] is not state:
            (_, leak, rise, _), n_chain = self._leakage(state), 8 * self.groups.size
            result = source_w.copy()
            result[:n_chain:8] += leak - self.groups.mean_s * rise
            result[1:n_chain:8] += rise
            self._leaking = known = source_w, state, result
        return known[2]

    def foreseen_k(
        self,
        state: ThermalState,
        t_s: float,
        dt_s: Floats,
        count: int | None = None,
        notable_k: float = 0.0,
    ) -> tuple[Floats, float]:
        """Error estimate of steps (M,) that begin in this state, if flows and loops stayed as they are [K].

        `dt_s` is the same at each call: what it takes is kept. Of them the first `count` are asked for; none: all.
        The other figure is how far dies whose power depends on their temperature are from where they will come to
        rest, at most [K]. Groups that nothing of the kind can be above `notable_k` of are left out.
        """
        factors, index = self._factors, self._index
        if factors.foresight is None:
            factors.foresight = Foresight(self._paths_at(max(t_s, self.settled_s)), dt_s)
        foresight = factors.foresight
        _, source = self.sink_and_source(t_s)
        if self.leaks:
            source = self._with_leak(source, state)
        surplus_w = foresight.surplus_w(state, source, index)
        groups = (foresight.most_k(surplus_w, index) * self._heeded > notable_k).nonzero()[0]
        steps = dt_s.size if count is None else min(count, dt_s.size)
        if not groups.size:
            return np.zeros(steps), 0.0
        apart_k = foresight.apart_k(surplus_w, index, groups, steps)
        np.abs(apart_k, out=apart_k)
        away_k = highest(apart_k[0] * self._leaks[groups], 0.0) if self.leaks else 0.0
        apart_k *= self._weight[groups]
        return ERROR_SHARE * np.maximum.reduce(apart_k[1:], axis=1, initial=0.0), away_k

    def power_w(self, state: ThermalState) -> float:
        """Heat of everything in a step that begins in this state [W]."""
        if not self.leaks:
            return self._input_w
        return self._input_w + self._leakage(state)[3]

    def sink_c(self, at_s: float) -> Floats:
        """Temperature each plant rejects to at a time, shape (P,) [C]."""
        return self.sink_and_source(at_s)[0]

    def steady(self, guess_c: float = 30.0) -> ThermalState:
        """Steady state at the flows and sink of the end of all ramps, leakage settled.

        Backward Euler sweeps of 1e9 s, so that standing loops and empty halls stay legal.
        """
        at_s = max(self.settled_s, 0.0)
        operator = self._operator(STEADY_H_S, at_s, keep=False)
        state = uniform_state(self.network, self.groups, guess_c)
        _, source = self.sink_and_source(at_s)
        for _ in range(200):
            old = state.flat()
            new = operator.solve(self._index, old, self._with_leak(source, state))
            change = np.abs(new - old).max()
            state = ThermalState.of(new, self.groups.size)
            if change < 1e-10:
                break
        return state

    def rest_c(self, state: ThermalState, t_s: float) -> Floats:
        """Where everything above the groups would come to rest with the present leakage, shape (2L + H + 2P,) [C]."""
        at_s = max(t_s, self.settled_s)
        _, source = self.sink_and_source(at_s)
        if self.leaks:
            source = self._with_leak(source, state)
        flat_c = self._operator(STEADY_H_S, at_s, keep=True).solve(self._index, state.flat(), source)
        return flat_c[8 * self.groups.size :]

    def flow_dt_s(self, t_s: float) -> float:
        """Largest step that still resolves moving flows [s]; inf when they stand."""
        if t_s >= self.settled_s:
            return math.inf
        flow = self.inputs.flow
        moving = flow.at(t_s) != flow.target
        return FLOW_DT_SHARE * float(flow.tau_s[moving].min()) if moving.any() else math.inf

    def _set_groups(self, groups: Groups) -> None:
        if not groups.fits(self.network):
            raise ValueError("groups do not add up to the GPUs installed on each loop")
        self.groups = groups
        self._index = GroupIndex(self.network, groups)
        self._stored_j_k = self._index.capacity_j_k.copy()
        chain_j_k = self._stored_j_k[: 8 * groups.size].reshape(-1, 4, 2)
        chain_j_k *= self._index.members
        self._shares = self.network.heat_shares.take(groups.part, axis=0)
        self._occupied = groups.n > 0.0

    def _set_plant(self, inputs: ThermalInputs) -> None:
        self.settled_s = inputs.flow.settled_s()
        flow, to_supply, from_supply, self._reject_w_k = water_paths_w_k(self.network, inputs.plant)
        self._water_w_k = np.concatenate([flow - to_supply, from_supply - flow])
        # Fans and pumps come back to the same few stages again and again.
        key = b"".join(values.tobytes() for values in (inputs.flow.target, *inputs.plant.figures))
        self._known[key] = self._factors = self._known.pop(key) if key in self._known else Factors()
        if len(self._known) > KNOWN_FLOWS:
            del self._known[next(iter(self._known))]

    def _set_inputs(self, inputs: ThermalInputs) -> None:
        groups, shape, size = self.groups, self.network.shape, self.groups.n.shape
        if not inputs.base_w.shape == inputs.dyn_w.shape == inputs.leak_w_k.shape == size:
            raise ValueError(f"powers must have one entry for each of the {groups.size} groups")
        if inputs.loop_heat_w.shape != (shape.n_loops,) or inputs.hall_heat_w.shape != (shape.n_halls,):
            raise ValueError("loop_heat_w and hall_heat_w must have one entry per loop and per hall")
        self.inputs = inputs
        self._unmixed = self._source = self._steady_sink = None
        gpu_w = float(groups.n.dot(inputs.base_w) + groups.sum_s.dot(inputs.dyn_w))
        known, besides = self._besides, (inputs.loop_heat_w, inputs.hall_heat_w)
        if known is None or known[0] is not besides[0] or known[1] is not besides[1]:
            self._besides = known = *besides, float(np.add.reduce(besides[0]) + np.add.reduce(besides[1]))
        self._input_w = gpu_w + known[2]
        self.leaks = np.count_nonzero(inputs.leak_w_k) > 0
        self._drifts = np.count_nonzero(inputs.sink_slope_k_s) > 0
        self._leak = self._leaking = None
        self._leaks = self._occupied & (inputs.leak_w_k > 0.0)
        self._weight = self._occupied * (1.0 if inputs.error_weight is None else inputs.error_weight)
        self._heeded = np.maximum(self._weight, self._leaks)

    def _sources(self) -> Floats:
        """Return the heat into all nodes, sinks and leakage aside [W]."""
        inputs, shape = self.inputs, self.network.shape
        if self._unmixed is None:
            n_chain = 8 * self.groups.size
            self._unmixed = source = np.zeros(n_chain + shape.n_upper)
            chain, upper = source[:n_chain].reshape(-1, 4, 2), source[n_chain:]
            np.multiply(self._shares, inputs.base_w[:, None], out=chain[:, :2, 0])
            np.multiply(self._shares, inputs.dyn_w[:, None], out=chain[:, :2, 1])
            upper[: shape.n_loops] = inputs.loop_heat_w
            upper[2 * shape.n_loops : 2 * shape.n_loops + shape.n_halls] = inputs.hall_heat_w
        if self._source is None:
            bypass_w = inputs.bypass_w
            self._source = self._unmixed if bypass_w is None else self._diverted(self._unmixed, bypass_w)
        return self._source

    def _operator(self, h_s: float, at_s: float, keep: bool) -> Operator:
        if at_s < self.settled_s:
            return Operator(self._paths_at(at_s), 1.0 / h_s)
        factors = self._factors
        known = factors.operators if keep else factors.odd
        operator = known.get(h_s)
        if operator is None:
            known[h_s] = operator = Operator(self._paths_at(at_s), 1.0 / h_s)
            if len(factors.odd) > ODD_STEPS:  # waits of fixed length end in the same odd step again and again
                del factors.odd[next(iter(factors.odd))]
        return operator

    def _step_factors(self, dt_s: float) -> StepFactors | None:
        """Return the factors of a whole step while flows stand; none where chains are of several kinds."""
        if not self._paths_at(math.inf).alike:
            return None
        known = self._factors.steps
        if dt_s not in known:
            stage, euler = (self._operator(h_s, math.inf, keep=True) for h_s in (GAMMA * dt_s, dt_s))
            known[dt_s] = StepFactors(stage, euler)
        return known[dt_s]

    def _paths_at(self, at_s: float) -> HeatPaths:
        if at_s < self.settled_s:
            return HeatPaths(self.network, self.inputs.flow.at(at_s), self.inputs.plant)
        factors = self._factors
        if factors.paths is None:
            factors.paths = HeatPaths(self.network, self.inputs.flow.target, self.inputs.plant)
        return factors.paths

    def sink_and_source(self, at_s: float) -> tuple[Floats, Floats]:
        """Sink temperature at a time [C], and the heat into all nodes with it as a source, leakage aside [W]."""
        if self._steady_sink is not None:
            return self._steady_sink
        sink_c, source = self.inputs.sink_at(at_s), self._sources().copy()
        source[-self.network.shape.n_plants :] += self._reject_w_k * sink_c
        if not self._drifts:
            self._steady_sink = sink_c, source
        return sink_c, source

    def _rejected_w(self, stage_c: Floats, sink_1_c: Floats, end_c: Floats, sink_2_c: Floats) -> float:
        """Heat to the sinks in the mean of a step whose two stages come to these temperatures, as `flat` [W]."""
        water = slice(-self._water_w_k.size, None)
        sent_w = (1.0 - GAMMA) * self._water_w_k.dot(stage_c[water]) + GAMMA * self._water_w_k.dot(
            end_c[water]
        )
        sink_c = sink_1_c if sink_1_c is sink_2_c else (1.0 - GAMMA) * sink_1_c + GAMMA * sink_2_c
        return float(sent_w - self._reject_w_k.dot(sink_c))

    def _error_k(self, die_k: Floats, apart_k: Floats) -> float:
        """Largest error as it counts, where two results are apart by this at dies and above the groups [K]."""
        n_loops, n_halls = self.network.shape.n_loops, self.network.shape.n_halls
        air = np.abs(apart_k[n_loops : 2 * n_loops + n_halls])
        return ERROR_SHARE * highest(np.abs(die_k) * self._weight, AIR_WEIGHT * highest(air, 0.0))
