"""One step of a job as a picture over time: which stage works on which microbatch when. No widgets."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from twin.app.planner.draft import JobDraft, edited, estimate_draft
from twin.app.toolkit.account_colours import AccountShare
from twin.language import tr
from twin.planning.job.job import JobEstimate
from twin.planning.job.schedule import Schedule, one_forward_one_backward
from twin.scenario.schema.work import LlmTraining

_PASSES_SHOWN = 120
"""Of a stage, about; beyond that whole rounds of the steady state are left out."""
_FEWEST_SHOWN = 6


@dataclass(frozen=True)
class PipelineStep:
    """One step, whole rounds of its steady state left out where they are many.

    Attributes
    ----------
    schedule
        Of the microbatches shown.
    left_out
        Microbatches not shown; those that begin at `break_s` and later count from there on.
    break_s
        Time in the schedule shown at which they are left out [s].
    left_out_s
        How long they take [s].
    tail
        What follows the pipeline: exposed data-parallel communication, waiting for the slowest [s].
    forward_s, backward_s
        One microbatch through one stage [s].
    """

    schedule: Schedule
    left_out: int
    break_s: float
    left_out_s: float
    tail: tuple[AccountShare, ...]
    forward_s: float
    backward_s: float

    @property
    def pipeline_s(self) -> float:
        """From the first forward to the last backward pass of the whole step [s]."""
        return self.schedule.makespan_s + self.left_out_s

    @property
    def bubble_share(self) -> float:
        """Share of the stages' time in the pipeline in which they wait, 0..1."""
        whole = self.schedule.microbatches + self.left_out
        return 1.0 - whole * (self.forward_s + self.backward_s) / self.pipeline_s

    @property
    def step_s(self) -> float:
        """The whole step [s]."""
        return self.pipeline_s + sum(piece.value for piece in self.tail)

    def clock_s(self, t_s: float) -> float:
        """Return the time in the whole step of a time in the schedule shown [s]."""
        return t_s + (self.left_out_s if t_s >= self.break_s else 0.0)

    def number(self, microbatch: int, start_s: float) -> int:
        """Return which microbatch of the whole step this is, from 1."""
        return microbatch + 1 + (self.left_out if start_s >= self.break_s else 0)


def timeline(draft: JobDraft, estimate: JobEstimate) -> PipelineStep | None:
    """Return the step of a transformer in training as its stages run it; None for other workloads.

    The passes are as long as it takes for the step to be the estimate's: without what follows the pipeline,
    (microbatches + (stages - 1) / chunks) times forward and backward where microbatches fill their rounds.
    """
    workload = draft.workload
    copies = draft.data_parallel
    if not isinstance(workload, LlmTraining) or copies is None:
        return None
    cuts, parts = workload.parallelism, estimate.parts
    microbatches = workload.global_batch // (copies * cuts.microbatch)
    stages, chunks = cuts.pipeline, cuts.interleave
    tail = tuple(
        piece
        for piece in (
            AccountShare(
                "exposed_data", tr("Data"), parts.exposed_data_s, tr("Gradients and weights among the copies")
            ),
            AccountShare(
                "straggler", tr("Straggler"), parts.straggler_s, tr("Waiting for the slowest of many")
            ),
        )
        if piece.value > 0.0
    )
    pipeline_s = parts.step_s - sum(piece.value for piece in tail)
    share = forward_share(draft, estimate)
    shown = _shown(stages, chunks, microbatches)
    left_out = microbatches - shown
    unit = one_forward_one_backward(stages, shown, share, 1.0 - share, chunks=chunks)
    pass_s = pipeline_s / (unit.makespan_s + left_out)
    schedule = replace(unit, start_s=unit.start_s * pass_s, end_s=unit.end_s * pass_s)
    break_s = _last_forward_s(schedule) if left_out else float("inf")
    return PipelineStep(
        schedule, left_out, break_s, left_out * pass_s, tail, share * pass_s, (1.0 - share) * pass_s
    )


def forward_share(draft: JobDraft, estimate: JobEstimate) -> float:
    """Return the share of forward passes in a microbatch's time, 0..1.

    Full recomputation repeats exactly one forward pass, so the difference it makes is the forward pass.
    """
    full = _stage_s(estimate_draft(edited(draft, "recompute", "full")))
    plain = _stage_s(estimate_draft(edited(draft, "recompute", "none")))
    return min(max((full - plain) / _stage_s(estimate), 0.05), 0.6)


def _stage_s(estimate: JobEstimate) -> float:
    parts = estimate.parts
    return parts.productive_s + parts.exposed_tensor_s + parts.exposed_context_s + parts.exposed_expert_s


def _shown(stages: int, chunks: int, microbatches: int) -> int:
    """Return how many microbatches to draw: all, or as many whole rounds less as it takes to stay legible."""
    wanted = max(_PASSES_SHOWN // (2 * chunks), 2 * stages, _FEWEST_SHOWN)
    rounds = max((microbatches - wanted) // stages, 0)
    return microbatches - rounds * stages


def _last_forward_s(schedule: Schedule) -> float:
    """Return when the first stage begins its last forward pass: from there on the pipeline drains [s]."""
    forwards: NDArray[np.float64] = schedule.start_s[0][~schedule.backward[0]]
    return float(forwards[-1])
