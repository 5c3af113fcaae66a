"""Walking the thermal network from event to event: dt on a ladder of factor sqrt 2, steered by the error.

Tolerance 0.2 K, restart at 0.5 s after an event, no cap but the caller's. Method: PHYSICS.md section 3. What the dies
allow is foreseen, at an event and after each step; what the step then is wrong by decides whether it stands.
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats
from twin.physics.thermal_crossing import HEADING_TOL_K, REST_K, Band, first_passed_s
from twin.physics.thermal_inputs import ThermalInputs
from twin.physics.thermal_network import Groups, ThermalNetwork, ThermalState
from twin.physics.thermal_step import EnergyTerms, ThermalStepper

__all__ = ["AcceptedStep", "EnergyTerms", "Integrator", "ThermalStepper", "ladder_dt_s"]

TOL_K = 0.2
RESTART_DT_S = 0.5
REJECT_DT_S = 0.25
RUNGS = 27
"""From the first step after a jump of flow, 0.5 s, to the longest that is foreseen, 68 min."""
FOLLOW_K, FOLLOW_RUNG = 1.0, 8
"""Leakage and clocks are constant through a step: dies that feel them and have further to go begin with 8 s."""
AIM_K = 0.81 * TOL_K
"""Error that the size of the next step aims at: 0.9 of the size that would just pass."""
LEAP = 2
"""Rungs that a step is longer than the one before at most: it doubles where the dies' error is foreseen to allow it."""
UNKNOWN = -3
"""Below the rung of the shortest step."""


class Rungs(NamedTuple):
    """Inputs for the size of the next step: rungs of the ladder.

    Attributes
    ----------
    error : int
        The error of the step before allows it; `UNKNOWN` where powers have changed since.
    most : int
        Where the dies' error is foreseen to allow it too.
    """

    error: int
    most: int


class AcceptedStep(NamedTuple):
    """One accepted step: where it began, where it ended.

    Attributes
    ----------
    t0_s, t1_s : float
        [s].
    state0, state1 : State
    error_k : float
        Error estimate [K]; of a step that was cut short, that of the whole; 0 where none was asked for.
    energy : EnergyTerms
    rungs : Rungs
        What the size of the next one goes by.
    heading : bool
        Whether something above the groups may be outside the integrator's band, or leave it soon.
    bound : bool
        Whether it will, as far as can be told: it would rest outside.
    """

    t0_s: float
    t1_s: float
    state0: ThermalState
    state1: ThermalState
    error_k: float
    energy: EnergyTerms
    rungs: Rungs
    heading: bool = True
    bound: bool = False

    def at(self, t_s: float) -> ThermalState:
        """Temperatures inside the step, linear between its ends; for looking, never for going on."""
        share = (t_s - self.t0_s) / (self.t1_s - self.t0_s)
        chain = self.state0.chain + share * (self.state1.chain - self.state0.chain)
        return ThermalState(chain, self.state0.upper + share * (self.state1.upper - self.state0.upper))


def ladder_dt_s(rung: int) -> float:
    """Step of a rung: 0.5 s x sqrt(2)^rung [s]."""
    return RESTART_DT_S * math.pow(2.0, 0.5 * rung)


LADDER_S = np.array([ladder_dt_s(rung) for rung in range(RUNGS)])


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
    band : Band, optional
        Where nothing happens to temperatures above the groups: those that will leave it are followed finer.
    driven : bool
        Whether sinks are on their way, so that where temperatures would rest now says nothing.
    """

    def __init__(
        self,
        network: ThermalNetwork,
        groups: Groups,
        inputs: ThermalInputs,
        state: ThermalState,
        t_s: float = 0.0,
    ) -> None:
        self.stepper = ThermalStepper(network, groups, inputs)
        self.state = state
        self.t_s = t_s
        self.dt_cap_s = math.inf
        self.band: Band | None = None
        self.driven = False
        self.rungs = Rungs(0, 0)

    @property
    def dt_s(self) -> float:
        """Step the integrator would try next, caps aside [s]."""
        return ladder_dt_s(self._next_rung(math.inf))

    def change(
        self,
        inputs: ThermalInputs,
        groups: Groups | None = None,
        state: ThermalState | None = None,
        restart: bool = True,
    ) -> None:
        """An event at the present time: new inputs, perhaps split or merged groups with their state.

        Parameters
        ----------
        inputs : ThermalInputs
        groups, state : optional
            New groups and the state that goes with them.
        restart : bool
            Whether the step restarts at 0.5 s, as it must where flows change; else at the last at which the dies'
            error, foreseen for the heat they have too much now, is within the tolerance.
        """
        self.stepper.change(inputs, groups)
        if state is not None:
            self.state = state
        self.rungs = Rungs(0, 0) if restart else Rungs(UNKNOWN, self.rungs.most)

    def _next_rung(self, cap_s: float) -> int:
        """Rung of the next step, not above a cap [s]: foreseen at what is known when it is taken."""
        error, most = self.rungs
        most = most if math.isinf(cap_s) else min(most, _rung_below(cap_s))
        still = self.t_s >= self.stepper.settled_s
        if error < most and (still or error == UNKNOWN):
            return max(error, self._rung_foreseen(most))
        return error if math.isinf(cap_s) else min(error, _rung_below(cap_s))

    def _rung_foreseen(self, most: int) -> int:
        """Highest rung up to `most` that the dies allow, if flows and loops stayed as they are."""
        if most <= 0:
            return most
        error_k, away_k = self.stepper.foreseen_k(self.state, self.t_s, LADDER_S, most + 1, AIM_K)
        over = (error_k > AIM_K).nonzero()[0]
        rung = max(int(over[0]) - 1, 0) if over.size else min(most, RUNGS)
        return min(rung, FOLLOW_RUNG) if away_k > FOLLOW_K else rung

    def restore(self, t_s: float, state: ThermalState, rungs: Rungs) -> None:
        """Go back to a known point, for instance the start of a step or a snapshot."""
        self.t_s, self.state, self.rungs = t_s, state, rungs

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
        flow_s = self.stepper.flow_dt_s(self.t_s)
        rung = self._next_rung(min(self.dt_cap_s, flow_s))
        while True:
            dt_s = ladder_dt_s(rung)
            whole = dt_s < left_s
            taken_s = dt_s if whole else _odd_dt_s(left_s)
            # What is left before a known change is a part of a step that is believed to pass as a whole.
            estimate = whole or not math.isinf(flow_s)
            state, error_k, energy = self.stepper.step(self.state, self.t_s, taken_s, whole, estimate)
            heading = None if self.band is None else self.band.heading(self.state.upper, state.upper)
            bound = None if heading is None else self._bound(heading, state)
            if bound is not None:
                if not estimate:
                    self.stepper.step(self.state, self.t_s, taken_s, whole)
                error_k = max(error_k, TOL_K / HEADING_TOL_K * self.stepper.error_above_k(bound))
            ratio = math.sqrt(AIM_K / error_k) if error_k > 0.0 else math.inf
            if error_k <= TOL_K or taken_s <= REJECT_DT_S:
                break
            rung = _rung_below(taken_s * max(0.3, min(ratio, 0.9)))
        t0_s, state0 = self.t_s, self.state
        self.t_s, self.state = t0_s + taken_s if whole else t_end_s, state
        passed = max(_rung_below(dt_s * min(2.0, ratio)), -2) if whole else rung
        self.rungs = Rungs(passed, max(passed, rung + LEAP) if bound is None else passed)
        flags = heading is not None, bound is not None
        return AcceptedStep(t0_s, self.t_s, state0, state, error_k, energy, self.rungs, *flags)

    def _bound(self, heading: NDArray[np.bool_], after: ThermalState) -> NDArray[np.bool_] | None:
        """Which of what heads out of the band will leave it: it is outside already, or would rest there; None: none."""
        assert self.band is not None
        bound = heading
        if not self.driven:
            rest_c = self.stepper.rest_c(after, self.t_s)
            outside_k = np.maximum(self.band.excess_k(after.upper), self.band.excess_k(rest_c) + REST_K)
            bound = heading & (outside_k > 0.0)
        return bound if np.count_nonzero(bound) else None

    def cut(self, step: AcceptedStep, excess_k: Callable[[ThermalState], Floats]) -> AcceptedStep:
        """Cut a step where the first of several limits is passed, and stand there; return it whole if none is.

        Parameters
        ----------
        step : AcceptedStep
            Made with the present inputs and groups.
        excess_k : callable
            How far everything watched is past its limit in a state [K].
        """
        after_k = excess_k(step.state1)
        if not np.count_nonzero(after_k > 0.0):
            return step
        hit_s = first_passed_s(
            lambda t_s: excess_k(self.truncate(step, t_s).state1),
            step.t0_s,
            step.t1_s,
            excess_k(step.state0),
            after_k,
        )
        return self.truncate(step, hit_s)

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
            taken_s = _odd_dt_s(t_s - accepted.t0_s)
            state, _, energy = self.stepper.step(
                accepted.state0, accepted.t0_s, taken_s, on_ladder=False, estimate=False
            )
            accepted = accepted._replace(t1_s=t_s, state1=state, energy=energy)
        self.t_s, self.state = accepted.t1_s, accepted.state1
        return accepted

    def run(self, t_end_s: float) -> Iterator[AcceptedStep]:
        """Accepted steps up to t_end_s exactly."""
        while self.t_s < t_end_s:
            yield self.step(t_end_s)


def _odd_dt_s(dt_s: float) -> float:
    """A step off the ladder to the microsecond, so that waits of equal length share their factors [s]."""
    return round(dt_s, 6) if dt_s > 1e-3 else dt_s


def _rung_below(dt_s: float) -> int:
    """Highest rung whose step does not exceed dt_s."""
    return math.floor(2.0 * math.log2(dt_s / RESTART_DT_S) + 1e-9)
