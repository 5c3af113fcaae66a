"""The same hall in several climates, by `extends` with nothing but its place changed: what an architect compares."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import pytest

from twin import scenario
from twin.sim.engine.engine import Engine

YEAR_H = 8760.0


@dataclass(frozen=True)
class Year:
    """What a year in a place comes to."""

    pue: float
    wue_l_kwh: float
    free_h: float
    cooling_kwh: float
    it_kwh: float


@cache
def year(scene: str, place: str) -> Year:
    text = f"""
format: twin/scenario
version: 2
catalog: "2026.11"
extends: builtin:{scene}
title: The same hall in {place}
start: 2026-01-01T00:00+00:00
duration: 365 day
site: {{climate: {{place: {place}}}}}
failures: {{enabled: false}}
"""
    engine = Engine(scenario.loads(text).scenario, 1)
    engine.advance(engine.end_s)
    figures = engine.summary()
    total = figures["facility"]["hours"]["total"]
    assert figures["thermal"]["throttle_gpu_s"] == 0
    assert total["hours"] == pytest.approx(YEAR_H, abs=0.5)
    assert total["it_kwh"] == pytest.approx(figures["energy"]["it_j"] / 3.6e6, rel=1e-4)
    return Year(
        figures["pue"], figures["wue_l_kwh"], total["free_hours"], total["cooling_kwh"], total["it_kwh"]
    )


def test_a_hall_on_towers_uses_less_of_everything_where_it_is_cold() -> None:
    cold, hot = year("fat-tree-1k", "lulea"), year("fat-tree-1k", "singapore")
    assert cold.free_h > 0.97 * YEAR_H  # water of 17 C from a wet bulb below 13 C
    assert hot.free_h < 0.05 * YEAR_H  # the wet bulb is never below 22 C: a little precooling at most
    assert 0.15 < hot.pue - cold.pue < 0.35
    assert hot.cooling_kwh > 5 * cold.cooling_kwh
    assert 1.8 < cold.wue_l_kwh < hot.wue_l_kwh < 3.0  # compressors' heat evaporates too
    assert hot.it_kwh == pytest.approx(cold.it_kwh, rel=0.001)  # loops hold their set points in both


def test_a_hall_on_dry_chillers_needs_no_water_anywhere_and_follows_the_dry_bulb() -> None:
    cold, desert = year("nvl72-row", "lulea"), year("nvl72-row", "phoenix")
    assert cold.wue_l_kwh == desert.wue_l_kwh == 0.0
    assert 1.03 < cold.pue < 1.08 < desert.pue < 1.2
    assert desert.free_h < 0.6 * cold.free_h
    assert cold.free_h > 0.95 * YEAR_H
