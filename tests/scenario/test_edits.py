"""Edits of a running hall, as a file holds them."""

from __future__ import annotations

from pathlib import Path

import pytest

from twin.scenario import Change, Patch, ScenarioError, load, loads
from twin.scenario.file.apply_edits import edited
from twin.scenario.file.patch_text import edit
from twin.scenario.file.scene_at import effective

LAB = (Path(__file__).parents[2] / "scenes" / "lab-16.twin.yaml").read_text(encoding="utf-8")
RACK = "{id: x-1, at: {x: 20 m}, racks: {count: 1, nodes: [{part: DGX-H100, count: 2}]}}"
EDITS = f"""
edits:
  - {{id: e-2, at: 10001.123456789 s, changes: [{{path: "halls[lab].rows[x-1]"}}]}}
  - {{id: e-1, at: 2 h, title: one more, changes: [{{path: "halls[lab].rows[x-1]", value: "{RACK}"}}]}}
"""


def _ids(scenario: object) -> list[str]:
    return [rows.id for rows in scenario.halls[0].rows]  # type: ignore[attr-defined]


CHANGES = [
    (Change("halls[lab].rows[x-1]", RACK), Change("jobs[llama3].checkpoint.pause", "1 min")),
    (Change("halls[lab].overrides[gpu/0/1/0].drained", "true"),),
    (Change("halls[lab].rows[gpu].at.x", "3 m"), Change("title", "Another lab")),
    (Change("halls[lab].rows[gpu].racks.nodes[0].count", "3"),),
    (Change("seed", "7"),),
]


@pytest.mark.parametrize("changes", CHANGES)
def test_a_scenario_is_edited_as_its_text_is_and_the_inverse_gives_it_back(
    changes: tuple[Change, ...],
) -> None:
    lab = loads(LAB)
    after, inverse = edit(lab, Patch(changes))
    assert edited(lab.scenario, changes) == after.scenario
    assert edited(after.scenario, inverse.changes) == lab.scenario
    assert edit(after, inverse)[0].text == LAB


def test_edits_act_in_the_order_of_their_times() -> None:
    lab = loads(LAB + EDITS)
    assert [one.at_s for one in lab.scenario.edits] == [10001.123456789, 7200.0]
    assert "x-1" not in _ids(effective(lab, 7199.9).scenario)
    assert "x-1" in _ids(effective(lab, 7200.0).scenario)
    untouched = load("builtin:lab-16").scenario
    assert effective(lab).scenario == untouched.model_copy(update={"interventions": ()})


def test_an_edit_that_cannot_act_is_named_with_its_line() -> None:
    with pytest.raises(ScenarioError) as caught:
        loads(LAB + EDITS.replace("count: 2}", "count: 200}"))
    (problem,) = caught.value.problems
    assert problem.line == LAB.count("\n") + 4
    assert "edits[e-1]" in problem.key


def test_an_intervention_finds_the_hall_of_its_time() -> None:
    for at, stands in (("9000 s", True), ("7000 s", False), ("10500 s", False)):
        fails = f"interventions:\n  - {{at: {at}, kind: fail, target: x-1/0/0/1}}"
        text = LAB.replace("interventions:", fails) + EDITS
        if stands:
            assert loads(text).scenario.interventions
            continue
        with pytest.raises(ScenarioError, match="unknown GPU"):
            loads(text)


def test_an_edit_changes_what_exists_not_edits() -> None:
    text = LAB + 'edits: [{id: a, at: 1 h, changes: [{path: "edits[a]"}]}]\n'
    with pytest.raises(ScenarioError, match="changes what exists"):
        loads(text)


@pytest.mark.parametrize(
    ("path", "value", "match"),
    [
        ("halls[lab].rows[nothing]", None, "unknown id"),
        ("halls[lab].rows[x-1]", "{id: y, racks: {count: 1}}", "id: x-1"),
        ("halls[lab].rows[x-1]", "{rocks: 1}", "rocks"),
        ("title", None, "is required"),
        ("halls", "[]", "halls"),
    ],
)
def test_what_does_not_fit_is_refused(path: str, value: str | None, match: str) -> None:
    with pytest.raises(ScenarioError, match=match):
        edited(loads(LAB).scenario, (Change(path, value),))
