"""Random commands on any scene, as a restless person would do them; some cannot be done."""

from __future__ import annotations

import random

from twin.commands.edit.command import Command, CommandError, EditedScene
from twin.commands.place.delete import Delete
from twin.commands.place.generators import ChangeGenerator
from twin.commands.place.groups import AssignJob, AssignTenant, MakeGroup, Ungroup
from twin.commands.place.move import MoveNodes, MoveThings, MoveTo, Rotate
from twin.commands.place.place import AddPart, AddRows
from twin.commands.place.properties import DrainNodes, Rename, SetProperty
from twin.commands.place.rack_nodes import AddNode
from twin.commands.room.clipboard import Paste, copied
from twin.commands.room.copies import Array, Duplicate
from twin.commands.wiring.auto_wire import AutoWire
from twin.commands.wiring.wiring import Connect, Disconnect

PARTS = ("DGX-H100", "GrandTeton-H100", "GB200-NVL72", "QM9700", "DDN-AI400X2", "EIA-48U", "CDU-inrow-1350")
PARTS += (
    "CRAH-chilled",
    "floor-PDU",
    "UPS-double-conversion",
    "diesel-genset-3MW",
    "dry-cooler",
    "BESS-container",
)


class Restless:
    """Draws commands that may fit a scene."""

    def __init__(self, seed: object) -> None:
        self.draw = random.Random(str(seed))

    def command(self, scene: EditedScene) -> Command:
        """Return one of any kind."""
        draw, plant, scenario = self.draw, scene.plant, scene.scenario
        racks = [plant.racks.ids[k] for k in range(len(plant.racks.ids)) if plant.racks.present[k]]
        nodes = [plant.nodes.ids[k] for k in range(len(plant.nodes.ids)) if plant.nodes.present[k]]
        rows = [one.id for hall in scenario.halls for one in hall.rows]
        machines = [*plant.loops.ids, *plant.power.ids]
        things = [*rows, *(one.id for one in (*scenario.power, *scenario.cooling.loops, *scenario.fabrics))]
        others = [one.id for one in (*scenario.cooling.plants, *scenario.storage, *scenario.groups)]
        jobs, tenants = [one.id for one in scenario.jobs], [one.id for one in scenario.tenants]

        def some(ids: list[str], most: int = 3) -> tuple[str, ...]:
            return tuple(draw.sample(ids, min(len(ids), draw.randint(1, most))))

        def one(ids: list[str]) -> str:
            return draw.choice(ids) if ids else "nothing"

        x_m, y_m = draw.uniform(-30, 60), draw.uniform(-30, 60)
        hall = one([*plant.halls.ids])
        kinds: list[Command] = [
            AddPart(one([*PARTS]), hall, draw.choice((None, (x_m, y_m))), count=draw.randint(1, 3)),
            AddNode(one(plant.node_parts or ["DGX-H100"]), one(racks), draw.choice((0, 0, 1, 30))),
            AddRows(hall, (x_m, y_m), draw.randint(1, 2), draw.randint(1, 4), nodes=(("DGX-H100", 2, 1),)),
            MoveThings(some([*racks, *rows, *machines], 4), (draw.choice((0.0, 0.6, 40.0)), y_m)),
            MoveTo(tuple((id, draw.uniform(-60, 90), draw.uniform(60, 90)) for id in some(racks))),
            MoveNodes(some(nodes, 2), one(racks), draw.choice((0, 0, 20))),
            Rotate(some([*racks, *rows])),
            Delete(some([*racks, *nodes, *machines, *things, *others, *jobs], 2)),
            Delete(some(racks)),
            SetProperty(
                some([one.id for one in scenario.cooling.loops] or [""]),
                "supply",
                f"{draw.randint(18, 30)} degC",
            ),
            SetProperty(("",), "title", f'"Scene {draw.randint(0, 9)}"'),
            DrainNodes(some([*nodes, *racks]), draw.random() < 0.6),
            Rename(one([*rows, *plant.halls.ids]), f"Name {draw.randint(0, 99)}"),
            Duplicate(some([*racks, *machines, *things]), draw.choice((None, (x_m, 70.0)))),
            Array(some(racks, 1), draw.randint(1, 3), draw.randint(1, 2), (0.6, -40.0 + y_m)),
            ChangeGenerator(
                one(things), count=draw.choice((None, 1, 2, 5)), racks=draw.choice((None, None, 3, 9))
            ),
            ChangeGenerator(one(rows), nodes=draw.randint(0, 5), pitch_m=3.5),
            MakeGroup(some([*racks, *machines], 4), draw.choice(("", "Mine"))),
            Ungroup(some([*others, *racks], 1)),
            AssignTenant(some(jobs or ["x"]), one(["", *tenants])),
            AssignJob(some(jobs or ["x"]), draw.choice(((), some(rows or ["x"])))),
            Connect(one([*things, *others]), one(things)),
            Disconnect(one(things), one([*things, *others])),
            AutoWire(draw.choice(("all", "fabric", "power", "coolant")), add=draw.random() < 0.7),
        ]
        if draw.random() < 0.1 and racks:
            try:
                return Paste(copied(scene, some([*racks, *things])), draw.choice((None, (x_m, 80.0))), hall)
            except CommandError:
                pass
        return draw.choice(kinds)
