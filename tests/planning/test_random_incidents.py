"""Random incidents: they fit every shipped scene, depend on nothing but the seed, and get worse by level."""

from __future__ import annotations

from pathlib import Path

import pytest
from usual_cases import usually

from tests.sim.sim_scenes import assert_books_close, shipped, tiny
from twin import scenario
from twin.catalog import load_catalog
from twin.planning.risk.random_incidents import LEVELS, random_incidents
from twin.resources import folder
from twin.scenario.checks.interventions import wrong
from twin.scenario.file.effective_text import show
from twin.sim.engine.engine import Engine

DAY_S = 86400.0
SCENES = sorted(
    path.name.removesuffix(".twin.yaml") for path in Path(str(folder("scenes"))).glob("*.twin.yaml")
)


@pytest.mark.parametrize(
    "scene",
    usually(SCENES, ("blackout", "hybrid-burst", "lab-16", "nvl72-row", "shared-cluster", "video-ingest")),
)
def test_every_incident_fits_its_scene_and_is_taken(scene: str) -> None:
    here = shipped(scene)
    made = tuple(one for level in LEVELS for one in random_incidents(here, level, 7, 0, 4 * DAY_S))
    assert made
    for one in made:
        assert list(wrong(here, one, lambda id: "", load_catalog())) == []
    engine = Engine(here.model_copy(update={"interventions": made}))
    assert [event.text for event in engine.events(0) if event.kind == "refused"] == []


def test_the_seed_decides_and_the_time_window_holds() -> None:
    here = shipped("nvl72-row")
    first = random_incidents(here, "heavy", 3, DAY_S, 5 * DAY_S)
    assert first == random_incidents(here, "heavy", 3, DAY_S, 5 * DAY_S)
    assert first != random_incidents(here, "heavy", 4, DAY_S, 5 * DAY_S)
    times = [one.at_s for one in first]
    assert times == sorted(times)
    assert times[0] >= DAY_S
    assert times[-1] < 5 * DAY_S


def stopped(level: str, seed: int) -> int:
    """Return how often two days of a level interrupt the jobs of a hall in which nothing fails by itself."""
    here = shipped("superpod-h100").model_copy(update={"interventions": ()})
    here = here.model_copy(update={"failures": here.failures.model_copy(update={"enabled": False})})
    made = random_incidents(here, level, seed, 0, 2 * DAY_S)  # type: ignore[arg-type]
    engine = Engine(here.model_copy(update={"interventions": made, "duration_s": 2 * DAY_S}))
    engine.advance(2 * DAY_S)
    return engine.summary()["interruptions"]["unexpected"] or 0  # nothing fails by itself


def test_light_ones_stop_no_job_and_heavy_ones_stop_more_than_medium() -> None:
    light, medium, heavy = (stopped(level, 1) for level in LEVELS)
    assert light == 0
    assert 0 < medium < heavy


def test_a_scene_without_fabric_power_and_coolant_has_incidents_too() -> None:
    here = tiny(4, duration="2 day")
    made = random_incidents(here, "heavy", 1)
    assert {one.kind for one in made} >= {"fail", "slow", "hang"}
    engine = Engine(here.model_copy(update={"interventions": made}))
    engine.advance(2 * DAY_S)
    assert_books_close(engine)


def test_they_can_be_pasted_into_a_scene(tmp_path: Path) -> None:
    here = shipped("nvl72-row")
    made = random_incidents(here, "heavy", 2, 0, 2 * DAY_S)
    path = tmp_path / "pasted.twin.yaml"
    path.write_text(show(here.model_copy(update={"interventions": made})), encoding="utf-8")
    back = scenario.load(path).scenario.interventions
    assert [one.at_s for one in back] == pytest.approx([one.at_s for one in made], rel=1e-12)
    assert [one.model_copy(update={"at_s": 0.0}) for one in back] == [
        one.model_copy(update={"at_s": 0.0}) for one in made
    ]
