"""What a run cannot follow is refused with a reason, and harms nothing."""

from __future__ import annotations

import pytest
from edit_scenes import absent, edit, racks, replayed, take, with_edits
from sim_scenes import events, tiny

from twin.sim.engine.engine import Engine


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ((("seed", "7"),), "the seed cannot change during a run"),
        ((("duration", "2 day"),), "the duration"),
        ((("site.name", "elsewhere"),), "the site cannot change"),
        ((("jobs[train]", None),), "cancel the job instead"),
        ((("jobs[train].nodes", "1"),), "'train' is submitted"),
        ((("halls[hall].rows[gpu].racks.count", "-1"),), "count"),
        ((("halls[hall].rows[nope].racks.count", "1"),), "nope"),
        ((racks(1),), "the halls have 1 node"),
        ((("cooling.loops[crah]", None),), "has no coolant or air loop"),
    ],
)
def test_refused(changes: tuple[tuple[str, str | None], ...], said: str) -> None:
    engine = Engine(tiny(nodes=3))
    engine.advance(1000.0)
    before = engine.snapshot()
    why = engine.intervene(edit(1500.0, "x", *changes))
    assert why is not None
    assert said in why
    assert engine.snapshot() == before
    engine.advance(3000.0)
    plain = Engine(tiny(nodes=3))
    plain.advance(3000.0)
    assert engine.event_hash() == plain.event_hash()


def test_an_edit_must_leave_those_ahead_possible() -> None:
    engine = Engine(tiny(nodes=3))
    engine.advance(100.0)
    take(engine, edit(2000.0, "later", absent("gpu/0/2")))
    why = engine.intervene(edit(1000.0, "first", racks(2)))
    assert why is not None
    assert "gpu/0/2" in why
    assert engine.intervene(edit(2500.0, "later", racks(4))) is not None  # the name is taken
    engine.advance(3000.0)
    assert engine.plant.nodes.present.tolist() == [True, True, False]


def test_an_edit_of_a_file_that_cannot_act_is_told_of_and_left_out() -> None:
    engine = replayed(tiny(nodes=3), 2000.0, edit(500.0, "no", ("seed", "9")), edit(900.0, "yes", racks(4)))
    (refused,) = events(engine, "refused")
    assert refused.subject == "no"
    assert "seed" in refused.text
    assert engine.plant.epoch == 1
    assert len(engine.plant.nodes.ids) == 4


def test_a_snapshot_knows_which_edits_have_acted_and_which_lie_ahead() -> None:
    scene = with_edits(tiny(nodes=3), edit(500.0, "a", racks(4)), edit(1500.0, "b", absent("gpu/0/0")))
    engine = Engine(scene)
    for until_s in (400.0, 1000.0, 1600.0):
        engine.advance(until_s)
        other = Engine.restore(scene, engine.snapshot())
        assert other.plant.epoch == engine.plant.epoch
        assert other.layout == engine.layout
        other.advance(4000.0)
        again = Engine(scene)
        again.advance(4000.0)
        assert other.event_hash() == again.event_hash()


def test_an_edit_acts_behind_all_that_has_happened() -> None:
    engine = Engine(tiny(nodes=3))
    for now_s in (0.001, 65748.199, 1e6 / 3.0, 123456.789):  # x 1000 is not whole for some that look so
        engine.now_s = engine.timers.env._now = now_s
        assert now_s < engine.boundary_s(0.0) < now_s + 0.0021
        engine.now_s = now_s + 10.0
        assert engine.now_s <= engine.boundary_s(0.0) < engine.now_s + 0.0011
        assert engine.boundary_s(2e6) == 2e6
