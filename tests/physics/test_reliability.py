"""Draws that belong to a component, and repair times with the published quantiles and means."""

import csv
import hashlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from twin.physics.normal import normal_cdf, normal_quantile
from twin.physics.reliability import (
    REPAIR_CLASSES,
    RepairQuantiles,
    component_key,
    component_keys,
    hash_u64,
    hash_uniform,
    lemon_factor,
    repair_time_s,
    time_within_s,
    unit_exponential,
)

IDS = component_keys(f"nodes/{i}" for i in range(20_000))
REFERENCE = Path(__file__).parents[3] / "shared" / "reference" / "infinitehbd_mttr_by_class.csv"


def test_a_component_key_is_blake2b_of_its_id():
    digest = hashlib.blake2b(b"nodes/7", digest_size=8).digest()
    assert component_key("nodes/7") == int(IDS[7]) == int.from_bytes(digest, "little")
    assert np.unique(IDS).size == IDS.size


def test_draws_do_not_depend_on_order_or_on_who_else_draws():
    all_at_once = hash_uniform(7, IDS, "failure", 3)
    order = np.random.default_rng(0).permutation(IDS.size)
    np.testing.assert_array_equal(hash_uniform(7, IDS[order], "failure", 3), all_at_once[order])
    np.testing.assert_array_equal(hash_uniform(7, IDS[5], "failure", 3), all_at_once[5])
    ks = np.arange(10)
    np.testing.assert_array_equal(
        hash_uniform(7, IDS[:50, None], "failure", ks)[:, 3], hash_uniform(7, IDS[:50], "failure", 3)
    )


@given(
    st.integers(0, 2**63),
    st.integers(0, 2**64 - 1),
    st.sampled_from(["failure", "repair"]),
    st.integers(0, 2**31),
)
def test_uniform_draws_lie_in_the_open_interval(seed, key, stream, k):
    u = hash_uniform(seed, np.uint64(key), stream, k)
    assert u.shape == ()
    assert 0.0 < u < 1.0


def test_seed_id_stream_and_counter_all_matter():
    base = hash_u64(1, IDS[:1000], "failure", 0)
    for other in (
        hash_u64(2, IDS[:1000], "failure", 0),
        hash_u64(1, IDS[:1000], "repair", 0),
        hash_u64(1, IDS[:1000], "failure", 1),
        hash_u64(1, IDS[1:1001], "failure", 0),
        hash_u64(1, IDS[:1000], 17, 0),
    ):
        assert not np.any(base == other)


@pytest.mark.parametrize("axis", ["ids", "counter", "seed"])
def test_uniforms_are_uniform_along_every_axis(axis):
    draws = {
        "ids": lambda: hash_uniform(3, IDS, "failure", 0),
        "counter": lambda: hash_uniform(3, IDS[0], "failure", np.arange(20_000)),
        "seed": lambda: np.array([float(hash_uniform(seed, IDS[0], "failure", 0)) for seed in range(5000)]),
    }[axis]()
    assert stats.kstest(draws, "uniform").pvalue > 1e-3
    assert abs(np.corrcoef(draws[:-1], draws[1:])[0, 1]) < 4.0 / np.sqrt(draws.size)


def test_every_output_bit_flips_half_the_time():
    bits = hash_u64(1, IDS, "failure", 0) ^ hash_u64(1, IDS, "failure", 1)
    flips = [(bits >> np.uint64(i)) & np.uint64(1) for i in range(64)]
    assert np.all(np.abs(np.mean(flips, axis=1) - 0.5) < 4.5 * 0.5 / np.sqrt(IDS.size))


def test_unit_exponential_has_mean_and_shape_of_an_exponential():
    draws = unit_exponential(11, IDS, "failure", 0)
    assert draws.mean() == pytest.approx(1.0, abs=0.03)
    assert stats.kstest(draws, "expon").pvalue > 1e-3


def test_normal_quantile_is_exact_into_the_tails():
    u = np.array([1e-300, 1e-20, 1e-9, 0.01, 0.075, 0.3, 0.5, 0.9, 1 - 1e-12])
    np.testing.assert_allclose(normal_quantile(u), special.ndtri(u), rtol=1e-14, atol=1e-15)
    assert np.all(np.isnan(normal_quantile([0.0, 1.0, -1.0])))
    assert normal_cdf(1.2815515655446004) == pytest.approx(0.9, abs=1e-15)


def test_lemon_factors_are_gamma_of_mean_one_and_belong_to_the_node():
    factors = lemon_factor(5, IDS)
    assert stats.kstest(factors, stats.gamma(0.93, scale=1.0 / 0.93).cdf).pvalue > 1e-3
    assert factors.mean() == pytest.approx(1.0, abs=0.03)
    np.testing.assert_array_equal(lemon_factor(5, IDS[100:90:-1]), factors[100:90:-1])


@pytest.mark.parametrize("name", sorted(REPAIR_CLASSES))
def test_repair_times_reproduce_quantiles_and_mean(name):
    repair = REPAIR_CLASSES[name].repair
    at = repair_time_s(repair, np.array([0.25, 0.5, 0.75, 0.9]))
    np.testing.assert_allclose(at, [repair.p25_s, repair.median_s, repair.p75_s, repair.p90_s], rtol=1e-12)
    u = (np.arange(400_000) + 0.5) / 400_000
    times = repair_time_s(repair, u)
    assert times.mean() == pytest.approx(repair.mean_s, rel=4e-3)
    assert np.all(np.diff(times) >= 0.0)


def test_fleet_mean_repair_is_133_hours():
    """PHYSICS 6: median 20 h, mean 133 h over all faults; classes weighted by their counts."""
    counts = np.array([c.count for c in REPAIR_CLASSES.values()])
    means = np.array([c.repair.mean_s for c in REPAIR_CLASSES.values()])
    assert counts.sum() == 584
    assert counts @ means / counts.sum() / 3600 == pytest.approx(133.0, rel=0.02)


def test_a_mean_below_its_quantiles_is_refused():
    with pytest.raises(ValueError, match="no tail"):
        repair_time_s(RepairQuantiles(10.0, 20.0, 30.0, 40.0, 5.0), 0.95)


def test_class_table_is_the_reference_file():
    if not REFERENCE.exists():
        pytest.skip(f"no {REFERENCE}")
    with REFERENCE.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(REPAIR_CLASSES)
    for row, entry in zip(rows, REPAIR_CLASSES.values(), strict=True):
        hours = [row[f"mttr_{q}_h"] for q in ("p25", "median", "p75", "p90", "mean")]
        assert (int(row["n"]), float(row["rate_per_1000_node_days"])) == (
            entry.count,
            entry.rate_per_1000_node_days,
        )
        q = entry.repair
        typed = [q.p25_s, q.median_s, q.p75_s, q.p90_s, q.mean_s]
        np.testing.assert_allclose(typed, np.array(hours, dtype=float) * 3600.0, rtol=1e-12)


def test_what_begins_near_the_end_counts_up_to_it():
    """By sums over even begins: 3 s and 200 s long, within 100 s."""
    begins = (np.arange(100_000) + 0.5) / 1000.0
    for lasts in (3.0, 200.0):
        seen = np.minimum(lasts, 100.0 - begins).mean()
        assert time_within_s(lasts, 100.0) == pytest.approx(seen, rel=1e-6)
