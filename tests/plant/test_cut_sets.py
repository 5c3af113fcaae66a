"""Cut sets against hand cases, and against what `dependencies` says of every pair of failures."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from test_blast import TWO_N, fed, slot

from tests.sim.sim_scenes import shipped
from twin.catalog import load_catalog
from twin.plant.build import build
from twin.plant.cut_sets import COMMON_GRID, COMMON_START, CutSet, cuts_of, minimal, together
from twin.plant.design_load import DesignLoad
from twin.plant.facility_machines import FacilityMachine, facility_machines, without_rate
from twin.plant.tables import Plant


def named(plant: Plant, machines: list[FacilityMachine], cut: CutSet) -> frozenset[str]:
    """Return the members of a set as words: what fails, and of which item."""
    common = {COMMON_START: "starts", COMMON_GRID: "grids"}
    tables = {"power": plant.power.ids, "loop": plant.loops.ids, "plant": plant.plants.ids}
    return frozenset(
        common[place]
        if place < 0
        else f"{machines[place].rate} {tables[machines[place].kind][machines[place].slot]}"
        for place in cut.members
    )


def whole_items(plant: Plant) -> list[FacilityMachine]:
    """Return a list of machines in which each item of the power tree fails as a whole, engines to start."""
    return [
        FacilityMachine("generator_start" if kind == "generator" else "pdu", "power", item, 1, 1, "fail")
        for item, kind in enumerate(plant.power.kind)
    ]


def dark_racks(plant: Plant, failed: frozenset[int]) -> np.ndarray:
    """Return the racks without power, long after several items are lost: worked out from the top down."""
    power = plant.power
    alive: dict[int, bool] = {}
    for item, kind in enumerate(power.kind):
        backed = any(
            bus == item and source not in failed and power.kind[source] in ("generator", "gas", "smr")
            for source, bus in enumerate(power.bus.tolist())
        )
        inputs = [above for above in (int(power.parent[item]), int(power.spare_parent[item])) if above >= 0]
        fed = not inputs or any(alive[above] for above in inputs)
        sound = item not in failed
        alive[item] = (sound and fed) or (backed and (sound or kind in ("utility", "transformer", "ups")))
    racks = plant.racks
    return np.array(
        [
            not any(alive[feed] for feed in pair if feed >= 0)
            for pair in zip(racks.feed_a.tolist(), racks.feed_b.tolist(), strict=True)
        ]
    )


FEEDS = {"feeds": ["nvl"]}
TREES: dict[str, tuple[dict[str, Any], ...]] = {
    "two feeds from one grid": (
        {"id": "grid", "kind": "utility"},
        {"id": "main", "kind": "switchgear", "from": "grid"},
        {"id": "gen", "kind": "generator", "at": "main"},
        {"id": "a", "kind": "ups", "from": "main"},
        {"id": "b", "kind": "ups", "from": "main"},
        {"id": "pa", "kind": "pdu", "count": 2, "from": "a", **FEEDS},
        {"id": "pb", "kind": "pdu", "count": 4, "from": "b", **FEEDS},
    ),
    "a transfer switch between two grids": (
        {"id": "one", "kind": "utility"},
        {"id": "two", "kind": "utility"},
        {"id": "t1", "kind": "transformer", "from": "one"},
        {"id": "g1", "kind": "generator", "at": "t1"},
        {"id": "t2", "kind": "transformer", "from": "two"},
        {"id": "pdu", "kind": "pdu", "count": 2, "from": "t1", "or_from": "t2", **FEEDS},
    ),
    "engines at the feeds": (
        {"id": "grid", "kind": "utility"},
        {"id": "a", "kind": "transformer", "from": "grid", **FEEDS},
        {"id": "ga", "kind": "generator", "at": "a"},
        {"id": "b", "kind": "switchgear", "from": "grid", **FEEDS},
        {"id": "gb", "kind": "generator", "at": "b"},
    ),
}


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_sets_are_those_that_trying_all_failures_finds(tree: tuple[dict[str, Any], ...]) -> None:
    plant = fed(*tree)
    found: dict[frozenset[int], set[int]] = {}
    for group in cuts_of(plant, load_catalog(), whole_items(plant)):
        for cut in group.power:
            if cut.ends_s == float("inf") and COMMON_START not in cut.members:
                found.setdefault(cut.members, set()).update(group.racks.tolist())
    expected: dict[frozenset[int], set[int]] = {}
    for order in (1, 2, 3):
        for failed in map(frozenset, combinations(range(len(plant.power.ids)), order)):
            dark = {
                rack
                for rack in np.flatnonzero(dark_racks(plant, failed)).tolist()
                if plant.racks.node_count[rack]
                and not any(members < failed and rack in hit for members, hit in expected.items())
            }
            if dark:
                expected[failed] = dark
    assert found == expected


def test_the_chain_of_two_feeds_by_name() -> None:
    plant = fed(*TWO_N)
    machines = facility_machines(plant, load_catalog())
    (group,) = {group.power.__repr__(): group for group in cuts_of(plant, load_catalog(), machines)}.values()
    sets = {named(plant, machines, cut) for cut in group.power}
    assert frozenset(["grids"]) in sets
    assert frozenset(["ups_module a/0", "static_switch b/0"]) in sets
    assert frozenset(["ups_module a/0"]) not in sets
    assert without_rate(plant) == ["dry coolers"]


def test_a_generator_leaves_a_gap_that_a_battery_bridges() -> None:
    catalog = load_catalog()

    def power_cuts(battery: str) -> tuple[dict[frozenset[str], CutSet], float]:
        plant = fed(
            {"id": "grid", "kind": "utility"},
            {"id": "main", "kind": "switchgear", "from": "grid"},
            {"id": "gen", "kind": "generator", "at": "main", "start": "10 s", "load_accept": "30 s"},
            {
                "id": "ups",
                "kind": "ups",
                "from": "main",
                "capacity": "1 MW",
                "battery": battery,
                "feeds": ["nvl"],
            },
        )
        machines = facility_machines(plant, catalog)
        load_w = DesignLoad(plant, catalog).most_w()[slot(plant, "ups/0")]
        cuts = next(cuts_of(plant, catalog, machines)).power
        return {named(plant, machines, cut): cut for cut in cuts}, float(load_w)

    bridged, load_w = power_cuts("5 min")
    assert frozenset(["utility grid/0"]) not in bridged
    assert bridged[frozenset(["utility grid/0", "generator_start gen/0"])].ride_s == pytest.approx(
        300 * 1e6 / load_w
    )
    bare, _ = power_cuts("0 s")
    assert bare[frozenset(["utility grid/0"])].ends_s == pytest.approx(40)


def test_sets_that_another_makes_needless_go() -> None:
    a, b, ab = frozenset([1]), frozenset([2]), frozenset([1, 2])
    assert minimal([CutSet(a), CutSet(ab), CutSet(a, 10.0)]) == [CutSet(a)]
    assert minimal([CutSet(a, 0.0, 5.0), CutSet(ab)]) == [CutSet(a, 0.0, 5.0), CutSet(ab)]
    assert minimal([CutSet(a, 60.0, 5.0)]) == []
    assert together([[CutSet(a, 30.0)], [CutSet(b), CutSet(a, 60.0)]]) == [CutSet(ab, 30.0), CutSet(a, 60.0)]


def test_a_large_hall_has_as_many_sets_as_it_has_different_feeds() -> None:
    catalog = load_catalog()
    plant = build(shipped("llama3-16k"), catalog)
    groups = list(cuts_of(plant, catalog, facility_machines(plant, catalog)))
    assert sum(len(group.racks) for group in groups) == len(np.unique(plant.nodes.rack))
    assert len(groups) < len(plant.racks.ids) / 4


def test_minimal_leaves_out_what_others_make_needless():
    draw = np.random.default_rng(5)

    def needless(cut, others):
        return any(
            other.members <= cut.members and other.ends_s >= cut.ends_s and other.ride_s <= cut.ride_s
            for other in others
            if (other.members, other.ends_s, other.ride_s) != (cut.members, cut.ends_s, cut.ride_s)
        )

    for _ in range(200):
        cuts = [
            CutSet(
                frozenset(draw.integers(0, 6, draw.integers(1, 4)).tolist()),
                float(draw.integers(0, 3)),
                float(draw.choice([1.0, 2.0, np.inf])),
                None if draw.random() < 0.7 else frozenset([0]),
            )
            for _ in range(draw.integers(1, 25))
        ]
        felt = [cut for cut in cuts if cut.felt]
        kept = minimal(cuts)
        assert set(kept) == {cut for cut in felt if not needless(cut, felt)}
        assert len(kept) == len(set(kept))
