"""A scene over seeds: the bands of its figures, and of its curves over time."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from twin.analysis.compare import Sample, sample_of
from twin.analysis.figures import Summary, at, nested, water_per_it
from twin.analysis.run_pool import RunLost, RunPool, processors
from twin.arrays import Floats
from twin.record.frame import Frame
from twin.runtime.loading import begun, engine_type
from twin.runtime.protocol import ENGINE, RunEngine
from twin.scenario.schema.document import Scenario
from twin.studies.bands import SeedBands, bands_of

POINTS = 241
"""Times of a curve, evenly from the start to the end."""
QUANTILES = (0.05, 0.5, 0.95)
SO_FAR: dict[str, Callable[[Summary], float | None]] = {"run.pue": at("pue"), "run.wue": water_per_it}
"""Series of what a run has come to, from its figures at a time."""


@dataclass(frozen=True)
class SeedCurves:
    """What runs of one scene with several seeds come to.

    Parameters
    ----------
    figures
        Bands of the figures.
    times_s
        Of the curves, shape (T,) [s].
    curves
        P5, P50 and P95 of each series at these times, shape (3, T) each; nan where no run goes on.
    """

    figures: SeedBands
    times_s: Floats
    curves: Mapping[str, Floats]

    @property
    def count(self) -> int:
        """Return the number of seeds."""
        return len(self.figures.seeds)

    def at(self, series: str, t_s: float) -> tuple[float, float, float] | None:
        """Return P5, P50 and P95 of a series at a time [s], between the two times beside it; None: not known."""
        band = self.curves.get(series)
        if band is None or not self.times_s[0] <= t_s <= self.times_s[-1]:
            return None
        low, middle, high = (float(np.interp(t_s, self.times_s, quantile)) for quantile in band)
        return None if np.isnan((low, middle, high)).any() else (low, middle, high)


def curves_over_seeds(
    scenario: Scenario,
    seeds: Sequence[int],
    series: Sequence[str],
    end_s: float,
    progress: Callable[[int, int], None] | None = None,
    workers: int | None = None,
) -> SeedCurves:
    """Run a scene with each of some seeds, and return the bands.

    Parameters
    ----------
    scenario
        With the interventions and edits of people.
    seeds
        One run each.
    series
        Channels of the site, and of `SO_FAR`.
    end_s
        Where the curves end, and the runs, if they have not ended before [s].
    progress
        Called with (runs done, runs in all).
    workers
        Processes; 1: this one; None: as many as this one may use.
    """
    times_s = np.linspace(0.0, end_s, POINTS)
    done: dict[int, tuple[Sample, Floats]] = {}
    number = min(workers or processors(), len(seeds))
    with RunPool(_run, number, _begin, scenario, tuple(series), times_s) as pool:
        for seed, made in pool.results(seeds):
            if isinstance(made, RunLost):
                raise made
            done[seed] = made
            if progress is not None:
                progress(len(done), len(seeds))
    every = np.stack([done[seed][1] for seed in seeds])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of times at which no run goes on
        bands = np.nanquantile(every, QUANTILES, axis=0)
    return SeedCurves(
        bands_of([done[seed][0] for seed in seeds], seeds),
        times_s,
        {name: bands[:, place] for place, name in enumerate(series)},
    )


_scenario: Scenario | None = None
_series: tuple[str, ...] = ()
_times_s: Floats = np.zeros(0)


def _begin(scenario: Scenario, series: tuple[str, ...], times_s: Floats) -> None:
    """Store what all runs of a process have in common."""
    global _scenario, _series, _times_s
    _scenario, _series, _times_s = scenario, series, times_s


def _run(seed: int) -> tuple[Sample, Floats]:
    """Return the results of one run, and its series at the times, shape (series, T); nan after its end."""
    assert _scenario is not None
    engine = begun(engine_type(ENGINE), _scenario, seed, ())
    frame = Frame.empty(engine.layout)
    asked = not SO_FAR.keys().isdisjoint(_series)
    found = np.full((len(_series), len(_times_s)), np.nan)
    for place, t_s in enumerate(_times_s.tolist()):
        engine.advance(min(t_s, engine.end_s))
        if engine.now_s < t_s:
            break
        if frame.layout is not engine.layout:  # the hall was edited
            frame = Frame.empty(engine.layout)
        frame.detail = False
        engine.fill(frame)
        so_far = _so_far(engine, frame) if asked else {}
        found[:, place] = [so_far[name] if name in SO_FAR else frame.values[name][0] for name in _series]
    return sample_of(engine.summary()), found


def _so_far(engine: RunEngine, frame: Frame) -> dict[str, float]:
    """Return the series of `SO_FAR` at the present time, of which the frame is; nan: not known yet."""
    summary = nested(engine.figures(frame, engine.ledger_gpu_s()))
    values = {name: of(summary) for name, of in SO_FAR.items()}
    return {name: math.nan if value is None else value for name, value in values.items()}
