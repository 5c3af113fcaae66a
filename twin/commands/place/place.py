"""Adding items: a part of the catalogue at a place, rows of racks, a node in a rack."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from twin.catalog import NodePart, Part, RackPart, StoragePart, SwitchPart
from twin.commands.edit import names
from twin.commands.edit.addressables import generator, item_of
from twin.commands.edit.changes import Changes, metres, point
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.place.capacity_check import unwired
from twin.commands.place.footprint import (
    FloorFootprints,
    machine_size_m,
    must_fit,
    rack_size_m,
    standing,
)
from twin.commands.place.rack_nodes import AddNode
from twin.language import tr
from twin.plant.cabinet import CABINET_WIDTH_M
from twin.plant.cooling import KINDS
from twin.plant.facility import USUAL_PART
from twin.scenario import Patch
from twin.scenario.checks.facility import LOOP_PARTS, PLANT_PARTS
from twin.scenario.generators import expand
from twin.scenario.schema.electricity import ON_SITE, StageKind
from twin.scenario.schema.site import RackGenerator
from twin.scenario.schema.systems import SwitchTier

Facing = Literal["north", "south"]
Role = Literal["compute", "network", "storage"]
Tier = Literal["leaf", "spine", "core"]

BESIDE_M = 1.2
"""Free floor between what stands and what is put beside it."""

_LOOP_OF = {part: kind for kind, part in LOOP_PARTS.items()}
_PLANT_OF = {part: kind for kind, part in PLANT_PARTS.items()}
STAGE_KINDS: dict[str, StageKind] = {
    "transformer": "transformer",
    "switchgear": "switchgear",
    "ups": "ups",
    "pdu": "pdu",
    "busbar": "busbar",
    "generator": "generator",
    "solar": "solar",
    "battery": "battery",
}
"""Kind of part -> kind of stage it becomes."""
_STEMS = {"transformer": "trafo", "generator": "gen", "switchgear": "main", "busbar": "duct"}
_ABOVE: dict[str, tuple[StageKind, ...]] = {
    "transformer": ("switchgear", "utility"),
    "switchgear": ("transformer", "utility"),
    "ups": ("transformer", "switchgear", "utility"),
    "pdu": ("ups", "switchgear", "transformer", "utility"),
    "busbar": ("ups", "switchgear", "transformer", "utility"),
}
"""Which stage supplies a new one, best first."""
_LABELS = {"network": "NET", "storage": "STORE", "compute": "RACK"}


@dataclass(frozen=True)
class AddPart:
    """Put a part of the catalogue into a hall.

    A rack part is a free rack; a node part stands in a plain cabinet, or in `rack` at unit `u`; a switch in a network
    rack, a storage box in a storage rack. CDUs, air handlers, doors and tanks are a loop each, PDUs, UPS, transformers,
    generators and batteries a power stage each, chillers, towers and dry coolers a facility loop.

    Parameters
    ----------
    part
        Of the catalogue.
    hall
        Where; "": the first.
    at
        Middle of its footprint in coordinates of the site [m]; None: beside what stands there.
    facing
        Of racks.
    label
        What stands over racks.
    rack, u
        For nodes, switches and storage boxes: rack they go into, and the lowest unit of a node; 0: the first free one.
    role
        What a rack part is for.
    tier
        Of a switch.
    count
        Nodes on one another, switches of a tier, machines side by side, items of a stage, boxes of a store.
    """

    part: str
    hall: str = ""
    at: tuple[float, float] | None = None
    facing: Facing = "south"
    label: str = ""
    rack: str = ""
    u: int = 0
    role: Role = "compute"
    tier: Tier = "leaf"
    count: int = 1

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return (
            tr("Add {part}", part=self.part)
            if self.count == 1
            else tr("Add {count} {part}", count=self.count, part=self.part)
        )

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        if self.part not in scene.catalog:
            raise CommandError(tr("the catalogue has no {part!r}", part=self.part))
        if self.count < 1:
            raise CommandError(
                tr("{count} is too few of {part}", count=self.count, part=self.part), tr("at least 1")
            )
        part = scene.catalog.part(self.part)
        if isinstance(part, NodePart) and self.rack:
            return AddNode(self.part, self.rack, self.u, self.count).patch(scene)
        changes = Changes(scene)
        new = _New(scene, changes, self)
        if isinstance(part, RackPart):
            new.rack("rack", self.part, [], self.role)
        elif isinstance(part, NodePart):
            group = {"part": self.part, "count": self.count, "first_u": self.u or 1}
            new.rack("rack", None, [group], "compute")
        elif isinstance(part, SwitchPart):
            new.switch(part)
        elif isinstance(part, StoragePart):
            new.store()
        elif part.KIND in _LOOP_OF:
            new.loop(part)
        elif part.KIND in _PLANT_OF:
            new.plant(part.id, _PLANT_OF[part.KIND])
        elif part.KIND in STAGE_KINDS:
            new.stage(part)
        else:
            raise CommandError(
                tr("a {replace} cannot be placed by itself", replace=part.KIND.replace("_", " "))
            )
        return changes.patch(self.title)


class _New:
    """Adds a part to a scene as an item of its kind."""

    def __init__(self, scene: EditedScene, changes: Changes, asked: AddPart) -> None:
        self._scene, self._changes, self._asked = scene, changes, asked
        self._taken = names.hardware(scene.scenario)

    @cached_property
    def hall(self) -> int:
        """Return the slot of the hall."""
        return hall_slot(self._scene, self._asked.hall)

    def rack(self, stem: str, part: str | None, nodes: list[dict[str, Any]], role: Role) -> str:
        """Add a row generator of one rack; return its id."""
        scene, asked = self._scene, self._asked
        width_m, depth_m = rack_size_m(scene.catalog, part)
        x_m, y_m = self._place(width_m, depth_m, rack=True)
        name = names.fresh(self._taken, f"{stem}-1")
        corner = point(x_m - width_m / 2 - self._shift_m, y_m - depth_m / 2)
        racks: dict[str, Any] = {"count": 1}
        racks |= {"part": part} if part else {}
        racks |= {"pitch": metres(width_m)} if abs(width_m - CABINET_WIDTH_M) > 1e-9 else {}
        racks |= {"nodes": nodes} if nodes else {}
        racks |= {"role": role} if role != "compute" else {}
        brought = expand.node_parts(RackGenerator(count=1, part=part), part, scene.catalog)
        brought += [group["part"] for group in nodes for _ in range(group["count"])]
        if role == "compute":
            unwired(self._changes, brought)
        label = asked.label or _LABELS[role]
        entry = {"id": name, "label": label, "at": corner, "facing": asked.facing, "racks": racks}
        self._changes.set(f"halls[{scene.plant.halls.ids[self.hall]}].rows[{name}]", entry)
        return name

    def switch(self, part: SwitchPart) -> None:
        """Add switches without cables yet: to an explicit fabric, in network racks."""
        scene, asked = self._scene, self._asked
        if part.fabric == "scale-up":
            raise CommandError(tr("{id} joins GPUs inside a rack and belongs to its rack part", id=part.id))
        home = self._home("network", "net")
        path, tier = "", asked.tier
        for fabric in scene.scenario.fabrics:
            tier_before: SwitchTier | None = getattr(fabric, tier)
            if fabric.kind != "explicit" or (tier_before is None and fabric.links):
                continue
            if tier_before is None:
                path = f"fabrics[{fabric.id}].{tier}"
            elif tier_before.part == part.id and tier_before.racks == home:
                self._changes.set(
                    f"fabrics[{fabric.id}].{tier}.count", (tier_before.count or 0) + asked.count
                )
                return
        entry = {"part": part.id, "count": asked.count, "racks": home}
        if path:
            self._changes.set(path, entry)
            return
        name = names.fresh(self._taken, "fabric")
        self._changes.set(f"fabrics[{name}]", {"id": name, "kind": "explicit", tier: entry})

    def store(self) -> None:
        """Add boxes to a store of the same part in the same racks, else as a store of its own."""
        scene, asked = self._scene, self._asked
        home = self._home("storage", "store")
        for store in scene.scenario.storage:
            if store.part == asked.part and store.racks == home:
                self._changes.set(f"storage[{store.id}].count", store.count + asked.count)
                return
        name = names.fresh(self._taken, "files")
        entry = {"id": name, "part": asked.part, "count": asked.count, "racks": home}
        self._changes.set(f"storage[{name}]", entry)

    def loop(self, part: Part) -> None:
        """Add a loop that serves nothing yet, or the rows of the rack it was put on."""
        scene, asked = self._scene, self._asked
        kind = _LOOP_OF[part.KIND]
        water = self._water(kind)
        name = names.fresh(
            self._taken, {"liquid": "cdu", "air": "crah"}.get(kind, "door" if kind == "rear-door" else "tank")
        )
        entry: dict[str, Any] = {"id": name, "kind": kind, "part": part.id}
        entry |= {"units": asked.count} if asked.count > 1 else {}
        pumps = getattr(part, "pump_count", None)
        entry |= {"pumps": min(8, pumps)} if pumps and pumps != 2 else {}
        entry["plant"] = water
        serves = [asked.rack.partition("/")[0]] if asked.rack else []
        if kind == "rear-door" and not serves:
            raise CommandError(tr("{id} is a rear door of a rack", id=part.id), tr("drop it on a rack"))
        entry["serves"] = serves
        entry |= {} if kind in ("liquid", "immersion") else {"supply": "24 degC"}
        if asked.at is not None and kind != "rear-door":
            width_m, depth_m = machine_size_m(scene.catalog, part.id, KINDS[kind])
            x_m, y_m = self._place(width_m * asked.count, depth_m)
            entry["places"] = {f"{name}/0": self._stand(x_m, y_m)}
        self._changes.set(f"cooling.loops[{name}]", entry)

    def plant(self, part: str, kind: str) -> str:
        """Add a facility loop; return its id."""
        name = names.fresh(self._taken, "water")
        entry: dict[str, Any] = {"id": name, "kind": kind, "part": part}
        entry |= {"supply": "18 degC"} if kind == "chiller" else {}
        self._changes.set(f"cooling.plants[{name}]", entry)
        return name

    def stage(self, part: Part) -> None:
        """Add a power stage below the stage that suits it best."""
        scene, asked = self._scene, self._asked
        kind: StageKind = STAGE_KINDS[part.KIND]
        if part.KIND == "generator":
            kind = "gas" if part.id.startswith("gas") else "smr" if part.id.startswith("SMR") else "generator"
        name = names.fresh(self._taken, _STEMS.get(kind, kind))
        entry: dict[str, Any] = {"id": name, "kind": kind, "part": part.id}
        entry |= {"count": asked.count} if asked.count > 1 else {}
        above = supplier(scene, kind)
        if above:
            entry["at" if kind in ON_SITE else "from"] = above
        if asked.at is not None:
            step_m = (part.width_m or 1.0) + BESIDE_M
            x_m, y_m = asked.at
            entry["places"] = {
                f"{name}/{k}": self._stand(x_m + (k - (asked.count - 1) / 2) * step_m, y_m)
                for k in range(asked.count)
            }
        entry |= {"breaker": {"rating": "125 %"}} if kind in ("pdu", "busbar") else {}
        self._changes.set(f"power[{name}]", entry)

    def _home(self, role: Role, stem: str) -> str:
        """Return the row generator that holds a switch or box: that of the rack asked for, or a new one."""
        scene, rack = self._scene, self._asked.rack
        if not rack:
            return self.rack(stem, None, [], role)
        name = item_of(scene.scenario, rack).generator
        found = generator(scene.scenario, name)[1].racks.role
        if found != role:
            raise CommandError(
                tr("rack {rack} is a {found} rack", rack=rack, found=found),
                tr("{part} goes into a {role} rack", part=self._asked.part, role=role),
            )
        return name

    def _water(self, kind: str) -> str:
        """Return the facility loop that takes the heat of a loop; makes one where there is none."""
        plants = self._scene.scenario.cooling.plants
        if not plants:
            usual = "dry-cooler" if kind == "liquid" else "chiller"
            return self.plant(USUAL_PART[usual], usual)
        wanted_c = 28.0 if kind in ("liquid", "immersion") else 24.0
        cold = [plant for plant in plants if plant.supply_c <= wanted_c - 3.0]
        return max(cold or plants, key=lambda plant: plant.supply_c if cold else -plant.supply_c).id

    @property
    def _shift_m(self) -> float:
        return float(self._scene.plant.halls.shift_x_m[self.hall])

    def _stand(self, x_m: float, y_m: float) -> dict[str, str]:
        return {"hall": self._scene.plant.halls.ids[self.hall], **point(x_m - self._shift_m, y_m)}

    def _place(self, width_m: float, depth_m: float, *, rack: bool = False) -> tuple[float, float]:
        """Return the middle of the footprint; raises CommandError when something stands there."""
        boxes, asked = standing(self._scene.plant), self._asked
        in_hall = boxes.hall == self.hall
        if asked.at is None:
            if not in_hall.any():
                return width_m / 2 + self._shift_m, depth_m / 2
            right_m = float((boxes.x_m + boxes.width_m / 2)[in_hall].max())
            low_m = float((boxes.y_m - boxes.depth_m / 2)[in_hall].min())
            return right_m + BESIDE_M + width_m / 2, low_m + depth_m / 2
        x_m, y_m = asked.at
        if not (math.isfinite(x_m) and math.isfinite(y_m)):
            raise CommandError(tr("the position is not on the floor"))
        column = [np.array([value]) for value in (x_m, y_m, width_m, depth_m)]
        obstacles = standing(self._scene.plant, settled=rack)
        must_fit(FloorFootprints([""], np.array([self.hall], np.int32), *column), obstacles)
        return x_m, y_m


def hall_slot(scene: EditedScene, hall: str) -> int:
    """Return the slot of a hall, of the first without a name; raises CommandError when there is none."""
    if hall and hall not in scene.plant.halls.ids:
        raise CommandError(
            tr("there is no hall {hall!r}", hall=hall),
            tr("there are {halls}", halls=", ".join(scene.plant.halls.ids)),
        )
    return scene.plant.halls.ids.index(hall) if hall else 0


def supplier(scene: EditedScene, kind: StageKind) -> str:
    """Return the stage that supplies a new one of a kind; "" without one: the grid supplies it."""
    stages = scene.scenario.power
    for above in _ABOVE.get(kind, ("switchgear", "utility")):
        found = [stage.id for stage in stages if stage.kind == above]
        if found:
            return found[0]
    return ""


@dataclass(frozen=True)
class AddRows:
    """Put rows of racks into a hall, as one generator.

    Parameters
    ----------
    hall
        Where; "": the first.
    at
        Corner with the lowest x and y where row 0 begins, in coordinates of the site [m].
    rows, racks
        How many rows, and racks in each.
    pitch_m, rack_pitch_m
        Row to row, rack to rack [m]; 0: racks stand side to side.
    rack_part
        Rack of the catalogue; "": a plain cabinet.
    nodes
        (part, how many, lowest unit) of the nodes in each rack.
    """

    hall: str = ""
    at: tuple[float, float] = (0.0, 0.0)
    rows: int = 1
    racks: int = 8
    pitch_m: float = 3.0
    rack_pitch_m: float = 0.0
    rack_part: str = ""
    nodes: tuple[tuple[str, int, int], ...] = ()
    facing: Literal["alternate", "north", "south"] = "alternate"
    containment: Literal["hot", "cold", "none"] = "hot"
    role: Role = "compute"
    label: str = "ROW"
    stem: str = "gpu"

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        racks = tr("{racks} racks", racks=self.racks) if self.racks > 1 else "1 rack"
        return (
            tr("Add a row of {racks}", racks=racks)
            if self.rows == 1
            else tr("Add {rows} rows of {racks}", rows=self.rows, racks=racks)
        )

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        slot = hall_slot(scene, self.hall)
        part = self.rack_part or None
        width_m, depth_m = rack_size_m(scene.catalog, part)
        pitch_m = self.rack_pitch_m or width_m
        x_m, y_m = self.at
        row, place = np.divmod(np.arange(self.rows * self.racks), self.racks)
        boxes = FloorFootprints(
            ids=[""] * len(row),
            hall=np.full(len(row), slot, np.int32),
            x_m=x_m + width_m / 2 + place * pitch_m,
            y_m=y_m + depth_m / 2 + row * self.pitch_m,
            width_m=np.full(len(row), min(width_m, pitch_m)),
            depth_m=np.full(len(row), depth_m),
        )
        must_fit(boxes, standing(scene.plant, settled=True))
        name = names.fresh(names.hardware(scene.scenario), self.stem)
        racks: dict[str, Any] = {"count": self.racks}
        racks |= {"part": part} if part else {}
        racks["pitch"] = metres(pitch_m)
        if self.nodes:
            racks["nodes"] = [{"part": node, "count": n, "first_u": u or 1} for node, n, u in self.nodes]
        racks["role"] = self.role
        entry: dict[str, Any] = {"id": name, "label": self.label}
        entry |= {"count": self.rows} if self.rows > 1 else {}
        entry["at"] = point(x_m - float(scene.plant.halls.shift_x_m[slot]), y_m)
        entry |= {"pitch": metres(self.pitch_m)} if self.rows > 1 else {}
        entry |= {"facing": self.facing, "containment": self.containment, "racks": racks}
        changes = Changes(scene)
        if self.role == "compute":
            brought = expand.node_parts(RackGenerator(count=1), part, scene.catalog)
            brought += [node for node, n, _ in self.nodes for _ in range(n)]
            unwired(changes, brought * (self.rows * self.racks))
        changes.set(f"halls[{scene.plant.halls.ids[slot]}].rows[{name}]", entry)
        return changes.patch(self.title)
