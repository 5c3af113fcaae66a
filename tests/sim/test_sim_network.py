"""Jobs on fabrics: what they get, what they take from each other, and laws that hold in all of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from fabric_scenes import hall, model
from hypothesis import given, settings
from hypothesis import strategies as st
from network_scenes import AROUND, FABRICS, FOUR_SPINES, LINE, NARROW, PIPE, TORUS, run, told
from sim_scenes import frame, inject, shipped

from twin.catalog import load_catalog
from twin.physics.training_inputs import FULL_NETWORK
from twin.planning.network.job_network import network_of
from twin.planning.network.link_flows import in_rank_order
from twin.plant.build import build
from twin.plant.links import LinkKind, find_link
from twin.record.channels import JobState
from twin.sim.engine.engine import Engine
from twin.sim.fabric.fabric_state import FabricState
from twin.sim.fabric.route_variants import RouteFault


@pytest.mark.parametrize("name", ["superpod-h100", "nvl72-row", "lab-16", "video-ingest"])
def test_the_fabrics_profiles_were_fitted_on_give_all(name: str) -> None:
    scene, catalog = shipped(name), load_catalog()
    (expected,) = FabricState(build(scene), catalog, scene.jobs).expected()
    assert replace(expected, members=FULL_NETWORK.members) == FULL_NETWORK
    assert network_of(build(scene), catalog, scene.jobs[0]) == expected


@pytest.mark.parametrize("fabric", FABRICS, ids=lambda f: "-".join(map(str, f)))
def test_planner_and_engine_expect_the_same_network(fabric: dict[str, Any]) -> None:
    scene, catalog = hall(PIPE, fabric=fabric), load_catalog()
    (expected,) = FabricState(build(scene), catalog, scene.jobs).expected()
    assert network_of(build(scene), catalog, scene.jobs[0]) == expected


def test_two_jobs_share_a_narrow_spine() -> None:
    """Jobs of six nodes meet in the leaf of nodes 4-7: 16 cards want up-links worth eight."""
    both = run(hall(model("a", 6, 96), model("b", 6, 96), fabric=NARROW))
    alone = run(hall(model("a", 6, 96), fabric=NARROW))
    share = 8 / (16 * LINE)
    for index in (0, 1):
        seat = both.network.seats[index]
        quiet = 1 - both.network.seats[1 - index].communicates
        assert seat.slow is not None
        assert seat.slow[0] == pytest.approx(1 + (1 - quiet) * (1 / share - 1), rel=1e-6)
        assert told(both, index)["step_parts_s"]["fabric_contention"] > 0
        assert told(both, index)["network"]["alone"] == {"data": 1.0}
    assert "fabric_contention" not in told(alone)["step_parts_s"]
    assert told(both)["step_parts_s"]["exposed_data"] == pytest.approx(
        told(alone)["step_parts_s"]["exposed_data"]
    )
    assert both.summary()["ledger_gpu_s"]["fabric_contention"] > 0


def test_a_job_that_ends_leaves_its_share_to_the_other() -> None:
    engine = run(hall(model("a", 6, 96), model("b", 6, 96) | {"steps": 200}, fabric=NARROW), until_s=100.0)
    running = engine.network.peak.copy()
    engine.advance(3000.0)
    assert engine.jobs.rows[1].state == JobState.DONE
    assert engine.network.contention_s(0) == 0.0
    assert told(engine)["network"]["factor"] == 1.0
    assert engine.network.peak.sum() <= max(running.sum(), engine.network.seats[0].peak.sum())


def test_only_who_meets_the_one_that_leaves_is_shared_out_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs a and b meet in one leaf, c and d in another: when d is done, a and b go on as they did."""
    four = [model(name, 6, 96) for name in "abcd"]
    engine = run(hall(*four[:3], four[3] | {"steps": 200}, nodes=24, fabric=NARROW), until_s=100.0)
    network, solved = engine.network, []
    solve = network._solve
    monkeypatch.setattr(network, "_solve", lambda jobs, *more: (solved.append(jobs), solve(jobs, *more)))
    network._solved.clear()
    network._share()
    assert solved == [[0, 1], [2, 3]]
    lost_s = [network.contention_s(index) for index in range(4)]
    assert min(lost_s) > 0
    solved.clear()
    engine.advance(3000.0)
    assert engine.jobs.rows[3].state == JobState.DONE
    assert [0, 1] not in solved
    assert [network.contention_s(index) for index in range(4)] == [*lost_s[:2], 0.0, 0.0]


def test_wide_spines_are_shared_without_loss() -> None:
    engine = run(hall(model("a", 6, 96), model("b", 6, 96)))
    assert engine.network.contention_s(0) == engine.network.contention_s(1) == 0.0


def test_plain_ethernet_shows_why_rdma_matters() -> None:
    steps = {}
    for technology in ("InfiniBand-NDR", "RoCE-400", "Ethernet-TCP"):
        engine = run(hall(model("a", 8), fabric={"technology": technology}))
        steps[technology] = told(engine)["step_parts_s"]["exposed_data"]
        assert engine.summary()["ledger_gpu_s"]["fabric_contention"] == 0.0
    assert steps["InfiniBand-NDR"] < steps["RoCE-400"] < steps["Ethernet-TCP"]
    assert steps["Ethernet-TCP"] > 1.8 * steps["InfiniBand-NDR"]


def test_rails_keep_rings_out_of_narrow_spines() -> None:
    """Each leaf of a unit takes some nodes, or one card of all: only then a ring stays below the spines."""
    narrow = NARROW | {"unit_nodes": 16, "leaf": {"part": "QM9700", "count": 8}}
    mixed = run(hall(model("a", 16, 256), fabric=narrow))
    rails = run(hall(model("a", 16, 256), fabric=narrow | {"kind": "rail-optimised"}))
    assert told(rails)["network"]["factor"] == 1.0
    assert told(mixed)["network"]["factor"] < 0.6
    assert told(mixed)["step_s"] > told(rails)["step_s"]


def test_hashed_flows_collide() -> None:
    pipe = model("a", 8, 64, "llama3-70b", tensor=8, pipeline=2)
    factors = {
        routing: told(run(hall(pipe, fabric={"routing": routing})))["network"]["alone"]["pipeline"]
        for routing in ("adaptive", "ecmp")
    }
    assert factors["adaptive"] == 1.0
    assert 0.3 < factors["ecmp"] < 0.7


# --- laws


INCIDENTS = (
    "20 min fail ib/1/0 for=30min",
    "25 min fail gpu/0/0/2~5 for=1h",
    "40 min flap gpu/0/1/1~3 value=30% for=20min",
    "45 min fail ib/0/1 for=15min",
    "50 min fail ib/0/0~ib/1/1",
    "70 min set jobs[a].checkpoint.interval value='5 min'",
)


def test_the_same_again_and_from_snapshots() -> None:
    scene = hall(model("a", 6, 96), model("b", 6, 96), nodes=16, fabric=NARROW | FOUR_SPINES)
    whole = run(scene, *INCIDENTS, until_s=6000.0)
    again = inject(Engine(scene, 1), *INCIDENTS)
    rng = np.random.default_rng(4)
    for mark in sorted([1201.0, 2705.0, 3100.0, *rng.uniform(0, 6000, 6).tolist()]):
        again.advance(mark)
        restored = Engine.restore(scene, again.snapshot())
        assert restored.snapshot() == again.snapshot()
        assert restored.summary() == again.summary()
        before, after = frame(again), frame(restored)
        for id, values in before.values.items():
            assert np.array_equal(values, after.values[id]), id
        again = restored
    again.advance(6000.0)
    assert again.event_hash() == whole.event_hash()
    assert again.summary() == whole.summary()


def test_looking_changes_nothing() -> None:
    scene = hall(model("a", 6, 96), model("b", 6, 96) | {"submit": "20 min"}, fabric=NARROW)
    whole = run(scene, *INCIDENTS[:2], until_s=3000.0)
    seen = inject(Engine(scene, 1), *INCIDENTS[:2])
    for t_s in range(100, 3001, 100):
        seen.advance(t_s)
        frame(seen)
    assert seen.event_hash() == whole.event_hash()
    assert seen.summary() == whole.summary()


def test_running_sums_are_what_stands() -> None:
    scene = hall(model("a", 6, 96), model("b", 6, 96), fabric=NARROW | FOUR_SPINES)
    engine = run(scene, *INCIDENTS, until_s=6000.0)
    total = np.zeros_like(engine.network.peak)
    for seat in engine.network.seats.values():
        if seat.summed:
            total[seat.dlink] += seat.peak
    assert np.array_equal(engine.network.peak, total)


def test_loads_are_bytes_over_time() -> None:
    engine = run(hall(model("a", 8), nodes=8))
    seat = engine.network.seats[0]
    card = find_link(engine.plant, "gpu/0/0/0~0")
    assert card is not None
    expected = seat.placement.step_bytes.sum() / seat.step_s / 50e9
    assert engine.network.load()[2 * card] == pytest.approx(expected)
    shown = frame(engine)
    assert shown.values["site.link_load_max"][0] == pytest.approx(100 * expected)
    assert shown.values["switch.load"].max() == round(100 * expected)
    assert shown.values["bundle.load"].max() == round(100 * expected)
    busiest = engine.summary()["fabrics"][0]["busiest"]
    assert busiest[0]["load"] == pytest.approx(expected)


@pytest.fixture(scope="module")
def states() -> list[tuple[FabricState, list[float]]]:
    """Return a job of all nodes on each fabric, and its step on the intact one."""
    found = []
    for fabric in FABRICS:
        engine = run(hall(PIPE, fabric=fabric), until_s=400.0)
        found.append((engine.network, [work.step_s for work in engine.jobs.work]))
    return found


def faults_of(links: list[int], kept: float = 0.0) -> list[RouteFault]:
    """Return a fault of each link by itself."""
    return [RouteFault(str(link), np.array([link]), kept) for link in links]


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(FABRICS) - 1), st.data())
@pytest.mark.slow
def test_no_lost_cable_ever_speeds_anything_up(
    states: list[tuple[FabricState, list[float]]], which: int, data: st.DataObject
) -> None:
    network, (intact_s,) = states[which]
    inner = int(np.argmax(network.links.kind != LinkKind.NODE))  # cables of cards soon cut a node off
    first = data.draw(st.sampled_from([0, inner, inner]))
    picked = st.integers(first, len(network.links) - 1)
    dead = data.draw(st.lists(picked, min_size=1, max_size=9, unique=True))
    faults = faults_of(dead, data.draw(st.sampled_from([0.0, 0.0, 0.5])))
    before_s = intact_s
    for count in range(1, len(faults) + 1):
        network.set_faults(faults[:count])
        now = network._place(0, list(range(16)), network._faults(0))
        if now is None or not now.reachable:
            break  # the job would stop
        (work,) = network.jobs.work
        assert work.step_s >= before_s * (1 - 1e-12)
        before_s = work.step_s
    network.set_faults([])
    assert [work.step_s for work in network.jobs.work] == [intact_s]


def test_order_does_not_matter_to_few_faults(states: list[tuple[FabricState, list[float]]]) -> None:
    network, _ = states[TORUS]
    links = [link for one in AROUND if (link := find_link(network.plant, one)) is not None]
    assert len(links) == 3
    found = []
    for k in range(4):
        for order in permutations(faults_of(links[:k])):
            network.set_faults(order)
            found.append((k, network.jobs.work[0].step_s))
    network.set_faults([])
    by_count = [{step_s for count, step_s in found if count == k} for k in range(4)]
    assert all(len(steps) == 1 for steps in by_count)
    steps_s = [steps.pop() for steps in by_count]
    assert steps_s == sorted(steps_s)
    assert steps_s[1] > 1.2 * steps_s[0]  # the way round the first fault shares a cable with another
    network.set_faults(faults_of(links[:2]))
    both = network._place(0, list(range(16)), network._faults(0))
    network.set_faults([])
    assert both is not None
    assert (
        network._work(0, both.network, 16).step_s < 0.9 * steps_s[1]
    )  # the second fault takes that cable away


@settings(max_examples=20, deadline=None)
@given(st.randoms(use_true_random=False))
def test_nodes_of_one_leaf_may_change_places(random: Any) -> None:
    scene = hall(PIPE, fabric=NARROW)
    network = FabricState(build(scene), load_catalog(), scene.jobs)
    nodes = []
    for first in range(0, 16, 4):
        unit = list(range(first, first + 4))
        random.shuffle(unit)
        nodes += unit
    moved, plain = network._place(0, nodes), network._place(0, list(range(16)))
    assert moved is not None
    assert plain is not None
    assert moved.network == plain.network
    assert np.allclose(moved.spread.peak_bytes_s, plain.spread.peak_bytes_s)


def test_a_spare_takes_the_seat_of_the_node_it_replaces() -> None:
    """Two trays of an NVL72 rack fail, no rack is free: spares take their places and split two tensor groups."""
    scene = shipped("nvl72-row")
    plain = run(scene, until_s=1800.0)
    full = ("5 min fail gpu/0/6/17", "5 min fail gpu/0/7/17")
    engine = run(scene, *full, "10 min fail gpu/0/0/5", "10 min fail gpu/0/0/3", until_s=1800.0)
    row, spares = engine.jobs.rows[0], [6 * 18, 6 * 18 + 1]
    assert row.state == JobState.RUNNING
    assert row.nodes == [0, 1, 2, spares[0], 4, spares[1], *range(6, 108)]
    seat = frame(engine).values["node.seat"]
    assert seat[spares].tolist() == [3, 5]
    assert (seat[[3, 5]] == -1).all()
    assert in_rank_order(np.array(sorted(row.nodes)), seat).tolist() == row.nodes
    whole, split = plain.jobs.work[0], engine.jobs.work[0]
    assert split.step_s > 1.1 * whole.step_s
    booked, before = (one.summary()["ledger_gpu_s"] for one in (engine, plain))
    share, was = (b["exposed_tensor"] / b["productive"] for b in (booked, before))
    assert share > 1.5 * was
    again = Engine.restore(scene, engine.snapshot())
    assert again.jobs.rows[0].nodes == row.nodes
    assert again.network.seats[0].network == engine.network.seats[0].network
