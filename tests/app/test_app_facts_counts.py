"""What the inspector counts is what stands there: moved nodes in their new rack, racks that are gone nowhere."""

from __future__ import annotations

import numpy as np
import pytest

from twin.analysis.incident import expected_back
from twin.app.diagrams.piping_facts import loop_facts
from twin.app.inspector.facility_facts import cool_gpus, loop_rows, part_power_rows
from twin.app.inspector.facts import facts_of
from twin.app.toolkit.clock import Clock
from twin.app.world.outage_rows import outage_rows
from twin.app.world.part_figures import group_thousands
from twin.app.world.rows import World
from twin.catalog import load_catalog
from twin.commands.edit.command import EditedScene
from twin.commands.edit.draft import Draft
from twin.commands.place.delete import Delete
from twin.commands.place.move import MoveNodes
from twin.commands.room.prefabs import AddPrefab
from twin.plant.build import build
from twin.plant.tables import LoopKind
from twin.record.channels import NodeCondition
from twin.record.events import Event, Severity
from twin.record.frame import Frame, FrameLayout
from twin.rules.finding import quantity
from twin.scenario import load
from twin.sim.engine.engine import Engine


def said(draft: Draft, thing: str) -> dict[str, str]:
    scene = EditedScene.of(draft.shown)
    facts = facts_of(World(scene.scenario, scene.plant, load_catalog(), None), thing)
    assert facts is not None
    return {row.label: row.value for section in facts.sections for row in section.rows}


def test_a_moved_node_is_counted_where_it_stands() -> None:
    draft = Draft(load("builtin:superpod-h100"))
    before = int(said(draft, "gpu/0/0")["Nodes"])
    draft.land(draft.propose(MoveNodes(("gpu/0/0/3",), "net/0/1", 2)))
    assert said(draft, "gpu/0/0")["Nodes"] == str(before - 1)
    assert said(draft, "net/0/1")["Nodes"] == "1"
    draft.land(draft.propose(Delete(("llama3", "gpu/0/0"))))
    scene = EditedScene.of(draft.shown)
    racks, loops = scene.plant.racks, scene.plant.loops
    for slot, loop in enumerate(loops.ids):
        standing = sum(
            bool(there) and slot in (int(liquid), int(air))
            for there, liquid, air in zip(racks.present, racks.loop, racks.air_loop, strict=True)
        )
        assert said(draft, loop)["Racks served"] == f"{standing:,}"


def test_the_page_of_a_node_says_as_its_incident_does_when_it_is_back() -> None:
    """A part that comes after the usual repair puts that off; past its time the page says so, and what it waits for."""
    document = load("builtin:superpod-h100")
    plant = build(document.scenario, load_catalog())
    frame = Frame.empty(FrameLayout({"node": len(plant.nodes.ids)}, plant.epoch), 4000.0)
    frame.values["node.condition"][0] = NodeCondition.NO_PART
    node, late = plant.nodes.ids[0], Severity.NOTICE
    fails = Event(0, 3600.0, "failure", f"{node}/3", Severity.WARNING, "faulty GPU", {"repair": 7200.0})
    waits = Event(1, 3700.0, "repair_waits", node, late, "waiting for a part", {"comes_in_s": 36_000.0})
    other = Event(2, 3800.0, "repair_waits", plant.nodes.ids[9], late, "waiting", {"comes_in_s": 72_000.0})

    def rows(*events: Event) -> dict[str, str]:
        world = World(document.scenario, plant, load_catalog(), frame, events)
        return {row.label: row.value for row in outage_rows(world, 0)}

    says = Clock.of(document.scenario).says
    assert rows(fails)["Expected back"] == says(10_800.0)
    told = rows(fails, waits, other)
    assert (told["Expected back"], told["Repair"]) == (says(39_700.0), "Waiting for a part")
    assert expected_back(fails, (fails, waits, other)) == (39_700.0, "waiting for a part")
    frame.t_s = 40_000.0
    assert rows(fails, waits)["Expected back"] == f"overdue since {says(39_700.0)}"


def test_air_loops_have_fans_and_no_pumps() -> None:
    draft = Draft(load("builtin:superpod-h100"))
    scene = EditedScene.of(draft.shown)
    engine = Engine(scene.scenario)
    frame = Frame.empty(engine.layout)
    engine.advance(600.0)
    engine.fill(frame)
    facts = facts_of(World(scene.scenario, scene.plant, load_catalog(), frame), "crah/0")
    assert facts is not None
    labels = {row.label for section in facts.sections[:2] for row in section.rows}
    assert {"Power of its fans", "Fans running", "Fans side by side"} <= labels
    assert not [label for label in labels if "ump" in label]


def test_a_loop_that_serves_nothing_tells_of_no_gpu_and_no_share_of_a_flow() -> None:
    draft = Draft(load("builtin:superpod-h100"))
    draft.land(draft.propose(AddPrefab("cdu-pair", at=(-8.0, 6.0))))
    scene = EditedScene.of(draft.shown)
    engine = Engine(scene.scenario)
    frame = Frame.empty(engine.layout)
    engine.advance(600.0)
    engine.fill(frame)
    world = World(scene.scenario, scene.plant, load_catalog(), frame)
    plant = scene.plant
    seen = {}
    for loop, id in enumerate(plant.loops.ids):
        racks = (plant.racks.loop == loop) | (plant.racks.air_loop == loop)
        seen[id] = bool((racks & plant.racks.present).any()), {row.label for row in loop_rows(world, loop)}
    idle = [labels for serves, labels in seen.values() if not serves]
    busy = [labels for serves, labels in seen.values() if serves]
    assert idle
    assert busy
    assert all(
        "Serves" in labels and not labels & {"Hottest GPU", "Flow", "Valve opening"} for labels in idle
    )
    assert all("Flow" in labels and "Serves" not in labels for labels in busy)
    assert any("Hottest GPU" in labels for labels in busy)


def test_gpus_that_no_loop_cools_are_counted_to_none() -> None:
    plant = build(load("builtin:lab-16").scenario)
    cooling = cool_gpus(plant)
    plant.nodes.loop[0] = -1
    assert cool_gpus(plant).tolist() == cooling.tolist()
    plant.nodes.loop[:] = -1
    assert not cool_gpus(plant).any()


def test_a_node_tells_what_its_parts_draw_and_in_a_tank_of_no_fans() -> None:
    scene = EditedScene.of(Draft(load("builtin:superpod-h100")).shown)
    world = World(scene.scenario, scene.plant, load_catalog(), None)
    node = int(np.flatnonzero(scene.plant.nodes.present)[0])
    (row,) = part_power_rows(world, node)
    assert row.value == "GPUs 5.60 kW, CPUs 450 W, network cards 400 W, fans 1.25 kW, rest 700 W"
    assert "CPUs 450 W: estimated" in row.hint
    assert (
        said(Draft(load("builtin:superpod-h100")), scene.plant.nodes.ids[node])["Power by part"] == row.value
    )
    scene.plant.loops.kind[:] = LoopKind.IMMERSION
    (row,) = part_power_rows(world, node)
    assert row.value == "GPUs 5.60 kW, CPUs 450 W, network cards 400 W, rest 700 W"


@pytest.mark.parametrize(
    ("scene", "loop", "unit"), [("nvl72-row", "cdu/0", "L/min"), ("lab-16", "crah/0", "m³/s")]
)
def test_a_flow_has_one_unit_in_inspector_diagram_and_rule(scene: str, loop: str, unit: str) -> None:
    edited = EditedScene.of(load(f"builtin:{scene}"))
    world = World(edited.scenario, edited.plant, load_catalog(), None)
    slot = edited.plant.loops.ids.index(loop)
    facts, design = facts_of(world, loop), float(edited.plant.loops.flow_m3_s[slot])
    assert facts is not None
    (inspected,) = (
        row.value
        for section in facts.sections
        for row in section.rows
        if section.title == "Design" and row.label == "Flow"
    )
    assert inspected == dict(loop_facts(world, [slot]))["Design flow"]
    in_rule = quantity(float(f"{design:.3g}"), "volume_flow").text
    assert inspected == group_thousands(in_rule).replace("m3", "m³")
    assert inspected.endswith(unit)
