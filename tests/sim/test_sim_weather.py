"""Weather of a site at any moment: its clocks, its hours, its mean day; PUE by hour; the watch over air and coolant."""

from __future__ import annotations

import json
import math
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.physics.psychrometrics import (
    ALLOWABLE,
    LIQUID_CLASSES,
    dew_point_c,
    humidity_of_wet_bulb,
    liquid_class,
)
from twin.physics.thermal_network import ThermalShape
from twin.plant.tables import LoopKind
from twin.scenario.file.load import load
from twin.scenario.formats import climates
from twin.scenario.schema.hourly_text import HOURS, pack
from twin.scenario.schema.site import Climate, Grid, Site
from twin.sim.core.weather import WAVE_WET_SHARE, Weather
from twin.sim.engine.engine import Engine
from twin.sim.meters.hourly_totals import MAX_ROWS, Hourly
from twin.sim.thermal.ashrae_watch import Comfort

FINDINGS = Path(__file__).parents[1] / "findings"
NEW_YEAR = "2026-01-01T00:00+00:00"


def weather(start: str = NEW_YEAR, **site: object) -> Weather:
    return Weather(Site(**site), datetime.fromisoformat(start))  # type: ignore[arg-type]


def counted(scale: float = 0.01) -> str:
    """Return packed hours whose dry bulb says the number of the hour."""
    number = np.arange(HOURS) * scale
    return pack({"dry_bulb": number, "wet_bulb": number - 1, "dew_point": number - 2})


# --- the mean day, as it always was


@pytest.mark.parametrize(
    ("zone", "start"),
    [
        ("UTC", NEW_YEAR),
        ("America/Phoenix", "2026-06-01T08:30:20-07:00"),
        ("Europe/Berlin", "2026-07-05T03:00+02:00"),
    ],
)
def test_the_mean_day_is_a_cosine_with_its_crest_at_three_by_the_clock_of_the_start(zone, start):
    here = weather(start, timezone=zone, climate=Climate(dry_bulb_c=24.0, wet_bulb_c=14.0, swing_k=14.0))
    clock = datetime.fromisoformat(start)
    local_s = float(clock.hour * 3600 + clock.minute * 60 + clock.second)
    for t_s in (0.0, 1234.5, 3600.0 * 15, 86400.0 * 100 + 7.25):
        phase = math.cos(2 * math.pi * (local_s + t_s - 15 * 3600.0) / 86400.0)
        now = here.at(t_s)
        assert (now.dry_c, now.wet_c) == (24.0 + 7.0 * phase, 14.0 + 7.0 * 0.4 * phase)  # to the bit
        exact = dew_point_c(now.dry_c, humidity_of_wet_bulb(now.dry_c, now.wet_c))
        assert now.dew_c == pytest.approx(float(exact), abs=0.1)


# --- hours of a year


def test_a_year_runs_in_local_standard_time():
    summer = "2026-07-01T12:00+02:00"  # 11:00 in winter time
    hours = (181 * 24 + 11) * 0.01
    here = weather(summer, timezone="Europe/Berlin", climate=Climate(hours=counted()))
    assert here.at(0.0).dry_c == pytest.approx(hours)
    assert here.at(1800.0).dry_c == pytest.approx(hours + 0.005)  # a straight line to the next hour
    assert here.at(86400.0 * 200).dry_c == pytest.approx((181 + 200 - 365) * 0.24 + 0.11)
    same = weather("2026-07-01T10:00+00:00", timezone="Europe/Berlin", climate=Climate(hours=counted()))
    assert same.at(0.0) == here.at(0.0)


def test_southern_and_irish_winters_are_standard_time():
    for zone, start, hour in (
        ("Australia/Sydney", "2026-01-01T01:00+11:00", 0),
        ("Europe/Dublin", "2026-07-01T01:00+01:00", 181 * 24),
        ("Asia/Kolkata", "2026-01-01T00:30+05:30", 0.5),
    ):
        here = weather(start, timezone=zone, climate=Climate(hours=counted()))
        assert here.at(0.0).dry_c == pytest.approx(hour * 0.01), zone


def test_new_year_and_29_february():
    here = weather("2027-12-31T23:00+00:00", climate=Climate(hours=counted()))
    assert here.at(0.0).dry_c == pytest.approx(87.59)
    assert here.at(1800.0).dry_c == pytest.approx(87.59 / 2)
    assert here.at(3600.0).dry_c == pytest.approx(0.0)
    leap = weather("2028-02-29T06:00+00:00", climate=Climate(hours=counted()))
    assert leap.at(0.0).dry_c == pytest.approx((58 * 24 + 6) * 0.01)


def test_a_place_is_met_at_its_hours_and_order_of_asking_does_not_matter():
    year = climates.year_of("phoenix")
    here = weather("2026-01-01T00:00-07:00", timezone="America/Phoenix", climate=Climate(place="phoenix"))
    times = np.random.default_rng(1).permutation(8760)[:200]
    for hour in times.tolist():
        assert here.at(hour * 3600.0) == pytest.approx((year.dry_c[hour], year.wet_c[hour], year.dew_c[hour]))
    assert 0.5 < here.sun(12 * 3600.0) < 0.8
    assert here.sun(0.0) == 0.0


@given(st.floats(0, 3.2e7), st.floats(0, 15), st.sampled_from(["dublin", "singapore", None]))
def test_a_heat_wave_is_hotter_not_wetter(t_s, wave_k, place):
    here = weather(climate=Climate(place=place))
    before = here.at(t_s)
    here.heat_wave_k = wave_k
    again = weather(climate=Climate(place=place))
    again.restore(json.loads(json.dumps(here.state())))
    after = again.at(t_s)
    assert after.dry_c == before.dry_c + wave_k
    assert after.wet_c == before.wet_c + WAVE_WET_SHARE * wave_k
    assert after.dew_c == before.dew_c
    assert after.wet_c <= after.dry_c


def test_a_heat_wave_of_dry_air_keeps_its_water():
    """The share is that of a wet bulb at constant humidity ratio, within what a share can be."""
    from twin.physics.psychrometrics import relative_humidity, wet_bulb_c

    dew = 12.0
    for dry in (20.0, 28.0, 35.0):
        rise = wet_bulb_c(dry + 8, relative_humidity(dry + 8, dew)) - wet_bulb_c(
            dry, relative_humidity(dry, dew)
        )
        assert float(rise) / 8 == pytest.approx(WAVE_WET_SHARE, abs=0.06)


def test_a_file_that_was_never_read_is_no_weather():
    with pytest.raises(ValueError, match=r"site\.climate\.file was not read"):
        weather(climate=Climate(file="w.csv"))


# --- price and carbon


def test_factors_of_the_day_follow_the_clock_on_the_wall_through_summer_time():
    grid = Grid(
        price_usd_j=1.0, carbon_kg_j=2.0, price_day=tuple(range(24)), carbon_day=(1,) * 12 + (3,) * 12
    )
    here = weather("2026-03-28T12:30+01:00", timezone="Europe/Berlin", grid=grid)
    assert [here.price_usd_j(3600.0 * k) for k in (0, 1, 11, 12)] == [12.0, 13.0, 23.0, 0.0]
    assert [here.price_usd_j(3600.0 * k) for k in (13, 14, 15)] == [
        1.0,
        3.0,
        4.0,
    ]  # 29 March: 2:00 is left out
    assert [here.carbon_kg_j(t_s) for t_s in (0.0, 86400.0 * 0.5)] == [6.0, 2.0]
    assert weather().price_usd_j(0.0) == Grid().price_usd_j


def test_hours_of_a_grid_file_stand_for_its_columns():
    hours = pack({"price": np.arange(HOURS) * 1.0})
    here = weather(grid=Grid(hours=hours, carbon_kg_j=5.0))
    assert here.price_usd_j(7.9 * 3600) == pytest.approx(7 / 3.6e9)
    assert here.carbon_kg_j(7.9 * 3600) == 5.0


# --- hourly rows


def book(meter: Hourly, until_s: float, step_s: float, it_w: float = 100.0) -> None:
    t_s = 0.0
    while t_s < until_s:
        after = min(t_s + step_s, until_s)
        meter.add(t_s, after, it_w, 1.25 * it_w, 0.01, 0.05 * it_w, 0.2 * it_w, 1e-5, 2e-6, 0.5)
        t_s = after


@pytest.mark.parametrize("step_s", [100.0, 3600.0, 5000.0, 20_000.0])
def test_rows_do_not_depend_on_the_steps_taken(step_s):
    meter = Hourly()
    book(meter, 5.5 * 3600, step_s)
    made = meter.summary()
    assert [row["at_h"] for row in made["rows"]] == [0, 1, 2, 3, 4, 5]
    assert [row["hours"] for row in made["rows"]] == pytest.approx([1] * 5 + [0.5])
    for row in (*made["rows"], made["total"]):
        assert row["pue"] == pytest.approx(1.25)
        assert row["wue_l_kwh"] == pytest.approx(0.01 * 3600 / 0.1)
        assert row["free_hours"] == pytest.approx(row["hours"] / 2)
    total = made["total"]
    assert total["it_kwh"] == pytest.approx(0.55)
    assert total["cost_usd"] == pytest.approx(2e-6 * 5.5 * 3600)
    assert json.loads(json.dumps(made)) == made


@pytest.mark.parametrize(("days", "width_h"), [(30, 1), (31, 24), (719, 24), (800, 144)])
def test_memory_stays_bounded_and_nothing_is_lost(days, width_h):
    meter = Hourly()
    book(meter, days * 86400.0, 7200.0)
    made = meter.summary()
    assert made["width_h"] == width_h
    assert len(made["rows"]) <= MAX_ROWS
    assert made["rows"][1]["at_h"] == width_h
    assert made["total"]["facility_kwh"] == pytest.approx(0.125 * 24 * days)
    assert sum(row["hours"] for row in made["rows"]) == pytest.approx(24 * days)


def test_a_meter_goes_on_from_its_state():
    first, second = Hourly(), Hourly()
    book(first, 4000.0, 500.0)
    second.restore(json.loads(json.dumps(first.state())))
    for meter in (first, second):
        meter.add(4000.0, 9000.0, 50.0, 60.0, 0.0, 1.0, 2.0)
    assert first.summary() == second.summary()
    assert Hourly().summary()["total"]["pue"] is None


# --- comfort


def test_classes_are_those_of_the_guidelines():
    assert {name: (one.low_c, one.high_c) for name, one in ALLOWABLE.items()} == {
        "A1": (15, 32),
        "A2": (10, 35),
        "A3": (5, 40),
        "A4": (5, 45),
    }
    assert [liquid_class(c) for c in (10, 17, 17.5, 32, 45, 45.1)] == [
        "W17",
        "W17",
        "W27",
        "W32",
        "W45",
        "W+",
    ]
    assert [high for _, high in LIQUID_CLASSES] == [17, 27, 32, 40, 45]


def hall_of_two() -> Comfort:
    """Return the watch over one air and one coolant loop in a hall of class A2 with a dew point of 15 C."""
    plant = SimpleNamespace(
        loops=SimpleNamespace(
            ids=["air/0", "cdu/0"],
            hall=np.array([0, 0]),
            kind=np.array([LoopKind.AIR, LoopKind.LIQUID]),
            supply_c=np.array([22.0, 30.0]),
            valve=np.array([True, True]),
        ),
        plants=SimpleNamespace(ids=["water"], supply_c=np.array([20.0])),
        halls=SimpleNamespace(ids=["hall"], air_class=["A2"], dew_point_c=np.array([15.0])),
        nodes=SimpleNamespace(
            loop=np.array([0, 1, -1]), rack=np.array([0, 0, 0]), present=np.array([True, True, True])
        ),
        racks=SimpleNamespace(hall=np.array([0])),
    )
    return Comfort(plant, ThermalShape(np.array([0, 0]), np.array([0]), 1))  # type: ignore[arg-type]


def seen(
    watch: Comfort, air_c: float, coolant_c: float, hall_c: float, water_c: float = 18.0
) -> list[tuple[str, str, bool]]:
    state = SimpleNamespace(upper=np.array([30.0, 30.0, air_c, coolant_c, hall_c, 40.0, water_c]))
    found = watch.look(state)  # type: ignore[arg-type]
    assert all(change.text and change.text[0].islower() for change in found)
    return [(change.kind, change.subject, change.on) for change in found]


def test_air_and_coolant_are_watched_with_hysteresis():
    watch = hall_of_two()
    assert seen(watch, 24.0, 25.0, 24.0) == []
    assert seen(watch, 27.5, 25.0, 24.0) == [("inlet_warm", "air/0", True)]
    assert seen(watch, 26.5, 25.0, 24.0) == []
    assert seen(watch, 25.9, 16.9, 24.0) == [
        ("inlet_ok", "air/0", False),
        ("below_dew_point", "cdu/0", True),
    ]
    assert seen(watch, 25.9, 17.3, 24.0) == []
    assert seen(watch, 25.9, 17.6, 36.0) == [
        ("above_dew_point", "cdu/0", False),
        ("inlet_warm", "hall", True),
        ("inlet_hot", "hall", True),
    ]
    assert seen(watch, 25.9, 17.6, 34.5) == []
    again = hall_of_two()
    again.restore(json.loads(json.dumps(watch.state())))
    assert seen(again, 25.9, 17.6, 33.9) == [("inlet_allowed", "hall", False)]
    assert seen(again, 25.9, 17.6, 35.1) == [("inlet_hot", "hall", True)]
    assert seen(again, 25.9, 17.6, 20.0) == [
        ("inlet_allowed", "hall", False),
        ("inlet_ok", "hall", False),
    ]


def test_water_is_warm_above_its_set_point_and_until_it_is_near_again():
    watch = hall_of_two()
    assert seen(watch, 24.0, 33.0, 24.0, 23.0) == []
    assert seen(watch, 24.0, 33.1, 24.0, 23.1) == [
        ("supply_warm", "cdu/0", True),
        ("supply_warm", "water", True),
    ]
    assert seen(watch, 24.0, 32.1, 24.0, 22.1) == []
    again = hall_of_two()
    again.restore(json.loads(json.dumps(watch.state())))
    assert seen(again, 24.0, 31.9, 24.0, 22.1) == [("supply_ok", "cdu/0", False)]
    assert seen(again, 24.0, 16.0, 24.0, 21.0) == [
        ("below_dew_point", "cdu/0", True),
        ("supply_ok", "water", False),
    ]
    assert seen(again, 24.0, 34.0, 24.0, 10.0) == [
        ("above_dew_point", "cdu/0", False),
        ("supply_warm", "cdu/0", True),
    ]


def test_air_that_rests_a_kelvin_below_what_is_recommended_is_inside():
    """Whether it came to rest a hair above or below decided; a room held at 26 C kept its alarm or lost it."""
    for hair_k in (-1e-4, 1e-4):
        watch = hall_of_two()
        assert seen(watch, 24.0, 25.0, 28.0) == [("inlet_warm", "hall", True)]
        assert seen(watch, 24.0, 25.0, 26.0 + hair_k) == [("inlet_ok", "hall", False)]


@given(st.lists(st.floats(10, 50), max_size=40))
def test_what_begins_ends_before_it_begins_again(course):
    watch = hall_of_two()
    standing: set[str] = set()
    ends = {"inlet_ok": "inlet_warm", "inlet_allowed": "inlet_hot"}
    for air_c in course:
        for kind, _, on in seen(watch, air_c, 25.0, 20.0):
            begun = kind if on else ends[kind]
            assert (begun in standing) != on
            standing ^= {begun}
        assert ("inlet_warm" in standing) or air_c <= 27.0
        assert ("inlet_hot" in standing) or air_c <= 35.0
        assert "inlet_warm" not in standing or air_c >= 26.0


def test_a_limit_of_the_air_is_told_with_the_limit_and_the_temperature() -> None:
    watch = hall_of_two()
    state = SimpleNamespace(upper=np.array([30.0, 30.0, 27.0001, 25.0, 35.0001, 40.0, 23.0]))
    warm, hall_warm, hot = watch.look(state)  # type: ignore[arg-type]
    assert [change.kind for change in (warm, hall_warm, hot)] == ["inlet_warm", "inlet_warm", "inlet_hot"]
    assert (hot.temp_c, hot.limit_c) == (35.0001, 35.0)
    assert "35 °C" in hot.text
    assert "35.0" not in hot.text  # "35.0 °C is above 35 °C" says nothing


def test_energy_is_paid_and_counted_by_the_hour():
    """Energy of each hour times the price and carbon of that hour: 219.45 USD, however long thermal steps are."""
    scene = FINDINGS / "h1.twin.yaml"
    engine = Engine(load(scene).scenario)
    engine.advance(engine.end_s)
    rows = np.loadtxt(FINDINGS / "grid.csv", delimiter=",", skiprows=1)
    # The year of the file begins at 0:00 on 1 January, the run at 0:00 on the 5th.
    price_usd_mwh, carbon_g_kwh = rows[96:120].T
    hours = engine.summary()["facility"]["hours"]["rows"]
    mwh = np.array([row["facility_kwh"] for row in hours]) / 1e3
    paid = engine.meter.reading(engine.heat, engine.end_s).power
    assert paid.cost_usd == pytest.approx(219.4544, abs=0.005)
    assert paid.cost_usd == pytest.approx(float(mwh @ price_usd_mwh), rel=2e-5)
    assert paid.carbon_kg == pytest.approx(float(mwh @ carbon_g_kwh), rel=2e-5)
    for row, energy_mwh, usd_mwh in zip(hours, mwh, price_usd_mwh, strict=True):
        assert row["cost_usd"] == pytest.approx(energy_mwh * usd_mwh, rel=5e-3)


@given(st.floats(0.0, 9000.0), st.floats(0.0, 9000.0))
def test_means_of_price_are_those_of_its_hours(begin_s, took_s):
    hours = pack({"price": np.arange(HOURS, dtype=float)})
    here = weather(grid=Grid(hours=hours))
    mean, _ = here.grid_means(begin_s, begin_s + took_s)
    at_s = begin_s + took_s * (np.arange(2000) + 0.5) / 2000
    assert mean * 3.6e9 == pytest.approx(float(np.mean(at_s // 3600.0)), abs=2e-3)
    parts = list(here.hours(begin_s, begin_s + took_s))
    assert sum(until_s - since_s for since_s, until_s in parts) == pytest.approx(took_s, abs=1e-6)
