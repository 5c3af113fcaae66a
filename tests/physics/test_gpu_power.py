"""The published behaviour of B200 under its cap, and what must hold for every part."""

import dataclasses

import numpy as np
import pytest
from shipped_parts import CATALOG, GPUS, power

from twin.physics.gpu_power import (
    StepWork,
    ThrottleReason,
    clock_under_cap,
    die_spread,
    dynamic_unit_w,
    gpu_power_model,
    leak_w,
    power_w,
    synchronous_w,
    thermal_reasons,
    voltage_v,
)

B200 = power("B200-SXM")


def test_b200_gemm_at_the_cap_runs_at_55_to_62_percent_of_boost():
    share = clock_under_cap(B200, 1000.0, 1.0, B200.a_gemm, 0.0) / B200.f_max_ghz
    assert 0.55 <= share <= 0.62


def test_b200_gemm_draws_988_w_of_1000_at_57_degrees():
    leakage = leak_w(B200, 57.0, 1.0)
    f_ghz = clock_under_cap(B200, 1000.0, 1.0, B200.a_gemm, leakage)
    assert power_w(B200, f_ghz, 1.0, B200.a_gemm, leakage) == pytest.approx(988.0, rel=0.015)


@pytest.mark.parametrize(("cap_w", "share"), [(900, 0.94), (800, 0.85), (700, 0.71), (600, 0.57)])
def test_b200_throughput_against_cap_is_the_published_one(cap_w, share):
    full = clock_under_cap(B200, 1000.0, 1.0, B200.a_gemm, 0.0)
    assert clock_under_cap(B200, cap_w, 1.0, B200.a_gemm, 0.0) / full == pytest.approx(share, abs=0.006)


def test_b200_memory_bound_work_reaches_boost_below_the_cap():
    assert clock_under_cap(B200, 1000.0, 1.0, B200.a_memory, 0.0) == B200.f_max_ghz
    assert 326.0 <= B200.a_memory <= 370.0
    assert B200.a_gemm == pytest.approx(1296.0, rel=1e-6)
    assert B200.a_gemm_fp8 == pytest.approx(1036.0, rel=1e-6)


@pytest.mark.parametrize("part", GPUS)
def test_dense_gemm_sits_at_the_cap_of_every_part(part):
    model = power(part)
    f_ghz = clock_under_cap(model, model.cap_w, 1.0, model.a_gemm, 0.0)
    assert model.f_min_ghz < f_ghz < model.f_max_ghz
    assert power_w(model, f_ghz, 1.0, model.a_gemm) == pytest.approx(model.cap_w, rel=1e-5)
    assert model.cap_w == CATALOG.gpu(part).tdp_w
    assert model.max_op_c < model.slowdown_c < model.shutdown_c


@pytest.mark.parametrize("part", GPUS)
def test_power_under_load_never_falls_below_a_third_of_the_limit(part):
    model = power(part)
    f_ghz = clock_under_cap(model, 0.0, 1.0, model.a_gemm, 0.0)
    assert f_ghz == model.f_min_ghz
    assert power_w(model, f_ghz, 1.0, model.a_gemm) / model.cap_w == pytest.approx(0.34, abs=0.02)


def test_dgx_h100_in_training_stays_below_its_highest_measured_power():
    model = power("H100-SXM")
    for gemm_s in (0.5, 0.65, 0.8, 0.95):
        rest_s = 1.0 - gemm_s
        work = StepWork(model.a_gemm, gemm_s, 0.4 * rest_s, 0.5 * rest_s)
        f_ghz = clock_under_cap(model, model.cap_w, 1.0, work.activity(model), 0.0)
        node_w = 8 * (model.idle_w + synchronous_w(model, f_ghz, 1.0, work, 1.0, reference_ghz=f_ghz)) * 1.35
        assert 5.5e3 <= node_w <= 8.5e3


def test_lower_cap_never_raises_clock_or_power():
    caps = np.linspace(200.0, 1100.0, 400)
    for model in map(power, GPUS):
        f_ghz = clock_under_cap(model, caps, 1.0, model.a_gemm, 0.0)
        assert np.all(np.diff(f_ghz) >= 0.0)
        assert np.all(np.diff(power_w(model, f_ghz, 1.0, model.a_gemm)) >= 0.0)
        allowed = f_ghz > model.f_min_ghz
        assert np.all(power_w(model, f_ghz, 1.0, model.a_gemm)[allowed] <= caps[allowed] + 1e-9)


def test_hungrier_dies_run_slower_under_one_cap():
    spread = np.linspace(0.9, 1.1, 21)
    assert np.all(np.diff(clock_under_cap(B200, 1000.0, spread, B200.a_gemm, 0.0)) < 0.0)


def test_an_idle_gpu_keeps_boost_and_draws_idle_power():
    f_ghz = clock_under_cap(B200, 1000.0, 1.0, 0.0, 0.0)
    assert f_ghz == B200.f_max_ghz
    assert power_w(B200, f_ghz, 1.0, 0.0) == B200.idle_w


def test_voltage_is_flat_then_linear():
    np.testing.assert_allclose(voltage_v(B200, [0.2, 1.0, 1.4825, 1.965]), [0.70, 0.70, 0.875, 1.05])
    assert dynamic_unit_w(B200, 1.0, 1000.0) == pytest.approx(490.0)


def test_activity_weights_phases_by_time():
    mixed = StepWork(B200.a_gemm_fp8, 0.5, 0.2, 0.3)
    parts = 0.5 * B200.a_gemm_fp8, 0.2 * B200.a_memory, 0.3 * B200.a_comm
    assert mixed.activity(B200) == pytest.approx(sum(parts))
    assert mixed.activity(B200) - mixed.products_a(B200) == pytest.approx(sum(parts[1:]) + 0.5 * B200.a_comm)
    resting = synchronous_w(
        B200,
        B200.f_max_ghz,
        1.0,
        StepWork(B200.a_gemm, 1.0, 0.0, 0.0, 1.0),
        2.0,
        reference_ghz=B200.f_max_ghz,
    )
    assert resting == pytest.approx(dynamic_unit_w(B200, B200.f_max_ghz, B200.a_gemm / 2))


def test_leakage_counts_from_60_degrees_and_is_clipped():
    np.testing.assert_allclose(leak_w(B200, [60.0, 70.0, 110.0, 500.0, -40.0], 1.0), [0, 12, 60, 60, -48])
    assert leak_w(B200, 80.0, 0.5) == pytest.approx(12.0)


def test_die_spread_is_log_normal_of_mean_one():
    u = (np.arange(200_000) + 0.5) / 200_000
    spread = die_spread(u)
    assert spread.mean() == pytest.approx(1.0, abs=1e-5)
    assert np.log(spread).std() == pytest.approx(0.03, rel=1e-3)
    assert np.all(np.diff(spread) > 0.0)


def test_throttle_bits_are_those_of_nvml_and_release_three_kelvin_below():
    soft = int(ThrottleReason.SW_THERMAL)
    hard = int(ThrottleReason.HW_THERMAL | ThrottleReason.HW_SLOWDOWN)
    assert (soft, hard) == (0x20, 0x48)
    h100, cap = power("H100-SXM"), int(ThrottleReason.SW_POWER_CAP)
    bits = thermal_reasons(h100, [86.9, 87.0, 89.0], [cap, cap, cap])
    np.testing.assert_array_equal(bits, [cap, cap | soft, cap | soft | hard])
    np.testing.assert_array_equal(
        thermal_reasons(h100, [84.5, 84.0, 86.5], bits | soft), [cap | soft, cap, 0x6C]
    )
    brake = int(ThrottleReason.POWER_BRAKE | ThrottleReason.HW_SLOWDOWN)
    assert thermal_reasons(h100, 89.0, brake) == brake | soft | hard
    np.testing.assert_array_equal(thermal_reasons(h100, 85.9, bits[2]), cap | soft)


NUMBERS = {
    "idle_w": 100.0,
    "cap_w": 500.0,
    "f_v_ghz": 1.0,
    "f_max_ghz": 2.0,
    "gemm_ghz": 1.5,
    "v_min": 0.7,
    "v_max": 1.1,
    "leak_w_per_k": 1.0,
    "max_op_c": 85.0,
    "slowdown_c": 90.0,
    "shutdown_c": 95.0,
}


def test_activity_follows_from_the_gemm_clock_at_the_cap():
    model = gpu_power_model(**NUMBERS)
    assert model.a_gemm == pytest.approx(400.0 / (0.9**2 * 1.5))
    assert model.f_min_ghz == pytest.approx(70.0 / (model.a_gemm * 0.49))
    assert clock_under_cap(model, 500.0, 1.0, model.a_gemm, 0.0) == pytest.approx(1.5, rel=1e-4)


def test_a_part_that_idles_high_still_has_a_lowest_clock():
    model = gpu_power_model(**NUMBERS | {"idle_w": 300.0})
    assert power_w(model, model.f_min_ghz, 1.0, model.a_gemm) == pytest.approx(310.0)


def test_the_lowest_clock_may_lie_above_the_knee():
    model = gpu_power_model(
        **NUMBERS | {"idle_w": 0.0, "gemm_ghz": 2.0, "v_min": 0.5, "v_max": 0.9, "f_v_ghz": 0.7}
    )
    assert model.f_min_ghz > model.f_v_ghz
    assert power_w(model, model.f_min_ghz, 1.0, model.a_gemm) == pytest.approx(170.0, rel=1e-4)
    caps = np.linspace(50.0, 500.0, 200)
    assert np.all(np.diff(clock_under_cap(model, caps, 1.0, model.a_gemm, 0.0)) >= 0.0)


@pytest.mark.parametrize("wrong", [{"idle_w": 500.0}, {"gemm_ghz": 0.9}, {"gemm_ghz": 2.1}, {"f_v_ghz": 0.0}])
def test_figures_that_contradict_each_other_are_refused(wrong):
    with pytest.raises(ValueError, match="must"):
        gpu_power_model(**NUMBERS | wrong)


def test_models_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        B200.cap_w = 1.0
