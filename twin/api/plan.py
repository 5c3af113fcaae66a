"""The best parallel layouts for a model on the GPUs of a scene."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from twin.api.arguments import count_of, path_of
from twin.api.errors import BadInput, as_arguments
from twin.api.estimate import named_profile
from twin.api.named import load_scene
from twin.api.scene import Scene
from twin.api.training import TrainingReport, training_report
from twin.physics.training_inputs import PRECISIONS, Precision, SoftwareStack, TrainingNetwork
from twin.planning.job.llm import default_stack
from twin.planning.job.whole_training import MOST_TOKENS
from twin.planning.profile.adapted import short_name
from twin.planning.profile.models import load_model
from twin.planning.profile.profiles import load_calibrated, other_stacks, profile_names
from twin.planning.profile.standing import WORTH_OF_EXPERTS, worth
from twin.planning.profile.uncertainty import interval_of
from twin.planning.search.advice import fewest_gpus
from twin.planning.search.nearest_feasible import nearby
from twin.planning.search.scene_plan import SceneGpus, plan_for_scene, scene_gpus
from twin.planning.search.search import SHARDINGS, Candidate, SearchLimits
from twin.planning.software_text import stack_words
from twin.planning.table.case_model import preset_named
from twin.planning.table.case_output import PART_NAMES
from twin.plant.build import build
from twin.scenario import Document, Scenario
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.scene_catalog import catalog_of
from twin.scenario.schema.work import Job, LlmTraining, Load

MOST_GPUS = 10**7
MOST_PLANS = 100

PARTS = (
    ("compute", ("productive_s",)),
    ("tensor", ("exposed_tensor_s",)),
    ("pipe", ("exposed_pipeline_s",)),
    ("data", ("exposed_data_s",)),
    ("context", ("exposed_context_s",)),
    ("expert", ("exposed_expert_s",)),
    ("bubble", ("pipeline_bubble_s",)),
    ("other", ("launch_s", "straggler_s")),
)
"""Columns of a step time, each the sum of parts of it."""


@dataclass(frozen=True)
class ParallelPlan:
    """One way to run the job.

    Attributes
    ----------
    step_s, mfu
        Step time [s] and model FLOP utilisation (a share).
    tensor, pipeline, context, data, expert, interleave, microbatch
        Degrees, virtual stages, and sequences of a microbatch.
    recompute, sharding
        What is recomputed, and what is sharded over data parallelism.
    parts
        Where the step time goes [s].
    memory_bytes, memory
        Of the fullest GPU, in all and by part [B].
    network
        What the fabric gives it, as factors.
    nodes
        How many it takes.
    slower_because
        The part that makes it slower than the best one; None for the best.
    yaml
        To paste into the workload of a job.
    """

    step_s: float
    mfu: float
    tensor: int
    pipeline: int
    context: int
    data: int
    expert: int
    interleave: int
    microbatch: int
    recompute: str
    sharding: str
    parts: Mapping[str, float]
    memory_bytes: float
    memory: Mapping[str, float]
    network: TrainingNetwork
    nodes: int
    slower_because: str | None
    yaml: str


@dataclass(frozen=True)
class PlanReport:
    """The fastest layouts that fit, and why others do not.

    Attributes
    ----------
    scene, model, gpu, gpus, scene_gpus, domain_gpus
        What was asked; the GPU part, how many the job has, how many the scene and a scale-up domain.
    global_batch, sequence
        Sequences of a step, tokens of a sequence.
    precision, profile, profile_title, confidence, worth, other_profiles
        Of the big matrix products; the calibration profile, and how far it can be trusted; others for this GPU.
    stack, stack_words
        What the software does.
    tried, refused, search_s
        Layouts whose step time was computed, how many were refused by reason, and how long it took [s].
    hint
        What would do where nothing fits; None where nothing is known, or something fits.
    plans
        The fastest first; none: nothing fits.
    training
        What a whole training takes with the first of them; None: nothing fits.
    """

    scene: str
    model: str
    gpu: str
    gpus: int
    scene_gpus: int
    domain_gpus: int
    global_batch: int
    sequence: int
    precision: str
    profile: str
    confidence: str
    worth: str
    stack: SoftwareStack
    stack_words: str
    profile_title: str
    other_profiles: list[str]
    tried: int
    refused: Mapping[str, int]
    search_s: float
    hint: str | None
    plans: list[ParallelPlan]
    training: TrainingReport | None


def plan(
    scene: str | os.PathLike[str] | Scene,
    model: str,
    *,
    gpus: int | None = None,
    batch: int | None = None,
    sequence: int | None = None,
    precision: Precision | None = None,
    profile: str | None = None,
    sharding: Literal["none", "optimizer", "gradients", "weights", "any"] | None = None,
    flash: bool | None = None,
    seq_parallel: bool | None = None,
    tp_overlap: bool | None = None,
    dp_overlap: bool | None = None,
    p2p_overlap: bool | None = None,
    grad_bytes: Literal[2, 4] | None = None,
    top: int = 5,
    tokens: float | None = None,
) -> PlanReport:
    """Return the fastest parallel layouts of a model on the GPUs of a scene that fit in their memory.

    Parameters
    ----------
    scene
        A scene, or its file or name.
    model
        Preset such as ``llama3-70b``.
    gpus, batch, sequence
        GPUs of the job, sequences of a step (None: those of the scene's own job), tokens of a sequence (None: the
        model's).
    precision
        Of the big matrix products; None: bf16.
    profile
        Calibration profile by name or file; None: that of the GPU.
    sharding
        Over data parallelism; None: the profile's, and weights where nothing else fits.
    flash, seq_parallel, tp_overlap, dp_overlap, p2p_overlap
        Fused attention; norms split over tensor groups; traffic of tensor, data and pipeline groups behind compute.
        None: as the profile's software does.
    grad_bytes
        Of one gradient element [B].
    top
        How many plans.
    tokens
        Of the whole training; None: the published count of the model, where there is one.

    Raises
    ------
    ScenarioError, PlanError, ProfileError
        When the scene, the job on it, or model and profile cannot be.
    BadInput
        When an argument is wrong; it is a `ValueError`.

    Examples
    --------
    >>> import twin
    >>> best = twin.plan("lab-16", "llama3-8b", gpus=16, batch=128).plans[0]
    >>> best.tensor * best.pipeline * best.context * best.data
    16
    """
    for name, value in (("gpus", gpus), ("batch", batch), ("sequence", sequence)):
        if value is not None:
            count_of(value, name, 1, MOST_GPUS)
    count_of(top, "top", 1, MOST_PLANS)
    name = scene.name if isinstance(scene, Scene) else path_of(scene, "scene")
    document = scene.document if isinstance(scene, Scene) else load_scene(name)
    options = {
        "flash": flash,
        "seq_parallel": seq_parallel,
        "tp_overlap": tp_overlap,
        "dp_overlap": dp_overlap,
        "p2p_overlap": p2p_overlap,
        "grad_bytes": grad_bytes,
    }
    with as_arguments():
        return planned(
            document, name, model, gpus, batch, sequence, precision, profile, sharding, options, top, tokens
        )


def planned(
    document: Document,
    scene: str,
    model: str,
    gpus: int | None,
    batch: int | None,
    sequence: int | None,
    precision: str | None,
    profile: str | None,
    sharding: str | None,
    options: Mapping[str, Any],
    top: int,
    tokens: float | None = None,
) -> PlanReport:
    """Return the plans for a scene called `scene`; `options` go by field of `SoftwareStack`."""
    asked = next((known for known in PRECISIONS if known == (precision or "bf16")), None)
    if asked is None:
        raise BadInput(f"--precision: {precision!r} is none of {', '.join(PRECISIONS)}")
    if sharding not in (None, "any", *SHARDINGS):
        raise BadInput(f"--sharding: {sharding!r} is none of {', '.join(SHARDINGS)} and any")
    if options["grad_bytes"] not in (None, 2, 4):
        raise BadInput(f"--grad-bytes: {options['grad_bytes']} is neither 2 nor 4")
    shardings = SHARDINGS if sharding == "any" else tuple(level for level in SHARDINGS if level == sharding)
    scenario, catalog = document.scenario, catalog_of(document.scenario)
    known = None if model in catalog.own_models else preset_named(model)
    preset = load_model(model, catalog) if known is None else known
    if tokens is not None and not 0.0 < tokens <= MOST_TOKENS:
        raise BadInput(f"--tokens: {tokens:g} is out of range; give more than 0 and at most {MOST_TOKENS:g}")
    _refuse_loads(scenario, batch)
    plant = build(scenario, catalog)
    hardware = scene_gpus(plant, catalog)
    calibrated = load_calibrated(hardware.profile) if profile is None else named_profile(profile)
    default = default_stack(calibrated, preset, asked)
    stack = replace(default, **{name: value for name, value in options.items() if value is not None})
    wanted, sequences = _size(scenario, hardware, gpus, batch)
    start = time.perf_counter()
    found = plan_for_scene(
        hardware,
        preset,
        wanted,
        sequences,
        sequence=sequence,
        profile=calibrated,
        stack=stack,
        limits=SearchLimits(top=top, shardings=shardings),
    )
    hint = None
    if not found.best:
        more = fewest_gpus(
            found.model,
            wanted,
            sequences,
            calibrated,
            stack=stack,
            gpu_bytes=hardware.memory_bytes,
            domain_gpus=hardware.domain_gpus,
        )
        if more is not None:
            hint = f"{more.parallel.gpus:,} GPUs would do"
        else:
            near = nearby(
                found.model,
                wanted,
                sequences,
                calibrated,
                stack=stack,
                node_gpus=hardware.node_gpus,
                scene_gpus=hardware.count,
                gpu_bytes=hardware.memory_bytes,
                domain_gpus=hardware.domain_gpus,
            )
            hint = near.words or None
    changed = {
        "sequence": sequence if sequence != preset.model.seq else None,
        "precision": precision if precision != "bf16" else None,
        "profile": profile if profile in profile_names() and profile != hardware.profile else None,
    }
    interval = interval_of(calibrated, stack.precision, found.model.experts is not None, wanted)
    return PlanReport(
        scene=scene,
        model=preset.name,
        gpu=hardware.part,
        gpus=wanted,
        scene_gpus=hardware.count,
        domain_gpus=hardware.domain_gpus,
        global_batch=sequences,
        sequence=found.model.seq,
        precision=precision or "bf16",
        profile=short_name(calibrated.name),
        confidence="low" if found.model.experts else found.confidence,
        worth=f"{WORTH_OF_EXPERTS if found.model.experts else worth(calibrated)}; step times {interval.words}",
        stack=stack,
        stack_words=stack_words(stack, recompute=False),
        profile_title=calibrated.title,
        other_profiles=[other_profile.name for other_profile in other_stacks(calibrated)],
        tried=found.tried,
        refused=dict(found.refused),
        search_s=time.perf_counter() - start,
        hint=hint,
        plans=[
            _plan(candidate, found.best[0], hardware, snippet(candidate, default, changed))
            for candidate in found.best
        ],
        training=training_report(
            found, preset, tokens, sequences, hardware, scenario, plant, catalog, fp8=asked != "bf16"
        ),
    )


def _plan(plan: Candidate, best: Candidate, hardware: SceneGpus, yaml: str) -> ParallelPlan:
    layout = plan.parallel
    return ParallelPlan(
        step_s=plan.step_s,
        mfu=plan.parts.mfu,
        tensor=layout.tp,
        pipeline=layout.pp,
        context=layout.cp,
        data=layout.dp,
        expert=layout.ep,
        interleave=layout.vp,
        microbatch=layout.microbatch,
        recompute=plan.stack.recompute,
        sharding=plan.stack.sharding,
        parts={name: getattr(plan.parts, name) for name in PART_NAMES},
        memory_bytes=plan.memory.total_bytes,
        memory={part.name: getattr(plan.memory, part.name) for part in fields(plan.memory)},
        network=plan.network,
        nodes=-(-layout.gpus // hardware.node_gpus),
        slower_because=_why(plan, best),
        yaml=yaml,
    )


def _refuse_loads(scenario: Scenario, batch: int | None) -> None:
    """Refuse a scene whose jobs say nothing but their power, unless a batch is given to plan with."""
    jobs = jobs_of(scenario)
    if batch is None and jobs and all(isinstance(job.workload, Load) for job in jobs):
        raise BadInput(
            "the jobs of this scene are loads, of which only the power is given: there is nothing to plan; "
            "give --batch to plan a model on its GPUs"
        )


def _size(scenario: Scenario, hardware: SceneGpus, gpus: int | None, batch: int | None) -> tuple[int, int]:
    """Return GPUs and batch: as asked for, else of the first training job of the scene."""
    jobs = [job for job in jobs_of(scenario) if isinstance(job.workload, LlmTraining)]
    job: Job | None = jobs[0] if jobs else None
    if gpus is None:
        gpus = hardware.count if job is None else min(hardware.count, job.nodes * hardware.node_gpus)
    if batch is None:
        if job is None or not isinstance(job.workload, LlmTraining):
            raise BadInput("the scene trains no language model, so give --batch, the sequences of one step")
        batch = job.workload.global_batch
    return gpus, batch


def _why(plan: Candidate, best: Candidate) -> str | None:
    """Return the part that makes a plan slower than the best one; none for the best."""
    if plan is best:
        return None
    more = {
        head: sum(getattr(plan.parts, name) - getattr(best.parts, name) for name in names)
        for head, names in PARTS
    }
    head = max(more, key=lambda part: more[part])
    return f"{head} {more[head]:+.2f} s"


_STACK_KEYS = {
    "seq_parallel": "seq_parallel",
    "flash": "flash",
    "tp_overlap": "tensor_overlap",
    "dp_overlap": "data_overlap",
    "p2p_overlap": "pipeline_overlap",
    "grad_bytes": "gradient_bytes",
}
"""What a scene calls the fields of `SoftwareStack` that have an option here."""


def snippet(plan: Candidate, default: SoftwareStack, workload: Mapping[str, object]) -> str:
    """Return what to paste into the workload of a job, as YAML.

    Parameters
    ----------
    plan
        What to write.
    default
        The stack of its profile; what differs from it is said.
    workload
        Further keys of the workload; those that are None are left out.
    """
    cut = plan.parallel
    lines = [f"{key}: {value}" for key, value in workload.items() if value is not None]
    lines += ["parallelism:", f"  tensor: {cut.tp}", f"  pipeline: {cut.pp}", f"  context: {cut.cp}"]
    if cut.ep > 1:
        lines.append(f"  expert: {cut.ep}")
    lines += [
        f"  interleave: {cut.vp}",
        f"  microbatch: {cut.microbatch}",
        f"recompute: {plan.stack.recompute}",
        "stack:",
        f"  sharding: {plan.stack.sharding}",
    ]
    for field, key in _STACK_KEYS.items():
        value = getattr(plan.stack, field)
        if value != getattr(default, field):
            lines.append(f"  {key}: {str(value).lower()}")
    return "\n".join(lines) + "\n"
