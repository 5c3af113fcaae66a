"""Battery storage beside the grid: peaks, ramps, reserve, and what is counted where nothing smooths."""

import numpy as np
import pytest
from power_scenes import UTILITY, Bench, stage
from sim_scenes import CLIMATE

PDU = stage("pdu", "pdu", "utility", part="floor-PDU", feeds=["gpu"])


def _store(**more):
    return {"id": "bess", "kind": "battery", "at": "utility", "capacity": "50 kW", "energy": "20 kWh"} | more


def _site(**grid):
    return {"site": CLIMATE | {"grid": grid}}


def test_peak_shaving_holds_the_peak_until_the_reserve_is_reached():
    bench = Bench([UTILITY, _store(peak="30 kW", reserve="50 %"), PDU], **_site(peak="30 kW"))
    bench.load(5000.0)
    bench.run(100.0)
    assert bench.power.totals.peak_violations == 0
    bench.load(10e3)
    i, power = bench.item("bess/0"), bench.power
    assert power.grid_w == pytest.approx(30e3, abs=1e-3)
    over_w = power.out_w[bench.item("utility/0")] - 30e3
    assert power.battery_w == pytest.approx(over_w, abs=1e-3)
    wait_s = 10 * 3.6e6 * np.sqrt(0.88) / over_w
    bench.run(100.0 + wait_s - 1.0)
    assert power.grid_w == pytest.approx(30e3, abs=1e-3)
    assert power.totals.peak_violations == 0
    bench.run(100.0 + wait_s + 1.0)
    assert power.charge[i] == pytest.approx(0.5)
    assert power.grid_w == pytest.approx(30e3 + over_w)
    assert power.totals.peak_violations == 1
    assert bench.happened("peak_exceeded") == [(pytest.approx(100.0 + wait_s), "bess/0")]
    assert bench.log.events[-1].text.endswith("above the peak of 30 kW: battery at minimum state of charge")
    # Less load: it charges with what the peak leaves.
    bench.load(5000.0)
    assert power.grid_w <= 30e3 + 1e-3
    assert power.battery_w < 0
    assert len(bench.happened("peak_kept")) == 1
    bench.run(1e5)
    assert power.charge[i] == pytest.approx(1.0)
    assert bench.balance() < 1e-12
    assert power.totals.battery_out_j == pytest.approx(0.88 * power.totals.battery_in_j, rel=1e-6)


def test_a_peak_that_an_empty_battery_cannot_hold_is_told_of_once():
    bench = Bench([UTILITY, _store(peak="30 kW", reserve="50 %"), PDU])
    bench.load(5000.0)
    bench.power.fail(bench.item("bess/0"))
    for k in range(10):
        bench.load(7500.0 if k % 2 else 7300.0)
        bench.run(60.0 * (k + 1))
    [text] = [event.text for event in bench.log.events if event.kind == "peak_exceeded"]
    assert text.endswith("battery out of service")
    other = bench.restored()
    for one in (bench, other):
        one.power.repair(one.item("bess/0"))
        one.load(7500.0)
        assert one.power.grid_w == pytest.approx(30e3, abs=1e-3)
        assert len(one.happened("peak_kept")) == 1


@pytest.mark.parametrize(("before_w", "after_w"), [(2000.0, 10e3), (10e3, 2000.0)])
def test_a_step_of_load_becomes_a_ramp_at_the_grid(before_w, after_w):
    bench = Bench([UTILITY, _store(ramp="100 W/s"), PDU], **_site(ramp="100 W/s"))
    bench.load(before_w)
    bench.run(3600.0)
    start_w = bench.power.grid_w
    bench.load(after_w)
    assert bench.power.grid_w == pytest.approx(start_w, abs=1e-3)
    seen, times = [start_w], [3600.0]
    way = np.sign(after_w - before_w)  # afterwards the battery makes up for what it gave
    while way * bench.power.battery_w > 1.0:
        bench.timers.step()
        bench.power.advance(bench.timers.now_s)
        seen.append(bench.power.grid_w)
        times.append(bench.timers.now_s)
    assert np.abs(np.diff(seen) / np.diff(times)).max() <= 100.0 + 1e-3
    assert times[-1] - 3600.0 == pytest.approx(abs(seen[-1] - start_w) / 100.0, abs=25.0)
    assert 15 <= len(seen) <= 30
    assert bench.power.totals.ramp_violations == 0
    assert bench.balance() < 1e-12


def test_where_nothing_smooths_steep_steps_and_peaks_are_counted():
    bench = Bench([UTILITY, PDU], **_site(ramp="100 W/s", peak="35 kW"))
    for k, rack_w in enumerate((2000.0, 10e3, 2000.0, 2010.0)):
        bench.run(100.0 * k)
        bench.load(rack_w)
    bench.run(1000.0)
    assert bench.power.totals.ramp_violations == 2
    assert bench.power.totals.peak_violations == 1
    assert bench.power.totals.peak_over_s == pytest.approx(100.0)
    assert bench.power.totals.grid_max_w > 40e3


def test_the_sun_takes_load_off_the_grid_and_never_flows_back():
    solar = {"id": "sun", "kind": "solar", "capacity": "60 kW", "at": "utility"}
    bench = Bench([UTILITY, solar, PDU])
    bench.load(8000.0)
    bench.run(86400.0)
    power = bench.power
    assert 0.01 < power.totals.on_site_j / (power.totals.on_site_j + power.totals.grid_j) < 0.5
    assert power.totals.grid_max_w == pytest.approx(power.out_w[bench.item("utility/0")])
    assert bench.balance() < 1e-12


def test_cost_and_carbon_follow_the_hour():
    day = [0.0] * 12 + [2.0] * 12
    bench = Bench(
        [UTILITY, PDU], **_site(price="0.10 USD/kWh", price_day=day, carbon="400 g/kWh", carbon_day=day)
    )
    bench.load(8000.0)
    for hour in range(1, 25):  # prices are looked at whenever time is booked, at least once an hour
        bench.run(hour * 3600.0)
    kwh = bench.power.totals.grid_j / 3.6e6
    assert bench.power.totals.cost_usd == pytest.approx(0.10 * kwh, rel=1e-6)
    assert bench.power.totals.carbon_kg == pytest.approx(0.4 * kwh, rel=1e-6)
