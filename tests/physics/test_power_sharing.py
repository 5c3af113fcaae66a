"""A limit shared out: never broken where it can be kept, used up, fair in the way its policy says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from twin.physics.power_sharing import Policy, common_level_w, share_out

POLICIES: tuple[Policy, ...] = ("uniform", "proportional", "priority")
policies = st.sampled_from(POLICIES)


@st.composite
def consumers(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    n = draw(st.integers(1, 8))
    each = st.lists(st.floats(0, 1500), min_size=n, max_size=n)
    one, other = np.array(draw(each)), np.array(draw(each))
    count = np.array(draw(st.lists(st.integers(0, 5000), min_size=n, max_size=n)), float)
    rank = np.array(draw(st.lists(st.integers(-2, 2), min_size=n, max_size=n)), float)
    return np.maximum(one, other), np.minimum(one, other), count, rank


@given(consumers(), policies, st.floats(0, 1.5))
def test_a_limit_is_kept_and_used_up_wherever_the_floors_fit(them, policy, share):
    wanted, floor, count, rank = them
    limit = share * float(count @ wanted)
    got = share_out(limit, wanted, floor, count, policy, rank)
    tiny = 1e-9 * max(1.0, float(count @ wanted))
    assert (got.unit_w >= floor - 1e-9).all()
    assert (got.unit_w <= wanted + 1e-9).all()
    total = float(count @ got.unit_w)
    if got.holds:
        assert total <= limit + tiny
        assert total == pytest.approx(min(limit, float(count @ wanted)), abs=10 * tiny)
    else:
        assert float(count @ floor) > limit
        assert got.unit_w.tolist() == floor.tolist()


@given(consumers(), policies, st.floats(0, 1.2), st.floats(0, 1.2))
def test_a_lower_limit_gives_nobody_more(them, policy, one, other):
    wanted, floor, count, rank = them
    whole = float(count @ wanted)
    low, high = (share_out(s * whole, wanted, floor, count, policy, rank) for s in sorted((one, other)))
    assert (low.unit_w <= high.unit_w + 1e-6).all()


@given(consumers(), policies, st.floats(0, 1.2), st.randoms(use_true_random=False))
def test_the_order_of_consumers_does_not_matter(them, policy, share, random):
    wanted, floor, count, rank = them
    limit = share * float(count @ wanted)
    order = list(range(len(wanted)))
    random.shuffle(order)
    straight = share_out(limit, wanted, floor, count, policy, rank)
    shuffled = share_out(limit, wanted[order], floor[order], count[order], policy, rank[order])
    assert shuffled.unit_w == pytest.approx(straight.unit_w[order], abs=1e-6)


@given(consumers(), policies, st.floats(0, 1.2))
def test_splitting_a_consumer_in_two_changes_nothing(them, policy, share):
    wanted, floor, count, rank = them
    limit = share * float(count @ wanted)
    whole = share_out(limit, wanted, floor, count, policy, rank)
    twice = [np.append(a, a) for a in (wanted, floor, count / 2, rank)]
    halves = share_out(limit, twice[0], twice[1], twice[2], policy, twice[3])
    assert halves.unit_w == pytest.approx(np.append(whole.unit_w, whole.unit_w), abs=1e-6)


@given(consumers(), st.floats(0, 1.2))
def test_nobody_gives_while_a_lower_priority_has_something_left(them, share):
    wanted, floor, count, rank = them
    assume((count > 0).all())
    got = share_out(share * float(count @ wanted), wanted, floor, count, "priority", rank)
    gives = got.unit_w < wanted - 1e-6
    keeps = got.unit_w > floor + 1e-6
    if gives.any() and keeps.any():
        assert rank[gives].max() <= rank[keeps].min()


@given(consumers(), st.floats(0, 1.2))
def test_proportional_means_the_same_share_of_what_is_above_the_floor(them, share):
    wanted, floor, count, _ = them
    got = share_out(share * float(count @ wanted), wanted, floor, count, "proportional")
    above = wanted - floor
    some = above > 1.0
    kept = (got.unit_w - floor)[some] / above[some]
    assert np.ptp(kept) <= 1e-9 if len(kept) else True


def test_by_hand():
    wanted, floor, count = [700.0, 700.0, 300.0], [240.0, 240.0, 100.0], [8.0, 8.0, 8.0]
    # 8 (700 + 700 + 300) = 13,600 W asked for, 4,640 W the least, 10,400 W allowed.
    uniform = share_out(10_400, wanted, floor, count, "uniform")
    assert uniform.unit_w.tolist() == [
        500.0,
        500.0,
        300.0,
    ]  # who asks for 300 W does not feel a limit of 500 W
    kept = (10_400 - 4640) / (13_600 - 4640)
    proportional = share_out(10_400, wanted, floor, count, "proportional")
    assert proportional.unit_w == pytest.approx([240 + 460 * kept, 240 + 460 * kept, 100 + 200 * kept])
    ranked = share_out(10_400, wanted, floor, count, "priority", [2, 1, 0])
    # 5,760 W above the floors: 3,680 W for the first, 2,080 W left for the second, nothing for the third.
    assert ranked.unit_w == pytest.approx([700.0, 240 + 2080 / 8, 100.0])
    assert not share_out(4639, wanted, floor, count, "uniform").holds


def test_water_fills_vessels_of_different_height():
    wanted, floor, count = np.array([10.0, 4.0]), np.array([0.0, 2.0]), np.array([1.0, 1.0])
    levels = [common_level_w(limit, wanted, floor, count) for limit in (2.0, 3.0, 4.0, 8.0, 11.0, 14.0)]
    assert levels == pytest.approx([0.0, 1.0, 2.0, 4.0, 7.0, 10.0])


@pytest.mark.parametrize("policy", POLICIES)
def test_nobody_there_keeps_any_limit(policy):
    got = share_out(0.0, [], [], [], policy)
    assert got.holds
    assert got.unit_w.size == 0
