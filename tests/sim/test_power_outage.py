"""Outages: UPS, generators, transfer switches, islands; to the second, and every joule booked."""

import numpy as np
import pytest
from power_scenes import UTILITY, Bench, stage

from twin.record.channels import PowerState

UPS = stage("ups", "ups", "utility", part="UPS-double-conversion-400", battery="300 s")
PDUS = [stage("pdu", "pdu", "ups", part="floor-PDU", feeds=["gpu"])]
GENERATOR = {"id": "gen", "kind": "generator", "part": "diesel-genset-3MW", "at": "utility"}


def _ups_power_w(bench):
    """What the UPS takes for its load, by hand."""
    c, i = bench.power.circuit, bench.item("ups/0")
    out_w = bench.power.out_w[i]
    return c.a_w[i] + c.b[i] * out_w + c.c_per_w[i] * out_w**2


def test_utility_loss_is_bridged_by_the_battery_until_the_generator_carries():
    bench = Bench([UTILITY, UPS, GENERATOR, *PDUS])
    bench.load(8000.0)
    bench.run(100.0)
    need_w = bench.power.grid_w
    bench.power.fail(bench.item("utility/0"))
    assert bench.power.item_state[bench.item("ups/0")] == PowerState.ON_BATTERY
    assert bench.power.item_state[bench.item("gen/0")] == PowerState.STARTING
    bench.run(400.0)
    [(start_s, _)], [(on_s, _)] = bench.happened("generator_start"), bench.happened("generator_on")
    assert start_s == 100.0
    assert on_s == pytest.approx(110 + 30 * need_w / 3e6)
    assert not bench.power.node_dark.any()
    assert not bench.happened("battery_empty")
    assert bench.power.grid_w == 0
    assert bench.power.on_site_w == pytest.approx(need_w)
    bench.power.repair(bench.item("utility/0"))
    assert bench.power.on_site_w == 0
    bench.run(4 * 3600.0)
    assert bench.power.charge[bench.item("ups/0")] == pytest.approx(1.0)
    assert bench.power.totals.fuel_j == pytest.approx(bench.power.totals.on_site_j / 0.4)
    assert bench.balance() < 1e-12


def test_full_load_lasts_as_long_as_the_ups_is_sold_for():
    bench = Bench([UTILITY, stage("ups", "ups", "utility", part="UPS-double-conversion-400", feeds=["gpu"])])
    bench.load(100e3)
    bench.power.fail(bench.item("utility/0"))
    bench.run(400.0)
    assert bench.happened("battery_empty") == [(pytest.approx(300.0), "ups/0")]


def test_a_generator_that_does_not_start_leaves_it_dark_when_the_battery_is_empty():
    bench = Bench([UTILITY, UPS, GENERATOR, *PDUS])
    bench.load(8000.0)
    bench.run(50.0)
    need_w, energy_j = _ups_power_w(bench), bench.power.circuit.energy_j[bench.item("ups/0")]
    bench.power.no_start(bench.item("gen/0"), 1)
    bench.power.fail(bench.item("utility/0"))
    dark_s = 50.0 + energy_j / need_w
    bench.run(dark_s - 1e-3)
    assert bench.happened("generator_failed") == [(60.0, "gen/0")]
    assert not bench.power.node_dark.any()
    bench.run(dark_s + 1e-3)
    assert bench.power.node_dark.all()
    assert bench.power.changed
    assert bench.happened("battery_empty") == [(pytest.approx(dark_s), "ups/0")]
    assert bench.balance() < 1e-12
    # Mended: it starts, the UPS passes on what it gives.
    bench.load(0.0)
    bench.power.no_start(bench.item("gen/0"), 0)
    bench.run(dark_s + 60.0)
    assert not bench.power.node_dark.any()
    assert bench.happened("power_back")[-1][0] <= dark_s + 12.0


def test_generators_share_and_too_few_of_them_wait_until_the_load_is_gone():
    gens = GENERATOR | {"count": 3, "capacity": "20 kW", "load_accept": "0 s"}
    bench = Bench([UTILITY, UPS, gens, *PDUS])
    bench.load(8000.0)
    bench.power.fail(bench.item("utility/0"))
    bench.run(20.0)
    given = bench.power.out_w[[bench.item(f"gen/{i}") for i in range(3)]]
    np.testing.assert_allclose(given, given[0])
    assert given.sum() == pytest.approx(bench.power.on_site_w)
    lost = Bench([UTILITY, UPS, gens, *PDUS])
    lost.load(8000.0)
    lost.power.no_start(lost.item("gen/0"), 1)
    lost.power.no_start(lost.item("gen/1"), 1)
    lost.power.fail(lost.item("utility/0"))
    lost.run(3600.0)
    assert not lost.happened("generator_on")
    assert lost.power.node_dark.all()
    lost.load(0.0)
    assert lost.happened("generator_on") == [(3600.0, "gen/2")]
    assert not lost.power.node_dark.any()
    # The racks come back and ask for more than one can give: it stalls after five seconds.
    lost.load(9000.0)
    lost.run(3700.0)
    assert lost.happened("generator_failed")[-1] == (3605.0, "gen/2")


@pytest.mark.parametrize(("transfer", "noticed"), [("15 ms", False), ("100 ms", True)])
def test_a_transfer_is_noticed_when_it_takes_longer_than_a_cycle(transfer, noticed):
    bench = Bench(
        [
            stage("a", "utility"),
            stage("b", "utility"),
            stage("sts", "switchgear", "a", or_from="b", transfer=transfer, feeds=["gpu"]),
        ]
    )
    bench.load(8000.0)
    bench.run(10.0)
    bench.power.changed = False
    bench.power.fail(bench.item("a/0"))
    assert bench.power.node_dark.all() == noticed
    bench.run(20.0)
    assert bench.power.changed == noticed
    assert not bench.power.node_dark.any()
    assert bench.power.item_state[bench.item("sts/0")] == PowerState.ON_SPARE
    assert bench.happened("transfer") == [(pytest.approx(10.1 if noticed else 10.0), "sts/0")]
    assert bench.power.in_w[bench.item("b/0")] == pytest.approx(32e3)
    bench.power.changed = False
    bench.power.repair(bench.item("a/0"))
    assert not bench.power.node_dark.any()
    assert not bench.power.changed
    assert bench.power.in_w[bench.item("a/0")] == pytest.approx(32e3)


def test_a_ups_behind_a_slow_transfer_switch_bridges_it():
    bench = Bench(
        [
            stage("a", "utility"),
            stage("b", "utility"),
            stage("ats", "switchgear", "a", or_from="b", transfer="5 s"),
            stage("ups", "ups", "ats", part="UPS-double-conversion-400", feeds=["gpu"]),
        ]
    )
    bench.load(8000.0)
    bench.power.fail(bench.item("a/0"))
    bench.run(60.0)
    assert not bench.power.changed
    assert [bench.happened(kind)[0][0] for kind in ("on_battery", "off_battery")] == [0.0, pytest.approx(5.0)]


def test_battery_storage_carries_an_island_at_once_and_then_the_generator_does():
    store = {"id": "bess", "kind": "battery", "part": "BESS-container", "at": "utility"}
    bench = Bench(
        [UTILITY, store, GENERATOR, stage("pdu", "pdu", "utility", part="floor-PDU", feeds=["gpu"])]
    )
    bench.load(8000.0, house_w=5000.0)
    bench.run(100.0)
    bench.power.fail(bench.item("utility/0"))
    assert bench.power.battery_w == pytest.approx(bench.power.out_w[bench.item("utility/0")])
    assert bench.power.loop_live.all()
    bench.run(200.0)
    assert not bench.power.changed
    assert bench.power.battery_w == pytest.approx(0.0, abs=1e-6)
    assert bench.power.on_site_w > 37e3
    assert bench.balance() < 1e-12


def test_a_reactor_and_gas_carry_an_island_only_when_they_suffice():
    for capacity, survives in (("60 kW", True), ("20 kW", False)):
        smr = {"id": "smr", "kind": "smr", "capacity": capacity, "at": "utility"}
        bench = Bench([UTILITY, smr, stage("pdu", "pdu", "utility", feeds=["gpu"])])
        bench.load(8000.0)
        bench.run(10.0)
        assert bench.power.on_site_w == pytest.approx(min(32e3, float(capacity[:2]) * 1e3))
        bench.power.fail(bench.item("utility/0"))
        assert bench.power.node_dark.any() != survives
    gas = {
        "id": "gas",
        "kind": "gas",
        "capacity": "100 kW",
        "at": "utility",
        "output": "10 %",
        "ramp": "1 kW/s",
    }
    bench = Bench([UTILITY, gas, stage("pdu", "pdu", "utility", feeds=["gpu"])])
    bench.load(8000.0)
    bench.power.fail(bench.item("utility/0"))
    assert bench.power.node_dark.all()  # 10 kW when 32 are asked for
    bench.load(0.0)
    bench.run(119.0)
    assert bench.power.node_dark.all()  # 120 s where nobody says how long it starts
    bench.run(121.0)
    assert not bench.power.node_dark.any()


def test_an_empty_battery_leaves_nothing_to_bridge_with():
    bench = Bench([UTILITY, UPS, *PDUS])
    bench.load(8000.0)
    bench.power.empty(bench.item("ups/0"))
    bench.power.fail(bench.item("utility/0"))
    assert bench.power.node_dark.all()
    bench.power.repair(bench.item("utility/0"))
    bench.run(3600.0)
    assert bench.power.charge[bench.item("ups/0")] == 0
    bench.power.refill(bench.item("ups/0"))
    bench.run(4 * 3600.0)
    assert bench.power.charge[bench.item("ups/0")] == pytest.approx(1.0)
    recharged_j = bench.power.totals.battery_in_j
    assert recharged_j == pytest.approx(bench.power.circuit.energy_j.sum() / 0.9)


def test_house_supply_is_lost_with_the_grid_and_comes_back_with_it():
    bench = Bench([UTILITY, UPS, *PDUS])
    bench.load(8000.0, house_w=3000.0)
    before_w = bench.power.grid_w
    bench.power.fail(bench.item("utility/0"))
    assert not bench.power.loop_live.any()
    assert not bench.power.plant_live.any()
    assert not bench.power.node_dark.any()
    bench.power.repair(bench.item("utility/0"))
    assert bench.power.loop_live.all()
    assert bench.power.grid_w >= before_w


def test_a_snapshot_in_the_middle_of_an_outage_has_the_same_future():
    store = {"id": "bess", "kind": "battery", "part": "BESS-container", "at": "utility", "capacity": "10 kW"}
    bench = Bench([UTILITY, UPS, store, GENERATOR | {"start": "40 s"}, *PDUS])
    bench.load(8000.0, house_w=2000.0)
    bench.run(30.0)
    bench.power.fail(bench.item("utility/0"))
    bench.run(55.0)
    other = bench.restored()
    for one in (bench, other):
        one.run(90.0)
        one.power.repair(one.item("utility/0"))
        one.run(5000.0)
    assert bench.power.totals == other.power.totals
    assert bench.power.state() == other.power.state()
    later = [(e.t_s, e.kind, e.subject, e.text) for e in bench.log.events if e.t_s > 55.0]
    assert later == [(e.t_s, e.kind, e.subject, e.text) for e in other.log.events]
    assert later
