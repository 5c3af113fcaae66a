"""Redundancy: A and B feeds, N+1, breakers that trip one after the other, power supplies and shelves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from power_scenes import UTILITY, Bench, stage

from twin.record.channels import PowerState


def _two_paths(**more):
    return [
        UTILITY,
        stage("ups-a", "ups", "utility", part="UPS-double-conversion-400"),
        stage("ups-b", "ups", "utility", part="UPS-double-conversion-400"),
        stage("pdu-a", "pdu", "ups-a", part="floor-PDU", feeds=["gpu"], **more),
        stage("pdu-b", "pdu", "ups-b", part="floor-PDU", feeds=["gpu"], **more),
    ]


def test_2n_sheds_nothing_when_it_loses_a():
    bench = Bench(_two_paths())
    bench.load(9000.0)
    b = bench.item("pdu-b/0")
    before_w, grid_w = bench.power.out_w[b], bench.power.grid_w
    bench.power.fail(bench.item("ups-a/0"))
    bench.run(1e5)
    assert not bench.power.node_dark.any()
    assert bench.power.out_w[b] == pytest.approx(2 * before_w)
    assert bench.power.rack_feeds.tolist() == [1, 1, 1, 1]
    assert bench.power.changed
    assert bench.power.rack_in_w.sum() == pytest.approx(36e3)
    assert bench.power.grid_w < grid_w  # one no-load loss less
    bench.power.repair(bench.item("ups-a/0"))
    assert bench.power.rack_feeds.tolist() == [2, 2, 2, 2]
    assert [kind for kind in ("power_lost", "power_back") if bench.happened(kind)] == [
        "power_lost",
        "power_back",
    ]


def test_a_dgx_on_one_feed_is_braked_but_not_dark():
    bench = Bench(_two_paths())
    bench.load(9000.0)
    assert not bench.power.node_braked.any()
    bench.power.trip(bench.item("pdu-a/0"))
    assert bench.power.item_state[bench.item("pdu-a/0")] == PowerState.TRIPPED
    assert bench.power.node_braked.all()
    assert not bench.power.node_dark.any()
    bench.power.close(bench.item("pdu-a/0"))
    assert not bench.power.node_braked.any()


def test_power_supplies_of_a_node_are_three_on_each_feed():
    bench = Bench(_two_paths())
    assert bench.power.lose_supplies("node", 1, 2) == 6
    assert not bench.power.node_braked.any()
    bench.power.lose_supplies("node", 1, 3)
    assert bench.power.node_braked.tolist() == [False, True, False, False]
    bench.power.lose_supplies("node", 1, 5)  # one left, on feed A
    assert not bench.power.node_dark.any()
    bench.power.trip(bench.item("pdu-a/0"))
    assert bench.power.node_dark.tolist() == [False, True, False, False]
    bench.power.lose_supplies("node", 1, 0)
    assert not bench.power.node_dark.any()


def test_units_of_an_item_share_its_load_and_one_less_costs_capacity():
    bench = Bench(
        [
            UTILITY,
            stage(
                "ups", "ups", "utility", part="UPS-double-conversion-400", units=4, needed=3, feeds=["gpu"]
            ),
        ]
    )
    bench.load(9000.0)
    c, i = bench.power.circuit, bench.item("ups/0")
    by_hand = [n * c.a_w[i] + c.b[i] * 36e3 + c.c_per_w[i] * 36e3**2 / n for n in (4, 3)]
    assert bench.power.in_w[i] == pytest.approx(by_hand[0])
    bench.power.fail(i, 1)
    assert bench.power.in_w[i] == pytest.approx(by_hand[1])
    assert not bench.power.node_dark.any()
    bench.power.fail(i)
    assert bench.power.node_dark.all()


def test_n_plus_1_at_95_percent_trips_after_the_formula_and_takes_the_rest():
    # Two paths, each of a single busway at 95 % of its breaker: the loss of one puts 190 % on the other.
    breaker = {"breaker": {"rating": "100 %", "thermal": "60 s"}, "capacity": "19 kW"}
    bench = Bench(_two_paths(**breaker))
    bench.load(0.95 * 2 * 19e3 / 4)
    bench.run(1e4)
    assert not bench.happened("breaker_trip")
    bench.power.fail(bench.item("pdu-a/0"))
    assert bench.power.item_state[bench.item("pdu-b/0")] == PowerState.OVERLOAD
    bench.run(2e4)
    wait_s = 60.0 / (1.9**2 - 1)
    assert bench.happened("breaker_trip")[0] == (pytest.approx(1e4 + wait_s), "pdu-b/0")
    assert bench.happened("overload")[0] == (1e4, "pdu-b/0")
    lost = [event for event in bench.log.events if event.kind == "power_lost"]
    assert [event.subject for event in lost[:2]] == ["pdu-a/0", "pdu-b/0"]
    assert lost[1].data == {"racks": 4, "thinned_racks": 0}


def test_three_units_of_four_at_95_percent_trip_together():
    ups = stage(
        "ups", "ups", "utility", part="UPS-double-conversion-400", capacity="10 kW", units=4, needed=3,
        breaker={"rating": "100 %", "thermal": "60 s"}, feeds=["gpu"],
    )  # fmt: skip
    bench = Bench([UTILITY, ups])
    bench.load(9500.0)  # 38 kW of 40
    bench.run(3600.0)
    assert not bench.happened("breaker_trip")
    bench.power.fail(bench.item("ups/0"), 1)
    bench.run(3600.0 + 1000.0)
    wait_s = 60.0 / ((38 / 30) ** 2 - 1)
    assert bench.happened("breaker_trip") == [(pytest.approx(3600.0 + wait_s), "ups/0")]
    assert bench.power.node_dark.all()


def test_a_breaker_follows_a_varying_load_and_is_closed_by_hand():
    bench = Bench(
        [
            UTILITY,
            stage(
                "pdu",
                "pdu",
                "utility",
                capacity="20 kW",
                breaker={"rating": "100 %", "thermal": "60 s"},
                feeds=["gpu"],
            ),
        ]
    )
    bench.load(10e3)  # twice the rating: 20 s from cold
    bench.run(10.0)
    bench.load(0.0)
    bench.run(40.0)  # half a minute of cooling undoes the half that was gathered
    bench.load(10e3)
    bench.run(59.9)
    assert not bench.happened("breaker_trip")
    bench.run(60.1)
    assert bench.happened("breaker_trip") == [(pytest.approx(60.0), "pdu/0")]
    bench.load(0.0)
    bench.run(3600.0)
    assert bench.happened("breaker_closed") == [(pytest.approx(1860.0), "pdu/0")]
    assert not bench.power.node_dark.any()


def test_a_short_like_current_opens_at_once():
    bench = Bench(
        [UTILITY, stage("pdu", "pdu", "utility", capacity="4 kW", breaker={"rating": "100 %"}, feeds=["gpu"])]
    )
    bench.load(8e3)
    bench.run(1.0)
    assert bench.happened("breaker_trip") == [(pytest.approx(0.02), "pdu/0")]


def test_shelves_of_a_rack_hang_on_two_feeds_and_lose_by_their_curve():
    bench = Bench(
        [UTILITY, *(stage(f"duct-{x}", "busbar", "utility", feeds=["gpu"]) for x in "ab")],
        halls=[{"id": "hall", "rows": [{"id": "gpu", "racks": {"count": 1, "part": "GB200-NVL72"}}]}],
        jobs=[],
    )  # fmt: skip
    power = bench.power
    bench.load(120e3)
    shelf = power.supplies
    assert power.rack_in_w[0] == pytest.approx(120e3 / 0.975)
    assert power.supply_loss_w[0] == pytest.approx(120e3 / 0.975 - 120e3)
    assert shelf.shelves_live.tolist() == [8]
    power.trip(bench.item("duct-a/0"))
    assert shelf.shelves_live.tolist() == [4]
    assert not power.node_braked.any()  # four of 33 kW carry it: N+N
    assert power.out_w[bench.item("duct-b/0")] == pytest.approx(120e3 / 0.975)
    assert power.lose_supplies("rack", 0, 1) == 8
    assert power.node_braked.all()
    assert not power.node_dark.any()


@st.composite
def _chains(draw):
    stages, names = [UTILITY], ["utility"]
    kinds = [
        ("transformer", "transformer-MV-LV-630"),
        ("ups", "UPS-double-conversion-400"),
        ("pdu", "floor-PDU"),
    ]
    for k in range(draw(st.integers(1, 6))):
        kind, part = draw(st.sampled_from(kinds))
        units = draw(st.integers(1, 3))
        more = {"count": draw(st.integers(1, 3)), "units": units, "needed": draw(st.integers(1, units))}
        stages.append(stage(f"s{k}", kind, draw(st.sampled_from(names)), part=part, **more))
        names.append(f"s{k}")
    stages[-1]["feeds"] = ["gpu"]
    if len(stages) > 2 and draw(st.booleans()):
        stages[-2]["feeds"] = ["gpu"]
    if draw(st.booleans()):
        stages.append(
            {
                "id": "bess",
                "kind": "battery",
                "part": "BESS-container",
                "at": draw(st.sampled_from(names)),
                "peak": "40 kW",
            }
        )
    if draw(st.booleans()):
        stages.append({"id": "smr", "kind": "smr", "capacity": "15 kW", "at": draw(st.sampled_from(names))})
    faults = draw(
        st.lists(st.tuples(st.integers(0, 30), st.floats(1.0, 900.0), st.floats(0.0, 12e3)), max_size=8)
    )
    return stages, faults


@settings(max_examples=25, deadline=None)
@given(_chains())
def test_every_joule_is_found_again_whatever_fails(case):
    stages, faults = case
    bench = Bench(stages)
    bench.load(8000.0, house_w=1000.0)
    now, down = 0.0, set()
    for pick, wait_s, rack_w in faults:
        now += wait_s
        bench.run(now)
        item = pick % bench.power.circuit.count
        (bench.power.repair if item in down else bench.power.fail)(item)
        down ^= {item}
        bench.load(rack_w, house_w=500.0)
        power, c = bench.power, bench.power.circuit
        assert np.all(power.loss_w_by_item >= -1e-6)
        supplied = power.grid_w + power.on_site_w + power.battery_w
        stored = power.battery_w and power.drained_w.sum()
        assert supplied - power.battery_w + (stored or 0.0) == pytest.approx(
            power.flows.load_w + power.loss_w, abs=1e-5
        )
        assert c.count == len(power.item_state)
    bench.run(now + 1000.0)
    assert bench.balance() < 1e-10


def test_many_overloads_of_one_cause_make_one_event_and_one_end():
    breaker = {"breaker": {"rating": "100 %", "thermal": "60 s"}, "capacity": "9 kW"}
    bench = Bench(_two_paths(count=8, **breaker), racks=8)
    bench.load(9000.0)
    bench.run(10.0)
    bench.load(9500.0)
    assert not bench.happened("overload")
    bench.power.fail(bench.item("ups-a/0"))
    assert bench.happened("overload") == [(10.0, "pdu-b/*")]
    text = next(event.text for event in bench.log.events if event.kind == "overload")
    assert text.startswith("8 of 8 PDUs overloaded; worst is pdu-b/0: load ")
    assert "106 % of breaker rating; trips in about" in text
    other = bench.restored()
    for one in (bench, other):
        one.power.repair(one.item("ups-a/0"))
        assert one.happened("overload_end") == [(10.0, "pdu-b/*")]
    assert bench.power.state() == other.power.state()


def test_the_event_of_many_overloads_lasts_until_the_last_of_them_is_over():
    bench = Bench(
        [UTILITY, stage("pdu", "pdu", "utility", count=6, capacity="8 kW", feeds=["gpu"])],
        racks=6,
    )
    racks = np.full(bench.power.loads.racks, 9e3)
    none = np.zeros(bench.power.loads.loops), np.zeros(bench.power.loads.plants)
    bench.power.update(racks, *none, 0.0)
    for rack, ended in enumerate([0, 0, 0, 0, 0, 1]):
        racks = racks.copy()
        racks[rack] = 1e3
        bench.power.update(racks, *none, 0.0)
        assert len(bench.happened("overload_end")) == ended
    bench.power.update(np.where(np.arange(6) < 3, 9e3, 1e3), *none, 0.0)
    assert [subject for _, subject in bench.happened("overload")] == ["pdu/*", "pdu/0", "pdu/1", "pdu/2"]
    bench.power.update(np.full(6, 9e3), *none, 0.0)
    assert len(bench.happened("overload")) == 7  # three more: still few enough to name each
