"""Machines work in the weather of each part of an hour, however long thermal steps are and whatever else happens."""

from __future__ import annotations

from datetime import datetime
from functools import cache

import pytest
from sim_scenes import job, tiny

from twin.scenario.schema.site import Climate, Site
from twin.sim.core.weather import HOUR_S, SPELL_K, Weather
from twin.sim.engine.engine import Engine

LOAD = {"kind": "load", "gpu": "60 %", "step": "10 s"}
WARM = {"climate": {"place": "phoenix"}, "grid": {"price_day": [0.5] * 12 + [1.5] * 12}}
CHILLER = {"id": "water", "kind": "chiller", "supply": "14 degC"}


def weather(**climate: object) -> Weather:
    return Weather(Site(climate=Climate(**climate)), datetime.fromisoformat("2026-07-01T08:20:30+00:00"))  # type: ignore[arg-type]


@pytest.mark.parametrize("climate", [{"place": "phoenix"}, {"place": "dublin"}, {"swing_k": 14.0}])
def test_spells_follow_each_other_and_hold_the_air_of_their_middle(climate):
    here, end_s = weather(**climate), 0.0
    for _ in range(300):
        spell = here.spell(end_s)
        assert spell.begin_s <= end_s < spell.end_s
        assert spell.end_s - spell.begin_s <= HOUR_S
        assert spell.air == here.at((spell.begin_s + spell.end_s) / 2)
        for edge_s in (spell.begin_s, spell.end_s):
            assert abs(here.at(edge_s).dry_c - spell.air.dry_c) <= 0.6 * SPELL_K
        assert here.spell(end_s) is here.spell((end_s + spell.end_s) / 2) is spell
        end_s = spell.end_s
    turns = [here.spell(hour * HOUR_S - here.year_start_s % HOUR_S).begin_s for hour in range(1, 30)]
    assert turns == [hour * HOUR_S - here.year_start_s % HOUR_S for hour in range(1, 30)]


def test_a_heat_wave_is_felt_within_a_spell():
    here = weather(place="phoenix")
    before = here.spell(100.0)
    here.heat_wave_k = 5.0
    assert here.spell(100.0).air.dry_c == pytest.approx(before.air.dry_c + 5.0)
    assert here.spell(100.0).end_s == before.end_s


def test_air_that_never_changes_wakes_nobody():
    assert weather(swing_k=0.0).spell(0.0).end_s == float("inf")
    assert "sky" not in {timer.kind for timer in Engine(tiny()).timers.rows()}


def test_the_sun_of_a_quarter_is_that_of_its_middle():
    here = weather(place="phoenix")
    turn_s = here.sun_turns_s(10 * HOUR_S)
    assert here.sun(turn_s) == here.sun(turn_s + 899.0) != here.sun(turn_s - 1.0)
    assert here.sun_turns_s(turn_s) == turn_s + 900.0
    assert (turn_s + 8 * HOUR_S + 1230.0) % 900.0 == 0.0  # quarters by the clock


@cache
def run(*cuts: float) -> Engine:
    """Return a day of a constant load under a chiller in the sun; at `cuts` the present step is cut short."""
    scene = tiny(jobs=(job(3, workload=LOAD, checkpoint={"interval": "none", "pause": "0 s"}),), site=WARM)
    document = scene.model_dump(mode="json", by_alias=True, exclude_unset=True)
    document["cooling"]["plants"], document["start"] = [CHILLER], "2026-07-01T00:00+00:00"
    engine = Engine(scene.model_validate(document))

    def cut(_: int) -> None:
        engine.incidents.machines_changed = True

    engine.timers.handle("cut", cut)
    for number, at_s in enumerate(cuts):
        engine.timers.set("cut", number, at_s)
    engine.advance(30 * HOUR_S)
    return engine


def test_chillers_draw_in_each_hour_what_its_weather_asks_for():
    engine = run()
    rejection = engine.cooling.rejection
    machines, heat_w = rejection.machines[0], rejection.heat_w[0] + rejection.pump_w[0]

    def machine_w(t_s: float) -> float:
        air, units = engine.weather.at(t_s), rejection.units[0]
        work = machines.work(heat_w, units, units, air, machines.reach_c(heat_w, units, air))
        return work.machine_w + work.fan_w

    movers_w = engine.meter.draw.power_w - sum(work.machine_w + work.fan_w for work in rejection.works())
    for row in engine.summary()["facility"]["hours"]["rows"][3:]:
        middles_s = (HOUR_S * (row["at_h"] + (part + 0.5) / 60) for part in range(60))
        mean_w = movers_w + sum(map(machine_w, middles_s)) / 60
        assert row["cooling_kwh"] * 1e3 == pytest.approx(mean_w, rel=5e-4)


@pytest.mark.parametrize(
    "cuts", [(30_000.1,), (45_000.0, 45_001.0, 45_030.7), (20_000.0, 61_234.5, 93_600.0)]
)
def test_an_event_that_changes_nothing_books_the_same(cuts):
    usual, cut = (engine.meter.reading(engine.heat, engine.now_s) for engine in (run(), run(*cuts)))
    for name in ("it_j", "cooling_j", "water_l"):
        assert getattr(cut, name) == pytest.approx(getattr(usual, name), rel=1e-9)
    for name in ("carbon_kg", "cost_usd", "grid_j"):
        assert getattr(cut.power, name) == pytest.approx(getattr(usual.power, name), rel=1e-9)
