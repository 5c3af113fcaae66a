"""Edits while the run goes on: the worker answers, the hall follows, what is saved replays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lab_edits import ADD, HOT, MOVE
from pytestqt.qtbot import QtBot

from twin.commands.edit.draft import Draft
from twin.commands.place.move import Rotate
from twin.scenario import load
from twin.scenario.file.scene_at import effective
from twin.sim.engine.engine import Engine

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow


@pytest.fixture
def own(lab: Path, tmp_path: Path) -> Path:
    """A copy of the lab that may be written."""
    path = tmp_path / "own.twin.yaml"
    path.write_bytes(lab.read_bytes())
    return path


def test_a_rack_comes_moves_and_goes_in_a_run_and_the_saved_file_replays_it(
    use_window: Callable[..., MainWindow], own: Path, qtbot: QtBot
) -> None:
    window = use_window(own)
    session, editor = window.session, window.editing.editor
    told: list[str] = []
    refused: list[str] = []
    editor.done.connect(told.append)
    editor.refused.connect(lambda title, reason: refused.append(reason))
    session.set_speed(3600.0)
    session.play()
    qtbot.waitUntil(lambda: session.t_s > 600)
    assert session.plant is not None
    assert session.draft is not None
    before = session.plant
    for number, command in enumerate((ADD, MOVE), 1):
        editor.do(command)
        qtbot.waitUntil(lambda number=number: len(told) == number)
        assert session.plant.epoch == number
        qtbot.waitUntil(lambda: session.frame is not None)
    assert session.plant.racks.ids[: len(before.racks.ids)] == before.racks.ids
    assert int(session.plant.gpus.present.sum()) == 24
    editor.do(HOT)
    qtbot.waitUntil(lambda: len(refused) == 1)
    assert "cool" in refused[0]
    assert not editor.busy
    for number in (3, 4):
        editor.undo()
        qtbot.waitUntil(lambda number=number: len(told) == number)
    session.pause()
    titles = ["Add rack", "Move rack", "Undo move rack", "Undo add rack"]
    since = ": the run keeps what it has done, so the opposite edit acts now"
    assert told == [*titles[:2], *(title + since for title in titles[2:])]
    assert int(session.plant.gpus.present.sum()) == 16
    assert session.draft.shown.scenario.halls == load(own).scenario.halls
    assert window.editing.file.save()
    saved = load(own)
    assert [edit.title for edit in saved.scenario.edits] == titles
    assert effective(saved).scenario.halls == session.draft.shown.scenario.halls
    qtbot.waitUntil(lambda: not session.playing)
    live = [(event.t_s, event.kind, event.subject) for event in session.events]
    until_s = session.t_s
    assert live
    replay = Engine(saved.scenario, session.seed)
    replay.advance(until_s)
    assert [(event.t_s, event.kind, event.subject) for event in replay.events(0)][: len(live)] == live


def test_going_back_to_the_start_shows_the_hall_of_the_start_and_the_edits_come_again(
    use_window: Callable[..., MainWindow], own: Path, qtbot: QtBot
) -> None:
    window = use_window(own)
    session, editor = window.session, window.editing.editor
    told: list[str] = []
    editor.done.connect(told.append)
    session.set_speed(3600.0)
    session.play()
    qtbot.waitUntil(lambda: session.t_s > 600)
    editor.do(ADD)
    qtbot.waitUntil(lambda: bool(told))
    session.restart()
    assert session.plant is not None
    assert int(session.plant.gpus.present.sum()) == 16
    session.play()
    qtbot.waitUntil(lambda: int(session.plant.gpus.present.sum()) == 24)
    qtbot.waitUntil(lambda: session.frame is not None)
    session.restart()
    assert editor.undo()
    assert session.draft is not None
    assert not session.draft.file.scenario.edits
    assert session.draft.file.text == own.read_text()
    assert editor.redo()
    assert editor.fold()
    assert int(session.plant.gpus.present.sum()) == 24
    assert not session.draft.file.scenario.edits


def test_an_edit_of_the_file_that_only_the_worker_refuses_is_left_out_of_the_hall(
    use_window: Callable[..., MainWindow], own: Path, qtbot: QtBot
) -> None:
    draft = Draft(load(own))
    for command, at_s in ((HOT, 60.0), (ADD, 120.0)):
        proposal = draft.propose(command)
        draft.land_edit(proposal, proposal.edit(draft.fresh_id(), at_s))
    own.write_text(draft.file.text)
    window = use_window(own)
    session = window.session
    told: list[str] = []
    session.trouble.connect(lambda trouble: told.append(f"{trouble.title}: {trouble.text}"))
    session.set_speed(3600.0)
    session.play()
    qtbot.waitUntil(lambda: session.t_s > 600)
    session.pause()
    assert session.plant is not None
    assert session.plant.epoch == 1
    assert "x-1/0/0" in session.plant.slots
    assert "x-2/0/0" not in session.plant.slots
    qtbot.waitUntil(lambda: session.frame is not None and session.frame.t_s > 600)
    (said,) = told
    assert said.startswith("An edit no longer fits: Add rack without cooling: ")
    assert "cool" in said

    answers: list[str] = []  # to an edit of what stands in the scene, but not in the hall
    window.editing.editor.done.connect(answers.append)
    window.editing.editor.refused.connect(lambda _title, reason: answers.append(reason))
    window.editing.editor.do(Rotate(("x-2",)))
    qtbot.waitUntil(lambda: bool(answers))
    assert "x-2/0/0" not in session.plant.slots
