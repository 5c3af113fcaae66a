"""Advice for a job that exceeds the memory of its GPUs: the smallest change by each lever, cheapest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from twin.physics.memory import MemoryParts, memory_per_gpu
from twin.physics.training import step_time
from twin.physics.training_inputs import Model, Parallel, Recompute, Sharding, SoftwareStack
from twin.planning.job.llm import LlmJob, default_stack
from twin.planning.job.result import MEMORY_SHARE
from twin.planning.job.vision import VisionJob
from twin.planning.profile.models import load_model
from twin.planning.profile.profiles import CalibratedProfile, load_calibrated
from twin.planning.search.search import Candidate, SearchLimits, filled_layers, search
from twin.planning.search.vision_advice import vision_would_fit

MOST_GPUS_FACTOR = 64
"""How many times its GPUs a job is offered at most."""

_ZERO: dict[Sharding, str] = {
    "none": "no sharding",
    "optimizer": "optimizer state sharded (ZeRO-1)",
    "gradients": "gradients sharded too (ZeRO-2)",
    "weights": "weights sharded too (ZeRO-3, FSDP)",
}


@dataclass(frozen=True, slots=True)
class Advice:
    """One change that makes a job fit.

    Attributes
    ----------
    words
        What to change, for people: "pipeline 4 -> 8".
    job
        The changed job.
    memory, step_s
        What it then needs of a GPU [B], and its step time [s].
    """

    words: str
    job: LlmJob
    memory: MemoryParts
    step_s: float


@dataclass(frozen=True, slots=True)
class _State:
    """The settings that the levers change."""

    parallel: Parallel
    stack: SoftwareStack


def would_fit(job: LlmJob | VisionJob) -> str:
    """Return the cheapest changes that make a job fit, as a sentence; empty when it fits or nothing would do."""
    if isinstance(job, VisionJob):
        return vision_would_fit(job)
    found = [f"{advice.words} ({advice.step_s:.3g} s a step)" for advice in advise(job)[:3]]
    return f"what would fit: {'; or '.join(found)}" if found else ""


_Lever = Callable[[_State, Model, int], Iterator[tuple[str, _State]]]


def advise(job: LlmJob) -> tuple[Advice, ...]:
    """Return changes that make a job fit, cheapest first; none for a job that fits.

    Each lever (recomputation, sharding, microbatch, expert, tensor, pipeline, context degree) is turned no further than
    needed. Where none is enough alone, two together; where that is not enough either, the best other cut of the
    same GPUs, else the fewest GPUs that would do.

    Parameters
    ----------
    job
        On the same number of GPUs throughout, but for the last resort.

    Raises
    ------
    ProfileError
        When its model or profile does not exist.
    """
    model = load_model(job.model).model if isinstance(job.model, str) else job.model
    calibrated = load_calibrated(job.profile) if isinstance(job.profile, str) else job.profile
    profile = calibrated.profile
    stack = default_stack(job.profile, job.model) if job.stack is None else job.stack
    usable_bytes = MEMORY_SHARE * (profile.hbm_bytes if job.gpu_bytes is None else job.gpu_bytes)
    start = _State(job.parallel, stack)

    def fitting(state: _State) -> MemoryParts | None:
        memory = memory_per_gpu(model, state.parallel, state.stack)
        return memory if memory.total_bytes <= usable_bytes else None

    def advice(words: str, state: _State, memory: MemoryParts) -> Advice:
        changed = replace(job, parallel=state.parallel, stack=state.stack)
        step = step_time(model, state.parallel, state.stack, profile, job.network)
        return Advice(words, changed, memory, step.step_s)

    def first_fit(options: Iterator[tuple[str, _State]]) -> Advice | None:
        for words, state in options:
            memory = fitting(state)
            if memory is not None:
                return advice(words, state, memory)
        return None

    if fitting(start) is not None:
        return ()
    domain = profile.domain_gpus
    found = [lever_advice for lever in _LEVERS if (lever_advice := first_fit(lever(start, model, domain)))]
    if not found:
        found = [
            lever_advice
            for first, second in combinations(_LEVERS, 2)
            if (lever_advice := first_fit(_both(first, second, start, model, domain)))
        ]
    if not found:
        found = _other_cut(job, model, stack)
    return tuple(sorted(found, key=lambda advised: (advised.step_s, advised.words)))


def _both(
    first: _Lever, second: _Lever, start: _State, model: Model, domain: int
) -> Iterator[tuple[str, _State]]:
    """Yield two levers together, those with fewer turns first."""
    turns = [
        (turns_first + turns_second, f"{words}, {more}", state)
        for turns_first, (words, halfway) in enumerate(first(start, model, domain))
        for turns_second, (more, state) in enumerate(second(halfway, model, domain))
    ]
    for _, words, state in sorted(turns, key=lambda turn: turn[0]):
        yield words, state


def _other_cut(job: LlmJob, model: Model, stack: SoftwareStack) -> list[Advice]:
    """Return the best plan on the same GPUs, or on the fewest more of them that hold the job."""
    gpus = job.parallel.gpus
    plan = fewest_gpus(
        model,
        gpus,
        job.parallel.global_batch,
        job.profile,
        stack=replace(stack, recompute="none"),
        gpu_bytes=job.gpu_bytes,
    )
    if plan is None:
        return []
    cut = plan.parallel
    words = "" if cut.gpus == gpus else f"{cut.gpus} GPUs instead of {gpus}, "
    words += f"tensor {cut.tp}, pipeline {cut.pp}, context {cut.cp}, microbatch {cut.microbatch}"
    words += f", recomputation {plan.stack.recompute}"
    if plan.stack.sharding != stack.sharding:
        words += f", {_ZERO[plan.stack.sharding]}"
    return [Advice(words, replace(job, parallel=cut, stack=plan.stack), plan.memory, plan.step_s)]


def fewest_gpus(
    model: str | Model,
    gpus: int,
    global_batch: int,
    profile: str | CalibratedProfile,
    *,
    stack: SoftwareStack | None = None,
    gpu_bytes: float | None = None,
    domain_gpus: int | None = None,
) -> Candidate | None:
    """Return the best plan on as many GPUs, or on twice, four times ... as many, the first that fits.

    Parameters
    ----------
    model, gpus, global_batch, profile, stack, gpu_bytes
        As for `search`.
    domain_gpus
        GPUs of a scale-up domain; none: the profile's.

    Returns
    -------
    Candidate or None
        None where not even `MOST_GPUS_FACTOR` times as many do.
    """
    factor = 1
    while factor <= MOST_GPUS_FACTOR:
        found = search(
            model,
            gpus * factor,
            global_batch,
            profile,
            stack=stack,
            gpu_bytes=gpu_bytes,
            limits=SearchLimits(top=1, domain_gpus=domain_gpus),
        )
        if found.best:
            return found.best[0]
        factor *= 2
    return None


def _recompute(state: _State, model: Model, domain: int) -> Iterator[tuple[str, _State]]:
    ways: tuple[Recompute, ...] = ("none", "selective", "full")
    for way in ways[ways.index(state.stack.recompute) + 1 :]:
        if way == "selective" and state.stack.flash:
            continue  # fused attention keeps no scores anyway
        yield f"{way} recomputation", replace(state, stack=replace(state.stack, recompute=way))


def _shard(state: _State, model: Model, domain: int) -> Iterator[tuple[str, _State]]:
    if state.parallel.dp * state.parallel.cp == 1:
        return
    stages: tuple[Sharding, ...] = ("none", "optimizer", "gradients", "weights")
    for stage in stages[stages.index(state.stack.sharding) + 1 :]:
        if stage in ("gradients", "weights") and state.parallel.pp > 1:
            return  # gradients are kept over the microbatches of a pipeline, so that only optimizer state is shared
        yield _ZERO[stage], replace(state, stack=replace(state.stack, sharding=stage))


def _microbatch(state: _State, model: Model, domain: int) -> Iterator[tuple[str, _State]]:
    size = state.parallel.microbatch
    for smaller in range(size - 1, 0, -1):
        if state.parallel.global_batch % (state.parallel.dp * smaller) == 0:
            yield (
                f"microbatch {size} -> {smaller}",
                replace(state, parallel=replace(state.parallel, microbatch=smaller)),
            )


def _tensor(state: _State, model: Model, domain: int) -> Iterator[tuple[str, _State]]:
    for degree, parallel in _larger(state.parallel, "tp"):
        divides = model.heads % degree == 0 and (model.latent is not None or model.kv_heads % degree == 0)
        if degree <= domain and divides:
            yield f"tensor {state.parallel.tp} -> {degree}", replace(state, parallel=parallel)


def _pipeline(state: _State, model: Model, domain: int) -> Iterator[tuple[str, _State]]:
    for degree, parallel in _larger(state.parallel, "pp"):
        if not filled_layers(model.layers, degree):
            continue
        if parallel.vp * degree > model.layers or parallel.microbatches % degree:
            parallel = replace(parallel, vp=1)
        yield f"pipeline {state.parallel.pp} -> {degree}", replace(state, parallel=parallel)


def _context(state: _State, model: Model, domain: int) -> Iterator[tuple[str, _State]]:
    for degree, parallel in _larger(state.parallel, "cp"):
        if model.seq % (2 * degree) == 0:
            yield f"context {state.parallel.cp} -> {degree}", replace(state, parallel=parallel)


def _expert(state: _State, model: Model, domain: int) -> Iterator[tuple[str, _State]]:
    if model.experts is None:
        return
    cut = state.parallel
    for degree in range(cut.ep + 1, model.experts.count + 1):
        if model.experts.count % degree == 0 and (cut.tp * cut.cp * cut.dp) % (degree * cut.expert_tp) == 0:
            yield f"expert {cut.ep} -> {degree}", replace(state, parallel=replace(cut, ep=degree))


def _larger(parallel: Parallel, axis: str) -> Iterator[tuple[int, Parallel]]:
    """Yield larger degrees of an axis that take from data parallelism, with cuts of as many GPUs."""
    now: int = getattr(parallel, axis)
    for factor in range(2, parallel.dp + 1):
        if parallel.dp % factor:
            continue
        dp = parallel.dp // factor
        degrees: dict[str, Any] = {"dp": dp, axis: now * factor}
        changed = replace(parallel, **degrees)
        if (changed.tp * changed.cp * dp) % (parallel.ep * changed.expert_tp):
            continue  # the experts would no longer share the group evenly
        yield now * factor, changed


_LEVERS: tuple[_Lever, ...] = (_recompute, _shard, _microbatch, _expert, _tensor, _pipeline, _context)
