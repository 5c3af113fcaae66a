"""An edit of a run lands while another of the file acts between its asking and its answer."""

from __future__ import annotations

from pathlib import Path

from twin.commands.edit.command import Given
from twin.commands.edit.draft import Draft
from twin.scenario import Change, Patch, load, loads

LAB = Path(__file__).parents[2] / "scenes" / "lab-16.twin.yaml"
RACK = "{id: x-1, at: {x: 20 m}, racks: {count: 1, nodes: [{part: DGX-H100, count: 1}]}}"
ADD = Given(
    Patch(
        (Change("halls[lab].rows[x-1]", RACK), Change("cooling.loops[crah].serves", "[gpu, x-1]")), "Add rack"
    )
)
NAME = Given(Patch((Change("title", "Another laboratory"),), "Rename"))


def _with_an_edit_at_100_s() -> Draft:
    draft = Draft(load(LAB))
    proposal = draft.propose(ADD)
    draft.land_edit(proposal, proposal.edit("edit-1", 100.0))
    return Draft(loads(draft.file.text))


def _stands(draft: Draft) -> tuple[str, list[str]]:
    scenario = draft.shown.scenario
    return scenario.title, [row.id for row in scenario.halls[0].rows]


def test_what_acted_before_the_answer_stays_in_the_scene_that_is_shown() -> None:
    draft = _with_an_edit_at_100_s()
    proposal = draft.propose(NAME)
    draft.land_edit(proposal, proposal.edit("edit-2", 150.0))
    assert _stands(draft) == ("Another laboratory", ["gpu", "x-1"])


def test_what_the_clock_brought_while_the_worker_thought_stays_too() -> None:
    draft = _with_an_edit_at_100_s()
    proposal = draft.propose(NAME)
    assert draft.at(120.0)
    draft.land_edit(proposal, proposal.edit("edit-2", 150.0))
    assert _stands(draft) == ("Another laboratory", ["gpu", "x-1"])


def test_what_comes_later_does_not_stand_yet() -> None:
    draft = _with_an_edit_at_100_s()
    proposal = draft.propose(NAME)
    draft.land_edit(proposal, proposal.edit("edit-2", 50.0))
    assert _stands(draft) == ("Another laboratory", ["gpu"])
    assert draft.shown is proposal.after
