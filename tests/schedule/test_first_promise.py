"""One promise of whole nodes without a timetable: as counted by hand, and as a plain loop over random sites says."""

from __future__ import annotations

import math

import numpy as np
import pytest

from twin.schedule.first_promise import FirstPromise
from twin.schedule.profile import OVERRUN_S
from twin.schedule.queue import Parts, Request, Requests, Site
from twin.schedule.stock import Stock

GPUS, NOW_S = 8, 1000.0
NEVER = math.inf


def site_of(held: list[list[tuple[int, float]]], broken: tuple[int, ...] = ()) -> Site:
    """Return nodes of eight GPUs with what jobs hold of each: GPUs and when they are believed to end [s]."""
    count = len(held)
    rows = [
        (node, gpu, end_s)
        for node, jobs in enumerate(held)
        for gpu, (gpus, end_s) in enumerate(jobs)
        if gpus < GPUS
        for _ in range(gpus)
    ]
    node, gpu, end_s = (np.array([row[k] for row in rows]) for k in range(3))
    fit = np.array([k not in broken for k in range(count)])
    ends_s = [max((end for _, end in jobs), default=-NEVER) for jobs in held]
    return Site(
        now_s=NOW_S,
        free=fit & np.array([not jobs for jobs in held]),
        end_s=np.where(fit, ends_s, NEVER),
        gpus=np.full(count, GPUS),
        free_gpus=np.array([GPUS - sum(gpus for gpus, _ in jobs) for jobs in held]) * fit,
        tenant=np.full(count, -1),
        used=np.zeros(1),
        parts=lambda: Parts(
            node.astype(np.int64),
            gpu.astype(np.int64),
            np.full(len(rows), 7),
            np.zeros(len(rows), np.int64),
            end_s,
        ),
    )


def first_promise(site: Site) -> FirstPromise:
    stock = Stock(Requests([Request(1, rest=1)]), site)
    return FirstPromise(stock, site, np.full(len(site.gpus), GPUS))


EVERYWHERE = np.ones(4, bool)


def test_the_nodes_that_come_free_last_are_kept_and_others_serve_those_who_start_now() -> None:
    promise = first_promise(site_of([[], [(8, 1500.0)], [(8, 1200.0)], [(3, 1300.0), (2, 1100.0)]]))
    assert promise.keep(3, [EVERYWHERE]).tolist() == [0, 2, 3]
    assert promise.from_s == 1300.0
    until_then, beyond = promise.room(1300.0), promise.room(1300.1)
    assert until_then.whole.tolist() == [True, False, False, False]
    assert until_then.gpus.tolist() == [8, 0, 0, 3]
    assert not beyond.whole.any()
    assert beyond.gpus.tolist() == [0, 0, 0, 0]
    assert promise.whole_until(np.array([1300.0, 1300.1])).tolist() == [1, 0]


def test_a_job_over_its_time_is_believed_to_end_soon_and_a_broken_node_never_comes() -> None:
    promise = first_promise(site_of([[(4, 900.0), (4, 1030.0)], [(8, 950.0)], [], []], broken=(2, 3)))
    assert promise.keep(2, [EVERYWHERE]).tolist() == [0, 1]
    assert promise.from_s == NOW_S + OVERRUN_S
    nothing = first_promise(site_of([[], [], [], []], broken=(0, 1, 2)))
    assert len(nothing.keep(2, [EVERYWHERE])) == 0
    assert math.isinf(nothing.from_s)
    assert nothing.room(NEVER).whole.tolist() == [False, False, False, True]


@pytest.mark.parametrize("seed", range(40))
def test_promises_and_room_are_as_a_plain_loop_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 12))
    held: list[list[tuple[int, float]]] = []
    for _ in range(count):
        kind = rng.integers(3)
        ends_s = rng.choice([900.0, 1020.0, 1100.0, 1200.0, 1300.0, NEVER], 3)
        whole = [(GPUS, float(ends_s[0]))]
        parts = [(int(rng.integers(1, 4)), float(end_s)) for end_s in ends_s[: rng.integers(1, 3)]]
        held.append([[], whole, parts][kind])
    broken = tuple(np.flatnonzero(rng.random(count) < 0.1).tolist())
    groups = [rng.random(count) < 0.7, rng.random(count) < 0.5]
    asked, until_s = int(rng.integers(1, count + 1)), float(rng.choice([1050.0, 1150.0, 5000.0]))

    def since(node: int) -> float:
        if node in broken:
            return NEVER
        return max([NOW_S, *(NOW_S + OVERRUN_S if end_s <= NOW_S else end_s for _, end_s in held[node])])

    begin_s, nodes = NEVER, list[int]()
    for group in groups:
        usable = np.flatnonzero(group).tolist()
        times_s = sorted(since(node) for node in usable)
        if len(times_s) >= asked and times_s[asked - 1] < begin_s:
            begin_s = times_s[asked - 1]
            there = sorted((-since(node), node) for node in usable if since(node) <= begin_s)
            nodes = sorted(node for _, node in there[:asked])

    promise = first_promise(site_of(held, broken))
    assert promise.keep(asked, groups).tolist() == nodes
    assert promise.from_s == begin_s
    kept = set(nodes) if until_s > begin_s else set()
    room = promise.room(until_s)
    for node in range(count):
        left = 0 if node in kept or node in broken else GPUS - sum(gpus for gpus, _ in held[node])
        assert room.gpus[node] == left
        assert room.whole[node] == (left == GPUS)
