"""A job of a scenario on GPUs of the catalogue: the one estimate that the engine and the window share."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.catalog import Catalog
from twin.physics.training_inputs import FULL_NETWORK, Model, Parallel, SoftwareStack, TrainingNetwork
from twin.planning.job.job import (
    AnyJob,
    HpcJob,
    InferenceJob,
    JobEstimate,
    LlmJob,
    LoadJob,
    PlanError,
    ReinforcementJob,
    VisionJob,
    cut,
    default_stack,
    estimate,
)
from twin.planning.job.llm import TOKEN_BYTES
from twin.planning.job.reinforcement import answer_model
from twin.planning.profile.hardware_profile import profile_on
from twin.planning.profile.models import ModelPreset, load_model
from twin.planning.profile.profiles import CalibratedProfile, load_calibrated, profile_from
from twin.plant.tables import Plant
from twin.scenario.schema.calibration import Calibration
from twin.scenario.schema.work import (
    Inference,
    Job,
    LlmTraining,
    Load,
    Parallelism,
    Reinforcement,
    VisionTraining,
)


def allowed_nodes(plant: Plant, rows: tuple[str, ...]) -> NDArray[np.bool_]:
    """Return which nodes stand in the named row generators, shape (N,); none named: all that are there."""
    if not rows:
        return plant.nodes.present.copy()
    generator = np.array([id.split("/", 1)[0] for id in plant.rows.ids])
    allowed: NDArray[np.bool_] = (
        plant.nodes.present & np.isin(generator, rows)[plant.racks.row[plant.nodes.rack]]
    )
    return allowed


def estimate_of(
    job: Job,
    gpus: int,
    gpu_part: str,
    gpu_bytes: float,
    network: TrainingNetwork = FULL_NETWORK,
    *,
    catalog: Catalog | None = None,
    node: str = "",
) -> JobEstimate:
    """Return the estimate of `job` on its hardware; parameters and errors as for `planned_job`."""
    planned = planned_job(job, gpus, gpu_part, gpu_bytes, network, catalog=catalog, node=node)
    result = estimate(planned)
    if not isinstance(job.workload, Load) and _profile_of(job.workload, gpu_part, catalog, node).borrowed:
        borrowed = _profile_of(job.workload, gpu_part, catalog, node).borrowed
        result = replace(result, low_confidence=(borrowed, *result.low_confidence))
    if isinstance(job.workload, LlmTraining):
        tokens = result.input_bytes / TOKEN_BYTES
        return replace(result, input_bytes=tokens * job.workload.token_bytes)
    return result


def planned_job(
    job: Job,
    gpus: int,
    gpu_part: str,
    gpu_bytes: float,
    network: TrainingNetwork = FULL_NETWORK,
    *,
    catalog: Catalog | None = None,
    node: str = "",
) -> AnyJob:
    """Return `job` of a scenario as a job that can be estimated.

    Parameters
    ----------
    job
        As the scenario has it.
    gpus
        GPUs of all its nodes.
    gpu_part
        Their part in the catalogue; it chooses the profile when the job names none.
    gpu_bytes
        Memory of one [B].
    network
        What the fabric gives it on its places.
    catalog
        With the own parts and models of the scene; none: the shipped one.
    node
        Part of its nodes; empty: as its profile has them.

    Raises
    ------
    PlanError
        When the job is cut in a way that cannot run.
    ProfileError
        When its model or profile does not exist, or no profile serves the GPU.
    """
    workload = job.workload
    if isinstance(workload, Load):
        return LoadJob(workload, gpus, gpu_bytes)
    profile = _profile_of(workload, gpu_part, catalog, node).name
    if isinstance(workload, LlmTraining):
        own = None if workload.calibration is None else _own_profile(workload.calibration)
        return _llm(workload, gpus, own or profile, gpu_bytes, network, catalog)
    if isinstance(workload, VisionTraining):
        return _vision(workload, gpus, profile, gpu_bytes, network)
    if isinstance(workload, Reinforcement):
        generating = gpus // job.nodes * (workload.rollout_nodes or 0)
        if generating >= gpus:
            raise PlanError(
                f"all {job.nodes} nodes generate and none trains; reduce rollout_nodes", "rollout_nodes"
            )
        batch = workload.prompts * workload.samples
        parallel = _parallel(workload.parallelism, gpus - generating, batch)
        preset = load_model(workload.model, catalog)
        stack = _stack(workload, profile, preset)
        learner = LlmJob(answer_model(workload, preset.model), parallel, profile, stack, gpu_bytes, network)
        return ReinforcementJob(workload, learner, generating, preset.model)
    if isinstance(workload, Inference):
        served = load_model(workload.model, catalog).model
        return InferenceJob(workload, gpus, profile, gpu_bytes, network, served)
    return HpcJob(workload, gpus, profile, gpu_part, gpu_bytes, network)


def trained_model(workload: LlmTraining, catalog: Catalog | None = None) -> Model:
    """Return the preset of a training with what the workload says otherwise; `catalog` has the own models.

    Raises
    ------
    PlanError
        When it limits the nodes of tokens, but has no experts.
    ProfileError
        When there is no such preset.
    """
    model = load_model(workload.model, catalog).model
    if workload.sequence is not None:
        model = replace(model, seq=workload.sequence)
    if workload.predicted is not None:
        model = replace(model, predicted=workload.predicted)
    if workload.expert_nodes is not None:
        if model.experts is None:
            raise PlanError(f"expert_nodes limits experts, and {workload.model} has none", "expert_nodes")
        model = replace(model, experts=replace(model.experts, most_nodes=workload.expert_nodes))
    return model


def _profile_of(workload: Any, gpu_part: str, catalog: Catalog | None, node: str) -> CalibratedProfile:
    """Return the profile that a workload names, else that of its hardware."""
    return load_calibrated(workload.profile) if workload.profile else profile_on(gpu_part, catalog, node)


@lru_cache(maxsize=64)
def _own_profile(calibration: Calibration) -> CalibratedProfile:
    document = calibration.model_dump(exclude_none=True, exclude_defaults=True)
    document["confidence"] = calibration.confidence
    if "gpus" in document:
        document["gpus"] = list(document["gpus"])
    return profile_from(document, calibration.title, "calibration")


def _llm(
    workload: LlmTraining,
    gpus: int,
    profile: str | CalibratedProfile,
    gpu_bytes: float,
    network: TrainingNetwork,
    catalog: Catalog | None,
) -> LlmJob:
    model = trained_model(workload, catalog)
    parallel = _parallel(workload.parallelism, gpus, workload.global_batch)
    stack = _stack(workload, profile, load_model(workload.model, catalog))
    return LlmJob(model, parallel, profile, stack, gpu_bytes, network)


def _parallel(cuts: Parallelism, gpus: int, global_batch: int) -> Parallel:
    return cut(
        gpus,
        global_batch,
        tp=cuts.tensor,
        pp=cuts.pipeline,
        cp=cuts.context,
        vp=cuts.interleave,
        microbatch=cuts.microbatch,
        ep=cuts.expert,
        etp=cuts.expert_tensor,
        order=cuts.order,
    )


def _stack(
    workload: LlmTraining | Reinforcement, profile: str | CalibratedProfile, preset: ModelPreset
) -> SoftwareStack:
    """Return the profile's stack with the settings that the scenario overrides."""
    given_stack = workload.stack
    stack = default_stack(profile, preset, workload.precision, workload.recompute)
    options = {
        "sharding": given_stack.sharding,
        "seq_parallel": given_stack.seq_parallel,
        "flash": given_stack.flash,
        "flash2": given_stack.flash2,
        "attention8": given_stack.attention8,
        "dispatcher": given_stack.dispatcher,
        "dispatch_bytes": given_stack.dispatch_bytes,
        "balanced": given_stack.balanced,
        "fused_experts": given_stack.fused_experts,
        "graphs": given_stack.graphs,
        "even_stages": given_stack.even_stages,
        "chunk_overlap": given_stack.chunk_overlap,
        "compiled": given_stack.compiled,
        "tp_overlap": given_stack.tensor_overlap,
        "dp_overlap": given_stack.data_overlap,
        "p2p_overlap": given_stack.pipeline_overlap,
        "ep_overlap": given_stack.expert_overlap,
        "grad_bytes": given_stack.gradient_bytes,
        "launch_s": given_stack.launch_s,
    }
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    return replace(stack, **given)


def _vision(
    workload: VisionTraining, gpus: int, profile: str, gpu_bytes: float, network: TrainingNetwork
) -> VisionJob:
    return VisionJob(
        gpus,
        profile,
        workload.sample_flop,
        workload.sample_bytes,
        workload.parameters,
        workload.batch_per_gpu,
        workload.efficiency,
        sample_hbm_bytes=workload.hbm_bytes,
        sample_activation_bytes=workload.activation_bytes,
        gpu_bytes=gpu_bytes,
        network=network,
    )
