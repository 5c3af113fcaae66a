"""What the summary says of the queue: one utilisation, jobs that are still to come, and what free nodes are."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.sim.sim_scenes import load_job, tiny
from twin.record.accounts import KEPT_STEP
from twin.sim.engine.engine import Engine


def load(id: str, submit_s: float, nodes: int, run_s: float, **more: Any) -> dict[str, Any]:
    """Return a job that writes and restarts."""
    saves = {"checkpoint": {"interval": "1 h", "pause": "100 s"}, "recovery": {"constant": "200 s"}}
    return load_job(id, submit_s, nodes, run_s, **saves | more)


def test_utilisation_is_steps_over_held_gpu_time_of_the_site_and_of_each_tenant() -> None:
    jobs = (load("a0", 0, 2, 9000, tenant="a"), load("b0", 0, 1, 20000, tenant="b"))
    engine = Engine(tiny(4, jobs, tenants=[{"id": "a"}, {"id": "b"}, {"id": "idle"}]))
    engine.advance(10_000.0)
    summary = engine.summary()
    queue, ledger = summary["queue"], summary["ledger_gpu_s"]
    steps = sum(ledger[name] for name in KEPT_STEP)
    held = queue["allocation"] * sum(ledger.values())
    assert queue["utilisation"] == pytest.approx(steps / held, rel=1e-9)
    assert 0.9 < queue["utilisation"] < 1
    tenants = queue["by_tenant"]
    assert sum(one["gpu_s"] for one in tenants.values()) == pytest.approx(held, rel=1e-9)
    used = sum(one["gpu_s"] * (one["utilisation"] or 0.0) for one in tenants.values())
    assert used == pytest.approx(steps, rel=1e-9)
    assert tenants["idle"]["utilisation"] is None


def test_a_job_that_is_to_come_is_not_queued() -> None:
    jobs = (load("now", 0, 4, 9000), load("waits", 0, 4, 9000), load("later", 7000, 1, 60))
    engine = Engine(tiny(4, jobs))
    engine.advance(60.0)
    summary = engine.summary()
    states = {job["id"]: (job["state"], job["wait_s"]) for job in summary["jobs"]}
    assert states["waits"] == ("queued", 60.0)
    assert states["later"] == ("not_submitted", None)
    assert summary["queue"]["waiting"] == 1
    engine.advance(7000.0)
    assert {job["id"]: job["state"] for job in engine.summary()["jobs"]}["later"] == "queued"


@pytest.mark.parametrize(
    ("jobs", "account"),
    [
        ((load("long", 0, 3, math.inf),), "idle_spare"),  # nobody ever asks for the fourth node
        (
            (load("long", 0, 3, math.inf), load("waits", 0, 2, 60)),
            "idle_spare",
        ),  # too large for what is left over
        ((load("ends", 0, 3, 90_000), load("later", 86400, 4, 60)), "idle_no_job"),
    ],
)
def test_free_nodes_are_hot_spares_only_where_no_job_asks_for_them(
    jobs: tuple[dict[str, Any], ...], account: str
) -> None:
    jobs = tuple({key: said for key, said in job.items() if said != "inf s"} for job in jobs)
    engine = Engine(tiny(4, jobs))
    engine.advance(3600.0)
    ledger = engine.summary()["ledger_gpu_s"]
    assert {name: gpu_s for name, gpu_s in ledger.items() if name.startswith("idle") and gpu_s} == {
        account: pytest.approx(8 * 3600.0)
    }
