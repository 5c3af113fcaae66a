"""Quotas, fair share, preemption, windows, parts of GPUs, isolation and green starts, by small cases."""

from __future__ import annotations

import numpy as np
import pytest
from usual_cases import usually

from tests.schedule.queue_scenes import Green, Preemption, Weights, ask, flat, policy, run
from twin.scenario.schema.scheduling import Partition
from twin.scenario.schema.work import Tenant
from twin.schedule.admission import refusal
from twin.schedule.gates import Quotas
from twin.schedule.planner import Planner
from twin.schedule.queue import NodeLabels, Request, Requests, SiteView
from twin.schedule.shares import FairShare
from twin.schedule.tenants import Tenants
from twin.schedule.windows import Window

A, B = 1, 2


def tenants(**of_a: object) -> list[Tenant]:
    return [Tenant.model_validate({"id": "a"} | of_a), Tenant(id="b")]


# --- quotas


def test_a_tenant_that_may_not_borrow_stays_within_its_quota_and_hinders_nobody() -> None:
    rows = [ask(0, 4, 10, tenant=A), ask(1, 4, 10, tenant=A), ask(2, 4, 10, tenant=B)]
    done = run(rows, policy("fifo"), tenants=tenants(quota=5, borrow=False))
    assert done.start_s.tolist() == [0, 10, 2]


def test_borrowers_come_after_all_who_are_within_their_quotas() -> None:
    rows = [ask(0, 6, 10, tenant=A), ask(1, 4, 10, tenant=A), ask(1, 4, 10, tenant=B)]
    done = run(rows, policy("fifo"), tenants=tenants(quota=5, borrow=True))
    assert done.start_s.tolist() == [0, 10, 1]
    alone = run(rows[:2], policy("fifo"), tenants=tenants(quota=5, borrow=True))
    assert alone.start_s.tolist() == [0, 1]  # nobody else wants them


def test_one_decision_does_not_let_two_jobs_through_one_quota() -> None:
    rows = [ask(0, 3, 10, tenant=A), ask(0, 3, 10, tenant=A)]
    assert run(rows, policy("easy"), tenants=tenants(quota=5, borrow=False)).start_s.tolist() == [0, 10]


# --- priority


def test_use_counts_half_after_a_half_life() -> None:
    shares = FairShare(np.array([1.0, 1.0, 1.0]), 100.0)
    shares.advance(100.0, np.array([0.0, 8.0, 0.0]))
    whole = 8 * 100 / np.log(2)
    assert shares.used_gpu_s[1] == pytest.approx(whole / 2)  # 8 GPUs for one half-life, from nothing
    shares.advance(200.0, np.zeros(3))
    assert shares.used_gpu_s[1] == pytest.approx(whole / 4)
    assert shares.factor().tolist() == pytest.approx([1.0, 2.0**-3, 1.0])  # it used all, and is due a third


def test_a_tenant_that_used_its_share_gets_one_half() -> None:
    shares = FairShare(np.array([1.0, 1.0]), 1e9)
    shares.advance(1.0, np.array([5.0, 5.0]))
    assert shares.factor().tolist() == pytest.approx([0.5, 0.5])


def test_who_used_less_comes_first_and_age_may_outweigh_it() -> None:
    rows = [
        ask(0, 10, 10, tenant=A),
        ask(1, 10, 10, tenant=A),
        ask(2, 10, 10, tenant=B),
    ]
    assert run(rows, policy("priority"), tenants=tenants()).start_s.tolist() == [0, 20, 10]
    old = policy("priority", weights=Weights(fair_share=0, age=1000))
    assert run(rows, old, tenants=tenants()).start_s.tolist() == [0, 10, 20]


@pytest.mark.parametrize(
    ("weights", "first"),
    [
        ({"priority": 1000}, 1),
        ({"size": 1000}, 2),
        ({"deadline": 1000, "age_limit": 1000}, 3),
    ],
)
def test_each_factor_by_itself(weights: dict[str, float], first: int) -> None:
    rows = [
        ask(0, 10, 10),
        ask(1, 6, 10, priority=5),
        ask(1, 9, 10),
        ask(1, 7, 10, deadline_s=100),
    ]
    said = Weights.model_validate({"age": 0, "fair_share": 0, "priority": 0} | weights)
    done = run(rows, policy("priority", backfill="none", weights=said))
    assert int(np.argmin(done.start_s[1:])) + 1 == first


# --- preemption

TAKES = Preemption.model_validate({"enabled": True, "minimum": 5})


def test_lower_priority_gives_way_after_its_minimum_and_no_more_than_needed() -> None:
    rows = [
        ask(0, 4, 100, preemptible=True, priority=-5),
        ask(0, 4, 100, preemptible=True, priority=-9),
        ask(0, 2, 100, priority=-10),  # lowest, but not preemptible
        ask(1, 4, 10, priority=10),
    ]
    done = run(rows, policy("priority", preemption=TAKES))
    assert done.start_s[3] == 5
    assert done.preemptions == 1
    assert done.start_s[1] == 15  # the lower of the two gave way and runs again afterwards
    assert done.start_s[0] == 0


def test_who_gave_way_goes_after_the_job_it_did_that_for() -> None:
    rows = [ask(0, 4, 100, preemptible=True, priority=-9), ask(10, 10, 1000)]
    takes = Preemption.model_validate({"enabled": True, "minimum": 0})
    for order in ("shortest", "submit"):  # by both the victim would be first again
        done = run(rows, policy("easy", order=order, preemption=takes))
        assert done.start_s.tolist() == [1010, 10]
        assert done.preemptions == 1


def test_nobody_gives_way_to_a_job_that_a_window_keeps_out() -> None:
    rows = [ask(0, 4, 100, preemptible=True, priority=-9), ask(10, 10, 1000)]
    shut = Window("w", 500.0, 20.0, np.inf, np.ones(10, bool), frozenset(), frozenset())
    done = run(rows, policy("priority", preemption=TAKES), windows=[shut])
    assert done.preemptions == 0
    assert done.start_s.tolist() == [0, 520]


def test_equals_do_not_preempt_each_other() -> None:
    rows = [ask(0, 10, 100, preemptible=True), ask(1, 4, 10)]
    done = run(rows, policy("priority", preemption=TAKES))
    assert done.preemptions == 0
    assert done.start_s[1] == 100


def test_borrowed_nodes_are_reclaimed_by_a_tenant_within_its_quota() -> None:
    two = [Tenant(id="a", quota=4), Tenant(id="b", quota=6)]
    rows = [ask(0, 4, 100, tenant=A), ask(0, 6, 100, tenant=A), ask(1, 6, 10, tenant=B)]
    done = run(rows, policy("easy", preemption=TAKES), tenants=two)
    assert done.start_s.tolist() == [0, 15, 5]
    keep = Preemption.model_validate({"enabled": True, "minimum": 5, "reclaim": False})
    assert run(rows, policy("easy", preemption=keep), tenants=two).start_s[2] == 100


# --- windows


def window(at_s: float, lasts_s: float, nodes: int = 10, **more: object) -> Window:
    mask = np.arange(10) < nodes
    return Window(
        **({"id": "w", "at_s": at_s, "duration_s": lasts_s, "every_s": np.inf, "nodes": mask} | more)
    )  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["fifo", "easy", "conservative"])
def test_a_job_that_would_run_into_maintenance_waits_until_it_is_over(name: str) -> None:
    rows = [ask(0, 4, 10), ask(1, 4, 20), ask(2, 4, 8)]
    done = run(rows, policy(name), windows=[window(10, 5)])
    expected = [0, 15, 2] if name != "fifo" else [0, 15, 15]
    assert done.start_s.tolist() == expected


def test_a_job_of_unknown_length_cannot_cross_a_window_but_runs_beside_it() -> None:
    rows = [ask(0, 4, np.inf), ask(0, 6, np.inf)]
    done = run(rows, policy("easy"), run_s=[5, 5], windows=[window(100, 50, nodes=5)])
    assert done.start_s[0] == 0
    assert set(done.nodes[0].tolist()).isdisjoint(range(5))
    assert done.start_s[1] == 150


def test_a_weekly_window_comes_again() -> None:
    weekly = window(10, 5, every_s=100)
    assert [t for t, _ in weekly.occurrences(0, 250)] == [10, 110, 210]
    assert (weekly.on(12), weekly.on(15), weekly.on(110)) == (True, False, True)
    assert (weekly.turn_s(0), weekly.turn_s(10), weekly.turn_s(15)) == (10, 15, 110)
    done = run([ask(16, 10, 94), ask(16, 10, 90)], policy("conservative"), windows=[weekly])
    assert done.start_s.tolist() == [16, 115]


def test_a_reservation_keeps_nodes_for_its_tenants_and_jobs() -> None:
    kept = window(0, 100, nodes=6, tenants=frozenset({A}))
    rows = [ask(0, 5, 10, tenant=B), ask(1, 4, 10, tenant=B), ask(2, 5, 10, tenant=A)]
    done = run(rows, policy("easy"), windows=[kept], tenants=tenants())
    assert done.start_s.tolist() == [100, 1, 2]
    mine = window(0, 100, nodes=6, jobs=frozenset({0}))
    assert run(rows, policy("easy"), windows=[mine], tenants=tenants()).start_s[0] == 0


# --- parts of nodes


def test_small_jobs_fill_a_shared_node_and_keep_others_whole() -> None:
    rows = [Request(nodes=1, rest=k, gpus=k, estimate_s=10) for k in (3, 2, 3)] + [
        Request(nodes=1, gpus=8, estimate_s=10)
    ]
    done = run(rows, policy("easy"), nodes=2, gpus=8)
    assert done.start_s.tolist() == [0, 0, 0, 0]
    assert [int(nodes[-1]) for nodes in done.nodes] == [done.nodes[0][0]] * 3 + [done.nodes[3][0]]
    assert done.nodes[0][0] != done.nodes[3][0]


def test_a_job_takes_whole_nodes_and_part_of_another() -> None:
    rows = [Request(nodes=2, rest=3, gpus=7, estimate_s=10), Request(nodes=1, rest=1, gpus=1, estimate_s=10)]
    done = run(rows, policy("fifo"), nodes=2, gpus=4)
    assert done.start_s.tolist() == [0, 0]
    assert done.nodes[1].tolist() == [done.nodes[0][-1]]


def test_slices_of_one_gpu_are_packed_before_another_is_cut() -> None:
    rows = [Request(nodes=1, slices=k, gpus=k / 7, estimate_s=10) for k in (3, 4, 2, 2, 3)]
    rows.append(Request(nodes=1, gpus=2, estimate_s=10))
    done = run(rows, policy("easy"), nodes=2, gpus=2)
    assert (
        done.start_s.tolist() == [0] * 6
    )  # two GPUs of one node hold 7 of 7 each, the other node stays whole
    assert run([*rows[:5], rows[0]], policy("easy"), nodes=1, gpus=2).start_s[5] == 10


@pytest.mark.parametrize(("gpus", "starts"), [(4, [0, 10, 1, 10]), (7, [0, 10, 110, 2])])
def test_a_waiting_part_is_promised_gpus_and_others_pass_beside_it(gpus: int, starts: list[float]) -> None:
    """Two GPUs for 100 s pass who waits for four of eight, and would delay who waits for seven."""
    rows = [
        Request(nodes=1, rest=6, gpus=6, estimate_s=10),
        Request(nodes=1, rest=gpus, gpus=gpus, estimate_s=100, submit_s=0),
        Request(nodes=1, rest=2, gpus=2, estimate_s=100, submit_s=1),
        Request(nodes=1, rest=2, gpus=2, estimate_s=8, submit_s=2),
    ]
    for name in ("easy", "conservative"):
        assert run(rows, policy(name), nodes=1, gpus=8).start_s.tolist() == starts


@pytest.mark.parametrize("seed", usually(range(20), 4))
def test_parts_never_exceed_a_node(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = []
    for submit in np.sort(rng.integers(0, 60, 40)).tolist():
        gpus, slices = int(rng.integers(1, 20)), 0
        if rng.random() < 0.3:
            slices = int(rng.integers(1, 5))
        nodes = 1 if slices else -(-gpus // 8)
        rest = 0 if slices else gpus % 8
        asked = slices / 7 if slices else float(gpus)
        lasts = float(rng.integers(1, 30))
        rows.append(Request(nodes, rest, slices, asked, 0, float(submit), lasts))
    for name in ("fifo", "easy", "conservative"):
        done = run(rows, policy(name), nodes=4, gpus=8)
        assert np.isfinite(done.end_s).all()
        for t_s in done.start_s:
            held = np.zeros(4)
            for job in np.flatnonzero((done.start_s <= t_s) & (t_s < done.end_s)):
                row, nodes = rows[job], done.nodes[job]
                whole = len(nodes) - bool(row.rest or row.slices)
                held[nodes[:whole]] += 8
                if row.rest or row.slices:
                    held[nodes[-1]] += row.rest or row.slices / 7
            assert (held <= 8 + 1e-9).all()


# --- isolation

PAIRS = NodeLabels(np.arange(4), np.array([0, 0, 1, 1]), np.zeros(4, np.int64), np.array([0, 0, 1, 1]))


def test_an_isolated_tenant_shares_no_node() -> None:
    rows = [
        Request(nodes=1, rest=2, gpus=2, estimate_s=10, tenant=A),
        Request(nodes=1, rest=2, gpus=2, estimate_s=10, tenant=B),
        Request(nodes=1, rest=2, gpus=2, estimate_s=10, tenant=A),
    ]
    together = run(rows, policy("fifo"), nodes=2, gpus=8, tenants=tenants())
    assert len({int(nodes[0]) for nodes in together.nodes}) == 1
    apart = run(rows, policy("fifo"), nodes=2, gpus=8, tenants=tenants(isolation="node"))
    assert apart.nodes[0] == apart.nodes[2] != apart.nodes[1]


@pytest.mark.parametrize("level", ["leaf", "rack"])
def test_an_isolated_tenant_has_its_leaf_or_rack_to_itself(level: str) -> None:
    rows = [ask(0, 1, 10, tenant=A), ask(1, 2, 10, tenant=B), ask(2, 1, 10, tenant=B), ask(3, 1, 5, tenant=A)]
    done = run(rows, policy("easy"), nodes=4, labels=PAIRS, tenants=tenants(isolation=level))
    assert done.nodes[1].tolist() == [2, 3]
    assert done.start_s.tolist() == [0, 1, 10, 3]


def test_an_isolated_tenant_is_not_starved_by_others() -> None:
    rows = [ask(0, 1, 10, tenant=B), ask(0, 2, 10, tenant=B), ask(1, 2, 10, tenant=A)]
    rows += [ask(1.5 + k, 1, 10, tenant=B) for k in range(8)]
    done = run(rows, policy("easy"), nodes=4, labels=PAIRS, tenants=tenants(isolation="leaf"))
    assert done.start_s[2] <= 12


# --- green starts


def green_site(carbon: float = 0.0, power_w: float = 0.0, now_s: float = 0.0) -> SiteView:
    return SiteView(
        now_s,
        np.ones(4, bool),
        np.full(4, -np.inf),
        np.ones(4, np.int64),
        np.ones(4, np.int64),
        np.full(4, -1),
        np.zeros(1),
        power_w=power_w,
        carbon_kg_j=carbon,
        turn_s=3600.0,
    )


def planner(rows: list[Request], green: dict[str, object]) -> Planner:
    said = policy("easy", green=Green.model_validate(green))
    return Planner(said, Requests(rows), [(np.ones(4, bool),)], flat(4))


def test_flexible_jobs_wait_for_clean_energy_but_not_for_ever() -> None:
    rows = [ask(0, 1, 10, flexible=True), ask(0, 1, 10), ask(0, 1, 10, flexible=True, deadline_s=10)]
    one = planner(rows, {"carbon_limit": 1e-7, "longest_wait": 5000})
    dirty = one.decide([0, 1, 2], green_site(carbon=2e-7))
    assert [start.job for start in dirty.starts] == [1, 2]  # the last would miss its deadline
    assert dirty.look_again_s == 3600
    assert dirty.reasons[0].name == "GREEN"
    assert [s.job for s in one.decide([0], green_site(carbon=1e-8)).starts] == [0]
    late = one.decide([0], green_site(carbon=2e-7, now_s=3601.0))
    assert late.look_again_s == 3600 or late.look_again_s == 5000
    assert [s.job for s in one.decide([0], green_site(carbon=2e-7, now_s=5000.0)).starts] == [0]


def test_no_start_takes_power_above_the_limit() -> None:
    rows = [ask(0, 1, 10, power_w=400.0), ask(0, 1, 10, power_w=400.0), ask(0, 1, 20, power_w=100.0)]
    decision = planner(rows, {"power_limit": 1000}).decide([0, 1, 2], green_site(power_w=500.0))
    assert [start.job for start in decision.starts] == [0]
    assert decision.reasons[1].name == "GREEN"
    assert decision.planned == {1: 10.0}


def test_who_waits_for_power_is_passed_by_those_who_end_before_it_comes_and_not_for_ever() -> None:
    rows = [ask(0, 1, 10, power_w=800.0), ask(0, 1, 10, power_w=900.0)]
    rows += [ask(k, 1, 5, power_w=100.0) for k in range(1, 40)]
    said = policy("easy", green=Green.model_validate({"power_limit": 1000, "longest_wait": "1 day"}))
    done = run(rows, said)
    assert done.start_s[1] == 10  # as if nobody were there but the first
    assert done.start_s[2:7].tolist() == [1, 2, 10, 15, 20]  # the next would end at 11
    at_once = policy("easy", green=Green.model_validate({"power_limit": 1000, "longest_wait": "0 s"}))
    assert run(rows, at_once).start_s[2] == 10  # nobody passes any more


def test_more_than_the_depth_start_when_they_fit() -> None:
    rows = [ask(0, 1, 100) for _ in range(11)]
    for name in ("easy", "conservative", "priority"):
        done = run(rows, policy(name, depth=3))
        assert np.sort(done.start_s).tolist() == [0] * 10 + [100]


@pytest.mark.parametrize("name", ["fifo", "easy", "conservative", "priority"])
def test_a_tenant_that_fills_its_quota_at_a_moment_borrows_at_that_moment(name: str) -> None:
    rows = [ask(0, 5, 1000, tenant=A), ask(0, 5, 1000, tenant=A), ask(1, 5, 1000, tenant=B)]
    may, must_not = (tenants(quota=5, borrow=one) for one in (True, False))
    assert run(rows, policy(name), tenants=may).start_s.tolist() == [0, 0, 1000]
    assert run(rows, policy(name), tenants=must_not).start_s.tolist() == [0, 1000, 1]
    both = [ask(0, 5, 1000, tenant=A), ask(0, 5, 1000, tenant=A), ask(0, 5, 1000, tenant=B)]
    assert run(both, policy(name), tenants=may).start_s.tolist() == [0, 1000, 0]  # who is within goes first


# --- what can never run


def test_what_can_never_run_is_refused_with_what_would() -> None:
    place = (np.ones(4, bool),)
    quotas = Quotas(np.array([np.inf, 2.0]), np.array([True, False]))
    small = Partition.model_validate({"id": "debug", "rows": ["gpu"], "tenants": ["a"], "limit": "1 h"})

    def why(request: Request, **more: object) -> str:
        return refusal(request, place, quotas, Green(), **more)  # type: ignore[arg-type]

    assert why(ask(0, 4, 10)) == ""
    assert "4 that work together" in why(ask(0, 5, 10))
    assert "quota of a is 2" in why(ask(0, 3, 10, tenant=A), tenant="a")
    assert "a may" in why(ask(0, 1, 10), partition=small, tenant="b")
    assert "1 h" in why(ask(0, 1, 10), partition=small, tenant="a", asked_s=7200.0)
    assert why(ask(0, 1, 10), partition=small, tenant="a", asked_s=3600.0) == ""
    assert Tenants.of(tenants(quota=5)).quotas.any
    dark = Green.model_validate({"power_limit": 1000})
    assert refusal(ask(0, 1, 10, power_w=400.0), place, quotas, dark, idle_w=500.0) == ""
    assert "0.5 kW on top of 0.6 kW" in refusal(
        ask(0, 1, 10, power_w=500.0), place, quotas, dark, idle_w=600.0
    )
