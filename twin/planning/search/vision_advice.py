"""Advice for training of a vision model that exceeds the memory of its GPUs."""

from __future__ import annotations

from dataclasses import replace

from twin.planning.job.result import MEMORY_SHARE
from twin.planning.job.vision import VisionJob, estimate_vision


def largest_batch(job: VisionJob) -> int:
    """Return the most samples of one step that fit on one GPU, but no more than the job has; 0: none fits."""
    found = estimate_vision(job)
    if found.fits:
        return job.batch_per_gpu
    room = MEMORY_SHARE * found.gpu_bytes - (found.memory.total_bytes - found.memory.activations_bytes)
    if room < 0 or not job.sample_activation_bytes:
        return 0
    return min(int(room / job.sample_activation_bytes), job.batch_per_gpu)


def vision_would_fit(job: VisionJob) -> str:
    """Return a sentence on the changes that make a job fit; empty when it fits."""
    found = estimate_vision(job)
    if found.fits:
        return ""
    batch = largest_batch(job)
    if batch:
        step_s = estimate_vision(replace(job, batch_per_gpu=batch)).step_s
        return f"what would fit: batch {job.batch_per_gpu} -> {batch} on each GPU ({step_s:.3g} s a step)"
    state_bytes = found.memory.total_bytes - found.memory.activations_bytes
    usable = f"{MEMORY_SHARE * found.gpu_bytes / 1e9:.0f} GB"
    if job.sample_activation_bytes and state_bytes <= MEMORY_SHARE * found.gpu_bytes:
        needs = (
            f"model state and a single sample need {(state_bytes + job.sample_activation_bytes) / 1e9:.0f}"
        )
    else:
        needs = f"the model state alone needs {state_bytes / 1e9:.0f}"
    return f"no batch fits: {needs} of {usable} usable; use a GPU with more memory"
