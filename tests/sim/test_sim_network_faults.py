"""What faults of switches and cables do to jobs on fabrics, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fabric_scenes import hall, model
from network_scenes import FABRICS, FOUR_SPINES, LINE, PIPE, run, told
from sim_scenes import assert_books_close, events, frame

from twin import scenario
from twin.catalog import load_catalog
from twin.plant.build import build
from twin.record.channels import JobState, State
from twin.scenario.checks.fabric import connected
from twin.scenario.checks.fabric_size import size_of
from twin.scenario.checks.fabric_targets import switch_counts
from twin.sim.core.nodes import CUT
from twin.sim.engine.engine import Engine


def test_a_lost_spine_slows_by_its_share_and_stops_nobody() -> None:
    """Two stages of four nodes: 32 cards at 90 % through 24 of 32 up-links."""
    pipe = model("a", 8, 64, "llama3-70b", tensor=8, pipeline=2)
    scene = hall(pipe, nodes=8, fabric=FOUR_SPINES)
    engine = run(scene, "30 min fail ib/1/2 for=20min", until_s=2400.0)
    assert told(engine)["network"]["alone"]["pipeline"] == pytest.approx(24 / (32 * LINE))
    assert engine.jobs.rows[0].interruptions == 0
    (fault,) = events(engine, "fabric_fault")
    assert "17 % less bandwidth for a; no job interrupted" in fault.text
    assert fault.text.startswith("spine failed for 20 min")
    engine.advance(3200.0)
    assert told(engine)["network"]["factor"] == 1.0
    assert len(events(engine, "fabric_back")) == 1


def test_a_lost_leaf_stops_a_job_until_it_is_back() -> None:
    scene = hall(model("a", 8), nodes=8, fabric={"kind": "rail-optimised"})
    engine = run(scene, "30 min fail ib/0/3 for=1h", until_s=2400.0)
    row = engine.jobs.rows[0]
    assert row.state == JobState.WAITING
    assert (engine.nodes.condition == CUT).sum() == 4
    (fault,) = events(engine, "fabric_fault")
    assert fault.text == "leaf failed for 1 h: 4 nodes lost rail 3; a interrupted"
    shown = frame(engine)
    assert (shown.values["switch.state"] == State.FAILED).sum() == 1
    assert (shown.values["gpu.state"] == State.CUT_OFF).sum() == 32
    assert shown.values["site.nodes_down"][0] == 4
    assert engine.summary()["fabrics"][0]["nodes_cut_off"] == 4
    engine.advance(6000.0)
    assert row.state == JobState.RUNNING
    assert row.interruptions == 1
    assert engine.summary()["interruptions"]["by_cause"]["injected"] == 1
    assert not engine.nodes.cut.any()


def test_two_homes_survive_a_leaf() -> None:
    scene = hall(model("a", 8), nodes=8, fabric={"kind": "rail-optimised", "homes": 2})
    engine = run(scene, "30 min fail ib/0/3 for=1h", until_s=2400.0)
    assert engine.jobs.rows[0].state == JobState.RUNNING
    assert told(engine)["network"]["factor"] == pytest.approx(0.5)
    assert "50 % less bandwidth for a; no job interrupted" in events(engine, "fabric_fault")[0].text


def test_a_cut_cable_costs_a_node_and_takes_a_spare() -> None:
    engine = run(hall(model("a", 6, 96), nodes=8), "30 min fail gpu/0/0/2~5 cause=gpu for=1h")
    row = engine.jobs.rows[0]
    assert row.state == JobState.RUNNING
    assert 2 not in row.nodes
    assert engine.nodes.condition[2] == CUT
    assert engine.summary()["interruptions"]["by_cause"]["gpu"] == 1
    assert "1 node lost rail 5; a interrupted" in events(engine, "fabric_fault")[0].text


def test_a_redundant_cable_keeps_the_job_alive() -> None:
    engine = run(hall(model("a", 6, 96), nodes=8, fabric=FOUR_SPINES), "30 min fail ib/0/1~ib/1/3")
    assert engine.jobs.rows[0].interruptions == 0
    assert frame(engine).values["bundle.down"].sum() == 8
    assert "no job interrupted" in events(engine, "fabric_fault")[0].text


def test_a_flapping_cable_halves_what_its_card_gives() -> None:
    engine = run(hall(model("a", 8)), "30 min flap gpu/0/1/2~5 value=50% for=10min", until_s=2000.0)
    assert told(engine)["network"]["factor"] == pytest.approx(0.5)
    assert engine.jobs.rows[0].interruptions == 0
    engine.advance(3000.0)
    assert told(engine)["network"]["factor"] == 1.0


def test_faults_may_overlap() -> None:
    lines = (
        "30 min fail ib/0/1 for=20min",
        "35 min fail ib/0/1 for=30min",
        "40 min fail gpu/0/0/3~0 for=1min",
    )
    engine = run(hall(model("a", 2, 32), nodes=8), *lines, until_s=2350.0)
    assert engine.nodes.cut.sum() == 4
    engine.advance(3200.0)  # the first is over, the second is not
    assert engine.nodes.cut.sum() == 4
    engine.advance(4000.0)
    assert not engine.nodes.cut.any()
    assert_books_close(engine)


def test_a_node_under_repair_comes_back_cut_off() -> None:
    lines = ("30 min fail gpu/0/0/3 for=10min", "35 min fail gpu/0/0/3~0 for=20min", "36 min drain gpu/0/0/3")
    engine = run(hall(model("a", 2, 32), nodes=4), *lines, until_s=2700.0)
    assert engine.nodes.condition[3] == CUT
    engine.advance(3600.0)
    assert engine.nodes.condition[3] != CUT
    assert engine.nodes.cordoned[3]
    assert_books_close(engine)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1 h fail ib/0/77", "did you mean 'ib/0/"),
        ("1 h fail gpu/0/0/1~9", "did you mean 'gpu/0/0/1~"),
        ("1 h fail ib/0/0~ib/1/8", "did you mean 'ib/0/0~ib/1/"),
        ("1 h flap ib/0/0 value=10%", "flap needs a link"),
        ("1 h flap gpu/0/0/1~2 value=120%", "more than 0 and less than 100 %"),
        ("1 h flap gpu/0/0/1~2", "needs value="),
        ("1 h drain ib/0/0", "drain needs a gpu or node or rack or row"),
    ],
)
def test_what_is_not_there_is_refused_with_what_is(line: str, reason: str) -> None:
    engine = Engine(hall(model("a", 2, 32), nodes=4), 1)
    refusal = engine.intervene(scenario.parse_injection(line))
    assert refusal is not None
    assert reason in refusal


@pytest.mark.parametrize(
    ("target", "kind", "reason"),
    [
        ("eb/0/1", "fail", "did you mean 'ib/0/1'"),
        ("xyz", "fail", "fabrics are ib"),
        ("ib/0/x", "fail", "is not a switch"),
        ("ib/0/8", "fail", "did you mean 'ib/0/7'"),
        ("ib/2/0", "fail", "0 core switches"),
        ("ib/0/0~ib/1/4", "fail", "did you mean 'ib/1/3'"),
        ("gpu/0/0/1~8", "flap", "did you mean 'gpu/0/0/1~7'"),
        ("gpu/0/9/1~0", "fail", "racks in a row"),
        ("ib/3/0", "fail", "tiers are 0"),
        ("gpu/0/0/1", "flap", "flap needs"),
        ("ib/0/1", "drain", "needs a GPU, node, rack, row or hall"),
    ],
)
def test_a_file_with_a_wrong_target_is_refused(tmp_path: Any, target: str, kind: str, reason: str) -> None:
    source = (scenario_folder() / "superpod-h100.twin.yaml").read_text()
    value = ", value: 10 %" if kind == "flap" else ""
    file = tmp_path / "wrong.twin.yaml"
    file.write_text(f"{source}\ninterventions:\n  - {{at: 1 h, kind: {kind}, target: {target}{value}}}\n")
    with pytest.raises(scenario.ScenarioError, match=reason):
        scenario.load(file)


@pytest.mark.parametrize("fabric", FABRICS, ids=lambda f: "-".join(map(str, f)))
def test_the_loader_counts_the_switches_that_are_built(fabric: dict[str, Any]) -> None:
    scene = hall(PIPE, fabric=fabric)
    (one,), catalog, plant = scene.fabrics, load_catalog(), build(scene)
    nodes = connected(scene, one, catalog)
    size = size_of(one, catalog, len(nodes.cards), nodes.most_cards, nodes.card_bytes_s)
    built = np.bincount(plant.switches.role, minlength=3)
    assert switch_counts(one, size) == tuple(built.tolist())


def scenario_folder() -> Any:
    """Return where the scenes of the distribution are."""
    from pathlib import Path

    from twin.resources import folder

    return Path(str(folder("scenes")))
