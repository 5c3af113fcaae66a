"""Studies beyond a plain sweep: which keys matter (Sobol' indices), and the best designs under limits (NSGA-II)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from twin.analysis.figures import ComparedFigure
from twin.arrays import Floats, Ints64
from twin.studies.aim import Aim, FigureLimit
from twin.studies.design import FILLED_POINTS, SweepDesign, Values, must_be_few
from twin.studies.nsga2 import front_of, nsga2
from twin.studies.sensitivity import SobolIndex, saltelli_points, sobol_indices
from twin.studies.study_error import StudyError
from twin.studies.sweep import SweepRunner
from twin.studies.sweep_records import SweepContents
from twin.studies.sweep_table import mean_of
from twin.studies.varied_key import VariedKey

MOST_OPTIMISED = 5000
OPTIMISED_POINTS = 200
_LARGEST_POPULATION = 100
_REFUSED = 1e6
"""How far a point that is no valid scene, or could not be run, passes its limits."""


class _RunsLost(Exception):
    """What a point comes to is not known yet: where the search goes from there neither."""


def saltelli_design(keys: Sequence[VariedKey], samples: int | None, seed: int) -> tuple[SweepDesign, Ints64]:
    """Return the points for indices, each once, and which point each sample is, shape (keys + 2, samples).

    Parameters
    ----------
    keys
        What varies.
    samples
        Base samples; powers of two are the most even. None: `FILLED_POINTS`.
    seed
        Of the design.
    """
    number = samples or FILLED_POINTS
    must_be_few(number * (len(keys) + 2))
    shares = saltelli_points(number, len(keys), seed)
    places: dict[Values, int] = {}
    of = [places.setdefault(_values(keys, row), len(places)) for row in shares.reshape(-1, len(keys))]
    design = SweepDesign("saltelli", tuple(keys), tuple(places), None, number)
    return design, np.array(of, np.int64).reshape(shares.shape[:2])


def indices_of(
    contents: SweepContents, figure: ComparedFigure, samples: Ints64
) -> tuple[tuple[SobolIndex, ...] | None, int]:
    """Return the indices of a figure's mean over seeds, and of how many base samples they are.

    Parameters
    ----------
    samples
        As of `saltelli_design`.
    """
    means = {number: mean_of(contents, number, figure) for number in contents.points}
    values = np.array([means.get(number, np.nan) for number in samples.ravel().tolist()]).reshape(
        samples.shape
    )
    return sobol_indices(values), int(np.isfinite(values).all(axis=0).sum())


def optimising_design(
    keys: Sequence[VariedKey], aims: Sequence[Aim], limits: Sequence[FigureLimit], points: int | None
) -> SweepDesign:
    """Return the design of an optimisation, whose points come as it goes on.

    Raises
    ------
    StudyError
        When too few or too many points are asked for.
    """
    number = points or OPTIMISED_POINTS
    if not 8 <= number <= MOST_OPTIMISED:
        raise StudyError(
            f"--points: an optimisation takes from 8 to {MOST_OPTIMISED:,} points, not {number:,}"
        )
    return SweepDesign(" ".join(("nsga2", *map(str, (*aims, *limits)))), tuple(keys), (), None, number)


def generations_of(points: int) -> tuple[int, int]:
    """Return into how many generations of how many points a budget of points is divided.

    >>> generations_of(200), generations_of(5000)
    ((14, 14), (50, 100))
    """
    population = min(_LARGEST_POPULATION, max(4, round(points**0.5) // 2 * 2))
    return points // population, population


def optimised(
    runner: SweepRunner,
    contents: SweepContents,
    design: SweepDesign,
    aims: Sequence[Aim],
    limits: Sequence[FigureLimit],
    seed: int,
) -> list[int] | None:
    """Run an optimisation within its budget, and return the front among all points that it looked at.

    Points that were looked at in another generation, or before the study was continued, are not run again. When runs of
    a generation are lost, the search stops after it, and there is no front (None): with other figures it would go
    elsewhere when it is continued.

    Parameters
    ----------
    runner
        Runs points, and keeps what they come to in `contents`.
    design, aims, limits
        As of `optimising_design`.
    seed
        Of all draws of the optimisation.
    """
    places: dict[Values, int] = {}
    seen: set[int] = set()

    def evaluate(shares: Floats) -> tuple[Floats, Floats]:
        numbers = [places.setdefault(_values(design.keys, row), len(places)) for row in shares]
        new = list(places.items())[len(seen) :]
        seen.update(number for _, number in new)
        runner.run([(number, values) for values, number in new])
        if runner.lost:
            raise _RunsLost
        return _judged(contents, numbers, aims, limits)

    generations, population = generations_of(design.number)
    try:
        nsga2(evaluate, len(design.keys), population, generations, seed)
    except _RunsLost:
        return None
    return front_in(contents, list(places.values()), aims, limits)


def front_in(
    contents: SweepContents, numbers: Sequence[int], aims: Sequence[Aim], limits: Sequence[FigureLimit]
) -> list[int]:
    """Return which of some points no other one of them is better than in all aims, among those that keep all limits."""
    front = front_of(*_judged(contents, numbers, aims, limits))
    return [number for number, best in zip(numbers, front.tolist(), strict=True) if best]


def _values(keys: Sequence[VariedKey], shares: Floats) -> Values:
    return tuple(key.at(share) for key, share in zip(keys, shares.tolist(), strict=True))


def _judged(
    contents: SweepContents, numbers: Sequence[int], aims: Sequence[Aim], limits: Sequence[FigureLimit]
) -> tuple[Floats, Floats]:
    """Return aims and violations of points; one whose figures are unknown passes all limits by far."""
    found = np.zeros((len(numbers), len(aims)))
    violation = np.zeros(len(numbers))
    for place, number in enumerate(numbers):
        made = [mean_of(contents, number, aim.figure) for aim in aims]
        limited = [mean_of(contents, number, limit.figure) for limit in limits]
        if not np.isfinite([*made, *limited]).all():
            violation[place] = _REFUSED
            continue
        found[place] = [aim.sign * value for aim, value in zip(aims, made, strict=True)]
        violation[place] = sum(limit.violation(value) for limit, value in zip(limits, limited, strict=True))
    return found, violation
