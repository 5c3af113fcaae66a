"""Nodes that were off boot once they are supplied and cooled again, and draw idle power while they do."""

from __future__ import annotations

from pathlib import Path

import pytest
from sim_scenes import assert_books_close, frame, inject, liquid, times, tiny

from twin.scenario.file.load import load, loads
from twin.sim.care.shutdowns import REBOOT_S
from twin.sim.engine.engine import Engine

FINDINGS = Path(__file__).parents[1] / "findings"


@pytest.mark.parametrize("back_s", [712.0, 712.5, 900.0, 1220.0, 1500.0])
def test_a_node_whose_fans_stood_still_is_back_a_boot_after_them(back_s):
    text = (FINDINGS / "nb.twin.yaml").read_text().replace("900 s", f"{back_s - 600} s")
    engine = Engine(loads(text).scenario)
    engine.advance(engine.end_s)
    (off_s,) = times(engine, "shutdown")
    assert off_s < back_s
    assert times(engine, "restarted") == [pytest.approx(back_s + REBOOT_S, abs=1e-6)]


def test_nodes_that_boot_draw_what_they_draw_idle():
    """Four DGX H100 take 2 kW each at idle (the catalogue), from the mains' return until they are back."""
    engine = Engine(load(FINDINGS / "ride2.twin.yaml").scenario)
    for at_s, node_w in ((4000.0, 0.0), (5399.0, 0.0), (5401.0, 2000.0), (5999.0, 2000.0)):
        engine.advance(at_s)
        assert engine.meter.it_w == pytest.approx(4 * node_w, abs=1.0)
        assert frame(engine).values["rack.power_w"][:2] == pytest.approx(2 * node_w, abs=2.0)
    before_j = engine.meter.meters.it_j
    engine.advance(6000.0)
    assert times(engine, "restarted")[0] == 6000.0
    assert engine.meter.meters.it_j - before_j <= 600.0 * 8000.0 + 1.0
    assert engine.power.flows.grid_w > 8000.0
    assert_books_close(engine)


def test_a_loop_that_stops_again_ends_the_boot_which_begins_anew():
    engine = inject(Engine(liquid(), 1), "1000 s pump_stop cdu/0 for=2min", "1400 s pump_stop cdu/0 for=5min")
    engine.advance(1300.0)
    row = engine.plant.nodes.loop == 0
    assert engine.nodes.boots()[row].all()
    engine.advance(1500.0)
    assert not engine.nodes.boots().any()
    assert (frame(engine).values["gpu.power_w"][row[engine.plant.gpus.node]] == 0).all()
    engine.advance(3000.0)
    assert set(times(engine, "restarted")) == {1700.0 + REBOOT_S}


def test_a_room_that_tripped_is_back_a_boot_after_it_is_cool():
    scene = tiny(4, ())
    engine = inject(Engine(scene, 1), "600 s fan_stop crah/0 for=20min")
    engine.advance(6000.0)
    (cool_s,) = times(engine, "room_cool")
    assert times(engine, "restarted") == pytest.approx([max(cool_s, 1800.0) + REBOOT_S] * 4, abs=1e-6)


def test_a_run_restored_while_nodes_wait_and_boot_ends_as_the_whole_one():
    scene = load(FINDINGS / "nb.twin.yaml").scenario
    whole = Engine(scene)
    whole.advance(whole.end_s)
    engine = Engine(scene)
    for mark_s in (800.0, 1600.0):
        engine.advance(mark_s)
        engine = Engine.restore(scene, engine.snapshot())
    engine.advance(engine.end_s)
    assert engine.event_hash() == whole.event_hash()
