"""Random queues under random rules: nobody is lost, no GPU is in two jobs, windows and isolation hold."""

from __future__ import annotations

import numpy as np
import pytest
from usual_cases import usually

from tests.schedule.queue_scenes import Preemption, policy, run
from twin.scenario.schema.work import Tenant
from twin.schedule.queue import NodeLabels, Request
from twin.schedule.replay import Replayed
from twin.schedule.windows import Window

NODES, GPUS = 8, 4
LABELS = NodeLabels(np.arange(8), np.arange(8) // 2, np.arange(8) // 4, np.arange(8) // 2)
LEVELS = ("none", "node", "leaf", "rack")


def rows_of(rng: np.random.Generator) -> list[Request]:
    rows = []
    for submit in np.sort(rng.integers(0, 100, 30)).tolist():
        gpus, slices = int(rng.integers(1, 20)), int(rng.integers(1, 5)) * int(rng.random() < 0.2)
        nodes, rest = (1, 0) if slices else (-(-gpus // GPUS), gpus % GPUS)
        rows.append(
            Request(
                nodes=nodes,
                rest=rest,
                slices=slices,
                gpus=slices / 7 if slices else float(gpus),
                place=int(rng.random() < 0.3 and nodes <= 4),
                submit_s=float(submit),
                estimate_s=float(rng.integers(1, 25)),
                tenant=int(rng.integers(0, 3)),
                priority=int(rng.integers(-5, 6)),
                preemptible=bool(rng.random() < 0.5),
            )
        )
    return rows


def assert_sound(rows: list[Request], done: Replayed, levels: list[int], windows: list[Window]) -> None:
    assert np.isfinite(done.end_s).all()
    for t_s in done.start_s:
        held, whose = np.zeros(NODES), [set[int]() for _ in range(NODES)]
        for job in np.flatnonzero((done.start_s <= t_s) & (t_s < done.end_s)):
            row, nodes = rows[job], done.nodes[job]
            part = row.rest or row.slices / 7
            held[nodes[: len(nodes) - bool(part)]] += GPUS
            held[nodes[-1]] += part
            for node in nodes:
                whose[node].add(row.tenant)
        assert (held <= GPUS + 1e-9).all()
        for tenant, level in enumerate(levels):
            zone = np.arange(NODES) if level == 1 else LABELS.leaf
            for one in set(zone.tolist()) if level else ():
                together = set[int]().union(*(whose[node] for node in np.flatnonzero(zone == one)))
                assert not (tenant in together and len(together) > 1)
    for job, row in enumerate(rows):
        for window in windows:
            if not window.lets(job, row.tenant) and window.nodes[done.nodes[job]].any():
                assert not window.meets(done.start_s[job], done.end_s[job])


@pytest.mark.parametrize("seed", usually(range(24), 5))
def test_random_rules(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rows_of(rng)
    levels = [0, int(rng.integers(0, 4)), int(rng.integers(0, 4)) * int(rng.random() < 0.3)]
    tenants = [
        Tenant.model_validate({"id": name, "isolation": LEVELS[level], "quota": int(rng.integers(20, 30))})
        for name, level in zip("ab", levels[1:], strict=True)
    ]
    windows = []
    if rng.random() < 0.5:
        mask = rng.random(NODES) < 0.5
        mask[rng.integers(NODES)] = False
        lets = frozenset({1}) if rng.random() < 0.5 else frozenset[int]()
        windows.append(
            Window("w", float(rng.integers(20, 60)), 20.0, float(rng.choice([90.0, np.inf])), mask, lets)
        )
    places = [(np.ones(NODES, bool),), (np.arange(NODES) < 4, np.arange(NODES) >= 4)]
    preemption = Preemption.model_validate({"enabled": bool(rng.random() < 0.5), "minimum": 3})
    for name in ("fifo", "easy", "conservative", "priority"):
        said = policy(name, preemption=preemption if name == "priority" else Preemption())
        done = run(
            rows,
            said,
            nodes=NODES,
            gpus=GPUS,
            tenants=tenants,
            windows=windows,
            labels=LABELS,
            places=places,
            until_s=2000.0,
        )
        assert_sound(rows, done, levels, windows)
