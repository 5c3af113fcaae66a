"""Two to eight designs side by side: money with its ranges, time, carbon, power, availability, what binds each."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from twin.analysis.design_figures import DesignToCompare, all_samples
from twin.analysis.design_runs import design_runs
from twin.analysis.designs_comparison import LEAST_DESIGNS, MOST_DESIGNS, DesignsCompared, compared
from twin.api.arguments import MAX_SEED, count_of, path_of, seed_of
from twin.api.errors import BadInput, as_arguments
from twin.api.named import load_scene
from twin.api.scene import Scene

MOST_RUNS = 1000
Counted = Callable[[str], AbstractContextManager[Callable[[int, int], None] | None]]


def compare_designs(
    *designs: str | os.PathLike[str] | Scene,
    seeds: int = 0,
    seed: int = 1,
    workers: int | None = 1,
) -> DesignsCompared:
    """Return designs side by side: what each costs, takes, emits and draws, with ranges and differences to the first.

    All have the same draws of the prices and, where they are run, the same seeds: differences are taken draw by draw.

    Parameters
    ----------
    designs
        Two to eight scenes, or the files or names of them; the others are held against the first.
    seeds
        Full runs of each; 0: none, and what only a run tells (time, cost of a million tokens) is left out.
    seed
        The first seed.
    workers
        Processes; 1: this one; None: as many as there are processors, as for `compare`.

    Raises
    ------
    ScenarioError
        When a scene cannot be read.
    BadInput
        When a number is out of range; it is a `ValueError`.

    Examples
    --------
    >>> import twin
    >>> found = twin.compare_designs("lab-16", "superpod-h100", "nvl72-row")
    >>> found.row("gpu_hour_usd").best
    0
    """
    sides = [design if isinstance(design, Scene) else path_of(design, "designs") for design in designs]
    if seeds:
        count_of(seeds, "seeds", 1, MOST_RUNS)
    if workers is not None:
        count_of(workers, "workers", 1, MOST_RUNS)
    with as_arguments():
        return compared_designs(sides, seeds, seed_of(seed) or 0, workers=workers)


def compared_designs(
    sides: list[str | Scene],
    seeds: int,
    first: int,
    *,
    counted: Counted = lambda _title: nullcontext(),
    workers: int | None = None,
) -> DesignsCompared:
    """Return designs side by side; `counted` shows how many runs are done. Raises as `compare_designs`."""
    if not LEAST_DESIGNS <= len(sides) <= MOST_DESIGNS:
        raise BadInput(f"{LEAST_DESIGNS} to {MOST_DESIGNS} designs can be compared, not {len(sides)}")
    if first + seeds > MAX_SEED:
        raise BadInput(f"--seed: the seeds from {first} on go beyond {MAX_SEED}; begin with a smaller one")
    documents = [side.document if isinstance(side, Scene) else load_scene(side) for side in sides]
    names = [side.name if isinstance(side, Scene) else side for side in sides]
    own_titles = [document.scenario.title for document in documents]
    titles = [
        title if own_titles.count(title) == 1 else f"{title} ({name})"
        for title, name in zip(own_titles, names, strict=True)
    ]
    found = list(
        all_samples(
            [DesignToCompare(title, document) for title, document in zip(titles, documents, strict=True)]
        )
    )
    if not seeds:
        return compared(found)
    with counted(f"{seeds} seeds of {len(documents)} designs") as show:
        runs = design_runs(
            [document.scenario for document in documents], range(first, first + seeds), show, workers
        )
    return compared(found, runs)
