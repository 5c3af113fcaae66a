"""Search over the open settings of a job: its cut over GPUs, microbatch, interleave and recomputation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from twin.language import tr
from twin.physics.memory import MemoryParts, memory_per_gpu
from twin.physics.training import StepParts, step_time
from twin.physics.training_inputs import (
    FULL_NETWORK,
    Model,
    Parallel,
    Precision,
    Profile,
    Recompute,
    Sharding,
    SoftwareStack,
    TrainingNetwork,
)
from twin.planning.job.llm import default_stack
from twin.planning.job.result import MEMORY_SHARE, PlanError
from twin.planning.profile.models import load_model
from twin.planning.profile.profiles import CalibratedProfile, Confidence, load_calibrated

MICROBATCHES = (1, 2, 4, 8, 16)
SHARDINGS: tuple[Sharding, ...] = ("none", "optimizer", "gradients", "weights")
SAME_STEP = 0.002
"""Relative difference of step times that does not make two plans worth telling apart."""

# Why a cut is refused; each is counted, so that a person sees what narrows the choice.
DOMAIN = tr("tensor group larger than the scale-up domain")
HEADS = tr("tensor degree does not divide heads, key-value heads or widths")
LAYERS = tr("pipeline stages do not divide the layers")
SEQUENCE = tr("context parallel does not divide the sequence, or its slices are too short")
EXPERTS = tr("expert parallel does not divide the experts or the data-parallel group")
BATCH = tr("batch does not divide into data parallel x microbatch")
MEMORY = tr("does not fit in memory")
REASONS = (DOMAIN, HEADS, LAYERS, SEQUENCE, EXPERTS, BATCH, MEMORY)


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """Limits of a search.

    Attributes
    ----------
    tensor, pipeline, context, expert
        Degrees it may choose from; empty: all that divide.
    domain_gpus
        GPUs of a scale-up domain, which a tensor group must not leave; none: the profile's.
    microbatches
        Sequences of one microbatch.
    recompute
        From least to most; the first that fits is taken, as more only costs time.
    shardings
        From least to most; empty: the stack's, which is what its profile was fitted on, and sharded weights (ZeRO-3,
        FSDP) where nothing fits with it.
    slice_tokens
        Shortest part of a sequence that a GPU of a context group may hold [tokens].
    top
        Plans to return.
    """

    tensor: tuple[int, ...] = ()
    pipeline: tuple[int, ...] = ()
    context: tuple[int, ...] = ()
    expert: tuple[int, ...] = ()
    domain_gpus: int | None = None
    microbatches: tuple[int, ...] = MICROBATCHES
    recompute: tuple[Recompute, ...] = ("none", "selective", "full")
    shardings: tuple[Sharding, ...] = ()
    slice_tokens: int = 1024
    top: int = 5


NO_LIMITS = SearchLimits()
"""Whatever divides."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to run the job.

    Attributes
    ----------
    parallel, stack
        How it is cut, and what the software does (with its recomputation and sharding).
    parts, memory
        Step time by part [s], memory of the fullest GPU by part [B].
    network
        What the fabric gives it, as the step time counts on.
    """

    parallel: Parallel
    stack: SoftwareStack
    parts: StepParts
    memory: MemoryParts
    network: TrainingNetwork = FULL_NETWORK

    @property
    def step_s(self) -> float:
        """Step time [s]."""
        return self.parts.step_s


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Plans and refusals found by a search.

    Attributes
    ----------
    best
        The fastest plans by rising step time, each cut into another number of tensor, pipeline, context, data and
        expert groups.
    tried
        Configurations whose step time was computed.
    refused
        How many were refused, by reason: cuts whose degrees cannot be, microbatches that do not divide the batch,
        configurations that no saving of memory makes fit.
    model, gpu_bytes, confidence
        What was planned, for how much memory [B], and how far its profile is calibrated.
    """

    best: tuple[Candidate, ...]
    tried: int
    refused: Mapping[str, int]
    model: Model
    gpu_bytes: float
    confidence: Confidence


def search(
    model: str | Model,
    gpus: int,
    global_batch: int,
    profile_name: str | CalibratedProfile,
    *,
    stack: SoftwareStack | None = None,
    precision: Precision = "bf16",
    gpu_bytes: float | None = None,
    limits: SearchLimits = NO_LIMITS,
    network: TrainingNetwork = FULL_NETWORK,
) -> SearchResult:
    """Return the fastest ways to train a model on a number of GPUs that fit in their memory.

    Parameters
    ----------
    model
        Preset name such as "llama3-70b", or a shape.
    gpus, global_batch
        GPUs of the job, sequences of one step.
    profile_name
        Calibration profile, such as "h100", or one read from a file.
    stack
        What the software does; none: the profile's. Its recomputation is chosen by the search.
    precision
        Of the linear layers, where no stack is given.
    gpu_bytes
        Memory of a GPU [B]; none: the profile's.
    limits
        Limits of the search.
    network
        What the fabric gives the job.

    Raises
    ------
    ProfileError
        When there is no such model or profile.
    PlanError
        When GPUs or batch are not positive.

    Examples
    --------
    >>> found = search("llama3-8b", 8, 128, "h100")
    >>> found.best[0].parallel.gpus, found.refused[MEMORY] > 0
    (8, True)
    """
    if gpus < 1 or global_batch < 1:
        raise PlanError(
            f"{gpus} GPUs and a batch of {global_batch}: both must be at least 1", "gpus", "global_batch"
        )
    calibrated = load_calibrated(profile_name) if isinstance(profile_name, str) else profile_name
    shape = load_model(model).model if isinstance(model, str) else model
    base = default_stack(calibrated, model, precision) if stack is None else stack
    room = calibrated.profile.hbm_bytes if gpu_bytes is None else gpu_bytes
    seek = _Search(shape, gpus, global_batch, calibrated.profile, base, room, limits, network)
    seek.run()
    if not limits.shardings and base.sharding != "weights" and not seek.best():
        seek = _Search(
            shape,
            gpus,
            global_batch,
            calibrated.profile,
            base,
            room,
            replace(limits, shardings=("weights",)),
            network,
        )
        seek.run()
    return SearchResult(seek.best(), seek.tried, seek.refused, shape, room, calibrated.confidence)


def has_cut(
    model: str | Model,
    gpus: int,
    global_batch: int,
    calibrated: CalibratedProfile,
    limits: SearchLimits = NO_LIMITS,
) -> bool:
    """Return whether any degrees divide GPUs, model and batch, whatever memory they need; parameters as `search`."""
    shape = load_model(model).model if isinstance(model, str) else model
    profile = calibrated.profile
    seek = _Search(
        shape, gpus, global_batch, profile, calibrated.stack, profile.hbm_bytes, limits, FULL_NETWORK
    )
    return next(seek.cuts(), None) is not None


class _Search:
    """One search: its inputs, the plans found and the plans refused."""

    def __init__(
        self,
        model: Model,
        gpus: int,
        global_batch: int,
        profile: Profile,
        stack: SoftwareStack,
        gpu_bytes: float,
        limits: SearchLimits,
        network: TrainingNetwork,
    ) -> None:
        self.model, self.gpus, self.global_batch = model, gpus, global_batch
        self.profile, self.limits, self.network = profile, limits, network
        self.usable_bytes = MEMORY_SHARE * gpu_bytes
        self.domain = profile.domain_gpus if limits.domain_gpus is None else limits.domain_gpus
        self.savings = _savings(stack, limits)
        self.tried = 0
        self.refused: Counter[str] = Counter(dict.fromkeys(REASONS, 0))
        self._found: dict[tuple[int, ...], Candidate] = {}

    def run(self) -> None:
        """Evaluate every legal cut."""
        for cut in self.cuts():
            self.try_cut(cut)

    def cuts(self) -> Iterator[Parallel]:
        """Yield the legal cuts, microbatch and interleave still 1; count the others."""
        model = self.model
        for tp in _degrees(self.limits.tensor, self.gpus):
            if tp > self.domain:
                self.refused[DOMAIN] += 1
                continue
            if model.heads % tp or (model.latent is None and model.kv_heads % tp) or model.ffn % tp:
                self.refused[HEADS] += 1
                continue
            for pp in _degrees(self.limits.pipeline, self.gpus // tp):
                if not filled_layers(model.layers, pp):
                    self.refused[LAYERS] += 1
                    continue
                for cp in _degrees(self.limits.context, self.gpus // (tp * pp)):
                    if cp > 1 and (model.seq % (2 * cp) or model.seq < cp * self.limits.slice_tokens):
                        self.refused[SEQUENCE] += 1
                        continue
                    dp = self.gpus // (tp * pp * cp)
                    if self.global_batch % dp:
                        self.refused[BATCH] += 1
                        continue
                    yield from self._expert_cuts(Parallel(tp, pp, cp, dp, 1, 1, self.global_batch))

    def _expert_cuts(self, cut: Parallel) -> Iterator[Parallel]:
        if self.model.experts is None:
            yield cut
            return
        for ep in _degrees(self.limits.expert, cut.dp * cut.cp):
            if self.model.experts.count % ep:
                self.refused[EXPERTS] += 1
            else:
                yield replace(cut, ep=ep)

    def try_cut(self, cut: Parallel) -> None:
        """Evaluate the microbatches and interleaves of a cut and keep the fastest."""
        for microbatch in self.limits.microbatches:
            if cut.global_batch % (cut.dp * microbatch):
                self.refused[BATCH] += 1
                continue
            for vp in _interleaves(self.model.layers, cut.pp, cut.global_batch // (cut.dp * microbatch)):
                self._try(Parallel(cut.tp, cut.pp, cut.cp, cut.dp, vp, microbatch, cut.global_batch, cut.ep))

    def _try(self, parallel: Parallel) -> None:
        key = (parallel.tp, parallel.pp, parallel.cp, parallel.dp, parallel.ep)
        fitted = False
        for ways in self.savings:
            if ways[0].sharding == "weights" and parallel.pp > 1:
                continue  # no software shards weights over data-parallel groups and cuts them into stages too
            for stack in ways:
                memory = memory_per_gpu(self.model, parallel, stack)
                if memory.total_bytes <= self.usable_bytes:
                    break
            else:
                continue
            fitted = True
            self.tried += 1
            parts = step_time(self.model, parallel, stack, self.profile, self.network)
            known = self._found.get(key)
            if known is None or parts.step_s < known.step_s:
                self._found[key] = Candidate(parallel, stack, parts, memory, self.network)
            if stack is ways[0]:
                break  # fits without recomputation: to shard more only costs time
        if not fitted:
            self.refused[MEMORY] += 1

    def best(self) -> tuple[Candidate, ...]:
        """Return the fastest plans; of those that differ in next to nothing the one with the smaller degrees."""
        plans: list[Candidate] = []
        ranked = sorted(self._found.items(), key=lambda item: (round(item[1].step_s, 9), item[0]))
        for _, plan in ranked:
            if len(plans) == self.limits.top:
                break
            if not any(_much_the_same(plan, better) for better in plans):
                plans.append(plan)
        return tuple(plans)


def _much_the_same(plan: Candidate, better: Candidate) -> bool:
    """Return whether two plans only trade context parallelism for larger microbatches, for the same time."""
    a, b = plan.parallel, better.parallel
    return (a.tp, a.pp, a.ep) == (b.tp, b.pp, b.ep) and abs(plan.step_s / better.step_s - 1) < SAME_STEP


def _savings(stack: SoftwareStack, limits: SearchLimits) -> tuple[tuple[SoftwareStack, ...], ...]:
    """Return the stacks to try: for each sharding, from least to most recomputation."""
    ways: Sequence[Recompute] = limits.recompute
    if stack.flash:  # fused attention keeps no scores, so that selective recomputation saves nothing
        ways = [way for way in ways if way != "selective"] or ["selective"]
    shardings: Sequence[Sharding] = limits.shardings or (stack.sharding,)
    return tuple(
        tuple(replace(stack, sharding=sharding, recompute=way) for way in ways) for sharding in shardings
    )


def _degrees(given: tuple[int, ...], gpus: int) -> list[int]:
    """Return the degrees that divide a number of GPUs, of those given or of all."""
    if given:
        return [degree for degree in given if gpus % degree == 0]
    small = [degree for degree in range(1, int(gpus**0.5) + 1) if gpus % degree == 0]
    return sorted({*small, *(gpus // degree for degree in small)})


def filled_layers(layers: float, stages: int) -> tuple[float, ...]:
    """Return the numbers of layers that stages divide evenly; none where they cannot share them.

    Both embeddings may count as layers (so is Llama 3 405B cut: 126 layers on 8 or 16 stages); where the number of
    layers is odd, one place or three may be filled too, as the 61 layers of DeepSeek-V3 on 8 or 16 stages are.
    """
    if stages > layers:
        return ()
    more = (0, 2) if layers % 2 == 0 else (0, 1, 2, 3)
    return tuple(layers + places for places in more if (layers + places) % stages == 0)


def _interleaves(layers: float, pp: int, microbatches: int) -> Iterator[int]:
    """Yield the virtual stages a schedule can have: 1, and where microbatches fill rounds, what divides the layers."""
    yield 1
    if pp == 1 or microbatches % pp:
        return
    found = set()
    for counted in filled_layers(layers, pp):
        per_stage = int(counted // pp)
        found |= {vp for vp in range(2, per_stage + 1) if per_stage % vp == 0 and pp * vp <= layers}
    yield from sorted(found)


def fastest_microbatch(
    model: Model,
    parallel: Parallel,
    stack: SoftwareStack,
    profile: Profile,
    gpu_bytes: float,
    *,
    microbatch: int | None = None,
    vp: int | None = None,
    network: TrainingNetwork = FULL_NETWORK,
) -> Parallel:
    """Return the cut with the microbatch and interleave of the shortest step that fits.

    Parameters
    ----------
    model, stack, profile, network
        As for `step_time`.
    parallel
        The cut; its microbatch and interleave are not looked at.
    gpu_bytes
        Memory of a GPU [B].
    microbatch, vp
        Kept where given.

    Returns
    -------
    Parallel
        With microbatch 1, 2, 4, 8 or 16 and an interleave that divides the layers of a stage (above 1 only
        where the microbatches are a multiple of the stages); 1 and 1 when nothing fits. Where the stages do not
        divide the layers, both embeddings count as layers.
    """
    fitting = [
        cut
        for cut in _open_cuts(model, parallel, microbatch, vp)
        if memory_per_gpu(model, cut, stack).total_bytes <= MEMORY_SHARE * gpu_bytes
    ]
    if not fitting:
        return replace(parallel, microbatch=microbatch or 1, vp=vp or 1)
    return min(fitting, key=lambda cut: step_time(model, cut, stack, profile, network).step_s)


def _open_cuts(
    model: Model, parallel: Parallel, microbatch: int | None, vp: int | None
) -> Iterator[Parallel]:
    stage_layers = next(iter(filled_layers(model.layers, parallel.pp)), model.layers) / parallel.pp
    for size in MICROBATCHES if microbatch is None else (microbatch,):
        cut = replace(parallel, microbatch=size, vp=vp or 1)
        if cut.microbatches < 1 or not cut.microbatches.is_integer():
            continue
        yield cut
        if vp is not None or parallel.pp == 1 or cut.microbatches % parallel.pp:
            continue
        for stages in range(2, int(stage_layers) + 1):
            if stage_layers % stages == 0 and parallel.pp * stages <= model.layers:
                yield replace(cut, vp=stages)
