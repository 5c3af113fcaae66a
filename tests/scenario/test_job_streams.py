from __future__ import annotations

import math
from weakref import ref

import numpy as np
import pytest

from twin.scenario import Scenario, load
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.generators.job_streams import stream_jobs
from twin.scenario.schema.streams import JobStream

LAB = load("builtin:lab-16").scenario.model_copy(update={"duration_s": 30 * 86400.0})


def stream(**change) -> JobStream:
    said = {"id": "a", "arrivals": {"gap": 600.0}, "lengths": {"mean": 3600.0}} | change
    return JobStream.model_validate(said)


def scene(*streams: JobStream, **change) -> Scenario:
    return LAB.model_copy(update={"streams": streams, **change})


def times(one: JobStream, **change) -> np.ndarray:
    return np.array([job.submit_s for job in stream_jobs(one, scene(one, **change))])


def test_poisson_gaps_are_exponential_and_as_many_as_expected() -> None:
    at_s = times(stream())
    gaps_s = np.diff(at_s)
    assert abs(at_s.size - 30 * 144) < 4 * math.sqrt(30 * 144)
    assert gaps_s.mean() == pytest.approx(600, rel=0.05)
    assert gaps_s.std() == pytest.approx(600, rel=0.06)
    assert at_s.max() < LAB.duration_s


def test_even_gaps_are_all_alike_and_begin_counts() -> None:
    at_s = times(stream(arrivals={"kind": "even", "gap": 600.0}, begin=1000.0, count=50))
    assert at_s.tolist() == [1000.0 + 600.0 * i for i in range(50)]


def test_a_day_keeps_its_mean_and_follows_the_clock_of_the_site() -> None:
    # Only the hour from 9 to 10 of the site, which is 8 to 9 UTC in a German winter; the start is midnight there.
    hours = [1e-6] * 24
    hours[9] = 1.0
    at_s = times(stream(arrivals={"kind": "daily", "gap": 600.0, "hours": hours}))
    assert abs(at_s.size - 30 * 144) < 4 * math.sqrt(30 * 144)
    of_day = (at_s % 86400.0) / 3600.0
    assert ((of_day >= 9) & (of_day < 10)).mean() > 0.999


def test_bursts_are_geometric_and_leave_the_mean_rate() -> None:
    at_s = times(stream(arrivals={"gap": 600.0, "burst": 5.0}))
    sizes = np.unique(at_s, return_counts=True)[1]
    assert at_s.size == pytest.approx(30 * 144, rel=0.12)
    assert sizes.mean() == pytest.approx(5.0, rel=0.12)
    assert (sizes == 1).mean() == pytest.approx(1 / 5, abs=0.05)


@pytest.mark.slow
def test_lengths_have_their_mean_and_are_cut_off() -> None:
    def run_s(**lengths) -> np.ndarray:
        one = stream(arrivals={"gap": 60.0}, lengths={"mean": 3600.0, **lengths})
        return np.array([job.run_s for job in stream_jobs(one, scene(one))])

    assert set(run_s(kind="constant")) == {3600.0}
    assert run_s(kind="exponential").mean() == pytest.approx(3600, rel=0.02)
    assert run_s(kind="lognormal", sigma=0.5).mean() == pytest.approx(3600, rel=0.02)
    assert np.log(run_s(kind="lognormal", sigma=0.5)).std() == pytest.approx(0.5, rel=0.02)
    assert run_s(kind="exponential", longest=7200.0).max() == 7200.0


def test_sizes_follow_their_weights_and_fill_the_last_node_in_part() -> None:
    one = stream(arrivals={"gap": 60.0}, sizes={"gpus": [1, 8, 12], "weights": [2.0, 1.0, 1.0]})
    jobs = stream_jobs(one, scene(one))
    shapes = [(job.nodes, job.gpus) for job in jobs]
    assert set(shapes) == {(1, 1), (1, None), (2, 12)}
    assert shapes.count((1, 1)) / len(jobs) == pytest.approx(0.5, abs=0.02)
    assert shapes.count((2, 12)) / len(jobs) == pytest.approx(0.25, abs=0.02)


def test_limits_and_deadlines_are_factors_on_the_time_needed() -> None:
    one = stream(
        lengths={"kind": "constant", "mean": 3600.0},
        limit=2.0,
        deadline=3.0,
        checkpoint={"interval": 600.0, "pause": 60.0},
        recovery={"container": 60.0, "init": 30.0, "warmup": 10.0},
        count=1,
    )
    (job,) = stream_jobs(one, scene(one))
    need_s = 100.0 + 3600.0 * 1.1
    assert job.limit_s == pytest.approx(2 * need_s)
    assert job.deadline_s == pytest.approx(job.submit_s + 3 * need_s)


def test_nobody_asks_for_more_than_the_partition_allows() -> None:
    part = {"id": "short", "rows": ["gpu"], "limit": 1800.0}
    one = stream(partition="short", limit=2.0, count=5)
    here = Scenario.model_validate({**dict(scene(one)), "partitions": [part]})
    assert all(job.limit_s <= 1800.0 for job in stream_jobs(one, here))


def test_another_stream_and_a_longer_run_change_nothing_and_another_seed_all() -> None:
    one, other = stream(), stream(id="b", arrivals={"gap": 60.0, "burst": 3.0})
    alone = jobs_of(scene(one))[len(LAB.jobs) :]
    beside = [job for job in jobs_of(scene(other, one)) if job.id.startswith("a-")]
    longer = jobs_of(scene(one, duration_s=60 * 86400.0))[len(LAB.jobs) :]
    assert list(alone) == beside
    assert alone == longer[: len(alone)]
    assert [job.submit_s for job in alone] != times(one, seed=2).tolist()
    assert [job.id for job in alone[:3]] == ["a-0", "a-1", "a-2"]


def test_jobs_are_made_once_for_a_scenario() -> None:
    here = scene(stream())
    assert jobs_of(here) is jobs_of(here)
    assert jobs_of(LAB) is LAB.jobs


def test_parts_of_a_gpu_are_asked_for_on_one_node() -> None:
    one = stream(mig="1g.10gb", count=3)
    assert {(job.nodes, job.gpus, job.mig) for job in stream_jobs(one, scene(one))} == {(1, None, "1g.10gb")}


def test_scenes_that_differ_in_what_makes_no_job_have_the_same_jobs() -> None:
    first = scene(stream())
    made = jobs_of(first)
    assert jobs_of(first.model_copy(update={"title": "Another", "power": ()})) is made
    assert len(jobs_of(first.model_copy(update={"seed": first.seed + 1}))) != len(made)
    assert jobs_of(scene(stream(), title="A third")) is made


def test_a_hall_of_other_size_has_the_same_jobs_and_one_of_other_nodes_its_own() -> None:
    first = scene(stream(sizes={"gpus": [12]}))
    (hall,), made = first.halls, jobs_of(first)
    generator, racks = hall.rows[0], hall.rows[0].racks

    def with_racks(**change) -> Scenario:
        rows = generator.model_copy(update={"racks": racks.model_copy(update=change)})
        return first.model_copy(update={"halls": (hall.model_copy(update={"rows": (rows,)}),)})

    longer = with_racks(count=racks.count + 3)
    assert longer.halls != first.halls
    assert jobs_of(longer) is made
    trays = racks.nodes[0].model_copy(update={"part": "GB200-compute-tray"})
    of_four = jobs_of(with_racks(nodes=(trays,)))
    assert (made[-1].nodes, of_four[-1].nodes) == (2, 3)  # twelve GPUs in nodes of eight, and of four


def test_jobs_are_kept_as_long_as_their_scene() -> None:
    scenes = [scene(stream(), seed=seed) for seed in range(6)]
    made = [jobs_of(one) for one in scenes]
    assert all(jobs_of(one) is jobs for one, jobs in zip(scenes, made, strict=True))
    left = ref(made[0][-1])
    scenes.clear()
    made.clear()
    assert left() is None
