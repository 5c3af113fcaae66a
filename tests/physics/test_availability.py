"""Availability against exact Markov chains and a simulation of one."""

from __future__ import annotations

import numpy as np
import pytest

from tests.physics import markov_oracle as exact
from twin.physics import availability as av

HOURS = 8760.0


def cut(*members: tuple[float, float]) -> av.OutageRate:
    """Return the outages of one cut set of machines (rate, repair)."""
    single = [av.machine(*member) for member in members]
    return av.cut_sets(
        [one.unavailability for one in single], [repair for _, repair in members], [True] * len(members)
    )


@pytest.mark.parametrize(
    ("machines", "needed", "crews"), [(1, 1, None), (2, 1, 1), (4, 3, 1), (5, 3, 2), (4, 2, None), (6, 6, 1)]
)
def test_k_of_n_is_the_birth_death_chain(machines: int, needed: int, crews: int | None) -> None:
    rate, repair = 0.03, 7.0
    rates = np.zeros((machines + 1, machines + 1))
    for failed in range(machines):
        rates[failed, failed + 1] = (machines - failed) * rate
        rates[failed + 1, failed] = min(failed + 1, crews or machines) / repair
    oracle = exact.outages(rates, np.arange(machines + 1) > machines - needed)
    found = av.k_of_n(rate, repair, machines, needed, crews)
    assert found.frequency == pytest.approx(float(oracle.frequency), rel=1e-9)
    assert found.unavailability == pytest.approx(float(oracle.unavailability), rel=1e-9)


def test_a_group_needs_something_to_be_needed() -> None:
    with pytest.raises(ValueError, match="needed is 0: must be 1 to 3"):
        av.k_of_n(1.0, 1.0, 3, 0)


def test_a_cut_set_of_two_and_of_three_is_exact() -> None:
    members = [(1e-3, 30.0), (4e-4, 8.0), (2e-3, 12.0)]
    for several in (members[:2], members):
        oracle = exact.independent(several, all)
        found = cut(*several)
        assert found.frequency == pytest.approx(float(oracle.frequency), rel=1e-9)
        assert found.mean == pytest.approx(float(oracle.mean), rel=1e-9)


def test_two_paths_are_u1_u2_and_the_common_cause() -> None:
    """The usual formula: f = l1 l2 (r1 + r2), and beta of the rate takes both."""
    (l1, r1), (l2, r2) = (2e-4, 6.0), (3e-4, 10.0)
    found = cut((l1, r1), (l2, r2))
    assert found.frequency == pytest.approx(l1 * l2 * (r1 + r2), rel=0.01)
    alike = av.with_common_cause(cut((l1, r1), (l1, r1)), l1, r1, 0.05)
    assert alike.unavailability == pytest.approx((l1 * r1) ** 2 + 0.05 * l1 * r1, rel=0.01)


def test_series_of_independent_machines_is_exact() -> None:
    members = [(0.02, 3.0), (0.05, 1.0), (0.01, 20.0)]
    oracle = exact.independent(members, any)
    single = [av.machine(*member) for member in members]
    found = av.series([one.frequency for one in single], [one.mean for one in single])
    assert found.frequency == pytest.approx(float(oracle.frequency), rel=1e-9)
    assert found.unavailability == pytest.approx(float(oracle.unavailability), rel=1e-9)


def test_cut_sets_of_a_bridge_are_close_and_never_flatter() -> None:
    """Two feeds of two stages each, and a tie that is common to both: cut sets share members."""
    members = [(1e-3, 24.0), (1e-3, 24.0), (5e-4, 60.0), (5e-4, 60.0), (1e-5, 48.0)]

    def is_down(failed: tuple[bool, ...]) -> bool:
        return failed[4] or ((failed[0] or failed[2]) and (failed[1] or failed[3]))

    oracle = exact.independent(members, is_down)
    sets = [(4,), (0, 1), (0, 3), (2, 1), (2, 3)]
    cuts = [cut(*(members[place] for place in places)) for places in sets]
    found = av.series([one.frequency for one in cuts], [one.mean for one in cuts])
    assert found.frequency == pytest.approx(float(oracle.frequency), rel=0.05)
    assert found.unavailability == pytest.approx(float(oracle.unavailability), rel=0.05)
    assert found.unavailability >= oracle.unavailability


def test_a_generator_that_may_not_start_is_a_member_that_begins_nothing() -> None:
    """The grid fails; with chance p the generator does not start, and is repaired or the grid comes back."""
    rate, outage, chance, repair = 2 / HOURS, 1.3, 0.01, 12.0
    # states: all well; on the generator; dark; grid back and the generator still in repair; dark from there
    rates = np.zeros((5, 5))
    rates[0, 1], rates[0, 2] = rate * (1 - chance), rate * chance
    rates[1, 0] = 1 / outage
    rates[2, 1], rates[2, 3] = 1 / repair, 1 / outage
    rates[3, 0], rates[3, 4] = 1 / repair, rate
    rates[4, 1], rates[4, 3] = 1 / repair, 1 / outage
    oracle = exact.outages(rates, np.array([False, False, True, False, True]))
    grid = av.machine(rate, outage)
    found = av.cut_sets([grid.unavailability, chance], [outage, repair], [True, False])
    assert found.frequency == pytest.approx(float(oracle.frequency), rel=0.01)
    assert found.mean == pytest.approx(float(oracle.mean), rel=0.01)


def test_groups_of_generators_start_or_not() -> None:
    assert av.fails_to_start(0.01, 1, 1) == pytest.approx(0.01)
    assert av.fails_to_start(0.1, 3, 2) == pytest.approx(3 * 0.01 * 0.9 + 0.001)
    assert av.fails_to_start(0.01, 2, 1, beta=0.05) == pytest.approx(1e-4 + 0.05 * 0.01, rel=0.01)


def test_ride_through_passes_what_lasts_longer() -> None:
    """Of exponential outages exp(-t / r) outlast the battery, and those go on as long as any."""
    grid = av.machine(34 / HOURS, 0.03)
    found = av.cut_sets([grid.unavailability], [0.03], [True], ride=10 / 60)
    assert found.frequency == pytest.approx(float(grid.frequency) * np.exp(-(10 / 60) / 0.03))
    assert found.mean == pytest.approx(0.03)
    start = av.cut_sets([grid.unavailability], [0.03], [True], ends=10 / 3600)
    assert start.frequency == pytest.approx(float(grid.frequency))
    drawn = np.random.default_rng(1).exponential(0.03, 400_000)
    assert start.mean == pytest.approx(np.minimum(drawn, 10 / 3600).mean(), rel=0.01)
    assert av.cut_sets([grid.unavailability], [0.03], [True], ride=60 / 3600, ends=10 / 3600).frequency == 0


def test_nodes_in_service_follow_the_negative_binomial() -> None:
    """The brief's case: 400 nodes, mean such that 31 down are the 99th percentile at variance over mean 5."""
    rng = np.random.default_rng(3)
    mean, spread = 15.0, 5.0
    down = rng.negative_binomial(mean / (spread - 1), 1 / spread, 200_000)
    for needed in (400 - 31, 400 - 15, 399):
        assert av.in_service(400, mean, needed, spread) == pytest.approx(
            (down <= 400 - needed).mean(), abs=0.004
        )
    assert av.in_service(8, 0.0, 8, 5.0) == 1.0
    assert av.in_service(8, 0.1, 9, 5.0) == 0.0


def test_a_job_is_touched_by_what_it_may_hold() -> None:
    assert av.touched(4, [0, 1, 2, 3, 4], 2) == pytest.approx([0, 1 / 2, 1 - 1 / 6, 1, 1])
    assert av.touched(4, [0, 1], 4).tolist() == [0, 1]
