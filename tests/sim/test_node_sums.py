"""Sums over nodes by loop: those worked out alone are those of all, to the last bit."""

import numpy as np
import pytest
from sim_scenes import air_cooling, tiny

from twin.scenario.schema.faults import Intervention
from twin.sim.engine.engine import Engine
from twin.sim.meters.node_sums import NodeSums


def test_sums_over_the_nodes_of_places_by_hand():
    sums, values = NodeSums(np.array([0, 2, 0, 1, 2, 0]), 4), np.array([1.0, 2.0, 4.0, 8.0, -16.0, 32.0])
    before = sums.of(values)
    assert before.tolist() == [37.0, 8.0, -14.0, 0.0]
    values[[1, 3]] = 64.0, 128.0
    places, nodes = sums.touched(np.array([1]))
    assert (places.tolist(), nodes.tolist()) == ([2], [1, 4])
    assert sums.renewed(before, places, nodes, values[nodes]).tolist() == [37.0, 8.0, 48.0, 0.0]
    places, nodes = sums.touched(np.array([3, 4, 1]))
    assert (places.tolist(), nodes.tolist()) == ([1, 2], [3, 1, 4])
    assert sums.renewed(before, places, nodes, values[nodes]).tolist() == [37.0, 128.0, 48.0, 0.0]
    assert before.tolist() == [37.0, 8.0, -14.0, 0.0]
    places, nodes = sums.touched(np.zeros(0, np.intp))
    assert sums.renewed(before, places, nodes, values[nodes]).tolist() == before.tolist()


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


ON_PLATES = air_cooling(["gpu"])
ON_PLATES["loops"].append(
    {"id": "cdu", "kind": "liquid", "part": "CDU-inrow-1350", "plant": "water", "serves": ["gpu"], "count": 2}
)


@pytest.mark.parametrize(
    ("part", "cooling"), [("DGX-H100", air_cooling(["gpu"])), ("HGX-H100-DLC", ON_PLATES)]
)
def test_the_power_of_nodes_that_changed_is_that_of_all_worked_out_anew(part, cooling):
    job = {
        "id": "train",
        "nodes": 4,
        "workload": {"kind": "load", "gpu": "90 %", "step": "10 s"},
        "steps": 100,
    }
    engine = Engine(tiny(4, part=part, jobs=[job], cooling=cooling))
    seen = set()
    acts = {60.0: ("drain", 1), 120.0: ("fail", 0), 200.0: ("fail", 2)}
    for at_s in (60.0, 120.0, 150.0, 200.0, 300.0, 900.0, 4000.0):
        if at_s in acts:
            kind, node = acts[at_s]
            engine.intervene(Intervention(at=at_s, kind=kind, target=engine.plant.nodes.ids[node]))
        engine.advance(at_s + 1.0)
        over = engine.meter.overhead
        node_w, loop_w, hall_w, rest_w = over.node_w, over.loop_heat_w, over.hall_heat_w, over.rest_w
        seen.add(rest_w)
        over.on_restored()  # what is known of traces is forgotten
        over.set(engine.pacing.traces(), engine.clocks)
        assert over.node_w.tolist() == node_w.tolist()
        assert over.loop_heat_w.tolist() == loop_w.tolist()
        assert over.hall_heat_w.tolist() == hall_w.tolist()
        # Node by node, what it gives to its plates and to the air, beside switches, stores, pumps and fans.
        by_loop_w, by_hall_w = over.cooling.loop_heat_w(at_s + 1.0), over.cooling.hall_heat_w(at_s + 1.0)
        to_loop_w, to_hall_w = (
            np.resize(heat_w, len(of)) * (np.arange(len(of)) < len(heat_w))
            for heat_w, of in ((by_loop_w, loop_w), (by_hall_w, hall_w))
        )
        for node, watts in enumerate(node_w.tolist()):
            air_w = watts * engine.body.overhead_to_air[node]
            to_loop_w[engine.plant.nodes.loop[node]] += watts - air_w
            to_hall_w[0] += air_w
        for rack, watts in enumerate(over.static_w.tolist()):
            to_loop_w[engine.plant.racks.loop[rack]] += watts
        assert over.loop_heat_w == pytest.approx(to_loop_w, rel=1e-12)
        assert over.hall_heat_w == pytest.approx(to_hall_w, rel=1e-12)
        assert rest_w == pytest.approx(node_w.sum(), rel=1e-12)
    assert bool(to_hall_w.any()) == (cooling is ON_PLATES)
    assert len(seen) > 1
