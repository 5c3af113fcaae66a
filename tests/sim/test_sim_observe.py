"""What frames show agrees with the run, and looking changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from sim_scenes import frame, inject, job, liquid, run_to_state, shipped, tiny

from twin.record.channels import CHANNELS, JobState, State
from twin.sim.engine.engine import Engine

SHOWN = {
    JobState.STARTING: State.RESTARTING,
    JobState.RUNNING: State.RUNNING,
    JobState.CHECKPOINT: State.CHECKPOINT,
    JobState.DETECTING: State.WAITING,
    JobState.RESTARTING: State.RESTARTING,
    JobState.WAITING: State.WAITING,
}


@pytest.mark.parametrize("name", ["lab-16", "superpod-h100", "nvl72-row", "video-ingest", "llama3-16k"])
def test_every_channel_is_finite_and_in_reach(name: str) -> None:
    engine = Engine(shipped(name), 1)
    for until_s in (0.0, 600.0, 4000.0):
        engine.advance(until_s)
        values = frame(engine).values
        for channel in CHANNELS:
            shown = values[channel.id].astype(float)
            if channel.id == "loop.gpu_max_c":  # of loops that cool GPUs
                shown = shown[np.unique(engine.plant.nodes.loop)]
            assert np.isfinite(shown).all(), channel.id
        assert (values["gpu.temp_c"] > 10).all()
        assert values["gpu.temp_c"].max() < 90
        assert values["gpu.hbm_c"].max() < 105
        assert values["gpu.util"].max() <= 100
        assert values["site.facility_w"][0] > values["site.it_w"][0] > 0
        assert 1.0 < values["site.pue"][0] < 2.5  # of an idle laboratory
    assert values["site.gpu_max_c"][0] == pytest.approx(values["gpu.temp_c"].max(), abs=1e-3)
    assert values["site.gpu_mean_c"][0] == pytest.approx(values["gpu.temp_c"].mean(), abs=0.1)


def test_powers_add_up_from_gpus_to_the_site() -> None:
    engine = inject(
        Engine(shipped("nvl72-row"), 1), "1000 s fail gpu/0/3/2", "2000 s power_cap all value=900W"
    )
    for until_s in (0.0, 100.0, 900.0, 1003.0, 1200.0, 2500.0, 9000.0):
        engine.advance(until_s)
        values = frame(engine).values
        traces, groups = engine.traces, engine.traces.groups
        by_group = np.zeros(groups.size)
        np.add.at(by_group, traces.node_group[engine.plant.gpus.node], values["gpu.power_w"].astype(float))
        base = engine.meter.gpu_group_w(engine.heat, engine.clocks)
        assert by_group == pytest.approx(groups.n * base + groups.sum_s * engine.clocks.dyn_w, rel=1e-5)
        assert values["rack.power_w"].sum(dtype=float) == pytest.approx(values["site.it_w"][0], rel=1e-5)
        in_racks = values["gpu.power_w"].sum(dtype=float)
        assert in_racks < values["site.it_w"][0]


def test_temperatures_lie_within_those_of_their_group() -> None:
    engine = Engine(shipped("nvl72-row"), 1)
    engine.advance(3000.0)
    values = frame(engine).values
    state = engine.heat.at(engine.now_s)
    group = engine.traces.node_group[engine.plant.gpus.node]
    hottest = engine.heat.hot_c(state)
    assert (values["gpu.temp_c"] <= hottest[group] + 1e-4).all()  # liquid: every die breathes alike
    for g in np.unique(group):
        assert values["gpu.temp_c"][group == g].max() == pytest.approx(hottest[g], abs=1e-3)


@pytest.mark.parametrize("state", list(SHOWN))
def test_gpus_show_the_state_of_their_job(state: JobState) -> None:
    engine = inject(Engine(tiny(nodes=3), 1), "2000 s fail gpu/0/0/0", "3000 s fail gpu/0/1/0")
    run_to_state(engine, state)
    values = frame(engine).values
    held = values["gpu.job"] == 0
    down = values["gpu.state"] == State.FAILED
    assert held.any()
    assert (values["gpu.state"][held & ~down] == SHOWN[state]).all()
    assert values["job.state"].tolist() == [state]
    assert values["job.gpus"].tolist() == [int(held.sum())]


def test_resting_gpus_show_why_they_rest() -> None:
    halls = tiny(nodes=6).halls[0].model_dump(by_alias=True)
    halls["overrides"] = {"gpu/0/3/0": {"drained": True}, "gpu/0/4/0": {"absent": True}}
    engine = inject(Engine(tiny(halls=[halls]), 1), "2000 s fail gpu/0/5/0 cause=gpu")
    engine.advance(3000.0)
    values = frame(engine).values
    plant = engine.plant
    by_node = {plant.nodes.ids[n]: set() for n in range(len(plant.nodes.ids))}
    for node, state in zip(plant.gpus.node.tolist(), values["gpu.state"].tolist(), strict=True):
        by_node[plant.nodes.ids[node]].add(State(state))
    assert by_node["gpu/0/0/0"] == by_node["gpu/0/1/0"] == {State.RUNNING}
    assert by_node["gpu/0/2/0"] == {State.SPARE}
    assert by_node["gpu/0/3/0"] == {State.DRAINED}
    assert by_node.get("gpu/0/4/0", {State.ABSENT}) == {State.ABSENT}
    assert by_node["gpu/0/5/0"] == {State.FAILED}
    failed = values["gpu.state"] == State.FAILED
    assert (values["gpu.power_w"][failed] == 0).all()
    assert (values["gpu.clock_mhz"][failed] == 0).all()
    spare = values["gpu.state"] == State.SPARE
    assert (values["gpu.throttle"][spare] == 0x1).all()
    assert (values["gpu.power_w"][spare] < 150).all()
    assert values["site.nodes_down"][0] == 1
    assert values["site.spares"][0] == 1
    assert values["site.interruptions"][0] == 0


def test_nodes_shut_down_by_heat_show_off() -> None:
    engine = inject(Engine(liquid(), 1), "1000 s pump_stop cdu/0 for=2min")
    engine.advance(1100.0)
    values = frame(engine).values
    first = engine.plant.nodes.rack[engine.plant.gpus.node] == 0
    assert (values["gpu.state"][first] == State.OFF).all()
    assert not (values["gpu.state"][~first] == State.OFF).any()
    assert (values["gpu.power_w"][first] == 0).all()
    engine.advance(1200.0)  # coolant flows again: they boot
    values = frame(engine).values
    assert (values["gpu.state"][first] == State.OFF).all()
    assert (values["gpu.power_w"][first] > 0).all()


def test_leakier_dies_run_hotter_and_clock_lower() -> None:
    engine = Engine(tiny(), 1)
    engine.advance(3600.0)
    values = frame(engine).values
    running = values["gpu.state"] == State.RUNNING
    clock = values["gpu.clock_mhz"][running]
    spread = engine.body.spread[running]
    assert np.corrcoef(spread, clock)[0, 1] < -0.9
    assert (values["gpu.power_w"][running] <= 701).all()
    assert (values["gpu.power_w"][running] > 300).all()


def test_a_quick_frame_leaves_gpus_out_and_the_rest_is_the_same() -> None:
    engine = Engine(tiny(jobs=(job(),)), 1)
    engine.advance(3600.0)
    whole, quick = frame(engine), frame(engine)
    quick.detail = False
    engine.fill(quick)
    for channel in CHANNELS:
        assert np.array_equal(whole.values[channel.id], quick.values[channel.id])


def test_temperatures_shown_between_steps_lie_between_them() -> None:
    engine = Engine(tiny(), 1)
    engine.advance(90000.0)
    step = engine.heat.ahead
    engine.advance((step.t0_s + step.t1_s) / 2)
    shown = frame(engine).values["site.gpu_max_c"][0]
    ends = [float(engine.heat.hot_c(state).max()) for state in (step.state0, step.state1)]
    assert min(ends) - 1e-9 <= shown <= max(ends) + 1e-9


@pytest.mark.parametrize("idle", [1, 2, 3])
def test_facility_loops_that_nothing_hangs_on_yet_are_as_cool_as_they_would_send(idle: int) -> None:
    scene = shipped("shared-cluster")
    (water,) = scene.cooling.plants
    spare = [water.model_copy(update={"id": f"spare-{n}", "supply_c": 19.0 + n}) for n in range(idle)]
    cooling = scene.cooling.model_copy(update={"plants": (water, *spare)})
    alone, beside = (Engine(one, 1) for one in (scene, scene.model_copy(update={"cooling": cooling})))
    alone.advance(600.0)
    beside.advance(600.0)
    values, usual = frame(beside).values, frame(alone).values
    for channel in CHANNELS:
        if channel.id.startswith("plant."):
            assert values[channel.id][0] == usual[channel.id][0], channel.id
    own_c = [one.supply_c for one in spare]
    assert values["plant.supply_c"][1:].tolist() == values["plant.return_c"][1:].tolist() == own_c
    assert values["plant.return_c"][0] > values["plant.supply_c"][0] + 1
    assert not values["plant.heat_w"][1:].any()
