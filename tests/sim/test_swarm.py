"""Laws that hold in every shared cluster: a few random ones each time, two thousand in the slow suite."""

from __future__ import annotations

import pytest
from swarm import obeyed

FEW, MANY, AT_ONCE = 10, 2000, 100
SHORT = 120
"""Timers of the few: enough to start, fail, recover and end jobs."""

BROKE = (1047,)
"""Took and reclaimed the same nodes for ever: a tenant within its quota, and one above it of higher priority."""


@pytest.mark.parametrize("seed", [*range(FEW), *BROKE])
def test_laws_hold(seed: int) -> None:
    obeyed(seed, SHORT)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, MANY, AT_ONCE))
def test_laws_hold_in_two_thousand_cases(first: int) -> None:
    for seed in range(first, first + AT_ONCE):
        obeyed(seed)
