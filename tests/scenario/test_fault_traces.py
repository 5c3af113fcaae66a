"""Fault traces are read as they are written, packed without loss, and refused in words where they are wrong."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from twin import scenario
from twin.scenario.formats.fault_trace import Faults, faults_of, pack, unpack
from twin.scenario.text.problem import ScenarioError

DAY_S = 86400.0


def _event(node: str, t_day: float, type: str, what: str = "GPU", desc: str = "") -> dict[str, Any]:
    fault = {"Level": "Hardware Failure", "Class": what, "Desc": desc}
    return {"node_id": node, "event_time": t_day, "event_type": f"fault_{type}", "fault_type": fault}


def test_ends_belong_to_the_oldest_open_fault_of_their_node_and_type() -> None:
    events = [
        _event("b", 1.0, "start"),
        _event("a", 2.0, "start", "Parameter Plane Cable"),
        _event("b", 3.0, "start", "NIC", "lost"),
        _event("b", 4.0, "end"),
        _event("b", 5.0, "end", "NIC", "lost"),
        _event("a", 6.0, "start"),
        _event("a", 7.0, "end", "Parameter Plane Cable"),
    ]
    faults = faults_of(json.dumps(events), "trace.json")
    assert faults.node.tolist() == [0, 1, 0, 1]  # in the order of first faults
    assert (faults.start_s / DAY_S).tolist() == [1.0, 2.0, 3.0, 6.0]
    assert (faults.end_s / DAY_S).tolist() == [4.0, 7.0, 5.0, math.inf]
    assert faults.cause == ("gpu", "parameter_plane_cable", "nic", "gpu")


def test_tables_are_read_row_by_row() -> None:
    faults = faults_of("node,start_s,end_s,cause\nn7,50,80,Fan 2\n\nn1,10,,gpu\n", "trace.csv")
    assert faults.node.tolist() == [0, 1]
    assert faults.start_s.tolist() == [10.0, 50.0]
    assert faults.end_s.tolist() == [math.inf, 80.0]
    assert faults.cause == ("gpu", "fan_2")


def test_packing_loses_nothing() -> None:
    rng = np.random.default_rng(1)
    start = np.sort(rng.uniform(0, 3e7, 500))
    faults = Faults(rng.integers(0, 90, 500), start, start + rng.exponential(1e5, 500), ("gpu",) * 500)
    again = unpack(pack(faults))
    assert again.node.tolist() == faults.node.tolist()
    assert again.start_s.tolist() == faults.start_s.tolist()
    assert again.end_s.tolist() == faults.end_s.tolist()
    assert again.cause == faults.cause


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "neither the header"),
        ("[]", "has no faults"),
        ("[{]", "is not JSON"),
        ('{"a": 1}', "is not a list"),
        ("[3]", "is not an event"),
        (json.dumps([_event("a", -1.0, "start")]), "event_time"),
        (json.dumps([_event("a", 1.0, "begin")]), "fault_start or fault_end"),
        (json.dumps([_event("a", 1.0, "end")]), "never started"),
        ("node,start,end\n", "node,start_s,end_s,cause"),
        ("node,start_s,end_s,cause\na,5,4,gpu\n", "not before it"),
        ("node,start_s,end_s,cause\na,nan,4,gpu\n", "not before it"),
        ("node,start_s,end_s,cause\na,5\n", "four cells"),
        ("node,start_s,end_s,cause\n", "has no faults"),
    ],
)
def test_what_is_wrong_is_said(text: str, word: str) -> None:
    with pytest.raises(ScenarioError, match="trace") as refused:
        faults_of(text, "trace")
    assert word in str(refused.value)


@pytest.mark.parametrize(
    "text", ["", "x", "eJw=", pack(Faults(np.array([0]), np.array([1.0]), np.array([2.0]), ("a",)))[:-4]]
)
def test_texts_that_the_program_did_not_write_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="remove it and name a file"):
        unpack(text)


SCENE = """format: twin/scenario
version: 3
catalog: "2026.11"
title: x
halls: [{id: h, rows: [{id: gpu, racks: {count: 2, nodes: [{part: DGX-H100, count: 1, first_u: 3}]}}]}]
cooling:
  plants: [{id: water, kind: dry-cooler, supply: 14 degC}]
  loops: [{id: crah, kind: air, part: CRAH-chilled, plant: water, serves: [gpu], supply: 22 degC}]
failures:
"""


def test_a_scene_carries_the_faults_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "faults.csv").write_text("node,start_s,end_s,cause\nn7,50,80,fan\n")
    loaded = scenario.loads(SCENE + "  trace: {file: faults.csv}\n", folder=tmp_path).scenario
    assert loaded.failures.trace is not None
    assert unpack(loaded.failures.trace.rows or "").end_s.tolist() == [80.0]
    with pytest.raises(ScenarioError, match="does not exist"):
        scenario.loads(SCENE + "  trace: {file: other.csv}\n", folder=tmp_path)


@pytest.mark.parametrize(
    ("cause", "word"),
    [
        ("on: pdu", "no PDU or busbar"),
        ("on: cdu", "no loop with coolant"),
        ("on: link", "no fabric"),
        ("effect: pcie", "no fabric"),
        ("on: rack, effect: slow", "not of a rack"),
        ("effect: dead, severity: 50 %", "does not apply to dead"),
        ("effect: hang, found: 2 h", "does not apply to hang"),
    ],
)
def test_causes_that_can_strike_nothing_are_refused(cause: str, word: str) -> None:
    text = SCENE + f"  causes: [{{id: a, rate: 1 per node-day, repair: gpu, {cause}}}]\n"
    with pytest.raises(ScenarioError) as refused:
        scenario.loads(text)
    assert word in str(refused.value)
