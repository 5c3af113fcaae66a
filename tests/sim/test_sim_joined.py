"""Jobs whose nodes no fabric joins: refused, or kept to the nodes that are joined; scenes without any fabric."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fabric_scenes import LEAF_SPINE, hall, model
from sim_scenes import job

from twin.catalog import load_catalog
from twin.planning.job.result import PlanError
from twin.planning.network.connectivity import NotJoined
from twin.planning.network.job_network import network_of
from twin.planning.search.scene_plan import plan_for_scene, scene_gpus
from twin.plant.build import build
from twin.plant.islands import ALONE, islands_of
from twin.plant.links import links_of
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine


def cabled(*leaf_of: int) -> dict[str, Any]:
    """Return an explicit fabric in which all 8 cards of the first nodes go to a leaf each."""
    ends = [(f"gpu/0/{k // 4}/{k % 4}", leaf) for k, leaf in enumerate(leaf_of)]
    return {
        "id": "ib",
        "kind": "explicit",
        "leaf": {"part": "QM9700", "count": max(leaf_of) + 1},
        "links": [{"from": node, "to": f"ib/0/{leaf}", "cables": 8} for node, leaf in ends],
    }


def two_halves(*jobs: dict[str, Any], nodes: int = 4) -> Scenario:
    """Return nodes of one rack on two leaves with nothing between."""
    return hall(*jobs, nodes=nodes, fabrics=[cabled(*(2 * k // nodes for k in range(nodes)))])


def never_cabled(*jobs: dict[str, Any]) -> Scenario:
    return hall(*jobs, nodes=4, fabrics=[cabled(0, 0)])


def far_row(*jobs: dict[str, Any]) -> Scenario:
    """Return two rows of which the fabric has one."""
    racks = {"count": 1, "nodes": [{"part": "DGX-H100", "count": 4, "first_u": 3}]}
    rows = [{"id": "gpu", "racks": racks}, {"id": "far", "at": {"y": "8 m"}, "racks": racks}]
    document = hall(*jobs, nodes=4).model_dump(by_alias=True)
    loops = [document["cooling"]["loops"][0] | {"serves": ["gpu", "far"], "units": 4}]
    cooling = document["cooling"] | {"loops": loops}
    fabric = LEAF_SPINE | {"rows": ["gpu"]}
    return hall(*jobs, nodes=4, halls=[{"id": "hall", "rows": rows}], cooling=cooling, fabrics=[fabric])


@pytest.mark.parametrize(
    ("scene", "most", "have"), [(never_cabled, 2, 4), (two_halves, 2, 4), (far_row, 4, 8)]
)
def test_a_job_over_more_nodes_than_a_fabric_joins_is_refused(scene, most, have):
    with pytest.raises(NotJoined, match=f"more than {most} of the {have} .* at most {most} nodes") as found:
        Engine(scene(model("a", have)))
    assert found.value.job == "a"
    made, catalog = scene(model("a", have)), load_catalog()
    with pytest.raises(NotJoined):
        network_of(build(made, catalog), catalog, made.jobs[0])


@pytest.mark.parametrize(("scene", "most"), [(never_cabled, 2), (two_halves, 2), (far_row, 4)])
def test_as_many_nodes_as_are_joined_run_over_their_fabric(scene, most):
    engine = Engine(scene(model("a", most)))
    engine.advance(600.0)
    assert engine.jobs.rows[0].nodes == list(range(most))
    made, catalog = engine.scenario, engine.catalog
    assert engine.network.alone(0) == network_of(engine.plant, catalog, made.jobs[0])
    gpus = scene_gpus(engine.plant, catalog)
    assert gpus.network is not None
    assert gpus.network.nodes.tolist() == list(range(most))
    plan_for_scene(gpus, "llama3-8b", 8 * most, 8 * most)
    with pytest.raises(PlanError, match=f"more than the {8 * most} that a fabric of the scene joins"):
        plan_for_scene(gpus, "llama3-8b", 8 * most + 8, 8 * most + 8)


def test_two_jobs_take_an_island_each_and_spares_are_of_the_same_one():
    engine = Engine(two_halves(model("a", 2), model("b", 2), nodes=8))
    engine.advance(600.0)
    assert [row.nodes for row in engine.jobs.rows] == [[0, 1], [2, 3]]  # one island has room for both
    engine = Engine(two_halves(model("a", 3, 48), model("b", 3, 48), nodes=8))
    engine.advance(600.0)
    assert [row.nodes for row in engine.jobs.rows] == [[0, 1, 2], [4, 5, 6]]
    fail = {"at": "10 min", "kind": "fail", "target": "gpu/0/1/1", "for": "5 h"}
    jobs = (model("b", 3, 48), model("a", 4))
    engine = Engine(hall(*jobs, nodes=8, fabrics=[cabled(0, 0, 0, 0, 1, 1, 1, 1)], interventions=[fail]))
    engine.advance(3600.0)
    # The second job has lost a node, and the free one is on the other island: it waits.
    assert engine.jobs.rows[1].nodes == [4, 6, 7]


def test_jobs_that_send_nothing_may_use_every_node():
    served = {"kind": "inference", "model": "llama3-8b", "tensor": 8, "requests_s": 1.0}
    engine = Engine(never_cabled(job(4, "serve", workload=served)))
    engine.advance(600.0)
    assert engine.jobs.rows[0].nodes == [0, 1, 2, 3]
    assert engine.summary()["jobs"][0]["network"] is None


def test_without_any_fabric_the_network_is_not_modelled_and_the_summary_says_so():
    engine = Engine(hall(model("a", 4), nodes=4, fabrics=[]))
    engine.advance(600.0)
    said = engine.summary()["jobs"][0]
    assert said["network"] is None
    assert "no fabric" in said["network_reason"]
    joined = Engine(hall(model("a", 4), nodes=4))
    joined.advance(600.0)
    assert joined.summary()["jobs"][0]["network_reason"] is None


@pytest.mark.parametrize("cards", [1, 4, 8])
def test_fewer_cards_than_the_node_has_are_so_much_less_network(cards):
    fabric = cabled(0, 0, 0, 0)
    fabric["links"] = [link | {"cables": cards} for link in fabric["links"]]
    engine = Engine(hall(model("a", 4), nodes=4, fabrics=[fabric]))
    engine.advance(600.0)
    network = engine.network.alone(0)
    assert network is not None
    assert network.data == pytest.approx(cards / 8)
    assert network == network_of(engine.plant, engine.catalog, engine.scenario.jobs[0])
    seen = scene_gpus(engine.plant, engine.catalog).network
    assert seen is not None
    assert seen.cards == cards


def test_islands_of_a_fabric_are_the_nodes_that_reach_one_another():
    plant = build(two_halves(), load_catalog())
    assert islands_of(plant, links_of(plant), 0).tolist() == [0, 0, 1, 1]
    plant = build(never_cabled(), load_catalog())
    assert islands_of(plant, links_of(plant), 0).tolist() == [0, 0, ALONE, ALONE]
    for kind in ("rail-optimised", "rail-only", "fat-tree"):
        plant = build(hall(fabric={"kind": kind, "core": {"part": "QM9700"} if kind == "fat-tree" else None}))
        assert np.all(islands_of(plant, links_of(plant), 0) == 0)
