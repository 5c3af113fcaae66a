"""What comes nearest where nothing can run: a batch that divides, a number of GPUs that does."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from twin.physics.training_inputs import Model
from twin.planning.profiles import CalibratedProfile
from twin.planning.search import Limits, search

TRIES = 12
"""Searches for each answer at most: what is farther away is no near size."""
NEAR = 0.1
"""Batches that differ by no more of the one asked for are alike to people."""


@dataclass(frozen=True, slots=True)
class Nearby:
    """Sizes near those asked for at which the model can run; none where there is none near.

    Attributes
    ----------
    batch
        Global batch on the same GPUs.
    gpus
        GPUs, whole nodes and no more than asked for, with the same batch.
    """

    batch: int | None
    gpus: int | None

    @property
    def words(self) -> str:
        """Return the sentence for people; empty where there is nothing."""
        said = [] if self.batch is None else [f"a batch of {self.batch:,}"]
        said += [] if self.gpus is None else [f"{self.gpus:,} GPUs"]
        return f"{' or '.join(said)} would do" if said else ""


def nearby(
    model: str | Model,
    gpus: int,
    global_batch: int,
    profile: CalibratedProfile,
    *,
    node_gpus: int,
    gpu_bytes: float,
    domain_gpus: int,
) -> Nearby:
    """Return the best batch near by and the nearest smaller number of GPUs at which some cut runs.

    Parameters
    ----------
    model, gpus, global_batch, profile, gpu_bytes
        As for `twin.planning.search.search`, which found nothing for them.
    node_gpus, domain_gpus
        GPUs of a node, and of a scale-up domain.
    """

    def rate(count: int, batch: int) -> float:
        """Sequences per second of the best cut; 0 where none runs."""
        limits = Limits(top=1, domain_gpus=domain_gpus)
        best = search(model, count, batch, profile, gpu_bytes=gpu_bytes, limits=limits).best
        return batch / best[0].step_s if best else 0.0

    degrees = [d for d in range(1, gpus + 1) if gpus % d == 0]
    multiples = {batch for d in degrees for batch in (global_batch // d * d, -(-global_batch // d) * d)}
    batches = sorted(multiples - {0, global_batch}, key=lambda batch: (abs(batch - global_batch), batch))
    rates = {batch: rate(gpus, batch) for batch in batches[:TRIES]}
    # The nearest batch may leave only a poor cut; a few sequences more or less may have a good one.
    near = [batch for batch in rates if abs(batch - global_batch) <= NEAR * global_batch and rates[batch]]
    any_batch = next((batch for batch in rates if rates[batch]), None)
    fewer = (count for count in range(gpus - gpus % node_gpus, 0, -node_gpus) if count < gpus)
    return Nearby(
        batch=max(near, key=rates.__getitem__) if near else any_batch,
        gpus=next((count for count in islice(fewer, TRIES) if rate(count, global_batch)), None),
    )
