"""What goes on is told in words: the cause first, then what GPUs and jobs feel; no window needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from twin.app.faults.break_choices import choices, injection
from twin.app.hall.story import Story
from twin.app.toolkit.clock import Clock
from twin.app.world.blast_radius_text import reach_line, trace_lines, trace_names
from twin.app.world.rows import World
from twin.catalog import load_catalog
from twin.plant.build import build
from twin.plant.dependencies import blast_radius, trace
from twin.plant.find import find
from twin.record.alarms import Alarms
from twin.record.channels import JobState
from twin.record.events import Event, Severity
from twin.record.frame import Frame, FrameLayout
from twin.scenario import load, parse_injection

_SCENE = Path(__file__).parents[2] / "scenes" / "nvl72-row.twin.yaml"


@pytest.fixture(scope="module")
def world() -> World:
    scenario = load(_SCENE).scenario
    plant = build(scenario)
    counts = {"gpu": len(plant.gpus.present), "node": len(plant.nodes.present), "job": 1, "site": 1}
    frame = Frame.empty(FrameLayout(counts, plant.epoch))  # type: ignore[arg-type]
    frame.values["job.state"][:] = JobState.RUNNING
    frame.values["job.step_s"][:] = 13.2
    return World(scenario, plant, load_catalog(), frame)


def test_a_wait_for_input_is_told_as_it_is_now(world: World) -> None:
    """The alarm tells of the first epoch; in later ones the wait is another."""
    frame, alarms, story = world.frame, Alarms(), Story()
    assert frame is not None
    frame.values["gpu.throttle"][:] = 0
    said = "llama3 waits 1.25 s of 2.5 s a step for its input from gpfs"
    alarms.add([Event(0, 600.0, "input_bound", "llama3", Severity.WARNING, said)])
    frame.values["job.input_wait_s"][:], frame.values["job.step_s"][:] = 0.25, 1.5
    told = story.tell(world, alarms)
    frame.values["job.input_wait_s"][:], frame.values["job.step_s"][:] = 0.0, 13.2
    assert told is not None
    assert told.lines[0].endswith("llama3 is input-bound: 0.25 s of each 1.5 s step")


def test_the_pump_trip_is_explained(world: World) -> None:
    frame, alarms, story = world.frame, Alarms(), Story()
    assert frame is not None
    assert story.tell(world, alarms) is None
    alarms.add([Event(0, 600.0, "pump_stop", "cdu/0", Severity.ALARM, "2 of 2 pumps stand still")])
    frame.values["gpu.throttle"][:144] = 0x20
    frame.values["gpu.clock_mhz"][:144], frame.values["gpu.temp_c"][:144] = 400.0, 88.0
    frame.values["job.step_s"][:] = 26.4
    told = story.tell(world, alarms)
    assert told is not None
    assert told.lines == (
        f"{Clock.of(world.scenario).says(600.0)}   cdu/0: 2 of 2 pumps stand still",
        "144 GPUs in thermal throttling: mean clock 400 MHz, hottest 88.0 °C",
        "llama3 waits for its slowest GPU: 26.4 s a step instead of 13.2 s",
    )
    frame.values["job.state"][:] = JobState.RESTARTING
    told = story.tell(world, alarms)
    assert told is not None
    assert told.lines[-1].startswith("llama3 is down")
    alarms.add([Event(1, 620.0, "pump_start", "cdu/0", Severity.NOTICE, "all pumps run")])
    assert story.tell(world, alarms) is None


def test_ways_to_break_a_thing_fit_it_and_make_lines_that_parse(world: World) -> None:
    plant, scenario = world.plant, world.scenario
    offered = {
        thing: [c.kind for c in choices(scenario, plant, thing)] for thing in ("cdu/0", "crah/0", "ups-a/0")
    }
    assert "pump_stop" in offered["cdu/0"]
    assert "filter_clogged" in offered["cdu/0"]
    assert not {"fan_stop", "air_filter_clogged"} & set(offered["cdu/0"])
    assert {"fan_stop", "air_filter_clogged"} <= set(offered["crah/0"])
    assert not {"pump_stop", "filter_clogged"} & set(offered["crah/0"])
    assert {"fail", "battery_empty"} <= set(offered["ups-a/0"])
    assert "no_start" not in offered["ups-a/0"]
    assert [c.kind for c in choices(scenario, plant, None)] == ["heat_wave", "power_cap", "site_loss"]
    for thing in ("cdu/0", "ups-a/0", "gpu/0/0", "gpu/0/0/3", "gpu/0/0/3/1", "water", "llama3"):
        for choice in choices(scenario, plant, thing):
            line = injection(choice, thing, at="5 min", lasts="20 s", count=1, value=choice.value)
            asked = parse_injection(line)
            assert (asked.kind, asked.target, asked.at_s) == (choice.kind, thing, 300.0)


def test_the_reach_of_a_loss_is_one_sentence(world: World) -> None:
    def said(thing: str) -> str:
        found = find(world.plant, thing)
        assert found is not None
        return reach_line(world.plant, found[0], blast_radius(world.plant, *found))

    assert said("cdu/0") == "2 racks with 144 GPUs lose cooling"
    assert "lose a feed" in said("ups-a/0")
    assert said("ups-a/0").endswith("none loses power")
    assert said("utility/0") == "no effect"  # both UPS carry all
    assert said("gpu/0/0/3") == "4 GPUs stop"


def test_a_trace_names_both_feeds_and_the_coolant(world: World) -> None:
    found = find(world.plant, "gpu/0/0/3/1")
    assert found is not None
    way = trace(world.plant, *found)
    lines = trace_lines(world.plant, way)
    assert lines[0].startswith("Feed A:  duct-a/0")
    assert lines[1].startswith("Feed B:  duct-b/0")
    assert any(line.startswith("Heat:  CDU 0  →  water") for line in lines)
    assert {"duct-a/0", "ups-b/0", "cdu/0", "water"} <= set(trace_names(world.plant, way))
