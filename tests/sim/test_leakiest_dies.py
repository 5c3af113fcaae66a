"""The leakiest dies of groups that slots left or joined are those of all groups looked up anew."""

import numpy as np
import pytest

from twin.sim.thermal.leakiest_dies import LeakiestDies


@pytest.mark.parametrize("by_air", [False, True])
def test_groups_that_slots_moved_between_are_looked_up_as_all_are(by_air):
    draws = np.random.default_rng(3)
    front_s = np.where(draws.random(300) < 0.9, draws.uniform(0.9, 1.1, 300), 0.0)
    back_s = np.where(draws.random(300) < 0.5, draws.uniform(0.9, 1.1, 300), 0.0) * by_air
    group, size = draws.integers(-1, 12, 300), 12
    slots = front_s * (group >= 0), back_s * (group >= 0)  # no GPU is left in a slot without a group
    kept = LeakiestDies()
    assert not kept.ranked
    kept.rank(*slots)
    kept.of_groups(group, size, slots, None)
    for _ in range(20):
        moved = draws.choice(300, 8, replace=False)
        size += 1  # a group of those that split off
        touched = {int(g) for g in group[moved] if g >= 0} | {size - 1}
        group[moved] = np.where(group[moved] >= 0, size - 1, -1)
        afresh = LeakiestDies()
        afresh.rank(*slots)
        whole = afresh.of_groups(group, size, slots, None)
        for most, of_all in zip(kept.of_groups(group, size, slots, touched), whole, strict=True):
            assert most.tolist() == of_all.tolist()
    assert whole[1].any() == by_air
    kept.forget()
    assert not kept.ranked
