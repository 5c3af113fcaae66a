"""Choosing what a job leaves open: the microbatch and the interleave."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from twin.physics.memory import memory_per_gpu
from twin.physics.training import step_time
from twin.physics.training_inputs import Model, Parallel, Profile, Stack
from twin.planning.result import MEMORY_SHARE

MICROBATCHES = (1, 2, 4, 8, 16)


def fastest_microbatch(
    model: Model, parallel: Parallel, stack: Stack, profile: Profile, gpu_bytes: float
) -> Parallel:
    """Return the cut with the microbatch and interleave of the shortest step that fits.

    Parameters
    ----------
    model, stack, profile
        As for `step_time`.
    parallel
        The cut; its microbatch and interleave are not looked at.
    gpu_bytes
        Memory of a GPU [B].

    Returns
    -------
    Parallel
        With microbatch 1, 2, 4, 8 or 16 and an interleave that divides the layers of a stage (above 1 only
        where the microbatches are a multiple of the stages); 1 and 1 when nothing fits.
    """
    fitting = [
        cut
        for cut in _candidates(model, parallel)
        if memory_per_gpu(model, cut, stack).total_bytes <= MEMORY_SHARE * gpu_bytes
    ]
    if not fitting:
        return replace(parallel, microbatch=1, vp=1)
    return min(fitting, key=lambda cut: step_time(model, cut, stack, profile).step_s)


def _candidates(model: Model, parallel: Parallel) -> Iterator[Parallel]:
    stage_layers = model.layers / parallel.pp
    for microbatch in MICROBATCHES:
        cut = replace(parallel, microbatch=microbatch, vp=1)
        if cut.microbatches < 1 or not cut.microbatches.is_integer():
            continue
        yield cut
        if parallel.pp == 1 or cut.microbatches % parallel.pp:
            continue
        for vp in range(2, int(stage_layers) + 1):
            if stage_layers % vp == 0:
                yield replace(cut, vp=vp)
