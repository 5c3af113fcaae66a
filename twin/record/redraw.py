"""A redraw: from a time of a run on, chance is drawn from another seed; all that has happened by then stays."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass

from twin.record.run_summary import strict_json


@dataclass(frozen=True, order=True)
class Redraw:
    """Where a run changes its seed.

    What has not happened by then is redrawn under the condition that it has not; the hall, its dies, the quality of
    its nodes and the jobs that come are those of the run's own seed. See `twin.sim.core.draws`.

    Parameters
    ----------
    at_s
        When [s].
    seed
        Of the random draws from then on.
    """

    at_s: float
    seed: int


def redraws_text(redraws: Iterable[Redraw]) -> str:
    """Return redraws as a run file holds them."""
    return json.dumps([[redraw.at_s, redraw.seed] for redraw in redraws])


def seed_of(said: str | int) -> int:
    """Return a seed as a file says it; raises ValueError where it is none."""
    seed = int(said)
    if seed < 0:
        raise ValueError(f"{seed} is no seed")
    return seed


def redraws_of(text: str) -> tuple[Redraw, ...]:
    """Return the redraws that a run file holds; raises `ValueError` or `TypeError` where it is damaged."""
    found = tuple(Redraw(float(at_s), seed_of(seed)) for at_s, seed in strict_json(text))
    if any(not (math.isfinite(redraw.at_s) and redraw.at_s >= 0.0) for redraw in found):
        raise ValueError("a redraw needs a time")
    return found
