"""The scenes of networks show what their stories say."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from sim_scenes import assert_books_close, shipped

from twin.scenario.file.set_option import set_value
from twin.sim.engine.engine import Engine

HOURS_S = 3 * 3600.0


@cache
def ran(name: str, *settings: tuple[str, str]) -> dict[str, Any]:
    """Return the summary of the first hours of a scene in which nothing fails."""
    scenario = set_value(shipped(name), "failures.causes", "[]")
    for path, value in settings:
        scenario = set_value(scenario, path, value)
    engine = Engine(scenario, 1)
    engine.advance(HOURS_S)
    assert_books_close(engine)
    return engine.summary()


def step_s(summary: dict[str, Any], job: str) -> float:
    """Return the time of a step of one job."""
    return next(float(one["step_s"]) for one in summary["jobs"] if one["id"] == job)


def part_s(summary: dict[str, Any], job: str, part: str) -> float:
    """Return one part of it."""
    return next(float(one["step_parts_s"].get(part, 0.0)) for one in summary["jobs"] if one["id"] == job)


def test_tcp_costs_nothing_behind_a_large_batch_and_half_as_much_again_without_one() -> None:
    tcp = ran("ethernet-tcp")
    fast = ran("ethernet-tcp", ("fabrics[ib].technology", "InfiniBand-NDR"))
    assert 1.0 < step_s(tcp, "llama3") / step_s(fast, "llama3") < 1.03
    assert step_s(tcp, "finetune") / step_s(fast, "finetune") > 1.4
    assert part_s(tcp, "finetune", "exposed_data") > 0.6 * part_s(tcp, "finetune", "productive")
    assert tcp["ledger_gpu_s"]["exposed_data"] > 3 * fast["ledger_gpu_s"]["exposed_data"]


def test_rdma_over_the_same_switches_is_nearly_as_fast_as_infiniband() -> None:
    roce = ran("ethernet-tcp", ("fabrics[ib].technology", "RoCE-400"))
    fast = ran("ethernet-tcp", ("fabrics[ib].technology", "InfiniBand-NDR"))
    assert 1.0 <= step_s(roce, "finetune") / step_s(fast, "finetune") < 1.02


def test_a_thin_tree_slows_experts_and_not_the_ring_beside_them() -> None:
    thin, full = ran("fat-tree-1k"), ran("fat-tree-1k", ("fabrics[tree].oversubscription", "1"))
    assert step_s(thin, "experts") > 1.2 * step_s(full, "experts")
    assert step_s(thin, "llama3") < 1.05 * step_s(full, "llama3")


def test_the_two_jobs_slow_each_other_where_they_share_a_leaf() -> None:
    thin, full = ran("fat-tree-1k"), ran("fat-tree-1k", ("fabrics[tree].oversubscription", "1"))
    assert thin["ledger_gpu_s"]["fabric_contention"] > 0.01 * sum(thin["ledger_gpu_s"].values())
    assert full["ledger_gpu_s"].get("fabric_contention", 0.0) == 0


def test_hashed_flows_collide() -> None:
    hashed, spread = ran("fat-tree-1k", ("fabrics[tree].routing", "ecmp")), ran("fat-tree-1k")
    assert step_s(hashed, "experts") > 1.2 * step_s(spread, "experts")


def test_experts_that_begin_with_a_rack_need_no_more_cables() -> None:
    scenario = shipped("fat-tree-1k")
    first, second = scenario.jobs
    shorter = first.model_copy(
        update={"nodes": 60, "workload": first.workload.model_copy(update={"global_batch": 60})}
    )
    engine = Engine(scenario.model_copy(update={"jobs": (shorter, second)}), 1)
    engine.advance(HOURS_S)
    thin, full = ran("fat-tree-1k"), ran("fat-tree-1k", ("fabrics[tree].oversubscription", "1"))
    aligned_s = step_s(engine.summary(), "experts")
    assert aligned_s < 0.85 * step_s(thin, "experts")
    assert aligned_s == pytest.approx(step_s(full, "experts"), rel=0.03)
