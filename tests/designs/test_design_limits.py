"""Limits of a need bind one by one; outages and ready dates of sites against cases by hand."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from twin.catalog import load_catalog
from twin.designs.answer import answer
from twin.designs.design import Design
from twin.designs.need_file import NeedFile, need_from
from twin.designs.screening import screened
from twin.designs.site_outages import EACH_W, UPS_RIDE_S, YEAR_S, site_outages
from twin.physics.availability import COMMON_CAUSE
from twin.scenario.schema.site import RedundancyLevel

WEEK_S = 604_800.0
POWERED = ("transformer", "ups_module", "chiller", "cdu")
FIGURES: dict[str, Callable[[Design], float]] = {
    "budget": lambda design: design.capital_usd,
    "yearly": lambda design: design.yearly_usd,
    "power": lambda design: design.site_w,
    "area": lambda design: design.area_m2,
    "carbon": lambda design: design.carbon_kg / 1000.0,
    "ready": lambda design: design.ready_s,
    "availability": lambda design: 1.0 - design.site_available * design.in_service,
}


def need(gpus: int = 256, more: str = "") -> NeedFile:
    """Return a need for so many H100, with more keys."""
    return need_from(
        f"format: twin/need\nversion: 1\ngpus: [H100]\nstages: [{{date: 2027-01, gpus: {gpus}}}]\n{more}"
    )


def weeks(gpus: int, more: str = "") -> float:
    """Return the time until so many H100 are ready [weeks]."""
    return screened(need(gpus, more), load_catalog(), 1).designs[0].ready_s / WEEK_S


@pytest.fixture(scope="module")
def free() -> tuple[Design, ...]:
    return screened(need(), load_catalog(), 12).designs


@pytest.mark.parametrize(
    ("name", "key", "scale"),
    [
        ("budget", "budget_usd: {:.6f}", 1e6),
        ("yearly", "yearly_usd: {:.6f}", 1e6),
        ("power", "power: {:.9f} W", 1e6),
        ("area", "area_m2: {:.9f}", 1.0),
        ("carbon", "carbon_t: {:.9f}", 1.0),
        ("ready", "ready: {:.6f} s", WEEK_S),
        ("availability", "availability: {:.12f}", 0.01),
    ],
)
def test_each_limit_binds_where_it_is_just_exceeded(
    free: tuple[Design, ...], name: str, key: str, scale: float
) -> None:
    figure = FIGURES[name]
    least = min(figure(design) for design in free)

    def limited(most: float) -> str:
        return f"limits: {{{key.format(1.0 - most if name == 'availability' else most)}}}\n"

    kept = answer(need(more=limited(least * 1.00001)), load_catalog(), 12).designs
    assert kept
    assert all(figure(design) <= least * 1.0001 for design in kept)
    assert {design.binding.name for design in kept if design.binding} == {name}
    found = answer(need(more=limited(least * 0.9999)), load_catalog(), 12)
    assert not found.designs
    assert found.binding is not None
    assert [limit.name for limit in found.alone] == [found.binding.name] == [name]
    assert found.binding.value == pytest.approx(least / scale)
    assert found.binding.most == pytest.approx(0.9999 * least / scale)


def test_a_site_is_ready_when_the_last_order_is_there() -> None:
    assert weeks(256) == 70  # generators and chillers
    assert weeks(8192) == 160  # above 5 MW a power transformer
    slow = "lead: {gpus: 200 week, switchgear: 1 week}\n"
    assert weeks(256, slow) == weeks(8192, slow) == 200
    quick = "gpus: 7 week, switches: 6 week, switchgear: 5 week, generator: 4 week, chiller: 3 week"
    assert weeks(256, f"lead: {{{quick}, transformer: 9 week}}\n") == 7
    assert weeks(8192, f"lead: {{{quick}, transformer: 9 week}}\n") == 9


def failures(name: str) -> tuple[float, float]:
    """Return the failures of a machine [1/s] and its repair time [s]."""
    part = load_catalog().machine_failures[name]
    return part.rate_per_s or 0.0, part.repair_s


def start_fails(grid_repair_s: float) -> float:
    """Return the chance that one engine does not carry an outage of the grid to its end."""
    rates = load_catalog().machine_failures
    return (rates["generator_start"].fails_to_start or 0.0) + failures("generator_run")[0] * grid_repair_s


def test_without_spares_any_machine_takes_the_site_down() -> None:
    load_w = 3.1e6
    rate, repair = failures("utility")
    engines = math.ceil(load_w / EACH_W["generator_start"])
    dark = rate * (1.0 - (1.0 - start_fails(repair)) ** engines) * math.exp(-UPS_RIDE_S / repair)
    machines = [(1, dark, repair)]
    machines += [(math.ceil(load_w / EACH_W[name]), *failures(name)) for name in POWERED]
    assert [count for count, _, _ in machines] == [1, 2, 3, 3, 2]
    available = math.prod((1.0 + rate * mended) ** -count for count, rate, mended in machines)
    found = site_outages(load_catalog(), "N", load_w, liquid=True)
    assert found.available == pytest.approx(available, rel=1e-9)
    often = available * sum(count * rate for count, rate, _ in machines)
    assert found.per_year == pytest.approx(often * YEAR_S, rel=1e-9)


@pytest.mark.parametrize(("level", "grid"), [("N+1", "utility"), ("2N", "utility_both")])
def test_of_two_machines_both_must_be_down_or_share_a_cause(level: RedundancyLevel, grid: str) -> None:
    rate, repair = failures(grid)
    alone = start_fails(repair)
    both = 1.0 - (1.0 - alone**2) * (1.0 - COMMON_CAUSE * alone)
    dark = rate * both * math.exp(-UPS_RIDE_S / repair)
    available, per_up = 1.0 / (1.0 + dark * repair), dark
    for name in POWERED:
        own_rate, mended = failures(name)
        down = own_rate * mended / (1.0 + own_rate * mended)
        available *= (1.0 - down**2) / (1.0 + COMMON_CAUSE * own_rate * mended)
        per_up += 2.0 * own_rate * (1.0 - down) * down / (1.0 - down**2) + COMMON_CAUSE * own_rate
    found = site_outages(load_catalog(), level, 0.1e6, liquid=True)
    assert found.available == pytest.approx(available, rel=1e-9)
    assert found.per_year == pytest.approx(available * per_up * YEAR_S, rel=1e-9)
