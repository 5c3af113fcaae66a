"""The integrator: accuracy through a pump trip, energy, published transients, symmetry, look-ahead."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from shipped_parts import air, liquid
from thermal_oracle import Oracle

from twin.physics.thermal import Integrator, Rungs, ThermalStepper
from twin.physics.thermal_inputs import FlowRamp, ThermalInputs, inputs_of
from twin.physics.thermal_network import (
    Groups,
    ThermalNetwork,
    design_network,
    merge_group,
    mergeable,
    split_group,
)

SLOWDOWN_C = {"H100-SXM": 89.0, "B200-SXM": 91.0, "GB200-GPU": 91.0, "GB300-GPU": 91.0}


def liquid_site(part: str, supply_c: float, load: float = 0.95, gpus: float = 72.0, loops: int = 2):
    """Loops of one part at a steady load, with the sink set for a supply temperature."""
    chain = liquid(part)
    network = design_network([0] * loops, [0], [chain], np.full((loops, 1), gpus), [False] * loops)
    groups = Groups.of(np.arange(loops), np.zeros(loops), np.full(loops, gpus), np.full(loops, gpus))
    gpu_w = load * chain.tdp_w
    air_w = 0.2 * 1.35 * gpu_w
    inputs = inputs_of(
        network,
        groups,
        0.0,
        gpu_w,
        np.full(loops, gpus * (0.35 * gpu_w - air_w)),
        np.array([loops * gpus * air_w]),
        np.array([20.0]),
    )
    supply = ThermalStepper(network, groups, inputs).steady().loop_supply_c(network.shape)[0]
    inputs = replace(inputs, sink_c=inputs.sink_c + supply_c - supply)
    return network, groups, inputs, ThermalStepper(network, groups, inputs).steady()


def time_to_slowdown_s(part: str, supply_c: float, tau_s: float, target: float) -> float:
    network, groups, inputs, state = liquid_site(part, supply_c)
    pumps = inputs.flow.towards(0.0, 0, target, tau_s)
    run = Integrator(network, groups, replace(inputs, flow=pumps), state)
    return time_above_s(run, SLOWDOWN_C[part], 60.0, 0)


def time_above_s(run: Integrator, limit_c: float, end_s: float, group: int) -> float:
    """Return when the first die of any group, which is of `group`, passes a limit."""
    for step in run.run(end_s):
        cut = run.cut(step, lambda state: state.die_c() - limit_c)
        if cut is not step:
            assert cut.state1.die_c()[group] == pytest.approx(limit_c, abs=2e-3)
            return cut.t1_s
    return math.inf


def test_fixed_steps_of_one_second_follow_a_stiff_oracle_through_a_pump_trip():
    network, _, inputs, _ = liquid_site("GB200-GPU", 28.0, gpus=3.0)
    groups = Groups.of([0, 1], [0, 0], [3.0, 3.0], [3.04, 2.97])
    spread = np.array([0.97, 1.02, 1.05, 0.95, 1.00, 1.02])
    inputs = replace(inputs, base_w=np.array([150.0, 250.0]), dyn_w=np.array([990.0, 700.0]))
    trip = replace(inputs, flow=inputs.flow.towards(0.0, 0, 0.02, 4.0))
    stepper = ThermalStepper(network, groups, trip)
    state = ThermalStepper(network, groups, inputs).steady()
    loop = np.array([0, 0, 0, 1, 1, 1])
    oracle = Oracle(network, trip, loop, np.zeros(6, int), spread, trip.base_w[loop], trip.dyn_w[loop])
    start = (state.chain[loop, :, 0] + spread[:, None] * state.chain[loop, :, 1]).T.reshape(-1)
    reference = solve_ivp(
        oracle.rate,
        (0.0, 40.0),
        np.concatenate([start, state.upper]),
        method="Radau",
        rtol=1e-9,
        atol=1e-9,
        t_eval=np.arange(1.0, 41.0),
    )
    worst_k = 0.0
    for second in range(40):
        state, _, _ = stepper.step(state, float(second), 1.0, on_ladder=False)
        exact = reference.y[:, second]
        worst_k = max(worst_k, np.abs(state.die_c(spread, loop) - exact[:6]).max())
        worst_k = max(worst_k, np.abs(state.upper - exact[24:]).max())
    assert worst_k <= 0.01


def test_chosen_steps_stay_within_tolerance_of_the_oracle_after_a_load_step():
    network, groups, inputs, state = liquid_site("B200-SXM", 27.0)
    stop = replace(inputs, dyn_w=np.array([0.0, 950.0]), base_w=np.array([190.0, 0.0]))
    oracle = Oracle(network, stop, groups.loop.repeat(72), np.zeros(144, int), np.ones(144), *_each(stop))
    one = np.concatenate([state.chain[groups.loop.repeat(72)].sum(axis=2).T.reshape(-1), state.upper])
    run = Integrator(network, groups, stop, state)
    steps = list(run.run(3600.0))
    times = [step.t1_s for step in steps]
    reference = solve_ivp(oracle.rate, (0.0, 3600.0), one, method="LSODA", rtol=1e-6, atol=1e-6, t_eval=times)
    die = np.array([step.state1.die_c() for step in steps])
    assert np.abs(die - reference.y[[0, 72]].T).max() <= 0.15
    assert len(steps) <= 60


def _each(inputs: ThermalInputs) -> tuple[np.ndarray, np.ndarray]:
    return inputs.base_w.repeat(72), inputs.dyn_w.repeat(72)


@pytest.mark.parametrize(
    ("part", "instant_s", "coast_s"),
    [("H100-SXM", 18.0, 24.8), ("B200-SXM", 10.8, 16.5), ("GB200-GPU", 8.0, 13.3), ("GB300-GPU", 6.0, 10.5)],
)
def test_pump_stop_reaches_the_slowdown_limit_when_published(part, instant_s, coast_s):
    assert time_to_slowdown_s(part, 27.0, 0.01, 0.0) == pytest.approx(instant_s, rel=0.10)
    assert time_to_slowdown_s(part, 27.0, 4.0, 0.02) == pytest.approx(coast_s, rel=0.10)


def test_hotter_parts_have_less_time_after_a_pump_stop():
    times = [time_to_slowdown_s(part, 27.0, 4.0, 0.02) for part in SLOWDOWN_C]
    assert times == sorted(times, reverse=True)


def test_one_of_two_pumps_warms_without_throttling_and_other_loops_feel_nothing():
    network, groups, inputs, state = liquid_site("GB200-GPU", 28.0)
    run = Integrator(network, groups, replace(inputs, flow=inputs.flow.towards(0.0, 0, 0.72, 4.0)), state)
    list(run.run(7200.0))
    assert state.die_c()[0] == pytest.approx(69.0, abs=1.0)
    assert run.state.die_c()[0] == pytest.approx(76.0, abs=1.0)
    assert run.state.die_c()[1] == pytest.approx(state.die_c()[1], abs=0.05)


@pytest.mark.parametrize(("part", "minutes"), [("H100-SXM", 11.0), ("GB200-GPU", 5.1)])
def test_loss_of_heat_rejection_takes_minutes(part, minutes):
    network, groups, inputs, state = liquid_site(part, 28.0)
    lost = replace(inputs, plant=replace(inputs.plant, rejection=np.zeros(1)))
    hit_s = time_above_s(Integrator(network, groups, lost, state), SLOWDOWN_C[part], 3600.0, 0)
    assert hit_s / 60.0 == pytest.approx(minutes, rel=0.10)


def test_air_rack_inlet_reaches_35_degrees_in_about_15_seconds_without_crah():
    network = design_network([0], [0], [air("H100-SXM")], np.array([[32.0]]), [True])
    groups = Groups.of([0], [0], [32.0], [32.0])
    rest_w = 40.8e3 - 32 * 700.0
    inputs = inputs_of(network, groups, 0.0, 700.0, np.array([rest_w]), np.zeros(1), np.array([10.0]))
    inlet = ThermalStepper(network, groups, inputs).steady().loop_supply_c(network.shape)[0]
    inputs = replace(inputs, sink_c=inputs.sink_c + 22.0 - inlet)
    state = ThermalStepper(network, groups, inputs).steady()
    lost = replace(inputs, plant=replace(inputs.plant, exchanger=np.zeros(1)))
    run = Integrator(network, groups, lost, state)
    run.dt_cap_s = 1.0
    reached = next(s.t1_s for s in run.run(120.0) if s.state1.loop_supply_c(network.shape)[0] >= 35.0)
    assert reached == pytest.approx(15.0, abs=3.0)


def test_energy_closes_over_ten_days_of_events():
    rng = np.random.default_rng(8)
    network, groups, inputs, state = liquid_site("GB200-GPU", 28.0, loops=4)
    inputs = replace(inputs, leak_w_k=np.full(4, 1.2))
    run = Integrator(network, groups, inputs, state)
    in_j = out_j = stored_j = 0.0
    worst = 0.0
    n_steps = 0
    for _ in range(40):
        for step in run.run(run.t_s + rng.exponential(6 * 3600.0)):
            worst = max(worst, step.energy.residual)
            in_j, out_j = in_j + step.energy.in_j, out_j + step.energy.out_j
            stored_j += step.energy.stored_j
            n_steps += 1
        loop = int(rng.integers(4))
        load = replace(run.stepper.inputs, dyn_w=rng.uniform(100.0, 1140.0, run.stepper.groups.size))
        flow = load.flow.towards(run.t_s, loop, float(rng.choice([0.0, 0.02, 0.72, 1.0])), 4.0)
        weather = rng.uniform(10.0, 25.0, 1)
        slope = rng.normal(0.0, 1e-4, 1)
        run.change(replace(load, flow=flow, sink_c=weather, sink_slope_k_s=slope, sink_since_s=run.t_s))
    assert n_steps > 800
    assert worst <= 1e-10
    assert abs(in_j - out_j - stored_j) / in_j <= 1e-12


def test_energy_of_one_step_closes_to_rounding_for_any_step_and_flow():
    network, groups, inputs, state = liquid_site("B200-SXM", 27.0)
    stop = replace(inputs, dyn_w=np.array([400.0, 950.0]), flow=FlowRamp.steady(np.array([0.0, 0.4])))
    stepper = ThermalStepper(network, groups, stop)
    for dt_s in (0.25, 1.0, 17.3, 600.0, 3e4):
        _, _, energy = stepper.step(state, 0.0, dt_s, on_ladder=False)
        assert energy.residual <= 1e-12


def test_temperatures_do_not_depend_on_how_equal_gpus_are_grouped():
    network, groups, inputs, state = liquid_site("GB200-GPU", 28.0)
    apart, apart_state, new = split_group(groups, state, 0, 30.0, 30.0)
    wide = replace(
        inputs, base_w=np.zeros(3), dyn_w=np.full(3, inputs.dyn_w[0] - 200.0), leak_w_k=np.zeros(3)
    )
    one = Integrator(network, groups, replace(inputs, dyn_w=inputs.dyn_w - 200.0), state)
    two = Integrator(network, apart, wide, apart_state)
    list(one.run(5000.0))
    list(two.run(5000.0))
    np.testing.assert_allclose(two.state.die_c()[[0, 1]], one.state.die_c(), atol=1e-9)
    assert mergeable(two.state, 0, new)
    joined, merged = merge_group(apart, two.state, 0, new)
    assert joined.fits(network)
    np.testing.assert_allclose(merged.die_c()[:2], one.state.die_c(), atol=1e-9)


def test_permuting_loops_permutes_temperatures():
    order = np.array([2, 0, 1])
    installed = np.array([[72.0], [36.0], [144.0]])
    heat_w = np.array([2e4, 1e4, 5e4])
    dies = []
    for loops in (np.arange(3), order):
        network = design_network([0] * 3, [0], [liquid("B200-SXM")], installed[loops], [False] * 3)
        groups = Groups.of(np.arange(3), np.zeros(3), installed[loops, 0], installed[loops, 0])
        dyn_w = np.array([900.0, 500.0, 700.0])[loops]
        inputs = inputs_of(network, groups, 0.0, dyn_w, heat_w[loops], np.zeros(1), np.array([20.0]))
        run = Integrator(network, groups, inputs, ThermalStepper(network, groups, inputs).steady())
        run.change(replace(inputs, dyn_w=dyn_w * 0.5))
        list(run.run(300.0))
        dies.append(run.state.die_c())
    np.testing.assert_allclose(dies[1], dies[0][order], atol=1e-9)


def test_more_flow_never_heats():
    network, groups, inputs, _ = liquid_site("GB200-GPU", 28.0)
    dies = []
    for flow in (0.0, 0.02, 0.2, 0.5, 0.72, 1.0, 1.3):
        still = replace(inputs, flow=FlowRamp.steady(np.array([flow, 1.0])))
        dies.append(ThermalStepper(network, groups, still).steady().die_c()[0])
    assert np.all(np.diff(dies) < 0.0)
    assert np.all(np.isfinite(dies))


def _lagged_leak_site() -> tuple[ThermalNetwork, Groups, ThermalInputs, Integrator]:
    network, groups, inputs, state = liquid_site("GB200-GPU", 28.0)
    hot = replace(inputs, leak_w_k=np.full(2, 1.44), flow=FlowRamp.steady(np.zeros(2)))
    return network, groups, hot, Integrator(network, groups, hot, state)


def test_stagnant_flow_with_leakage_heats_and_never_flips_sign():
    _, _, _, run = _lagged_leak_site()
    before = run.state.die_c().copy()
    for step in run.run(3e4):
        assert np.all(step.state1.die_c() >= before - 1e-9)
        before = step.state1.die_c()


def test_truncated_step_stands_at_the_event_and_books_its_own_energy():
    network, groups, inputs, state = liquid_site("GB200-GPU", 28.0)
    drop = replace(inputs, dyn_w=inputs.dyn_w * 0.3)
    run = Integrator(network, groups, drop, state)
    steps = list(run.run(900.0))
    last = steps[-2]
    middle_s = last.t0_s + 0.37 * (last.t1_s - last.t0_s)
    cut = run.truncate(last, middle_s)
    assert (run.t_s, cut.t0_s, cut.t1_s) == (middle_s, last.t0_s, middle_s)
    assert cut.energy.residual <= 1e-12
    np.testing.assert_allclose(run.state.die_c(), last.at(middle_s).die_c(), atol=0.2)
    assert run.truncate(last, last.t1_s) is last


def test_inputs_must_fit_the_groups():
    network, groups, inputs, state = liquid_site("GB200-GPU", 28.0)
    run = Integrator(network, groups, inputs, state)
    with pytest.raises(ValueError, match="each of the 2 groups"):
        run.change(replace(inputs, leak_w_k=np.zeros(3)))
    with pytest.raises(ValueError, match="per loop and per hall"):
        run.change(replace(inputs, hall_heat_w=np.zeros(2)))


def test_cached_factors_give_the_same_bits_as_fresh_ones():
    network, groups, inputs, state = liquid_site("GB200-GPU", 28.0)
    drop, back = replace(inputs, dyn_w=inputs.dyn_w * 0.3), inputs
    warm = Integrator(network, groups, drop, state)
    list(warm.run(4000.0))
    warm.restore(0.0, state, Rungs(0, 0))
    cold = Integrator(network, groups, drop, state)
    for run in (warm, cold):
        list(run.run(777.0))
        run.change(back)
        list(run.run(5000.0))
    assert np.array_equal(warm.state.chain, cold.state.chain)
    assert np.array_equal(warm.state.upper, cold.state.upper)
    assert warm.dt_s == cold.dt_s


def test_a_snapshot_in_the_middle_continues_bit_for_bit():
    network, groups, inputs, state = liquid_site("GB200-GPU", 28.0)
    drop = replace(inputs, dyn_w=inputs.dyn_w * 0.3)
    run = Integrator(network, groups, drop, state)
    for _ in range(9):
        run.step(1e5)
    other = Integrator(network, groups, drop, run.state)
    other.restore(run.t_s, run.state, run.rungs)
    for _ in range(9):
        run.step(1e5)
        other.step(1e5)
    assert other.t_s == run.t_s
    assert np.array_equal(other.state.chain, run.state.chain)


def test_a_small_change_may_keep_the_step_and_stays_within_tolerance():
    network, groups, inputs, state = liquid_site("GB200-GPU", 28.0)
    nudge = replace(inputs, dyn_w=inputs.dyn_w * 0.99)
    kept, fresh = (Integrator(network, groups, inputs, state) for _ in range(2))
    for run, restart in ((kept, False), (fresh, True)):
        list(run.run(20000.0))
        run.change(nudge, restart=restart)
    few, many = list(kept.run(40000.0)), list(fresh.run(40000.0))
    assert len(few) < len(many)
    np.testing.assert_allclose(kept.state.die_c(), fresh.state.die_c(), atol=0.05)


def test_weather_inside_a_step_moves_the_sink():
    network, groups, inputs, state = liquid_site("H100-SXM", 28.0)
    slope = replace(inputs, sink_slope_k_s=np.array([1e-4]))
    run = Integrator(network, groups, slope, state)
    list(run.run(36000.0))
    assert 2.8 < run.state.die_c()[0] - state.die_c()[0] < 3.6


def test_going_back_in_time_is_refused():
    network, groups, inputs, state = liquid_site("H100-SXM", 28.0)
    with pytest.raises(ValueError, match="not after"):
        Integrator(network, groups, inputs, state).step(0.0)


def test_step_of_fifty_groups_and_twenty_loops(benchmark):
    network = design_network([0] * 20, [0], [liquid("GB200-GPU")], np.full((20, 1), 800.0), [False] * 20)
    n = np.tile([700.0, 60.0, 40.0], 20)
    groups = Groups.of(np.repeat(np.arange(20), 3), np.zeros(60), n, n)
    inputs = inputs_of(network, groups, 200.0, 900.0, np.full(20, 2e5), np.array([3e6]), np.array([20.0]))
    stepper = ThermalStepper(network, groups, inputs)
    state = stepper.steady()
    benchmark(lambda: stepper.step(state, 0.0, 8.0, on_ladder=True))


@pytest.mark.parametrize(("stop_s", "shuts_down"), [(20.0, False), (60.0, True)])
def test_gb200_survives_a_pump_stop_of_20_s_on_the_power_floor_but_not_of_60_s(stop_s, shuts_down):
    """PHYSICS 3: throttles at 13 s, peaks at 91 C and recovers; a 60 s stop ends in shutdown at 93 C."""
    network, groups, inputs, state = liquid_site("GB200-GPU", 28.0)
    run = Integrator(network, groups, replace(inputs, flow=inputs.flow.towards(0.0, 0, 0.02, 4.0)), state)
    run.dt_cap_s = 0.5
    slowed_s = peak_c = 0.0
    for end_s in (stop_s, 300.0):
        while run.t_s < end_s:
            step = run.step(end_s)
            die_c = float(step.state1.die_c()[0])
            peak_c = max(peak_c, die_c)
            if die_c >= 91.0 and not slowed_s:
                slowed_s = run.t_s
                floor_w = np.array([0.34 * 1200.0, inputs.dyn_w[1]])
                run.change(replace(run.stepper.inputs, dyn_w=floor_w))
        restarted = run.stepper.inputs.flow.towards(run.t_s, 0, 1.0, 4.0)
        run.change(replace(run.stepper.inputs, flow=restarted))
    assert slowed_s == pytest.approx(13.0, abs=1.0)
    assert (peak_c >= 93.0) == shuts_down
    if not shuts_down:
        assert peak_c == pytest.approx(91.0, abs=1.0)
    assert run.state.die_c()[0] < 60.0
