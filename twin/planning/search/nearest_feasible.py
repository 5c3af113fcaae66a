"""The nearest feasible sizes where nothing can run: a batch or a number of GPUs that divides."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice

from twin.physics.training_inputs import Model, SoftwareStack
from twin.planning.profile.profiles import CalibratedProfile
from twin.planning.search.search import SearchLimits, has_cut, search

TRIES = 12
"""Searches in each direction at most, among sizes that divide: what is farther away is no near size."""
NEAR = 0.1
"""Sizes that differ by no more of the one asked for are alike to people."""


@dataclass(frozen=True, slots=True)
class Nearby:
    """Sizes near the requested ones at which the model can run.

    Attributes
    ----------
    batch
        Global batch on the same GPUs.
    gpus
        Numbers of GPUs, whole nodes and no more than the scene has, with the same batch: one above and one below what
        was asked for, the nearer first.
    """

    batch: int | None
    gpus: tuple[int, ...]

    @property
    def words(self) -> str:
        """Return the sentence for people; empty where no size is near."""
        options = [] if self.batch is None else [f"a batch of {self.batch:,}"]
        if self.gpus:
            options.append(f"{' or '.join(f'{count:,}' for count in self.gpus)} GPUs")
        between = ", or " if len(self.gpus) > 1 else " or "
        return f"{between.join(options)} would work" if options else ""


def nearby(
    model: str | Model,
    gpus: int,
    global_batch: int,
    profile: CalibratedProfile,
    *,
    node_gpus: int,
    scene_gpus: int,
    gpu_bytes: float,
    domain_gpus: int,
    stack: SoftwareStack | None = None,
) -> Nearby:
    """Return the best batch near by, and the best numbers of GPUs near by at which some cut runs.

    Parameters
    ----------
    model, gpus, global_batch, profile, gpu_bytes, stack
        As for `twin.planning.search.search.search`, which found nothing for them.
    node_gpus, scene_gpus, domain_gpus
        GPUs of a node, of the scene, and of a scale-up domain.
    """
    limits = SearchLimits(top=1, domain_gpus=domain_gpus)

    def divides(count: int, batch: int) -> bool:
        return has_cut(model, count, batch, profile, limits)

    def rate(count: int, batch: int) -> float:
        """Sequences per second of the best cut; 0 where none runs."""
        best = search(model, count, batch, profile, stack=stack, gpu_bytes=gpu_bytes, limits=limits).best
        return batch / best[0].step_s if best else 0.0

    degrees = [d for d in range(1, gpus + 1) if gpus % d == 0]
    multiples = {batch for d in degrees for batch in (global_batch // d * d, -(-global_batch // d) * d)}
    batches = sorted(multiples - {0, global_batch}, key=lambda batch: (abs(batch - global_batch), batch))
    whole = gpus - gpus % node_gpus
    fewer = (count for count in range(whole, 0, -node_gpus) if count < gpus)
    more = range(whole + node_gpus, scene_gpus + 1, node_gpus)
    counts = set()
    for side in (fewer, more):
        possible = (count for count in side if divides(count, global_batch))
        best = _best_near(possible, gpus, lambda count: rate(count, global_batch))
        counts |= set() if best is None else {best}
    possible = (batch for batch in batches if divides(gpus, batch))
    return Nearby(
        batch=_best_near(possible, global_batch, lambda batch: rate(gpus, batch)),
        gpus=tuple(sorted(counts, key=lambda count: (abs(count - gpus), count))),
    )


def _best_near(sizes: Iterable[int], wanted: int, rate: Callable[[int], float]) -> int | None:
    """Return the fastest of the sizes that are near, else the first that runs; the nearest are given first.

    The nearest size may leave only a poor cut; a few more or less may have a good one.
    """
    best: tuple[float, int] | None = None
    for size in islice(sizes, TRIES):
        if best is not None and abs(size - wanted) > NEAR * wanted:
            break
        speed = rate(size)
        if speed and (best is None or speed > best[0]):
            best = (speed, size)
    return None if best is None else best[1]
