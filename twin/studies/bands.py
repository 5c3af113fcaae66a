"""A figure over seeds: its mean, and the band from its 5 % to its 95 % quantile."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from twin.analysis.compare import Sample
from twin.analysis.figures import FIGURES, ComparedFigure


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


def bands_of(runs: Sequence[Sample]) -> dict[ComparedFigure, FigureBand]:
    """Return the band of each figure over runs of one scene, as `twin.analysis.seeds.samples` gives them."""
    found = ((figure, band_of([run.figures.get(figure.key) for run in runs])) for figure in FIGURES)
    return {figure: band for figure, band in found if band is not None}
