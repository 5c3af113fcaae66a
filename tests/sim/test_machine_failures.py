"""Machines of the facility that fail by themselves: who, when, what follows, and what a run remembers of it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tests.sim.edit_scenes import edit, take
from tests.sim.failing_hall import Span, hall, lost_s, often
from tests.sim.sim_scenes import events, shipped
from twin.catalog import catalog
from twin.planning.risk.availability import SiteReliability
from twin.planning.risk.availability_figures import YEAR_S
from twin.plant.build import build
from twin.plant.cut_sets import masses_s
from twin.record.redraw import Redraw
from twin.sim.engine.engine import Engine

FASTER = 20.0


@pytest.fixture(autouse=True)
def fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let machines fail often."""
    made = often(FASTER)
    monkeypatch.setattr(catalog, "_shipped", lambda: made)


def test_no_machine_fails_where_the_scene_does_not_ask_for_it() -> None:
    scene = hall("5 day")
    quiet = scene.model_copy(update={"failures": scene.failures.model_copy(update={"machines": "none"})})
    engine = Engine(quiet)
    engine.advance(engine.end_s)
    assert not events(engine, "power_failure", "pump_stop", "fans_stop", "chiller_trip")
    assert "machines" not in engine.incidents.state()


def test_machines_fail_as_if_a_person_had_asked_for_it_and_come_back() -> None:
    engine = Engine(hall("8 day"))
    engine.advance(engine.end_s)
    begun = events(engine, "chiller_trip")
    assert begun
    assert begun[0].subject == "water"
    assert begun[0].data["of"] == 3
    asked = [i for i in engine.incidents.struck if i.kind == "chiller_trip"]
    assert [i.at_s for i in asked] == [event.t_s for event in begun if "lasts_s" in event.data]
    assert asked[0].duration_s == pytest.approx(begun[0].data["lasts_s"])


def test_the_history_of_a_machine_is_its_own() -> None:
    """Another chiller more moves no failure of the others."""

    def trips(units: int) -> list[float]:
        scene = hall("20 day")
        (plant,) = scene.cooling.plants
        more = scene.cooling.model_copy(update={"plants": (plant.model_copy(update={"units": units}),)})
        engine = Engine(scene.model_copy(update={"cooling": more}))
        engine.advance(engine.end_s)
        return [i.at_s for i in engine.incidents.struck if i.kind in ("chiller_trip", "pump_stop")]

    three = trips(3)
    assert three
    assert set(three) <= set(trips(4))


def test_a_snapshot_remembers_clocks_and_repairs() -> None:
    scene = hall("20 day")
    through = Engine(scene)
    through.advance(through.end_s)
    first = Engine(scene)
    first.advance(8.3 * 86400)
    again = Engine.restore(scene, first.snapshot())
    again.advance(again.end_s)
    assert again.event_hash() == through.event_hash()


def test_a_redraw_leaves_the_past_and_changes_what_follows() -> None:
    scene = hall("15 day")
    plain, other = Engine(scene), Engine(scene)
    other.redraw(Redraw(6 * 86400.0, 99))
    for engine in (plain, other):
        engine.advance(engine.end_s)

    def struck(engine: Engine, early: bool) -> list[tuple[float, str]]:
        return [(i.at_s, i.target) for i in engine.incidents.struck if (i.at_s < 6 * 86400) == early]

    assert struck(plain, True) == struck(other, True) != []
    assert struck(plain, False) != struck(other, False)


def test_an_edit_leaves_the_clocks_of_what_stays_and_winds_up_those_of_newcomers() -> None:
    scene = hall("12 day")
    plain = Engine(scene)
    plain.advance(plain.end_s)
    engine = Engine(scene)
    engine.advance(3 * 86400.0)
    take(engine, edit(3 * 86400.0 + 1, "chillers", ("cooling.plants[water].units", "12")))
    restored = Engine.restore(scene, engine.snapshot())
    for each in (engine, restored):
        each.advance(each.end_s)
    assert engine.event_hash() == restored.event_hash()
    assert engine.incidents.machines.clocks.count.sum() > plain.incidents.machines.clocks.count.sum()

    def others(run: Engine) -> list[tuple[float, str]]:
        return [(i.at_s, i.target) for i in run.incidents.struck if i.kind != "chiller_trip"]

    assert others(engine) == others(plain)


@pytest.mark.slow
def test_engines_refuse_to_start_as_often_as_the_catalogue_says() -> None:
    engine = Engine(hall("400 day"))
    engine.advance(engine.end_s)
    asked, refused = len(events(engine, "generator_start")), len(events(engine, "no_start"))
    assert asked > 40
    assert refused == pytest.approx(0.25 * asked, abs=3.5 * np.sqrt(0.25 * 0.75 * asked))


def test_shipped_scenes_let_no_machine_fail() -> None:
    assert shipped("nvl72-row").failures.machines == "none"


def spread(spans: list[Span], end_s: float, batches: int = 40) -> tuple[float, float, float, float]:
    """Return outages a year and hours a year with their standard errors, by batches of equal length."""
    edges = np.linspace(0.0, end_s, batches + 1)
    years = end_s / batches / YEAR_S
    count = np.histogram([begin_s for begin_s, _ in spans], edges)[0] / years
    hours = np.array(
        [
            sum(max(0.0, min(end, high) - max(begin, low)) for begin, end in spans)
            for low, high in pairwise(edges.tolist())
        ]
    ) / (3600 * years)
    root = np.sqrt(batches)
    return (
        float(count.mean()),
        float(count.std(ddof=1) / root),
        float(hours.mean()),
        float(hours.std(ddof=1) / root),
    )


@pytest.mark.slow
def test_cut_sets_tell_what_a_long_run_has() -> None:
    """200 years of machines, twenty of them in the time of one, with all that the engine does between failures."""
    scene = hall(f"{200 / FASTER * 365.25:g} day")
    parts = catalog.load_catalog()
    plant = build(scene, parts)
    expected = SiteReliability(plant, parts, beta=0.0)
    loop_s, water_s = masses_s(plant, parts)
    engine = Engine(scene)
    found = lost_s(engine, (float(loop_s[0]), float(water_s[0])))
    for name, spans in zip(("power", "cooling"), found, strict=True):
        system = expected.system(name)
        often_a_year, often_error, hours, hours_error = spread(spans, engine.end_s)
        print(name, system, often_a_year, often_error, hours, hours_error)
        assert abs(often_a_year - system.outages) < 3 * often_error
        assert abs(hours - system.hours) < 3 * hours_error
