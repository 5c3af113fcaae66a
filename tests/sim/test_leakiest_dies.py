"""The leakiest dies of groups are those that are found die by die, whichever groups slots left or joined."""

import numpy as np
import pytest

from twin.physics.thermal_network import ThermalState
from twin.sim.thermal import leakiest_dies
from twin.sim.thermal.gpu_groups import IDLE, Dies, Traces, stepping
from twin.sim.thermal.leakiest_dies import LeakiestDies

SLOTS = 300


def largest(most_s, slot_group, size):
    """Return the largest of each group, looked for slot by slot."""
    found = [0.0] * size
    for most, group in zip(most_s.tolist(), slot_group.tolist(), strict=True):
        if group >= 0:
            found[group] = max(found[group], most)
    return found


@pytest.mark.parametrize("by_air", [False, True])
@pytest.mark.parametrize("few", [0, SLOTS])  # slots that are looked up whoever was touched
def test_groups_that_slots_moved_between_have_the_largest_of_their_slots(by_air, few, monkeypatch):
    monkeypatch.setattr(leakiest_dies, "FEW_SLOTS", few)
    draws = np.random.default_rng(3)
    front_s = np.where(draws.random(SLOTS) < 0.9, draws.uniform(0.9, 1.1, SLOTS), 0.0)
    back_s = np.where(draws.random(SLOTS) < 0.5, draws.uniform(0.9, 1.1, SLOTS), 0.0) * by_air
    group, size = draws.integers(-1, 12, SLOTS), 12
    slots = front_s * (group >= 0), back_s * (group >= 0)  # no GPU is left in a slot without a group
    kept = LeakiestDies()
    assert not kept.ranked
    kept.rank(*slots)
    first = kept.of_groups(group, size, slots, None)
    assert [most.tolist() for most in first] == [largest(most_s, group, size) for most_s in slots]
    for _ in range(20):
        moved = draws.choice(SLOTS, 8, replace=False)
        size += 1  # a group of those that split off
        touched = {int(g) for g in group[moved] if g >= 0} | {size - 1}
        group[moved] = np.where(group[moved] >= 0, size - 1, -1)
        again = kept.of_groups(group, size, slots, touched)
        assert [most.tolist() for most in again] == [largest(most_s, group, size) for most_s in slots]
    assert again[1].any() == by_air


def test_dies_that_went_to_other_slots_are_ranked_again(monkeypatch):
    group = np.array([0, 0, 1, 1])
    kept = LeakiestDies()
    before = np.array([1.02, 0.98, 1.07, 1.01]), np.zeros(4)
    kept.rank(*before)
    assert kept.of_groups(group, 2, before, None)[0].tolist() == [1.02, 1.07]
    after = np.array([1.02, 0.98, 0.95, 1.01]), np.zeros(4)  # the leakiest of slot 2 stands alone now
    monkeypatch.setattr(leakiest_dies, "FEW_SLOTS", 0)
    kept.forget()
    assert not kept.ranked
    kept.rank(*after)
    assert kept.of_groups(group, 2, after, {1})[0].tolist() == [1.02, 1.01]


def test_groups_of_nodes_have_the_leakiest_of_their_dies():
    draws = np.random.default_rng(5)
    nodes, per_node = 60, 8
    spread = draws.uniform(0.9, 1.1, nodes * per_node)
    behind = np.tile(np.arange(per_node) % 2 == 1, nodes)
    dies = Dies(np.repeat(np.arange(nodes), per_node), behind, spread)
    traces = Traces(np.arange(nodes) // 20, np.zeros(nodes, np.intp), np.full(nodes, 8.0), dies)
    state = ThermalState(np.zeros((traces.groups.size, 4, 2)), np.zeros(9))
    wanted = np.full(nodes, IDLE)
    for job in range(12):
        wanted = wanted.copy()
        wanted[draws.choice(nodes, 5, replace=False)] = stepping(job)
        state = traces.retrace(state, wanted)
        for group in np.flatnonzero(traces.groups.n).tolist():
            members = [die for die in range(nodes * per_node) if traces.slot_group[dies.node[die]] == group]
            front = max(spread[die] for die in members if not behind[die])
            back = max(spread[die] for die in members if behind[die])
            assert (traces.front_s[group], traces.back_s[group]) == (front, back)
            assert traces.hot_s[group] == max(front, back)
