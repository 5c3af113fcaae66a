from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from twin.catalog import load_catalog
from twin.cli.app import app
from twin.cli.bench import campus, facility, growth
from twin.cli.bench.figures import FIGURES
from twin.cli.bench.simulation import estimate_us
from twin.plant.build import build


def test_an_estimate_can_be_timed() -> None:
    assert estimate_us() > 0


def test_days_of_whole_facilities_are_as_large_as_they_say() -> None:
    raps, giant = facility.raps_day(), facility.giant_day()
    assert {raps.duration_s, giant.duration_s} == {86400.0}
    assert len(raps.jobs) == facility.RAPS_JOBS
    assert len(giant.interventions) == 20
    assert len(build(raps, load_catalog()).gpus.node) == 38400
    assert len(build(giant, load_catalog()).gpus.node) >= 100_000


@pytest.mark.slow
def test_days_of_whole_facilities_are_measured_apart() -> None:
    ballast = bytearray(b"x") * 700_000_000
    figures = facility.measure("raps") | facility.measure("giant")
    assert set(figures) == {"raps_day_cpu_s", "raps_day_mb", "giant_day_cpu_s", "giant_day_mb"}
    assert all(value is not None and value > 0 for value in figures.values())
    assert (figures["raps_day_mb"] or 0) <= 300, len(ballast)


def test_halls_of_the_growth_series_are_as_large_as_they_say() -> None:
    for kind, jobs in (("empty", 0), ("one", 1), ("jobs", 8)):
        scene = growth.hall(4, kind)
        assert len(scene.jobs) == jobs
        assert sum(job.nodes for job in scene.jobs) == (512 if jobs else 0)
        assert len(build(scene, load_catalog()).gpus.node) == 4096


def test_a_cost_that_doubles_with_the_size_grows_by_power_one() -> None:
    assert growth.slope([1, 2, 4, 8], [3.0, 6.0, 12.0, 24.0]) == 1.0
    assert growth.slope([1, 2, 4, 8], [1.0, 4.0, 16.0, 64.0]) == 2.0
    assert growth.slope([1, 2], [0.0, 1.0]) is None


@pytest.mark.slow
def test_a_hall_of_the_growth_series_is_measured_apart() -> None:
    costs = growth.measured([4])
    assert costs is not None
    assert all(cpu_s > 0 and memory_mb > 0 for rows in costs.values() for cpu_s, memory_mb in rows)


@pytest.mark.slow
def test_a_campus_begins_and_is_checked_within_its_memory() -> None:
    """With routes by pairs of leaves a hundred thousand GPUs took 4 to 8 GB."""
    for scene, most_mb in ((campus.SCENE, 600), (campus.MILLION, 3000)):
        for what in ("first", "check"):
            cpu_s, memory_mb = facility.measured_apart("twin.cli.bench.campus", what, scene)
            assert cpu_s is not None
            assert memory_mb is not None
            assert memory_mb < most_mb, (scene, what)


@pytest.mark.slow
@pytest.mark.gl
def test_bench_measures_every_figure(qapp) -> None:
    done = CliRunner().invoke(app, ["bench", "--json"], catch_exceptions=False)
    assert done.exit_code in (0, 1), done.output  # this machine may miss a goal
    told = json.loads(done.stdout)
    assert set(told["figures"]) == {figure.key for figure in FIGURES}
    for key, figure in told["figures"].items():
        assert figure["value"] is not None, key
        assert figure["value"] > 0 or key.startswith("gui_timer"), key
    assert told["machine"]["renderer"]
