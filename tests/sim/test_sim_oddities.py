"""Thermal faults of one GPU, one node, one rack: hotter alone, slower together, and all well when they end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sim_scenes import assert_books_close, events, frame, job, liquid, tiny
from test_sim_limits import limited

from twin.physics.thermal_network import ThermalState
from twin.sim.engine.engine import Engine
from twin.sim.thermal.thermal_faults import altered, fan_share


def running(racks: int = 2) -> Engine:
    engine = Engine(liquid(racks, jobs=(job(18 * racks),)), 1)
    engine.advance(1200.0)
    return engine


def stored_j(engine: Engine, state: ThermalState) -> float:
    """Heat in all GPUs [J], by their own spread."""
    groups, network = engine.traces.groups, engine.heat.network
    capacity = network.chain_capacity_j_k[groups.part]
    each = groups.n[:, None] * state.chain[:, :, 0] + groups.sum_s[:, None] * state.chain[:, :, 1]
    return float((capacity * each).sum())


def test_a_bad_contact_makes_one_gpu_hot_and_the_job_as_slow_as_it() -> None:
    engine = running()
    gpu, node = 37, int(engine.plant.gpus.node[37])
    before = frame(engine).values
    before_s = engine.jobs.pace[0].step_s
    engine.oddities.set("dry", None, gpu, contact=6.0)
    limited(engine)
    engine.advance(1800.0)
    values = frame(engine).values
    others = np.arange(len(values["gpu.temp_c"])) != gpu
    assert values["gpu.temp_c"][gpu] > before["gpu.temp_c"][gpu] + 15
    assert (values["gpu.temp_c"][others] < before["gpu.temp_c"][others] + 1).all()  # they wait for it
    assert values["gpu.throttle"][gpu] & 0x20
    assert not (values["gpu.throttle"][others] & 0x20).any()
    assert engine.clocks.throttled_gpus() == 1
    on = events(engine, "throttle_on")
    assert {event.subject for event in on} == {f"{engine.plant.nodes.ids[node]}/{37 % 4}"}
    assert engine.jobs.pace[0].step_s > 1.03 * before_s
    assert engine.summary()["jobs"][0]["step_parts_s"]["thermal_throttle"] > 0
    assert engine.traces.gpus_alone(int(engine.traces.gpu_group[gpu])) == [gpu]
    assert engine.traces.slot_gpus[node] == 3
    assert_books_close(engine)


def test_the_mean_of_a_network_with_faults_is_its_gpus_one_by_one() -> None:
    engine = running()
    engine.oddities.set("dry", None, 5, contact=2.0)
    engine.oddities.set("mud", [3, 4], None, flow=0.6)
    limited(engine)
    engine.advance(2000.0)
    values = frame(engine).values
    gpu_w = engine.traces.gpu_w(engine.meter.gpu_group_w(engine.heat, engine.clocks), engine.clocks.dyn_w)
    by_node = np.bincount(engine.plant.gpus.node, values["gpu.power_w"].astype(float))
    assert gpu_w == pytest.approx(by_node, rel=1e-5)
    die_c = np.bincount(engine.plant.gpus.node, values["gpu.temp_c"].astype(float)) / 4
    assert engine.heat.node_die_c() == pytest.approx(die_c, abs=0.02)
    assert values["site.gpu_mean_c"][0] == pytest.approx(values["gpu.temp_c"].mean(dtype=float), abs=0.02)
    installed = engine.heat.network.installed
    assert installed.sum() == len(engine.plant.gpus.node)
    assert engine.traces.slot_gpus.sum() == installed.sum()


def test_a_mended_gpu_comes_back_into_its_node() -> None:
    engine = running()
    before_s, groups = engine.jobs.pace[0].step_s, int((engine.traces.groups.n > 0).sum())
    for key, gpu in (("a", 37), ("b", 38)):
        engine.oddities.set(key, None, gpu, contact=1.5)
    limited(engine)
    engine.advance(3000.0)
    assert len(engine.traces.alone) == 2
    for key in "ab":
        engine.oddities.clear(key)
    limited(engine)
    engine.advance(4 * 3600.0)
    assert engine.traces.alone == []
    assert int((engine.traces.groups.n > 0).sum()) == groups
    assert (engine.traces.slot_sum_s == np.bincount(engine.traces.dies.node, engine.traces.dies.spread)).all()
    assert engine.jobs.pace[0].step_s == pytest.approx(before_s, rel=1e-3)
    assert engine.heat.network.installed[:, 1:].sum() == 0
    assert_books_close(engine)


def test_splitting_a_gpu_off_keeps_every_joule() -> None:
    engine = running()
    engine.heat.cut()
    state = engine.heat.integrator.state
    before = stored_j(engine, state)
    engine.oddities.set("dry", None, 11, contact=2.0)
    part = engine.oddities.slot_part()
    wanted = engine.traces.trace[engine.traces.node_group]
    after = engine.traces.retrace(state, wanted, None, part)
    engine.heat.network = engine.oddities.settle(engine.traces.groups)
    assert stored_j(engine, after) == pytest.approx(before, rel=1e-14)
    assert engine.traces.groups.fits(engine.heat.network)


def test_a_blocked_plate_ends_in_shutdown_of_its_node_alone() -> None:
    engine = running()
    gpu = 37
    engine.oddities.set("mud", None, gpu, flow=0.0)
    limited(engine)
    engine.advance(3600.0)
    off = events(engine, "shutdown")
    assert {event.subject for event in off} == {engine.plant.nodes.ids[int(engine.plant.gpus.node[gpu])]}
    assert_books_close(engine)


def test_a_rack_behind_shut_valves_heats_up_at_once_and_legally() -> None:
    engine = running()
    nodes = np.flatnonzero(engine.plant.nodes.rack == 0).tolist()
    engine.oddities.set("leak", nodes, None, flow=0.0)
    assert engine.oddities.rack_flow[0] == 0.0
    assert engine.oddities.rack_flow[1:].min() == 1.0
    limited(engine)
    engine.advance(3600.0)
    rack = engine.plant.racks.ids[0]
    off = events(engine, "shutdown")
    assert {"/".join(event.subject.split("/")[:3]) for event in off} == {rack}
    assert sum(event.data["nodes"] for event in off) == len(nodes)
    assert np.isfinite(engine.heat.integrator.state.flat()).all()
    assert_books_close(engine)


def test_dead_fans_warm_a_node_in_air_and_no_other() -> None:
    engine = Engine(tiny(nodes=3, jobs=(job(2),)), 1)
    engine.advance(3600.0)
    before = frame(engine).values["gpu.temp_c"].astype(float)
    engine.oddities.set("fans", [0], None, fans=fan_share(2, 8))
    limited(engine)
    engine.advance(7200.0)
    after = frame(engine).values["gpu.temp_c"].astype(float)
    node = engine.plant.gpus.node
    assert (after[node == 0] > before[node == 0] + 3).all()
    assert after[node != 0] == pytest.approx(before[node != 0], abs=1.0)


def test_faults_multiply_and_the_flow_of_a_fan_is_nothing_to_a_cold_plate() -> None:
    engine = running()
    nodes = int((engine.plant.nodes.rack == engine.plant.nodes.rack[0]).sum())

    def flow() -> float:
        """Share of its coolant that the first node has left; the rest of its rack has all of it."""
        return 1.0 - nodes * (1.0 - float(engine.oddities.rack_flow[engine.plant.nodes.rack[0]]))

    engine.oddities.set("a", [0], None, flow=0.5, fans=0.1)
    engine.oddities.set("b", [0], None, flow=0.5, contact=2.0)
    assert flow() == pytest.approx(0.25)
    engine.oddities.clear("a")
    assert flow() == pytest.approx(0.5)
    engine.oddities.clear("b")
    engine.oddities.clear("never set")
    assert flow() == 1.0
    with pytest.raises(ValueError, match="0 to 1"):
        engine.oddities.set("c", [0], None, flow=1.5)


def test_an_altered_part_follows_the_law_of_its_chain() -> None:
    part = running().heat.network.parts[0]
    odd = altered(part, 0.5, 2.0)
    assert odd.flow_w_k == part.flow_w_k / 2
    assert odd.g_convection_w_k == pytest.approx(part.g_convection_w_k * 0.5**0.8)
    assert 1 / odd.g_die_plate_w_k == pytest.approx(2 / part.g_die_plate_w_k)
    assert (odd.die_j_k, odd.plate_j_k, odd.fluid_j_k) == (part.die_j_k, part.plate_j_k, part.fluid_j_k)


@given(st.data())
@settings(max_examples=5, deadline=None)
def test_any_faults_in_any_order_keep_count_and_come_back_from_a_snapshot(data: st.DataObject) -> None:
    engine = Engine(tiny(nodes=2, part="DGX-H100", jobs=(job(1),)), 1)
    engine.advance(600.0)
    keys = st.sampled_from(["a", "b", "c", "d"])
    for at_s in range(700, 1500, 200):
        if data.draw(st.booleans()):
            gpu = data.draw(st.none() | st.integers(0, 15))
            nodes = None if gpu is not None else [data.draw(st.integers(0, 1))]
            flow = data.draw(st.sampled_from([1.0, 0.7, 0.5]))
            engine.oddities.set(data.draw(keys), nodes, gpu, flow, data.draw(st.sampled_from([1.0, 1.3])))
        else:
            engine.oddities.clear(data.draw(keys))
        limited(engine)
        engine.advance(float(at_s))
        assert engine.traces.slot_gpus.sum() == 16
        assert engine.traces.slot_sum_s.sum() == pytest.approx(engine.body.spread.sum())
        assert engine.traces.groups.fits(engine.heat.network)
    other = Engine.restore(engine.scenario, engine.snapshot())
    for one in (engine, other):
        one.advance(9000.0)
    assert other.summary() == engine.summary()
    assert_books_close(engine)
