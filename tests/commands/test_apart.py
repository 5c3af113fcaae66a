"""What an edit of a run says of one item leaves what is said of others since, at its start."""

from __future__ import annotations

from twin.commands.edit.draft import Draft
from twin.commands.edit.draft_steps import Proposal
from twin.commands.place.move import Rotate
from twin.scenario import load
from twin.scenario.file.apply_edits import edited, in_order


def test_what_is_done_at_the_start_stays_done_behind_an_edit_of_another() -> None:
    draft = Draft(load("scenes/lab-16.twin.yaml"))
    draft.at(500.0)
    _edit(draft, draft.propose(Rotate(("gpu/0/1",))), 600.0)
    _edit(draft, draft.propose_undo(opposite=True), 700.0)
    (turned, back) = in_order(draft.file.scenario)
    assert [one.path for one in (*turned.changes, *back.changes)] == ["halls[lab].overrides[gpu/0/1]"] * 2
    draft.at(0.0)
    draft.settle()
    draft.land(draft.propose(Rotate(("gpu/0/0",))))
    scenario = draft.file.scenario
    facing = scenario.halls[0].overrides["gpu/0/0"].facing
    assert facing is not None
    for edit in in_order(scenario):
        scenario = edited(scenario, edit.changes)
        assert scenario.halls[0].overrides["gpu/0/0"].facing == facing
    assert set(scenario.halls[0].overrides) == {"gpu/0/0"}


def _edit(draft: Draft, proposal: object, at_s: float) -> None:
    assert isinstance(proposal, Proposal)
    draft.at(at_s)
    draft.land_edit(proposal, draft.edit(proposal, at_s))
