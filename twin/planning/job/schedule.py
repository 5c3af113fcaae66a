"""When each pipeline stage works on which microbatch: interleaved 1F1B, from order to clock times.

References
----------
Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters", SC'21, section 2.2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats, Ints64


@dataclass(frozen=True, slots=True)
class Schedule:
    """Every pass of one step through a pipeline; arrays of shape (stages, passes of a stage), in order of time.

    Attributes
    ----------
    chunks
        Model chunks of each stage (the interleave).
    microbatches
        Of one step.
    backward
        Whether the pass is a backward one.
    chunk, microbatch
        What it works on, from 0.
    start_s, end_s
        When [s], from the start of the first forward pass.
    """

    chunks: int
    microbatches: int
    backward: NDArray[np.bool_]
    chunk: Ints64
    microbatch: Ints64
    start_s: Floats
    end_s: Floats

    @property
    def stages(self) -> int:
        """Pipeline stages."""
        return len(self.start_s)

    @property
    def makespan_s(self) -> float:
        """From the first forward pass to the end of the last backward pass [s]."""
        return float(self.end_s.max())

    @property
    def idle_share(self) -> float:
        """Share of the stages' time in which they wait: the pipeline bubble, 0..1."""
        busy_s = float((self.end_s - self.start_s).sum())
        return 1.0 - busy_s / (self.stages * self.makespan_s)


def one_forward_one_backward(
    stages: int,
    microbatches: int,
    forward_s: float,
    backward_s: float,
    *,
    chunks: int = 1,
    transfer_s: float = 0.0,
) -> Schedule:
    """Return the interleaved 1F1B schedule of one step.

    Without transfers it takes (microbatches + (stages - 1) / chunks) (forward + backward) where the microbatches
    are a multiple of the stages, or where there is one chunk.

    Parameters
    ----------
    stages
        Pipeline stages.
    microbatches
        That pass through in one step.
    forward_s, backward_s
        One microbatch through all chunks of one stage [s]; each chunk takes an equal share.
    chunks
        Model chunks of each stage, laid round robin over the stages.
    transfer_s
        From the end of a pass to when the next stage may begin with it [s]; the sender does not wait.

    Examples
    --------
    >>> one_forward_one_backward(4, 8, 1.0, 2.0).makespan_s
    33.0
    >>> one_forward_one_backward(4, 8, 1.0, 2.0, chunks=2).makespan_s
    28.5
    """
    if min(stages, microbatches, chunks) < 1:
        raise ValueError(
            f"{stages} stages, {microbatches} microbatches, {chunks} chunks: each must be at least 1"
        )
    backward, chunk, microbatch = _order(stages, microbatches, chunks)
    durations_s = np.where(backward, backward_s, forward_s) / chunks
    start_s = _starts(backward, chunk, microbatch, durations_s, chunks, microbatches, transfer_s)
    return Schedule(chunks, microbatches, backward, chunk, microbatch, start_s, start_s + durations_s)


def _order(stages: int, microbatches: int, chunks: int) -> tuple[NDArray[np.bool_], Ints64, Ints64]:
    """Return the passes of each stage in order: warm-up forwards, one forward one backward, the rest.

    Microbatches pass in rounds of as many as there are stages; a last round that is not full is one whose missing
    microbatches are left out, so that no stage ever waits for a pass that waits for itself.
    """
    rounds = -(-microbatches // stages)
    filled = rounds * stages
    microbatch = np.tile(np.arange(filled).reshape(rounds, 1, stages), (1, chunks, 1)).ravel()
    chunk = np.tile(np.repeat(np.arange(chunks), stages), rounds)
    total = filled * chunks
    ahead = np.arange(stages)[::-1]  # stages behind this one
    warm_up = ahead if chunks == 1 else 2 * ahead + (chunks - 1) * stages
    warm_up = np.minimum(warm_up, total)[:, None]
    place = np.arange(2 * total)[None, :]
    steady = place - warm_up
    alternating = (steady >= 0) & (place < 2 * total - warm_up)
    backward = np.where(alternating, steady % 2 == 1, steady >= 0)
    done = np.cumsum(backward, axis=1)
    number = np.where(backward, done - 1, place - done)
    chunk, microbatch = np.where(backward, chunks - 1 - chunk[number], chunk[number]), microbatch[number]
    real = microbatch < microbatches  # as many in each stage
    shape = (stages, 2 * microbatches * chunks)
    return backward[real].reshape(shape), chunk[real].reshape(shape), microbatch[real].reshape(shape)


def _starts(
    backward: NDArray[np.bool_],
    chunk: Ints64,
    microbatch: Ints64,
    durations_s: Floats,
    chunks: int,
    microbatches: int,
    transfer_s: float,
) -> Floats:
    """Return when each pass begins [s]: when its stage is free and its input has come."""
    stages, passes = backward.shape
    links = stages * chunks  # chunk c of stage s is link c * stages + s of the chain
    end_s = np.full((2, links, microbatches), np.inf)  # forward and backward, of those not yet done
    start_s = np.zeros((stages, passes))
    free_s, place, stage = np.zeros(stages), np.zeros(stages, np.int64), np.arange(stages)
    while len(stage):
        at = place[stage]
        back, mb = backward[stage, at], microbatch[stage, at]
        link = chunk[stage, at] * stages + stage
        turns = back & (link == links - 1)  # the last link's backward pass follows its own forward pass
        first = ~back & (link == 0)
        before = np.where(back, np.minimum(link + 1, links - 1), np.maximum(link - 1, 0))
        came_s = end_s[np.where(turns, 0, back.astype(np.int64)), before, mb]
        came_s = np.where(first, 0.0, came_s + np.where(turns | (stages == 1), 0.0, transfer_s))
        ready = np.isfinite(came_s)
        stage, at, link, mb, back = stage[ready], at[ready], link[ready], mb[ready], back[ready]
        begin_s = np.maximum(free_s[stage], came_s[ready])
        start_s[stage, at] = begin_s
        free_s[stage] = end_s[back.astype(np.int64), link, mb] = begin_s + durations_s[stage, at]
        place[stage] += 1
        stage = np.flatnonzero(place < passes)
        if not ready.any():
            raise ValueError("the order of passes never ends: each stage waits for another")
    return start_s
