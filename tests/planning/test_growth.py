"""Expansion: cables counted by hand, and what holds of all of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twin.planning.job.result import PlanError
from twin.planning.network.expansion_check import LAY_CABLE_H, MOVE_CABLE_H, grow
from twin.planning.network.recabling import recabling
from twin.plant.build import build
from twin.scenario import load
from twin.scenario.file.set_option import set_value
from twin.scenario.schema.building import Point

LAB, SUPERPOD = (load(f"builtin:{name}").scenario for name in ("lab-16", "superpod-h100"))


def test_one_switch_of_64_ports_takes_eight_nodes_of_eight_cards() -> None:
    growth = grow(LAB, 64)
    change = growth.recabling
    assert (change.kept, change.moved, change.removed, change.new) == (16, 0, 0, 48)
    assert (change.switches_kept, change.switches_new, change.switches_removed) == (1, 0, 0)
    assert growth.untouched_gpus == growth.gpus_after == 64
    assert growth.work_h == 48 * LAY_CABLE_H
    assert growth.cost_usd == 48 * 1_280
    assert growth.verdict == "Can grow from 16 to 64 GPUs without recabling: 48 new cables."


def test_from_16_to_256_gpus_a_spine_tier_comes_and_14_cables_move() -> None:
    """Cards 0 of both nodes are in leaf 0 already; the other seven of each move to the leaf of their rail."""
    growth = grow(LAB, 256)
    change = growth.recabling
    assert growth.gpus_after == 256
    assert growth.untouched_gpus == 64
    assert (change.cables_before, change.kept, change.moved, change.removed) == (16, 2, 14, 0)
    assert change.new == 32 * 8 - 16 + 8 * 32  # cards of 30 nodes, and 32 up-links of each of 8 leaves
    assert (change.switches_kept, change.switches_new, change.switches_removed) == (1, 7 + 4, 0)
    assert change.tiers == ("spine",)
    assert growth.work_h == pytest.approx(change.new * LAY_CABLE_H + 14 * MOVE_CABLE_H)
    assert growth.cost_usd == change.new * 1_280 + 11 * 43_000
    assert "a spine tier is needed" in growth.verdict
    assert {one.path for one in growth.changes} == {
        "halls[lab].rows[gpu].count",
        "halls[lab].rows[gpu].racks.count",
        "fabrics[ib].kind",
        "fabrics[ib].spine",
        "fabrics[ib].leaf.count",
    }
    assert any("64" in reason for reason in growth.no_longer_fits)


def test_from_1024_to_10000_gpus_uplinks_spread_over_more_spines() -> None:
    thousand = set_value(SUPERPOD, "fabrics[ib].spine.count", "16")
    thousand = set_value(thousand, "halls[su].rows[gpu].count", "4")
    growth = grow(thousand, 10000)
    change = growth.recabling
    assert growth.gpus_before == 1024
    assert 10000 <= growth.gpus_after < 10000 + 256
    assert growth.untouched_gpus == 1024
    assert change.switches_removed == 0
    assert change.kept + change.moved + change.removed == change.cables_before == 2 * 1024
    assert change.kept + change.moved + change.new == change.cables_after == 2 * growth.gpus_after
    assert change.kept >= 1024  # every card keeps its cable: units are added, none is changed


def test_a_row_is_lengthened_before_a_switch_is_full() -> None:
    """64 ports of 800 Gb/s are 128 of 400: sixteen nodes of eight cards, in racks of one node."""
    growth = grow(set_value(LAB, "fabrics[ib].leaf.part", "SN5600"), 72 + 64)
    assert growth.untouched_gpus == 128


def test_pods_keep_their_switches_when_more_come() -> None:
    growth = grow(load("builtin:fat-tree-1k").scenario, 2048)
    assert {one.path: one.after for one in growth.changes} == {
        "halls[hall].rows[gpu].count": "8",
        "fabrics[tree].leaf.count": "64",
    }
    change = growth.recabling
    assert change.switches_removed == change.removed == 0
    assert change.switches_new == 32 + 16 + 8
    assert change.kept >= 1024 + 512  # of cards and leaves; only cables between spines and cores spread out


def test_what_outgrows_two_tiers_becomes_a_fat_tree() -> None:
    growth = grow(SUPERPOD, 40000)
    assert growth.recabling.tiers == ("core",)
    assert ("rail-optimised", "fat-tree") in {(one.before, one.after) for one in growth.changes}
    assert growth.no_longer_fits


def test_rows_of_the_jobs_grow_not_the_spares_behind_them() -> None:
    """The new rows are like those of the job, behind the spares, which keep their ports."""
    spares = SUPERPOD.halls[0].rows[0].model_copy(update={"id": "spare", "at": Point(y=30.0), "count": 1})
    hall = SUPERPOD.halls[0].model_copy(update={"rows": (*SUPERPOD.halls[0].rows, spares)})
    fabric = SUPERPOD.fabrics[0].model_copy(update={"rows": ("gpu", "spare")})
    wide = SUPERPOD.model_copy(update={"halls": (hall,), "fabrics": (fabric,)})
    wide = set_value(set_value(wide, "fabrics[ib].spine.count", "16"), "halls[su].rows[gpu].count", "2")
    growth = grow(wide, 1024)
    assert (growth.gpus_before, growth.gpus_after, growth.untouched_gpus) == (768, 1024, 1024)
    row = next(one for one in growth.changes if one.path == "halls[su].rows[gpu-2]")
    assert (row.before, row.after) == ("none", "1 row of 8 racks, as gpu")
    assert growth.recabling.kept == growth.recabling.cables_before


@settings(max_examples=10, deadline=None)
@given(st.integers(17, 3000))
def test_cables_are_accounted_for_and_untouched_means_so(gpus: int) -> None:
    growth = grow(LAB, gpus)
    change = growth.recabling
    assert change.kept + change.moved + change.removed == change.cables_before
    assert change.kept + change.moved + change.new == change.cables_after
    assert growth.gpus_after >= gpus
    if growth.untouched_gpus > growth.gpus_before:
        assert grow(LAB, growth.untouched_gpus).recabling.touched == 0


def test_a_plant_against_itself_changes_nothing() -> None:
    plant = build(SUPERPOD)
    change = recabling(plant, plant)
    assert change.touched == change.new == change.switches_new == change.switches_removed == 0
    assert change.laid_m == 0


@pytest.mark.parametrize(
    ("gpus", "said"),
    [(16, "has 16 GPUs already"), (2_000_000, "at most 1,000,000"), (900_000, "no topology of its switches")],
)
def test_what_cannot_grow_is_refused(gpus: int, said: str) -> None:
    with pytest.raises(PlanError, match=said):
        grow(LAB, gpus)


def test_listed_cables_do_not_grow_by_themselves() -> None:
    fabric = LAB.fabrics[0].model_copy(update={"kind": "explicit"})
    with pytest.raises(PlanError, match="lists its cables one by one"):
        grow(LAB.model_copy(update={"fabrics": (fabric,)}), 64)
    with pytest.raises(PlanError, match="has no fabric"):
        grow(LAB.model_copy(update={"fabrics": ()}), 64)
