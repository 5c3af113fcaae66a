"""The step of the only training of a run as the planner has it: FLOP, power up and down, and a deeper interleave."""

from __future__ import annotations

from dataclasses import dataclass

from twin.catalog import Catalog, CatalogError
from twin.physics.swings import Waveform
from twin.planning.job.job_power import besides_gpus, gpu_wave, job_w, power_of
from twin.planning.job.llm import LlmJob
from twin.planning.job.result import JobEstimate, PlanError
from twin.planning.job.scenario_job import allowed_nodes, estimate_of, planned_job, trained_model
from twin.planning.profile.figures import ProfileError
from twin.plant.tables import Plant
from twin.report.step_computation import StepComputation, step_computation
from twin.scenario.generators.allowed_rows import rows_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.work import Job
from twin.scenario.schema.workload import LlmTraining

_SAME = 1e-4
"""A formula gives the FLOP of a token where it is within this share of them [-]."""


@dataclass(frozen=True)
class JobStep:
    """A step of a training.

    Attributes
    ----------
    gpus, node_gpus
        GPUs of the job, and of one of its nodes.
    tokens
        Of a step.
    flop_token, peak_flop_s
        Model FLOP of a token, and what one GPU could do at its peak [FLOP], [FLOP/s].
    plain
        Whether the FLOP of a token are 6 N + 12 L h s; N, L, h and s in `sizes`. N are the weights that products use:
        the input embedding is looked up, and norms scale.
    stages, microbatches, interleave
        Of its pipeline.
    deeper
        The next deeper interleave that fits, and the step with it over the step as it is; None: there is none.
    wave, checkpoint_bytes
        Power of one GPU through a step [W]; and what a checkpoint writes [B].
    step_w, idle_w
        Power of its nodes in the mean of a step, and while they wait [W].
    beyond
        Whether the job is larger than the runs that its step times are fitted to.
    computation
        Its computation term by term; None: it is not of the kind that the terms hold.
    """

    gpus: int
    node_gpus: int
    tokens: float
    flop_token: float
    peak_flop_s: float
    plain: bool
    sizes: tuple[float, float, int, int]
    stages: int
    microbatches: int
    interleave: int
    deeper: tuple[int, float] | None
    wave: Waveform
    checkpoint_bytes: float
    step_w: float
    idle_w: float
    beyond: bool
    computation: StepComputation | None = None


def job_step(scenario: Scenario, plant: Plant, catalog: Catalog) -> JobStep | None:
    """Return the step of the only job; None: it is no training, or cannot be planned."""
    if len(scenario.jobs) != 1 or not isinstance(scenario.jobs[0].workload, LlmTraining):
        return None
    try:
        return _step(scenario, plant, catalog, scenario.jobs[0])
    except (CatalogError, PlanError, ProfileError):
        return None


def _step(scenario: Scenario, plant: Plant, catalog: Catalog, job: Job) -> JobStep | None:
    allowed = allowed_nodes(plant, rows_of(scenario, job))
    work = job.workload
    if not allowed.any() or not isinstance(work, LlmTraining):
        return None
    first = int(allowed.argmax())
    node, each = plant.node_parts[int(plant.nodes.part[first])], int(plant.nodes.gpu_count[first])
    gpu = catalog.gpu(plant.gpu_parts[int(plant.gpus.part[int(plant.nodes.gpu_first[first])])])
    gpus = each * job.nodes

    def planned(interleave: int) -> JobEstimate:
        layout = work.parallelism.model_copy(update={"interleave": interleave})
        changed = job.model_copy(update={"workload": work.model_copy(update={"parallelism": layout})})
        return estimate_of(changed, gpus, gpu.id, gpu.memory_bytes, catalog=catalog, node=node)

    layout, model = work.parallelism, trained_model(work, catalog)
    job_as_planned = planned_job(job, gpus, gpu.id, gpu.memory_bytes, catalog=catalog, node=node)
    usual = planned(layout.interleave)
    deeper = None
    if layout.pipeline > 1:
        try:
            found = planned(2 * layout.interleave)
            if found.fits and found.step_s < usual.step_s:
                deeper = (2 * layout.interleave, found.step_s / usual.step_s)
        except PlanError:
            deeper = None
    sequence = work.sequence or model.seq
    tokens = float(work.global_batch * sequence)
    flop_token = usual.parts.model_flop / tokens
    multiplied = (
        model.layers * (model.active_layer_parameters - 4 * model.hidden) + model.hidden * model.vocab
    )
    plain_flop = 6.0 * multiplied + 12.0 * model.layers * model.hidden * sequence
    data = gpus // (layout.tensor * layout.pipeline * layout.context)
    part = catalog.node(node)
    power = power_of(gpu)
    waiting_w = part.n_gpu * power.idle_w + float(besides_gpus(part, gpu).power_w(0.0))
    return JobStep(
        gpus,
        each,
        tokens,
        flop_token,
        usual.parts.model_flop / (usual.parts.mfu * gpus * usual.step_s),
        abs(plain_flop / flop_token - 1.0) < _SAME,
        (multiplied, model.layers, model.hidden, sequence),
        layout.pipeline,
        max(1, work.global_batch // max(1, data * layout.microbatch)),
        layout.interleave,
        deeper,
        gpu_wave(power, usual.parts, gpus),
        usual.checkpoint_bytes,
        job_w(catalog, node, gpus, usual.parts),
        job.nodes * waiting_w,
        usual.interval is not None and usual.interval.beyond,
        step_computation(job_as_planned, usual.parts) if isinstance(job_as_planned, LlmJob) else None,
    )
