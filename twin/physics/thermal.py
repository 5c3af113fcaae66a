"""Time stepping of the thermal network: SDIRK2 with an exact error estimate and exact energy booking.

S1 = solve(gamma dt, T0); S2 = solve(gamma dt, T0 + (1-gamma)/gamma (S1 - T0)), gamma = 1 - 1/sqrt 2; S2 is
the result and err = 0.25 max |S2 - backward Euler| over die and loop supply temperatures steers dt on a
ladder of factor sqrt 2, whose factors are cached. Method and constants: PHYSICS.md section 3.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from twin.physics.thermal_constants import Floats
from twin.physics.thermal_inputs import ThermalInputs, leak_w
from twin.physics.thermal_network import Groups, Network, State, uniform_state
from twin.physics.thermal_solve import GroupIndex, GroupOperator, Operator

GAMMA = 1.0 - 1.0 / math.sqrt(2.0)
ERROR_SHARE = 0.25
TOL_K = 0.2
RESTART_DT_S = 0.5
REJECT_DT_S = 0.25
FLOW_DT_SHARE = 0.5
"""While a loop's flow moves, dt is at most this share of the fastest moving time constant."""
STEADY_H_S = 1e9
"""Step of the backward Euler sweeps that find the steady state [s]."""


@dataclass(frozen=True, slots=True)
class EnergyTerms:
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


@dataclass(frozen=True, slots=True)
class AcceptedStep:
    """One accepted step: where it began, where it ended.

    Attributes
    ----------
    t0_s, t1_s : float
        [s].
    state0, state1 : State
    error_k : float
        Error estimate [K].
    energy : EnergyTerms
    dt_next_s : float
        Ladder step proposed for the next one [s].
    """

    t0_s: float
    t1_s: float
    state0: State
    state1: State
    error_k: float
    energy: EnergyTerms
    dt_next_s: float

    def at(self, t_s: float) -> State:
        """Temperatures inside the step, linear between its ends; for looking, never for going on."""
        share = (t_s - self.t0_s) / (self.t1_s - self.t0_s)
        chain = self.state0.chain + share * (self.state1.chain - self.state0.chain)
        return State(chain, self.state0.upper + share * (self.state1.upper - self.state0.upper))

    def first_crossing_s(
        self, hot_s: Floats, limit_c: Floats, groups: Groups, falling: bool = False
    ) -> tuple[float, int]:
        """Earliest time the hottest die of any group rises (or falls) past a limit.

        Parameters
        ----------
        hot_s : ndarray, shape (G,)
            Spread of each group's hottest GPU.
        limit_c : ndarray, shape (G,)
            Limit [C]; inf (-inf when falling) for a group not to be watched.
        groups : Groups
        falling : bool
            Look for dies that cool below the limit instead, for the release of a throttle.

        Returns
        -------
        float, int
            Time [s], linear inside the step, and group; (inf, -1) when none does.
        """
        before, after = self.state0.die_c(hot_s), self.state1.die_c(hot_s)
        if falling:
            crossing = (before > limit_c) & (after <= limit_c) & (groups.n > 0.0)
        else:
            crossing = (before < limit_c) & (after >= limit_c) & (groups.n > 0.0)
        if not crossing.any():
            return math.inf, -1
        share = np.full(before.shape, math.inf)
        share[crossing] = (limit_c[crossing] - before[crossing]) / (after[crossing] - before[crossing])
        group = int(np.argmin(share))
        return self.t0_s + float(share[group]) * (self.t1_s - self.t0_s), group


class ThermalStepper:
    """Single steps of given size for one network, set of groups and inputs; owns the cached factors.

    Parameters
    ----------
    network : Network
    groups : Groups
    inputs : ThermalInputs
        ValueError when arrays do not fit the groups, or the groups do not add up to the network's GPUs.
    """

    def __init__(self, network: Network, groups: Groups, inputs: ThermalInputs) -> None:
        self.network = network
        self._operators: dict[float, Operator] = {}
        self._gathered: dict[float, GroupOperator] = {}
        self._part_hbm = network.part_table["hbm_share"]
        self._set_groups(groups)
        self._set_inputs(inputs)

    def change(self, inputs: ThermalInputs, groups: Groups | None = None) -> None:
        """New inputs, and new groups where they were split or merged; keeps the factors that still hold."""
        same_plant = inputs.flow.same_as(self.inputs.flow) and inputs.plant.same_as(self.inputs.plant)
        if not same_plant:
            self._operators.clear()
            self._gathered.clear()
        if groups is not None and groups is not self.groups:
            self._set_groups(groups)
        self._set_inputs(inputs)

    def step(
        self, state: State, t_s: float, dt_s: float, on_ladder: bool
    ) -> tuple[State, float, EnergyTerms]:
        """One SDIRK2 step.

        Parameters
        ----------
        state : State
            Temperatures at t_s.
        t_s, dt_s : float
            Start and length [s].
        on_ladder : bool
            Whether this dt comes again, so that its factors are worth keeping.

        Returns
        -------
        State, float, EnergyTerms
            Temperatures at t_s + dt_s, error estimate [K], energy booked.
        """
        first_s, end_s = t_s + GAMMA * dt_s, t_s + dt_s
        moving = first_s < self._settled_s
        leak = leak_w(self.groups, state, self.inputs.leak_w_k)
        source = self._chain_source.copy()
        source[:, 0, 0] += leak

        one = self._operator(GAMMA * dt_s, first_s, on_ladder and not moving)
        upper_one = self._upper_source(one, first_s)
        chain_1, upper_1 = one.solve(state.chain, state.upper, source, upper_one)

        two = self._operator(GAMMA * dt_s, end_s, on_ladder) if moving else one
        ahead = (1.0 - GAMMA) / GAMMA
        upper_two = self._upper_source(two, end_s)
        chain_2, upper_2 = two.solve(
            state.chain + ahead * (chain_1 - state.chain),
            state.upper + ahead * (upper_1 - state.upper),
            source,
            upper_two,
        )
        euler = self._operator(dt_s, end_s, on_ladder)
        chain_e, upper_e = euler.solve(state.chain, state.upper, source, upper_two)
        error = self._error_k(chain_2 - chain_e, upper_2 - upper_e)

        result = State(chain_2, upper_2)
        out_w = (1.0 - GAMMA) * self._rejected_w(one, upper_1, first_s)
        out_w += GAMMA * self._rejected_w(two, upper_2, end_s)
        energy = EnergyTerms(
            in_j=dt_s * (self._input_w + float(self.groups.n @ leak)),
            out_j=dt_s * out_w,
            stored_j=self.stored_j(state, result),
        )
        return result, error, energy

    def steady(self, guess_c: float = 30.0) -> State:
        """Steady state at the flows and sink of the end of all ramps, leakage settled.

        Backward Euler sweeps of 1e9 s, so that standing loops and empty halls stay legal.
        """
        at_s = max(self._settled_s, 0.0)
        operator = self._operator(STEADY_H_S, at_s, keep=False)
        state = uniform_state(self.network, self.groups, guess_c)
        sink = self._upper_source(operator, at_s)
        for _ in range(200):
            source = self._chain_source.copy()
            source[:, 0, 0] += leak_w(self.groups, state, self.inputs.leak_w_k)
            chain, upper = operator.solve(state.chain, state.upper, source, sink)
            change = max(np.abs(chain - state.chain).max(), np.abs(upper - state.upper).max())
            state = State(chain, upper)
            if change < 1e-10:
                break
        return state

    def stored_j(self, before: State, after: State) -> float:
        """Heat stored between two states of these groups [J]."""
        groups_j = np.einsum("gij,gij->", after.chain - before.chain, self._chain_weight)
        return float(groups_j + self.network.upper_capacity_j_k @ (after.upper - before.upper))

    def flow_dt_s(self, t_s: float) -> float:
        """Largest step that still resolves moving flows [s]; inf when they stand."""
        if t_s >= self._settled_s:
            return math.inf
        flow = self.inputs.flow
        moving = flow.at(t_s) != flow.target
        return FLOW_DT_SHARE * float(flow.tau_s[moving].min()) if moving.any() else math.inf

    def _set_groups(self, groups: Groups) -> None:
        if not groups.fits(self.network):
            raise ValueError("groups do not add up to the GPUs installed on each loop")
        self.groups = groups
        self._gathered.clear()
        self._index = GroupIndex(self.network, groups)
        self._chain_weight = self._index.capacity_j_k * self._index.members
        self._hbm = self._part_hbm[groups.part]
        self._occupied = groups.n > 0.0

    def _set_inputs(self, inputs: ThermalInputs) -> None:
        groups, shape = self.groups, self.network.shape
        per_group = (inputs.base_w, inputs.dyn_w, inputs.leak_w_k)
        if any(values.shape != groups.n.shape for values in per_group):
            raise ValueError(f"powers must have one entry for each of the {groups.size} groups")
        if inputs.loop_heat_w.shape != (shape.n_loops,) or inputs.hall_heat_w.shape != (shape.n_halls,):
            raise ValueError("loop_heat_w and hall_heat_w must have one entry per loop and per hall")
        self.inputs = inputs
        source = np.zeros((groups.size, 4, 2))
        source[:, 0, 0] = (1.0 - self._hbm) * inputs.base_w
        source[:, 0, 1] = (1.0 - self._hbm) * inputs.dyn_w
        source[:, 1, 0] = self._hbm * inputs.base_w
        source[:, 1, 1] = self._hbm * inputs.dyn_w
        self._chain_source = source
        upper = np.zeros(shape.n_upper)
        upper[: shape.n_loops] = inputs.loop_heat_w
        upper[2 * shape.n_loops : 2 * shape.n_loops + shape.n_halls] = inputs.hall_heat_w
        self._upper_heat = upper
        gpu_w = float(groups.n @ inputs.base_w + groups.sum_s @ inputs.dyn_w)
        self._input_w = gpu_w + float(inputs.loop_heat_w.sum() + inputs.hall_heat_w.sum())
        self._settled_s = inputs.flow.settled_s()

    def _operator(self, h_s: float, at_s: float, keep: bool) -> GroupOperator:
        keep = keep and at_s >= self._settled_s
        if keep and h_s in self._gathered:
            return self._gathered[h_s]
        operator = self._operators.get(h_s) if keep else None
        if operator is None:
            inputs = self.inputs
            operator = Operator(self.network, inputs.flow.at(at_s), inputs.plant, 1.0 / h_s, reused=keep)
        gathered = GroupOperator(operator, self._index)
        if keep:
            self._operators[h_s], self._gathered[h_s] = operator, gathered
        return gathered

    def _upper_source(self, gathered: GroupOperator, at_s: float) -> Floats:
        source = self._upper_heat.copy()
        source[-self.network.shape.n_plants :] += gathered.operator.reject * self.inputs.sink_at(at_s)
        return source

    def _rejected_w(self, gathered: GroupOperator, upper: Floats, at_s: float) -> float:
        n_plants = self.network.shape.n_plants
        return float(
            gathered.operator.reject @ (upper[-2 * n_plants : -n_plants] - self.inputs.sink_at(at_s))
        )

    def _error_k(self, chain: Floats, upper: Floats) -> float:
        n_loops = self.network.shape.n_loops
        die = float(np.abs(chain[:, 0, 0] + chain[:, 0, 1])[self._occupied].max(initial=0.0))
        return ERROR_SHARE * max(die, float(np.abs(upper[n_loops : 2 * n_loops]).max()))


def ladder_dt_s(rung: int) -> float:
    """Step of a rung: 0.5 s x sqrt(2)^rung [s]."""
    return RESTART_DT_S * math.pow(2.0, 0.5 * rung)


class Integrator:
    """Walks the thermal network from event to event with steps of its own choice.

    Parameters
    ----------
    network, groups, inputs
        As for `ThermalStepper`.
    state : State
        Temperatures at t_s.
    t_s : float
        Start [s].

    Attributes
    ----------
    t_s, state
        Where it stands; both are replaced, never changed in place.
    dt_cap_s : float
        Upper bound of dt; set it to 1 s while anything throttles, inf otherwise.
    """

    def __init__(
        self, network: Network, groups: Groups, inputs: ThermalInputs, state: State, t_s: float = 0.0
    ) -> None:
        self.stepper = ThermalStepper(network, groups, inputs)
        self.state = state
        self.t_s = t_s
        self.dt_cap_s = math.inf
        self._rung = 0

    @property
    def dt_s(self) -> float:
        """Step the integrator would try next, caps aside [s]."""
        return ladder_dt_s(self._rung)

    def change(
        self,
        inputs: ThermalInputs,
        groups: Groups | None = None,
        state: State | None = None,
        restart: bool = True,
    ) -> None:
        """An event at the present time: new inputs, perhaps split or merged groups with their state.

        Parameters
        ----------
        inputs : ThermalInputs
        groups, state : optional
            New groups and the state that goes with them.
        restart : bool
            Whether the step restarts at 0.5 s; a change that moves little heat may keep it, the error control
            cuts it where it must.
        """
        self.stepper.change(inputs, groups)
        if state is not None:
            self.state = state
        if restart:
            self._rung = 0

    def restore(self, t_s: float, state: State, dt_s: float) -> None:
        """Go back to a known point, for instance the start of a step or a snapshot."""
        self.t_s, self.state = t_s, state
        self._rung = math.floor(2.0 * math.log2(dt_s / RESTART_DT_S) + 1e-9)

    def step(self, t_end_s: float) -> AcceptedStep:
        """Make one accepted step that does not pass t_end_s.

        Raises
        ------
        ValueError
            When t_end_s is not ahead.
        """
        left_s = t_end_s - self.t_s
        if left_s <= 0.0:
            raise ValueError(f"t_end_s {t_end_s} is not after {self.t_s}")
        cap_s = min(self.dt_cap_s, self.stepper.flow_dt_s(self.t_s))
        while ladder_dt_s(self._rung) > cap_s:
            self._rung -= 1
        while True:
            dt_s = ladder_dt_s(self._rung)
            whole = dt_s < left_s
            taken_s = dt_s if whole else left_s
            state, error_k, energy = self.stepper.step(self.state, self.t_s, taken_s, on_ladder=whole)
            ratio = 0.9 * math.sqrt(TOL_K / error_k) if error_k > 0.0 else math.inf
            if error_k <= TOL_K or taken_s <= REJECT_DT_S:
                break
            self._rung = _rung_below(taken_s * max(0.3, min(ratio, 0.9)))
        if whole:
            self._rung = max(_rung_below(dt_s * min(2.0, ratio)), -2)
        t1_s = self.t_s + taken_s if whole else t_end_s
        accepted = AcceptedStep(self.t_s, t1_s, self.state, state, error_k, energy, ladder_dt_s(self._rung))
        self.t_s, self.state = t1_s, state
        return accepted

    def truncate(self, accepted: AcceptedStep, t_s: float) -> AcceptedStep:
        """Take an accepted step again, only as far as t_s, and stand there.

        For a look-ahead that an earlier event cuts short: call it before `change`, with the step that
        holds t_s.

        Parameters
        ----------
        accepted : AcceptedStep
            A step made with the present inputs and groups.
        t_s : float
            Time after its start; from its end on the step stays as it is [s].
        """
        if t_s < accepted.t1_s:
            taken_s = t_s - accepted.t0_s
            state, error_k, energy = self.stepper.step(
                accepted.state0, accepted.t0_s, taken_s, on_ladder=False
            )
            accepted = AcceptedStep(
                accepted.t0_s, t_s, accepted.state0, state, error_k, energy, accepted.dt_next_s
            )
        self.t_s, self.state = accepted.t1_s, accepted.state1
        return accepted

    def run(self, t_end_s: float) -> Iterator[AcceptedStep]:
        """Accepted steps up to t_end_s exactly."""
        while self.t_s < t_end_s:
            yield self.step(t_end_s)


def _rung_below(dt_s: float) -> int:
    """Highest rung whose step does not exceed dt_s."""
    return math.floor(2.0 * math.log2(dt_s / RESTART_DT_S) + 1e-9)
