"""Failures strike at the published rates, in the published proportions, and independently of each other."""

from __future__ import annotations

import heapq
from collections import Counter

import numpy as np
import pytest
from sim_scenes import causes, events, shipped, tiny

from twin.catalog import load_catalog
from twin.planning.risk.reliability_sample import spread
from twin.planning.risk.risk import outcome, risk_of
from twin.plant.build import build
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.faults import Cause
from twin.sim.core.draws import Draws
from twin.sim.engine.engine import Engine
from twin.sim.hazard.failure_clocks import FailureClocks

SEEDS = range(40)
FEW_SEEDS = SEEDS[:24]
UNEXPECTED, PLANNED = 419, 47


@pytest.fixture(scope="module")
def histories() -> list[tuple[Counter[str], float]]:
    """What 54 days of llama3-16k bring with some seeds, spares swapped in at once."""
    scene = shipped("llama3-16k")
    plant = build(scene, load_catalog())
    return [_history(FailureClocks(plant, scene.failures, Draws(seed)), scene) for seed in FEW_SEEDS]


@pytest.fixture(scope="module")
def counted(histories: list[tuple[Counter[str], float]]) -> list[Counter[str]]:
    """Interruptions by cause of the 2,048 nodes of the job."""
    return [count for count, _ in histories]


def _history(clocks: FailureClocks, scene: Scenario) -> tuple[Counter[str], float]:
    """Return the failures that hit the job by cause, and how many nodes were in repair on average."""
    in_job = np.arange(len(clocks.keys)) < scene.jobs[0].nodes
    repairs: list[tuple[float, int]] = []
    count: Counter[str] = Counter()
    down_s = 0.0
    while True:
        due_s, node = clocks.next()
        if repairs and repairs[0][0] < due_s:
            back_s, node = heapq.heappop(repairs)
            clocks.set_up(node, back_s, True)
            continue
        if due_s > scene.duration_s:
            return count, down_s / scene.duration_s
        cause, repair_s, _ = clocks.strike(node, due_s)
        count[cause.id] += int(in_job[node])
        if repair_s > 0:
            clocks.set_up(node, due_s, False)
            heapq.heappush(repairs, (due_s + repair_s, node))
            down_s += min(repair_s, scene.duration_s - due_s)
            spares = np.flatnonzero(clocks.up & ~in_job)
            if in_job[node] and len(spares):
                in_job[node], in_job[spares[0]] = False, True


@pytest.mark.slow
def test_as_many_nodes_are_in_repair_as_the_quick_model_says(
    histories: list[tuple[Counter[str], float]],
) -> None:
    scene, catalog = shipped("llama3-16k"), load_catalog()
    quick = outcome(risk_of(scene, build(scene, catalog), catalog), 400).figures["nodes_down"]
    down = spread([mean for _, mean in histories])
    assert abs(down.mean - quick.mean) < 3 * float(np.hypot(down.error, quick.error))
    assert quick.error < 0.2
    # Seed 1, which the story tells of, is one of the worse ones: it goes by the run, not by the mean of many.
    first = FailureClocks(build(scene, catalog), scene.failures, Draws(1))
    assert _history(first, scene)[1] == pytest.approx(30.5, abs=0.05)


def _unexpected(scene: Scenario, count: Counter[str]) -> int:
    return sum(count[cause.id] for cause in scene.failures.causes if not cause.planned)


def test_the_mean_of_interruptions_is_the_published_one(counted: list[Counter[str]]) -> None:
    scene = shipped("llama3-16k")
    numbers = np.array([_unexpected(scene, count) for count in counted])
    assert abs(numbers.mean() - UNEXPECTED) < 3 * np.sqrt(UNEXPECTED / len(numbers))
    assert 0.5 < numbers.std(ddof=1) / np.sqrt(UNEXPECTED) < 1.6  # as scattered as counts are
    planned = np.array([count["planned_maintenance"] for count in counted])
    assert abs(planned.mean() - PLANNED) < 3 * np.sqrt(PLANNED / len(planned))


def test_causes_strike_in_the_published_proportions(counted: list[Counter[str]]) -> None:
    total = sum(counted, Counter[str]())
    for cause in shipped("llama3-16k").failures.causes:
        expected = cause.per_node_s * 86400 * 110592 * len(counted)
        assert abs(total[cause.id] - expected) < 3.5 * np.sqrt(expected), cause.id


def _histories(clocks: FailureClocks, nodes: int, strikes: int) -> list[list[tuple[float, str, float, int]]]:
    """Return the first failures of each of the first nodes: (time, cause, repair time, GPU)."""
    out = []
    for node in range(nodes):
        history = []
        for _ in range(strikes):
            due_s = float(clocks.due_s[node])
            cause, repair_s, gpu = clocks.strike(node, due_s)
            history.append((due_s, cause.id, repair_s, gpu))
            if repair_s > 0:
                clocks.set_up(node, due_s, False)
                clocks.set_up(node, due_s + repair_s, True)
        out.append(history)
    return out


@pytest.mark.parametrize("lemons", [False, True])
def test_sixteen_more_nodes_leave_all_other_failures_where_they_were(lemons: bool) -> None:
    failures = {"lemons": lemons, "causes": causes(0.5)}
    histories = [
        _histories(FailureClocks(build(scene, load_catalog()), scene.failures, Draws(3)), 4, 6)
        for scene in (tiny(nodes=4, failures=failures), tiny(nodes=20, failures=failures))
    ]
    assert histories[0] == histories[1]


def test_sixteen_more_nodes_leave_a_whole_run_of_the_others_where_it_was() -> None:
    failures = {"lemons": True, "causes": causes(1.0)}
    struck = []
    for nodes in (4, 20):
        engine = Engine(tiny(nodes=nodes, jobs=(), failures=failures), 5)
        engine.advance(10 * 86400.0)
        mine = {f"gpu/0/{i}/0" for i in range(4)}
        struck.append(
            [
                (event.t_s, event.kind, event.subject, event.text)
                for event in events(engine, "failure", "maintenance", "repaired")
                if event.subject[:9] in mine and event.subject.count("/") in (3, 4)
            ]
        )
    assert len(struck[0]) > 20
    assert struck[0] == struck[1]


def test_a_node_that_is_down_does_not_age() -> None:
    scene = tiny(failures={"causes": causes(1.0)})
    clocks = FailureClocks(build(scene, load_catalog()), scene.failures, Draws(1))
    due_s = float(clocks.due_s[0])
    clocks.set_up(0, due_s / 2, False)
    assert clocks.due_s[0] == np.inf
    clocks.set_up(0, due_s / 2 + 1000.0, True)
    assert clocks.due_s[0] == pytest.approx(due_s + 1000.0, rel=1e-12)


def test_repairs_are_heavy_tailed_and_restarts_take_none() -> None:
    scene = tiny(failures={"causes": causes(1.0)})
    clocks = FailureClocks(build(scene, load_catalog()), scene.failures, Draws(1))
    by_id: dict[str, Cause] = {cause.id: cause for cause in clocks.causes}
    times_s = np.array([clocks.repair_s(by_id["gpu"], u) for u in (np.arange(400) + 0.5) / 400])
    assert (np.diff(times_s) > 0).all()
    assert times_s.mean() == pytest.approx(clocks.mean_repair_s(by_id["gpu"]), rel=0.15)
    assert np.median(times_s) < 0.6 * times_s.mean()
    assert clocks.repair_s(by_id["bug"], 0.9) == 0.0


@pytest.mark.slow
def test_forty_runs_of_the_large_scene_meet_the_published_count() -> None:
    numbers, ettr = [], []
    for seed in SEEDS:
        engine = Engine(shipped("llama3-16k"), seed)
        engine.advance(engine.end_s)
        figures = engine.summary()
        numbers.append(figures["interruptions"]["unexpected"])
        ettr.append(figures["ettr"])
    assert abs(np.mean(numbers) - UNEXPECTED) < 3 * np.sqrt(UNEXPECTED / len(numbers))
    assert 0.9 < np.mean(ettr) < 0.96
