"""Flows over single links, by hand cases: who sends what over a cable, how much, and whom its loss cuts off."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from twin.catalog import load_catalog
from twin.physics.sharding import data_parallel_bytes
from twin.planning.job.job import LlmJob, default_stack
from twin.planning.job.scenario_job import planned_job
from twin.planning.network.collective import collectives_of
from twin.planning.network.fabric_figures import fabric_figures
from twin.planning.network.link_flows import JobSeat, TrafficMap
from twin.planning.network.traffic import KINDS
from twin.planning.profile.models import load_model
from twin.plant.build import build
from twin.plant.links import find_link, link_id
from twin.plant.tables import Plant
from twin.scenario.schema.document import Scenario

STEP_S = 10.0
DATA, PIPELINE = KINDS.index("data"), KINDS.index("pipeline")


def scene(nodes: int, parallelism: dict[str, int], **fabric: Any) -> Scenario:
    """Return so many DGX H100 in a row, two to a rack, and a training job on all of them."""
    return Scenario.model_validate(
        {
            "format": "twin/scenario",
            "version": 3,
            "catalog": "2026.11",
            "title": "flows",
            "halls": [
                {
                    "id": "hall",
                    "rows": [
                        {
                            "id": "gpu",
                            "racks": {"count": -(-nodes // 2), "nodes": [{"part": "DGX-H100", "count": 2}]},
                        }
                    ],
                }
            ],
            "fabrics": [{"id": "ib", **fabric}],
            "cooling": {
                "plants": [{"id": "water"}],
                "loops": [
                    {
                        "id": "crah",
                        "kind": "air",
                        "part": "CRAH-chilled",
                        "units": 2,
                        "plant": "water",
                        "serves": ["gpu"],
                        "supply": "24 degC",
                    }
                ],
            },
            "jobs": [
                {
                    "id": "train",
                    "nodes": nodes,
                    "workload": {
                        "kind": "llm",
                        "model": "llama3-8b",
                        "global_batch": 64,
                        "sequence": 8192,
                        "parallelism": parallelism,
                    },
                }
            ],
        }
    )


def seated(scenario: Scenario) -> tuple[Plant, TrafficMap, JobSeat]:
    plant = build(scenario)
    traffic = TrafficMap(plant, load_catalog(), scenario.jobs)
    return plant, traffic, JobSeat(0, np.arange(scenario.jobs[0].nodes, dtype=np.int64), STEP_S)


def llm(scenario: Scenario, gpus: int) -> LlmJob:
    job = planned_job(scenario.jobs[0], gpus, "H100-SXM", 80e9)
    assert isinstance(job, LlmJob)
    return job


@pytest.fixture(scope="module")
def two() -> tuple[Plant, TrafficMap, JobSeat]:
    return seated(scene(2, {"tensor": 8}, kind="single-switch", leaf={"part": "QM9700"}))


def test_two_nodes_one_leaf_one_ring_flow_each_way(two: tuple[Plant, TrafficMap, JobSeat]) -> None:
    plant, traffic, seat = two
    link = find_link(plant, f"{plant.nodes.ids[0]}~3")
    assert link is not None
    out, back = sorted(traffic.crossing(np.array([link]), [seat]), key=lambda one: one.direction)
    assert (out.kind, out.direction, back.kind, back.direction) == (DATA, 0, DATA, 1)
    assert (out.sources.tolist(), out.targets.tolist()) == ([0], [1])
    assert (back.sources.tolist(), back.targets.tolist()) == ([1], [0])
    job = llm(scene(2, {"tensor": 8}, kind="single-switch", leaf={"part": "QM9700"}), 16)
    model = load_model("llama3-8b").model
    each = data_parallel_bytes(model, job.parallel, job.stack or default_stack(job.profile, job.model))
    # One GPU of eight sits behind the card; its ring has two members, one in each node.
    assert out.bytes_s == pytest.approx(each / STEP_S)
    assert back.bytes_s == pytest.approx(out.bytes_s)
    assert out.peak_bytes_s <= traffic.links.bytes_s[link] * (1 + 1e-9)


def test_sums_of_all_links_are_those_of_single_ones(two: tuple[Plant, TrafficMap, JobSeat]) -> None:
    _, traffic, seat = two
    sent = traffic.bytes_s(seat)
    for link in range(len(traffic.links)):
        each = np.zeros(2)
        for one in traffic.crossing(np.array([link]), [seat]):
            each[one.direction] += one.bytes_s
        np.testing.assert_allclose(sent[2 * link : 2 * link + 2], each)
    by_kind = sum(traffic.bytes_s(seat, kind) for kind in range(len(KINDS)))
    np.testing.assert_allclose(by_kind, sent)
    there, back = traffic.of_bundles(sent)
    assert there.max() == pytest.approx(sent[0::2].max())
    assert back.max() == pytest.approx(sent[1::2].max())


def test_flows_are_followed_from_end_to_end(two: tuple[Plant, TrafficMap, JobSeat]) -> None:
    plant, traffic, seat = two
    link = find_link(plant, f"{plant.nodes.ids[0]}~3")
    other = find_link(plant, f"{plant.nodes.ids[1]}~3")
    bundles = traffic.along(np.array([link]), [seat])
    assert plant.bundles.of_link[link] in bundles
    assert plant.bundles.of_link[other] in bundles


def test_a_single_homed_card_takes_its_node_along(two: tuple[Plant, TrafficMap, JobSeat]) -> None:
    plant, traffic, _ = two
    link = find_link(plant, f"{plant.nodes.ids[1]}~0")
    assert link is not None
    assert traffic.cut_off_by(np.array([link])).tolist() == [1]
    assert traffic.ways_left(link) == (0, 1)


def test_a_spine_link_cuts_off_nobody_and_its_traffic_goes_round() -> None:
    scenario = scene(
        8,
        {"tensor": 8, "pipeline": 2},
        kind="leaf-spine",
        leaf={"part": "QM9700", "count": 2},
        spine={"part": "QM9700", "count": 2},
    )
    plant, traffic, seat = seated(scenario)
    up = len(plant.node_links.node)
    assert len(traffic.links) > up
    whole = traffic.bytes_s(seat)
    crossing = traffic.crossing(np.array([up]), [seat])
    assert crossing
    assert not len(traffic.cut_off_by(np.array([up])))
    without, all_ways = traffic.ways_left(up)
    assert all_ways - without == plant.switch_links.cables[0]
    dead = np.zeros(len(traffic.links), np.bool_)
    dead[up] = True
    traffic.set_dead(dead)
    round_about = traffic.bytes_s(seat)
    assert round_about[2 * up] == 0.0
    spines = whole.reshape(-1, 2)[up:].sum(), round_about.reshape(-1, 2)[up:].sum()
    assert spines[0] == pytest.approx(spines[1])
    traffic.set_dead(np.zeros_like(dead))
    np.testing.assert_allclose(traffic.bytes_s(seat), whole)
    assert link_id(plant, up).count("~") == 1


def test_collectives_name_ring_chain_and_what_stays_inside() -> None:
    scenario = scene(4, {"tensor": 8, "pipeline": 2}, kind="single-switch", leaf={"part": "QM9700"})
    _, traffic, seat = seated(scenario)
    found = {one.kind: one for one in collectives_of(traffic, seat)}
    assert set(found) == {"data", "pipeline", "tensor"}
    data, chain, tensor = found["data"], found["pipeline"], found["tensor"]
    assert (data.shape, data.members, data.groups, data.cards) == ("ring", 2, 16, 8)
    assert data.nodes.tolist() == [0, 1]
    assert (chain.shape, chain.members, chain.nodes.tolist()) == ("chain", 2, [0, 2])
    assert (tensor.cards, tensor.time_s, tensor.nodes.tolist()) == (0, 0.0, [0])
    assert data.time_s > 0
    assert data.algorithm in {"ring", "tree", "hierarchical"}
    assert chain.time_s > 0


def test_a_job_without_all_its_nodes_sends_nothing(two: tuple[Plant, TrafficMap, JobSeat]) -> None:
    _, traffic, _ = two
    half = JobSeat(0, np.array([1], np.int64), STEP_S)
    assert traffic.placement(half) is None
    assert not traffic.bytes_s(half).any()
    assert traffic.crossing(np.array([0]), [half]) == []


def test_figures_of_a_leaf_spine_fabric() -> None:
    plant = build(
        scene(
            8,
            {"tensor": 8},
            kind="leaf-spine",
            leaf={"part": "QM9700", "count": 2},
            spine={"part": "QM9700", "count": 1},
        )
    )
    figures = fabric_figures(plant, 0)
    assert figures.nodes == 8
    assert figures.switches[:2] == (2, 1)
    up = plant.switch_links.bytes_s.sum()
    assert figures.oversubscription == pytest.approx(8 * 8 * 50e9 / up)
    assert figures.bisection_bytes_s == pytest.approx(min(8 * 8 * 50e9 / 2, up / 2))
    assert figures.cables == 64 + plant.switch_links.cables.sum()


@pytest.mark.parametrize(("kind", "nodes", "cut"), [("ring", 8, 2), ("torus", 16, 8)])
def test_a_torus_is_cut_twice_across_its_longest_axis(kind: str, nodes: int, cut: int) -> None:
    fabric = {"kind": kind, "technology": "InfiniBand-NDR"} | ({"dims": [4, 4]} if kind == "torus" else {})
    plant = build(scene(nodes, {"tensor": 8}, **fabric))
    one = float(plant.peer_links.bytes_s[0])
    assert fabric_figures(plant, 0).bisection_bytes_s == pytest.approx(cut * one)
