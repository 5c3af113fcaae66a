"""Engines that have just closed on a dark bus take up its load step by step: what they give in time is no overload."""

from __future__ import annotations

from pathlib import Path

import pytest
from sim_scenes import events

from twin.scenario import load
from twin.sim.engine.engine import Engine

FINDINGS = Path(__file__).parents[1] / "findings"


def test_a_kilowatt_is_no_overload_of_three_megawatts() -> None:
    engine = Engine(load(FINDINGS / "u3.twin.yaml").scenario)
    engine.advance(7590.0)
    closed = [event.t_s for event in events(engine, "generator_on")]
    assert closed[-1] == pytest.approx(7560.0)
    assert events(engine, "overload", "overload_end") == []


def test_what_they_will_not_give_is_told_with_both_figures() -> None:
    scene = load(FINDINGS / "u3.twin.yaml").scenario
    generator = next(stage for stage in scene.power if stage.id == "gen")
    small = generator.model_copy(update={"capacity_w": 10e3, "part": None})
    engine = Engine(
        scene.model_copy(update={"power": tuple(small if s is generator else s for s in scene.power)})
    )
    engine.advance(3700.0)
    overloads = events(engine, "overload")
    assert overloads
    assert " kW of " in overloads[0].text
