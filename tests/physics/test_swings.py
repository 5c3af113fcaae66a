"""Swings of synchronous steps: shapes by hand, no joule made or lost, stores and ramps that only ever help."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.physics.swings import (
    Waveform,
    metered_w,
    ramp_limited,
    sampled_w,
    spread_w,
    step_waveform,
    stored,
    swing_energy_j,
    together_w,
    woven,
)


@st.composite
def waves(draw: st.DrawFn) -> Waveform:
    low = draw(st.floats(1e3, 1e6))
    return step_waveform(
        high_w=low + draw(st.floats(0, 1e6)),
        low_w=low,
        period_s=draw(st.floats(0.05, 60)),
        duty=draw(st.floats(0.02, 0.98)),
        ramp_s=draw(st.floats(0, 0.5)),
        start_s=draw(st.floats(0, 100)),
    )


def fine(wave: Waveform, points: int = 20_001) -> np.ndarray:
    return wave.power_w(wave.start_s + np.linspace(0, wave.period_s, points))


def test_a_square_wave_by_hand():
    wave = Waveform(high_w=100.0, low_w=40.0, period_s=10.0, duty=0.7)
    assert wave.swing_w == 60.0
    assert wave.mean_w == pytest.approx(82.0)
    assert wave.power_w([0.0, 6.9, 7.1, 9.9, 10.1]).tolist() == [100, 100, 40, 40, 100]
    assert wave.energy_j(0, 10) == pytest.approx(820)
    assert wave.energy_j(5, 8) == pytest.approx(2 * 100 + 40)
    assert math.isinf(wave.steepest_w_s)
    # Above the mean: 18 W for 7 s; below it 42 W for 3 s.
    assert swing_energy_j(wave) == pytest.approx(126)
    half = stored(wave, 63)
    assert half.high_w == pytest.approx(100 - 63 / 7)
    assert half.low_w == pytest.approx(40 + 63 / 3)
    assert half.swing_w == pytest.approx(30)


def test_a_meter_shows_means_by_hand():
    wave = Waveform(high_w=100.0, low_w=0.0, period_s=8.0, duty=7 / 8)
    shown = metered_w([wave], 2.0, samples=8)
    assert shown == pytest.approx([100, 100, 100, 50] * 2)
    assert spread_w(shown) == pytest.approx(50)
    assert metered_w([wave, wave], 2.0, samples=4) == pytest.approx([200, 200, 200, 100])
    # Two meters a second apart: the wait falls into the fourth period of one and into both halves of the other's.
    apart = metered_w([wave], 2.0, meters=2, samples=8)
    assert apart == pytest.approx([100, 100, 100, 50] * 2)
    assert metered_w([Waveform(100.0, 0.0, 8.0, 6.5 / 8)], 2.0, meters=2, samples=4).min() == pytest.approx(
        37.5
    )


@given(waves(), st.floats(0.1, 5), st.integers(1, 5))
def test_meters_lose_no_joule_and_never_show_more_than_there_is(wave: Waveform, meter_s: float, meters: int):
    shown = metered_w([wave], meter_s, meters=meters, samples=50)
    assert shown.max() <= wave.high_w * (1 + 1e-9)
    assert shown.min() >= wave.low_w * (1 - 1e-9) - 1e-6
    if meters == 1:
        assert shown.sum() * meter_s == pytest.approx(wave.energy_j(0.0, 50 * meter_s), rel=1e-9)


def test_waits_woven_into_a_step_lower_its_level_and_keep_its_mean():
    high_w, duty = woven(700.0, 250.0, 8.0, 10.0, 0.25)
    assert duty == pytest.approx(0.95)
    assert high_w * duty + 250.0 * (1 - duty) == pytest.approx(700.0 * 0.8 + 250.0 * 0.2)
    assert woven(700.0, 250.0, 8.0, 10.0, 1.0) == pytest.approx((700.0, 0.8))


def test_a_ramp_limit_by_hand():
    wave = Waveform(high_w=100.0, low_w=40.0, period_s=10.0, duty=0.7)
    slow = ramp_limited(wave, 10.0, 1e9)  # 3 s down at 10 W/s: 30 W at most
    assert slow.swing_w == pytest.approx(30)
    assert slow.steepest_w_s == pytest.approx(10)
    assert slow.mean_w == pytest.approx(wave.mean_w)
    weak = ramp_limited(wave, 10.0, 5.0)  # a battery of 5 W takes 5 off the top and fills 5 in
    assert weak.swing_w == pytest.approx(50)
    assert ramp_limited(wave, math.inf, 1e9) is wave


def test_a_phase_shorter_than_its_ramp_does_not_reach_its_level():
    wave = step_waveform(100.0, 40.0, period_s=0.2, duty=0.5, ramp_s=0.2)
    assert wave.swing_w == pytest.approx(30)
    assert wave.mean_w == pytest.approx(70)
    assert step_waveform(100.0, 40.0, 1.0, 1.0, 0.1).swing_w == 0
    assert step_waveform(100.0, 40.0, 1.0, 0.0, 0.1).mean_w == 40


@given(waves())
def test_energy_is_the_integral_of_power(wave):
    t = np.linspace(0, 3.7 * wave.period_s, 40_001)
    power = wave.power_w(t)
    assert wave.low_w - 1e-6 <= power.min()
    assert power.max() <= wave.high_w + 1e-6
    summed = float(np.sum((power[1:] + power[:-1]) / 2) * (t[1] - t[0]))
    assert wave.energy_j(0, float(t[-1])) == pytest.approx(summed, rel=2e-3)
    assert wave.energy_j(7.0, 7.0 + 5 * wave.period_s) == pytest.approx(
        5 * wave.period_s * wave.mean_w, rel=1e-9
    )


@given(waves(), st.floats(0, 1.2))
def test_a_store_takes_no_energy_for_good_and_never_makes_a_swing_worse(wave, share):
    energy = share * swing_energy_j(wave)
    left = stored(wave, energy)
    assert left.mean_w == pytest.approx(wave.mean_w, rel=1e-9)
    assert left.swing_w <= wave.swing_w + 1e-6
    assert wave.low_w - 1e-6 <= left.low_w <= left.high_w + 1e-6
    assert left.high_w <= wave.high_w + 1e-6
    if share >= 1:
        assert left.swing_w == pytest.approx(0, abs=1e-6)
    # It only cuts peaks and fills valleys: between its levels power is what it was.
    t = wave.start_s + np.linspace(0.0, wave.period_s, 20_001)
    same = np.clip(wave.power_w(t), left.low_w, left.high_w)
    assert np.mean(np.abs(left.power_w(t) - same)) <= 1e-3 * max(wave.swing_w, 1.0)
    given_j = float(np.mean(np.maximum(wave.power_w(t) - left.high_w, 0.0)) * wave.period_s)
    assert given_j <= energy * 1.01 + 1e-3 * wave.swing_w * wave.period_s + 1e-6


@given(waves(), st.floats(0, 1), st.floats(0, 1))
def test_more_storage_leaves_less_swing(wave, one, other):
    small, large = sorted((one, other))
    whole = swing_energy_j(wave)
    assert stored(wave, large * whole).swing_w <= stored(wave, small * whole).swing_w + 1e-6


@given(waves(), st.floats(1, 1e7), st.floats(0, 1e6))
def test_a_battery_lets_no_steeper_change_through_than_it_is_strong_enough_for(wave, ramp, battery):
    left = ramp_limited(wave, ramp, battery)
    assert left.mean_w == pytest.approx(wave.mean_w, rel=1e-9)
    assert left.swing_w <= wave.swing_w + 1e-6
    assert left.steepest_w_s <= max(ramp * (1 + 1e-9), 0) or left.swing_w == pytest.approx(
        wave.swing_w - 2 * battery
    )
    assert left.swing_w >= wave.swing_w - 2 * battery - 1e-6 or left.steepest_w_s <= ramp * (1 + 1e-9)


def test_jobs_add_up_at_worst_and_at_most():
    waves = [Waveform(3e6, 1e6, 7.0, 0.6, 0.1), Waveform(5e5, 2e5, 1.3, 0.8, 0.1, 0.4)]
    assert together_w(waves) == pytest.approx(2.3e6)
    t = np.arange(0, 400, 0.02)
    power = sampled_w(waves, t)
    assert np.ptp(power) <= together_w(waves)
    assert np.ptp(power) == pytest.approx(together_w(waves), rel=1e-6)
    assert power.mean() == pytest.approx(sum(w.mean_w for w in waves), rel=2e-3)
    assert waves[0].times(2).swing_w == 2 * waves[0].swing_w
    assert sampled_w([], t).max() == 0.0


def test_a_store_in_the_shelves_halves_the_swing_of_one_second_steps():
    # 65 J a GPU (recalled) against steps of 1 s that compute 70 % of it, 1,300 W down to 500 W, ramps of 0.1 s.
    one = step_waveform(1300.0, 500.0, 1.0, 0.7, 0.1)
    assert swing_energy_j(one) == pytest.approx(800 * 0.3 * (0.7 - 0.1 * 0.7))
    left = stored(one, 65.0)
    power = fine(one)
    assert np.mean(np.maximum(power - left.high_w, 0)) == pytest.approx(65.0, rel=1e-3)
    assert np.mean(np.maximum(left.low_w - power, 0)) == pytest.approx(65.0, rel=1e-3)
    assert 0.45 < left.swing_w / one.swing_w < 0.6
    slow = step_waveform(1300.0, 500.0, 10.0, 0.7, 0.1)
    assert stored(slow, 65.0).swing_w > 0.9 * slow.swing_w  # a step of 10 s asks for ten times the energy
