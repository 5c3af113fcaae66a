"""Engines that break, trip, or leave some of their machines standing while the grid is out; and start again."""

import numpy as np
import pytest
from power_scenes import UTILITY, Bench, stage

from twin.record.alarms import Alarms
from twin.record.channels import PowerState

UPS = stage("ups", "ups", "utility", part="UPS-double-conversion-400", battery="600 s")
PDUS = [stage("pdu", "pdu", "ups", part="floor-PDU", feeds=["gpu"])]
GENERATOR = {"id": "gen", "kind": "generator", "part": "diesel-genset-3MW", "at": "utility"}


def _dark_grid(generator, load_w=8000.0):
    """Return a bench whose grid went out at 0 s and whose generator carries it for long by now, at 100 s."""
    bench = Bench([UTILITY, UPS, generator, *PDUS])
    bench.load(load_w)
    bench.power.fail(bench.item("utility/0"))
    return bench.run(100.0)


def _texts(bench, kind):
    return [event.text for event in bench.log.events if event.kind == kind]


@pytest.mark.parametrize(
    ("fault", "mend", "words", "state"),
    [
        ("fail", "repair", "failed while running", PowerState.FAILED),
        ("trip", "close", "breaker opened while running", PowerState.TRIPPED),
    ],
)
def test_an_engine_that_breaks_while_it_runs_starts_again_once_mended(fault, mend, words, state):
    bench = _dark_grid(GENERATOR)
    item = bench.item("gen/0")
    getattr(bench.power, fault)(item)
    assert bench.power.item_state[item] == state
    assert bench.power.item_state[bench.item("ups/0")] == PowerState.ON_BATTERY
    assert _texts(bench, "generator_failed") == [words]
    bench.run(400.0)
    assert [t for t, _ in bench.happened("generator_start")] == [0.0]
    getattr(bench.power, mend)(item)
    bench.run(450.0)
    assert [t for t, _ in bench.happened("generator_start")] == [0.0, 400.0]
    assert 410.0 <= bench.happened("generator_on")[-1][0] < 415.0
    assert bench.power.on_site_w > 30e3
    assert not bench.power.node_dark.any()
    bench.power.repair(bench.item("utility/0"))
    assert len(bench.happened("generator_off")) == 1
    assert bench.balance() < 1e-12


def test_an_engine_that_breaks_while_it_starts_tries_again_once_mended():
    bench = Bench([UTILITY, UPS, GENERATOR, *PDUS])
    bench.load(8000.0)
    bench.power.fail(bench.item("utility/0"))
    bench.run(4.0)
    bench.power.fail(bench.item("gen/0"))
    bench.run(60.0)
    assert _texts(bench, "generator_failed") == ["failed while starting"]
    bench.power.repair(bench.item("gen/0"))
    bench.run(80.0)
    assert bench.power.on_site_w > 30e3
    # Sound engines are not started twice by a repair that mends nothing.
    bench.power.repair(bench.item("gen/0"))
    bench.power.close(bench.item("gen/0"))
    assert len(bench.happened("generator_start")) == 2


def test_one_of_three_breaks_its_mates_carry_on_and_it_joins_them_again():
    bench = _dark_grid(GENERATOR | {"count": 3, "capacity": "20 kW", "load_accept": "2 s"})
    gens = [bench.item(f"gen/{i}") for i in range(3)]
    bench.power.fail(gens[0])
    assert bench.power.out_w[gens[0]] == 0
    assert not bench.power.node_dark.any()
    bench.run(200.0)
    bench.power.repair(gens[0])
    assert bench.power.out_w[gens[0]] == 0
    assert bench.power.item_state[gens[0]] == PowerState.STARTING
    bench.run(215.0)
    bench.load(8000.0)
    assert bench.power.out_w[gens[0]] == pytest.approx(bench.power.on_site_w / 3)
    assert bench.happened("generator_on")[-1] == (210.0, "gen/0")
    assert not bench.happened("on_battery")[1:]


def test_the_grid_ends_the_wait_of_an_engine_that_failed():
    bench = _dark_grid(GENERATOR)
    bench.power.fail(bench.item("gen/0"))
    bench.power.repair(bench.item("utility/0"))
    assert bench.happened("generator_off") == [(100.0, "gen/0")]
    bench.power.repair(bench.item("gen/0"))
    bench.power.fail(bench.item("utility/0"))
    bench.run(200.0)
    assert bench.power.on_site_w > 30e3


def test_three_machines_carry_what_three_can_when_the_fourth_does_not_start():
    four = GENERATOR | {"units": 4, "needed": 3, "capacity": "15 kW", "load_accept": "0 s"}
    bench = Bench([UTILITY, UPS, four, *PDUS])
    bench.load(8000.0)
    gen = bench.item("gen/0")
    bench.power.no_start(gen, 1)
    bench.power.fail(bench.item("utility/0"))
    bench.run(60.0)
    assert _texts(bench, "generator_failed") == ["1 of 4 units failed to start"]
    assert bench.power.sources.rated_w(gen) == 45e3
    assert bench.power.on_site_w > 35e3
    # Two that do not start leave 30 kW of 36: nobody takes the load until one of them is mended.
    bench = Bench([UTILITY, UPS, four, *PDUS])
    bench.load(8000.0)
    bench.power.no_start(gen, 2)
    bench.power.fail(bench.item("utility/0"))
    bench.run(60.0)
    assert not bench.happened("generator_on")
    assert bench.power.on_site_w == 0
    other = bench.restored()
    for one in (bench, other):
        one.power.no_start(gen, 1)
        one.run(100.0)
        assert one.power.on_site_w > 35e3
        assert one.happened("generator_on") == [(70.0, "gen/0")]
    assert bench.power.state() == other.power.state()


def test_none_of_four_starts():
    bench = Bench([UTILITY, UPS, GENERATOR | {"units": 4, "needed": 3}, *PDUS])
    bench.load(8000.0)
    bench.power.no_start(bench.item("gen/0"), 4)
    bench.power.fail(bench.item("utility/0"))
    bench.run(60.0)
    assert _texts(bench, "generator_failed") == ["failed to start"]
    assert bench.power.item_state[bench.item("gen/0")] == PowerState.FAILED
    bench.power.no_start(bench.item("gen/0"), 3)  # one of them
    bench.run(120.0)
    assert bench.power.on_site_w > 30e3


def test_a_machine_that_is_mended_beside_running_ones_starts_before_it_gives():
    four = GENERATOR | {"units": 4, "needed": 4, "capacity": "15 kW", "load_accept": "0 s"}
    bench = _dark_grid(four)
    gen = bench.item("gen/0")
    bench.power.fail(gen, 1)
    assert bench.power.sources.limit_w(gen, 100.0) == 45e3
    bench.run(150.0)
    bench.power.repair(gen)
    assert bench.power.sources.limit_w(gen, 155.0) == 45e3
    assert bench.power.sources.limit_w(gen, 160.0) == 60e3
    bench.run(200.0)
    assert not bench.power.node_dark.any()
    assert not bench.happened("overload")


def test_an_engine_of_which_nothing_is_said_needs_its_time():
    plain = {"id": "gen", "kind": "generator", "capacity": "400 kW", "at": "utility"}
    bench = Bench([UTILITY, UPS, plain, *PDUS])
    bench.load(8000.0)
    need_w = bench.power.grid_w
    bench.power.fail(bench.item("utility/0"))
    assert not bench.happened("island_on")
    assert bench.happened("on_battery")
    bench.run(60.0)
    assert bench.happened("generator_on") == [(pytest.approx(10 + 30 * need_w / 400e3), "gen/0")]


def test_an_island_is_told_of_until_the_grid_carries_it_again():
    """The bus is another item than the feed that failed, so that no other event ends it."""
    gas = {"id": "gas", "kind": "gas", "capacity": "100 kW", "at": "main"}
    bench = Bench(
        [UTILITY, stage("main", "transformer", "utility"), gas, stage("pdu", "pdu", "main", feeds=["gpu"])]
    )
    bench.load(8000.0)
    bench.run(10.0)
    bench.power.fail(bench.item("utility/0"))
    assert bench.happened("island_on") == [(10.0, "main/0")]
    bench.run(60.0)
    assert not bench.happened("island_off")
    bench.power.repair(bench.item("utility/0"))
    bench.run(120.0)
    assert bench.happened("island_off") == [(60.0, "main/0")]
    alarms = Alarms()
    alarms.add(bench.log.events)
    island = alarms.of("island_on", "main/0")
    assert island is not None
    assert (island.active, island.ended_s) == (False, 60.0)


def test_the_overload_of_an_island_ends_with_it():
    bench = _dark_grid(GENERATOR | {"capacity": "40 kW", "load_accept": "0 s"})
    bench.load(15e3)
    assert bench.happened("overload") == [(100.0, "utility/0")]
    bench.load(8e3)
    assert bench.happened("overload_end") == [(100.0, "utility/0")]
    bench.load(15e3)
    bench.run(110.0)
    assert bench.happened("overload_end")[1:] == [(105.0, "utility/0")]
    assert _texts(bench, "generator_failed") == [
        "tripped on overload: 67 kW demand on 40 kW of on-site sources"
    ]


def test_engines_too_small_for_their_bus_say_so_while_it_is_dark():
    bench = Bench([UTILITY, stage("pdu", "pdu", "utility", feeds=["gpu"]), GENERATOR | {"capacity": "20 kW"}])
    bench.load(8000.0)
    bench.power.fail(bench.item("utility/0"))
    bench.run(60.0)
    [text] = _texts(bench, "overload")
    assert text == "on-site sources supply 20 kW of 32 kW: waiting for less load"
    assert bench.happened("overload") == [(10.0, "utility/0")]
    other = bench.restored()
    for one in (bench, other):
        one.load(4000.0)
        one.run(100.0)
        assert one.happened("overload_end") == [(60.0, "utility/0")]
        assert one.power.on_site_w == pytest.approx(16e3)
    assert bench.power.state() == other.power.state()


def test_an_island_with_a_battery_and_a_dead_engine_is_booked_while_it_is_short():
    gas = {"id": "gas", "kind": "gas", "capacity": "60 kW", "at": "utility", "output": "50 %"}
    smr = {"id": "smr", "kind": "smr", "capacity": "10 kW", "at": "utility"}
    store = {"id": "bess", "kind": "battery", "at": "utility", "capacity": "15 kW", "energy": "50 kWh"}
    bench = Bench([UTILITY, gas, smr, store, stage("pdu", "pdu", "utility", feeds=["gpu"])])
    bench.load(8000.0)
    bench.run(100.0)
    bench.power.fail(bench.item("utility/0"))
    bench.run(200.0)
    assert not bench.power.node_dark.any()
    bench.power.fail(bench.item("gas/0"))  # 25 kW of 32 are left: it stalls in five seconds
    assert bench.power.out_w[bench.item("bess/0")] == pytest.approx(22e3)
    bench.run(300.0)
    assert bench.happened("overload") == [(200.0, "utility/0")]
    assert bench.power.node_dark.all()
    assert bench.balance() < 1e-12


def test_an_island_whose_engines_take_up_load_is_followed_and_switched_no_more_than_it_has_to(monkeypatch):
    gas = {
        "id": "gas",
        "kind": "gas",
        "capacity": "60 kW",
        "at": "utility",
        "output": "20 %",
        "ramp": "1 kW/s",
    }
    store = {"id": "bess", "kind": "battery", "at": "utility", "capacity": "60 kW", "energy": "50 kWh"}
    bench = Bench([UTILITY, gas, store, stage("pdu", "pdu", "utility", feeds=["gpu"])])
    bench.load(8000.0)
    bench.power.fail(bench.item("utility/0"))
    settled, settle = [], bench.power.switching.settle
    monkeypatch.setattr(bench.power.switching, "settle", lambda *at: (settled.append(at), settle(*at)))
    given_w = []
    for second in range(1, 61):
        bench.run(float(second))
        given_w.append(bench.power.out_w[bench.item("gas/0")])
    assert (np.diff(given_w)[:15] > 0).all()  # second by second
    assert given_w[-1] == pytest.approx(32e3, rel=0.1)
    assert len(settled) <= 1
    assert not bench.power.node_dark.any()
    assert bench.balance() < 1e-12
    bench.power.empty(bench.item("bess/0"))
    bench.power.fail(bench.item("gas/0"))
    bench.run(100.0)
    assert bench.power.node_dark.all()


def test_an_island_that_lives_on_a_battery_goes_dark_when_it_is_empty():
    store = {"id": "bess", "kind": "battery", "at": "utility", "capacity": "60 kW", "energy": "0.2 kWh"}
    bench = Bench([UTILITY, store, stage("pdu", "pdu", "utility", feeds=["gpu"])])
    bench.load(8000.0)
    bench.power.fail(bench.item("utility/0"))
    bench.run(10.0)
    assert not bench.power.node_dark.any()
    bench.run(60.0)
    assert bench.power.node_dark.all()
    assert bench.power.stored_j == 0.0


def test_sources_of_which_nothing_is_said_are_not_without_carbon():
    for kind, g_kwh in (("generator", 750), ("gas", 430), ("smr", 12), ("solar", 40)):
        source = {"id": "own", "kind": kind, "capacity": "60 kW", "at": "utility"}
        bench = Bench([UTILITY, source, stage("pdu", "pdu", "utility", feeds=["gpu"])])
        assert bench.plant.power.carbon_kg_j[bench.item("own/0")] * 3.6e9 == pytest.approx(g_kwh)
