"""Fair share is among the tenants there are: formula, jobs of nobody, and every start of a scene by another way."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.schedule.queue_scenes import Weights, ask, policy, run
from twin import scenario
from twin.scenario.schema.work import Tenant
from twin.schedule.queue import Requests
from twin.schedule.shares import FairShare
from twin.schedule.tenants import Tenants
from twin.sim.engine.engine import Engine
from twin.units import parse

FOUND = Path(__file__).parents[1] / "findings" / "ph4.twin.yaml"
TWO = [Tenant(id="a", share=1), Tenant(id="b", share=3)]


def test_a_tenant_at_its_due_has_half_and_at_twice_its_due_a_quarter() -> None:
    shares = FairShare(np.array([0.0, 1.0, 3.0]), 1e12)
    shares.advance(1.0, np.array([0.0, 2.0, 6.0]))
    assert shares.factor()[1:].tolist() == pytest.approx([0.5, 0.5])
    shares = FairShare(np.array([0.0, 1.0, 3.0]), 1e12)
    shares.advance(1.0, np.array([0.0, 4.0, 4.0]))
    assert shares.factor()[1:].tolist() == pytest.approx([0.25, 2 ** (-0.5 / 0.75)])


def test_nobody_has_a_share_only_where_jobs_are_nobodys() -> None:
    tenants = Tenants.of(TWO)
    owned, mixed = [ask(0, 1, 1, tenant=1)], [ask(0, 1, 1, tenant=1), ask(0, 1, 1)]
    assert tenants.shares_of(Requests(owned)).tolist() == [0, 1, 3]
    assert tenants.shares_of(Requests(mixed)).tolist() == [1, 1, 3]
    assert Tenants.nobody().shares_of(Requests([])).tolist() == [1]


def test_the_factor_is_weighed_against_the_age_of_a_job() -> None:
    """Tenant a used everything and is due a quarter: factor 2^-4 against 1 of tenant b."""
    said = policy(
        "priority", weights=Weights.model_validate({"age": 1600, "age_limit": 800, "fair_share": 100})
    )
    worth = {old_s: 1600 * old_s / 800 for old_s in (50, 40)}
    assert worth[50] > 100 * (1 - 2**-4) > worth[40]
    for old_s, first in ((50, 1), (40, 2)):
        rows = [ask(0, 10, 100, tenant=1), ask(95 - old_s, 10, 10, tenant=1), ask(95, 10, 10, tenant=2)]
        done = run(rows, said, tenants=TWO)
        assert int(np.argmin(done.start_s[1:])) + 1 == first


def test_every_start_of_three_tenants_agrees_with_an_oracle() -> None:
    """150 jobs of whole nodes by multifactor priority with EASY backfill, worked out by plain sums."""
    document = json.loads(FOUND.read_text())
    engine = Engine(scenario.load(FOUND).scenario)
    engine.advance(engine.end_s)
    ours = {row.id: row.start_s for row in engine.jobs.rows}
    assert ours == pytest.approx(oracle(document, nodes=20), abs=1e-6)


def seconds(text: str) -> float:
    return parse(text, "duration")


def oracle(document: dict[str, Any], nodes: int) -> dict[str, float]:
    """Return when each job starts; jobs are killed at their limit, which is what the scheduler believes."""
    weights = document["scheduler"]["weights"]
    half_s, oldest_s = seconds(weights["half_life"]), seconds(weights["age_limit"])
    share = {tenant["id"]: tenant["share"] for tenant in document["tenants"]}
    used = dict.fromkeys(share, 0.0)
    coming = sorted(document["jobs"], key=lambda job: seconds(job["submit"]))
    waiting: list[dict[str, Any]] = []
    running: list[tuple[float, float, dict[str, Any]]] = []  # ends, is believed to end, job
    start_s: dict[str, float] = {}
    now_s = 0.0

    def priority(job: dict[str, Any]) -> float:
        factor = 1.0
        if sum(used.values()) > 0:
            due = share[job["tenant"]] / sum(share.values())
            factor = 2 ** (-used[job["tenant"]] / sum(used.values()) / due)
        age = min((now_s - seconds(job["submit"])) / oldest_s, 1)
        total = 1000 * age + weights["size"] * job["nodes"] / nodes + weights["fair_share"] * factor
        return total + 1000 * (job["priority"] / 1000 + 1) / 2

    while coming or waiting or running:
        times = [end for end, _, _ in running] + [seconds(job["submit"]) for job in coming[:1]]
        before_s, now_s = now_s, min(times)
        passed_s = now_s - before_s
        for tenant in used:
            held = sum(job["nodes"] for _, _, job in running if job["tenant"] == tenant)
            kept = 0.5 ** (passed_s / half_s)
            used[tenant] = used[tenant] * kept + held * half_s / math.log(2) * (1 - kept)
        running = [row for row in running if row[0] > now_s]
        while coming and seconds(coming[0]["submit"]) == now_s:
            waiting.append(coming.pop(0))
        shadow_s, extra = math.inf, 0
        for job in sorted(waiting, key=lambda job: (-priority(job), seconds(job["submit"]), job["id"])):
            free = nodes - sum(held["nodes"] for _, _, held in running)
            limit_s = seconds(job["limit"])
            beyond = now_s + limit_s > shadow_s
            if job["nodes"] <= free and (not beyond or job["nodes"] <= extra):
                extra -= job["nodes"] if beyond else 0
                start_s[job["id"]] = now_s
                waiting.remove(job)
                running.append((now_s + min(seconds(job["run"]), limit_s), now_s + limit_s, job))
            elif math.isinf(shadow_s):
                for _, believed_s, held in sorted(running, key=lambda row: row[1]):
                    free += held["nodes"]
                    if free >= job["nodes"]:
                        shadow_s = believed_s
                        break
                extra = nodes - job["nodes"]
                extra -= sum(held["nodes"] for _, believed_s, held in running if believed_s > shadow_s)
    return start_s
