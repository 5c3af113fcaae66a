"""The shipped scene of three tenants: the patch window is empty, partitions hold, every GPU-second is booked."""

from __future__ import annotations

import numpy as np
import pytest

from twin.scenario import load
from twin.sim.engine.engine import Engine

HOUR_S = 3600.0
HOURS = 20


def after(hours: float) -> Engine:
    made = Engine(load("builtin:shared-cluster").scenario)
    made.advance(hours * HOUR_S)
    return made


@pytest.fixture(scope="module")
def engine() -> Engine:
    return after(HOURS)


def rows_of_nodes(engine: Engine) -> np.ndarray:
    plant = engine.plant
    names = np.array([id.split("/", 1)[0] for id in plant.rows.ids])
    return names[plant.racks.row[plant.nodes.rack]]


@pytest.mark.slow
def test_the_small_partition_is_empty_during_its_patch() -> None:
    engine = after(81)
    of = rows_of_nodes(engine)
    dev = np.flatnonzero(of == "dev")
    assert all(not engine.nodes.jobs_on(int(node)) for node in dev)
    assert any(engine.nodes.jobs_on(int(node)) for node in np.flatnonzero(of == "train"))


def test_jobs_keep_to_their_partition(engine: Engine) -> None:
    of = rows_of_nodes(engine)
    assert len(engine.jobs.active) > 10
    for row in engine.jobs.active:
        home = "train" if row.id.startswith(("pretrain", "finetune")) else "dev"
        assert set(of[list(row.nodes)]) <= {home}, row.id


def test_every_gpu_second_is_booked_and_tenants_add_up(engine: Engine) -> None:
    summary = engine.summary()
    assert sum(summary["ledger_gpu_s"].values()) == pytest.approx(512 * HOURS * HOUR_S, rel=1e-9)
    by_tenant = summary["queue"]["by_tenant"]
    assert set(by_tenant) == {"models", "startup", "campus"}
    held = sum(one["gpu_s"] for one in by_tenant.values())
    assert held == pytest.approx(summary["queue"]["allocation"] * 512 * HOURS * HOUR_S, rel=1e-6)
    done = [job for job in summary["jobs"] if job["state"] == "done"]
    assert len(done) > 100
