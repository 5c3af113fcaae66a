"""The typical year of a site: beside the engine, beside a calculation by hand, and in its words."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from time import process_time
from typing import Any

import numpy as np
import pytest

from twin.catalog import load_catalog
from twin.commands.room.room import RoomRequest, design
from twin.physics.weather import MONTH_DAYS
from twin.plant.build import build, plant_of
from twin.record.site_year import NoYear, SiteYear
from twin.runtime import typical_year as by_name
from twin.runtime.typical_year import typical_year
from twin.scenario import Document, loads
from twin.scenario.file.set_option import set_texts
from twin.scenario.formats import climates
from twin.sim.engine.engine import Engine

PHOENIX = "site.climate.place=phoenix"
TOWERS = """
format: twin/scenario
version: 1
catalog: "2026.11"
title: towers
halls: [{id: hall, rows: [{id: gpu, racks: {count: 4, nodes: [{part: DGX-H100, count: 4}]}}]}]
cooling:
  plants: [{id: water, kind: cooling-tower, supply: 24 degC}]
  loops: [{id: crah, kind: air, part: FanWall-500, plant: water, serves: [gpu], supply: 27 degC}]
power: [{id: utility, kind: utility}, {id: pdu, kind: pdu, from: utility, feeds: [gpu, crah, water]}]
"""


@cache
def hall() -> Document:
    """Return the room of the wizard: 32 DGX H100, two feeds, N+1, in Phoenix."""
    room = design(RoomRequest(rows=1, racks=8, nodes=4), load_catalog()).scene.document
    return set_texts(room, [PHOENIX, "failures.enabled=false"])


def year_of(document: Document, load: float = 1.0) -> SiteYear:
    scenario, catalog = document.scenario, load_catalog()
    return typical_year(scenario, build(scenario, catalog), catalog, load)


def day_of(year: SiteYear, values: Any, month: int, day: int) -> float:
    first = 24 * (sum(MONTH_DAYS[: month - 1]) + day - 1)
    return float(values[first : first + 24].mean()) / year.it_w


@pytest.mark.parametrize(("month", "day"), [(1, 15), (4, 15), (7, 22), (10, 15)])
def test_days_of_the_year_are_those_of_the_engine(month: int, day: int) -> None:
    text = hall().text.rstrip("\n")
    text += (
        "\njobs: [{id: run, nodes: 32, workload: {kind: load, gpu: 80 %, cpu: 80 %}, checkpoint: {interval: none},"
        " recovery: {constant: 0 s}}]\n"
    )
    begins = f"start=2026-{month:02d}-{day:02d}T00:00:00-07:00"
    document = set_texts(loads(text), ["duration=24 h", begins])
    engine = Engine(document.scenario)
    engine.advance(engine.end_s)
    ran = engine.meter.reading(engine.heat, engine.end_s)
    load = ran.it_j / 86400 / year_of(document).it_w
    year = year_of(document, load)
    assert day_of(year, year.facility_w, month, day) == pytest.approx(ran.facility_j / ran.it_j, abs=0.01)
    assert day_of(year, year.loss_w, month, day) == pytest.approx(ran.power.loss_j / ran.it_j, abs=1e-3)


def test_the_year_of_the_wizards_hall_is_that_of_a_calculation_by_hours() -> None:
    """By hand: chillers by their lift and part load, dry coolers that take over in the cold, fans, pumps, losses."""
    year, catalog = year_of(hall()), load_catalog()
    plant = build(hall().scenario, catalog)
    chiller, cooler = catalog.chiller(plant.plants.part[0]), catalog.dry_cooler("dry-cooler")
    crah, handlers = catalog.crah(plant.loops.part[0]), int(plant.loops.units[0])
    assert chiller.condenser == "air"
    units, set_c, water_k = int(plant.plants.units[0]), float(plant.plants.supply_c[0]), 6.0
    blown = year.it_w / (1.2 * 1006.0 * 12.0) / (handlers * crah.airflow_m3_s)  # air warms by about 12 K
    movers_w = handlers * crah.fan_w * (0.05 + 0.95 * (0.05 * blown + 0.95 * max(blown, 0.3) ** 3))
    movers_w += year.it_w / water_k / 4.19e6 * 1.5e5 / 0.65  # 1.5 bar, 65 %
    heat_w = year.it_w + movers_w
    dry_c = climates.year_of("phoenix").dry_c
    reach_c = dry_c + (cooler.approach_k + 2.0) * heat_w / (units * chiller.capacity_w)
    lifted_w = heat_w * np.clip((reach_c - set_c) / water_k, 0.0, 1.0)
    cold_c = chiller.rated_supply_c - chiller.evaporator_approach_k
    carnot = (cold_c + 273.15) / (chiller.rated_outdoor_c + chiller.condenser_approach_k - cold_c)
    lift_k = np.maximum(dry_c + chiller.condenser_approach_k - (set_c - chiller.evaporator_approach_k), 5.0)
    part = np.maximum(lifted_w / chiller.capacity_w, 1e-9)
    cop = (
        chiller.cop
        / carnot
        * (set_c - chiller.evaporator_approach_k + 273.15)
        / lift_k
        * part
        / (0.9 * part + 0.1)
    )
    compressor_w = np.where(lifted_w > 0, lifted_w / cop, 0.0)
    speed = np.clip((heat_w + compressor_w) / (units * chiller.capacity_w), 0.2, 1.0)
    fans_w = cooler.fan_fraction * units * chiller.capacity_w * speed**3
    by_hand = 1.0 + (float((compressor_w + fans_w).mean()) + movers_w + float(year.loss_w.mean())) / year.it_w
    assert year.pue == pytest.approx(by_hand, abs=0.02)
    assert 1.08 < float(year.monthly_pue.min()) < 1.15
    assert 1.28 < float(year.monthly_pue.max()) < 1.42


def test_figures_of_a_year_fit_each_other() -> None:
    year = year_of(hall(), 0.6)
    assert year.facility_w.shape == (8760,)
    np.testing.assert_allclose(year.facility_w, year.it_w + year.machines_w + year.loss_w)
    assert year.worst_pue == pytest.approx(year.peak_w / year.it_w)
    assert np.average(year.monthly_pue, weights=MONTH_DAYS) == pytest.approx(year.pue)
    assert year.energy_kwh == pytest.approx(year.facility_w.mean() * 8.76)
    assert year.carbon_kg == pytest.approx(year.energy_kwh * 0.4)
    assert 0 < year.hours_without_compressor < 8760
    assert year.it_w == pytest.approx(0.6 * year_of(hall()).it_w)
    design_day = year.design_day
    assert design_day.pue > year.pue
    assert design_day.words.split()[1] in ("June", "July", "August")
    assert year.design_dry_c > 43.0


@pytest.mark.parametrize(("place", "off"), [("lulea", False), ("singapore", True)])
def test_towers_hold_their_set_point_where_the_air_is_dry_enough(place: str, off: bool) -> None:
    year = year_of(set_texts(loads(TOWERS), [f"site.climate.place={place}"]))
    assert (year.hours_off_set_point > 4000) == off
    assert year.hours_without_compressor == 8760
    assert not year.has_compressors
    assert year.wue_l_kwh > 1.0


def test_without_a_place_all_days_are_one() -> None:
    year = year_of(loads(TOWERS))
    assert year.mean_day
    assert np.ptp(year.monthly_pue) < 1e-9
    assert float(year.air.dry_c.mean()) == pytest.approx(15.0)


def test_panels_on_the_roof_take_from_the_grid_what_the_sun_gives() -> None:
    sunny = TOWERS.replace("power: [", "power: [{id: sun, kind: solar, capacity: 50 kW, at: utility}, ")
    year, dark = (year_of(set_texts(loads(text), [PHOENIX])) for text in (sunny, TOWERS))
    assert year.pue == pytest.approx(dark.pue, abs=0.002)
    sun_kwh = (dark.grid_w - year.grid_w).sum() / 1e3
    assert 50 * 1700 < sun_kwh < 50 * 2050
    assert year.carbon_kg < dark.carbon_kg


def test_what_draws_nothing_has_no_year() -> None:
    empty = TOWERS.replace(", nodes: [{part: DGX-H100, count: 4}]", "")
    with pytest.raises(NoYear, match="no rack draws power"):
        year_of(loads(empty))


def test_a_year_takes_a_moment() -> None:
    year_of(hall())
    begun_s = process_time()
    for _ in range(3):
        year_of(hall())
    assert (process_time() - begun_s) / 3 < 0.25  # 0.02 where nothing else runs


def test_a_year_is_worked_out_again_only_where_its_inputs_have_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worked_out: list[str] = []
    monkeypatch.setattr(
        by_name, "import_module", lambda name: (worked_out.append(name), import_module(name))[1]
    )
    scenario, catalog = hall().scenario, load_catalog()
    plant = plant_of(scenario, catalog)
    first = typical_year(scenario, plant, catalog, 0.9)
    assert by_name.WORKED_OUT_BY in worked_out
    worked_out.clear()
    other_work = set_texts(hall(), ["title=other work", "duration=3 day"]).scenario
    assert typical_year(other_work, plant_of(other_work, catalog), catalog, 0.9) is first
    assert worked_out == []
    elsewhere = set_texts(hall(), ["site.climate.place=oslo"]).scenario
    for load in np.linspace(0.1, 0.8, 8):
        assert not np.array_equal(typical_year(elsewhere, plant, catalog, load).grid_w, first.grid_w)
    assert worked_out.count(worked_out[0]) == 8
    worked_out.clear()
    assert np.array_equal(typical_year(scenario, plant, catalog, 0.9).grid_w, first.grid_w)
    assert worked_out, "only the last few are kept"


def test_a_window_lives_between_the_parts_of_a_year(monkeypatch: pytest.MonkeyPatch) -> None:
    document, catalog = hall(), load_catalog()
    loaded: list[str] = []
    monkeypatch.setattr(by_name, "import_module", lambda name: (loaded.append(name), import_module(name))[1])
    found: list[SiteYear] = []

    def steps() -> Iterator[None]:
        plant = build(document.scenario, catalog)
        found.append((yield from by_name.year_steps(document.scenario, plant, catalog)))

    at_step = [len(loaded) for _ in steps()]
    parts = len(set(loaded))
    assert at_step[:parts] == list(range(1, parts + 1))
    assert len(at_step) > parts + 4
    assert np.array_equal(found[0].grid_w, year_of(document).grid_w)


def test_batteries_that_follow_ramps_take_no_part_in_the_hours_of_a_year() -> None:
    """With a limit of 10 W/min the hours, worked out one after the other, were ramps of hours once."""
    text = TOWERS.replace("{id: pdu, kind: pdu, from: utility,", "{id: pdu, kind: pdu, from: main,").replace(
        "power: [{id: utility, kind: utility}",
        "power: [{id: utility, kind: utility}, {id: main, kind: transformer, part: transformer-MV-LV, from: utility}, "
        "{id: bess, kind: battery, part: BESS-container, at: main, ramp: 10 W/min}",
    )
    with_ramp, without = year_of(loads(text)), year_of(loads(text.replace(", ramp: 10 W/min", "")))
    assert without.loss_w.min() > 0
    assert with_ramp.loss_w == pytest.approx(without.loss_w, rel=1e-12)
