"""The swing of a synchronous job: all its GPUs compute, then all communicate, in every step.

One step is a trapezoid: power rises from `low` to `high` when the computing phase begins and falls when it ends. Stores
of energy and ramp limits turn it into a lower trapezoid of the same mean, so that no joule is made or lost.

The phenomenon, and that stored energy, floors under GPU power and batteries are what helps, are published: Choukse et
al., "Power Stabilization for AI Training Datacenters", arXiv 2508.14318 (2025), whose critical bands of grids lie at
0.1-2 Hz and above 3 Hz; GB200 takes a floor of 20-90 % of TDP (talk to that paper), shelves of GB300 that store energy
take up to 30 % off the peak (NVIDIA blog, July 2025). The shapes below are exact for a trapezoid; that a step is one is
an estimate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from twin.arrays import Floats

RAMP_S = 0.1
"""From compute to communication power and back: the time over which the power cap regulates [s] [est]."""
METER_S = 2.0
"""Time over which meters of nodes and sites take the mean [s]: those of MLPerf Training (Sustainable Metal Cloud)."""
LEAST_HZ = 10.0
"""A picture of the grid's power is sampled at least so often; steps and their ramps are slower [1/s]."""


@dataclass(frozen=True)
class Waveform:
    """Power that repeats: low, up within `ramp_s`, high, down within `ramp_s`.

    Attributes
    ----------
    high_w, low_w : float
        Levels; equal: no swing [W].
    period_s : float
        Of one step [s].
    duty : float
        From the beginning of the rise to the beginning of the fall, over the period [-].
    ramp_s : float
        From one level to the other, no longer than either phase [s].
    start_s : float
        When the first rise begins [s].
    """

    high_w: float
    low_w: float
    period_s: float
    duty: float
    ramp_s: float = 0.0
    start_s: float = 0.0

    @property
    def swing_w(self) -> float:
        """Peak to peak [W]."""
        return self.high_w - self.low_w

    @property
    def mean_w(self) -> float:
        """Mean over a period: rise and fall make up for each other [W]."""
        return self.low_w + self.swing_w * self.duty

    @property
    def steepest_w_s(self) -> float:
        """Steepest change; infinite where a swing has no ramp [W/s]."""
        if self.swing_w <= 0:
            return 0.0
        return self.swing_w / self.ramp_s if self.ramp_s > 0 else math.inf

    def times(self, factor: float) -> Waveform:
        """Return so many of it in step."""
        return replace(self, high_w=factor * self.high_w, low_w=factor * self.low_w)

    def power_w(self, t_s: ArrayLike) -> Floats:
        """Return the power at times [W]."""
        on_s = self.duty * self.period_s
        at_s = np.mod(np.asarray(t_s, float) - self.start_s, self.period_s)
        if self.ramp_s <= 0:
            result: Floats = np.where(at_s < on_s, self.high_w, self.low_w)
            return result
        corners = (0.0, self.ramp_s, on_s, on_s + self.ramp_s)
        return np.interp(at_s, corners, (self.low_w, self.high_w, self.high_w, self.low_w))

    def energy_j(self, t0_s: float, t1_s: float) -> float:
        """Return the energy from one time to another, exactly [J]."""
        return float(self._since_start_j(t1_s - self.start_s) - self._since_start_j(t0_s - self.start_s))

    def means_w(self, edges_s: ArrayLike) -> Floats:
        """Return the mean power between each two times that follow each other, as a meter shows it [W]."""
        result: Floats = np.diff(self._since_start_j(np.asarray(edges_s, float) - self.start_s)) / np.diff(
            edges_s
        )
        return result

    def _since_start_j(self, t_s: ArrayLike) -> Floats:
        whole, x = np.divmod(np.asarray(t_s, float), self.period_s)
        on_s, ramp_s = self.duty * self.period_s, self.ramp_s
        if ramp_s > 0:
            rising, falling = np.minimum(x, ramp_s), np.clip(x - on_s, 0.0, ramp_s)
            above_s = np.clip(x - ramp_s, 0.0, on_s - ramp_s) + falling
            above_s = above_s + (rising**2 - falling**2) / (2 * ramp_s)
        else:
            above_s = np.minimum(x, on_s)
        result: Floats = whole * self.period_s * self.mean_w + self.low_w * x + self.swing_w * above_s
        return result


def step_waveform(
    high_w: float, low_w: float, period_s: float, duty: float, ramp_s: float, start_s: float = 0.0
) -> Waveform:
    """Return the waveform of a step from the power of its phases, cut at the available time.

    A phase shorter than the ramp does not reach its level: the swing shrinks in proportion, the mean stays.

    Parameters
    ----------
    high_w, low_w
        While it computes and while it communicates, given time [W].
    period_s, duty, ramp_s, start_s
        As in `Waveform`; the duty may be 0 or 1.
    """
    mean_w = low_w + (high_w - low_w) * duty
    shortest_s = min(duty, 1 - duty) * period_s
    if shortest_s <= 0 or high_w <= low_w:
        return Waveform(mean_w, mean_w, period_s, duty, 0.0, start_s)
    swing_w = (high_w - low_w) * min(1.0, shortest_s / ramp_s if ramp_s > 0 else 1.0)
    base_w = mean_w - swing_w * duty
    return Waveform(base_w + swing_w, base_w, period_s, duty, min(ramp_s, shortest_s), start_s)


def woven(busy_w: float, wait_w: float, busy_s: float, step_s: float, once: float) -> tuple[float, float]:
    """Return the power of the part of a step between the waits that come once in it [W], and its share of the step [-].

    Waits that are woven into the computing, layer by layer and microbatch by microbatch, are shorter than any meter
    sees: they lower the level at which a job computes. Those that come once a step come to all GPUs at one time.

    Parameters
    ----------
    busy_w, wait_w
        While a GPU computes, and while it waits [W].
    busy_s, step_s
        How long it computes in a step, and the step [s].
    once
        Share of the waits that come once a step [-].
    """
    between_s = busy_s + (1.0 - once) * (step_s - busy_s)
    return wait_w + (busy_w - wait_w) * busy_s / between_s, between_s / step_s


def metered_w(
    waves: Sequence[Waveform], meter_s: float = METER_S, *, meters: int = 1, samples: int = 1000
) -> Floats:
    """Return what meters show of the sum of waveforms, every `meter_s` [W].

    Parameters
    ----------
    waves
        Of all jobs.
    meter_s
        Over which a meter takes the mean, and after which it shows the next [s].
    meters
        How many share in the sum: that of the grid is one, those of nodes are many, and not in step with each other.
    samples
        How many are shown.
    """
    begins_s = meter_s * np.arange(meters) / meters
    edges_s = meter_s * np.arange(samples + 1)
    total = np.zeros(samples)
    for wave in waves:
        for begin_s in begins_s.tolist():
            total += wave.means_w(edges_s + begin_s) / meters
    return total


def spread_w(shown_w: Floats) -> float:
    """Return how far what a meter shows swings, from its 5 % to its 95 % quantile [W]."""
    low_w, high_w = np.quantile(shown_w, (0.05, 0.95))
    return float(high_w - low_w)


def swing_energy_j(wave: Waveform) -> float:
    """Return the energy that a store has to take and give in every period to leave no swing at all [J]."""
    at = (wave.mean_w - wave.low_w) / wave.swing_w if wave.swing_w > 0 else 0.0
    return wave.swing_w * (1 - at) * (wave.duty * wave.period_s - wave.ramp_s * at)


def stored(wave: Waveform, energy_j: float) -> Waveform:
    """Return the residual swing behind a store of energy: peaks are cut and valleys filled, by equal energies.

    That is the lowest swing any control can reach with so much energy; losses of the store count in those of the
    shelf it sits in. A square wave keeps 1 - E / (swing x duty x (1 - duty) x period) of its swing.

    Parameters
    ----------
    wave
        What is drawn behind the store.
    energy_j
        That it takes and gives in one period at most [J].
    """
    if wave.swing_w <= 0 or energy_j <= 0:
        return wave
    if energy_j >= swing_energy_j(wave):
        return replace(wave, high_w=wave.mean_w, low_w=wave.mean_w)
    on_s, ramp_s = wave.duty * wave.period_s, wave.ramp_s
    height_s = energy_j / wave.swing_w
    top = _cut(on_s, ramp_s, height_s)
    bottom = 1.0 - _cut(wave.period_s - on_s, ramp_s, height_s)
    begins_s, ends_s = bottom * ramp_s, on_s + (1 - top) * ramp_s
    return Waveform(
        high_w=wave.low_w + top * wave.swing_w,
        low_w=wave.low_w + bottom * wave.swing_w,
        period_s=wave.period_s,
        duty=(ends_s - begins_s) / wave.period_s,
        ramp_s=(top - bottom) * ramp_s,
        start_s=wave.start_s + begins_s,
    )


def _cut(wide_s: float, ramp_s: float, height_s: float) -> float:
    """Return the height z, 0..1, above which a trapezoid of height 1 has the area (1 - z)(wide - ramp z) [-]."""
    left_s, around_s = wide_s - height_s, wide_s + ramp_s
    return 2 * left_s / (around_s + math.sqrt(max(0.0, around_s**2 - 4 * ramp_s * left_s)))


def ramp_limited(wave: Waveform, ramp_w_s: float, power_w: float) -> Waveform:
    """Return the load seen through a battery that allows no steeper change than `ramp_w_s`.

    Parameters
    ----------
    wave
        What is drawn behind it.
    ramp_w_s
        Steepest change [W/s].
    power_w
        That it gives and takes at most [W]: where this is too little for the ramp, the rest of the swing comes
        through as it is.
    """
    if wave.steepest_w_s <= ramp_w_s:
        return wave
    shortest_s = min(wave.duty, 1 - wave.duty) * wave.period_s
    swing_w = min(wave.swing_w, ramp_w_s * shortest_s)
    least_w = wave.swing_w - 2 * power_w
    ramp_s = swing_w / ramp_w_s
    if least_w > swing_w:
        swing_w, ramp_s = least_w, wave.ramp_s
    base_w = wave.mean_w - swing_w * wave.duty
    return replace(wave, high_w=base_w + swing_w, low_w=base_w, ramp_s=ramp_s)


def together_w(waves: Sequence[Waveform]) -> float:
    """Return the swing of several jobs at worst: periods differ, so their ramps fall on one moment now and then [W]."""
    return sum(wave.swing_w for wave in waves)


def sampled_w(waves: Sequence[Waveform], t_s: ArrayLike) -> Floats:
    """Return the sum of waveforms at times [W]."""
    t = np.asarray(t_s, float)
    total = np.zeros(t.shape)
    for wave in waves:
        total += wave.power_w(t)
    return total
