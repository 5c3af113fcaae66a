"""Leaks between tenants: one scene without any, and for each rule the one change that breaks it alone."""

from __future__ import annotations

import pytest

from twin.catalog import load_catalog
from twin.cli.security import checklist
from twin.plant.build import build
from twin.plant.tenancy_rules import Control, review
from twin.rules import BY_ID, check
from twin.scenario import loads

CLEAN = """\
format: twin/scenario
version: 3
catalog: "2026.11"
title: A bank and a lab
halls:
  - id: hall
    rows:
      - {id: one, racks: {count: 4, nodes: [{part: DGX-H100, count: 1, first_u: 3}]}}
      - {id: two, at: {y: 4 m}, racks: {count: 4, nodes: [{part: DGX-H100, count: 1, first_u: 3}]}}
      - {id: net, at: {y: 8 m}, racks: {count: 2, role: network}}
fabrics:
  - id: ib
    kind: leaf-spine
    rows: [one, two]
    unit_nodes: 4
    leaf: {part: QM9700, racks: net}
    spine: {part: QM9700, racks: net}
cooling:
  plants: [{id: water, kind: dry-cooler, supply: 14 degC}]
  loops: [{id: crah, kind: air, part: CRAH-chilled, plant: water, serves: [one, two, net], supply: 22 degC}]
storage:
  - {id: vault, read: 10 GB/s, write: 5 GB/s, tenants: [bank], network: vlan-1, encrypted: true}
  - {id: tape, kind: object, read: 1 GB/s, write: 1 GB/s, tenants: [bank], network: vlan-1, encrypted: true}
  - {id: pool, read: 10 GB/s, write: 5 GB/s, tenants: [lab], network: vlan-2}
tenants:
  - {id: bank, users: [ada], quota: 32, isolation: leaf, network: vlan-1, encrypted: true}
  - {id: lab, users: [bob], quota: 16, network: vlan-2}
  - {id: club, users: [cid], quota: 16}
partitions:
  - {id: safe, rows: [one], tenants: [bank], network: vlan-1}
  - {id: bench, rows: [two], tenants: [lab], network: vlan-2, exclusive: true}
  - {id: open, rows: [two], tenants: [club]}
clouds:
  - {id: sky, quota: 64, price: 2.95, encrypted: true, burst: {wait: 1 h}}
jobs:
  - id: risk
    tenant: bank
    user: ada
    partition: safe
    storage: vault
    checkpoint: {interval: 1 h, storage: vault, tiers: [{to: object, storage: tape}]}
    workload: {kind: load, gpu: 0.5}
  - {id: test, tenant: lab, user: bob, partition: bench, storage: pool, gpus: 2, workload: {kind: load, gpu: 0.5}}
  - {id: play, tenant: club, user: cid, partition: open, gpus: 3, workload: {kind: load, gpu: 0.5}}
"""


def controls(text: str) -> dict[str, Control]:
    scenario = loads(text, "mine").scenario
    return {one.id: one for one in review(scenario, build(scenario, load_catalog()))}


def test_a_scene_that_keeps_tenants_apart_passes_every_control() -> None:
    assert {
        one.id: [leak.reason for leak in one.leaks] for one in controls(CLEAN).values() if one.leaks
    } == {}
    assert {one.status for one in controls(CLEAN).values()} == {"pass"}


RULES = [
    # another tenant may use the same nodes at another time
    (
        "rows: [two], tenants: [club]",
        "rows: [one, two], tenants: [club]",
        "compute-isolation",
        "medium",
        "bank",
        "club may use the same",
    ),
    # and one whose nodes stand in other rows, but on the same leaf switch
    (
        "kind: leaf-spine\n    rows: [one, two]\n    unit_nodes: 4",
        "kind: rail-optimised\n    rows: [one, two]\n    unit_nodes: 8",
        "compute-isolation",
        "medium",
        "bank",
        "leaf switches of its own",
    ),
    # a partition open to everybody on the nodes of a tenant that wants to be alone
    (
        "{id: open, rows: [two], tenants: [club]}",
        "{id: open, rows: [one]}",
        "partition-access",
        "high",
        "open",
        "is open to everybody",
    ),
    # traffic of a tenant that its partition does not put into its VLAN
    (
        "rows: [one], tenants: [bank], network: vlan-1",
        "rows: [one], tenants: [bank]",
        "network-segmentation",
        "high",
        "safe",
        "carries no VLAN or P-Key",
    ),
    (
        "rows: [one], tenants: [bank], network: vlan-1",
        "rows: [one], tenants: [bank], network: vlan-9",
        "network-segmentation",
        "high",
        "safe",
        "a path across network partitions",
    ),
    # two tenants in one VLAN
    (
        "{id: club, users: [cid], quota: 16}",
        "{id: club, users: [cid], quota: 16, network: vlan-2}",
        "network-segmentation",
        "high",
        "lab",
        "is also the network of club",
    ),
    # stores
    (
        "tenants: [lab], network: vlan-2}\ntenants",
        "tenants: [lab]}\ntenants",
        "storage-access",
        "high",
        "pool",
        "is reached from every network",
    ),
    (
        "tenants: [lab], network: vlan-2}\ntenants",
        "tenants: [lab], network: vlan-1}\ntenants",
        "storage-access",
        "high",
        "pool",
        "a path across networks",
    ),
    (
        "tenants: [lab], network: vlan-2}\ntenants",
        "network: vlan-2}\ntenants",
        "storage-access",
        "medium",
        "pool",
        "may be mounted by everybody",
    ),
    (
        "{id: vault, read: 10 GB/s, write: 5 GB/s, tenants: [bank], network: vlan-1, encrypted: true}",
        "{id: vault, read: 10 GB/s, write: 5 GB/s, tenants: [bank], network: vlan-1}",
        "encryption-at-rest",
        "high",
        "vault",
        "is not encrypted",
    ),
    # off site
    (
        "{id: tape, kind: object, read: 1 GB/s, write: 1 GB/s, tenants: [bank], network: vlan-1, encrypted: true}",
        "{id: tape, kind: object, read: 1 GB/s, write: 1 GB/s, tenants: [bank], network: vlan-1}",
        "encryption-off-site",
        "high",
        "risk",
        "off site, not encrypted",
    ),
    ("price: 2.95, encrypted: true", "price: 2.95", "encryption-off-site", "high", "sky", "may go there"),
    # the management network
    (
        "{id: club, users: [cid], quota: 16}",
        "{id: club, users: [cid], quota: 16, management: true}",
        "management-plane",
        "high",
        "club",
        "reach the management network",
    ),
    # roles
    ("tenant: club, user: cid", "tenant: club", "access-control", "low", "play", "has no user"),
    (
        "tenant: club, user: cid, partition: open",
        "user: bob",
        "access-control",
        "high",
        "play",
        "is a user of lab, and submits for no tenant",
    ),
    (
        "tenant: club, user: cid, partition: open",
        "user: eve",
        "access-control",
        "medium",
        "play",
        "is a user of no tenant",
    ),
    # quotas
    ("users: [cid], quota: 16", "users: [cid]", "resource-quotas", "low", "club", "has no quota"),
    # nodes and GPUs in parts
    (
        "network: vlan-2, exclusive: true",
        "network: vlan-2",
        "gpu-partitioning",
        "medium",
        "test",
        "shares a node with work of club",
    ),
]


@pytest.mark.parametrize(
    ("old", "new", "control", "severity", "subject", "reason"), RULES, ids=[f"{r[2]}: {r[5]}" for r in RULES]
)
def test_one_change_breaks_one_rule(
    old: str, new: str, control: str, severity: str, subject: str, reason: str
) -> None:
    assert CLEAN.count(old) == 1
    found = [(one.id, leak) for one in controls(CLEAN.replace(old, new)).values() for leak in one.leaks]
    assert {name for name, _ in found} == {control}
    leak = next(leak for _, leak in found if reason in leak.reason)
    assert (leak.severity, leak.subject) == (severity, subject)
    assert leak.hint
    scenario = loads(CLEAN.replace(old, new), "mine").scenario
    report = check(scenario, build(scenario, load_catalog()), load_catalog())
    weight = {"high": "error", "medium": "warning", "low": "notice"}[severity]
    told = [one for one in report.findings if one.rule == control]
    assert (weight, (subject,)) in [(one.severity, one.ids) for one in told]
    assert {one.rule for one in report.findings if BY_ID[one.rule].family == "tenancy"} == {control}


def test_one_fabric_without_partitions_puts_no_network_into_force() -> None:
    lines = CLEAN.splitlines()
    first, last = lines.index("partitions:"), lines.index("clouds:")
    text = "\n".join(lines[:first] + lines[last:])
    for part in ("    partition: safe\n", ", partition: bench", ", partition: open"):
        text = text.replace(part, "")
    leaks = controls(text)["network-segmentation"].leaks
    assert any("is not enforced" in leak.reason for leak in leaks)


def test_mig_of_two_tenants_lies_side_by_side_unless_one_asks_for_nodes() -> None:
    text = CLEAN.replace("exclusive: true", "exclusive: false").replace("gpus: 2", "mig: 1g.10gb")
    leaks = controls(text.replace("gpus: 3", "mig: 3g.40gb"))["gpu-partitioning"].leaks
    assert [leak.subject for leak in leaks] == ["test"]
    assert "shares a GPU" in leaks[0].reason
    alone = text.replace("quota: 16, network: vlan-2", "quota: 16, network: vlan-2, isolation: node")
    assert controls(alone)["gpu-partitioning"].leaks == ()


def test_checklist_says_pass_fail_and_not_applicable_with_lines() -> None:
    text = CLEAN.replace("price: 2.95, encrypted: true", "price: 2.95")
    rows = {row["control"]: row for row in checklist(loads(text, "mine"))}
    assert rows["encryption-off-site"]["status"] == "fail"
    finding = rows["encryption-off-site"]["findings"][0]
    assert "id: sky" in text.splitlines()[finding["line"] - 1]
    assert finding["right"].startswith("encrypted: true")
    assert rows["encryption-at-rest"]["status"] == "pass"
    bare = text[: text.index("tenants:\n")] + "jobs: [{id: a, workload: {kind: load, gpu: 0.5}}]\n"
    bare = bare.replace("tenants: [bank], ", "").replace("tenants: [lab], ", "")
    assert {row["status"] for row in checklist(loads(bare, "mine"))} == {"not applicable"}


def test_ciphers_cost_bandwidth_both_ways() -> None:
    scenario = loads(CLEAN, "mine").scenario
    stores = build(scenario, load_catalog()).storage
    assert stores.read_bytes_s.tolist() == pytest.approx([9.5e9, 0.95e9, 10e9])
    assert stores.write_bytes_s.tolist() == pytest.approx([4.75e9, 0.95e9, 5e9])


def test_one_vlan_of_two_tenants_is_found_without_a_fabric_too() -> None:
    text = CLEAN[: CLEAN.index("fabrics:")] + CLEAN[CLEAN.index("cooling:") :]
    assert controls(text)["network-segmentation"].status == "pass"
    text = text.replace(
        "{id: club, users: [cid], quota: 16}", "{id: club, users: [cid], quota: 16, network: vlan-2}"
    )
    found = controls(text)["network-segmentation"]
    assert found.status == "fail"
    assert {leak.subject for leak in found.leaks} == {"lab", "club"}
