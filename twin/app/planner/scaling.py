"""How the work done in a second grows with the number of GPUs. No widgets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from twin.app.planner.draft import JobDraft, judge
from twin.app.planner.fields import with_value
from twin.planning.job.job import JobEstimate
from twin.scenario.schema.work import LlmTraining, Load, VisionTraining

_MOST_POINTS = 18


@dataclass(frozen=True)
class ScalingPoint:
    """One number of GPUs.

    Attributes
    ----------
    gpus
        GPUs of the job.
    rate_s
        Units of work in a second [1/s].
    step_s
        Time of a step [s].
    mfu
        Model FLOP utilisation, 0..1.
    fits
        Whether it fits in memory.
    """

    gpus: int
    rate_s: float
    step_s: float
    mfu: float
    fits: bool


def can_be_strong(draft: JobDraft) -> bool:
    """Return whether the work of a step can stay while GPUs are added."""
    return not isinstance(draft.workload, VisionTraining | Load)


def can_be_weak(draft: JobDraft) -> bool:
    """Return whether the work of a step can grow with the GPUs."""
    return isinstance(draft.workload, LlmTraining | VisionTraining)


def same_cut(draft: JobDraft, *, weak: bool) -> list[ScalingPoint]:
    """Return the curve with the cut as it is and data parallelism from one node to all GPUs.

    Parameters
    ----------
    draft
        The job; its batch is the one of its own number of GPUs.
    weak
        Whether the batch grows with the GPUs; otherwise it stays.
    """
    if isinstance(draft.workload, Load):
        return []  # nobody says what it gets done
    points = []
    for gpus in _counts(draft, weak):
        judged = judge(at(draft, gpus, weak=weak))
        if judged.estimate is not None:
            points.append(point(judged.estimate))
    return points


def at(draft: JobDraft, gpus: int, *, weak: bool) -> JobDraft:
    """Return the draft on another number of GPUs; weak: with the batch of a GPU kept."""
    workload = draft.workload
    if weak and isinstance(workload, LlmTraining):
        batch = max(round(workload.global_batch * gpus / draft.gpus), 1)
        workload = with_value(workload, "global_batch", batch)
    return replace(draft, gpus=gpus, workload=workload)


def point(estimate: JobEstimate) -> ScalingPoint:
    """Return where an estimate is on the curve."""
    return ScalingPoint(estimate.gpus, estimate.rate_s, estimate.step_s, estimate.mfu, estimate.fits)


def speed_ups(points: Iterable[ScalingPoint]) -> tuple[ScalingPoint | None, list[float]]:
    """Return the smallest point that fits, and the work of each point over that one's; empty without one."""
    listed = list(points)
    base = next((point for point in listed if point.fits), None)
    return base, [point.rate_s / base.rate_s for point in listed] if base is not None else []


def from_one_node(draft: JobDraft) -> list[int]:
    """Return numbers of GPUs: one node, twice as many each time, the draft's, all."""
    most, node = draft.hardware.gpus, draft.hardware.node_gpus
    doubling = [node * 2**k for k in range((most // node).bit_length())]
    return sorted({*doubling, draft.gpus, most})


def _counts(draft: JobDraft, weak: bool) -> list[int]:
    most = draft.hardware.gpus
    workload = draft.workload
    if not isinstance(workload, LlmTraining):
        return from_one_node(draft)
    cuts = workload.parallelism
    group = cuts.tensor * cuts.pipeline * cuts.context
    copies = most // group
    if weak:
        doubling = [2**k for k in range(copies.bit_length())]
        found = {*doubling, copies, draft.gpus // group}
    else:
        slots = workload.global_batch // cuts.microbatch
        found = {n for n in range(1, min(copies, slots) + 1) if slots % n == 0}
        while len(found) > _MOST_POINTS:  # every other one, the last and the present one kept
            listed = sorted(found)
            found = {*listed[::2], listed[-1], draft.gpus // group}
    least = min(draft.hardware.node_gpus, draft.gpus)  # jobs have whole nodes
    return [group * n for n in sorted(found) if least <= group * n <= most]
