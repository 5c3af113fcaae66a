"""Sums over nodes by loop: those worked out alone are those of all, to the last bit."""

import numpy as np
from sim_scenes import tiny

from twin.scenario.schema.faults import Intervention
from twin.sim.engine.engine import Engine
from twin.sim.meters.node_sums import NodeSums


def test_a_place_worked_out_alone_has_the_sum_that_it_has_among_all():
    draws = np.random.default_rng(7)
    place, values = draws.integers(0, 9, 400), draws.random(400)
    place[place == 4] = 5  # nobody there
    sums = NodeSums(place, 9)
    before = sums.of(values)
    assert before.tolist() == np.bincount(place, values, minlength=9).tolist()
    moved = np.array([3, 17, 250])
    values[moved] += 0.1
    places, nodes = sums.touched(moved)
    assert set(places.tolist()) == set(place[moved].tolist())
    assert sorted(nodes.tolist()) == np.flatnonzero(np.isin(place, places)).tolist()
    assert sums.renewed(before, places, nodes, values[nodes]).tolist() == sums.of(values).tolist()


def test_the_power_of_nodes_that_changed_is_that_of_all_worked_out_anew():
    job = {
        "id": "train",
        "nodes": 4,
        "workload": {"kind": "load", "gpu": "90 %", "step": "10 s"},
        "steps": 100,
    }
    engine = Engine(tiny(4, part="DGX-H100", jobs=[job]))
    seen = set()
    acts = {60.0: ("drain", 1), 120.0: ("fail", 0), 200.0: ("fail", 2)}
    for at_s in (60.0, 120.0, 150.0, 200.0, 300.0, 900.0, 4000.0):
        if at_s in acts:
            kind, node = acts[at_s]
            engine.intervene(Intervention(at=at_s, kind=kind, target=engine.plant.nodes.ids[node]))
        engine.advance(at_s + 1.0)
        over = engine.meter.overhead
        node_w, loop_w, rest_w = over.node_w, over.loop_heat_w, over.rest_w
        seen.add(rest_w)
        over.on_restored()  # what is known of traces is forgotten
        over.set(engine.pacing.traces(), engine.clocks)
        assert over.node_w.tolist() == node_w.tolist()
        assert over.loop_heat_w.tolist() == loop_w.tolist()
    assert len(seen) > 1
