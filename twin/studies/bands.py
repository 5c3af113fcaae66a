"""A figure over seeds: its mean, and the band from its 5 % to its 95 % quantile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from twin.analysis.compare import Sample, sample_of
from twin.analysis.figures import FIGURES, Summary
from twin.analysis.seeds import samples
from twin.scenario.schema.document import Scenario


@dataclass(frozen=True)
class FigureBand:
    """A figure over runs with several seeds.

    Attributes
    ----------
    seeds
        Runs in which it is known.
    mean
        Over these.
    p5, p50, p95
        Quantiles, linear between the ordered runs: of few runs they are little more than the least and the largest.
    """

    seeds: int
    mean: float
    p5: float
    p50: float
    p95: float


def band_of(values: Iterable[float | None]) -> FigureBand | None:
    """Return the band of a figure over runs; None where no run knows it.

    >>> band_of([0.0, 40.0, None, 20.0])
    FigureBand(seeds=3, mean=20.0, p5=2.0, p50=20.0, p95=38.0)
    """
    known = np.array([value for value in values if value is not None], np.float64)
    if not len(known):
        return None
    return FigureBand(len(known), float(known.mean()), *np.quantile(known, (0.05, 0.5, 0.95)).tolist())


@dataclass(frozen=True)
class SeedBands:
    """The bands of a scene: every figure over runs with several seeds.

    Attributes
    ----------
    seeds
        Of the runs.
    bands
        By key of the figure; what no run knows is not there.
    """

    seeds: tuple[int, ...]
    bands: Mapping[str, FigureBand]

    def as_json(self) -> dict[str, Any]:
        """Return the bands as a summary holds them."""
        return {
            "seeds": list(self.seeds),
            "figures": {key: asdict(band) for key, band in self.bands.items()},
        }


def bands_of(runs: Sequence[Sample], seeds: Sequence[int]) -> SeedBands:
    """Return the bands over runs of one scene, one for each seed, as `twin.analysis.seeds.samples` gives them."""
    found = {figure.key: band_of([run.figures.get(figure.key) for run in runs]) for figure in FIGURES}
    return SeedBands(tuple(seeds), {key: band for key, band in found.items() if band is not None})


def bands_beside(
    summary: Summary,
    scenario: Scenario,
    seed: int,
    number: int,
    until_s: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    workers: int | None = None,
) -> SeedBands:
    """Return the bands of a scene over seeds, of which the first has been run.

    Parameters
    ----------
    summary, seed
        Of the run that there is.
    scenario
        The scene of it, with the interventions and edits of people.
    number
        Of seeds in all, at least 2: those that follow are run.
    until_s
        They stop there [s]; None: at their end.
    progress
        Called with (runs done, runs in all).
    workers
        Processes; 1: this one; None: as many as this one may use.
    """
    seeds = range(seed, seed + number)
    (others,) = samples([scenario], seeds[1:], until_s, progress, workers)
    return bands_of([sample_of(summary), *others], seeds)
