"""What is still ahead can be taken out again: the run is then the one in which nobody ever asked for it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from edit_scenes import absent, closed, edit, racks, take, with_edits
from sim_scenes import events, job, liquid, tiny
from usual_cases import usually

from twin.scenario.schema.document import Scenario
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.faults import Intervention
from twin.sim.engine.engine import Engine

FAULTS = {
    "repair_constant": "1 h",
    "causes": [
        {"id": "gpu", "rate": "2 per node-day", "repair": "gpu"},
        {"id": "bug", "rate": "2 per node-day", "repair": "restart"},
    ],
}
END_S = 20_000.0
Done = Intervention | Edit


def hall(**more: Any) -> Scenario:
    return tiny(nodes=5, jobs=(job(3), job(1, "other")), failures=FAULTS, duration="1 day", **more)


def fault(at_s: float, kind: str, target: str, **more: Any) -> Intervention:
    return Intervention.model_validate({"at": f"{at_s!r} s", "kind": kind, "target": target} | more)


def ran(scene: Scenario, *asked: tuple[float, Done]) -> Engine:
    """Return the run of a scene in which things were asked for at these times, at its end."""
    engine = Engine(scene)
    for at_s, one in asked:
        engine.advance(at_s)
        assert engine.intervene(one) is None
    engine.advance(END_S)
    return engine


def same(engine: Engine, plain: Engine) -> None:
    """Assert that a run is another one, to the last bit of its state."""
    engine.advance(END_S)
    assert engine.event_hash() == plain.event_hash()
    mine, theirs = engine.summary(), plain.summary()
    for one in (mine, theirs):
        one.pop("inputs_hash", None)
    assert json.dumps(mine, default=str) == json.dumps(theirs, default=str)


def again(engine: Engine, scene: Scenario) -> Engine:
    return Engine.restore(scene, engine.snapshot())


GONE = edit(9000.0, "gone", absent("gpu/0/4"), title="take a rack away")


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("restored", [False, True])
def test_an_edit_that_is_ahead_never_was(own: bool, restored: bool) -> None:
    scene = hall()
    mine = with_edits(scene, GONE) if own else scene
    engine = Engine(mine)
    if not own:
        take(engine, GONE)
    engine.advance(3000.0)
    if restored:
        engine = again(engine, mine)
    assert engine.withdraw(GONE) is None
    if restored:
        engine = again(engine, mine)
    assert engine.withdraw(GONE) == "no edit 'gone' is pending in this run"
    same(engine, ran(scene))
    assert engine.plant.epoch == 0
    closed(engine, 40 * END_S)


def test_what_was_put_back_acts_as_if_it_had_stayed() -> None:
    mine = with_edits(hall(), GONE)
    engine = Engine(mine)
    engine.advance(3000.0)
    assert engine.withdraw(GONE) is None
    engine = again(engine, mine)
    engine.advance(4000.0)
    take(engine, GONE)
    assert engine.intervene(GONE) is not None
    engine = again(engine, mine)
    same(engine, ran(mine))
    assert engine.plant.epoch == 1


def test_what_lies_behind_stays_where_it_is() -> None:
    engine = take(Engine(hall()), edit(500.0, "more", racks(6), title="one rack more"))
    engine.advance(1000.0)
    assert engine.withdraw(edit(500.0, "more", racks(6))) == (
        "“one rack more” has already been applied, 8 min 20 s after the start"
    )
    assert engine.plant.epoch == 1


def test_others_that_need_it_keep_it() -> None:
    more, less = (
        edit(5000.0, "more", racks(6), title="one rack more"),
        edit(8000.0, "less", absent("gpu/0/5")),
    )
    engine = take(Engine(hall()), more, less)
    late = fault(6000.0, "fail", "gpu/0/5/0", **{"for": "20 min"})
    assert engine.intervene(late) is None
    before = engine.snapshot()
    why = engine.withdraw(more)
    assert why is not None
    assert why.startswith("“one rack more” cannot be removed: edit 'less' depends on it (")
    assert engine.withdraw(less) is None
    why = engine.withdraw(more)
    assert why is not None
    assert "fail gpu/0/5/0, 1 h 40 min after the start, depends on it" in why
    assert engine.withdraw(late) is None
    assert engine.withdraw(more) is None
    assert before != engine.snapshot()
    same(engine, ran(hall()))


def test_who_never_fitted_hinders_nobody() -> None:
    engine = Engine(with_edits(hall(), GONE, edit(9500.0, "no", ("seed", "7"))))
    assert engine.withdraw(GONE) is None
    same(engine, ran(with_edits(hall(), edit(9500.0, "no", ("seed", "7")))))
    assert [one.subject for one in events(engine, "refused")] == ["no"]


def test_a_fault_that_is_ahead_never_was_and_those_behind_keep_their_draws() -> None:
    scene = liquid(racks=2, jobs=(job(20),), duration="1 day")
    first, last = fault(5000.0, "pump_stop", "cdu/0"), fault(12_000.0, "pump_stop", "cdu/0")
    engine = Engine(scene)
    for one in (first, last):
        assert engine.intervene(one) is None
    engine.advance(3000.0)
    engine = again(engine, scene)
    assert engine.withdraw(first) is None
    same(engine, ran(scene, (0.0, last)))
    assert len(events(engine, "injected_failure")) <= 1
    assert engine.withdraw(last) == "pump stop cdu/0, 3 h 20 min after the start, was already carried out"
    assert engine.withdraw(fault(50_000.0, "pump_stop", "cdu/0")) == (
        "pump stop cdu/0, 13 h 53 min after the start, is not scheduled in this run"
    )


def test_a_fault_stays_when_what_has_happened_was_drawn_behind_it() -> None:
    scene = liquid(racks=2, jobs=(job(20),), duration="1 day")
    late, soon, told = (
        fault(9000.0, "pump_stop", "cdu/0"),
        fault(1000.0, "pump_stop", "cdu/0"),
        fault(1000.0, "pump_stop", "cdu/0", **{"for": "10 min"}),
    )
    engine = Engine(scene)
    assert engine.intervene(late) is None
    assert engine.intervene(soon) is None
    engine.advance(2000.0)
    why = engine.withdraw(late)
    assert why is not None
    assert "its repair time was drawn as that of intervention 2" in why
    engine = Engine(scene)
    assert engine.intervene(late) is None
    assert engine.intervene(told) is None
    engine.advance(1200.0)  # its end is still to come, under another number then
    assert engine.withdraw(late) is None
    same(engine, ran(scene, (0.0, told)))


def test_a_fault_of_the_scene_does_not_come_back_with_a_snapshot() -> None:
    first, second = (
        fault(at_s, "fail", f"gpu/0/{at_s // 3600:.0f}/0", **{"for": "20 min"}) for at_s in (7200.0, 10_800.0)
    )
    scene = hall().model_copy(update={"interventions": (first, second)})
    engine = Engine(scene)
    engine.advance(1000.0)
    assert engine.withdraw(first) is None
    engine = again(engine, scene)
    plain = scene.model_copy(update={"interventions": (second,)})
    branch = Engine.restore(
        plain.model_copy(update={"interventions": (second, fault(15_000.0, "drain", "gpu/0/3"))}),
        engine.snapshot(),
    )
    branch.advance(END_S)
    assert branch.event_hash() == ran(plain, (0.0, fault(15_000.0, "drain", "gpu/0/3"))).event_hash()
    same(engine, ran(plain))
    engine = Engine(scene)
    engine.advance(1000.0)
    assert engine.withdraw(first) is None
    assert engine.intervene(first) is None
    engine = again(engine, scene)
    assert [one.kind for one in engine.incidents.asked] == ["fail", "fail"]
    assert not engine.incidents.withdrawn


@pytest.mark.parametrize("seed", usually(range(6), 1))
def test_whatever_is_taken_out_the_run_is_the_one_without_it(seed: int) -> None:
    draw = np.random.default_rng(seed)
    scene = hall(seed=seed)
    asked: list[tuple[float, Done]] = []
    kept: list[tuple[float, Done]] = []
    engine, now_s = Engine(scene), 0.0
    for number in range(8):
        now_s += float(draw.integers(1, 1500))
        at_s = now_s + float(draw.integers(100, 6000))
        what: Done
        if draw.random() < 0.5:
            title = f"e{number}"
            what = edit(at_s, title, ("jobs[other].checkpoint.interval", f"{300 + number} s"), title=title)
        else:
            node = f"gpu/0/{int(draw.integers(5))}/0"
            what = fault(at_s, str(draw.choice(["fail", "slow"])), node, **{"for": "20 min"}, value="50 %")
            if what.kind == "fail":
                what = what.model_copy(update={"value": None})
        engine.advance(now_s)
        assert engine.intervene(what) is None
        asked.append((now_s, what))
        kept.append((now_s, what))
        ahead = [one for one in kept if one[1].at_s > now_s]
        if ahead and draw.random() < 0.6:
            out = ahead[int(draw.integers(len(ahead)))]
            assert engine.withdraw(out[1]) is None
            kept.remove(out)
        if draw.random() < 0.4:
            engine = again(engine, scene)
    assert len(kept) < len(asked)
    same(engine, ran(scene, *kept))
    closed(engine, 40 * END_S)
