"""Routes taken over from a sound fabric are those that would be found anew."""

from __future__ import annotations

import numpy as np
import pytest
from test_routes import bandwidth, flows, topology

from twin.plant.links import links_of
from twin.plant.routes import Router
from twin.plant.tables import Plant

__all__ = ["topology"]


@pytest.mark.parametrize("seed", range(6))
def test_adopted_routes_are_those_found_anew(topology: Plant, seed: int) -> None:
    """With cables of cards and of switches lost or narrowed at random."""
    links, rng = links_of(topology), np.random.default_rng(seed)
    sent = flows([(a, b) for a in range(16) for b in range(16) if a != b])
    sound = Router(topology, links, 0, links.bytes_s)
    sound.load(sent, 1)
    left = bandwidth(topology, *rng.integers(0, len(links), 1 + seed).tolist())
    left[rng.integers(0, len(links), 3)] *= 0.5
    anew, taken = (Router(topology, links, 0, left) for _ in range(2))
    taken.adopt(sound)
    expected, found = anew.load(sent, 1), taken.load(sent, 1)
    assert np.array_equal(expected.unreachable, found.unreachable)
    assert expected.hops == pytest.approx(found.hops)
    for (dlink, on), (other_dlink, other_on) in zip(expected.by_group, found.by_group, strict=True):
        assert np.array_equal(dlink, other_dlink)
        assert on == pytest.approx(other_on)
    amount = np.ones(1)
    assert anew.carried(sent, amount) == pytest.approx(taken.carried(sent, amount))


@pytest.mark.parametrize("seed", range(3))
def test_routes_met_one_by_one_are_those_found_together(topology: Plant, seed: int) -> None:
    """From where a node stands all routes are worked out with the first: it is the same ones."""
    rng = np.random.default_rng(seed)
    left = bandwidth(topology, *rng.integers(0, len(links_of(topology)), seed).tolist())
    together, one_by_one = (Router(topology, links_of(topology), 0, left) for _ in range(2))
    pairs = [(a, b) for a in range(16) for b in range(16) if a != b]
    together.load(flows(pairs), 1)
    for number in rng.permutation(len(pairs)).tolist():
        pair = flows([pairs[number]])
        expected, found = together.load(pair, 1), one_by_one.load(pair, 1)
        assert np.array_equal(expected.unreachable, found.unreachable)
        assert np.array_equal(expected.hops, found.hops)
        for (dlink, on), (other_dlink, other_on) in zip(expected.by_group, found.by_group, strict=True):
            assert np.array_equal(dlink, other_dlink)
            assert np.array_equal(on, other_on)
