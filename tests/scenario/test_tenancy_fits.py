"""Tenants, users, partitions, stores and clouds: what is refused when a scene is opened, and in which line."""

from __future__ import annotations

import pytest

from twin.scenario import ScenarioError, loads

RIGHT = """\
format: twin/scenario
version: 3
catalog: "2026.11"
title: Two tenants
halls:
  - id: hall
    rows:
      - {id: one, racks: {count: 2, nodes: [{part: DGX-H100, count: 1, first_u: 3}]}}
      - {id: two, at: {y: 4 m}, racks: {count: 2, nodes: [{part: DGX-H100, count: 1, first_u: 3}]}}
cooling:
  plants: [{id: water, kind: dry-cooler, supply: 14 degC}]
  loops: [{id: crah, kind: air, part: CRAH-chilled, plant: water, serves: [one, two], supply: 22 degC}]
storage:
  - {id: vault, read: 10 GB/s, write: 5 GB/s, tenants: [bank]}
tenants:
  - {id: bank, users: [ada, bob]}
  - {id: lab}
partitions:
  - {id: safe, rows: [one], tenants: [bank]}
  - {id: open, rows: [two]}
clouds:
  - {id: sky, quota: 64, price: 2.95, replication: {jobs: [risk]}}
jobs:
  - id: risk
    tenant: bank
    user: ada
    partition: safe
    storage: vault
    workload: {kind: load, gpu: 0.5}
  - {id: test, tenant: lab, partition: open, workload: {kind: load, gpu: 0.5}}
"""

WRONG = [
    ("user: ada", "user: eve", "user", "may not act for tenant bank"),
    ("partition: safe\n", "partition: save\n", "partition", "unknown partition"),
    (
        "id: test, tenant: lab, partition: open",
        "id: test, tenant: lab, partition: safe",
        "partition",
        "does not admit",
    ),
    ("partition: safe\n", "partition: safe\n    rows: [two]\n", "rows", "are outside partition safe"),
    ("rows: [one], tenants: [bank]", "rows: [won], tenants: [bank]", "rows", "unknown row generator"),
    ("rows: [one], tenants: [bank]", "rows: [one], tenants: [bonk]", "tenants", "unknown tenant"),
    ("tenants: [bank]}\ntenants", "tenants: [lab]}\ntenants", "storage", "may not be mounted by tenant bank"),
    ("jobs: [risk]", "jobs: [rusk]", "jobs", "unknown job"),
    ("price: 2.95", "price: 2.95, gpu: H1000", "gpu", "is not a GPU of the catalogue"),
    ("id: open", "id: safe", "id", "is a duplicate"),
]


def test_a_scene_that_keeps_its_rules_opens() -> None:
    assert len(loads(RIGHT, "mine").scenario.jobs) == 2


@pytest.mark.parametrize(("old", "new", "key", "reason"), WRONG, ids=[f"{w[2]}: {w[3]}" for w in WRONG])
def test_what_breaks_a_rule_is_refused_with_its_line(old: str, new: str, key: str, reason: str) -> None:
    assert RIGHT.count(old) == 1
    text = RIGHT.replace(old, new)
    with pytest.raises(ScenarioError) as caught:
        loads(text, "mine")
    problem = next(one for one in caught.value.problems if reason in one.reason)
    assert key in problem.key
    assert problem.hint
    assert key in text.splitlines()[problem.line - 1]
