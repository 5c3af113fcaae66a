"""Steps back and forth: to the byte before the run, by edits that do the opposite while it lasts."""

from __future__ import annotations

from pathlib import Path

import pytest

from twin.commands.edit.command import CommandError, Given
from twin.commands.edit.draft import Draft
from twin.commands.edit.draft_steps import Later, Proposal
from twin.scenario import Change, Patch, loads
from twin.scenario.file.patch_text import edit
from twin.scenario.file.scene_at import effective

LAB = (Path(__file__).parents[2] / "scenes" / "lab-16.twin.yaml").read_text(encoding="utf-8")
LAB = LAB[: LAB.index("\nchapters:\n")].rstrip() + "\n"
"""Without its chapters, which would stand below what is written."""
RACK = "{id: x-1, at: {x: 20 m}, racks: {count: 1, nodes: [{part: DGX-H100, count: 2}]}}"


def given(path: str, value: str | None, title: str = "") -> Given:
    return Given(Patch((Change(path, value),), title or f"Set {path}"))


ADD = given("halls[lab].rows[x-1]", RACK, "Add rack")


def test_undo_of_all_gives_back_every_byte_and_redo_every_step() -> None:
    draft = Draft(loads(LAB))
    texts = [LAB]
    for command in (ADD, given("halls[lab].rows[x-1].at.x", "25 m"), given("title", "Mine")):
        draft.land(draft.propose(command))
        texts.append(draft.file.text)
    assert draft.dirty
    assert len(set(texts)) == 4
    for text in reversed(texts[:-1]):
        assert draft.undo()
        assert draft.file.text == text
    assert not draft.dirty
    assert not draft.undo()
    for text in texts[1:]:
        assert draft.redo()
        assert draft.file.text == text
    assert not draft.redo()


def test_steps_of_one_gesture_are_one_and_each_is_meant_from_its_begin() -> None:
    draft = Draft(loads(LAB))
    draft.land(draft.propose(ADD))
    before = draft.file.text
    for x in (21, 22, 23):
        command = given("halls[lab].rows[x-1].at.x", f"{x} m", "Move rack")
        draft.land(draft.propose(command, "drag-1"), "drag-1")
    assert draft.shown.scenario.halls[0].rows[-1].at.x_m == 23
    assert draft.undo_title == "Move rack"
    draft.undo()
    assert draft.file.text == before


def test_an_edit_of_a_run_freezes_the_scene_and_undoing_it_is_another_edit() -> None:
    draft = Draft(loads(LAB))
    add = draft.propose(ADD)
    draft.land_edit(add, add.edit(draft.fresh_id(), 0.1 + 0.2))
    assert set(LAB.splitlines()) <= set(draft.file.text.splitlines())
    assert draft.file.scenario.edits[0].at_s == 0.1 + 0.2
    assert [rows.id for rows in draft.shown.scenario.halls[0].rows] == ["gpu", "x-1"]
    draft.at(1.0)
    back = draft.propose_undo()
    assert isinstance(back, Proposal)
    assert back.title == "Undo add rack"
    draft.land_edit(back, back.edit(draft.fresh_id(), 60.0))
    assert [rows.id for rows in draft.shown.scenario.halls[0].rows] == ["gpu"]
    assert draft.redo_title == "Add rack"
    assert isinstance(
        draft.propose_redo(), Later
    )  # the run stands there still: the opposite edit goes out again
    draft.at(61.0)
    forth = draft.propose_redo()
    assert isinstance(forth, Proposal)
    draft.land_edit(forth, forth.edit(draft.fresh_id(), 90.0))
    assert [edit.at_s for edit in draft.file.scenario.edits] == [0.1 + 0.2, 60.0, 90.0]
    assert effective(draft.file).scenario.halls == draft.shown.scenario.halls
    assert len(draft.done) == 1


def test_at_the_start_what_was_undone_in_the_run_goes_out_of_the_file_with_its_undoing() -> None:
    draft = Draft(loads(LAB))
    draft.land(draft.propose(given("title", "Mine")))
    texts = [LAB, draft.file.text]

    def act(proposal: Proposal | Later | None, at_s: float) -> None:
        assert isinstance(proposal, Proposal)
        draft.land_edit(proposal, proposal.edit(draft.fresh_id(), at_s))
        texts.append(draft.file.text)
        draft.at(at_s + 1.0)

    act(draft.propose(ADD), 10.0)
    act(draft.propose(given("halls[lab].rows[x-1].label", "NEW")), 20.0)
    act(draft.propose_undo(), 30.0)
    act(draft.propose_undo(), 40.0)
    act(draft.propose_redo(), 50.0)
    draft.at(0.0)
    draft.settle()
    assert draft.undo_title == "Add rack"
    for text in reversed(texts[:-1]):
        assert draft.undo()
        assert draft.file.text == text
    assert not draft.undo()
    for text in texts[1:]:
        assert draft.redo()
        assert draft.file.text == text


def at_start(*at_s: float) -> Draft:
    """Return a scene that was edited at these times of its run, which stands at its start again."""
    draft = Draft(loads(LAB))
    for time_s in at_s:
        proposal = draft.propose(given("title", f"At {time_s:g}", f"Title at {time_s:g}"))
        draft.land_edit(proposal, proposal.edit(draft.fresh_id(), time_s))
    draft.at(0.0)
    draft.settle()
    return draft


def ids(draft: Draft) -> list[str]:
    return [edit.id for edit in draft.file.scenario.edits]


def test_what_is_still_ahead_goes_out_of_the_file_and_comes_back() -> None:
    draft = at_start(10.0, 20.0)
    text, shown = draft.file.text, draft.shown
    draft.at(5.0)
    for number in (2, 1):
        later = draft.propose_undo()
        assert isinstance(later, Later)
        assert later.out
        assert later.edit.id == f"edit-{number}"
        draft.land_later(later)
    assert draft.file.text == LAB
    assert draft.shown is shown
    assert draft.redo_title == "Title at 10"
    for _ in range(2):
        later = draft.propose_redo()
        assert isinstance(later, Later)
        assert not later.out
        draft.land_later(later)
    assert draft.file.text == text
    draft.at(15.0)
    later, behind = draft.propose_undo(), draft.done[-2]
    assert isinstance(later, Later)
    draft.land_later(later)
    back = draft.propose_undo()  # that lies behind: another edit takes it back
    assert isinstance(back, Proposal)
    assert back.changes == behind.inverse
    draft.land_edit(back, back.edit(draft.fresh_id(), 16.0))
    assert ids(draft) == ["edit-1", "edit-3"]
    assert draft.fresh_id() == "edit-4"
    draft.at(0.0)
    draft.settle()
    assert [step.title for step in draft.done][-1] == "Undo title at 10"
    while draft.undo():
        pass
    assert draft.file.text == LAB


def test_an_edit_at_whose_time_the_run_stands_goes_out_and_leaves_nothing() -> None:
    draft = Draft(loads(LAB))
    draft.at(10.0)
    texts, scenes = [draft.file.text], [draft.shown.scenario.halls]
    for number, command in enumerate((ADD, given("halls[lab].rows[x-1].label", "NEW")), 1):
        proposal = draft.propose(command)
        edit = draft.edit(proposal, 10.0 + number / 1000)
        assert edit.id == f"edit-{number}"
        draft.land_edit(proposal, edit)
        texts.append(draft.file.text)
        scenes.append(draft.shown.scenario.halls)
    for number in (1, 0):
        later = draft.propose_undo()
        assert isinstance(later, Later)
        assert later.out
        draft.land_later(later, 10.0 + number / 1000)
        assert draft.file.text == texts[number]
        assert draft.shown.scenario.halls == scenes[number]
        assert draft.t_s == 10.0 + number / 1000
    assert not draft.written
    again = draft.propose_redo()
    assert isinstance(again, Proposal), "it acts at once"
    draft.land_edit(again, draft.edit(again, 10.001))
    assert draft.file.text == texts[1]
    draft.land_later(draft.propose_undo(), 10.0)  # type: ignore[arg-type]
    other = draft.propose(given("title", "Other"))
    assert draft.edit(other, 10.001).id == "edit-1", "what could be redone is gone with it"


def test_its_time_may_come_while_it_is_out() -> None:
    draft = at_start(10.0)
    draft.at(5.0)
    later = draft.propose_undo()
    assert isinstance(later, Later)
    draft.land_later(later)
    draft.at(12.0)
    forth = draft.propose_redo()  # now, then
    assert isinstance(forth, Proposal)
    draft.land_edit(forth, forth.edit(draft.fresh_id(), 13.0))
    assert [edit.at_s for edit in draft.file.scenario.edits] == [13.0]


def test_any_edit_that_is_ahead_can_be_taken_out_and_that_be_undone() -> None:
    draft = at_start(10.0, 20.0)
    text = draft.file.text
    draft.at(5.0)
    with pytest.raises(CommandError, match="no edit 'edit-7' of the scene is in the future"):
        draft.propose_out("edit-7")
    draft.land_later(draft.propose_out("edit-1"))
    assert ids(draft) == ["edit-2"]
    assert draft.undo_title == "Remove edit: title at 10"
    new = draft.propose(ADD)
    draft.land_edit(new, draft.edit(new, 6.0))
    assert ids(draft) == ["edit-2", "edit-3"]  # not the name of the one that may come back
    undo = draft.propose_undo(opposite=True)
    assert isinstance(undo, Proposal)
    draft.land_edit(undo, draft.edit(undo, 7.0))
    later = draft.propose_undo()
    assert isinstance(later, Later)
    assert not later.out
    draft.land_later(later)
    assert sorted(ids(draft)) == ["edit-1", "edit-2", "edit-3", "edit-4"]
    draft.at(12.0)
    with pytest.raises(CommandError, match="is in the past"):
        draft.propose_redo()
    draft.at(0.0)
    draft.settle()
    while draft.file.text != text:
        assert draft.undo()
    draft.land_later(draft.propose_out("edit-2"))  # at the start nothing has to be asked
    assert ids(draft) == ["edit-1"]
    assert draft.undo()
    assert draft.file.text == text


def test_what_was_taken_out_is_done_now_when_its_time_is_over() -> None:
    draft = at_start(10.0)
    draft.at(5.0)
    draft.land_later(draft.propose_out("edit-1"))
    draft.at(12.0)
    back = draft.propose_undo()
    assert isinstance(back, Proposal)
    assert back.undoes
    draft.land_edit(back, draft.edit(back, 13.0))
    assert draft.shown.scenario.title == "At 10"
    draft.at(14.0)
    with pytest.raises(CommandError, match="is in the past"):
        draft.propose_redo()


def test_no_two_edits_get_one_id_though_one_of_the_first_was_taken_out() -> None:
    draft = Draft(loads(LAB))
    for at_s in (10.0, 20.0, 30.0):
        proposal = draft.propose(given("title", f"At {at_s}"))
        draft.land_edit(proposal, proposal.edit(draft.fresh_id(), at_s))
    draft.file = edit(draft.file, Patch((Change("edits[edit-1]", None),)))[0]
    assert draft.fresh_id() == "edit-4"


def test_the_scene_stands_as_at_a_time_of_its_run() -> None:
    draft = Draft(loads(LAB))
    add = draft.propose(ADD)
    draft.land_edit(add, add.edit("edit-1", 50.0))
    assert draft.at(0.0)
    assert len(draft.shown.scenario.halls[0].rows) == 1
    assert not draft.at(49.0)
    assert draft.at(50.0)
    assert len(draft.shown.scenario.halls[0].rows) == 2


def test_an_edit_that_a_later_one_cannot_do_without_is_refused() -> None:
    draft = Draft(loads(LAB))
    draft.land_edit(add := draft.propose(ADD), add.edit("edit-1", 10.0))
    draft.land_edit(
        named := draft.propose(given("halls[lab].rows[x-1].label", "NEW")), named.edit("edit-2", 50.0)
    )
    draft.at(20.0)
    gone = draft.propose(given("halls[lab].rows[x-1]", None))
    with pytest.raises(CommandError, match=r"edits.edit-2.*x-1"):
        draft.edit(gone, 20.0)
    draft.at(60.0)
    draft.land_edit(gone, draft.edit(gone, 60.0))
    assert [edit.id for edit in draft.file.scenario.edits] == ["edit-1", "edit-2", "edit-3"]


def test_an_edit_may_take_away_what_is_at_its_default_already() -> None:
    title = "{id: edit-1, at: 50 s, changes: [{path: 'halls[lab].rows[gpu].label'}]}"
    draft = Draft(edit(loads(LAB), Patch((Change("edits", f"[{title}]"),)))[0])
    assert "label" not in LAB
    assert draft.at(60.0)
    assert draft.shown.scenario.halls == loads(LAB).scenario.halls


def test_folding_makes_edits_part_of_the_design() -> None:
    draft = Draft(loads(LAB))
    with pytest.raises(CommandError, match="the run has no edits"):
        draft.fold()
    add = draft.propose(ADD)
    draft.land_edit(add, add.edit("edit-1", 50.0))
    draft.fold()
    assert not draft.file.scenario.edits
    assert len(draft.file.scenario.halls[0].rows) == 2
    back = draft.propose_undo()
    assert isinstance(back, Proposal)
    with pytest.raises(CommandError, match="go back to its start first"):  # in a run that has begun since
        draft.edit(back, 60.0)
    assert draft.undo()
    assert len(draft.file.scenario.edits) == 1


def test_what_does_not_fit_is_refused_in_one_sentence_and_changes_nothing() -> None:
    draft = Draft(loads(LAB))
    with pytest.raises(CommandError, match="did you mean 'DGX-H100'"):
        draft.propose(given("halls[lab].rows[x-1]", RACK.replace("H100", "H1OO")))
    with pytest.raises(CommandError, match="YAML"):
        draft.propose(given("halls[lab].rows[x-1]", "{id: x-1"))
    assert draft.file.text == LAB
    assert not draft.done
