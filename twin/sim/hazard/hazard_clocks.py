"""Clocks of components of one sort, whose thresholds are hashed from (seed, component id, count).

A component's clock runs while it is up, whatever it does and whoever uses it, so its whole history depends on nothing
but the seed and its own id. A Weibull law bends the thresholds alone: clocks always run at their rate.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from twin.arrays import Floats, IntP, Ints64, UInts64
from twin.physics import reliability
from twin.scenario.schema.faults import Cause
from twin.sim.core.draws import Draws
from twin.sim.core.state import ArrayField, Derived, Fields, StateField, Stateful


class ClockSet(Stateful):
    """Integrated hazard and next failure of every component.

    Parameters
    ----------
    keys
        Of the components, shape (N,).
    causes
        What strikes them; all of one Weibull shape.
    draws
        Seeds of the run.
    name
        Added to the names of their draws: those of another set are others.
    weight
        Factor on the rate of each component, shape (N,): how many it stands for, its quality; 0: not there.

    Attributes
    ----------
    rate
        Sum of the causes' rates [1/s].
    count
        Failures of each so far.
    wear
        What heat makes of the rate of each.
    """

    def __init__(
        self, keys: UInts64, causes: tuple[Cause, ...], draws: Draws, name: str, weight: Floats
    ) -> None:
        self.keys, self.causes, self.draws, self.name = keys, causes, draws, name
        self.shape = causes[0].shape if causes and causes[0].shape is not None else 1.0
        rates = np.array([c.per_node_s for c in causes])
        self.rate = float(rates.sum())
        self.cumulative = np.cumsum(rates) / self.rate if self.rate else np.zeros(0)
        self.quality = weight
        n = len(keys)
        self.wear = np.ones(n)
        self.count = np.zeros(n, np.int64)
        self.hazard = np.zeros(n)
        self.since_s = np.zeros(n)
        self.up = np.ones(n, bool)
        self.redrawn = False  # some thresholds are beyond what was reached at a redraw
        self.threshold = self._drawn(slice(None))
        self.due_s = self.due(np.arange(n))

    @property
    def seed(self) -> int:
        """Return the seed of the draws that are made now."""
        return self.draws.seed

    def _drawn(self, which: slice | Ints64) -> Floats:
        drawn = reliability.unit_exponential(
            self.seed, self.keys[which], f"failure{self.name}", self.count[which]
        )
        return drawn if self.shape == 1.0 else reliability.weibull_threshold(drawn, self.shape)

    def due(self, which: Ints64) -> Floats:
        """Return when components fail as they run now, infinity where they stand [s]."""
        rate = self.rate * self.quality[which] * self.wear[which]
        live = self.up[which] & (rate > 0)
        left = np.divide(
            self.threshold[which] - self.hazard[which], rate, out=np.full(len(which), math.inf), where=live
        )
        result: Floats = self.since_s[which] + left
        return result

    def next(self) -> tuple[float, int]:
        """Return (time [s], component) of the earliest failure; infinity when nothing fails."""
        if not len(self.due_s):
            return math.inf, -1
        component = int(np.argmin(self.due_s))
        return float(self.due_s[component]), component

    def draw(self, one: int, stream: str) -> float:
        """Return a draw that belongs to the coming failure of a component [-]."""
        return reliability.one_uniform(self.seed, int(self.keys[one]), stream, int(self.count[one]))

    def cause_of(self, uniform: float) -> Cause:
        """Return the cause at a quantile."""
        place = np.searchsorted(self.cumulative, uniform, side="right")
        return self.causes[int(place.clip(0, len(self.causes) - 1))]

    def begin_anew(self, one: int, t_s: float) -> None:
        """Count a failure and start the clock of the next one at `t_s`."""
        self.count[one] += 1
        self.restart(one, t_s)

    def restart(self, one: int, t_s: float) -> None:
        """Start the clock of a component at `t_s`, as new."""
        which = np.array([one])
        self.hazard[one], self.since_s[one] = 0.0, t_s
        self.threshold[one] = self._drawn(which)[0]
        self.due_s[one] = self.due(which)[0]

    def reached(self, t_s: float) -> Floats:
        """Return how far each clock has come by `t_s` [-]."""
        ran_s = np.where(self.up, t_s - self.since_s, 0.0)
        result: Floats = self.hazard + ran_s * (self.rate * self.quality * self.wear)
        return result

    def redraw(self, t_s: float) -> None:
        """Redraw how far each clock still has to go from `t_s` on: whatever it has reached, it has survived.

        The draws are of that time alone, so they tell nothing of what the clocks have reached.
        """
        drawn = reliability.unit_exponential(
            self.seed, self.keys, f"failure{self.name} beyond {t_s!r}", self.count
        )
        self.threshold = reliability.threshold_beyond(self.reached(t_s), drawn, self.shape)
        self.due_s = self.due(np.arange(len(self.keys)))
        self.redrawn = True

    def set_up(self, one: int, t_s: float, up: bool) -> None:
        """Stop (it is down) or let continue (it is up) the clock of a component."""
        if bool(self.up[one]) == up:
            return
        if self.up[one]:
            rate = self.rate * self.quality[one] * self.wear[one]
            self.hazard[one] += (t_s - self.since_s[one]) * rate
        self.up[one] = up
        self.since_s[one] = t_s
        self.due_s[one] = self.due(np.array([one]))[0]

    def hasten(self, wear: Floats, moved: Ints64, t_s: float) -> None:
        """Let the clocks of components `moved` run faster by their `wear` from `t_s` on; both of the same shape."""
        aged = moved[self.up[moved]]
        rate = self.rate * self.quality[aged] * self.wear[aged]
        self.hazard[aged] += (t_s - self.since_s[aged]) * rate
        self.since_s[aged] = t_s
        self.wear[moved] = wear
        self.due_s[moved] = self.due(moved)

    def on_restored(self) -> None:
        """Work out what is due; a snapshot says nothing of wear where there is none."""
        if not len(self.wear):
            self.wear = np.ones(len(self.keys))
        self.due_s = self.due(np.arange(len(self.keys)))

    def _take_threshold(self, saved: list[float] | None) -> None:
        self.redrawn = saved is not None
        self.threshold = np.array(saved) if self.redrawn else self._drawn(slice(None))

    STATE = Fields(
        ArrayField("count", np.int64),
        *ArrayField.each("hazard", "since_s", dtype=float),
        ArrayField("up", bool),
        StateField(
            "wear",
            lambda saved: np.array(saved, float),
            lambda wear: [] if (wear == 1.0).all() else wear.tolist(),
        ),
        Derived(
            "threshold",
            lambda part: part.threshold.tolist() if part.redrawn else None,
            _take_threshold,
            missing=None,
            spare=True,
        ),
    )

    def kept(self, old: ClockSet, there: IntP, here: IntP, at_s: float) -> dict[str, Any]:
        """Return what these clocks take over from `old`: each its own; that of a newcomer starts at `at_s` [s].

        `there` are the places of those that stay in `old`, `here` their places among these.
        """
        saved: dict[str, Any] = {}
        for name, begin in (("count", 0), ("hazard", 0.0), ("since_s", at_s), ("wear", 1.0)):
            values = np.full(len(self.count), begin)
            values[here] = getattr(old, name)[there]
            saved[name] = values.tolist()
        if old.redrawn:
            threshold = self.threshold.copy()
            threshold[here] = old.threshold[there]
            saved["threshold"] = threshold.tolist()
        up = self.up.copy()
        up[here] = old.up[there]
        return saved | {"up": up.tolist()}
