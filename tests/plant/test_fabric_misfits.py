"""Fabrics that cannot be built: said by the loader, with the line, the key and what would be right."""

from __future__ import annotations

import pytest

from twin.catalog import load_catalog
from twin.plant.build import build
from twin.plant.error import PlantError
from twin.scenario import ScenarioError, loads
from twin.scenario.file.warnings import doubts
from twin.scenario.schema.document import Scenario

TEXT = """format: twin/scenario
version: 3
catalog: "2026.11"
title: test
halls:
  - id: hall
    rows:
      - id: gpu
        racks: {count: 16, nodes: [{part: DGX-H100, count: 4}]}
fabrics:
  - id: ib
"""
SWITCH = "{part: QM9700}"
LEAF_SPINE = f"leaf: {SWITCH}, spine: {SWITCH}"
FAT_TREE = f"{LEAF_SPINE}, core: {SWITCH}"
TORUS = "technology: InfiniBand-NDR"


def scene(kind: str, said: str) -> str:
    """Return a scene of 64 nodes of 8 cards with one fabric; each key on a line of its own, from line 12."""
    depth, keys = 0, [""]
    for letter in f"kind: {kind}, {said}":
        depth += (letter in "{[") - (letter in "}]")
        if letter == "," and not depth:
            keys.append("")
        else:
            keys[-1] += letter
    return TEXT + "".join(f"    {key.strip()}\n" for key in keys)


MISFITS = [
    ("leaf-spine", f"{LEAF_SPINE}, unit_nodes: 64, leaf_count: 7", "leaf_count", "unknown key"),
    ("leaf-spine", "leaf: {part: QM9700, count: 7}, unit_nodes: 64", "leaf.count", "74 ports to its nodes"),
    ("leaf-spine", f"leaf: {SWITCH}, spine: {{part: QM9700, count: 2}}", "spine.count", "at least 8"),
    ("leaf-spine", f"spine: {SWITCH}, leaf: {{part: QM9700, count: 8}}", "leaf.count", "0 left to go up"),
    ("leaf-spine", f"{LEAF_SPINE}, core: {SWITCH}", "core", "is not a tier of a leaf spine"),
    ("leaf-spine", LEAF_SPINE.replace("leaf", "lead"), "lead", "did you mean 'leaf'"),
    ("leaf-spine", f"spine: {SWITCH}", "leaf", "a leaf spine needs it"),
    ("single-switch", "leaf: {part: QM9700, count: 7}", "leaf.count", "QM9700 has 64"),
    ("single-switch", "leaf: {part: QM9700, count: 1}, homes: 2", "leaf.count", "at least 2"),
    ("leaf-spine", "leaf: {part: QM9700, count: 2}, homes: 2, unit_nodes: 32", "leaf.count", "at least 4"),
    ("leaf-spine", f"{LEAF_SPINE}, homes: 3", "homes", "must be at most 2"),
    ("rail-only", "leaf: {part: QM8700}", "leaf.part", "a rail has 64 cables; add a spine"),
    ("rail-only", f"leaf: {SWITCH}, unit_nodes: 8", "unit_nodes", "not connected"),
    ("fat-tree", LEAF_SPINE, "core", "is missing, and a fat tree needs it"),
    (
        "fat-tree",
        f"{LEAF_SPINE}, core: {{part: QM9700, count: 1}}, unit_nodes: 8",
        "core.count",
        "does not divide evenly",
    ),
    ("fat-tree", f"{FAT_TREE}, unit_nodes: 512", "", ""),
    ("fat-tree", f"{LEAF_SPINE}, core: {{part: QM9700, count: 4}}, unit_nodes: 16", "", ""),
    ("fat-tree", f"{FAT_TREE}, technology: Infiniband", "technology", "did you mean 'InfiniBand-"),
    ("dragonfly-plus", f"leaf: {SWITCH}", "spine", "is missing"),
    (
        "dragonfly-plus",
        f"leaf: {SWITCH}, spine: {{part: QM9700, count: 3}}",
        "spine.count",
        "evenly over 2",
    ),
    ("torus", "dims: [4, 4, 4]", "technology", "no switch gives it"),
    ("torus", f"{TORUS}, dims: [4, 4, 5]", "dims", "4 x 4 x 5 = 80 places for 64 nodes; [4, 4, 4] would do"),
    ("torus", f"{TORUS}, leaf: {SWITCH}", "leaf", "is not a tier of a torus"),
    ("torus", f"{TORUS}, homes: 2", "homes", "its NICs connect to no leaf"),
    ("ring", f"{TORUS}, dims: [64]", "dims", "only a torus has dims"),
    ("ring", f"{TORUS}, links: [{{from: gpu/0/0/0, to: gpu/0/0/1}}]", "links", "kind: explicit"),
    ("explicit", f"leaf: {SWITCH}", "links", "is empty"),
    ("mesh", f"leaf: {SWITCH}", "kind", "must be"),
]


@pytest.mark.parametrize(("kind", "said", "key", "reason"), MISFITS)
def test_a_fabric_that_cannot_be_is_refused_where_it_stands(
    kind: str, said: str, key: str, reason: str
) -> None:
    if not key:
        assert loads(scene(kind, said), "mine").scenario.fabrics[0].kind == kind
        return
    with pytest.raises(ScenarioError) as caught:
        loads(scene(kind, said), "mine")
    problem = caught.value.problems[0]
    assert problem.key == f"fabrics[ib].{key}"
    assert reason in f"{problem.reason}; {problem.hint}"
    lines = scene(kind, said).splitlines()
    first = key.split(".")[0]
    expected = next((n for n, line in enumerate(lines, 1) if line.strip().startswith(f"{first}:")), 11)
    assert problem.line == expected


LINKS = [
    ("{from: gpu/0/0/0, to: ib/0/4}", "to", "leaf has 2, counted from 0; leaf.count: 5 would do"),
    ("{from: gpu/0/0/9, to: ib/0/0}", "from", "is neither a node of this fabric nor a switch"),
    ("{from: gpu/0/0/0, to: ib/1/0}", "to", "the fabric has no spine; write spine:"),
    ("{from: gpu/0/0/0, to: ib/7/0}", "to", "tiers are 0 (leaf), 1 (spine) and 2 (core)"),
    ("{from: gpu/0/0/0, to: gpu/0/0/0}", "to", "two different ends"),
    ("{from: gpu/0/0/0, to: ib/0/0, cables: 9}", "from", "has 8 NICs, and its links so far take 9"),
    ("{from: ib/0/1, to: ib/0/0, cables: 65}", "from", "has 64 ports, and its links so far take 65"),
    ("{from: gpu/0/0/0, to: ib/0/0}, {from: ib/0/0, to: gpu/0/0/0}", "to", "same two ends as links[0]"),
    ("{from: gpu, to: ib/0/0}", "from", "has the wrong format"),
]


@pytest.mark.parametrize(("links", "key", "reason"), LINKS)
def test_an_explicit_link_to_nothing_is_refused(links: str, key: str, reason: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        loads(scene("explicit", f"leaf: {{part: QM9700, count: 2}}, links: [{links}]"), "mine")
    problem = caught.value.problems[0]
    assert problem.key.startswith("fabrics[ib].links[")
    assert problem.key.endswith(f".{key}")
    assert reason in f"{problem.reason}; {problem.hint}"
    assert problem.line == 14


def test_both_cables_of_a_dual_homed_card_on_one_leaf_are_refused() -> None:
    links = "{from: gpu/0/0/0, to: ib/0/0, cables: 9}, {from: gpu/0/0/0, to: ib/0/1, cables: 7}"
    with pytest.raises(ScenarioError, match="takes both cables of a NIC of gpu/0/0/0, which has 8"):
        loads(scene("explicit", f"homes: 2, leaf: {{part: QM9700, count: 2}}, links: [{links}]"), "mine")


FIVE = "{part: QM9700, count: 5}"
DOUBTS = [
    (f"leaf: {SWITCH}", "spine", "nodes of different leaves cannot reach each other"),
    (f"leaf: {SWITCH}, unit_nodes: 1, oversubscription: 4, spine: {FIVE}", "spine", "not all leaves meet"),
    (f"{LEAF_SPINE}, oversubscription: 1.5", "", ""),
    (f"{LEAF_SPINE}, technology: InfiniBand-XDR", "technology", "faster than the leaf switches"),
    (f"{LEAF_SPINE}, technology: Ethernet-TCP", "technology", "a QM9700 is InfiniBand NDR 400G"),
    (f"{LEAF_SPINE}, technology: InfiniBand-NDR", "", ""),
    ("leaf: {part: SN5600}, spine: {part: SN5600}, technology: Ethernet-TCP", "", ""),
    (
        "leaf: {part: SN5600}, spine: {part: Q3400-RA}, technology: RoCE-400",
        "technology",
        "the spine switches",
    ),
    (f"unit_nodes: 1, leaf: {{part: QM9700, racks: net}}, spine: {SWITCH}", "leaf.racks", "2 racks would do"),
]


@pytest.mark.parametrize(("said", "key", "reason"), DOUBTS)
def test_what_hardly_means_it_is_a_finding_of_check(said: str, key: str, reason: str) -> None:
    net = "      - {id: net, racks: {count: 1, role: network}}\nfabrics:\n"
    text = scene("leaf-spine", said).replace("fabrics:\n", net)
    found = [one for one in doubts(loads(text, "mine"), load_catalog()) if one.key.startswith("fabrics")]
    assert [one.key for one in found] == ([f"fabrics[ib].{key}"] if key else [])
    assert all(reason in f"{one.reason}; {one.hint}" for one in found)
    assert all(one.line for one in found)


def test_routing_without_a_choice_and_switches_that_nothing_joins_are_findings_of_check() -> None:
    catalog = load_catalog()
    (routing,) = doubts(loads(scene("ring", f"{TORUS}, routing: ecmp"), "mine"), catalog)
    assert routing.key == "fabrics[ib].routing"
    text = scene("single-switch", f"leaf: {SWITCH}").replace("count: 16", "count: 4")
    (apart,) = doubts(loads(text, "mine"), catalog)
    assert apart.key == "fabrics[ib].kind"
    assert "takes 2 switches that are not connected: 128 cables" in apart.reason
    assert not doubts(loads(text.replace(SWITCH, "{part: QM9700, count: 2}"), "mine"), catalog)


def test_what_the_loader_did_not_see_the_plant_refuses() -> None:
    scenario = loads(scene("leaf-spine", LEAF_SPINE), "mine").scenario
    document = scenario.model_dump(by_alias=True)
    document["fabrics"][0]["kind"] = "fat-tree"
    with pytest.raises(PlantError, match="fabric 'ib': core is missing, and a fat tree needs it"):
        build(Scenario.model_validate(document))


def test_a_hall_without_racks_has_no_switches_yet() -> None:
    fabric = "{id: ib, kind: explicit, leaf: {part: QM9700, count: 2}, links: [{from: ib/0/0, to: ib/0/1}]}"
    text = TEXT[: TEXT.index("    rows:")] + f"fabrics:\n  - {fabric}\n"
    plant = build(loads(text).scenario)
    assert plant.switches.ids == []
