"""Which parts of the catalogue fit where, and which things of the scene a property may name. No widgets."""

from __future__ import annotations

import numpy as np
from pydantic import BaseModel

from twin.commands.edit.command import EditedScene
from twin.scenario.checks.facility import LOOP_PARTS, PLANT_PARTS, stage_parts
from twin.scenario.schema.cooling import FacilityLoop, Loop
from twin.scenario.schema.electricity import PowerStage
from twin.scenario.schema.rental import Rental
from twin.scenario.schema.site import NodeGroup, RackGenerator, Shelves
from twin.scenario.schema.systems import Fabric, Storage, SwitchTier

_PARTS: dict[tuple[type[BaseModel], str], str] = {
    (RackGenerator, "part"): "rack",
    (NodeGroup, "part"): "node",
    (Shelves, "part"): "power_shelf",
    (SwitchTier, "part"): "switch",
    (Storage, "part"): "storage",
    (Fabric, "technology"): "technology",
    (Fabric, "cable"): "cable",
    (Rental, "shape"): "shapes",
}
_TARGETS: dict[str, str] = {
    "plant": "plants",
    "from": "stages",
    "or_from": "stages",
    "at": "stages",
    "backs": "stores",
    "racks": "rows",
    "tenant": "tenants",
    "partition": "partitions",
    "storage": "stores",
    "store": "stores",
    "target": "caps",
}
_MEMBERS: dict[str, tuple[str, ...]] = {
    "feeds": ("rows", "loops", "plants"),
    "serves": ("rows",),
    "rows": ("rows",),
    "tenants": ("tenants",),
    "jobs": ("jobs",),
}
"""Lists of names, and what they may hold."""


def parts(scene: EditedScene, *kinds: str) -> tuple[str, ...]:
    """Return the parts of some kinds."""
    return tuple(id for kind in kinds for id in scene.catalog.ids(kind))


def fitting(scene: EditedScene, model: BaseModel, key: str) -> tuple[str, ...]:
    """Return the parts that fit a property; none where no part stands."""
    if key == "part" and isinstance(model, PowerStage):
        return parts(scene, *stage_parts(model.kind))
    if key == "part" and isinstance(model, Loop):
        return parts(scene, LOOP_PARTS[model.kind])
    if key == "part" and isinstance(model, FacilityLoop):
        return parts(scene, PLANT_PARTS[model.kind])
    kind = _PARTS.get((type(model), key))
    return parts(scene, kind) if kind is not None else ()


def refers(model: BaseModel, key: str) -> bool:
    """Return whether a property names another thing of the scene."""
    return key in _TARGETS and key != "target"


def targets(scene: EditedScene, model: BaseModel, key: str) -> tuple[str, ...]:
    """Return the things that a property may name, without the thing itself."""
    own = getattr(model, "id", None)
    return tuple(id for id in _there(scene, _TARGETS[key]) if id != own)


def listed(model: BaseModel, key: str) -> bool:
    """Return whether a property is a list of names."""
    return key in _MEMBERS or (key == "members" and isinstance(model, Rental))


def members(scene: EditedScene, model: BaseModel, key: str) -> tuple[str, ...]:
    """Return what a list of names may hold; of a rental also what it holds that is gone."""
    found = (id for what in _MEMBERS.get(key, ("nodes",)) for id in _there(scene, what))
    return tuple(dict.fromkeys((*found, *(model.members if isinstance(model, Rental) else ()))))


def _there(scene: EditedScene, what: str) -> list[str]:
    scenario = scene.scenario
    lists: dict[str, list[str]] = {
        "plants": [item.id for item in scenario.cooling.plants],
        "stages": [item.id for item in scenario.power],
        "stores": [item.id for item in scenario.storage],
        "rows": [rows.id for hall in scenario.halls for rows in hall.rows],
        "tenants": [item.id for item in scenario.tenants],
        "partitions": [item.id for item in scenario.partitions],
        "loops": [item.id for item in scenario.cooling.loops],
        "jobs": [item.id for item in scenario.jobs],
    }
    return lists[what] if what != "nodes" else _with_gpus(scene)


def _with_gpus(scene: EditedScene) -> list[str]:
    """Return row generators, rows, racks and nodes with GPUs, the larger first."""
    nodes = scene.plant.nodes
    ids = [
        nodes.ids[slot].split("/") for slot in np.flatnonzero(nodes.present & (nodes.gpu_count > 0)).tolist()
    ]
    return [*dict.fromkeys("/".join(id[:depth]) for depth in range(1, 5) for id in ids)]
