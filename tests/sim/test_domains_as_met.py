"""Domains of a job by the order in which its ranks meet them, on which what it sends depends."""

import numpy as np

from twin.sim.fabric.job_traffic import as_met


def test_domains_count_from_the_first_that_a_rank_sits_in():
    assert as_met(np.array([7, 7, 2, 9, 2])).tolist() == [0, 0, 1, 2, 1]


def test_another_node_that_is_a_domain_by_itself_changes_nothing():
    assert as_met(np.arange(5)).tolist() == as_met(np.array([0, 1, 9, 3, 4])).tolist()


def test_numbers_are_those_that_sorting_gives():
    rng = np.random.default_rng(1)
    for ranks in (1, 2, 40, 300):
        domain = rng.integers(0, max(1, ranks // 3), ranks)
        _, begins, which = np.unique(domain, return_index=True, return_inverse=True)
        np.testing.assert_array_equal(as_met(domain), np.argsort(np.argsort(begins))[which])
