"""What a job can be planned on: the GPUs of the open scene, or any that a calibration profile serves."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from twin.app.world.rows import World
from twin.catalog import Catalog
from twin.language import tr
from twin.planning.network.scene_network import scene_network
from twin.planning.profile.figures import ProfileError
from twin.planning.profile.hardware_profile import profile_on
from twin.planning.profile.profiles import load_calibrated, profile_names
from twin.planning.search.scene_plan import SceneGpus

MOST_GPUS = 131_072
"""Offered where no scene sets a limit."""


@dataclass(frozen=True)
class PlannerHardware:
    """What a job runs on.

    Attributes
    ----------
    title
        For people.
    profile
        Calibration profile.
    gpu_part
        Part of the catalogue; "" where only a profile is chosen.
    gpu_bytes
        Memory of one GPU [B].
    gpus
        GPUs there are.
    node_gpus
        GPUs of one node.
    scene
        The GPUs of the open scene with their fabric; none where only a profile is chosen.
    catalog
        Parts and models of the open scene; none: the shipped ones.
    """

    title: str
    profile: str
    gpu_part: str
    gpu_bytes: float
    gpus: int
    node_gpus: int
    scene: SceneGpus | None = field(default=None, compare=False, repr=False)
    catalog: Catalog | None = field(default=None, compare=False, repr=False)

    @property
    def in_scene(self) -> bool:
        """Return whether these GPUs stand in the open scene."""
        return self.scene is not None


def scene_hardware(world: World) -> list[PlannerHardware]:
    """Return the GPUs that stand in a scene and that a profile serves, the most numerous first."""
    plant, nodes = world.plant, world.plant.nodes
    parts = plant.gpus.part[np.minimum(nodes.gpu_first, max(len(plant.gpus.part) - 1, 0))]
    made = []
    for number, part in enumerate(plant.gpu_parts):
        nodes_of_part = np.flatnonzero(nodes.present & (nodes.gpu_count > 0) & (parts == number))
        if not len(nodes_of_part):
            continue
        try:
            first = int(nodes_of_part[0])
            node = world.catalog.node(plant.node_parts[int(nodes.part[first])])
            profile = profile_on(part, world.catalog, node.id)
        except ProfileError:
            continue  # nothing can be planned on it
        scene = SceneGpus(
            part=part,
            count=int(nodes.gpu_count[nodes_of_part].sum()),
            node_gpus=int(nodes.gpu_count[first]),
            memory_bytes=world.catalog.gpu(part).memory_bytes,
            domain_gpus=min(node.scale_up_gpus, profile.profile.domain_gpus),
            profile=profile.name,
            network=scene_network(plant, world.catalog, nodes_of_part),
            node=node.id,
        )
        made.append(
            PlannerHardware(
                tr("This scene: {part}", part=part),
                scene.profile,
                part,
                scene.memory_bytes,
                scene.count,
                scene.node_gpus,
                scene,
                world.catalog,
            )
        )
    return sorted(made, key=lambda hardware: -hardware.gpus)


def profile_hardware(catalog: Catalog | None = None) -> list[PlannerHardware]:
    """Return the hardware of every shipped profile, for the models of a catalogue."""
    made = []
    for name in profile_names():
        calibrated = load_calibrated(name)
        hbm_bytes = calibrated.profile.hbm_bytes
        made.append(PlannerHardware(calibrated.title, name, "", hbm_bytes, MOST_GPUS, 8, None, catalog))
    return sorted(made, key=lambda hardware: hardware.title)
