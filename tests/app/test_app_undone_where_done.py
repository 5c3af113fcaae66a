"""Undo while the run stands where the last act left it: file, events and curves have nothing of that act."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from lab_edits import ADD, MOVE
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from session_bench import Bench

from twin.analysis.rerun import asked_of
from twin.analysis.verify import verify
from twin.app.files.recovery import run_of
from twin.app.session.acts_by_hand import ActByHand
from twin.commands.edit.draft import Draft
from twin.commands.place.delete import Delete
from twin.record.reader import Reader
from twin.scenario import load, parse_injection
from twin.sim.engine.engine import Engine

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

GONE = Delete(("x-1/0/0",))
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def bench(qtbot: QtBot, lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setenv("TWIN_STATE_DIR", str(tmp_path / "state"))
    path = tmp_path / "own.twin.yaml"
    path.write_bytes(lab.read_bytes())
    made = Bench(path)
    yield made
    made.session.close()


def test_delete_undo_delete_is_one_edit(
    make_window: Callable[..., MainWindow], my_lab: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    draft = Draft(load(my_lab))
    draft.land(draft.propose(ADD))
    text = draft.file.text
    my_lab.write_text(text)
    window = make_window(my_lab)
    session, editor = window.session, window.editing.editor
    told: list[str] = []
    editor.done.connect(told.append)
    session.set_speed(3600.0)
    session.play(until_s=700.0)
    standing_s = 700.0
    qtbot.waitUntil(lambda: session.frame is not None and session.frame.t_s == session.t_s == standing_s)
    session.pause()
    assert session.draft is not None
    count, racks = len(session.events), session.plant
    assert racks is not None

    assert editor.do(GONE)
    qtbot.waitUntil(lambda: bool(told))
    assert told == ["Delete rack x-1/0/0"]
    qtbot.waitUntil(lambda: [event.kind for event in session.events[count:]].count("edited") == 1)
    assert len(session.draft.file.scenario.edits) == 1
    QTest.keyClick(window, Qt.Key.Key_Z, CTRL)
    assert session.plant is racks, "the hall as it was is on screen at once"
    qtbot.waitUntil(lambda: len(told) == 2)
    assert told[1] == "Undo delete rack x-1/0/0"
    assert session.draft.file.text == text
    assert not session.draft.dirty
    qtbot.waitUntil(lambda: session.frame is not None and session.frame.layout.epoch == 0)
    assert session.plant is racks
    assert session.t_s == standing_s
    assert len(session.events) == count
    assert window.docks.events.model.total == count
    assert session.curves.history.times_s().max() <= standing_s
    QTest.keyClick(window, Qt.Key.Key_Z, CTRL | SHIFT)
    qtbot.waitUntil(lambda: len(told) == 3)
    QTest.keyClick(window, Qt.Key.Key_Z, CTRL)
    qtbot.waitUntil(lambda: len(told) == 4)
    assert session.draft.file.text == text
    assert editor.do(GONE)
    qtbot.waitUntil(lambda: len(told) == 5)
    assert window.editing.file.save()
    (edit,) = load(my_lab).scenario.edits
    assert edit.id == "edit-1"
    assert standing_s <= edit.at_s < standing_s + 0.002
    session.set_speed(float("inf"))
    session.play()
    qtbot.waitUntil(lambda: session.finished)
    qtbot.waitUntil(lambda: session.summary is not None)
    assert [event.kind for event in session.events].count("edited") == 1
    assert np.diff(session.curves.history.times_s()).min() > 0.0
    once = Engine(load(my_lab).scenario, session.seed)
    once.advance(once.end_s)
    assert session.run_file is not None
    copy = tmp_path / "copy.twinrun"
    shutil.copy(session.run_file, copy)
    with Reader(copy) as reader:
        assert reader.event_hash == once.event_hash()
        assert [request.done for request in asked_of(reader)] == [edit]
    assert verify(copy).clean


def test_acts_of_each_kind_are_undone_one_after_the_other_and_done_again(bench: Bench, lab: Path) -> None:
    editor, session = bench.editor, bench.session
    lasting = list[ActByHand]()
    editor.acts.lasting.connect(lasting.append)
    bench.go(600.0)
    engine = bench.client.engine_session.engine
    assert engine is not None
    states = [engine.snapshot()]

    def act(what: Callable[[], object]) -> None:
        what()
        for _ in range(3):
            session.poll()
        assert bench.client.engine_session.engine is not None
        states.append(bench.client.engine_session.engine.snapshot())

    act(lambda: editor.do(ADD))
    act(lambda: session.intervene(parse_injection("600 s drain x-1/0/0", None)))
    act(lambda: session.intervene(parse_injection("600 s fail gpu/0/0/0", None)))
    act(lambda: editor.do(MOVE))
    for number in (3, 2, 1, 0):
        act(editor.undo)
        assert states[-1] == states[number]
    assert not editor.undo_title
    assert not bench.ids
    assert not session.by_hand
    assert not lasting
    titles = ("Add rack", "Drain x-1/0/0", "Fails: gpu/0/0/0", "Move rack")
    for title in titles:
        assert editor.redo_title == title
        act(editor.redo)
    assert bench.ids == ["edit-1", "edit-2"]
    assert [act_by_hand.kind for act_by_hand in session.by_hand] == ["drain", "fail"]
    for _ in titles:  # without a look at what the run says in between
        editor.undo()
    for _ in range(9):
        session.poll()
    assert not editor.busy
    assert not bench.ids
    assert not bench.refused
    bench.go(5000.0)
    plain = Engine(load(lab).scenario, session.seed)
    plain.advance(5000.0)
    assert bench.client.engine_session.engine is not None
    assert bench.client.engine_session.engine.event_hash() == plain.event_hash()


def test_when_the_run_has_continued_the_opposite_acts_and_that_is_told(bench: Bench) -> None:
    bench.go(600.0)
    bench.do(lambda: bench.editor.do(ADD))
    bench.session.intervene(parse_injection("600 s drain gpu/0/0/0", None))
    bench.session.poll()
    bench.run_to(600.5)  # the window has not heard of it
    bench.editor.undo()
    bench.do(bench.editor.undo)
    since = "the run keeps what it has done, so the opposite"
    assert [told for told in bench.done if since in told] == [
        f"Undo: Drain gpu/0/0/0; {since} acts now",
        f"Undo add rack: {since} edit acts now",
    ]
    assert bench.ids == ["edit-1", "edit-2"]
    assert [one.kind for one in bench.session.by_hand] == ["drain", "undrain"]


def test_a_crash_between_undo_and_journal_leaves_nothing_of_the_edit(bench: Bench) -> None:
    bench.go(600.0)
    bench.do(lambda: bench.editor.do(ADD))
    draft = bench.session.draft
    assert draft is not None
    noted = draft.file  # the program ends before it puts down what follows
    bench.do(bench.editor.undo)
    run_file = bench.session.run_file
    bench.client.close()
    for document in (noted, draft.file):
        left = run_of(document, run_file)
        assert left.snapshot is not None
        assert not left.lost
        assert not left.document.scenario.edits
    assert left.snapshot is not None
    engine = Engine.restore(left.document.scenario, left.snapshot.data)
    engine.advance(1000.0)
    plain = Engine(left.document.scenario)
    plain.advance(1000.0)
    assert engine.event_hash() == plain.event_hash()
