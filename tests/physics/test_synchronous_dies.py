"""Dies of a synchronous job: each computes at its own clock under its cap, then waits for the slowest."""

from __future__ import annotations

import numpy as np
import pytest
from shipped_parts import GPUS, power

from twin.physics.gpu_power import (
    SpreadLine,
    StepWork,
    clock_under_cap,
    die_spread,
    dynamic_unit_w,
    own_clock,
    slowest_spread,
    spread_points,
    synchronous_w,
)

H100 = power("H100-SXM")
SPREAD = np.linspace(0.9, 1.12, 23)


def work_on(model, gemm_s=6.0, memory_s=1.0, close_s=0.5):
    return StepWork(model.a_gemm, gemm_s, memory_s, close_s)


def clocks(model, spread, work, cap_w=None, slowest_s=None):
    """Clock of each die, and of the slowest."""
    cap_w, activity = cap_w or model.cap_w, work.activity(model)
    slowest_ghz = float(clock_under_cap(model, cap_w, slowest_s or np.max(spread), activity, 0.0))
    return own_clock(model, cap_w, spread, activity, 0.0, work.products_a(model), slowest_ghz), slowest_ghz


@pytest.mark.parametrize("part", GPUS)
def test_equal_dies_run_and_draw_as_one(part):
    model, work = power(part), work_on(power(part))
    f_ghz, slowest_ghz = clocks(model, np.full(5, 1.03), work)
    assert f_ghz == pytest.approx(slowest_ghz, rel=1e-12)
    busy_w = 1.03 * dynamic_unit_w(model, slowest_ghz, work.activity(model))
    drawn_w = synchronous_w(model, f_ghz, 1.03, work, work.busy_s, reference_ghz=slowest_ghz)
    assert drawn_w == pytest.approx(busy_w, rel=1e-12)


@pytest.mark.parametrize("part", GPUS)
def test_every_die_at_work_draws_its_cap_or_runs_at_boost(part):
    model, work = power(part), work_on(power(part))
    f_ghz, slowest_ghz = clocks(model, SPREAD, work)
    drawn_w = model.idle_w + synchronous_w(model, f_ghz, SPREAD, work, work.busy_s, reference_ghz=slowest_ghz)
    assert np.all(drawn_w <= model.cap_w * (1 + 1e-5))
    boost = f_ghz >= model.f_max_ghz
    np.testing.assert_allclose(drawn_w[~boost], model.cap_w, rtol=2e-5)


def test_a_better_die_is_never_slower_and_at_one_clock_never_draws_more():
    for cap_w in (300.0, 500.0, 700.0):
        f_ghz, slowest_ghz = clocks(H100, SPREAD, work_on(H100), cap_w)
        assert np.all(np.diff(f_ghz) <= 0.0)
        assert f_ghz[-1] == slowest_ghz
        alone_ghz = clock_under_cap(H100, cap_w, SPREAD, work_on(H100).activity(H100), 0.0)
        assert np.all(f_ghz >= alone_ghz)
    memory = work_on(H100, gemm_s=0.0)  # no cap is felt: all run at boost
    f_ghz, slowest_ghz = clocks(H100, SPREAD, memory)
    assert np.all(f_ghz == H100.f_max_ghz)
    drawn_w = synchronous_w(H100, f_ghz, SPREAD, memory, 10.0, reference_ghz=slowest_ghz)
    np.testing.assert_allclose(drawn_w, SPREAD / SPREAD[0] * drawn_w[0])


def test_energy_is_that_of_work_at_the_own_clock_and_of_waiting():
    work, step_s = work_on(H100), 9.0
    f_ghz, slowest_ghz = clocks(H100, SPREAD, work)
    own_s = work.gemm_s * slowest_ghz / f_ghz
    work_j = SPREAD * dynamic_unit_w(H100, f_ghz, H100.a_gemm * own_s + H100.a_memory * work.memory_s)
    wait_j = SPREAD * dynamic_unit_w(H100, f_ghz, H100.a_comm) * (step_s - own_s - work.memory_s)
    drawn_w = synchronous_w(H100, f_ghz, SPREAD, work, step_s, reference_ghz=slowest_ghz)
    np.testing.assert_allclose(drawn_w * step_s, work_j + wait_j)


def test_who_waits_for_nobody_keeps_the_clock_of_its_cap():
    work = work_on(H100)
    activity, products_a = work.activity(H100), work.products_a(H100)
    alone_ghz = clock_under_cap(H100, 500.0, SPREAD, activity, 0.0)
    for products, slowest in ((0.0, 1.0), (products_a, np.inf), (products_a, alone_ghz)):
        assert own_clock(H100, 500.0, SPREAD, activity, 0.0, products, slowest).tolist() == alone_ghz.tolist()
    faster = own_clock(H100, 500.0, SPREAD, activity, 0.0, products_a, 0.9 * alone_ghz)
    assert np.all(faster > alone_ghz)  # half of the cap's room goes to waits


@pytest.mark.parametrize("part", ["H100-SXM", "A100-SXM-80", "B200-SXM", "GB200-GPU"])
def test_a_line_holds_the_mean_of_dies_and_the_leakiest(part):
    model, work = power(part), work_on(power(part))
    spread = die_spread((np.arange(4096) + 0.5) / 4096)
    f_ghz, slowest_ghz = clocks(model, spread, work)
    exact_w = synchronous_w(model, f_ghz, spread, work, 9.0, reference_ghz=slowest_ghz)
    points = spread_points(spread.max())
    point_ghz, _ = clocks(model, points, work)
    common_w, slope_w = SpreadLine(points).through(
        synchronous_w(model, point_ghz, points, work, 9.0, reference_ghz=slowest_ghz)
    )
    on_line_w = common_w + spread * slope_w
    assert on_line_w.mean() == pytest.approx(exact_w.mean(), rel=3e-3)
    assert np.abs(on_line_w - exact_w).mean() < 0.02 * exact_w.mean()
    assert on_line_w[np.argmax(spread)] == pytest.approx(exact_w[np.argmax(spread)], rel=1e-9)


def test_more_dies_have_a_leakier_one_among_them():
    spreads = [slowest_spread(dies) for dies in (1, 2, 8, 512, 16_384)]
    assert np.all(np.diff(spreads) >= 0.0)
    assert spreads[-1] == pytest.approx(1.12, abs=0.01)
