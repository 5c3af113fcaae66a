"""Fabric in the window: facts of cables with their flows, the dock, the collective layer, isolating."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from twin.app.fabric.facts import busiest, cable_state, collective_cost, collective_line, fabric_rows
from twin.app.fabric.world import fabrics_of
from twin.app.inspector.facts import facts_of, state_of
from twin.app.shell.main_window import MainWindow
from twin.app.world.rows import World
from twin.catalog import load_catalog
from twin.plant.build import build
from twin.plant.links import link_id
from twin.plant.tables import SwitchRole
from twin.record.channels import JobState, State
from twin.record.frame import Frame, FrameLayout
from twin.scenario import load

MakeWindow = Callable[..., MainWindow]
SCENES = Path(__file__).parents[2] / "scenes"


@pytest.fixture
def world() -> World:
    """SuperPOD with its job on the first 30 nodes, every cable at 5 %."""
    scenario = load(SCENES / "superpod-h100.twin.yaml").scenario
    plant = build(scenario)
    layout = FrameLayout(
        {
            "gpu": len(plant.gpus.node),
            "node": len(plant.nodes.ids),
            "rack": len(plant.racks.ids),
            "switch": len(plant.switches.ids),
            "bundle": len(plant.bundles.rail),
            "loop": len(plant.loops.ids),
            "job": 1,
            "site": 1,
        },
        plant.epoch,
    )
    frame = Frame.empty(layout, 60.0)
    frame.values["gpu.job"][:] = np.where(plant.gpus.node < 30, 0, -1)
    frame.values["job.state"][0] = JobState.RUNNING
    frame.values["job.step_s"][0] = 10.0
    frame.values["bundle.load"][:] = 5
    frame.values["switch.state"][:] = State.RUNNING
    return World(scenario, plant, load_catalog(), frame)


def rows_of(world: World, thing: str) -> dict[str, dict[str, str]]:
    facts = facts_of(world, thing)
    assert facts is not None
    return {section.title: {row.label: row.value for row in section.rows} for section in facts.sections}


def test_a_link_tells_its_flows_and_what_its_loss_costs(world: World) -> None:
    card = link_id(world.plant, 0)
    rows = rows_of(world, card)
    flows = [label for label in rows["Flows"] if label.startswith("llama3, ")]
    assert {label.split(", ")[1].split(":")[0] for label in flows} == {"gradients", "pipeline"}
    assert len(flows) == 4  # each there and back
    assert all(value.endswith("B/s") for value in rows["Flows"].values())
    assert rows["If it fails"] == {"Disconnects": f"node {world.plant.nodes.ids[0]}", "Stops": "llama3"}
    assert rows["Cables"]["Fabric"] == "ib"
    spine = rows_of(world, link_id(world.plant, len(world.plant.node_links.node)))
    assert spine["If it fails"]["Disconnects"].startswith("no node")
    assert spine["If it fails"]["Remaining uplinks"] == "24 of 32"


def test_a_node_that_is_cut_off_tells_what_cuts_it_off(world: World) -> None:
    assert world.frame is not None
    plant, node = world.plant, world.plant.nodes.ids[0]
    assert "Disconnected" not in rows_of(world, node)["Now"]
    world.frame.values["gpu.state"][:8] = State.CUT_OFF
    assert rows_of(world, node)["Now"]["Disconnected"] == "its cables connect to no other node"
    world.frame.values["switch.state"][int(np.flatnonzero(plant.switches.role == SwitchRole.SPINE)[0])] = (
        State.FAILED
    )
    assert rows_of(world, node)["Now"]["Disconnected"] == "spine ib/1/0 is down"
    world.frame.values["bundle.down"][plant.bundles.of_link[0]] = 1
    assert rows_of(world, node)["Now"]["Disconnected"] == "a cable is down"
    world.frame.values["switch.state"][int(plant.node_links.leaf[0])] = State.FAILED
    assert rows_of(world, node)["Now"]["Disconnected"] == "leaf ib/0/0 is down"
    facts = facts_of(world, f"{node}/0")
    assert facts is not None
    assert facts.state is State.CUT_OFF
    assert State.CUT_OFF.words == "cut off"
    assert "cut off" in state_of(world, node)


def test_a_bundle_lists_its_links_and_its_state(world: World) -> None:
    rows = rows_of(world, "bundle/0")
    assert rows["Now"]["Link load"] == "5\N{NO-BREAK SPACE}%"
    assert any(label == "Link" for label in rows["Links"])
    assert world.frame is not None
    world.frame.values["bundle.down"][0] = 1
    assert cable_state(world, 0).startswith("5\N{NO-BREAK SPACE}% busy, 1 of ")
    assert state_of(world, "bundle/0") == cable_state(world, 0)
    assert facts_of(world, "bundle/99999") is None


def test_a_switch_tells_load_state_and_flows(world: World) -> None:
    rows = rows_of(world, world.plant.switches.ids[0])
    assert rows["Now"]["Switch state"] == "running"
    assert any(label.startswith("llama3, gradients") for label in rows["Flows"])
    assert rows["If it fails"]["Stops"] == "llama3"


def test_lost_cables_come_before_busy_ones(world: World) -> None:
    assert world.frame is not None
    world.frame.values["bundle.load"][7] = 60
    world.frame.values["bundle.down"][3] = 1
    lines = busiest(world)
    assert [line.id for line in lines[:2]] == ["bundle/3", "bundle/7"]
    assert (lines[0].down, lines[1].load) == (1, 60)
    assert all(line.jobs in ("", "llama3") for line in lines)


def test_what_is_dead_carries_nothing(world: World) -> None:
    fabrics = fabrics_of(world)
    (seat,) = fabrics.seats
    assert seat.nodes.tolist() == list(range(30))
    assert fabrics.traffic.bytes_s(seat)[0] > 0
    assert world.frame is not None
    world.frame.values["switch.state"][int(world.plant.node_links.leaf[0])] = State.FAILED
    assert fabrics_of(world).traffic.bytes_s(seat)[0] == 0


def test_fabric_and_collective_in_words(world: World) -> None:
    rows = {row.label: row.value for row in fabric_rows(world, 0)}
    assert rows["Switches"] == "8 leaf, 4 spine"
    assert rows["Oversubscription"] == "1 : 1"
    data, pipeline, tensor = fabrics_of(world).collectives(0)
    assert collective_line(data) == "all-reduce, ring of 15 GPUs, 16 side by side"
    assert collective_cost(data).startswith("8 rails; ")
    assert collective_line(pipeline).startswith("chain of 2 stages")
    assert "off the fabric" in collective_cost(tensor)
    said = rows_of(world, "llama3")["Communication per step"]
    assert list(said) == ["Gradients", "Pipeline", "Tensor"]
    assert said["Tensor"] == "inside the nodes"


@pytest.mark.gl
def test_the_dock_leads_to_cables_and_runs_the_collective(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window(SCENES / "superpod-h100.twin.yaml")
    window.session.set_speed(3600.0)
    window.session.play()
    dock, layer = window.docks.fabric, window.hall.fabric
    assert window.docks.is_shown("fabric")
    dock.raise_()
    qtbot.waitUntil(lambda: dock.model.rowCount() > 0)
    window.session.pause()
    assert not layer.on
    QTest.keyClick(window, Qt.Key.Key_7)
    assert window.hall.state.cables_by == "load"
    assert window.hall.more_legends[0].isVisible()
    plain = window.hall.view.grab().astype(int)
    dock.switch.click()
    assert layer.on
    assert layer.shown is not None
    assert layer.shown.kind == "data"
    assert "ring of 15 GPUs" in dock.lines[0].text()
    assert window.hall.more_legends[1].isVisible()
    assert (np.abs(window.hall.view.grab().astype(int) - plain).max(axis=2) > 40).sum() > 200
    dock.kind_box.setCurrentIndex(1)
    dock.kind_box.activated.emit(1)
    assert layer.shown.kind == "pipeline"
    place = dock.table.visualRect(dock.model.index(0, 0)).center()
    QTest.mouseClick(dock.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    (chosen,) = window.hall.state.selection
    assert chosen == dock.model.lines[0].id
    facts = window.docks.inspector.facts
    assert facts is not None
    assert facts.kind == "link"
    assert window.hall.view.isolated is not None
    window.clear_selection()
    assert window.hall.view.isolated is None
    window.go_to("ib/0/0")
    assert window.hall.view.isolated is not None
    window.clear_selection()
    window.docks.jobs.chosen.emit("llama3")
    assert window.hall.view.isolated is not None
    window.clear_selection()
    assert window.hall.view.isolated is None
    assert not window.notifications.notes


@pytest.mark.slow
def test_the_dock_behind_another_tab_works_out_nothing(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window(SCENES / "superpod-h100.twin.yaml")
    window.session.play()
    qtbot.waitUntil(lambda: window.session.t_s > 3600.0)
    fabric = window.docks.fabric
    assert fabric.model.rowCount() == 0
    fabric.raise_()
    qtbot.waitUntil(lambda: fabric.model.rowCount() > 0)
    assert fabric.job_box.count() > 0


@pytest.mark.gl
def test_a_window_closes_with_the_fabric_in_front(make_window: MakeWindow, lab: Path, qtbot: QtBot) -> None:
    window = make_window(lab)
    window.docks.show("fabric")
    qtbot.wait(100)  # until it is known to be in front
    with qtbot.captureExceptions() as raised:
        window.close()
        qtbot.wait(100)  # its docks hear that they are hidden when its picture is gone
    assert not raised
