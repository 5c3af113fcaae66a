"""Availability of halls by hand, and what it leaves to a job."""

from __future__ import annotations

import pytest

import twin
from tests.commands.test_redundancy import room
from tests.sim.sim_scenes import shipped
from twin.catalog import load_catalog
from twin.planning.risk.availability import SiteReliability
from twin.planning.risk.availability_figures import Exposure
from twin.planning.risk.availability_text import share
from twin.planning.risk.hall_availability import availability_of, availability_steps
from twin.plant.build import build
from twin.scenario.schema.site import RedundancyLevel

YEAR_H = 8766.0


@pytest.fixture(scope="module")
def lab() -> SiteReliability:
    """Return the hall of two nodes: one utility, a PDU a rack, an air handler, a chiller, nothing to spare."""
    scene = shipped("lab-16")
    return SiteReliability(build(scene, load_catalog()), load_catalog(), scene.failures)


def test_power_of_a_hall_with_nothing_to_spare_is_the_sum_of_its_machines(lab: SiteReliability) -> None:
    """The grid 1.96 x 1.3 h and 34 x 0.03 h, two PDUs of 7e-7 /h x 60 h, their breakers 4e-7 /h x 2 h."""
    power = lab.system("power")
    hours = 1.96 * 1.3 + 34 * 0.03 + 2 * YEAR_H * (7e-7 * 60 + 4e-7 * 2)
    assert power.hours == pytest.approx(hours, rel=0.002)
    assert power.outages == pytest.approx(1.96 + 34 + 2 * YEAR_H * (7e-7 + 4e-7), rel=0.002)
    assert power.available == pytest.approx(1 - hours / YEAR_H, abs=1e-6)
    one_rack = 1.96 * 1.3 + 34 * 0.03 + YEAR_H * (7e-7 * 60 + 4e-7 * 2)
    assert power.of_gpus == pytest.approx(1 - one_rack / YEAR_H, abs=1e-6)


def test_the_site_is_power_and_cooling_and_counts_the_grid_once(lab: SiteReliability) -> None:
    power, cooling, site = (lab.system(name) for name in ("power", "cooling", "site"))
    assert max(power.hours, cooling.hours) < site.hours < power.hours + cooling.hours
    assert site.outages < power.outages + cooling.outages


def test_what_costs_most_comes_first_and_names_its_items(lab: SiteReliability) -> None:
    worst = lab.worst()
    assert worst[0].what == "chiller (water)"
    assert worst[0].targets == ("water",)
    assert worst[0].hours == pytest.approx(0.3 * 12, rel=0.01)
    assert [entry.gpu_hours for entry in worst] == sorted((entry.gpu_hours for entry in worst), reverse=True)


def test_a_job_is_hit_by_what_takes_any_of_its_nodes(lab: SiteReliability) -> None:
    whole = lab.job(Exposure("all", 2, 0, 600.0, 0.0))
    site, network = lab.system("site"), lab.system("network")
    assert whole.interruptions == pytest.approx(site.outages + network.outages, rel=0.01)
    outage_h = whole.hours - whole.interruptions * 600 / 3600
    assert outage_h == pytest.approx(site.hours + network.hours, rel=0.01)
    assert whole.in_service is None
    half = lab.job(Exposure("half", 1, 1, 600.0, 0.05))
    assert half.interruptions < whole.interruptions
    assert half.in_service is not None
    assert 0.98 < half.in_service < 1


def test_two_feeds_are_far_better_than_one() -> None:
    found = twin.availability("nvl72-row")
    power, cooling = found.system("power"), found.system("cooling")
    assert power.outages < 0.1
    assert power.available > 0.99999
    assert cooling.available < power.available  # four CDUs with nothing to spare
    assert found.job is not None
    assert found.job.nodes == 108
    assert not found.in_runs
    assert twin.availability("nvl72-row", set={"failures.machines": "catalog"}).in_runs


@pytest.mark.parametrize(
    ("level", "outages", "hours"), [("N", 1.37, 12.3), ("N+1", 0.072, 0.60), ("2N", 0.036, 0.39)]
)
def test_what_a_target_buys(level: RedundancyLevel, outages: float, hours: float) -> None:
    """The table of the help: 32 DGX H100 of the room wizard in Phoenix."""
    made = room(level, racks=8, part="DGX-H100", nodes=4)
    site = SiteReliability(made.plant, load_catalog(), made.scenario.failures).system("site")
    assert site.outages == pytest.approx(outages, rel=0.02)
    assert site.hours == pytest.approx(hours, rel=0.02)


def test_common_causes_leave_no_pair_without_fault() -> None:
    scene, parts = shipped("superpod-h100"), load_catalog()
    plant = build(scene, parts)
    alone = SiteReliability(plant, parts, scene.failures, beta=0.0).system("power")
    assert SiteReliability(plant, parts, scene.failures).system("power").outages > alone.outages


def test_a_share_has_the_digits_that_mean_something() -> None:
    assert [share(x) for x in (0.99935, 0.9999916, 1.0, 0.5)] == ["99.935 %", "99.99916 %", "100 %", "50.0 %"]


def test_step_by_step_it_comes_to_the_same():
    scene, catalog = shipped("superpod-h100"), load_catalog()
    plant = build(scene, catalog)
    taken = []

    def follow():
        found = yield from availability_steps(scene, plant, catalog)
        taken.append(found)

    steps = list(follow())
    assert taken == [availability_of(scene, plant, catalog)]
    assert len(steps) > len(SiteReliability(plant, catalog, scene.failures).groups)
