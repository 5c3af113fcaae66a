"""The same hall in several climates, by `extends` with nothing but its place changed: what an architect compares.

Two weeks of summer tell them apart; whole years are among the long tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import pytest

from twin import scenario
from twin.sim.engine.engine import Engine

Spell = tuple[str, int]
"""From which day on, and how many of them."""
YEAR, SUMMER = ("01-01", 365), ("07-01", 14)


@dataclass(frozen=True)
class Stay:
    """What some days in a place come to."""

    pue: float
    wue_l_kwh: float
    free: float  # share of the time
    cooling_kwh: float
    it_kwh: float


@cache
def stay(scene: str, place: str, spell: Spell) -> Stay:
    begin, days = spell
    text = f"""
format: twin/scenario
version: 3
catalog: "2026.11"
extends: builtin:{scene}
title: The same hall in {place}
start: 2026-{begin}T00:00+00:00
duration: {days} day
site: {{climate: {{place: {place}}}}}
failures: {{enabled: false}}
"""
    engine = Engine(scenario.loads(text).scenario, 1)
    engine.advance(engine.end_s)
    figures = engine.summary()
    total = figures["facility"]["hours"]["total"]
    assert figures["thermal"]["throttle_gpu_s"] == 0
    assert total["hours"] == pytest.approx(24.0 * days, abs=0.5)
    assert total["it_kwh"] == pytest.approx(figures["energy"]["it_j"] / 3.6e6, rel=1e-4)
    free = total["free_hours"] / total["hours"]
    return Stay(figures["pue"], figures["wue_l_kwh"], free, total["cooling_kwh"], total["it_kwh"])


@pytest.mark.parametrize("spell", [SUMMER, pytest.param(YEAR, marks=pytest.mark.slow)])
def test_a_hall_on_towers_uses_less_of_everything_where_it_is_cold(spell: Spell) -> None:
    cold, hot = stay("fat-tree-1k", "lulea", spell), stay("fat-tree-1k", "singapore", spell)
    assert cold.free > 0.97  # water of 17 C from a wet bulb below 13 C
    assert hot.free < 0.05  # the wet bulb is never below 22 C: a little precooling at most
    assert 0.15 < hot.pue - cold.pue < 0.35
    assert hot.cooling_kwh > 5 * cold.cooling_kwh
    assert 1.8 < cold.wue_l_kwh < hot.wue_l_kwh < 3.0  # compressors' heat evaporates too
    assert hot.it_kwh == pytest.approx(cold.it_kwh, rel=0.001)  # loops hold their set points in both


@pytest.mark.parametrize(
    ("spell", "most_pue", "free"),
    [(SUMMER, (1.1, 1.3), 0.7), pytest.param(YEAR, (1.08, 1.2), 0.95, marks=pytest.mark.slow)],
)
def test_a_hall_on_dry_chillers_needs_no_water_anywhere_and_follows_the_dry_bulb(
    spell: Spell, most_pue: tuple[float, float], free: float
) -> None:
    cold, desert = stay("nvl72-row", "lulea", spell), stay("nvl72-row", "phoenix", spell)
    assert cold.wue_l_kwh == desert.wue_l_kwh == 0.0
    assert 1.03 < cold.pue < most_pue[0] < desert.pue < most_pue[1]
    assert desert.free < 0.6 * cold.free
    assert cold.free > free
