"""The loss of one switch as it is worked out without a run, against cases by hand and against the engine."""

from __future__ import annotations

from typing import Any

import pytest
from fabric_scenes import hall, model
from network_scenes import FOUR_SPINES, LINE, run, told
from sim_scenes import events

from twin.catalog import load_catalog
from twin.planning.network.switch_loss import NetworkLimits, SwitchLoss, network_limits
from twin.plant.build import build
from twin.plant.tables import SwitchRole
from twin.scenario.schema.document import Scenario

ALONE = {"kind": "single-switch", "leaf": {"part": "QM9700", "count": 1}, "spine": None, "unit_nodes": None}
PIPE = model("a", 8, 64, "llama3-70b", tensor=8, pipeline=2)


def limits(scene: Scenario) -> tuple[NetworkLimits, dict[SwitchRole, SwitchLoss]]:
    """Return the limits of a scene, and the losses by tier."""
    catalog = load_catalog()
    found = network_limits(scene, build(scene, catalog), catalog)
    assert found is not None
    return found, {loss.role: loss for loss in found.losses}


def engine_has(scene: Scenario, switch: str) -> tuple[float, float]:
    """Return the bandwidth that a lost switch leaves the job of a run [-], and its step over the usual one [-]."""
    usual, faulty = (
        told(run(scene, *lines, until_s=2400.0)) for lines in ((), (f"30 min fail {switch} for=20min",))
    )
    return faulty["network"]["factor"], faulty["step_s"] / usual["step_s"]


def test_three_of_four_spines_carry_a_third_more_each() -> None:
    """Two stages of four nodes: 32 cards at 90 % through 32 up-links, and through 24 of them."""
    scene = hall(PIPE, nodes=8, fabric=FOUR_SPINES)
    found, by_tier = limits(scene)
    spine = by_tier[SwitchRole.SPINE]
    assert (found.job, found.busiest) == ("a", pytest.approx(LINE))
    assert spine.busiest == pytest.approx(LINE * 32 / 24)
    assert (spine.gpus, spine.job_nodes, spine.more, spine.alike) == (0, 0, 1, 4)
    factor, step = engine_has(scene, spine.switch)
    assert factor == pytest.approx(1.0 / (LINE * 32 / 24))
    assert spine.step == pytest.approx(step, rel=1e-4), "but for clocks, which follow the heat"
    assert (spine.step or 0.0) > 1.0


def test_a_leaf_cuts_off_whom_the_engine_cuts_off() -> None:
    scene = hall(model("a", 8), nodes=8, fabric={"kind": "rail-optimised"})
    _, by_tier = limits(scene)
    leaf = by_tier[SwitchRole.LEAF]
    assert (leaf.nodes, leaf.gpus, leaf.job_nodes, leaf.spares) == (4, 32, 4, 0)
    assert (leaf.busiest, leaf.step, leaf.holds) == (None, None, False)
    (fault,) = events(run(scene, f"30 min fail {leaf.switch} for=1h", until_s=2400.0), "fabric_fault")
    assert fault.integer("nodes") == leaf.nodes
    spare = limits(hall(model("a", 4), nodes=8, fabric={"kind": "rail-optimised"}))[1][SwitchRole.LEAF]
    assert (spare.job_nodes, spare.spares) == (4, 4), "the other four, behind other leaves"


def test_cards_on_two_leaves_go_on_at_half_their_bandwidth() -> None:
    scene = hall(model("a", 8), nodes=8, fabric={"kind": "rail-optimised", "homes": 2})
    found, by_tier = limits(scene)
    leaf = by_tier[SwitchRole.LEAF]
    assert (leaf.gpus, leaf.holds) == (0, False)
    assert leaf.busiest == pytest.approx(2.0 * (found.busiest or 0.0))
    factor, step = engine_has(scene, leaf.switch)
    assert factor == pytest.approx(0.5)
    assert leaf.step == pytest.approx(step, rel=1e-3), "but for clocks, which follow the heat"


def test_one_switch_for_all_is_all_that_there_is() -> None:
    found, by_tier = limits(hall(model("a", 4), nodes=4, fabric=ALONE))
    leaf = by_tier[SwitchRole.LEAF]
    assert (leaf.nodes, leaf.job_nodes, leaf.spares, leaf.alike) == (4, 4, 0, 1)
    assert found.busiest == pytest.approx(LINE)


def test_a_torus_has_no_switch_to_lose() -> None:
    torus: dict[str, Any] = {"kind": "torus", "dims": [4, 4], "technology": "InfiniBand-NDR"}
    scene = hall(
        model("a", 16, 64), nodes=16, fabric={**torus, "leaf": None, "spine": None, "unit_nodes": None}
    )
    catalog = load_catalog()
    assert network_limits(scene, build(scene, catalog), catalog) is None
