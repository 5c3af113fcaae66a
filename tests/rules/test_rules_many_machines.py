"""Footprints of many machines: pairs are those with a rack, worked out without the pairs of machines."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from twin.rules.space import TOUCH_M, Floor


def floor(racks: int, machines: int, seed: int) -> Floor:
    """Return a floor of random footprints in two halls, on a coarse grid so that some begin at the same place."""
    rng, count = np.random.default_rng(seed), racks + machines
    made: Any = Floor.__new__(Floor)
    made.x_m = rng.integers(0, 40, count) / 2.0
    made.width_m = rng.choice([0.6, 1.0, 3.0], count)
    made.hall = rng.integers(0, 2, count)
    made.is_rack = np.arange(count) < racks
    return cast(Floor, made)


@pytest.mark.parametrize("seed", range(8))
def test_pairs_are_those_that_share_some_x_and_have_a_rack(seed: int) -> None:
    here = floor(12, 15, seed)
    low = here.x_m - here.width_m / 2 + here.hall * 1e6
    wanted = {
        frozenset((a, b))
        for a in range(27)
        for b in range(27)
        if a != b
        and (here.is_rack[a] or here.is_rack[b])
        and low[a] <= low[b] < low[a] + here.width_m[a] - TOUCH_M
    }
    one, other = here.pairs()
    assert {frozenset(pair) for pair in zip(one.tolist(), other.tolist(), strict=True)} == wanted
    assert len(one) == len(wanted)


def test_machines_alone_make_no_pairs() -> None:
    """40,000 machines in one place would be 800 million pairs."""
    here = floor(1, 40_000, 1)
    here.x_m[:] = 5.0
    here.hall[:] = 0
    assert len(here.pairs()[0]) == 40_000
