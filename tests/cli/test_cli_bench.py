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


def test_a_growth_run_is_typical_where_its_failures_are_what_the_rates_say() -> None:
    assert growth.expected_failures(16) == pytest.approx(2048 * 419 / 110592)
    typical = {
        rows: [failures for failures in range(200) if growth.is_typical(failures, rows)]
        for rows in (16, 64, 256)
    }
    assert typical[16] == [8]
    assert typical[64] == [30, 31, 32]
    assert (min(typical[256]), max(typical[256])) == (118, 130)


def test_growth_takes_the_first_typical_draws_and_what_the_same_draw_costs_without_jobs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Seeds 2, 4 and 5 have 8 failures; the dearest of them without jobs is not the dearest with them."""
    failures = {1: 7, 2: 8, 3: 9, 4: 8, 5: 8, 6: 8}
    empty_s = {2: 1.0, 4: 2.0, 5: 5.0}
    jobs_s = {2: 4.0, 4: 4.0, 5: 6.0}
    asked = []

    def figures_apart(module: str, kind: str, rows: str, seed: str) -> list[float]:
        asked.append((kind, int(seed)))
        cpu_s = (empty_s if kind == "empty" else jobs_s).get(int(seed), 100.0)
        return [cpu_s, 10.0 if kind == "empty" else 35.0, failures[int(seed)]]

    monkeypatch.setattr(growth, "figures_apart", figures_apart)
    costs = growth.measured([16])
    assert costs is not None
    assert costs["jobs"] == [(2.0, 25.0, 8)]  # of 3, 2 and 1 s
    assert [seed for kind, seed in asked if kind == "empty"] == [1, 2, 3, 4, 5]
    assert [seed for kind, seed in asked if kind == "jobs"] == [2, 4, 5]
    monkeypatch.setattr(growth, "figures_apart", lambda *names: None)
    assert growth.measured([16]) is None
    assert growth.measure()["growth_failures_16k"] is None


@pytest.mark.slow
def test_a_hall_of_the_growth_series_is_measured_apart() -> None:
    costs = growth.measured([4])
    assert costs is not None
    for cost in (cost for rows in costs.values() for cost in rows):
        assert cost.cpu_s > 0
        assert cost.memory_mb > 0
        assert growth.is_typical(cost.failures, 4)


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
