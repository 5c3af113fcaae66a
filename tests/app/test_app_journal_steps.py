"""What is recovered can be undone as before: a journal gives back the steps of the draft that it was kept of."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from usual_cases import usually

from twin.app.files import journal_steps
from twin.app.files.journal import SUFFIX, Journal
from twin.app.files.journal_steps import StepNotes
from twin.app.files.recovery import RecoveredWork, draft_of, read, run_of
from twin.commands.edit.command import CommandError, Given
from twin.commands.edit.draft import Draft
from twin.commands.edit.draft_steps import Later
from twin.scenario import Change, Patch, load, loads

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

SCENE = """\
format: twin/scenario
version: 3
catalog: '2026.11'
title: Small # a remark
duration: 1 h
halls:
  - id: hall   # the only one
    rows:
      - {id: a, at: {x: 2 m}, racks: {count: 2, nodes: [{part: DGX-H100, count: 1}]}}
"""
RACK = "{id: x-1, at: {x: 20 m}, racks: {count: 1, nodes: [{part: DGX-H100, count: 1}]}}"
SERVES = ("cooling.loops[crah].serves", "[gpu, x-1]")
ADD = Given(Patch((Change("halls[lab].rows[x-1]", RACK), Change(*SERVES)), "Add rack"))


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qapp: QApplication) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("TWIN_STATE_DIR", raising=False)


def rename(title: str) -> Given:
    return Given(Patch((Change("title", title),), f"Rename to {title}"))


def move(x: int) -> Given:
    return Given(Patch((Change("halls[hall].rows[a].at.x", f"{x} m"),), "Move row"))


@pytest.fixture
def kept() -> Iterator[Kept]:
    """A small scene that is worked on."""
    made = Kept()
    yield made
    made.journal.end()


class Kept:
    """A draft with a journal, as the window keeps it."""

    def __init__(self) -> None:
        self.draft, self.journal = Draft(loads(SCENE, "small.twin.yaml")), Journal()
        self.journal.begin(self.draft.file)
        self.notes, self.live = StepNotes(self.draft), False

    def keep(self) -> None:
        self.journal.note(self.draft.file, self.draft.undo_title, self.notes.next(self.draft, live=self.live))

    def do(self, command: Given, gesture: str = "", at_s: float = 0.0) -> None:
        draft = self.draft
        if self.live:
            proposal = draft.propose(command)
            draft.land_edit(proposal, draft.edit(proposal, max(at_s, draft.t_s)))
        else:
            draft.land(draft.propose(command, gesture), gesture)
        self.keep()

    def go(self, back: bool) -> None:
        draft = self.draft
        if self.live:
            proposal = draft.propose_undo() if back else draft.propose_redo()
            if isinstance(proposal, Later):
                draft.land_later(proposal, draft.t_s)
            elif proposal is not None:
                draft.land_edit(proposal, draft.edit(proposal, draft.t_s))
        elif back:
            draft.undo()
        else:
            draft.redo()
        self.keep()

    def left(self) -> RecoveredWork:
        """Return what a crash would leave now."""
        assert self.journal.path is not None
        copy = self.journal.path.with_name(f"copy{SUFFIX}")
        shutil.copy(self.journal.path, copy)
        left = read(copy)
        assert left is not None
        return left

    def recovered(self) -> Draft:
        left = self.left()
        document = loads(left.text, "small.twin.yaml")
        return draft_of(document, left, run_of(document, None))


def stacks(draft: Draft) -> list[list[tuple[object, ...]]]:
    """Return all that going back and forth goes by."""
    each = (draft.done, draft.undone, draft.written)
    return [[(one.title, one.changes, one.inverse, one.edit, one.out) for one in steps] for steps in each]


def same(draft: Draft, other: Draft) -> None:
    assert other.file.text == draft.file.text
    assert stacks(other) == stacks(draft)


def test_named_steps_gestures_undo_and_redo_come_back_and_go_back_to_the_byte(kept: Kept) -> None:
    kept.do(rename("One"))
    for x in (3, 4, 5):
        kept.do(move(x), gesture="drag-1")
    kept.do(rename("Two"))
    kept.do(rename("Three"))
    kept.go(back=True)
    kept.go(back=True)
    kept.go(back=False)
    other = kept.recovered()
    same(kept.draft, other)
    assert [step.title for step in other.done] == ["Rename to One", "Move row", "Rename to Two"]
    assert other.redo_title == "Rename to Three"
    texts = []
    while other.undo():
        texts.append(other.file.text)
    assert len(texts) == 3, "a drag is one step"
    assert texts[-1] == SCENE
    assert "x: 2 m" in texts[1]
    while other.redo():
        pass
    assert other.file.scenario.title == "Three"


def test_edits_of_a_run_come_back_with_what_takes_them_back(kept: Kept) -> None:
    kept.do(rename("Before"))
    kept.live = True
    kept.draft.at(60.0)
    kept.do(rename("At 60"))
    kept.draft.at(120.0)
    kept.do(move(7))
    kept.draft.at(130.0)
    kept.go(back=True)  # another edit, that does the opposite
    kept.do(rename("Ahead"), at_s=300.0)
    kept.draft.at(200.0)
    kept.go(back=True)  # out of the run before its time
    kept.go(back=False)
    other = kept.recovered()
    other.at(kept.draft.t_s)
    same(kept.draft, other)
    assert other.undo_title == "Rename to Ahead"
    proposal = other.propose_undo()
    assert isinstance(proposal, Later)
    other.land_later(proposal)
    proposal = other.propose_undo()
    assert proposal is not None
    assert not isinstance(proposal, Later)
    assert proposal.after.scenario.title == "Before"
    other.at(0.0)
    while other.undo():
        pass
    assert other.file.text == SCENE


@pytest.mark.parametrize("seed", usually(range(6), 1))
def test_whatever_was_done_comes_back(seed: int, kept: Kept) -> None:
    draw = random.Random(seed)
    for number in range(60):
        what = draw.random()
        try:
            if what < 0.35:
                kept.do(rename(f"{number}"), at_s=kept.draft.t_s + draw.choice((0.0, 30.0)))
            elif what < 0.55:
                kept.do(move(draw.randrange(2, 9)), gesture=draw.choice(("", "drag")))
            elif what < 0.75:
                kept.go(back=True)
            elif what < 0.87:
                kept.go(back=False)
            elif kept.live and what < 0.9:  # back to the start of the run
                kept.live = False
                kept.draft.at(0.0)
                kept.draft.settle()
                kept.keep()
            elif kept.live:
                kept.draft.at(kept.draft.t_s + 20.0)
            else:
                kept.live = what < 0.92
        except CommandError:
            continue
    other = kept.recovered()
    other.at(kept.draft.t_s)
    if not kept.live:
        other.settle()
    same(kept.draft, other)
    for draft in (kept.draft, other):
        draft.at(0.0)
        while draft.undo():
            pass
    assert kept.draft.file.text == other.file.text == SCENE


def test_what_was_all_taken_back_is_nothing_to_recover(kept: Kept) -> None:
    kept.do(rename("One"))
    kept.go(back=True)
    assert kept.journal.path is not None
    copy = kept.journal.path.with_name(f"copy{SUFFIX}")
    shutil.copy(kept.journal.path, copy)
    assert read(copy) is None
    kept.go(back=False)
    assert kept.left().text == kept.draft.file.text


def test_a_recovered_scene_is_edited_killed_and_recovered_again(
    make_window: Callable[..., MainWindow], lab: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    own = tmp_path / "own.twin.yaml"
    own.write_bytes(lab.read_bytes())
    window = make_window(own)
    editor, journal = window.editing.editor, window.editing.file.journal
    assert editor.do(ADD)
    assert editor.do(rename("Once"))
    for number in range(2):
        assert journal.path is not None
        copy = journal.path.with_name(f"left-{number}{SUFFIX}")
        shutil.copy(journal.path, copy)
        with copy.open("ab") as file:
            file.write(b'{"start": 5')  # cut short
        left = read(copy)
        assert left is not None
        assert window.session.draft is not None
        window.session.draft.mark_saved()  # nobody is there to be asked
        assert window.editing.file.recover(left)
        assert not copy.exists(), "it goes on under the name of one begun now"
        assert window.isWindowModified()
        assert editor.do(rename(f"Again {number}"))
    draft = window.session.draft
    assert draft is not None
    names = ["Add rack", "Rename to Once", "Rename to Again 0", "Rename to Again 1"]
    assert [step.title for step in draft.done] == names
    assert "Rename to Again 1" in window.menus.qt_actions["edit.undo"].text()
    for _ in names:
        assert editor.undo()
    assert draft.file.text == own.read_text()
    assert not window.isWindowModified(), "it is as it is saved"
    assert not editor.undo()
    assert editor.redo()
    assert window.isWindowModified()
    assert window.editing.file.save()
    assert journal.path is None, "nothing is left to recover"
    assert "x-1" in {row.id for row in load(own).scenario.halls[0].rows}


def test_a_step_too_large_for_a_journal_goes_back_in_the_text(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_steps, "MOST_CHARACTERS", 40)
    kept.do(rename("A title that is longer than a line of a journal may be here"))
    kept.do(rename("Short"))
    other = kept.recovered()
    assert [bool(step.changes) for step in other.done] == [False, False]
    assert other.undo()
    assert other.undo()
    assert other.file.text == SCENE
    assert other.redo()
    assert other.file.scenario.title.startswith("A title")
