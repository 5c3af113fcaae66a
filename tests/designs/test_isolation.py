"""Tenants with racks or leaf switches to themselves: GPUs and ports that this costs, by hand."""

from __future__ import annotations

import pytest

from twin.catalog import load_catalog
from twin.designs.design import Design
from twin.designs.isolation import isolated_nodes, isolated_size, leaf_ports
from twin.designs.need_file import need_from
from twin.designs.screening import screened
from twin.scenario.checks.fabric_size import Ports, Size
from twin.scenario.text.problem import ScenarioError

LEAF = Ports("QM9700", 1, 64, 50e9)


def need(isolation: str, tenants: str = "[one, two, three]", gpus: int = 256) -> str:
    return (
        "format: twin/need\nversion: 1\ngpus: [H100]\n"
        f"stages: [{{date: 2027-01, gpus: {gpus}}}]\ntenants: {tenants}\nisolation: {isolation}\n"
    )


def test_own_racks_round_each_tenant_up_to_whole_racks() -> None:
    own = need_from(need("racks")).need
    # 32 nodes of three tenants are 11 each, which are three racks of four.
    assert isolated_nodes(own, 32, 4) == 36
    assert isolated_nodes(need_from(need("shared")).need, 32, 4) == 32
    assert isolated_nodes(need_from(need("leafs")).need, 32, 4) == 32


def test_own_leaves_round_each_tenant_up_to_whole_leaves() -> None:
    own = need_from(need("leafs")).need
    # Eight cards a node: a leaf of 32 ports down holds four nodes; 32 nodes are eight leaves.
    shared = Size(unit_nodes=32, units=1, leaf=LEAF, leaves=8, down=32, up=32, spines=4)
    # Eleven nodes each are three leaves each, nine in all; the spines grow with them.
    found = isolated_size(own, shared, 32, 8, "leaf-spine")
    assert (found.leaves, found.spines) == (9, 5)
    assert leaf_ports(found) - leaf_ports(shared) == 64
    # On rails eight leaves hold 32 nodes: each of three tenants has eight of its own.
    rails = isolated_size(own, shared, 32, 8, "rail-optimised")
    assert rails.leaves == 24
    assert isolated_size(need_from(need("racks")).need, shared, 32, 8, "leaf-spine") is shared


def designs(isolation: str) -> tuple[Design, ...]:
    return screened(need_from(need(isolation)), load_catalog(), 12).designs


def test_isolation_costs_gpus_or_ports_and_money() -> None:
    shared, racks, leafs = (designs(name) for name in ("shared", "racks", "leafs"))
    assert all(design.isolation_nodes == design.isolation_ports == 0 for design in shared)
    assert sum(design.isolation_nodes for design in racks) > 0
    assert sum(design.isolation_ports for design in leafs) > 0
    for plain, own in zip(shared, racks, strict=True):
        assert plain.choice == own.choice
        assert own.nodes == plain.nodes + own.isolation_nodes
        if own.isolation_nodes:
            assert own.capital_usd > plain.capital_usd
            assert own.site_w > plain.site_w
    for plain, own in zip(shared, leafs, strict=True):
        assert own.nodes == plain.nodes
        if own.isolation_ports:
            assert own.capital_usd > plain.capital_usd


def test_isolation_of_one_tenant_is_refused() -> None:
    with pytest.raises(ScenarioError, match="two tenants or more"):
        need_from(need("racks", "[one]"))
