"""Air handlers of a hall whose nodes are cooled by liquid hold its air at their set point, as far as water allows."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from sim_scenes import assert_books_close, events, frame, inject

from twin.resources import folder
from twin.scenario.file.load import loads
from twin.sim.engine.engine import Engine


@cache
def row(supply: str, *lines: str, until_s: float = 2 * 3600.0) -> Engine:
    """Return the NVL72 row with another set point of its air handlers."""
    scenes = Path(folder("scenes"))
    text = (scenes / "nvl72-row.twin.yaml").read_text().replace("supply: 26 degC", f"supply: {supply}")
    engine = inject(Engine(loads(text, "nvl72-row.twin.yaml", scenes).scenario, 1), *lines)
    engine.advance(until_s)
    assert_books_close(engine)
    return engine


def air_c(engine: Engine) -> float:
    return float(frame(engine).values["hall.air_c"][0])


@pytest.mark.parametrize("set_c", [27.0, 28.5, 30.0])
def test_the_room_is_as_warm_as_its_air_handlers_blow(set_c):
    engine = row(f"{set_c} degC")
    values = frame(engine).values
    assert air_c(engine) == pytest.approx(set_c, abs=0.05)
    assert values["loop.supply_c"][4] == pytest.approx(set_c, abs=0.05)
    assert 10 < values["loop.valve"][4] < 95


def test_what_water_cannot_cool_floats_with_the_valve_open():
    cold, colder = row("18 degC"), row("10 degC")
    assert air_c(cold) == pytest.approx(air_c(colder), abs=1e-9)
    assert air_c(cold) > 24
    assert frame(cold).values["loop.valve"][4] == 100


def test_the_alarm_comes_for_a_room_that_is_held_too_warm():
    assert [event.subject for event in events(row("30 degC"), "inlet_warm")] == ["hall"]
    assert not events(row("18 degC"), "inlet_warm")


def test_a_valve_that_sticks_holds_nothing():
    engine = row("30 degC", "600 s valve_stuck crah/0 value=100%")
    for run in (engine, row("18 degC")):  # fans of the one blow less, as its room asks for less
        handlers_w_k = (
            run.heat.integrator.stepper.inputs.plant.crah[0] * run.heat.network.coefficients.crah_w_k[0]
        )
        heat_w = frame(run).values["loop.heat_w"][4]
        assert air_c(run) == pytest.approx(
            20.0 + heat_w / handlers_w_k, abs=0.1
        )  # over facility water of 20 C
