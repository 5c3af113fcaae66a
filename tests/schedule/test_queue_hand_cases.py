"""Backfill against cases worked out by hand (PHYSICS 7), and against what must hold in any case."""

from __future__ import annotations

import numpy as np
import pytest
from usual_cases import usually

from tests.schedule.queue_scenes import ask, policy, run
from twin.schedule.queue import Request
from twin.schedule.replay import Replayed

FIRST = [(0, 6, 10), (1, 7, 5), (2, 10, 5), (3, 3, 20)]
SECOND = [(0, 6, 10), (1, 8, 10), (2, 4, 5), (3, 4, 20), (4, 2, 20), (5, 2, 4)]


@pytest.mark.parametrize(
    ("case", "name", "starts", "makespan", "mean_wait"),
    [
        (FIRST, "fifo", [0, 10, 15, 20], 40, 9.75),
        (FIRST, "conservative", [0, 10, 15, 20], 40, 9.75),
        (FIRST, "easy", [0, 10, 23, 3], 28, 7.5),
        (SECOND, "fifo", [0, 10, 20, 20, 20, 25], 40, 80 / 6),
        (SECOND, "conservative", [0, 10, 2, 20, 7, 20], 40, 44 / 6),
        (SECOND, "easy", [0, 10, 2, 20, 7, 20], 40, 44 / 6),
    ],
)
def test_hand_cases(
    case: list[tuple[int, int, int]], name: str, starts: list[int], makespan: float, mean_wait: float
) -> None:
    done = run([ask(*row) for row in case], policy(name))
    assert done.start_s.tolist() == starts
    assert done.end_s.max() == makespan
    assert done.wait_s.mean() == pytest.approx(mean_wait, abs=1e-12)


def random_rows(seed: int) -> list[Request]:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(3, 25))
    submit = np.sort(rng.integers(0, 3 * count, count))
    return [ask(float(s), int(rng.integers(1, 11)), float(rng.integers(1, 15))) for s in submit]


def assert_nobody_shares(done: Replayed, nodes: int) -> None:
    """Each node is left by one job before the next one takes it, and there are no others than those."""
    held = np.concatenate(done.nodes)
    assert held.max() < nodes
    sizes = [len(some) for some in done.nodes]
    start_s, end_s = np.repeat(done.start_s, sizes), np.repeat(done.end_s, sizes)
    turn = np.lexsort((start_s, held))
    follows = held[turn][1:] == held[turn][:-1]
    assert (start_s[turn][1:] >= end_s[turn][:-1])[follows].all()


@pytest.mark.parametrize("block", usually(range(3), 1))
def test_conservative_is_never_later_than_fifo_with_exact_estimates(block: int) -> None:
    for seed in range(100 * block, 100 * block + 100):
        rows = random_rows(seed)
        fifo, conservative, easy = (run(rows, policy(name)) for name in ("fifo", "conservative", "easy"))
        assert (conservative.start_s <= fifo.start_s + 1e-9).all(), f"seed {seed}"
        for done in (fifo, conservative, easy):
            assert np.isfinite(done.end_s).all()
            assert_nobody_shares(done, 10)


def test_easy_never_delays_the_head_by_estimates() -> None:
    """Whoever heads the queue starts when the jobs before it alone would let it: later ones do not matter to it."""
    for seed in range(20):
        rows = random_rows(seed)
        done = run(rows, policy("easy"))
        heads = [k for k in range(len(rows)) if (done.start_s[:k] <= rows[k].submit_s).all()]
        for k in heads:
            alone = run(rows[: k + 1], policy("easy"))
            assert done.start_s[k] == alone.start_s[k], f"seed {seed}, job {k}"


def test_conservative_delays_nobody_when_jobs_end_as_estimated() -> None:
    for seed in range(20):
        rows = random_rows(seed)
        done = run(rows, policy("conservative"))
        for k in range(1, len(rows)):
            assert run(rows[:k], policy("conservative")).start_s[k - 1] == done.start_s[k - 1], f"seed {seed}"


def test_a_job_that_runs_longer_than_believed_keeps_its_nodes() -> None:
    done = run([ask(0, 8, 5), ask(1, 4, 5)], policy("easy"), run_s=[50, 5])
    assert done.start_s.tolist() == [0, 50]


def test_a_job_without_estimate_is_believed_to_run_a_year() -> None:
    rows = [ask(0, 6, 10), ask(1, 10, 10), ask(2, 2, np.inf), ask(3, 2, 7)]
    done = run(rows, policy("easy"), run_s=[10, 10, 10, 5])
    assert done.start_s.tolist() == [
        0,
        10,
        20,
        3,
    ]  # the third would run into the second for all that is known


def test_backfill_looks_no_deeper_than_its_depth() -> None:
    rows = [ask(0, 6, 10), ask(1, 10, 10), ask(2, 8, 5), ask(3, 1, 2)]
    assert run(rows, policy("easy")).start_s[3] == 3
    assert run(rows, policy("easy", depth=2)).start_s[3] > 3


def test_shortest_goes_first_and_ties_go_by_submission_then_number() -> None:
    rows = [ask(0, 10, 5), ask(1, 10, 9), ask(2, 10, 3), ask(2, 10, 3)]
    assert run(rows, policy("shortest")).start_s.tolist() == [0, 11, 5, 8]


def test_the_same_queue_gives_the_same_starts_and_nodes() -> None:
    rows = random_rows(7)
    one, two = run(rows, policy("priority")), run(rows, policy("priority"))
    assert one.start_s.tolist() == two.start_s.tolist()
    assert all((a == b).all() for a, b in zip(one.nodes, two.nodes, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(("load", "expected"), [(0.7, 0.1128), (0.9, 0.8769)])
def test_mm8_waits_as_theory_has_it(load: float, expected: float) -> None:
    """Erlang C: mean wait in service times of eight servers."""
    means = []
    for seed in range(40):
        rng = np.random.default_rng([seed, round(10 * load)])
        submit = np.cumsum(rng.exponential(1 / (8 * load), 100_000))
        rows = [Request(gpus=1, submit_s=s) for s in submit]
        done = run(rows, policy("fifo"), nodes=8, run_s=rng.exponential(1.0, 100_000))
        means.append(float(done.wait_s.mean()))
    error = np.std(means, ddof=1) / np.sqrt(len(means))
    assert abs(np.mean(means) - expected) <= 3 * error
