"""Which nodes can be used and which draw nothing: known after every way in which their condition changes."""

import numpy as np
from sim_scenes import tiny

from twin.plant.build import build
from twin.sim.core.ledger import INDEX, Ledger
from twin.sim.core.nodes import DARK, DOWN, FREE, NOBODY, OFF, UNLIT, NodeTable

PLANT = build(tiny())


def _check(nodes: NodeTable) -> None:
    present, condition = PLANT.nodes.present, nodes.condition
    boots = nodes.booting & np.isin(condition, (OFF, DARK))
    assert np.array_equal(nodes.fit, present & (condition == FREE))
    assert np.array_equal(nodes.usable, nodes.fit & (nodes.held == 0))
    assert np.array_equal(nodes.unlit(), np.isin(condition, UNLIT) & ~boots)


def test_what_can_be_used_and_what_is_unlit_follow_the_condition_of_each_node() -> None:
    nodes = NodeTable(PLANT, Ledger())
    _check(nodes)
    nodes.set_condition(1.0, 0, DOWN)
    _check(nodes)
    nodes.withhold(2.0, np.array([1, 2]), withheld=True)
    _check(nodes)
    nodes.lose_power(3.0, 3)
    _check(nodes)
    nodes.set_booting(np.arange(len(nodes.job)) == 3)
    _check(nodes)
    assert not nodes.unlit()[3]
    restored = NodeTable(PLANT, Ledger())
    _check(restored)
    restored.restore(nodes.state())
    _check(restored)
    assert not restored.fit[:4].any()


def test_gpus_given_back_rest_where_the_condition_of_their_nodes_says() -> None:
    nodes = NodeTable(PLANT, Ledger())
    before = nodes.ledger.resting.copy()
    nodes.assign_all(0.0, [0, 1, 2], 7)
    assert nodes.ledger.resting.sum() == before.sum() - nodes.gpus[:3].sum()
    nodes.set_condition(1.0, 1, DOWN)
    nodes.assign_all(2.0, [0, 1, 2], NOBODY)
    for account, sign in (("idle_no_job", -1), ("idle_in_repair", 1)):
        place = INDEX[account]
        assert nodes.ledger.resting[place] == before[place] + sign * nodes.gpus[1]
    assert nodes.ledger.resting.sum() == before.sum()
