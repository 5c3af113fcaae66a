"""The parallelism search and the advice on memory, asked for a draft. No widgets."""

from __future__ import annotations

from dataclasses import dataclass, replace

from twin.app.planner.draft import JobDraft, estimate_draft, network_of, planned_draft
from twin.app.planner.fields import with_value
from twin.app.toolkit.text import quantity, span
from twin.language import tr
from twin.physics.training_inputs import Parallel, SoftwareStack
from twin.planning.job.job import LlmJob, VisionJob
from twin.planning.profile.profiles import load_calibrated
from twin.planning.search.advice import Advice, advise, fewest_gpus, would_fit
from twin.planning.search.nearest_feasible import nearby
from twin.planning.search.scene_plan import plan_for_scene
from twin.planning.search.search import Candidate, SearchLimits, SearchResult, search
from twin.planning.search.vision_advice import largest_batch
from twin.scenario.schema.work import LlmTraining
from twin.scenario.schema.workload import Parallelism

TOP = 8
"""Plans shown."""


def can_be_searched(draft: JobDraft) -> bool:
    """Return whether the search knows this workload."""
    return isinstance(draft.workload, LlmTraining)


def best_plans(draft: JobDraft, top: int = TOP) -> SearchResult:
    """Return the fastest ways to run a transformer's training on the draft's GPUs, whatever its present cut.

    Raises
    ------
    PlanError, ProfileError
        As the search does.
    """
    uncut = with_value(with_value(draft.workload, "parallelism", Parallelism()), "recompute", "none")
    planned = planned_draft(replace(draft, workload=uncut, gpus=1))  # legal for any batch: model and stack
    if not isinstance(planned, LlmJob):
        raise TypeError(f"a search for {draft.workload.kind!r}")
    scene = draft.hardware.scene
    if scene is not None and isinstance(draft.workload, LlmTraining):
        return plan_for_scene(
            scene,
            planned.model,
            draft.gpus,
            draft.workload.global_batch,
            profile=draft.profile,
            stack=planned.stack,
            limits=SearchLimits(top=top),
        )
    return search(
        planned.model,
        draft.gpus,
        planned.parallel.global_batch,
        planned.profile,
        stack=planned.stack,
        gpu_bytes=planned.gpu_bytes,
        limits=SearchLimits(top=top),
    )


def nearest_drafts(draft: JobDraft) -> tuple[Offer, ...]:
    """Return the drafts near by that some layout runs, where none runs this one: other batches, other GPU counts."""
    workload, hardware = draft.workload, draft.hardware
    if not isinstance(workload, LlmTraining):
        return ()
    uncut = with_value(with_value(workload, "parallelism", Parallelism()), "recompute", "none")
    planned = planned_draft(replace(draft, workload=uncut, gpus=1))
    if not isinstance(planned, LlmJob):
        return ()
    scene, profile = hardware.scene, load_calibrated(draft.profile)
    domain_gpus = scene.domain_gpus if scene is not None else profile.profile.domain_gpus
    near = nearby(
        planned.model,
        draft.gpus,
        workload.global_batch,
        profile,
        node_gpus=hardware.node_gpus,
        scene_gpus=hardware.gpus,
        gpu_bytes=hardware.gpu_bytes,
        domain_gpus=domain_gpus,
        stack=planned.stack,
    )
    counts = near.gpus
    if near.batch is None and not counts:
        more = fewest_gpus(
            planned.model,
            draft.gpus,
            workload.global_batch,
            profile,
            stack=planned.stack,
            gpu_bytes=hardware.gpu_bytes,
            domain_gpus=domain_gpus,
        )
        counts = (more.parallel.gpus,) if more is not None and more.parallel.gpus <= hardware.gpus else ()
    found = [replace(draft, workload=with_value(uncut, "global_batch", near.batch))] if near.batch else []
    found += [replace(draft, workload=uncut, gpus=count) for count in counts]
    return tuple(
        Offer(
            tr("{gpus:,} GPUs", gpus=other.gpus)
            if other.gpus != draft.gpus
            else tr("Batch {batch:,}", batch=near.batch),
            tr("Take this, with its best plan"),
            other,
        )
        for other in found
    )


def with_plan(draft: JobDraft, plan: Candidate) -> JobDraft:
    """Return the draft cut as a plan says."""
    return _cut_as(draft, plan.parallel, plan.stack)


def is_plan(draft: JobDraft, plan: Candidate) -> bool:
    """Return whether a draft is cut as a plan says."""
    return with_plan(draft, plan) == draft


def what_would_fit(draft: JobDraft) -> str:
    """Return in words what would make a draft fit; empty where nothing is known to."""
    planned = planned_draft(draft, network_of(draft))
    return would_fit(planned) if isinstance(planned, LlmJob | VisionJob) else ""


@dataclass(frozen=True)
class Offer:
    """A draft that would fit, what is changed in it, and what it then needs and takes."""

    words: str
    figures: str
    draft: JobDraft


def offers(draft: JobDraft) -> tuple[Offer, ...]:
    """Return drafts that would fit where this one does not, cheapest first."""
    planned = planned_draft(draft, network_of(draft))
    if isinstance(planned, LlmJob):
        return tuple(
            Offer(
                advice.words.replace("->", "\N{RIGHTWARDS ARROW}"),
                tr(
                    "{total_bytes} a GPU, step {step_time}",
                    total_bytes=quantity(advice.memory.total_bytes, "B"),
                    step_time=span(advice.step_s),
                ),
                with_advice(draft, advice),
            )
            for advice in advise(planned)
        )
    if not isinstance(planned, VisionJob) or (batch := largest_batch(planned)) < 1:
        return ()
    smaller = replace(draft, workload=with_value(draft.workload, "batch_per_gpu", batch))
    estimate = estimate_draft(smaller)
    return (
        Offer(
            tr(
                "batch {batch_per_gpu:,} → {batch:,} on each GPU",
                batch_per_gpu=planned.batch_per_gpu,
                batch=batch,
            ),
            tr(
                "{total_bytes} a GPU, step {step_time}",
                total_bytes=quantity(estimate.memory.total_bytes, "B"),
                step_time=span(estimate.step_s),
            ),
            smaller,
        ),
    )


def with_advice(draft: JobDraft, advice: Advice) -> JobDraft:
    """Return the draft changed as advised; it may ask for more GPUs."""
    parallel, stack = advice.job.parallel, advice.job.stack
    if stack is None:
        raise TypeError("advice without the stack it was made for")
    return replace(_cut_as(draft, parallel, stack), gpus=parallel.gpus)


def _cut_as(draft: JobDraft, parallel: Parallel, stack: SoftwareStack) -> JobDraft:
    cuts = Parallelism(
        tensor=parallel.tp,
        pipeline=parallel.pp,
        context=parallel.cp,
        expert=parallel.ep,
        interleave=parallel.vp,
        microbatch=parallel.microbatch,
    )
    workload = with_value(draft.workload, "parallelism", cuts)
    workload = with_value(workload, "recompute", stack.recompute)
    return replace(draft, workload=with_value(workload, "stack.sharding", stack.sharding))
