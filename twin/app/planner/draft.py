"""A job as it is being planned: workload, GPUs, hardware; what the planner says of it. No widgets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from pydantic import BaseModel

from twin.app.planner.fields import fields_for, value_of, with_value
from twin.app.planner.hardware import PlannerHardware
from twin.app.world.rows import World
from twin.language import tr
from twin.physics.training_inputs import FULL_NETWORK, Model, TrainingNetwork
from twin.planning.job.job import AnyJob, JobEstimate, LlmJob, PlanError, VisionJob
from twin.planning.job.scenario_job import allowed_nodes, estimate_of, planned_job
from twin.planning.profile.figures import ProfileError
from twin.planning.profile.models import VisionPreset, load_model
from twin.planning.profile.profiles import load_calibrated
from twin.planning.profile.standing import worth as profile_worth
from twin.scenario.file.effective_text import plain
from twin.scenario.schema.work import Job, LlmTraining, Load, VisionTraining, Workload
from twin.scenario.schema.workload import Parallelism
from twin.scenario.text.emit import block

_DEFAULT_PROFILE, _DEFAULT_GPUS = "h100", 64
_NETWORK_WORTH_SAYING = 0.97
_PRESET_SAMPLES = 1e6
"""A preset knows its samples, not how many of them somebody has."""
_STACK_FIELDS = {
    "stack.sharding": "sharding",
    "stack.seq_parallel": "seq_parallel",
    "stack.tensor_overlap": "tp_overlap",
    "stack.data_overlap": "dp_overlap",
    "stack.pipeline_overlap": "p2p_overlap",
    "stack.compiled": "compiled",
    "stack.flash2": "flash2",
    "stack.attention8": "attention8",
    "stack.dispatcher": "dispatcher",
    "stack.dispatch_bytes": "dispatch_bytes",
    "stack.expert_overlap": "ep_overlap",
    "stack.balanced": "balanced",
}
"""What a profile's stack calls what a workload may leave open."""


@dataclass(frozen=True)
class JobDraft:
    """A job as it is being planned."""

    workload: Workload
    gpus: int
    hardware: PlannerHardware

    @property
    def profile(self) -> str:
        """Name of the calibration profile in force."""
        return (None if isinstance(self.workload, Load) else self.workload.profile) or self.hardware.profile

    @property
    def data_parallel(self) -> int | None:
        """Copies of the model that share the batch; None where the cut leaves no whole number of them."""
        cuts = getattr(self.workload, "parallelism", None)
        if not isinstance(cuts, Parallelism):
            return None
        group = cuts.tensor * cuts.pipeline * cuts.context
        return None if self.gpus % group else self.gpus // group

    @property
    def batch_unit(self) -> int:
        """Return what the global batch has to be a multiple of: a microbatch of every copy of the model."""
        cuts = getattr(self.workload, "parallelism", None)
        return (self.data_parallel or 1) * (cuts.microbatch if isinstance(cuts, Parallelism) else 1)

    @property
    def sequence(self) -> int | None:
        """Tokens of one sequence; None where the workload has none."""
        if not isinstance(self.workload, LlmTraining):
            return None
        return self.workload.sequence or load_model(self.workload.model, self.hardware.catalog).model.seq


@dataclass(frozen=True)
class DraftEstimate:
    """What the planner says of a draft: an estimate, or why there is none by field."""

    draft: JobDraft
    estimate: JobEstimate | None
    faults: Mapping[str, str] = field(default_factory=dict)


def judge(draft: JobDraft, changed: str = "") -> DraftEstimate:
    """Return the estimate of a draft, or what is wrong with it, in words, by the field it belongs to.

    Parameters
    ----------
    draft
        What is planned.
    changed
        Path of the field last changed: a refusal that speaks of several belongs to that one.
    """
    if draft.gpus > draft.hardware.gpus and draft.hardware.in_scene:
        beyond = tr(
            "{gpus:,} GPUs exceed the {gpus_2:,} of the scene", gpus=draft.gpus, gpus_2=draft.hardware.gpus
        )
        return DraftEstimate(draft, None, {"gpus": beyond})
    try:
        return DraftEstimate(draft, estimate_draft(draft))
    except PlanError as refusal:
        return DraftEstimate(draft, None, {_at_fault(draft, refusal, changed): str(refusal)})
    except ProfileError as refusal:
        return DraftEstimate(draft, None, {"model": str(refusal)})


def estimate_draft(draft: JobDraft) -> JobEstimate:
    """Return what the planner says of a draft; raises `PlanError` and `ProfileError` as it does.

    In a scene the job stands on its first nodes, alone on their fabric, as in `twin plan`.
    """
    job = _as_job(draft)
    alone = _estimated(job, draft)  # refuses what cannot run
    network = network_of(draft)
    if network == FULL_NETWORK:
        return alone
    return _estimated(job, draft, network)


def _estimated(job: Job, draft: JobDraft, network: TrainingNetwork = FULL_NETWORK) -> JobEstimate:
    on = draft.hardware
    return estimate_of(job, draft.gpus, on.gpu_part, on.gpu_bytes, network, catalog=on.catalog)


def planned_draft(draft: JobDraft, network: TrainingNetwork = FULL_NETWORK) -> AnyJob:
    """Return a draft as the planner takes it; raises as `estimate_draft`."""
    hardware = draft.hardware
    part, gpu_bytes, catalog = hardware.gpu_part, hardware.gpu_bytes, hardware.catalog
    return planned_job(_as_job(draft), draft.gpus, part, gpu_bytes, network, catalog=catalog)


def network_of(draft: JobDraft) -> TrainingNetwork:
    """Return what the fabric of the scene gives a draft; the profile's own network where there is none."""
    scene = draft.hardware.scene
    fabric = scene.network if scene is not None else None
    if fabric is None:
        return FULL_NETWORK
    if isinstance(draft.workload, Load):
        return FULL_NETWORK  # it sends nothing that is known
    planned, profile = planned_draft(draft), load_calibrated(draft.profile).profile
    if isinstance(planned, LlmJob) and isinstance(planned.model, Model) and planned.stack is not None:
        return fabric.of_job(planned.model, planned.parallel, planned.stack, profile)
    if isinstance(planned, VisionJob):
        fabric.refuse(draft.gpus)
    return fabric.cards_only(profile)


def _as_job(draft: JobDraft) -> Job:
    workload = _with_profile(draft.workload, draft.profile)
    nodes = max(draft.gpus // draft.hardware.node_gpus, 1)
    return Job.model_construct(id="draft", workload=workload, nodes=nodes)


def _with_profile(workload: Workload, profile: str | None) -> Workload:
    """Return a workload with this profile; a load has none."""
    return workload if isinstance(workload, Load) else workload.model_copy(update={"profile": profile})


def _at_fault(draft: JobDraft, refusal: PlanError, changed: str) -> str:
    """Return the field that a refusal belongs to; "gpus" where it speaks of none that this workload has."""
    shown = {"model", "gpus", *(field.key for field in fields_for(draft.workload, draft.hardware.catalog))}
    keys = [key for key in refusal.keys if key in shown]
    return changed if changed in keys else next(iter(keys), "gpus")


def shown_value(draft: JobDraft, path: str) -> object:
    """Return the value in force of a field: what the workload leaves open is as model and profile have it."""
    if path == "sequence":
        return draft.sequence
    value = value_of(draft.workload, path)
    if value is None and isinstance(draft.workload, LlmTraining):
        model = load_model(draft.workload.model, draft.hardware.catalog).model
        if path == "predicted":
            return model.predicted
        if path == "expert_nodes" and model.experts is not None:
            return model.experts.most_nodes
    if value is None and path in _STACK_FIELDS:
        return getattr(load_calibrated(draft.profile).stack, _STACK_FIELDS[path])
    return value


def edited(draft: JobDraft, path: str, value: object) -> JobDraft:
    """Return the draft with a field of its workload changed."""
    return replace(draft, workload=with_value(draft.workload, path, value))


def draft_of_job(world: World, job: Job, hardware: list[PlannerHardware]) -> JobDraft | None:
    """Return the draft of a scenario's job on the hardware it has there; None when nothing serves it."""
    allowed = allowed_nodes(world.plant, job.rows)
    if not allowed.any():
        return None
    plant, node = world.plant, int(np.argmax(allowed))
    part = plant.gpu_parts[int(plant.gpus.part[int(plant.nodes.gpu_first[node])])]
    found = next((gpu for gpu in hardware if gpu.in_scene and gpu.gpu_part == part), None)
    if found is None:
        return None
    return JobDraft(job.workload, int(plant.nodes.gpu_count[node]) * job.nodes, found)


def default_draft(hardware: list[PlannerHardware]) -> JobDraft:
    """Return what the dialog starts with where no job is to be had: a small model on a few nodes."""
    chosen = next((gpu for gpu in hardware if gpu.in_scene), None)
    if chosen is None:
        chosen = next(gpu for gpu in hardware if gpu.profile == _DEFAULT_PROFILE)
    return JobDraft(default_training("llama3-8b"), min(_DEFAULT_GPUS, chosen.gpus), chosen)


def default_training(model: str) -> LlmTraining:
    """Return the training of a model preset with the cut still to be found."""
    return LlmTraining(kind="llm", model=model, global_batch=128)


def vision_training(preset: VisionPreset) -> VisionTraining:
    """Return the training of a vision or video model preset, on a data set of a million samples."""
    return VisionTraining.model_validate(
        {
            "kind": "vision",
            "model": preset.title,
            "sample_flop": preset.sample_flop,
            "parameters": preset.parameters,
            "batch_per_gpu": preset.batch_per_gpu,
            "sample_bytes": preset.sample_bytes,
            "activation_bytes": preset.sample_activation_bytes,
            "hbm_bytes": preset.sample_hbm_bytes,
            "efficiency": preset.efficiency,
            "dataset_bytes": _PRESET_SAMPLES * preset.sample_bytes,
        }
    )


def on_hardware(draft: JobDraft, hardware: PlannerHardware) -> JobDraft:
    """Return the draft on other hardware, with its own profile, and no more GPUs than there are."""
    workload = _with_profile(draft.workload, None)
    return replace(draft, workload=workload, hardware=hardware, gpus=min(draft.gpus, hardware.gpus))


def yaml_of(draft: JobDraft) -> str:
    """Return the draft as lines of a scenario's job: nodes and workload."""
    workload = draft.workload
    if not draft.hardware.in_scene:
        workload = _with_profile(workload, draft.profile)
    whole, rest = divmod(draft.gpus, draft.hardware.node_gpus)
    nodes = f"{max(whole + (rest > 0), 1)}"
    remark = tr("{gpus:,} GPUs, {node_gpus} a node", gpus=draft.gpus, node_gpus=draft.hardware.node_gpus)
    lines = block(_given(workload), 2)
    if (
        isinstance(workload, VisionTraining)
        and workload.dataset_bytes == _PRESET_SAMPLES * workload.sample_bytes
    ):
        lines = re.sub(r"(?m)^(  dataset: .*)$", r"\1 # a million samples: put your own", lines)
    return f"nodes: {nodes} # {remark}\nworkload:\n{lines}"


def _given(part: BaseModel) -> dict[str, Any]:
    """Return a part as a file would hold it, without what is as it would be anyway."""
    shown = plain(part)
    for name, info in type(part).model_fields.items():
        key, value = info.alias or name, getattr(part, name)
        if not info.is_required() and value == info.default:
            shown.pop(key, None)
        elif isinstance(value, BaseModel) and key in shown:
            shown[key] = _given(value)
    return shown


def worth(draft: JobDraft, estimate: JobEstimate) -> str:
    """Return how far an estimate can be trusted, in a sentence or two."""
    profile = load_calibrated(draft.profile)
    said = [doubt for doubt in estimate.low_confidence if doubt != profile.borrowed]
    doubts = " ".join(f"{doubt[:1].upper()}{doubt[1:].rstrip('.')}." for doubt in said)
    if estimate.kind == "load":
        return doubts
    if estimate.confidence != profile.confidence:
        words = tr("{title}, low confidence here.", title=profile.title)
    else:
        words = f"{profile.title}: {profile_worth(profile)}."
    if estimate.interval is not None and estimate.interval.sure:
        words += tr(" Step time {words}.", words=estimate.interval.words)
    network = network_of(draft)
    least = min(network.data, network.pipeline, network.tensor, network.context, network.expert)
    if least < _NETWORK_WORTH_SAYING:
        words += tr(
            " The fabric of the scene gives {least:.0f} % of the bandwidth it was calibrated on.",
            least=100 * least,
        )
    return f"{words} {doubts}".strip()
