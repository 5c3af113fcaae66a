"""The parallelism search on the GPUs that a scene has."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from twin.catalog import Catalog
from twin.physics.training import step_time
from twin.physics.training_inputs import FULL_NETWORK, Model, Precision, Profile, SoftwareStack
from twin.planning.job.llm import default_stack
from twin.planning.job.result import PlanError
from twin.planning.job.scenario_job import allowed_nodes
from twin.planning.network.scene_network import SceneNetwork, scene_network
from twin.planning.profile.hardware_profile import profile_on
from twin.planning.profile.models import ModelPreset, load_model
from twin.planning.profile.profiles import CalibratedProfile, load_calibrated
from twin.planning.search.search import NO_LIMITS, Candidate, SearchLimits, SearchResult, search
from twin.plant.tables import Plant

PLACED_TIMES, PLACED_MORE = 2, 5
"""Plans that are placed for each that is shown, and more: the fabric may change their order."""


@dataclass(frozen=True, slots=True)
class SceneGpus:
    """The GPUs of a scene that one job could use.

    Attributes
    ----------
    part, node
        Their part in the catalogue, and that of their nodes.
    count
        How many stand there, spare nodes included.
    node_gpus
        GPUs of one node.
    memory_bytes
        Of one GPU [B].
    domain_gpus
        GPUs of one scale-up domain.
    profile
        Calibration profile that serves them.
    network
        What joins most of their nodes; none: the scene has no fabric.
    """

    part: str
    count: int
    node_gpus: int
    memory_bytes: float
    domain_gpus: int
    profile: str
    network: SceneNetwork | None = None
    node: str = ""


def scene_gpus(plant: Plant, catalog: Catalog, rows: tuple[str, ...] = ()) -> SceneGpus:
    """Return the GPUs of a scene, of the part it has most of.

    Parameters
    ----------
    plant, catalog
        The scene, built, and its parts.
    rows
        Row generators whose nodes count; empty: all.

    Raises
    ------
    PlanError
        When no GPU stands there.
    ProfileError
        When no profile serves them.
    """
    nodes = plant.nodes
    usable = allowed_nodes(plant, rows) & (nodes.gpu_count > 0)
    if not usable.any():
        where = f" in {', '.join(rows)}" if rows else ""
        raise PlanError(f"there is no GPU{where}; add a row of nodes")
    counts = np.bincount(nodes.part[usable], nodes.gpu_count[usable], minlength=len(plant.node_parts))
    most = int(counts.argmax())
    node = catalog.node(plant.node_parts[most])
    profile = profile_on(node.gpu, catalog, node.id)
    return SceneGpus(
        part=node.gpu,
        count=int(counts.max()),
        node_gpus=node.n_gpu,
        memory_bytes=catalog.gpu(node.gpu).memory_bytes,
        domain_gpus=min(node.scale_up_gpus, profile.profile.domain_gpus),
        profile=profile.name,
        network=scene_network(plant, catalog, np.flatnonzero(usable & (nodes.part == most))),
        node=plant.node_parts[most],
    )


def plan_for_scene(
    gpus_of: SceneGpus,
    model: str | Model | ModelPreset,
    gpus: int,
    global_batch: int,
    *,
    sequence: int | None = None,
    precision: Precision = "bf16",
    profile: str | CalibratedProfile | None = None,
    stack: SoftwareStack | None = None,
    limits: SearchLimits = NO_LIMITS,
) -> SearchResult:
    """Return the fastest ways to train a model on GPUs of a scene, alone on its fabric.

    The search sees the network cards; the best cuts are then placed on the first nodes of the scene, where hops,
    oversubscription and collisions count, and ranked anew.

    Parameters
    ----------
    gpus_of
        What `scene_gpus` returns.
    model
        Preset, its name, or shape.
    gpus, global_batch
        GPUs of the job, sequences of one step.
    sequence
        Tokens of one; none: the preset's.
    precision
        Of the linear layers.
    profile
        Calibration profile, by name or read from a file; none: the one that serves the GPUs.
    stack
        What the software does; none: the profile's.
    limits
        As for `search`; a tensor group stays within the scale-up domain of the scene.

    Raises
    ------
    PlanError
        When the scene has fewer GPUs, or no fabric joins as many.
    ProfileError
        When there is no such model or profile.
    """
    if gpus > gpus_of.count:
        raise PlanError(
            f"{gpus} GPUs are more than the {gpus_of.count} x {gpus_of.part} of the scene", "gpus"
        )
    name = profile or gpus_of.profile
    preset = load_model(model) if isinstance(model, str) else model
    shape = preset.model if isinstance(preset, ModelPreset) else preset
    if sequence is not None:
        shape = replace(shape, seq=sequence)
    chosen = default_stack(name, preset, precision) if stack is None else stack
    if limits.domain_gpus is None:
        limits = replace(limits, domain_gpus=gpus_of.domain_gpus)
    fabric = gpus_of.network
    if fabric is not None:
        fabric.refuse(gpus)
    numbers = (load_calibrated(name) if isinstance(name, str) else name).profile
    found = search(
        shape,
        gpus,
        global_batch,
        name,
        stack=chosen,
        gpu_bytes=gpus_of.memory_bytes,
        limits=replace(limits, top=max(limits.top + PLACED_MORE, PLACED_TIMES * limits.top)),
        network=FULL_NETWORK if fabric is None else fabric.cards_only(numbers),
    )
    plans = found.best if fabric is None else _placed(found.best, shape, numbers, fabric)
    return replace(found, best=plans[: limits.top])


def _placed(
    plans: tuple[Candidate, ...], model: Model, profile: Profile, fabric: SceneNetwork
) -> tuple[Candidate, ...]:
    """Return plans with the step times they have on the nodes of the scene, fastest first."""
    placed = []
    for plan in plans:
        network = fabric.of_job(model, plan.parallel, plan.stack, profile)
        parts = step_time(model, plan.parallel, plan.stack, profile, network)
        placed.append(replace(plan, parts=parts, network=network))
    return tuple(sorted(placed, key=lambda plan: plan.step_s))
